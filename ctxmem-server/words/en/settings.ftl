# A developer's own settings.

settings-title = Settings
settings-not-saved-title = Not saved: { $title }
settings-not-saved = Not saved. { $problem }
settings-password = Password
settings-password-about = Changing the password signs you out in every other browser.
settings-current = Current password
settings-new = New password
settings-new-hint = At least 10 characters.
settings-repeat = Repeat the password
settings-change = Change the password
settings-differ = The new passwords are not the same. Type the same one twice.
settings-wrong-password = The current password is wrong.
settings-factor = Second factor
settings-factor-on = The second factor is on. Signing in with the password now needs a code from your app.
settings-codes = Your recovery codes
settings-codes-about = Store them now. They are shown only this once. Each works once in place of a code, in case you lose your phone.
settings-codes-copy = Copy the codes
settings-factor-about = With a second factor, signing in with your password also needs a code from an authenticator app on your phone. Signing in through an identity provider is not affected.
settings-factor-set-up = Set up a second factor
settings-factor-key = Scan this picture with your authenticator app, or add the key { $key } there (or { $begin }open it in an app on this device{ $end }).
settings-factor-picture = QR code of the key
settings-factor-type = Type the code that the app shows.
settings-code = Code
settings-factor-password = Your password
settings-factor-wrong-password = The password is wrong.
settings-factor-turn-on = Turn on the second factor
settings-factor-new-key = Start again with a new key
settings-on = on
settings-codes-left =
    { $count ->
        [one] One recovery code left. To get new ones, turn the second factor off and on again.
       *[other] { $count } recovery codes left. To get new ones, turn the second factor off and on again.
    }
settings-code-hint = From your authenticator app, or a recovery code.
settings-factor-turn-off = Turn off the second factor
