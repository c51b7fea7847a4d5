# The facts: the list, and the forms that add, correct and delete.

memory-title = Facts about you
memory-heading =
    { $count ->
        [0] No facts
        [one] 1 fact
       *[other] { $count } facts
    }
memory-nothing = Apps save here what they learn about you in conversations. Nothing is saved yet.
memory-select-one = Nothing was deleted. Select at least one fact.
memory-find = Facts
memory-search = Search
memory-search-hint = Search your facts
memory-filter = Filter by kind, author and day
memory-first-day = From (day)
memory-last-day = Until (day)
memory-kind = Kind
memory-any-kind = All kinds
memory-author = Saved by
memory-anyone = Anyone
memory-order = Order
memory-by-kind = By kind
memory-newest = Newest first
memory-oldest = Oldest first
memory-show = Search
memory-show-all = Show all facts
memory-found =
    { $count ->
        [0] No fact matches.
        [one] 1 fact matches.
       *[other] { $count } facts match.
    }
memory-page = { $first }–{ $last } of { $all }.
memory-group = Facts
memory-you = you
memory-from = From { $author }, { $when }
memory-from-deleted = From { $author } (deleted), { $when }
memory-said = Your own words, of { $day }.
memory-confirmed = last confirmed { $when }
memory-select = Select: { $fact }
memory-correct = Edit
memory-correct-this = Edit: { $fact }
memory-more = More: kind, name and why this is known
memory-delete = Delete
memory-delete-this = Delete: { $fact }
memory-delete-kind = Delete all of “{ $kind }”
memory-delete-kind-sure =
    { $count ->
        [one] Yes, delete this fact
       *[other] Yes, delete all { $count } facts
    }
memory-delete-kind-for-good =
    { $count ->
        [one] Yes, delete this fact for good
       *[other] Yes, delete all { $count } facts for good
    }
memory-delete-kind-do = Delete all
memory-delete-kind-label = Delete all of { $kind }
memory-delete-selected = Delete selected facts…
memory-delete-found =
    { $count ->
        [one] Delete the one that matches…
       *[other] Delete all { $count } that match…
    }
memory-delete-all =
    { $count ->
        [one] Delete the only fact…
       *[other] Delete all { $count } facts…
    }
memory-pages = Pages of facts
memory-first = First page
memory-previous = Previous page
memory-next = Next page
memory-last = Last page
memory-empty-kinds = Nothing yet under: { $kinds }.
memory-kept-out =
    { $count ->
        [one] 1 fact is not saved again
       *[other] { $count } facts are not saved again
    }
memory-kept-out-about = You deleted or corrected them. A fact with a name, such as “editor”, keeps out everything else under that name. Only a fingerprint of each is kept, so they can’t be listed here. If you ask an app directly to remember one, it is saved again.
memory-let-in = Let apps save all of them again

# Adding a fact.
memory-add = Add a fact yourself
memory-add-title = Add a fact
memory-add-do = Add the fact
memory-add-any-kind = Choose for me
memory-add-back = Back, without adding it
memory-name = Name
memory-add-name-hint = A short label, such as birthday, city or diet.
memory-fact = Fact
memory-add-value-hint = In your own words, such as: I was born in 1985. One line, at most 500 characters. Passwords, keys and card numbers are never stored.

# Correcting one.
memory-edit-title = Edit a fact
memory-changed = Not saved: meanwhile this has become “{ $now }”. What you typed is still here. Save again to put it in the place of that.
memory-gone = Not saved: this fact is gone by now. What you typed is still here, and you can add it as a new fact.
memory-edit-value-hint = One line, at most 500 characters. Apps will keep your wording until you tell them something new. The old wording is deleted.
memory-edit-kind-hint = Apps read only the kinds that you allow them.
memory-edit-name-hint = Such as “editor” or “location”. Only “About you” and “What you prefer” use names.
memory-save = Save
memory-why = Why this is known
memory-saved-by = Saved by
memory-why-confirmed = Last confirmed
memory-why-found = Found
memory-found-by-rules = You mentioned it to { $author }.
memory-found-by-rules-asked = You asked { $author } to remember it.
memory-found-by-model = You mentioned it to { $author }. A language model picked it out.
memory-found-by-model-asked = You asked { $author } to remember it. A language model picked it out.
memory-request = Request
memory-found-unknown = The request it came from was not recorded.
memory-found-unknown-asked = You asked an app to remember it. The request it came from was not recorded.
memory-why-note = What you said in the conversation is not kept here, so it can’t be shown. With the request’s number, the app’s developer may be able to find the conversation.
memory-delete-title = Delete this fact
memory-keep-out = Don’t let apps save it again
memory-keep-out-name = Don’t let apps save it again, nor anything else as “{ $name }”
memory-delete-instead = Delete this fact instead

# Deleting several.
memory-delete-several =
    { $count ->
        [one] Delete this fact
       *[other] Delete { $count } facts
    }
memory-delete-several-ask =
    { $count ->
        [one] Delete this fact?
       *[other] Delete { $count } facts?
    }
memory-deleted = What will be deleted
memory-deleted-about = This can’t be undone.
memory-deleted-undo = You can undo it on the next page, and not later.
memory-undo = Undo
memory-keep-out-several = Don’t let apps save them again
memory-keep-out-several-names = Don’t let apps save them again, nor anything else under these names: { $names }
