# L’historique. Chaque entrée est une phrase au passé composé : { $who } contient l’auxiliaire avoir,
# par exemple « Vous avez » ou « Helper a ». Aucun verbe n’y prend donc l’auxiliaire être.

history-title = Historique
history-about = Qui a fait quoi, et quand, du plus récent au plus ancien. Ce qui a été dit ou enregistré n’est pas conservé ici.
history-filter = Filtre
history-agent = Application
history-anyone = Tous
history-what = Quoi
history-everything = Tout
history-day = Jour (UTC)
history-day-local = Jour
history-show = Afficher
history-show-all = Tout afficher
history-no-match = Aucune entrée ne correspond.
history-empty = Il n’y a aucune entrée ici.
history-pages = Pages de l’historique
history-newest = Entrées les plus récentes
history-newer = Entrées plus récentes
history-older = Entrées plus anciennes
history-oldest = Entrées les plus anciennes
history-csv = Télécharger en CSV
history-receipt = Reçu

# De quoi parle une entrée.
history-kind-told = Ce que les applications ont reçu
history-kind-saved = Ce que les applications ont enregistré
history-kind-access = Changements d’accès
history-kind-yours = Corrections, effacements et téléchargements

# Les colonnes du fichier.
history-column-time = date
history-column-what = ce qui s’est passé
history-column-kinds = catégories
history-column-times = nombre de fois
history-column-action = action
history-column-actor = auteur
history-column-agent = application
history-column-agent-id = identifiant de l’application
history-column-outcome = résultat
history-column-facts = informations

# Qui.
history-you = Vous avez
history-agent-named = { $agent } a
history-agent-unnamed = Une application a
history-developer = Un développeur a
history-operator = Le gestionnaire de ce service a
# Une application dans une phrase, après un verbe ou après « à » et « pour », jamais après « de ».
history-the-agent = l’application { $agent }
history-some-agent = une application

# Une entrée, et ce qui peut suivre sa phrase.
history-line = { $sentence }.
history-line-times = { $sentence }, { $times } fois.
history-not-granted = { $sentence } ; vous n’autorisez pas : { $kinds }
history-not-in-key = { $sentence } ; sa clé n’atteint pas : { $kinds }
history-made-room =
    { $sentence } ; { $count ->
        [one] { $count } information a été retirée pour faire de la place
       *[other] { $count } informations ont été retirées pour faire de la place
    }
history-until = { $sentence }, jusqu’au { $when }
history-kinds = { $kinds }
history-may = Peut lire et écrire : { $kinds }

# Ce qui a été fait.
history-told = { $who } reçu ce que vous lui permettez de savoir sur vous
history-told-denied = { $who } demandé des informations sur vous sans rien recevoir : pas d’accès
history-told-failed = { $who } demandé des informations sur vous sans obtenir de réponse
history-told-nothing = { $who } demandé des informations sur vous ; il n’y avait rien à transmettre
history-read = { $who } lu les informations sur vous que vous lui permettez de lire
history-read-nothing = { $who } demandé à lire les informations sur vous ; il n’y en avait pas
history-read-failed = { $who } essayé de lire les informations sur vous ; cela a échoué
history-read-denied = { $who } essayé de lire les informations sur vous ; cela a été refusé
history-searched = { $who } cherché dans les informations sur vous que vous lui permettez de lire
history-searched-nothing = { $who } cherché dans les informations sur vous, sans rien trouver
history-search-failed = { $who } essayé de chercher dans les informations sur vous ; cela a échoué
history-search-denied = { $who } essayé de chercher dans les informations sur vous ; cela a été refusé
history-changed = { $who } { $changes } sur vous
history-changes-and = { $first } et { $last }
history-added =
    { $count ->
        [one] enregistré { $count } information
       *[other] enregistré { $count } informations
    }
history-replaced =
    { $count ->
        [one] remplacé { $count } information
       *[other] remplacé { $count } informations
    }
history-removed =
    { $count ->
        [one] retiré { $count } information
       *[other] retiré { $count } informations
    }
history-saved-some =
    { $count ->
        [one] { $who } enregistré, remplacé ou retiré { $count } information sur vous
       *[other] { $who } enregistré, remplacé ou retiré { $count } informations sur vous
    }
