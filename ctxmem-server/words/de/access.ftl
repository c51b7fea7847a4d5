# Welche Agenten Zugriff haben und was jemand über alle Agenten entscheidet.

access-title = Apps
access-have = Mit Zugriff
access-had = Ohne Zugriff
access-back = Zurück zu den Apps
access-none = Kein Agent hat oder hatte jemals Zugriff auf Ihr Gedächtnis.
access-about = Eine App oder ein Assistent mit Ihrem Gedächtnis heißt hier Agent. Ein Agent liest und schreibt nur, was für ihn angekreuzt ist. Ist etwas angekreuzt, kann er auch alles löschen, was über Sie gespeichert ist, zum Beispiel wenn Sie ihn darum bitten. Änderungen gelten sofort.
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
access-never-used = nie verwendet
access-reach = Darf lesen und schreiben: { $kinds }.
access-reach-all = Darf alles lesen und schreiben.
access-reach-nothing = Er hat keinen Zugriff. Kreuzen Sie einen Bereich an, um ihm Zugriff zu geben.
access-reach-idle = Seine Schlüssel reichen an nichts von dem heran, was Sie erlauben. Er kann nichts lesen, schreiben oder löschen.
access-after-pause = Nach der Pause: { $reach }
access-out-of-reach = Seine Schlüssel reichen nicht heran an: { $kinds }.
access-no-key = Er hat zurzeit keinen Schlüssel. Deshalb gibt es nichts, was man ihm erlauben könnte.
access-change = Ändern, was er darf
access-allow-again = Wieder erlauben …
access-may = Darf lesen und schreiben
access-may-hint = Ist nichts angekreuzt, hat er keinen Zugriff.
access-until = Bis
access-until-hint = Datum und Uhrzeit in UTC. Leer lassen, wenn der Zugriff nicht enden soll.
access-until-hint-local = Datum und Uhrzeit bei Ihnen. Leer lassen, wenn der Zugriff nicht enden soll.
access-save = Speichern
access-save-label = Speichern: Zugriff von { $agent }
access-allow-again-label = Wieder erlauben: Zugriff von { $agent }
access-preview = Vorschau: was dieser Agent sieht
access-preview-label = Vorschau, was dieser Agent sieht: { $agent }
access-revoke = Entziehen
access-revoke-label = Zugriff entziehen: { $agent }

# Alle Agenten.
access-all-paused = Alles ist pausiert
access-all-paused-about = Seit { $when } bekommt kein Agent etwas aus Ihrem Gedächtnis, und keiner kann etwas speichern oder löschen. Ihre Entscheidungen bleiben für später erhalten.
access-resume = Pause beenden
access-new = Neu, seit Sie zuletzt hier waren
access-new-about =
    { $count ->
        [one] Dieser Agent nutzt Ihr Gedächtnis, ohne Sie gefragt zu haben:
       *[other] Diese Agenten nutzen Ihr Gedächtnis, ohne Sie gefragt zu haben:
    }
access-new-seen = Verstanden
access-asks = { $agent } bittet um Zugriff
access-waiting = wartet auf Sie
access-asked-once = hat einmal gefragt, { $first }
access-asked-often = hat { $times }-mal gefragt, zuerst { $first }, zuletzt { $last }
access-gets-nothing = Er bekommt nichts, bis Sie es erlauben.
access-decide = Entscheiden …
access-decide-label = Entscheiden: { $agent }
access-all = Alle Agenten
access-pause = Alles pausieren
access-pause-about = Kein Agent bekommt, speichert oder löscht etwas, bis Sie die Pause beenden.
access-always-asks = Neue Agenten müssen Sie hier fragen, bevor sie Zugriff bekommen.
access-let-in = Neue Agenten ohne Frage zulassen
access-let-in-about = Zurzeit müssen neue Agenten Sie fragen.
access-ask-first = Neue Agenten müssen mich fragen
access-mode-auto = Zurzeit bekommt jeder verbundene Agent automatisch Zugriff.
access-mode-own = Zurzeit bekommen Agenten von Entwicklern, denen Sie schon einmal Zugriff erlaubt haben, automatisch Zugriff.
