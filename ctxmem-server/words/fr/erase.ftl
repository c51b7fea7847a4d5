# Tout effacer : ce que la page dit avant, et le reçu.

erase-title = Tout effacer
# Le mot à taper, pour que personne n’efface tout par accident.
erase-word = effacer
erase-nothing-deleted = Rien n’a été effacé. Tapez le mot « { $word } ».
erase-type-word = Tapez le mot « { $word } » pour confirmer
erase-wrong = Tapez le mot « { $word } ».
erase-deleted = Ce qui sera effacé
erase-no-facts = Rien n’est enregistré sur vous en ce moment.
erase-kind = Catégorie
erase-facts = Informations
erase-total = Total
erase-no-agents = Aucune application n’a accès en ce moment.
erase-agents = Ces applications perdent l’accès : { $agents }.
erase-kept-out = La liste des informations que vous ne voulez plus voir enregistrées est effacée aussi.
erase-at-once = Tout est effacé immédiatement. C’est définitif.
erase-stays = Ce qui reste
erase-stays-log-days =
    { $days ->
        [one] Un journal de qui a fait quoi et quand, où chaque entrée reste un jour. Il ne contient rien de ce qui a été dit ou enregistré. Le reçu est l’une de ses entrées.
       *[other] Un journal de qui a fait quoi et quand, où chaque entrée reste { $days } jours. Il ne contient rien de ce qui a été dit ou enregistré. Le reçu est l’une de ses entrées.
    }
erase-stays-log = Un journal de qui a fait quoi et quand, tant que ce service existe. Il ne contient rien de ce qui a été dit ou enregistré. Le reçu est l’une de ses entrées.
erase-stays-pseudonym = Le journal ne contient pas votre nom. Le gestionnaire de ce service peut tout de même retrouver vos entrées s’il connaît votre identifiant.
erase-stays-answers = Pendant 24 heures : le fait qu’une requête a été traitée, mais pas ce qu’elle disait, pour qu’elle ne soit pas exécutée deux fois.
erase-stays-backups = Les sauvegardes, si le gestionnaire de ce service en garde. Ce qu’elles contiennent sur vous n’est plus lisible, sauf si une copie plus ancienne de votre clé est gardée aussi.
erase-stays-agents = Les copies que des applications ont faites pour elles-mêmes. Adressez-vous à leurs développeurs.
erase-download-first = Vous voudrez peut-être d’abord { $begin }tout télécharger{ $end }.

# Le reçu.
receipt-title = Reçu
receipt-heading = Tout a été effacé
receipt-by = Effacé par
receipt-by-you = Vous
receipt-by-agent = { $agent }
receipt-by-some-agent = Une application
receipt-by-developer = Un développeur
receipt-by-operator = Le gestionnaire de ce service
receipt-when = Quand
receipt-facts = Informations effacées
receipt-facts-kinds = { $facts } ({ $kinds })
receipt-agents = Applications ayant perdu l’accès
receipt-number = Numéro
receipt-gone = Les informations sont effacées.
receipt-stays-days =
    { $days ->
        [one] Ce reçu reste un jour dans votre historique.
       *[other] Ce reçu reste { $days } jours dans votre historique.
    }
receipt-stays = Ce reçu reste dans votre historique.
receipt-must-ask = Aucune application n’a plus accès, sauf si vous l’autorisez à nouveau. Une application qui appelle doit d’abord vous demander, dans { $begin }votre compte{ $end }.
receipt-download = Télécharger ce reçu
receipt-print = Pour le garder sur papier, imprimez cette page.

# Le reçu sous forme de fichier texte.
receipt-text-title = Reçu pour l’effacement de tout ce qui était enregistré sur une personne
receipt-text-line = { $label } : { $value }
receipt-text-when = { $when } ({ $exact })
receipt-text-days =
    { $days ->
        [one] Le journal garde cette entrée un jour.
       *[other] Le journal garde cette entrée { $days } jours.
    }
receipt-text-forever = Le journal garde cette entrée tant que ce service existe.
receipt-text-pseudonym = Elle ne contient pas de nom. Le gestionnaire du service peut tout de même la retrouver s’il connaît l’identifiant. Ce fichier ne vous nomme pas non plus.
