# Ce qu’une application voit d’une personne.

preview-title = Ce que voit { $agent }
preview-about = Voici ce que l’application apprend sur vous au début d’une conversation aujourd’hui, mot pour mot.
preview-several-keys = L’application a plusieurs clés, qui atteignent différentes catégories d’informations. Voici ce qu’elle reçoit avec chacune.
preview-key = { $number }. { $kinds }
preview-kinds = { $kinds }
preview-no-overlap = Rien en commun
preview-demo = La démonstration
preview-copy = Copier
preview-shown = Affiche { $shown } des { $facts } informations : un prompt n’a pas de place pour plus. Votre nom, l’endroit où vous vivez, la façon de vous parler et vos allergies y sont toujours. Viennent ensuite votre santé, ce que vous avez écrit ou demandé à une application de retenir, votre famille et votre travail, ce que vous avez répété d’un jour à l’autre, et le plus récent. L’application peut chercher le reste quand vous en parlez.
preview-deleted = Rien : cette application a été supprimée par son développeur, et ses clés ne fonctionnent plus.
preview-revoked = Rien : son accès a été retiré.
preview-expired = Rien : son accès a expiré.
preview-paused = Rien : son accès est en pause. Rien n’est coché pour elle.
preview-all-paused = Rien : vous avez tout mis en pause.
preview-no-key = Rien : l’application n’a pas de clé active en ce moment.
preview-inactive = Rien : son accès n’est pas actif.
preview-no-scopes = Rien : ce que vous autorisez et ce que les clés de cette application atteignent n’ont rien en commun.
preview-empty = Rien : rien n’est encore enregistré sur vous.
preview-other-kinds = Rien : ce qui est enregistré sur vous relève d’autres catégories.
preview-demo-about = Rien sur vous : rien n’est encore enregistré. Tant que les applications de son développeur n’ont pas enregistré une première information, cette application reçoit les informations inventées d’une démonstration, les mêmes pour tout le monde.
