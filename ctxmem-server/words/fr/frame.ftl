# Le cadre de chaque page : ce qui se trouve au-dessus et au-dessous.

# Le code de la langue, pour les navigateurs.
frame-language = fr
frame-skip = Aller au contenu
frame-about = Une mémoire pour l’IA, qui appartient aux personnes dont elle parle.
frame-about-link = À propos de ce service
frame-copied = Copié
frame-copy-by-hand = Sélectionnez et copiez à la main

# Plusieurs pages.
frame-sign-out = Se déconnecter
frame-overview = Aller à l’accueil
frame-cancel = Annuler
frame-not-saved = Non enregistré. Corrigez le champ ci-dessous.
# Le titre d’une page qui signale une erreur.
frame-error-title = Erreur : { $title }
