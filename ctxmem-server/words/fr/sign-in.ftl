# La connexion : les liens, le service de connexion, les échecs. Le formulaire du tableau de bord est ici aussi.

sign-in-title = Se connecter
sign-in-about-to = Vous allez vous connecter au compte { $user }. Ce lien fonctionne une fois.
sign-in-do = Se connecter
sign-in-with = Se connecter avec { $service }
sign-in-operator = { $operator } gère ce service.
sign-in-link-over = Ce lien n’est plus valable
sign-in-link-over-about = Un lien de connexion fonctionne une fois, et pendant 15 minutes. Demandez-en un nouveau là où vous avez reçu celui-ci.
signed-out-title = Vous devez vous connecter
signed-out-asking = { $agent } demande l’accès à ce qui est enregistré sur vous. Connectez-vous pour décider.
signed-out-about = Connectez-vous pour voir quelles informations sur vous sont enregistrées et quelles applications peuvent les utiliser.
signed-out-link-too = Si vous avez reçu un lien de connexion, il fonctionne aussi.
signed-out-about-link = Ouvrez un lien de connexion pour voir quelles informations sur vous sont enregistrées et quelles applications peuvent les utiliser. Le gestionnaire de ce service peut en créer un.
signed-out-developers = Vous développez des agents ? { $begin }Connectez-vous au tableau de bord{ $end }.

# Pourquoi une connexion a échoué, et que faire.
sign-in-start = Retour au début
sign-in-not-begun = Cette connexion ne peut pas aboutir
sign-in-not-begun-text = Elle n’a pas été commencée dans ce navigateur, était déjà terminée ou a pris plus de dix minutes.
sign-in-not-begun-advice = Revenez au début et reconnectez-vous, dans un seul navigateur. Votre navigateur doit accepter les cookies.
sign-in-denied = La connexion n’a pas eu lieu
sign-in-denied-text = Le service de connexion y a mis fin sans vous connecter.
sign-in-denied-advice = Si vous n’avez pas annulé vous-même, demandez au gestionnaire de votre service de connexion si vous pouvez utiliser ce service-ci.
sign-in-unverified-text = Ce que le service de connexion a dit de vous n’a pas pu être vérifié.
sign-in-again = Recommencez à partir d’ici.
sign-in-unavailable = Le service de connexion n’est pas disponible
sign-in-unavailable-text = Il n’a pas répondu à temps.
sign-in-later = Rien n’a été modifié. Réessayez dans une minute. Si cela ne suffit pas, prévenez le gestionnaire de ce service, qui peut trouver la cause dans le journal.
sign-in-bad-answer = Le service de connexion a donné une réponse inattendue
sign-in-bad-answer-text = Sa réponse n’est pas utilisable.
sign-in-no-user = Connexion impossible
sign-in-no-user-text = Le service de connexion ne dit pas qui vous êtes : la donnée « { $claim } » manque ou ne peut pas servir d’identifiant.
sign-in-no-user-advice = Montrez ce texte au gestionnaire de ce service, qui peut corriger le problème.
sign-in-has-account = Vous n’avez pas rejoint l’équipe
sign-in-has-account-text = Il existe déjà un compte de développeur à votre adresse, et une personne ne peut être que dans une équipe. L’invitation reste utilisable.
sign-in-has-account-advice = Quittez d’abord votre autre équipe, ou rejoignez celle-ci avec une autre adresse. Pour continuer avec le compte que vous avez, connectez-vous.
sign-in-no-developer = Connexion impossible ici
sign-in-no-developer-text = Aucun développeur de ce service n’a une adresse e-mail que le service de connexion a vérifiée comme la vôtre.
sign-in-no-developer-advice = Demandez au gestionnaire de ce service un compte à l’adresse utilisée pour vous connecter.

# Les développeurs.
developer-sign-in-title = Se connecter au tableau de bord
developer-sign-in-about = Pour qui développe des agents : agents, clés, utilisation et un espace de test.
developer-email = Adresse e-mail
developer-password = Mot de passe
developer-no-password = Pas encore de mot de passe ? Le gestionnaire de ce service peut en définir un avec { $command }. Le développeur créé au premier démarrage est { $first }.
developer-wrong = Adresse e-mail ou mot de passe incorrect.
developer-too-many =
    { $seconds ->
        [one] Trop de tentatives avec cette adresse. Réessayez dans une seconde.
       *[other] Trop de tentatives avec cette adresse. Réessayez dans { $seconds } secondes.
    }
developer-too-many-codes =
    { $seconds ->
        [one] Trop de tentatives. Réessayez dans une seconde.
       *[other] Trop de tentatives. Réessayez dans { $seconds } secondes.
    }
developer-code-title = Entrez le code
developer-code = Code
developer-code-hint = Les six chiffres de votre application d’authentification, ou l’un de vos codes de secours.
developer-code-wrong = Le code est incorrect ou a déjà été utilisé.
developer-start-again = Recommencer
developer-lost-both = Vous n’avez plus ni l’un ni l’autre ? Le gestionnaire de ce service peut désactiver la connexion en deux étapes avec { $command }.
