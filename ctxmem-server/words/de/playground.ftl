# Die Testumgebung.

playground-title = Testumgebung
playground-about = Rufen Sie die Schnittstelle mit einem Ihrer Schlüssel auf, für einen eigenen Testbenutzer. Seine Benutzerkennung ist immer { $user }. Was über wirkliche Menschen gespeichert ist, können Sie hier also nicht sehen. Aufrufe zählen wie alle anderen zu Ratenbegrenzung, Kontingent, Nutzung und Zahl der Benutzer.
playground-no-key = Sie haben keinen gültigen Schlüssel. { $begin }Legen Sie zuerst einen Agenten oder einen Schlüssel an{ $end }.
playground-result = Antwort
playground-request = Anfrage
playground-response = Antwort des Servers
playground-curl = Der Aufruf als curl-Befehl
playground-curl-about = Er liest den Schlüssel aus { $variable }.
playground-curl-copy = Befehl kopieren
playground-call = Aufruf
playground-key = Schlüssel
playground-key-choice = { $agent }: { $prefix }… ({ $scopes })
playground-user = Testbenutzer
playground-inject-about = Inject: ein Prompt mit dem, was bekannt ist
playground-base-prompt = Ausgangs-Prompt
playground-inject = Inject
playground-update-about = Update: aus einer Nachricht lernen
playground-message = Nachricht des Benutzers
playground-answer = Antwort des Agenten
playground-update = Update
playground-calls = Ihre letzten Aufrufe
playground-calls-about = Werden höchstens eine Stunde aufbewahrt.
playground-call-copy = Befehl von Aufruf { $number } kopieren
playground-erase = Von vorn beginnen
playground-erase-about = Löscht alles, was über diesen Testbenutzer gespeichert ist, und die oben aufgelisteten Aufrufe. Das kann nicht rückgängig gemacht werden.
playground-erase-do = Testbenutzer löschen
