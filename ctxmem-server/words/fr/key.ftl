# La page d’une clé.

key-title = Clé pour { $agent }
key-title-new = Nouvelle clé pour { $agent }
key-copy-now = Copiez la clé maintenant. Elle ne s’affiche que cette fois, et seule son empreinte est enregistrée.
key-the-key = La clé
key-copy = Copier la clé
key-allows = Permet { $scopes }
key-allows-until = Permet { $scopes } ; expire le { $when }
key-try = Essayer
key-try-about = Définissez d’abord l’environnement. Chaque programme ci-dessous y lit l’adresse du service et la clé.
key-copy-environment = Copier l’environnement
key-needs-curl = Dans un shell où l’environnement est défini.
key-needs-rust = Avec le client pour Rust, qui réessaie aussi et ne fait jamais attendre votre agent.
key-needs-python = HTTP pur : rien d’autre que Python 3.
key-needs-typescript = HTTP pur : rien d’autre qu’un environnement d’exécution avec fetch, comme Node.js 18, Deno ou Bun.
key-copy-program = Copier
key-copy-program-label = Copier : { $language }
key-stored = J’ai gardé la clé : aller à l’agent
key-key = Clé
key-key-scopes = Scopes
key-state = État
key-created = Créée
key-last-used = Dernière utilisation
key-not-used = aucune utilisation enregistrée pour l’instant
key-shown-once = La clé elle-même a été affichée une fois, à sa création. Si vous ne l’avez pas, remplacez-la.
key-replace = Remplacer cette clé
key-replace-about = Vous recevez une nouvelle clé avec le même nom et les mêmes scopes. L’ancienne fonctionne encore un moment, le temps de passer votre agent à la nouvelle.
key-old-stops = L’ancienne clé cesse de fonctionner
key-immediately = immédiatement
key-in-an-hour = dans une heure
key-in-a-day = dans 24 heures
key-in-a-week = dans 7 jours
key-replace-do = Remplacer la clé
key-revoke = Révoquer cette clé
key-revoke-about = Les requêtes avec cette clé sont aussitôt refusées. C’est définitif.
key-revoke-do = Révoquer { $key }
key-back = Retour à { $agent }

# L’état d’une clé.
key-live = active
key-replaced = remplacée
key-live-until = jusqu’au { $when }
key-expired = expirée
key-revoked = révoquée