history-saved-nothing = { $who } envoyé un message ; rien n’a été enregistré
history-learned-nothing = { $who } envoyé un message, sans rien de nouveau sur vous
history-save-denied = { $who } essayé d’enregistrer quelque chose sur vous ; cela a été refusé
history-save-limit = { $who } envoyé un message ; rien n’a été enregistré, car sa limite est atteinte
history-save-failed = { $who } envoyé un message ; rien n’a été enregistré, à cause d’une erreur
history-own-access = son propre accès
history-access-of = l’accès accordé à { $agent }
history-grant-denied = { $who } essayé de définir { $access } ; cela a été refusé
history-granted-first = { $who } obtenu l’accès par sa première demande
history-granted-narrowed = { $who } restreint son propre accès
history-granted-renewed = { $who } renouvelé son propre accès, qui avait expiré
history-granted-own = { $who } défini son propre accès
history-granted-own-changed = { $who } modifié son propre accès
history-granted = { $who } accordé l’accès à { $agent }
history-granted-paused = { $who } mis en pause l’accès accordé à { $agent }
history-granted-resumed = { $who } rendu l’accès à { $agent } après une pause
history-granted-changed = { $who } modifié l’accès accordé à { $agent }
history-revoked = { $who } mis fin à { $access }
history-revoke-denied = { $who } essayé de mettre fin à { $access } ; cela a été refusé
history-refused = { $who } refusé l’accès à { $agent }
history-paused = { $who } mis tous les accès en pause
history-resumed = { $who } mis fin à la pause de tous les accès
history-asks-first = { $who } décidé que les nouvelles applications doivent d’abord demander l’accès
history-asks-by-mode = { $who } décidé que les nouvelles applications n’ont pas à demander l’accès
history-auto-delete-set = { $who } choisi combien de temps les informations sont gardées
history-auto-deleted =
    { $count ->
        [one] Une information a été effacée parce qu’elle avait atteint la durée choisie
       *[other] { $count } informations ont été effacées parce qu’elles avaient atteint la durée choisie
    }
history-signed-out-everywhere = { $who } fermé toutes les sessions
history-profile = { $who } modifié ce que les utilisateurs lisent sur { $agent }
history-erased =
    { $count ->
        [one] { $who } effacé tout ce qui était enregistré sur vous : { $count } information
       *[other] { $who } effacé tout ce qui était enregistré sur vous : { $count } informations
    }
history-reapplied = { $who } restauré une sauvegarde et appliqué à nouveau ce que vous aviez décidé depuis
history-erase-denied = { $who } essayé de tout effacer ; cela a été refusé
history-fact-added = { $who } ajouté une information
history-fact-corrected = { $who } corrigé une information
history-facts-deleted =
    { $count ->
        [one] { $who } effacé une information
       *[other] { $who } effacé { $count } informations
    }
history-fact-delete-denied = { $who } essayé d’effacer une information ; cela a été refusé
history-fact-delete-failed = { $who } essayé d’effacer une information ; cela a échoué
history-facts-restored =
    { $count ->
        [one] { $who } annulé un effacement : 1 information
       *[other] { $who } annulé un effacement : { $count } informations
    }
history-kind-deleted =
    { $count ->
        [one] { $who } effacé toutes les informations d’une catégorie : { $count } information
       *[other] { $who } effacé toutes les informations d’une catégorie : { $count } informations
    }
history-exported =
    { $count ->
        [one] { $who } téléchargé une copie de { $count } information
       *[other] { $who } téléchargé une copie de { $count } informations
    }
history-signed-in = { $who } ouvert une session
history-sign-in-failed = { $who } essayé d’ouvrir une session, sans succès
history-agent-created = { $who } créé { $agent }
history-agent-renamed = { $who } donné un nouveau nom à { $agent }
history-agent-deleted = { $who } supprimé { $agent }
history-key-created = { $who } créé une clé pour { $agent }
history-key-revoked = { $who } révoqué une clé créée pour { $agent }
history-key-replaced = { $who } remplacé une clé créée pour { $agent }
history-password = { $who } changé un mot de passe
history-second-factor = { $who } modifié une connexion en deux étapes
history-team-invited = { $who } invité quelqu’un dans une équipe
history-team-invitation-withdrawn = { $who } annulé une invitation dans une équipe
history-team-joined = { $who } rejoint une équipe
history-team-left = { $who } quitté une équipe
history-team-member-removed = { $who } retiré quelqu’un d’une équipe
history-team-handed-over = { $who } transmis une équipe
