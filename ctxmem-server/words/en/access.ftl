# Which apps have access, and what the user decides about all of them.

access-title = Apps
access-have = With access
access-had = Without access
access-back = Back to the apps
access-none = No app has access to your memory, or ever had.
access-about = An app reads and writes only what is ticked for it. If anything is, it can also delete everything that is saved about you, for example when you ask it to. Changes take effect immediately.
access-active = has access
access-paused = paused
access-idle = can’t use anything
access-expired = expired
access-refused = refused
access-revoked = revoked
access-agent-deleted = deleted by its developer
access-since = since { $when }
access-since-until = since { $when }, until { $end }
access-last-used = last used { $when }
access-website = { $host } (verified)
access-never-used = no use recorded yet
access-reach = May read and write: { $kinds }.
access-reach-all = May read and write everything.
access-reach-nothing = It has no access to anything. Tick a kind to give it access.
access-reach-idle = Its keys reach nothing of what you allow. It can’t read, write or delete anything.
access-after-pause = When the pause ends: { $reach }
access-out-of-reach = Its keys don’t reach: { $kinds }.
access-no-key = It has no key at the moment, so there is nothing that it could be allowed.
access-change = Change what it may do
access-allow-again = Allow again…
access-may = May read and write
access-may-hint = With nothing ticked, it has no access.
access-until = Until
access-until-hint = Date and time in UTC. Leave it empty for no end.
access-until-hint-local = Date and time where you are. Leave it empty for no end.
access-save = Save
access-save-label = Save: access of { $agent }
access-allow-again-label = Allow again: access of { $agent }
access-preview = Preview what this app sees
access-preview-label = Preview what this app sees: { $agent }
access-revoke = Revoke
access-revoke-label = Revoke access of { $agent }

# All apps.
access-all-paused = Everything is paused
access-all-paused-about = Since { $when }, no app gets anything from your memory, and none can save or delete anything. Your choices are kept for later.
access-resume = End the pause
access-new = New since you last looked
access-new-about =
    { $count ->
        [one] This app started to use your memory without asking you:
       *[other] These apps started to use your memory without asking you:
    }
access-new-seen = I have seen this
access-asks = { $agent } asks for access
access-waiting = waiting for you
access-asked-once = asked once, { $first }
access-asked-often = asked { $times } times, first { $first }, last { $last }
access-gets-nothing = It gets nothing until you allow it.
access-decide = Decide…
access-decide-label = Decide: { $agent }
access-all = All apps
access-pause = Pause everything
access-pause-about = No app gets, saves or deletes anything until you end the pause.
access-always-asks = New apps must ask you here before they get access.
access-let-in = Let new apps in without asking
access-let-in-about = New apps must ask you now.
access-ask-first = New apps must ask me
access-mode-auto = Right now, every connected app gets access automatically.
access-mode-own = Right now, apps of developers whom you have allowed before get access automatically.
