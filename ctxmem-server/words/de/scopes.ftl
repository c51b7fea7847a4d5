# Die Arten von Fakten: wie jede heißt und worum es darin geht.

scopes-all = Alles
scope-general = Über Sie
scope-general-meaning = Wer Sie sind: Ihr Name, Ihr Wohnort, Ihre Zeitzone.
scope-communication-style = Wie man mit Ihnen spricht
scope-communication-style-meaning = Wie Assistenten Ihnen antworten sollen.
scope-preferences = Was Sie bevorzugen
scope-preferences-meaning = Ihre Werkzeuge, Ihre Umgebung und wie Sie gern arbeiten.
scope-knowledge = Was Sie können
scope-knowledge-meaning = Fähigkeiten, Werkzeuge, Sprachen und Frameworks, die Sie kennen.
scope-relationships = Menschen um Sie herum
scope-relationships-meaning = Menschen, die Sie genannt haben, und wer sie für Sie sind.
scope-history = Was Sie entschieden und getan haben
scope-history-meaning = Entscheidungen, die Sie getroffen, und Dinge, die Sie abgeschlossen haben.
scope-goals = Woran Sie arbeiten
scope-goals-meaning = Aktuelle Projekte, Aufgaben, Hindernisse und Prioritäten.
