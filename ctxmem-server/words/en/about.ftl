# The page that says who runs the service, and what it does.

about-title = About this memory
about-intro = AI apps can remember what you tell them. This service keeps those facts for the apps that you use, and lets you decide which app may use which of them.
about-who = Who runs it
about-operator = { $operator } runs this service and is responsible for what is stored here.
about-no-operator = The operator has not given a name here. Ask whoever gave you access to this service.
about-contact = Contact:
about-privacy = Privacy policy
about-purpose = What it is for
about-mode-auto = Every app that is connected here gets access by its first request, without asking you first. You can change that in your account.
about-mode-own = Apps of developers whom you have allowed before, and the first app of all, get access by their first request. All others have to ask you first.
about-mode-ask = An app has to ask you before it gets access.
about-purpose-text = An app with access gets the facts that you allow before it answers you. It can save new facts that you state in a conversation, and it can delete everything that is saved about you, for example when you ask it to. The conversations themselves are not kept here.
about-how-long = How long things are kept
about-facts = Facts: until you delete them, a newer fact replaces them, or their list is full.
about-access = Which apps may use them: until you revoke access or it expires. Past access stays listed in your account.
about-log-days =
    { $days ->
        [one] The history of who did what and when: one day. It contains no facts. When you delete everything, it stays, under a number that does not name you.
       *[other] The history of who did what and when: { $days } days. It contains no facts. When you delete everything, it stays, under a number that does not name you.
    }
about-log = The history of who did what and when: without an end. It contains no facts. When you delete everything, it stays, under a number that does not name you.
about-answers = Answers to apps, so that a repeated request counts once: 24 hours.
about-sessions = Your session: it ends after an hour without use, and after twelve hours at the latest. Cookies are used only for signing in, for messages between pages and for the language that you choose.
about-rights = What you can do
about-see = See every fact, who saved it and when, and the exact text that an app gets.
about-correct = Correct, add and delete facts.
about-limit = Change, limit or revoke the access of each app.
about-download = Download everything in a file that other programs can read.
about-delete = Delete everything. It can’t be undone.
about-where-contact = You can do all of this in { $begin }your account{ $end }. For anything else, such as a complaint, use the contact above.
about-where = You can do all of this in { $begin }your account{ $end }. For anything else, such as a complaint, contact the operator.
