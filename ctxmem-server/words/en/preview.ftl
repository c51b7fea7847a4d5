# What an app sees of a user.

preview-title = What { $agent } sees
preview-about = This is what the app is told about you at the start of a chat today, word for word.
preview-several-keys = The app has several keys that reach different kinds of facts. This is what it gets with each.
preview-key = { $number }. { $kinds }
preview-kinds = { $kinds }
preview-no-overlap = No overlap
preview-demo = The demo
preview-copy = Copy
preview-shown = Shows { $shown } of { $facts } facts: a prompt has no room for more. Your name and place, how to talk to you, and allergies are always in it. Then come health, what you wrote or asked an app to remember, your family and work, what you said on several days, and the newest. The app can look up the others when you speak of them.
preview-deleted = Nothing: this app was deleted by its developer, and its keys no longer work.
preview-revoked = Nothing: its access was revoked.
preview-expired = Nothing: its access has expired.
preview-paused = Nothing: its access is paused. Nothing is ticked for it.
preview-all-paused = Nothing: you have paused everything.
preview-no-key = Nothing: the app has no working key at the moment.
preview-inactive = Nothing: its access is not active.
preview-no-scopes = Nothing: what you allow and what this app’s keys can reach do not overlap.
preview-empty = Nothing: nothing is stored about you yet.
preview-other-kinds = Nothing: what is stored about you is of other kinds.
preview-demo-about = Nothing about you: nothing is stored yet. Until its developer’s apps store a first fact, this app gets the made-up facts of a demo, which are the same for everybody.
