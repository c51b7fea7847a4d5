# Les réglages d’un développeur.

settings-title = Réglages
settings-not-saved-title = Non enregistré : { $title }
settings-not-saved = Non enregistré. { $problem }
settings-password = Mot de passe
settings-password-about = Changer le mot de passe ferme vos sessions dans tous les autres navigateurs.
settings-current = Mot de passe actuel
settings-new = Nouveau mot de passe
settings-new-hint = Au moins 10 caractères.
settings-repeat = Répétez le mot de passe
settings-change = Changer le mot de passe
settings-differ = Les nouveaux mots de passe sont différents. Tapez deux fois le même.
settings-wrong-password = Le mot de passe actuel est incorrect.
settings-factor = Connexion en deux étapes
settings-factor-on = La connexion en deux étapes est activée. Avec le mot de passe, il faut désormais aussi un code de votre application.
settings-codes = Vos codes de secours
settings-codes-about = Mettez-les en lieu sûr maintenant. Ils ne s’affichent que cette fois. Chacun remplace un code une seule fois, au cas où vous perdriez votre téléphone.
settings-codes-copy = Copier les codes
settings-factor-about = Avec la connexion en deux étapes, votre mot de passe ne suffit plus : il faut aussi un code d’une application d’authentification sur votre téléphone. La connexion par un fournisseur d’identité n’est pas concernée.
settings-factor-set-up = Configurer la connexion en deux étapes
settings-factor-key = Scannez cette image avec votre application d’authentification, ou ajoutez-y la clé { $key } (ou { $begin }ouvrez-la dans une application sur cet appareil{ $end }).
settings-factor-picture = Code QR de la clé
settings-factor-type = Tapez le code que l’application affiche.
settings-code = Code
settings-factor-password = Votre mot de passe
settings-factor-wrong-password = Le mot de passe est incorrect.
settings-factor-turn-on = Activer la connexion en deux étapes
settings-factor-new-key = Recommencer avec une nouvelle clé
settings-on = activée
settings-codes-left =
    { $count ->
        [one] Il reste { $count } code de secours. Pour en obtenir de nouveaux, désactivez la connexion en deux étapes, puis réactivez-la.
       *[other] Il reste { $count } codes de secours. Pour en obtenir de nouveaux, désactivez la connexion en deux étapes, puis réactivez-la.
    }
settings-code-hint = De votre application d’authentification, ou un code de secours.
settings-factor-turn-off = Désactiver la connexion en deux étapes
