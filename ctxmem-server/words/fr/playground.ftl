# L’espace de test.

playground-title = Espace de test
playground-about = Appelez l’API avec l’une de vos clés, pour votre propre utilisateur de test. Son identifiant est toujours { $user } : vous ne pouvez donc pas voir ici ce qui est enregistré sur de vraies personnes. Les appels comptent comme les autres pour la limite de débit, le quota, l’utilisation et le nombre d’utilisateurs.
playground-no-key = Vous n’avez pas de clé active. { $begin }Créez d’abord un agent ou une clé{ $end }.
playground-result = Résultat
playground-request = Requête
playground-response = Réponse
playground-curl = L’appel sous forme de commande curl
playground-curl-about = Elle lit la clé dans { $variable }.
playground-curl-copy = Copier la commande
playground-call = Appel
playground-key = Clé
playground-key-choice = { $agent } : { $prefix }… ({ $scopes })
playground-user = Utilisateur de test
playground-inject-about = Inject : un prompt avec ce qui est connu
playground-base-prompt = Prompt de base
playground-inject = Inject
playground-update-about = Update : apprendre d’un échange
playground-message = Le message de l’utilisateur
playground-answer = La réponse de l’agent
playground-update = Update
playground-calls = Vos derniers appels
playground-calls-about = Gardés une heure au plus.
playground-call-copy = Copier la commande de l’appel { $number }
playground-erase = Repartir de zéro
playground-erase-about = Efface tout ce qui est enregistré sur cet utilisateur de test, et les appels listés ci-dessus. C’est définitif.
playground-erase-do = Effacer l’utilisateur de test
