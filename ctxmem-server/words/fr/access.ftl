# Quelles applications ont accès, et ce que la personne décide pour toutes.

access-title = Applications
access-have = Avec accès
access-had = Sans accès
access-back = Retour aux applications
access-none = Aucune application n’a accès à votre mémoire, ni ne l’a jamais eu.
access-about = Une application ne lit et n’écrit que ce qui est coché pour elle. Dès qu’une case est cochée, elle peut aussi effacer tout ce qui est enregistré sur vous, par exemple si vous le lui demandez. Vos changements prennent effet immédiatement.
access-active = a accès
access-paused = en pause
access-idle = ne peut rien utiliser
access-expired = accès expiré
access-refused = accès refusé
access-revoked = accès retiré
access-agent-deleted = supprimée par son développeur
access-since = depuis le { $when }
access-since-until = depuis le { $when }, jusqu’au { $end }
access-last-used = dernière utilisation le { $when }
access-website = { $host } (vérifié)
access-never-used = aucune utilisation enregistrée pour l’instant
access-reach = Peut lire et écrire : { $kinds }.
access-reach-all = Peut tout lire et tout écrire.
access-reach-nothing = Elle n’a accès à rien. Cochez une catégorie pour lui donner accès.
access-reach-idle = Ses clés n’atteignent rien de ce que vous autorisez. Elle ne peut rien lire, rien écrire, rien effacer.
access-after-pause = Après la pause : { $reach }
access-out-of-reach = Hors de portée de ses clés : { $kinds }.
access-no-key = Elle n’a pas de clé en ce moment. Il n’y a donc rien à lui autoriser.
access-change = Modifier ce qu’elle peut faire
access-allow-again = Autoriser à nouveau…
access-may = Peut lire et écrire
access-may-hint = Si rien n’est coché, elle n’a pas accès.
access-until = Jusqu’au
access-until-hint = Date et heure UTC. Laissez vide pour ne pas fixer de fin.
access-until-hint-local = Date et heure chez vous. Laissez vide pour ne pas fixer de fin.
access-save = Enregistrer
access-save-label = Enregistrer l’accès : { $agent }
access-allow-again-label = Autoriser à nouveau : { $agent }
access-preview = Aperçu de ce que voit cette application
access-preview-label = Aperçu de ce que voit cette application : { $agent }
access-revoke = Retirer l’accès
access-revoke-label = Retirer l’accès : { $agent }

# Toutes les applications.
access-all-paused = Tout est en pause
access-all-paused-about = Depuis le { $when }, aucune application ne reçoit quoi que ce soit de votre mémoire, et aucune ne peut y enregistrer ou en effacer quelque chose. Vos choix sont gardés pour plus tard.
access-resume = Mettre fin à la pause
access-new = Du nouveau depuis votre dernière visite
access-new-about =
    { $count ->
        [one] Cette application s’est mise à utiliser votre mémoire sans vous le demander :
       *[other] Ces applications se sont mises à utiliser votre mémoire sans vous le demander :
    }
access-new-seen = C’est noté
access-asks = { $agent } demande l’accès
access-waiting = attend votre réponse
access-asked-once = a demandé une fois, le { $first }
access-asked-often = a demandé { $times } fois, la première le { $first }, la dernière le { $last }
access-gets-nothing = Elle ne reçoit rien tant que vous ne l’autorisez pas.
access-decide = Décider…
access-decide-label = Décider : { $agent }
access-all = Toutes les applications
access-pause = Tout mettre en pause
access-pause-about = Aucune application ne reçoit, n’enregistre ou n’efface quoi que ce soit avant la fin de la pause.
access-always-asks = Les nouvelles applications doivent vous demander l’accès ici avant de l’obtenir.
access-let-in = Laisser entrer les nouvelles applications sans demande
access-let-in-about = Pour l’instant, elles doivent vous demander l’accès.
access-ask-first = Les nouvelles applications doivent me demander l’accès
access-mode-auto = Pour l’instant, toute application reliée obtient l’accès automatiquement.
access-mode-own = Pour l’instant, les applications des développeurs que vous avez déjà autorisés obtiennent l’accès automatiquement.
