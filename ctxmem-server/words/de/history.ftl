# Der Verlauf. Jeder Eintrag ist ein Satz im Perfekt: { $who } enthält das Hilfsverb, zum Beispiel
# „Sie haben“ oder „Helper hat“.

history-title = Verlauf
history-about = Wer wann was getan hat, das Neueste zuerst. Was gesagt oder gespeichert wurde, steht hier nicht.
history-filter = Filter
history-agent = App
history-anyone = Alle
history-what = Was
history-everything = Alles
history-day = Tag (UTC)
history-day-local = Tag
history-show = Anzeigen
history-show-all = Alles anzeigen
history-no-match = Kein Eintrag passt dazu.
history-empty = Hier gibt es keine Einträge.
history-pages = Seiten des Verlaufs
history-newest = Neueste Einträge
history-newer = Neuere Einträge
history-older = Ältere Einträge
history-oldest = Älteste Einträge
history-csv = Als CSV herunterladen
history-receipt = Beleg

# Worum es in einem Eintrag geht.
history-kind-told = Was Apps erfahren haben
history-kind-saved = Was Apps gespeichert haben
history-kind-access = Änderungen des Zugriffs
history-kind-yours = Berichtigungen, Löschungen und Downloads

# Die Spalten der Datei.
history-column-time = Zeit
history-column-what = was geschah
history-column-kinds = Arten
history-column-times = wie oft
history-column-action = Vorgang
history-column-actor = durch
history-column-agent = App
history-column-agent-id = Kennung der App
history-column-outcome = Ergebnis
history-column-facts = Fakten

# Wer.
history-you = Sie haben
history-agent-named = { $agent } hat
history-agent-unnamed = Eine App hat
history-developer = Ein Entwickler hat
history-operator = Der Betreiber dieses Dienstes hat
# Eine App im Satz.
history-the-agent = { $agent }
history-some-agent = einer App

# Ein Eintrag und was auf seinen Satz folgen kann.
history-line = { $sentence }.
history-line-times = { $sentence }, { $times }-mal.
history-not-granted = { $sentence }; Sie erlauben nicht: { $kinds }
history-not-in-key = { $sentence }; der Schlüssel erreicht nicht: { $kinds }
history-made-room =
    { $sentence }; { $count ->
        [one] dafür wurde 1 Fakt entfernt, um Platz zu schaffen
       *[other] dafür wurden { $count } Fakten entfernt, um Platz zu schaffen
    }
history-until = { $sentence }, bis { $when }
history-kinds = { $kinds }
history-may = Darf lesen und schreiben: { $kinds }

# Was sie getan haben.
history-told = { $who } erfahren, was sie über Sie wissen darf
history-told-denied = { $who } nach Ihnen gefragt und nichts erfahren: kein Zugriff
history-told-failed = { $who } nach Ihnen gefragt und keine Antwort bekommen
history-told-nothing = { $who } nach Ihnen gefragt; es gab nichts mitzuteilen
history-read = { $who } die Fakten über Sie gelesen, die sie lesen darf
history-read-nothing = { $who } die Fakten über Sie lesen wollen; es gab keine
history-read-failed = { $who } versucht, die Fakten über Sie zu lesen; das ist fehlgeschlagen
history-read-denied = { $who } versucht, die Fakten über Sie zu lesen; das wurde abgelehnt
history-searched = { $who } die Fakten über Sie durchsucht, die sie lesen darf
history-searched-nothing = { $who } die Fakten über Sie durchsucht und keine gefunden
history-search-failed = { $who } versucht, die Fakten über Sie zu durchsuchen; das ist fehlgeschlagen
history-search-denied = { $who } versucht, die Fakten über Sie zu durchsuchen; das wurde abgelehnt
history-changed = { $who } über Sie { $changes }
history-changes-and = { $first } und { $last }
history-added =
    { $count ->
        [one] 1 Fakt gespeichert
       *[other] { $count } Fakten gespeichert
    }
history-replaced =
    { $count ->
        [one] 1 Fakt ersetzt
       *[other] { $count } Fakten ersetzt
    }
history-removed =
    { $count ->
        [one] 1 Fakt entfernt
       *[other] { $count } Fakten entfernt
    }
history-saved-some =
    { $count ->
        [one] { $who } über Sie 1 Fakt gespeichert, ersetzt oder entfernt
       *[other] { $who } über Sie { $count } Fakten gespeichert, ersetzt oder entfernt
    }
