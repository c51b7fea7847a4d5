# La page qui dit qui gère le service, et ce qu’il fait.

about-title = À propos de ce service
about-intro = Les applications d’IA peuvent retenir ce que vous leur dites. Ce service garde ces informations pour les applications que vous utilisez, et vous laisse décider quelle application peut utiliser lesquelles.
about-who = Qui le gère
about-operator = { $operator } gère ce service et répond de ce qui y est enregistré.
about-no-operator = Le gestionnaire n’a pas indiqué son nom ici. Adressez-vous à qui vous a donné accès à ce service.
about-contact = Contact :
about-privacy = Politique de confidentialité
about-purpose = À quoi il sert
about-mode-auto = Toute application reliée à ce service obtient l’accès dès sa première demande, sans vous consulter d’abord. Vous pouvez changer cela dans votre compte.
about-mode-own = Les applications des développeurs que vous avez déjà autorisés, ainsi que la toute première application, obtiennent l’accès dès leur première demande. Toutes les autres doivent d’abord vous le demander.
about-mode-ask = Une application doit vous demander l’accès avant de l’obtenir.
about-purpose-text = Avant de vous répondre, une application qui a accès reçoit les informations que vous autorisez. Elle peut enregistrer celles que vous donnez au fil d’une conversation, et elle peut effacer tout ce qui est enregistré sur vous, par exemple si vous le lui demandez. Les conversations elles-mêmes ne sont pas conservées ici.
about-how-long = Durée de conservation
about-facts = Les informations : jusqu’à ce que vous les effaciez, qu’une plus récente les remplace ou que leur liste soit pleine.
about-access = Les applications qui peuvent les utiliser : jusqu’à ce que vous retiriez l’accès ou qu’il expire. Les accès passés restent visibles dans votre compte.
about-log-days =
    { $days ->
        [one] L’historique de qui a fait quoi et quand : un jour. Il ne contient aucune des informations enregistrées. Si vous effacez tout, il reste, sous un numéro qui ne vous nomme pas.
       *[other] L’historique de qui a fait quoi et quand : { $days } jours. Il ne contient aucune des informations enregistrées. Si vous effacez tout, il reste, sous un numéro qui ne vous nomme pas.
    }
about-log = L’historique de qui a fait quoi et quand : sans limite de durée. Il ne contient aucune des informations enregistrées. Si vous effacez tout, il reste, sous un numéro qui ne vous nomme pas.
about-answers = Les réponses aux applications, pour qu’une requête répétée ne compte qu’une fois : 24 heures.
about-sessions = Votre session : elle se termine après une heure d’inactivité, et au plus tard au bout de douze heures. Les cookies ne servent qu’à la connexion, aux messages d’une page à l’autre et à la langue que vous choisissez.
about-rights = Ce que vous pouvez faire
about-see = Voir chaque information, qui l’a enregistrée et quand, et le texte exact que reçoit une application.
about-correct = Corriger, ajouter et effacer des informations.
about-limit = Modifier, limiter ou retirer l’accès de chaque application.
about-download = Tout télécharger dans un fichier que d’autres programmes peuvent lire.
about-delete = Tout effacer. C’est définitif.
about-where-contact = Vous pouvez faire tout cela dans { $begin }votre compte{ $end }. Pour le reste, par exemple une réclamation, utilisez le contact ci-dessus.
about-where = Vous pouvez faire tout cela dans { $begin }votre compte{ $end }. Pour le reste, par exemple une réclamation, adressez-vous au gestionnaire.
