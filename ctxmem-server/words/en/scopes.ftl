# The kinds of facts: what each is called, and what it is about.

scopes-all = Everything
scope-general = About you
scope-general-meaning = Who you are: your name, where you live, your time zone.
scope-communication-style = How to talk to you
scope-communication-style-meaning = How you want assistants to answer you.
scope-preferences = What you prefer
scope-preferences-meaning = Your tools, your environment and the way you like to work.
scope-knowledge = What you know
scope-knowledge-meaning = Skills, tools, languages and frameworks that you know.
scope-relationships = People around you
scope-relationships-meaning = People you named, and who they are to you.
scope-history = What you decided and did
scope-history-meaning = Decisions that you made and things that you finished.
scope-goals = What you are working on
scope-goals-meaning = Current projects, tasks, obstacles and priorities.
