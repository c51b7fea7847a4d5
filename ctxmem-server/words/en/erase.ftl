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
erase-no-agents = No app has access at the moment.
erase-agents = These apps lose access: { $agents }.
erase-kept-out = The list of facts that you don’t want saved again is deleted too.
erase-at-once = Everything is deleted immediately. This can’t be undone.
erase-stays = What stays
erase-stays-log-days =
    { $days ->
        [one] A log of who did what and when, each entry for one day. It contains nothing that was said or saved. The receipt is one of its entries.
       *[other] A log of who did what and when, each entry for { $days } days. It contains nothing that was said or saved. The receipt is one of its entries.
    }
erase-stays-log = A log of who did what and when, for as long as this service exists. It contains nothing that was said or saved. The receipt is one of its entries.
erase-stays-pseudonym = The log doesn’t contain your name. Whoever runs this service can still find your entries if they know your user id.
erase-stays-answers = For 24 hours: that a request was handled, but not what it said, so that it isn’t done twice.
erase-stays-backups = Backups, if whoever runs this service keeps any. What they contain about you can’t be read any more, unless an older copy of your key is kept as well.
erase-stays-agents = Copies that apps have made for themselves. Ask their developers.
erase-download-first = You may want to { $begin }download everything{ $end } first.

# The receipt.
receipt-title = Receipt
receipt-heading = Everything was deleted
receipt-by = Deleted by
receipt-by-you = You
receipt-by-agent = { $agent }
receipt-by-some-agent = An app
receipt-by-developer = A developer
receipt-by-operator = The operator of this service
receipt-when = When
receipt-facts = Facts deleted
receipt-facts-kinds = { $facts } ({ $kinds })
receipt-agents = Apps that lost access
receipt-number = Number
receipt-gone = The facts are deleted.
receipt-stays-days =
    { $days ->
        [one] This receipt stays in your history for one day.
       *[other] This receipt stays in your history for { $days } days.
    }
receipt-stays = This receipt stays in your history.
receipt-must-ask = No app gets access again unless you allow it. An app that calls has to ask you first, in { $begin }your account{ $end }.
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
receipt-text-pseudonym = It doesn’t contain a name. Whoever runs the service can still find it if they know the user id. This file does not name you either.
