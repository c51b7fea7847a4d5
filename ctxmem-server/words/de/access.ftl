# Welche Agenten Zugriff haben und was jemand über alle Agenten entscheidet.

access-none = Kein Agent hat oder hatte jemals Zugriff auf Ihr Gedächtnis.
access-about = Ein Agent liest und schreibt nur, was für ihn angekreuzt ist. Änderungen gelten sofort.
access-active = hat Zugriff
access-paused = pausiert
access-expired = abgelaufen
access-refused = abgelehnt
access-revoked = entzogen
access-agent-deleted = vom Entwickler gelöscht
access-since = seit { $when }
access-since-until = seit { $when }, bis { $end }
access-last-used = zuletzt verwendet { $when }
access-never-used = nie verwendet
access-reach = Darf lesen und schreiben: { $kinds }.
access-reach-all = Darf alles lesen und schreiben.
access-reach-nothing = Nichts ist angekreuzt. Er kann nichts lesen oder schreiben, bis Sie wieder etwas ankreuzen.
access-change = Ändern, was er darf
access-allow-again = Wieder erlauben
access-may = Darf lesen und schreiben
access-may-hint = Ist nichts angekreuzt, ist der Zugriff pausiert.
access-until = Bis
access-until-hint = Datum und Uhrzeit in UTC. Leer lassen, wenn der Zugriff nicht enden soll.
access-save = Speichern
access-save-label = Speichern: Zugriff von { $agent }
access-allow-again-label = Wieder erlauben: Zugriff von { $agent }
access-preview = Vorschau: was dieser Agent sieht
access-preview-label = Vorschau, was dieser Agent sieht: { $agent }
access-revoke = Entziehen
access-revoke-label = Zugriff entziehen: { $agent }

# Alle Agenten.
access-all-paused = Alles ist pausiert
access-all-paused-about = Seit { $when } bekommt kein Agent etwas aus Ihrem Gedächtnis, und es wird nichts gespeichert. Ihre Entscheidungen bleiben für später erhalten.
access-resume = Pause beenden
access-new = Neu, seit Sie zuletzt hier waren
access-new-about =
    { $count ->
        [one] Dieser Agent hat für Sie angefragt und dadurch Zugriff bekommen, ohne Sie zu fragen:
       *[other] Diese Agenten haben für Sie angefragt und dadurch Zugriff bekommen, ohne Sie zu fragen:
    }
access-new-seen = Zur Kenntnis genommen
access-asks = { $agent } bittet um Zugriff
access-waiting = wartet auf Sie
access-asked-once = hat einmal gefragt, { $first }
access-asked-often = hat { $times }-mal gefragt, zuerst { $first }, zuletzt { $last }
access-gets-nothing = Er bekommt nichts, bis Sie es erlauben.
access-who-is = Wer ist { $agent }?
access-decide = Entscheiden
access-all = Alle Agenten
access-pause = Alles pausieren
access-pause-about = Kein Agent bekommt oder speichert etwas, bis Sie die Pause beenden.
access-always-asks = Neue Agenten müssen Sie hier fragen, bevor sie Zugriff bekommen.
access-let-in = Neue Agenten ohne Frage zulassen
access-let-in-about = Zurzeit müssen neue Agenten Sie fragen.
access-ask-first = Neue Agenten müssen mich fragen
access-mode-auto = Zurzeit bekommt jeder Agent Zugriff, der für Sie anfragt.
access-mode-own = Zurzeit bekommen Agenten von Entwicklern, denen Sie schon einmal Zugriff erlaubt haben, ohne Frage Zugriff.
