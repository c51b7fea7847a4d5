# Die eigenen Einstellungen eines Entwicklers.

settings-title = Einstellungen
settings-not-saved-title = Nicht gespeichert: { $title }
settings-not-saved = Nicht gespeichert. { $problem }
settings-password = Passwort
settings-password-about = Wenn Sie das Passwort ändern, werden Sie in allen anderen Browsern abgemeldet.
settings-current = Jetziges Passwort
settings-new = Neues Passwort
settings-new-hint = Mindestens 10 Zeichen.
settings-repeat = Passwort wiederholen
settings-change = Passwort ändern
settings-differ = Die neuen Passwörter sind nicht gleich. Geben Sie zweimal dasselbe ein.
settings-wrong-password = Das jetzige Passwort ist falsch.
settings-factor = Zweiter Faktor
settings-factor-on = Der zweite Faktor ist eingeschaltet. Die Anmeldung mit dem Passwort braucht jetzt einen Code aus Ihrer App.
settings-codes = Ihre Wiederherstellungscodes
settings-codes-about = Bewahren Sie sie jetzt auf. Sie werden nur dieses eine Mal gezeigt. Jeder ersetzt einmal einen Code, falls Sie Ihr Telefon verlieren.
settings-codes-copy = Codes kopieren
settings-factor-about = Mit einem zweiten Faktor braucht die Anmeldung mit Ihrem Passwort auch einen Code aus einer Authenticator-App auf Ihrem Telefon. Die Anmeldung über einen Identitätsanbieter ist davon nicht betroffen.
settings-factor-set-up = Zweiten Faktor einrichten
settings-factor-key = Lesen Sie dieses Bild mit Ihrer Authenticator-App ein oder fügen Sie dort den Schlüssel { $key } hinzu (oder { $begin }öffnen Sie ihn in einer App auf diesem Gerät{ $end }).
settings-factor-picture = QR-Code des Schlüssels
settings-factor-type = Geben Sie den Code ein, den die App anzeigt.
settings-code = Code
settings-factor-password = Ihr Passwort
settings-factor-wrong-password = Das Passwort ist falsch.
settings-factor-turn-on = Zweiten Faktor einschalten
settings-factor-new-key = Mit einem neuen Schlüssel von vorn beginnen
settings-on = an
settings-codes-left =
    { $count ->
        [one] Ein Wiederherstellungscode ist übrig. Um neue zu bekommen, schalten Sie den zweiten Faktor aus und wieder ein.
       *[other] { $count } Wiederherstellungscodes sind übrig. Um neue zu bekommen, schalten Sie den zweiten Faktor aus und wieder ein.
    }
settings-code-hint = Aus Ihrer Authenticator-App oder ein Wiederherstellungscode.
settings-factor-turn-off = Zweiten Faktor ausschalten
