# Alles löschen: was die Seite vorher sagt, und der Beleg.

erase-title = Alles löschen
# Was man eintippen muss, damit niemand aus Versehen alles löscht.
erase-word = löschen
erase-nothing-deleted = Es wurde nichts gelöscht. Geben Sie das Wort „{ $word }“ ein.
erase-type-word = Geben Sie zur Bestätigung das Wort „{ $word }“ ein
erase-wrong = Geben Sie das Wort „{ $word }“ ein.
erase-deleted = Was gelöscht wird
erase-no-facts = Zurzeit ist nichts über Sie gespeichert.
erase-kind = Art
erase-facts = Fakten
erase-total = Gesamt
erase-no-agents = Zurzeit hat keine App Zugriff.
erase-agents = Diese Apps verlieren den Zugriff: { $agents }.
erase-kept-out = Auch die Liste der Fakten, die nicht noch einmal gespeichert werden sollen, wird gelöscht.
erase-at-once = Alles wird sofort gelöscht. Das lässt sich nicht rückgängig machen.
erase-stays = Was bleibt
erase-stays-log-days =
    { $days ->
        [one] Ein Protokoll darüber, wer wann was getan hat, jeder Eintrag einen Tag lang. Es enthält nichts, was gesagt oder gespeichert wurde. Der Beleg ist einer seiner Einträge.
       *[other] Ein Protokoll darüber, wer wann was getan hat, jeder Eintrag { $days } Tage lang. Es enthält nichts, was gesagt oder gespeichert wurde. Der Beleg ist einer seiner Einträge.
    }
erase-stays-log = Ein Protokoll darüber, wer wann was getan hat, solange es diesen Dienst gibt. Es enthält nichts, was gesagt oder gespeichert wurde. Der Beleg ist einer seiner Einträge.
erase-stays-pseudonym = Das Protokoll enthält Ihren Namen nicht. Wer diesen Dienst betreibt, kann Ihre Einträge trotzdem finden, wenn er Ihre Benutzerkennung kennt.
erase-stays-answers = Für 24 Stunden: dass eine Anfrage bearbeitet wurde, aber nicht, was darin stand. So wird sie nicht zweimal ausgeführt.
erase-stays-backups = Sicherungskopien, falls der Betreiber dieses Dienstes welche aufbewahrt. Was sie über Sie enthalten, kann nicht mehr gelesen werden, außer es wird auch eine ältere Kopie Ihres Schlüssels aufbewahrt.
erase-stays-agents = Kopien, die Apps selbst angelegt haben. Fragen Sie deren Entwickler.
erase-download-first = Vielleicht möchten Sie vorher { $begin }alles herunterladen{ $end }.

# Der Beleg.
receipt-title = Beleg
receipt-heading = Alles wurde gelöscht
receipt-by = Gelöscht durch
receipt-by-you = Sie selbst
receipt-by-agent = { $agent }
receipt-by-some-agent = Eine App
receipt-by-developer = Einen Entwickler
receipt-by-operator = Den Betreiber dieses Dienstes
receipt-when = Wann
receipt-facts = Gelöschte Fakten
receipt-facts-kinds = { $facts } ({ $kinds })
receipt-agents = Apps, die den Zugriff verloren haben
receipt-number = Nummer
receipt-gone = Die Fakten sind gelöscht.
receipt-stays-days =
    { $days ->
        [one] Dieser Beleg bleibt einen Tag lang in Ihrem Verlauf.
       *[other] Dieser Beleg bleibt { $days } Tage lang in Ihrem Verlauf.
    }
receipt-stays = Dieser Beleg bleibt in Ihrem Verlauf.
receipt-must-ask = Keine App bekommt wieder Zugriff, wenn Sie es nicht erlauben. Eine App, die anfragt, muss Sie zuerst fragen, in { $begin }Ihrem Konto{ $end }.
receipt-download = Diesen Beleg herunterladen
receipt-print = Um ihn auf Papier aufzubewahren, drucken Sie diese Seite.

# Der Beleg als Textdatei.
receipt-text-title = Beleg über die Löschung von allem, was über eine Person gespeichert war
receipt-text-line = { $label }: { $value }
receipt-text-when = { $when } ({ $exact })
receipt-text-days =
    { $days ->
        [one] Das Protokoll bewahrt diesen Eintrag einen Tag lang auf.
       *[other] Das Protokoll bewahrt diesen Eintrag { $days } Tage lang auf.
    }
receipt-text-forever = Das Protokoll bewahrt diesen Eintrag auf, solange es diesen Dienst gibt.
receipt-text-pseudonym = Er enthält keinen Namen. Wer den Dienst betreibt, kann ihn trotzdem finden, wenn er die Benutzerkennung kennt. Auch diese Datei nennt Sie nicht.
