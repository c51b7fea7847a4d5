# Die Seite, auf der jemand einen Agenten erlaubt oder ablehnt.

consent-title = { $agent } erlauben?
consent-heading = Darf { $agent } Ihr Gedächtnis verwenden?
consent-nothing-chosen = Noch nicht erlaubt. Wählen Sie mindestens eine Art aus, oder lehnen Sie ab.
consent-who = Wer fragt
consent-agent-of = { $agent }, ein Agent von { $developer }
consent-no-profile = Der Entwickler sagt sonst nichts über ihn: weder einen Zweck noch eine Datenschutzerklärung.
consent-purpose = Zweck
consent-website = Webseite
consent-privacy = Datenschutzerklärung
consent-privacy-none = Nicht angegeben
consent-unchecked = Das hat der Entwickler geschrieben. Dieser Dienst hat es nicht geprüft.
consent-has-access = Er hat zurzeit Zugriff. Was Sie hier entscheiden, tritt an dessen Stelle.
consent-expired = Er hatte Zugriff, bis dieser ablief.
consent-refused = Sie haben ihn schon einmal abgelehnt oder seinen Zugriff beendet.
consent-no-access = Er hat zurzeit keinen Zugriff.
consent-asked-once = Er hat einmal gefragt, { $first }.
consent-asked-often = Er hat { $times }-mal gefragt, zuerst { $first }, zuletzt { $last }.
consent-no-key = Er hat keinen Schlüssel, mit dem er etwas lesen oder hinzufügen könnte. Es gibt also nichts zu erlauben.
consent-may = Er darf lesen und hinzufügen
consent-how-long = Wie lange
consent-until-revoked = Bis ich den Zugriff entziehe
consent-days =
    { $days ->
        [one] 1 Tag
        [365] 1 Jahr
       *[other] { $days } Tage
    }
consent-allow = Erlauben
consent-allow-label = Erlauben: { $agent }
consent-refuse = Ablehnen
consent-refuse-label = Ablehnen: { $agent }
consent-note = Was der Agent schon gelesen hat, kann er bei sich behalten haben. Sie können seinen Zugriff jederzeit { $begin }in Ihrem Konto{ $end } ändern oder beenden.
