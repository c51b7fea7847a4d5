# The history. Each entry is a sentence: who, and what they did. { $who } may hold the auxiliary verb
# of the sentence where a language needs it.

history-title = History
history-about = Who did what, and when, the newest first. What was said or saved is not kept here.
history-filter = Filter
history-agent = App
history-anyone = Anyone
history-what = What
history-everything = Everything
history-day = Day (UTC)
history-day-local = Day
history-show = Show
history-show-all = Show everything
history-no-match = No entry matches.
history-empty = There are no entries here.
history-pages = Pages of the history
history-newest = Newest entries
history-newer = Newer entries
history-older = Older entries
history-oldest = Oldest entries
history-csv = Download as CSV
history-receipt = Receipt

# What an entry is about.
history-kind-told = What apps were told
history-kind-saved = What apps saved
history-kind-access = Changes of access
history-kind-yours = Corrections, deletions and downloads

# The columns of the file.
history-column-time = time
history-column-what = what happened
history-column-kinds = kinds
history-column-times = times
history-column-action = action
history-column-actor = actor
history-column-agent = app
history-column-agent-id = app id
history-column-outcome = outcome
history-column-facts = facts

# Who.
history-you = You
history-agent-named = { $agent }
history-agent-unnamed = An app
history-developer = A developer
history-operator = The operator of this service
# An app within a sentence.
history-the-agent = { $agent }
history-some-agent = an app

# An entry, and what may follow its sentence.
history-line = { $sentence }.
history-line-times = { $sentence }, { $times } times.
history-not-granted = { $sentence }; you don’t allow: { $kinds }
history-not-in-key = { $sentence }; its key can’t reach: { $kinds }
history-made-room =
    { $sentence }; { $count ->
        [one] 1 fact was removed to make room
       *[other] { $count } facts were removed to make room
    }
history-until = { $sentence }, until { $when }
history-kinds = { $kinds }
history-may = May read and write: { $kinds }

# What they did.
history-told = { $who } was told what it may know about you
history-told-denied = { $who } asked about you and was told nothing: it has no access
history-told-failed = { $who } asked about you and got no answer
history-told-nothing = { $who } asked about you; there was nothing to share
history-read = { $who } read the facts about you that it may read
history-read-nothing = { $who } asked to read the facts about you; there were none
history-read-failed = { $who } tried to read the facts about you, which failed
history-read-denied = { $who } tried to read the facts about you and was refused
history-searched = { $who } searched the facts about you that it may read
history-searched-nothing = { $who } searched the facts about you and found none
history-search-failed = { $who } tried to search the facts about you, which failed
history-search-denied = { $who } tried to search the facts about you and was refused
history-changed = { $who } { $changes } about you
history-changes-and = { $first } and { $last }
history-added =
    { $count ->
        [one] saved 1 fact
       *[other] saved { $count } facts
    }
history-replaced =
    { $count ->
        [one] replaced 1 fact
       *[other] replaced { $count } facts
    }
history-removed =
    { $count ->
        [one] removed 1 fact
       *[other] removed { $count } facts
    }
history-saved-some =
    { $count ->
        [one] { $who } saved, replaced or removed 1 fact about you
       *[other] { $who } saved, replaced or removed { $count } facts about you
    }
history-saved-nothing = { $who } sent a message; nothing was saved
history-learned-nothing = { $who } learned nothing new about you
history-save-denied = { $who } tried to save something about you and was refused
history-save-limit = { $who } sent a message; nothing was saved because its limit is reached
history-save-failed = { $who } sent a message; nothing was saved because something failed
history-own-access = its own access
history-access-of = the access of { $agent }
history-grant-denied = { $who } tried to set { $access } and was refused
history-granted-first = { $who } was given access by its first request
history-granted-narrowed = { $who } narrowed its own access
history-granted-renewed = { $who } renewed its own access, which had expired
history-granted-own = { $who } set its own access
history-granted-own-changed = { $who } changed its own access
history-granted = { $who } gave { $agent } access
history-granted-paused = { $who } paused the access of { $agent }
history-granted-resumed = { $who } gave { $agent } access again after a pause
history-granted-changed = { $who } changed the access of { $agent }
history-revoked = { $who } ended { $access }
history-revoke-denied = { $who } tried to end { $access } and was refused
history-refused = { $who } refused access to { $agent }
history-paused = { $who } paused all access
history-resumed = { $who } ended the pause of all access
history-asks-first = { $who } chose that new apps must ask first
history-asks-by-mode = { $who } chose that new apps need not ask
history-auto-delete-set = { $who } chose how long facts stay
history-auto-deleted =
    { $count ->
        [one] One fact was deleted because it was as old as you had chosen
       *[other] { $count } facts were deleted because they were as old as you had chosen
    }
history-signed-out-everywhere = { $who } signed out everywhere
history-profile = { $who } changed what users are told about { $agent }
history-erased =
    { $count ->
        [one] { $who } deleted everything that was saved about you: 1 fact
       *[other] { $who } deleted everything that was saved about you: { $count } facts
    }
history-reapplied = { $who } restored a backup and applied again what you had decided since
history-erase-denied = { $who } tried to delete everything and was refused
history-fact-added = { $who } added a fact
history-fact-corrected = { $who } corrected a fact
history-facts-deleted =
    { $count ->
        [one] { $who } deleted a fact
       *[other] { $who } deleted { $count } facts
    }
history-fact-delete-denied = { $who } tried to delete a fact and was refused
history-fact-delete-failed = { $who } tried to delete a fact, which failed
history-facts-restored =
    { $count ->
        [one] { $who } undid a deletion: 1 fact
       *[other] { $who } undid a deletion: { $count } facts
    }
history-kind-deleted =
    { $count ->
        [one] { $who } deleted all facts of one kind: 1 fact
       *[other] { $who } deleted all facts of one kind: { $count } facts
    }
history-exported =
    { $count ->
        [one] { $who } downloaded a copy of 1 fact
       *[other] { $who } downloaded a copy of { $count } facts
    }
history-signed-in = { $who } signed in
history-sign-in-failed = { $who } tried to sign in, without success
history-agent-created = { $who } created the app { $agent }
history-agent-renamed = { $who } renamed an app; it is now called { $agent }
history-agent-deleted = { $who } deleted the app { $agent }
history-key-created = { $who } created a key for { $agent }
history-key-revoked = { $who } revoked a key of { $agent }
history-key-replaced = { $who } replaced a key of { $agent }
history-password = { $who } changed a password
history-second-factor = { $who } changed a second factor
history-team-invited = { $who } invited somebody to a team
history-team-invitation-withdrawn = { $who } withdrew an invitation to a team
history-team-joined = { $who } joined a team
history-team-left = { $who } left a team
history-team-member-removed = { $who } removed somebody from a team
history-team-handed-over = { $who } handed a team over
