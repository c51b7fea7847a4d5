# Les informations : la liste, et les formulaires pour ajouter, corriger et effacer.

memory-title = Informations sur vous
memory-heading =
    { $count ->
        [0] Aucune information
        [one] 1 information
       *[other] { $count } informations
    }
memory-nothing = Les applications enregistrent ici ce qu’elles apprennent sur vous dans vos conversations. Rien n’est encore enregistré.
memory-select-one = Rien n’a été effacé. Sélectionnez au moins une information.
memory-find = Informations
memory-search = Rechercher
memory-search-hint = Chercher dans vos informations
memory-filter = Filtrer par catégorie, auteur et jour
memory-first-day = Du (jour)
memory-last-day = Au (jour)
memory-kind = Catégorie
memory-any-kind = Toutes les catégories
memory-author = Enregistrée par
memory-anyone = tout le monde
memory-order = Ordre
memory-by-kind = Par catégorie
memory-newest = Les plus récentes d’abord
memory-oldest = Les plus anciennes d’abord
memory-show = Rechercher
memory-show-all = Afficher toutes les informations
memory-found =
    { $count ->
        [0] Aucune information ne correspond.
        [one] 1 information correspond.
       *[other] { $count } informations correspondent.
    }
memory-page = { $first }–{ $last } sur { $all }.
memory-group = Informations
memory-you = vous
memory-from = Par { $author }, { $when }
memory-from-deleted = Par { $author } (supprimée), { $when }
memory-said = Vos propres mots, du { $day }.
memory-confirmed = dernière confirmation : { $when }
memory-select = Sélectionner : { $fact }
memory-correct = Modifier
memory-correct-this = Modifier : { $fact }
memory-more = Plus : catégorie, nom et origine
memory-delete = Effacer
memory-delete-this = Effacer : { $fact }
memory-delete-kind = Tout effacer dans « { $kind } »
memory-delete-kind-sure =
    { $count ->
        [one] Oui, effacer cette information
       *[other] Oui, effacer ces { $count } informations
    }
memory-delete-kind-for-good =
    { $count ->
        [one] Oui, effacer cette information pour de bon
       *[other] Oui, effacer ces { $count } informations pour de bon
    }
memory-delete-kind-do = Tout effacer
memory-delete-kind-label = Tout effacer dans { $kind }
memory-delete-selected = Effacer la sélection…
memory-delete-found =
    { $count ->
        [one] Effacer celle qui correspond…
       *[other] Effacer les { $count } qui correspondent…
    }
memory-delete-all =
    { $count ->
        [one] Effacer la seule information…
       *[other] Effacer les { $count } informations…
    }
memory-pages = Pages d’informations
memory-first = Première page
memory-previous = Page précédente
memory-next = Page suivante
memory-last = Dernière page
memory-empty-kinds = Rien encore dans : { $kinds }.
memory-kept-out =
    { $count ->
        [one] 1 information ne sera plus enregistrée
       *[other] { $count } informations ne seront plus enregistrées
    }
memory-kept-out-about = Vous les avez effacées ou corrigées. Une information qui a un nom, comme « ville », écarte aussi tout le reste sous ce nom. De chacune, seule une empreinte est gardée : elles ne peuvent donc pas être affichées ici. Si vous demandez expressément à une application d’en retenir une, elle est à nouveau enregistrée.
memory-let-in = Laisser les applications les enregistrer à nouveau

# Ajouter une information.
memory-add = Ajouter vous-même une information
memory-add-title = Ajouter une information
memory-add-do = Ajouter l’information
memory-add-any-kind = Choisir pour moi
memory-add-back = Retour, sans l’ajouter
memory-name = Nom
memory-add-name-hint = Une courte étiquette, comme anniversaire, ville ou alimentation.
memory-fact = Information
memory-add-value-hint = Avec vos propres mots, par exemple : J’habite à Lyon. Une ligne, 500 caractères au plus. Les mots de passe, les clés et les numéros de carte ne sont jamais enregistrés.

# En corriger une.
memory-edit-title = Modifier une information
memory-changed = Non enregistré : entre-temps, c’est devenu « { $now } ». Ce que vous avez tapé est toujours là. Enregistrez à nouveau pour le mettre à la place.
memory-gone = Non enregistré : cette information n’existe plus. Ce que vous avez tapé est toujours là, et vous pouvez l’ajouter comme nouvelle information.
memory-edit-value-hint = Une ligne, 500 caractères au plus. Les applications garderont votre formulation jusqu’à ce que vous leur disiez autre chose. L’ancienne est effacée.
memory-edit-kind-hint = Les applications ne lisent que les catégories que vous leur autorisez.
memory-edit-name-hint = Par exemple « ville » ou « anniversaire ». Seules « À propos de vous » et « Ce que vous préférez » utilisent des noms.
memory-save = Enregistrer
memory-why = D’où vient cette information
memory-saved-by = Enregistrée
memory-why-confirmed = Dernière confirmation
memory-why-found = Origine
memory-found-by-rules = Vous en avez parlé à { $author }.
memory-found-by-rules-asked = Vous avez demandé à { $author } de la retenir.
memory-found-by-model = Vous en avez parlé à { $author }. Un modèle de langage l’a repérée.
memory-found-by-model-asked = Vous avez demandé à { $author } de la retenir. Un modèle de langage l’a repérée.
memory-request = Requête
memory-found-unknown = La requête dont elle vient n’a pas été notée.
memory-found-unknown-asked = Vous avez demandé à une application de la retenir. La requête dont elle vient n’a pas été notée.
memory-why-note = Ce que vous avez dit dans la conversation n’est pas conservé ici et ne peut donc pas être affiché. Avec le numéro de la requête, le développeur de l’application pourra peut-être retrouver la conversation.
memory-delete-title = Effacer cette information
memory-keep-out = Ne plus laisser les applications l’enregistrer
memory-keep-out-name = Ne plus laisser les applications l’enregistrer, ni rien d’autre sous le nom « { $name } »
memory-delete-instead = Effacer plutôt cette information

# En effacer plusieurs.
memory-delete-several =
    { $count ->
        [one] Effacer cette information
       *[other] Effacer { $count } informations
    }
memory-delete-several-ask =
    { $count ->
        [one] Effacer cette information ?
       *[other] Effacer { $count } informations ?
    }
memory-deleted = Ce qui sera effacé
memory-deleted-about = C’est définitif.
memory-deleted-undo = Vous pourrez annuler sur la page suivante, mais plus ensuite.
memory-undo = Annuler
memory-keep-out-several = Ne plus laisser les applications les enregistrer
memory-keep-out-several-names = Ne plus laisser les applications les enregistrer, ni rien d’autre sous ces noms : { $names }
