# Die Seite eines Schlüssels.

key-title = Schlüssel von { $agent }
key-title-new = Neuer Schlüssel von { $agent }
key-copy-now = Kopieren Sie den Schlüssel jetzt. Er wird nur dieses eine Mal gezeigt, und gespeichert ist nur ein Hash davon.
key-the-key = Der Schlüssel
key-copy = Schlüssel kopieren
key-allows = Erlaubt { $scopes }
key-allows-until = Erlaubt { $scopes }; läuft ab: { $when }
key-try = Ausprobieren
key-try-about = Setzen Sie zuerst die Umgebung. Jedes der Programme unten liest die Adresse des Dienstes und den Schlüssel daraus.
key-copy-environment = Umgebung kopieren
key-needs-curl = In einer Shell, in der die Umgebung gesetzt ist.
key-needs-rust = Mit dem Client für Rust, der auch Anfragen wiederholt und Ihren Agenten nie warten lässt.
key-needs-python = Reines HTTP: braucht nichts außer Python 3.
key-needs-typescript = Reines HTTP: braucht nur eine Laufzeitumgebung mit fetch, zum Beispiel Node.js 18, Deno oder Bun.
key-copy-program = Kopieren
key-copy-program-label = Kopieren: { $language }
key-stored = Ich habe den Schlüssel gespeichert: zum Agenten
key-key = Schlüssel
key-key-scopes = Scopes
key-state = Zustand
key-created = Erstellt
key-last-used = Zuletzt verwendet
key-not-used = noch keine Nutzung verzeichnet
key-shown-once = Der Schlüssel selbst wurde einmal gezeigt, als er erstellt wurde. Wenn Sie ihn nicht haben, ersetzen Sie ihn.
key-replace = Diesen Schlüssel ersetzen
key-replace-about = Sie bekommen einen neuen Schlüssel mit demselben Namen und denselben Scopes. Der alte funktioniert noch eine Weile, damit Sie Ihren Agenten umstellen können.
key-old-stops = Der alte Schlüssel endet
key-immediately = sofort
key-in-an-hour = in einer Stunde
key-in-a-day = in 24 Stunden
key-in-a-week = in 7 Tagen
key-replace-do = Schlüssel ersetzen
key-revoke = Diesen Schlüssel widerrufen
key-revoke-about = Anfragen mit diesem Schlüssel werden sofort abgelehnt. Das kann nicht rückgängig gemacht werden.
key-revoke-do = { $key } widerrufen
key-back = Zurück zu { $agent }

# Der Zustand eines Schlüssels.
key-live = gültig
key-replaced = ersetzt
key-live-until = bis { $when }
key-expired = abgelaufen
key-revoked = widerrufen
