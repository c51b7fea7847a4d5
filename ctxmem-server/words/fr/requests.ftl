# Le journal des requêtes d’un agent.

requests-title = Requêtes : { $agent }
requests-no-log = Le gestionnaire de ce service ne tient pas de journal des requêtes.
requests-about =
    { $days ->
        [one] Le dernier jour. Le journal ne contient jamais ce qui a été envoyé ou répondu, ni quel utilisateur était concerné.
       *[other] Les { $days } derniers jours. Le journal ne contient jamais ce qui a été envoyé ou répondu, ni quel utilisateur était concerné.
    }
requests-routes = Par route
requests-none = Aucune requête.
requests-route = Route
requests-count = Requêtes
requests-errors = Erreurs
requests-half = La moitié en
requests-most = { $share } % en
requests-times-about = Les durées sont mesurées dans le serveur, sans le réseau, et arrondies vers le haut d’un quart au plus.
requests-no-errors = Aucune requête n’a été refusée ni n’a échoué.
requests-answer = Réponse
requests-all = Toutes les requêtes, les plus récentes d’abord
requests-only-errors = Les erreurs, les plus récentes d’abord
requests-unlogged =
    { $count ->
        [one] { $count } requête est comptée ci-dessus mais n’apparaît pas ici : il y en avait trop à la fois.
       *[other] { $count } requêtes sont comptées ci-dessus mais n’apparaissent pas ici : il y en avait trop à la fois.
    }
requests-show-all = Afficher toutes les requêtes
requests-show-errors = Afficher seulement les erreurs
requests-csv = Télécharger en CSV
requests-time = Date
requests-took = Durée
requests-millis = { $millis } ms
requests-millis-exact = { $whole },{ $hundredths } ms
requests-id = Identifiant
requests-newest = Les plus récentes
requests-older = Plus anciennes
