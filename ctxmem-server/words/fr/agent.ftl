# La page d’un agent.

agent-about = Agent { $id }, créé le { $when }
agent-updates-month = mises à jour ce mois-ci (UTC)
agent-updates-month-no-quota = mises à jour ce mois-ci (UTC) ; il n’y a pas de quota
agent-quota-used = Part utilisée du quota de mises à jour de ce mois
agent-users = utilisateurs qui lui donnent accès en ce moment
agent-keys-live = clés actives
agent-keys = Clés
agent-no-key = Il n’a pas de clé.
agent-keys-table = Tableau des clés
agent-key = Clé
agent-key-scopes = Scopes
agent-key-created = Créée
agent-key-last-used = Dernière utilisation
agent-key-state = État
agent-key-replace = Remplacer
agent-key-replace-label = Remplacer la clé { $key }
agent-key-revoke = Révoquer
agent-key-revoke-label = Révoquer la clé { $key }
agent-key-try = Essayer
agent-key-try-label = Essayer la clé { $key }
agent-new-key = Créer une autre clé
agent-new-key-name = Nom de la clé
agent-new-key-name-hint = Facultatif, par exemple « production ». Seule votre équipe le voit.
agent-new-key-expires = Expire
agent-new-key-in =
    { $days ->
        [0] jamais
        [365] dans un an
       *[other] dans { $days } jours
    }
agent-new-key-do = Créer la clé
agent-usage = Les 30 derniers jours
agent-usage-about = Par jour UTC. Les appels les plus récents apparaissent en moins d’une minute.
agent-requests = Journal des requêtes : réponses, erreurs et durées
agent-name = Nom
agent-name-hint = Les utilisateurs le voient au moment de décider de l’accès, et dans leur historique.
agent-rename = Renommer
agent-profile = Ce que lisent les utilisateurs
agent-profile-about = Les utilisateurs voient ceci, l’adresse de votre équipe et le nom au moment de décider de l’accès, sur { $page }.
agent-purpose = Utilité
agent-purpose-hint = À quoi il sert, en une phrase.
agent-website = Site web
agent-website-hint = Une page qui le présente.
agent-website-verified = { $host } confirme que cet agent est le sien ; vérifié le { $when }. Les utilisateurs le voient à côté de l’adresse. Chaque enregistrement vérifie à nouveau.
agent-website-unverified = Les utilisateurs voient que personne n’a vérifié ce site. Pour le faire vérifier, ajoutez la ligne { $line } à { $address }, puis enregistrez à nouveau.
agent-privacy = Politique de confidentialité
agent-privacy-hint = Ce que vous faites de ce qu’il lit.
agent-return = Adresse de retour
agent-return-hint = Où les utilisateurs reviennent après leur décision : une adresse https, ou une adresse sur localhost.
agent-needs = Ce dont il a besoin, et pourquoi
agent-needs-about = Les utilisateurs trouvent ces scopes cochés, chacun avec votre raison à côté. Laissez la raison vide pour ce dont l’agent peut se passer.
agent-save = Enregistrer
agent-delete = Supprimer cet agent
agent-delete-about = Ses clés cessent aussitôt de fonctionner. C’est définitif. Les utilisateurs gardent ce qui est enregistré sur eux et voient toujours le nom de l’agent.
agent-delete-confirm = Pour confirmer, tapez son nom : { $agent }
agent-delete-do = Supprimer l’agent
agent-not-deleted = Ce n’est pas le nom de l’agent. Rien n’a été supprimé.