history-saved-nothing = { $who } eine Nachricht geschickt; es wurde nichts gespeichert
history-learned-nothing = { $who } nichts Neues über Sie erfahren
history-save-denied = { $who } versucht, etwas über Sie zu speichern; das wurde abgelehnt
history-save-limit = { $who } eine Nachricht geschickt; es wurde nichts gespeichert, weil das Kontingent aufgebraucht ist
history-save-failed = { $who } eine Nachricht geschickt; wegen eines Fehlers wurde nichts gespeichert
history-own-access = den eigenen Zugriff
history-access-of = den Zugriff von { $agent }
history-grant-denied = { $who } versucht, { $access } festzulegen; das wurde abgelehnt
history-granted-first = { $who } durch die erste Anfrage Zugriff bekommen
history-granted-narrowed = { $who } den eigenen Zugriff eingeschränkt
history-granted-renewed = { $who } den eigenen abgelaufenen Zugriff erneuert
history-granted-own = { $who } den eigenen Zugriff festgelegt
history-granted-own-changed = { $who } den eigenen Zugriff geändert
history-granted = { $who } { $agent } Zugriff gegeben
history-granted-paused = { $who } den Zugriff von { $agent } pausiert
history-granted-resumed = { $who } { $agent } nach einer Pause wieder Zugriff gegeben
history-granted-changed = { $who } den Zugriff von { $agent } geändert
history-revoked = { $who } { $access } beendet
history-revoke-denied = { $who } versucht, { $access } zu beenden; das wurde abgelehnt
history-refused = { $who } { $agent } den Zugriff verweigert
history-paused = { $who } jeden Zugriff pausiert
history-resumed = { $who } die Pause aller Zugriffe beendet
history-asks-first = { $who } festgelegt, dass neue Apps zuerst fragen müssen
history-asks-by-mode = { $who } festgelegt, dass neue Apps nicht fragen müssen
history-auto-delete-set = { $who } festgelegt, wie lange Fakten bleiben
history-auto-deleted =
    { $count ->
        [one] Ein Fakt wurde gelöscht, weil er so alt war, wie Sie festgelegt hatten
       *[other] { $count } Fakten wurden gelöscht, weil sie so alt waren, wie Sie festgelegt hatten
    }
history-signed-out-everywhere = { $who } sich überall abgemeldet
history-profile = { $who } geändert, was über { $agent } mitgeteilt wird
history-erased =
    { $count ->
        [one] { $who } alles gelöscht, was über Sie gespeichert war: 1 Fakt
       *[other] { $who } alles gelöscht, was über Sie gespeichert war: { $count } Fakten
    }
history-reapplied = { $who } eine Sicherung zurückgespielt und erneut angewandt, was Sie seitdem entschieden hatten
history-erase-denied = { $who } versucht, alles zu löschen; das wurde abgelehnt
history-fact-added = { $who } einen Fakt hinzugefügt
history-fact-corrected = { $who } einen Fakt berichtigt
history-facts-deleted =
    { $count ->
        [one] { $who } einen Fakt gelöscht
       *[other] { $who } { $count } Fakten gelöscht
    }
history-fact-delete-denied = { $who } versucht, einen Fakt zu löschen; das wurde abgelehnt
history-fact-delete-failed = { $who } versucht, einen Fakt zu löschen; das ist fehlgeschlagen
history-facts-restored =
    { $count ->
        [one] { $who } das Löschen rückgängig gemacht: 1 Fakt
       *[other] { $who } das Löschen rückgängig gemacht: { $count } Fakten
    }
history-kind-deleted =
    { $count ->
        [one] { $who } alle Fakten einer Art gelöscht: 1 Fakt
       *[other] { $who } alle Fakten einer Art gelöscht: { $count } Fakten
    }
history-exported =
    { $count ->
        [one] { $who } eine Kopie von 1 Fakt heruntergeladen
       *[other] { $who } eine Kopie von { $count } Fakten heruntergeladen
    }
history-signed-in = { $who } sich angemeldet
history-sign-in-failed = { $who } ohne Erfolg versucht, sich anzumelden
history-agent-created = { $who } die App { $agent } angelegt
history-agent-renamed = { $who } eine App umbenannt; sie heißt jetzt { $agent }
history-agent-deleted = { $who } die App { $agent } gelöscht
history-key-created = { $who } einen Schlüssel für { $agent } erstellt
history-key-revoked = { $who } einen Schlüssel von { $agent } widerrufen
history-key-replaced = { $who } einen Schlüssel von { $agent } ersetzt
history-password = { $who } ein Passwort geändert
history-second-factor = { $who } einen zweiten Faktor geändert
history-team-invited = { $who } jemanden in ein Team eingeladen
history-team-invitation-withdrawn = { $who } eine Einladung in ein Team zurückgezogen
history-team-joined = { $who } sich einem Team angeschlossen
history-team-left = { $who } ein Team verlassen
history-team-member-removed = { $who } jemanden aus einem Team entfernt
history-team-handed-over = { $who } ein Team übergeben
