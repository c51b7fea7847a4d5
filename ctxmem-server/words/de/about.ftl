# Die Seite, die sagt, wer den Dienst betreibt und was er tut.

about-title = Über diesen Dienst
about-intro = KI-Apps können sich merken, was Sie ihnen sagen. Dieser Dienst bewahrt diese Fakten für die Apps auf, die Sie verwenden, und lässt Sie entscheiden, welche App welche davon verwenden darf.
about-who = Wer ihn betreibt
about-operator = { $operator } betreibt diesen Dienst und ist verantwortlich für das, was hier gespeichert ist.
about-no-operator = Der Betreiber hat hier keinen Namen angegeben. Fragen Sie, wer Ihnen den Zugang zu diesem Dienst gegeben hat.
about-contact = Kontakt:
about-privacy = Datenschutzerklärung
about-purpose = Wozu er da ist
about-mode-auto = Jede App, die hier angeschlossen ist, bekommt mit ihrer ersten Anfrage Zugriff, ohne Sie vorher zu fragen. Das können Sie in Ihrem Konto ändern.
about-mode-own = Apps von Entwicklern, denen Sie schon einmal Zugriff erlaubt haben, und die allererste App bekommen mit ihrer ersten Anfrage Zugriff. Alle anderen müssen Sie vorher fragen.
about-mode-ask = Eine App muss Sie fragen, bevor sie Zugriff bekommt.
about-purpose-text = Eine App mit Zugriff bekommt die Fakten, die Sie freigeben, bevor sie Ihnen antwortet. Sie kann neue Fakten speichern, die Sie in einem Gespräch nennen, und alles löschen, was über Sie gespeichert ist, zum Beispiel wenn Sie die App darum bitten. Die Gespräche selbst werden hier nicht aufbewahrt.
about-how-long = Wie lange etwas aufbewahrt wird
about-facts = Fakten: bis Sie sie löschen, ein neuerer Fakt sie ersetzt oder ihre Liste voll ist.
about-access = Welche Apps sie verwenden dürfen: bis Sie den Zugriff entziehen oder er abläuft. Frühere Zugriffe bleiben in Ihrem Konto aufgelistet.
about-log-days =
    { $days ->
        [one] Der Verlauf darüber, wer wann was getan hat: einen Tag. Er enthält keine Fakten. Wenn Sie alles löschen, bleibt er erhalten, unter einer Nummer, die Sie nicht nennt.
       *[other] Der Verlauf darüber, wer wann was getan hat: { $days } Tage. Er enthält keine Fakten. Wenn Sie alles löschen, bleibt er erhalten, unter einer Nummer, die Sie nicht nennt.
    }
about-log = Der Verlauf darüber, wer wann was getan hat: unbegrenzt. Er enthält keine Fakten. Wenn Sie alles löschen, bleibt er erhalten, unter einer Nummer, die Sie nicht nennt.
about-answers = Antworten an Apps, damit eine wiederholte Anfrage nur einmal zählt: 24 Stunden.
about-sessions = Ihre Sitzung: Sie endet nach einer Stunde ohne Nutzung, spätestens nach zwölf Stunden. Cookies dienen nur der Anmeldung, Mitteilungen zwischen Seiten und der Sprache, die Sie wählen.
about-rights = Was Sie tun können
about-see = Jeden Fakt ansehen, wer ihn wann gespeichert hat, und genau den Text, den eine App bekommt.
about-correct = Fakten berichtigen, hinzufügen und löschen.
about-limit = Den Zugriff jeder App ändern, einschränken oder entziehen.
about-download = Alles in einer Datei herunterladen, die andere Programme lesen können.
about-delete = Alles löschen. Das lässt sich nicht rückgängig machen.
about-where-contact = All das können Sie in { $begin }Ihrem Konto{ $end } tun. Für alles andere, zum Beispiel eine Beschwerde, verwenden Sie den Kontakt oben.
about-where = All das können Sie in { $begin }Ihrem Konto{ $end } tun. Für alles andere, zum Beispiel eine Beschwerde, wenden Sie sich an den Betreiber.
