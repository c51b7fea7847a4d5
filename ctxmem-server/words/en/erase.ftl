# Deleting everything: what the page says before, and the receipt.

erase-title = Delete everything
# What to type, so that nobody deletes everything by accident.
erase-word = erase
erase-nothing-deleted = Nothing was deleted. Type the word “{ $word }”.
erase-type-word = Type the word “{ $word }” to confirm
erase-wrong = Type the word “{ $word }”.
erase-deleted = What will be deleted
erase-no-facts = Nothing is saved about you at the moment.
erase-kind = Kind
erase-facts = Facts
erase-total = Total
erase-no-agents = No agent has access at the moment.
erase-agents = These agents lose access: { $agents }.
erase-kept-out = The list of facts that you don’t want saved again is deleted too.
erase-at-once = When the page answers, the facts are gone and the key under which they were stored is destroyed. This can’t be undone.
erase-stays = What stays
erase-stays-log-days =
    { $days ->
        [one] A log of who did what and when, each entry for one day. It contains nothing that was said or saved. The receipt is one of its entries.
       *[other] A log of who did what and when, each entry for { $days } days. It contains nothing that was said or saved. The receipt is one of its entries.
    }
erase-stays-log = A log of who did what and when, for as long as this service exists. It contains nothing that was said or saved. The receipt is one of its entries.
erase-stays-pseudonym = The log doesn’t name you. It uses a code that is computed from your user id with a secret key of this service. So it is pseudonymous, not anonymous: whoever runs this service and knows your user id can compute the code again and find the entries.
erase-stays-answers = For one day: the fact that a request was answered, so that the same request is not carried out twice; not what was answered.
erase-stays-backups = Backups, if the operator of this service keeps any. What they contain about you can be read only as long as the operator also keeps an older copy of your key.
erase-stays-agents = Whatever agents have kept for themselves. Ask their developers.
erase-download-first = You may want to { $begin }download everything{ $end } first.

# The receipt.
receipt-title = Receipt
receipt-heading = Everything was deleted
receipt-by = Deleted by
receipt-by-you = You
receipt-by-agent = { $agent }
receipt-by-some-agent = An agent
receipt-by-developer = A developer
receipt-by-operator = The operator of this service
receipt-when = When
receipt-facts = Facts deleted
receipt-facts-kinds = { $facts } ({ $kinds })
receipt-agents = Agents that lost access
receipt-number = Number
receipt-gone = The facts are gone, and the key under which they were stored is destroyed: no old copy of them can be read.
receipt-stays-days =
    { $days ->
        [one] This receipt stays in your history for one day.
       *[other] This receipt stays in your history for { $days } days.
    }
receipt-stays = This receipt stays in your history.
receipt-pseudonym = It doesn’t name you. It uses a code that is computed from your user id with a secret key of this service, so only someone who runs the service and knows your user id can find it.
receipt-must-ask = No agent gets access again unless you allow it. An agent that calls has to ask you first, in { $begin }your account{ $end }.
receipt-download = Download this receipt
receipt-print = To keep it on paper, print this page.

# The receipt as a text file.
receipt-text-title = Receipt for the deletion of everything that was saved about one person
receipt-text-line = { $label }: { $value }
receipt-text-when = { $when } ({ $exact })
receipt-text-days =
    { $days ->
        [one] The log keeps this entry for one day.
       *[other] The log keeps this entry for { $days } days.
    }
receipt-text-forever = The log keeps this entry for as long as this service exists.
receipt-text-pseudonym = The entry names nobody. It uses a code that is computed from the user id with a secret key of this service. Whoever runs the service and knows the user id can compute the code again and find the entry. This file does not name you either.
