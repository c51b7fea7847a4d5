# Welche Apps Zugriff haben und was jemand über alle Apps entscheidet.

access-title = Apps
access-have = Mit Zugriff
access-had = Ohne Zugriff
access-back = Zurück zu den Apps
access-none = Keine App hat oder hatte jemals Zugriff auf Ihr Gedächtnis.
access-about = Jede App liest und schreibt nur, was für sie angekreuzt ist. Ist etwas angekreuzt, kann sie auch alles löschen, was über Sie gespeichert ist, zum Beispiel wenn Sie die App darum bitten. Änderungen gelten sofort.
access-active = hat Zugriff
access-paused = pausiert
access-idle = kann nichts verwenden
access-expired = abgelaufen
access-refused = abgelehnt
access-revoked = entzogen
access-agent-deleted = vom Entwickler gelöscht
access-since = seit { $when }
access-since-until = seit { $when }, bis { $end }
access-last-used = zuletzt verwendet { $when }
access-website = { $host } (bestätigt)
access-never-used = noch keine Nutzung verzeichnet
access-reach = Darf lesen und schreiben: { $kinds }.
access-reach-all = Darf alles lesen und schreiben.
access-reach-nothing = Die App hat keinen Zugriff. Kreuzen Sie einen Bereich an, um ihr Zugriff zu geben.
access-reach-idle = Die Schlüssel der App reichen an nichts von dem heran, was Sie erlauben. Die App kann nichts lesen, schreiben oder löschen.
access-after-pause = Nach der Pause: { $reach }
access-out-of-reach = Die Schlüssel der App reichen nicht heran an: { $kinds }.
access-no-key = Die App hat zurzeit keinen Schlüssel. Deshalb gibt es nichts, was man ihr erlauben könnte.
access-change = Ändern, was die App darf
access-allow-again = Wieder erlauben …
access-may = Darf lesen und schreiben
access-may-hint = Ist nichts angekreuzt, hat die App keinen Zugriff.
access-until = Bis
access-until-hint = Datum und Uhrzeit in UTC. Leer lassen, wenn der Zugriff nicht enden soll.
access-until-hint-local = Datum und Uhrzeit bei Ihnen. Leer lassen, wenn der Zugriff nicht enden soll.
access-save = Speichern
access-save-label = Speichern: Zugriff von { $agent }
access-allow-again-label = Wieder erlauben: Zugriff von { $agent }
access-preview = Vorschau: was diese App sieht
access-preview-label = Vorschau, was diese App sieht: { $agent }
access-revoke = Entziehen
access-revoke-label = Zugriff entziehen: { $agent }

# Alle Apps.
access-all-paused = Alles ist pausiert
access-all-paused-about = Seit { $when } bekommt keine App etwas aus Ihrem Gedächtnis, und keine kann etwas speichern oder löschen. Ihre Entscheidungen bleiben für später erhalten.
access-resume = Pause beenden
access-new = Neu, seit Sie zuletzt hier waren
access-new-about =
    { $count ->
        [one] Diese App nutzt Ihr Gedächtnis, ohne Sie gefragt zu haben:
       *[other] Diese Apps nutzen Ihr Gedächtnis, ohne Sie gefragt zu haben:
    }
access-new-seen = Verstanden
access-asks = { $agent } bittet um Zugriff
access-waiting = wartet auf Sie
access-asked-once = hat einmal gefragt, { $first }
access-asked-often = hat { $times }-mal gefragt, zuerst { $first }, zuletzt { $last }
access-gets-nothing = Die App bekommt nichts, bis Sie es erlauben.
access-decide = Entscheiden …
access-decide-label = Entscheiden: { $agent }
access-all = Alle Apps
access-pause = Alles pausieren
access-pause-about = Keine App bekommt, speichert oder löscht etwas, bis Sie die Pause beenden.
access-always-asks = Neue Apps müssen Sie hier fragen, bevor sie Zugriff bekommen.
access-let-in = Neue Apps ohne Frage zulassen
access-let-in-about = Zurzeit müssen neue Apps Sie fragen.
access-ask-first = Neue Apps müssen mich fragen
access-mode-auto = Zurzeit bekommt jede verbundene App automatisch Zugriff.
access-mode-own = Zurzeit bekommen Apps von Entwicklern, denen Sie schon einmal Zugriff erlaubt haben, automatisch Zugriff.
