# Die Seite eines Fehlers und die Seite, die ein Formular zurückgibt.

error-bad-request = Diese Anfrage kann nicht ausgeführt werden
error-bad-request-advice = Es wurde nichts geändert. Gehen Sie zurück, berichtigen Sie, was oben genannt ist, und senden Sie es noch einmal.
error-conflict = Seit Sie nachgesehen haben, hat sich etwas geändert
error-conflict-advice = Es wurde nichts geändert. Sehen Sie sich den jetzigen Stand an und entscheiden Sie dann.
error-somebody-else-advice = Es wurde nichts geändert. Die Übersicht zeigt das Konto, das jetzt angemeldet ist.
error-signed-out = Sie sind nicht angemeldet
error-signed-out-advice = Es wurde nichts geändert. Melden Sie sich noch einmal an. Sitzungen enden nach einer Stunde ohne Nutzung, spätestens nach zwölf Stunden.
error-forbidden = Das ist nicht erlaubt
error-forbidden-advice = Es wurde nichts geändert. Wenn Sie einem Link von einer anderen Website gefolgt sind, öffnen Sie die Seite hier und versuchen Sie es von dort aus.
error-not-found = Hier ist nichts
error-not-found-advice = Vielleicht ist die Adresse falsch geschrieben, oder was hier war, gibt es nicht mehr. Die Übersicht zeigt, was es jetzt gibt.
error-method = Das kann diese Seite nicht
error-method-advice = Beginnen Sie bei der Übersicht.
error-too-large = Das ist mehr, als dieser Server annimmt
error-too-large-advice = Es wurde nichts geändert. Senden Sie weniger auf einmal.
error-too-many = Zu viele Versuche
error-too-many-advice = Es wurde nichts geändert. Warten Sie eine Minute und versuchen Sie es dann noch einmal.
error-ours = Bei uns ist etwas schiefgegangen
error-ours-advice = Vielleicht wurde nichts davon wirksam. Sehen Sie in der Übersicht nach und versuchen Sie es gleich noch einmal.

# Ein Formular, das zurückkommt.
again-check = Bitte prüfen Sie Ihre Eingabe
again-signed-out = Ihre Sitzung ist beendet
again-signed-out-text = Es wurde nichts geändert. Was Sie eingegeben haben, steht noch hier.
again-somebody-else = Sie sind jetzt als jemand anderes angemeldet
again-somebody-else-text = Dieses Formular war für ein anderes Konto bestimmt, deshalb wurde nichts geändert.
again-sign-in-user = { $begin }Melden Sie sich noch einmal an (öffnet einen neuen Tab){ $end }, oder öffnen Sie in diesem Browser einen neuen Anmeldelink.
again-sign-in = { $begin }Melden Sie sich noch einmal an (öffnet einen neuen Tab){ $end }.
again-come-back = Kommen Sie auf diese Seite zurück und senden Sie das Formular noch einmal.
again-send = Noch einmal senden
again-copy = Kopieren Sie Ihre Eingabe, wenn Sie sie brauchen. Um sie zu senden, melden Sie sich als die Person an, für die sie bestimmt war, und geben Sie sie dort ein.
again-name = Name
again-label = Für wen ist sie?
again-value = Fakt
again-user = Testbenutzer
again-base-prompt = Ausgangs-Prompt
again-message = Nachricht des Benutzers
again-answer = Antwort des Agenten
again-scope = Darf lesen und schreiben
again-expires-at = Bis (Datum und Uhrzeit in UTC)
again-expires-at-local = Bis (Datum und Uhrzeit)
again-expires-in = Läuft ab nach (Tage; leer: nie)
again-confirm = Ja, ich bin sicher
