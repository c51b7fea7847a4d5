# Le tableau de bord : son cadre, la liste des agents, les graphiques, et ce qu’un formulaire vient de faire.

dashboard-nav = Tableau de bord
dashboard-agents = Agents
dashboard-playground = Espace de test
dashboard-team = Équipe
dashboard-settings = Réglages
dashboard-who = Compte : { $developer }

dashboard-title = Vos agents
dashboard-none = Vous n’avez pas encore d’agent. Créez-en un ci-dessous. Vous recevez une clé et des programmes pour démarrer.
dashboard-table = Tableau des agents
dashboard-agent = Agent
dashboard-users = Utilisateurs qui donnent accès
dashboard-live-keys = Clés actives
dashboard-updates = Mises à jour ce mois-ci
dashboard-of-quota = { $updates } sur { $quota }
dashboard-create = Créer un agent
dashboard-name = Nom
dashboard-name-hint = Les utilisateurs le voient au moment de décider de l’accès.
dashboard-create-do = Créer l’agent et sa première clé
dashboard-usage = Tous les agents, les 30 derniers jours
dashboard-usage-about = Par jour UTC, y compris les agents que vous avez supprimés. Les appels les plus récents apparaissent en moins d’une minute.
dashboard-csv = Télécharger en CSV
dashboard-quota-used = { $agent } a utilisé tout le quota de ce mois ({ $quota } mises à jour). Jusqu’à la fin du mois (UTC), plus rien n’est appris.
dashboard-quota-alert = { $agent } a utilisé { $updates } des { $quota } mises à jour de ce mois ({ $share } %). Une fois toutes utilisées, plus rien n’est appris jusqu’à la fin du mois (UTC).

# Les scopes d’une clé.
key-scopes = Scopes de la clé
key-scopes-about = Un agent ne peut utiliser un scope que si sa clé le permet et que l’utilisateur l’accorde. Ne demandez que le nécessaire.
key-scopes-all = tous les scopes
key-scope-general = nom, lieu, fuseau horaire
key-scope-communication-style = la façon de répondre à l’utilisateur
key-scope-preferences = outils, environnement, façon de travailler
key-scope-knowledge = compétences, langues, frameworks
key-scope-relationships = personnes nommées
key-scope-history = décisions et actions accomplies
key-scope-goals = projets, tâches, échéances

# Les graphiques.
chart-injects = Injections
chart-injects-about = requêtes pour un prompt
chart-updates = Mises à jour
chart-updates-about = échanges qui ont servi à apprendre
chart-filtered = Échanges écartés
chart-filtered-about = échanges où il n’y a rien à retenir
chart-denied = Refus
chart-denied-about = pas d’accès, scope non accordé ou quota épuisé
chart-errors = Erreurs
chart-errors-about = appels qui ont échoué
chart-in-numbers = { $title } : les chiffres
chart-day = Jour
chart-bar = { $day } : { $numbers }
chart-part = { $title } { $count }
chart-tenth = { $whole },{ $tenth }{ $unit }
chart-calls = Appels
chart-empty = Aucun appel sur cette période pour l’instant.
chart-times = Temps de réponse en millisecondes
chart-half = Médiane
chart-half-about = un appel sur deux de la journée
chart-most = 95e centile
chart-most-about = presque tous les appels de la journée
chart-all-agents = Tous les agents
chart-days = Jours
chart-last-days = { $days } derniers jours
chart-show = Afficher
chart-times-in-words = { $title } par jour, du { $first } au { $last } : 95 sur 100 en { $most } ms au plus, le { $day }
chart-no-days = { $title } : aucun jour
chart-nothing = { $title } par jour, du { $first } au { $last } : zéro
chart-in-words = { $title } par jour, du { $first } au { $last } : { $total } en tout, au plus { $most } le { $day }

# Ce qu’un formulaire vient de faire.
done-agent-renamed = L’agent a son nouveau nom.
done-agent-deleted = L’agent est supprimé. Ses clés ne fonctionnent plus. Les utilisateurs voient toujours son nom.
done-key-revoked = La clé est révoquée. Les requêtes qui l’utilisent sont désormais refusées.
done-password-changed = Le mot de passe est changé. Vos sessions dans tous les autres navigateurs sont fermées.
done-second-factor-off = La connexion en deux étapes est désactivée. Vos codes de secours ne fonctionnent plus.
done-test-user-erased = L’utilisateur de test est effacé, avec tout ce qui était enregistré sur lui.
done-profile-saved = Enregistré. Les utilisateurs le voient au moment de décider pour cet agent.
done-invitation-withdrawn = L’invitation est annulée. Son lien ne fonctionne plus.
done-member-removed = Cette personne ne fait plus partie de l’équipe, et toutes ses sessions sont fermées. Les clés qu’elle a créées fonctionnent toujours : remplacez celles qu’elle a pu copier.
done-team-handed-over = L’équipe a changé de propriétaire. Vous en êtes maintenant membre.
