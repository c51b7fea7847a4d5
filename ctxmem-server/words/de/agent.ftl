# Die Seite eines Agenten.

agent-about = Agent { $id }, angelegt { $when }
agent-updates-month = Updates in diesem Monat (UTC)
agent-updates-month-no-quota = Updates in diesem Monat (UTC); es gibt kein Kontingent
agent-quota-used = Verbrauchte Updates vom Kontingent dieses Monats
agent-users = Benutzer, die ihm jetzt Zugriff geben
agent-keys-live = gültige Schlüssel
agent-keys = Schlüssel
agent-no-key = Er hat keinen Schlüssel.
agent-keys-table = Tabelle der Schlüssel
agent-key = Schlüssel
agent-key-scopes = Scopes
agent-key-created = Erstellt
agent-key-last-used = Zuletzt verwendet
agent-key-state = Zustand
agent-key-replace = Ersetzen
agent-key-replace-label = Schlüssel ersetzen: { $key }
agent-key-revoke = Widerrufen
agent-key-revoke-label = Schlüssel widerrufen: { $key }
agent-key-try = Testen
agent-key-try-label = Schlüssel testen: { $key }
agent-new-key = Noch einen Schlüssel erstellen
agent-new-key-name = Name des Schlüssels
agent-new-key-name-hint = Freiwillig, zum Beispiel „Produktion“. Nur Ihr Team sieht ihn.
agent-new-key-expires = Läuft ab
agent-new-key-in =
    { $days ->
        [0] nie
        [365] in einem Jahr
       *[other] in { $days } Tagen
    }
agent-new-key-do = Schlüssel erstellen
agent-usage = Die letzten 30 Tage
agent-usage-about = Nach Tagen in UTC. Die neuesten Aufrufe erscheinen innerhalb einer Minute.
agent-requests = Anfrageprotokoll: Antworten, Fehler und Zeiten
agent-name = Name
agent-name-hint = Benutzer sehen ihn, wenn sie über den Zugriff entscheiden, und in ihrem Verlauf.
agent-rename = Umbenennen
agent-profile = Was Benutzer erfahren
agent-profile-about = Benutzer sehen dies, die Adresse Ihres Teams und den Namen, wenn sie über den Zugriff entscheiden, unter { $page }.
agent-purpose = Zweck
agent-purpose-hint = Wozu er da ist, in einem Satz.
agent-website = Website
agent-website-hint = Eine Seite über ihn.
agent-website-verified = { $host } bestätigt, dass dieser Agent dazugehört; geprüft { $when }. Benutzer sehen das neben der Adresse. Beim Speichern wird erneut geprüft.
agent-website-unverified = Benutzer sehen, dass niemand diese Website geprüft hat. Damit sie geprüft wird, schreiben Sie die Zeile { $line } in { $address } und speichern Sie noch einmal.
agent-privacy = Datenschutzerklärung
agent-privacy-hint = Was Sie mit dem tun, was er liest.
agent-return = Rücksprungadresse
agent-return-hint = Wohin Benutzer zurückgehen, nachdem sie entschieden haben: eine https-Adresse oder eine auf localhost.
agent-needs = Was er braucht, und warum
agent-needs-about = Benutzer finden diese Scopes angekreuzt, mit Ihrer Begründung daneben. Lassen Sie die Begründung leer, wenn der Agent auch ohne auskommt.
agent-save = Speichern
agent-delete = Diesen Agenten löschen
agent-delete-about = Seine Schlüssel funktionieren sofort nicht mehr. Das kann nicht rückgängig gemacht werden. Benutzer behalten, was über sie gespeichert ist, und sehen den Namen des Agenten weiterhin.
agent-delete-confirm = Geben Sie zur Bestätigung seinen Namen ein: { $agent }
agent-delete-do = Agenten löschen
agent-not-deleted = Das ist nicht der Name des Agenten. Es wurde nichts gelöscht.
