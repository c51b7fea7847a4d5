# La première page : ce que c’est, et où chacun va à partir d’ici.

home-title = Une mémoire pour les applications d’IA, qui vous appartient
home-lead = Les applications d’IA peuvent retenir ce que vous leur dites. Ici, vous voyez tout, vous décidez quelle application peut utiliser quoi, et vous effacez quand vous voulez.
home-open = Ouvrir ma mémoire
home-picture = Les informations d’une personne atteignent une application par les portes que cette personne a ouvertes. Une porte fermée retient le reste.
home-people = Pour vous
home-people-text = Voyez ce que les applications d’IA savent de vous, corrigez-le et décidez qui peut l’utiliser.
home-people-link = Vous entrez avec le lien que votre application ou le gestionnaire de ce service vous envoie.
home-people-contact = Pas de lien ? Demandez ici :
home-developers = Pour les développeurs
home-developers-text = Deux appels autour de votre appel au modèle donnent à votre agent une mémoire que ses utilisateurs maîtrisent.
home-dashboard = Ouvrir le tableau de bord
home-reference = Référence de l’API
home-hosts = Pour qui gère le service
home-hosts-text = Ce serveur fonctionne. Les trois étapes suivantes :
home-hosts-developer = Donner à quelqu’un l’accès au tableau de bord :
home-hosts-model = Essayer un modèle qui trouve plus d’informations :
home-hosts-backup = Faire la première sauvegarde :
