# Anmeldung: Links, der Anmeldedienst, Fehler. Auch das Formular der Entwickler steht hier.

sign-in-title = Anmelden
sign-in-about-to = Sie melden sich als { $user } an. Dieser Link funktioniert einmal.
sign-in-do = Anmelden
sign-in-with = Anmelden mit { $service }
sign-in-operator = { $operator } betreibt diesen Dienst.
sign-in-link-over = Dieser Link ist nicht mehr gültig
sign-in-link-over-about = Ein Anmeldelink funktioniert einmal und 15 Minuten lang. Fordern Sie dort einen neuen an, wo Sie diesen bekommen haben.
signed-out-title = Sie sind nicht angemeldet
signed-out-asking = { $agent } bittet um Zugriff auf das, was über Sie gespeichert ist. Melden Sie sich an, um zu entscheiden.
signed-out-about = Melden Sie sich an, um zu sehen, welche Fakten über Sie gespeichert sind und welche Apps sie verwenden können.
signed-out-link-too = Falls Sie einen Anmeldelink bekommen haben, funktioniert auch der.
signed-out-about-link = Öffnen Sie einen Anmeldelink, um zu sehen, welche Fakten über Sie gespeichert sind und welche Apps sie verwenden können. Der Betreiber dieses Dienstes kann einen erstellen.
signed-out-developers = Entwickeln Sie Agenten? { $begin }Melden Sie sich beim Dashboard an{ $end }.

# Warum eine Anmeldung gescheitert ist und was zu tun ist.
sign-in-start = Zurück zum Anfang
sign-in-not-begun = Diese Anmeldung kann nicht abgeschlossen werden
sign-in-not-begun-text = Sie wurde nicht in diesem Browser begonnen, war schon abgeschlossen oder hat länger als zehn Minuten gedauert.
sign-in-not-begun-advice = Gehen Sie zurück zum Anfang und melden Sie sich in einem einzigen Browser noch einmal an. Ihr Browser muss Cookies annehmen.
sign-in-denied = Sie wurden nicht angemeldet
sign-in-denied-text = Der Anmeldedienst hat den Vorgang beendet, ohne Sie anzumelden.
sign-in-denied-advice = Falls Sie nicht selbst abgebrochen haben, fragen Sie den Betreiber Ihres Anmeldedienstes, ob Sie diesen Dienst verwenden dürfen.
sign-in-unverified-text = Was der Anmeldedienst über Sie gesagt hat, konnte nicht überprüft werden.
sign-in-again = Beginnen Sie von hier aus noch einmal.
sign-in-unavailable = Der Anmeldedienst ist nicht erreichbar
sign-in-unavailable-text = Er hat nicht rechtzeitig geantwortet.
sign-in-later = Es wurde nichts geändert. Versuchen Sie es in einer Minute noch einmal. Wenn das nicht hilft, wenden Sie sich an den Betreiber dieses Dienstes, der die Ursache im Protokoll finden kann.
sign-in-bad-answer = Der Anmeldedienst hat unerwartet geantwortet
sign-in-bad-answer-text = Seine Antwort ist nicht verwendbar.
sign-in-no-user = Sie können nicht angemeldet werden
sign-in-no-user-text = Der Anmeldedienst sagt nicht, welcher Benutzer Sie sind: Die Angabe „{ $claim }“ fehlt oder ist keine gültige Benutzerkennung.
sign-in-no-user-advice = Zeigen Sie diesen Text dem Betreiber dieses Dienstes, der das beheben kann.
sign-in-has-account = Sie sind dem Team nicht beigetreten
sign-in-has-account-text = Zu Ihrer Adresse gibt es schon ein Entwicklerkonto, und eine Person kann nur in einem Team sein. Die Einladung kann noch verwendet werden.
sign-in-has-account-advice = Verlassen Sie zuerst Ihr anderes Team, oder treten Sie mit einer anderen Adresse bei. Um mit Ihrem bisherigen Konto weiterzumachen, melden Sie sich an.
sign-in-no-developer = Sie können hier nicht angemeldet werden
sign-in-no-developer-text = Kein Entwickler dieses Dienstes hat eine E-Mail-Adresse, die der Anmeldedienst als Ihre bestätigt hat.
sign-in-no-developer-advice = Bitten Sie den Betreiber dieses Dienstes um ein Konto unter der Adresse, mit der Sie sich angemeldet haben.

# Entwickler.
developer-sign-in-title = Beim Dashboard anmelden
developer-sign-in-about = Für alle, die Agenten entwickeln: Agenten, Schlüssel, Nutzung und eine Testumgebung.
developer-email = E-Mail-Adresse
developer-password = Passwort
developer-no-password = Noch kein Passwort? Der Betreiber dieses Dienstes kann eines festlegen mit { $command }. Der beim ersten Start angelegte Entwickler heißt { $first }.
developer-wrong = E-Mail-Adresse oder Passwort ist falsch.
developer-too-many =
    { $seconds ->
        [one] Zu viele Versuche mit dieser Adresse. Versuchen Sie es in einer Sekunde noch einmal.
       *[other] Zu viele Versuche mit dieser Adresse. Versuchen Sie es in { $seconds } Sekunden noch einmal.
    }
developer-too-many-codes =
    { $seconds ->
        [one] Zu viele Versuche. Versuchen Sie es in einer Sekunde noch einmal.
       *[other] Zu viele Versuche. Versuchen Sie es in { $seconds } Sekunden noch einmal.
    }
developer-code-title = Code eingeben
developer-code = Code
developer-code-hint = Die sechs Ziffern aus Ihrer Authenticator-App oder einer Ihrer Wiederherstellungscodes.
developer-code-wrong = Der Code ist falsch oder wurde schon verwendet.
developer-start-again = Von vorn beginnen
developer-lost-both = Beides verloren? Der Betreiber dieses Dienstes kann den zweiten Faktor ausschalten mit { $command }.
