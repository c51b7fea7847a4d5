# Le compte : son cadre, l’accueil, les sessions, et ce qu’un formulaire vient de faire.

# Le cadre.
account-nav = Compte
account-nav-home = Accueil
account-nav-memory = Mémoire
account-nav-access = Applications
account-nav-history = Historique
account-nav-data = Données
account-who = Compte : { $user }
account-quick = Accès rapide
account-quick-pause = Pause : aucune application ne reçoit ni n’enregistre rien
account-quick-download = Télécharger mes données

# L’accueil.
account-title = Votre mémoire
account-summary =
    { $agents ->
        [0] { $facts ->
            [0] Aucune information sur vous n’est enregistrée, et aucune application n’a accès.
            [one] Aucune application ne peut utiliser la seule information sur vous.
           *[other] Aucune application ne peut utiliser les { $facts } informations sur vous.
        }
        [one] Une application peut utiliser { $facts ->
            [0] les informations sur vous. Aucune n’est enregistrée pour l’instant.
            [one] une information sur vous.
           *[other] { $facts } informations sur vous.
        }
       *[other] { $agents } applications peuvent utiliser { $facts ->
            [0] les informations sur vous. Aucune n’est enregistrée pour l’instant.
            [one] une information sur vous.
           *[other] { $facts } informations sur vous.
        }
    }
account-summary-part =
    { $agents ->
        [one] Une application peut utiliser { $usable } des { $facts } informations sur vous.
       *[other] Ensemble, { $agents } applications peuvent utiliser { $usable } des { $facts } informations sur vous.
    }
account-you-can = Vous pouvez consulter, corriger, télécharger ou effacer ce qui est enregistré.
account-numbers = En chiffres
account-number-facts =
    { $count ->
        [one] information sur vous
       *[other] informations sur vous
    }
account-number-usable =
    { $count ->
        [one] utilisable par une application
       *[other] utilisables par des applications
    }
account-number-apps =
    { $count ->
        [one] application peut utiliser votre mémoire
       *[other] applications peuvent utiliser votre mémoire
    }
account-all-agents = Toutes les applications et leurs droits
account-newest = Dernières informations
account-all-facts =
    { $count ->
        [one] La voir dans votre mémoire
       *[other] Voir les { $count } informations
    }
account-deletions = En votre absence, quelque chose a été effacé :
account-history = Ce qui s’est passé récemment
account-history-empty = Il ne s’est encore rien passé.
account-history-all = Afficher tout l’historique
account-data = Données et confidentialité
account-take = Emporter vos données
account-data-about = Qui gère ce service et combien de temps les données sont conservées : voyez { $begin }À propos de ce service{ $end }.
account-download = Tout télécharger
account-download-about = Tout ce qui est conservé sur vous : informations, accès et historique, en un seul fichier.
account-download-facts = Seulement les informations
account-download-facts-about = Les informations par catégorie, sous une forme que d’autres programmes peuvent lire.
account-download-facts-do = Télécharger les informations
account-days = Une période
account-days-about = Ce qui a été enregistré entre deux jours (UTC) : à télécharger, ou à consulter et effacer.
account-days-about-local = Ce qui a été enregistré entre deux jours : à télécharger, ou à consulter et effacer.
account-days-download = Télécharger
account-days-show = Voir ces informations
auto-delete-title = Effacer automatiquement
auto-delete-about = Choisissez pour chaque catégorie combien de temps les informations sont gardées, à compter du jour où vous ou une application les avez mentionnées pour la dernière fois. Ensuite, elles sont effacées définitivement.
auto-delete-never = Garder jusqu’à ce que je les efface
auto-delete-months =
    { $months ->
        [one] Au bout de { $months } mois
       *[other] Au bout de { $months } mois
    }
auto-delete-save = Enregistrer
auto-delete-ask =
    { $count ->
        [one] Effacer une information maintenant ?
       *[other] Effacer { $count } informations maintenant ?
    }
auto-delete-ask-about =
    { $count ->
        [one] Elle est plus ancienne que la durée choisie.
       *[other] Elles sont plus anciennes que la durée choisie.
    }
auto-delete-do =
    { $count ->
        [one] Enregistrer et effacer une information
       *[other] Enregistrer et effacer { $count } informations
    }
account-erase = Tout effacer
account-erase-about = Toutes les informations sont effacées pour de bon, et chaque application perd son accès. Vous voyez d’abord ce qui sera effacé.
account-erase-do = Tout effacer…

# Où la personne est connectée.
sessions-title = Vos sessions ouvertes
sessions-session = Session
sessions-created = Ouverte le
sessions-seen = Dernière activité
sessions-this = Ce navigateur
sessions-other = Un autre navigateur ou appareil
sessions-end = Se déconnecter partout
sessions-end-about = Ce navigateur aussi.

# Ce qu’un formulaire vient de faire.
done-fact-added = L’information a été ajoutée.
done-fact-corrected = L’information a été corrigée. L’ancienne formulation a disparu, et les applications ne peuvent remplacer la vôtre que si vous leur dites que cela a changé.
done-fact-deleted = L’information a été effacée.
done-fact-kept-out = L’information a été effacée. Les applications ne l’enregistreront plus.
done-name-kept-out = L’information a été effacée. Les applications ne l’enregistreront plus, ni rien d’autre sous son nom, sauf si vous leur demandez de le retenir.
done-facts-deleted = Les informations sélectionnées ont été effacées.
done-facts-kept-out = Les informations sélectionnées ont été effacées. Les applications ne les enregistreront plus.
done-names-kept-out = Les informations sélectionnées ont été effacées. Les applications ne les enregistreront plus, ni rien d’autre sous leurs noms, sauf si vous leur demandez de le retenir.
done-let-in = Les applications peuvent à nouveau enregistrer ces informations quand vous en parlez.
done-facts-restored = L’effacement est annulé.
done-scope-deleted = Toutes les informations de cette catégorie ont été effacées.
done-access-changed = L’accès a été modifié. Le changement prend effet immédiatement.
done-access-revoked = L’accès a été retiré. Il a pris fin immédiatement.
done-agent-allowed = L’application a accès. Le changement prend effet immédiatement.
done-agent-refused = L’application n’a pas accès, et il ne vous sera plus rien demandé à son sujet.
done-paused = Tout est en pause. La pause a pris effet immédiatement.
done-resumed = La pause est finie. Les applications ont l’accès que vous leur avez donné.
done-asks-first = Désormais, les nouvelles applications doivent vous demander l’accès.
done-asks-by-mode = Les nouvelles applications n’ont plus à vous demander l’accès.
done-auto-delete = Votre choix est enregistré.
