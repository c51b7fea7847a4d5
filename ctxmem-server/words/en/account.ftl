# The account: its frame, the overview, the sessions, and what a form has just done.

# The frame.
account-nav = Account
account-nav-home = Home
account-nav-memory = Memory
account-nav-access = Apps
account-nav-history = History
account-nav-data = Data
account-who = Signed in as { $user }
account-quick = Quick actions
account-quick-pause = Pause: no app gets or saves anything
account-quick-download = Download my data

# The overview.
account-title = Your memory
account-summary =
    { $agents ->
        [0] { $facts ->
            [0] No facts about you are saved, and no app has access.
            [one] No app can use the one fact about you.
           *[other] No app can use the { $facts } facts about you.
        }
        [one] One app can use { $facts ->
            [0] facts about you. None are saved yet.
            [one] one fact about you.
           *[other] { $facts } facts about you.
        }
       *[other] { $agents } apps can use { $facts ->
            [0] facts about you. None are saved yet.
            [one] one fact about you.
           *[other] { $facts } facts about you.
        }
    }
account-summary-part =
    { $agents ->
        [one] One app can use { $usable } of the { $facts } facts about you.
       *[other] Between them, { $agents } apps can use { $usable } of the { $facts } facts about you.
    }
account-you-can = You can view, correct, download or delete everything here.
account-numbers = In numbers
account-number-facts =
    { $count ->
        [one] fact about you
       *[other] facts about you
    }
account-number-usable =
    { $count ->
        [one] of them can be used by an app
       *[other] of them can be used by apps
    }
account-number-apps =
    { $count ->
        [one] app can use your memory
       *[other] apps can use your memory
    }
account-all-agents = All apps with their permissions
account-newest = Newest facts
account-all-facts =
    { $count ->
        [one] See it in your memory
       *[other] See all { $count } facts
    }
account-deletions = While you were away, something was deleted:
account-history = What happened last
account-history-empty = Nothing has happened yet.
account-history-all = Show the whole history
account-data = Data and privacy
account-take = Take your data with you
account-data-about = Who runs this service and how long things are kept is said under { $begin }About this memory{ $end }.
account-download = Download everything
account-download-about = Everything that is kept about you: facts, access and history, as one file.
account-download-facts = Only the facts
account-download-facts-about = The facts by kind, in a form that other programs can read.
account-download-facts-do = Download the facts
account-days = A period
account-days-about = What was saved between two days, in UTC: to download it, or to look at the facts and delete them.
account-days-about-local = What was saved between two days: to download it, or to look at the facts and delete them.
account-days-download = Download
account-days-show = Show these facts
auto-delete-title = Delete automatically
auto-delete-about = Choose for each kind how long facts stay. The time counts from when you or an app last said them. After it they are deleted for good.
auto-delete-never = Keep until I delete them
auto-delete-months =
    { $months ->
        [one] After one month
       *[other] After { $months } months
    }
auto-delete-save = Save
auto-delete-ask =
    { $count ->
        [one] Delete one fact now?
       *[other] Delete { $count } facts now?
    }
auto-delete-ask-about =
    { $count ->
        [one] It is older than you just chose.
       *[other] They are older than you just chose.
    }
auto-delete-do =
    { $count ->
        [one] Save and delete one fact
       *[other] Save and delete { $count } facts
    }
account-erase = Delete everything
account-erase-about = All facts are deleted for good, and every app loses access. You see first what will be deleted.
account-erase-do = Delete everything…

# Where the user is signed in.
sessions-title = Where you are signed in
sessions-session = Session
sessions-created = Signed in
sessions-seen = Last seen
sessions-this = This browser
sessions-other = Another browser or device
sessions-end = Sign out everywhere
sessions-end-about = This browser too.

# What a form has just done.
done-fact-added = The fact was added.
done-fact-corrected = The fact was corrected. The earlier wording is gone, and apps can’t replace yours unless you tell them that it changed.
done-fact-deleted = The fact was deleted.
done-fact-kept-out = The fact was deleted. Apps won’t save it again.
done-name-kept-out = The fact was deleted. Apps won’t save it again, nor anything else under its name, unless you ask them to remember it.
done-facts-deleted = The selected facts were deleted.
done-facts-kept-out = The selected facts were deleted. Apps won’t save them again.
done-names-kept-out = The selected facts were deleted. Apps won’t save them again, nor anything else under their names, unless you ask them to remember it.
done-let-in = Apps may save these facts again when you mention them.
done-facts-restored = The deletion is undone.
done-scope-deleted = All facts of this kind were deleted.
done-access-changed = Access was changed. Changes take effect immediately.
done-access-revoked = Access was revoked. It ended immediately.
done-agent-allowed = The app has access. Changes take effect immediately.
done-agent-refused = The app has no access, and you won’t be asked about it again.
done-paused = Everything is paused. The pause took effect immediately.
done-resumed = The pause is over. Apps have the access that you gave them.
done-asks-first = New apps must ask you from now on.
done-asks-by-mode = New apps no longer have to ask you.
done-auto-delete = Your choice is saved.
