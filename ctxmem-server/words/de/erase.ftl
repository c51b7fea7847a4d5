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
erase-no-agents = Zurzeit hat kein Agent Zugriff.
erase-agents = Diese Agenten verlieren den Zugriff: { $agents }.
erase-kept-out = Auch die Liste der Fakten, die nicht noch einmal gespeichert werden sollen, wird gelöscht.
erase-at-once = Sobald die Seite antwortet, sind die Fakten gelöscht, und der Schlüssel, unter dem sie gespeichert waren, ist vernichtet. Das kann nicht rückgängig gemacht werden.
erase-stays = Was bleibt
erase-stays-log-days =
    { $days ->
        [one] Ein Protokoll darüber, wer wann was getan hat, jeder Eintrag einen Tag lang. Es enthält nichts, was gesagt oder gespeichert wurde. Der Beleg ist einer seiner Einträge.
       *[other] Ein Protokoll darüber, wer wann was getan hat, jeder Eintrag { $days } Tage lang. Es enthält nichts, was gesagt oder gespeichert wurde. Der Beleg ist einer seiner Einträge.
    }
erase-stays-log = Ein Protokoll darüber, wer wann was getan hat, solange es diesen Dienst gibt. Es enthält nichts, was gesagt oder gespeichert wurde. Der Beleg ist einer seiner Einträge.
erase-stays-pseudonym = Das Protokoll nennt Ihren Namen nicht. Es verwendet einen Code, der mit einem geheimen Schlüssel dieses Dienstes aus Ihrer Benutzerkennung berechnet ist. Es ist also pseudonym, nicht anonym: Wer diesen Dienst betreibt und Ihre Benutzerkennung kennt, kann den Code erneut berechnen und die Einträge finden.
erase-stays-answers = Einen Tag lang: dass eine Anfrage beantwortet wurde, damit dieselbe Anfrage nicht zweimal ausgeführt wird; nicht, was geantwortet wurde.
erase-stays-backups = Sicherungskopien, falls der Betreiber dieses Dienstes welche hat. Was darin über Sie steht, lässt sich nur lesen, solange auch eine ältere Kopie Ihres Schlüssels aufbewahrt wird.
erase-stays-agents = Was Agenten selbst aufbewahrt haben. Fragen Sie deren Entwickler.
erase-download-first = Vielleicht möchten Sie vorher { $begin }alles herunterladen{ $end }.

# Der Beleg.
receipt-title = Beleg
receipt-heading = Alles wurde gelöscht
receipt-by = Gelöscht durch
receipt-by-you = Sie selbst
receipt-by-agent = { $agent }
receipt-by-some-agent = Einen Agenten
receipt-by-developer = Einen Entwickler
receipt-by-operator = Den Betreiber dieses Dienstes
receipt-when = Wann
receipt-facts = Gelöschte Fakten
receipt-facts-kinds = { $facts } ({ $kinds })
receipt-agents = Agenten, die den Zugriff verloren haben
receipt-number = Nummer
receipt-gone = Die Fakten sind gelöscht, und der Schlüssel, unter dem sie gespeichert waren, ist vernichtet: Keine alte Kopie davon lässt sich lesen.
receipt-stays-days =
    { $days ->
        [one] Dieser Beleg bleibt einen Tag lang in Ihrem Verlauf.
       *[other] Dieser Beleg bleibt { $days } Tage lang in Ihrem Verlauf.
    }
receipt-stays = Dieser Beleg bleibt in Ihrem Verlauf.
receipt-pseudonym = Er nennt Ihren Namen nicht. Er verwendet einen Code, der mit einem geheimen Schlüssel dieses Dienstes aus Ihrer Benutzerkennung berechnet ist. Nur wer den Dienst betreibt und Ihre Benutzerkennung kennt, kann ihn finden.
receipt-must-ask = Kein Agent bekommt wieder Zugriff, wenn Sie es nicht erlauben. Ein Agent, der anfragt, muss Sie zuerst fragen, in { $begin }Ihrem Konto{ $end }.
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
receipt-text-pseudonym = Der Eintrag nennt niemanden. Er verwendet einen Code, der mit einem geheimen Schlüssel dieses Dienstes aus der Benutzerkennung berechnet ist. Wer den Dienst betreibt und die Benutzerkennung kennt, kann den Code erneut berechnen und den Eintrag finden. Auch diese Datei nennt Sie nicht.
