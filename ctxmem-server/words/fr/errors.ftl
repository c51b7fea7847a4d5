# La page d’une erreur, et celle qui rend un formulaire.

error-bad-request = Cette demande ne peut pas être exécutée
error-bad-request-advice = Rien n’a été modifié. Revenez en arrière, corrigez ce qui est indiqué ci-dessus et envoyez à nouveau.
error-conflict = Cela a changé entre-temps
error-conflict-advice = Rien n’a été modifié. Regardez l’état actuel, puis décidez.
error-somebody-else-advice = Rien n’a été modifié. L’accueil montre le compte qui est connecté maintenant.
error-signed-out = Vous devez vous connecter
error-signed-out-advice = Rien n’a été modifié. Connectez-vous à nouveau. Une session se termine après une heure d’inactivité, et au plus tard au bout de douze heures.
error-forbidden = Ce n’est pas autorisé
error-forbidden-advice = Rien n’a été modifié. Si vous venez d’un lien sur un autre site, ouvrez la page ici et recommencez.
error-not-found = Il n’y a rien ici
error-not-found-advice = L’adresse est peut-être mal tapée, ou ce qui était ici n’existe plus. L’accueil montre ce qu’il y a maintenant.
error-method = Cette page ne peut pas faire cela
error-method-advice = Repartez de l’accueil.
error-too-large = C’est trop pour ce serveur
error-too-large-advice = Rien n’a été modifié. Envoyez-en moins à la fois.
error-too-many = Trop de tentatives
error-too-many-advice = Rien n’a été modifié. Attendez une minute, puis réessayez.
error-ours = Un problème est survenu de notre côté
error-ours-advice = Votre demande n’a peut-être pas pris effet. Vérifiez à l’accueil, et réessayez dans un instant.

# Un formulaire qui revient.
again-check = Vérifiez votre saisie
again-signed-out = Votre session est terminée
again-signed-out-text = Rien n’a été modifié. Ce que vous avez tapé est toujours là.
again-somebody-else = Vous utilisez maintenant un autre compte
again-somebody-else-text = Ce formulaire était destiné à un autre compte. Rien n’a donc été modifié.
again-sign-in-user = { $begin }Connectez-vous à nouveau (dans un nouvel onglet){ $end }, ou ouvrez un nouveau lien de connexion dans ce navigateur.
again-sign-in = { $begin }Connectez-vous à nouveau (dans un nouvel onglet){ $end }.
again-come-back = Revenez sur cette page et envoyez à nouveau le formulaire.
again-send = Envoyer à nouveau
again-copy = Copiez ce que vous avez tapé si vous en avez besoin. Pour l’envoyer, connectez-vous avec le compte concerné et saisissez-le là.
again-name = Nom
again-label = Pour qui ?
again-value = Information
again-user = Utilisateur de test
again-base-prompt = Prompt de base
again-message = Le message de l’utilisateur
again-answer = La réponse de l’agent
again-scope = Peut lire et écrire
again-expires-at = Jusqu’au (date et heure UTC)
again-expires-at-local = Jusqu’au (date et heure)
again-expires-in = Expire après (jours ; vide : jamais)
again-confirm = Oui, je confirme
