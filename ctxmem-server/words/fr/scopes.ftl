# Les catégories d’informations : le nom de chacune, et de quoi elle parle.

scopes-all = Tout
scope-general = À propos de vous
scope-general-meaning = Qui vous êtes : votre nom, où vous vivez, votre fuseau horaire.
scope-communication-style = Comment vous parler
scope-communication-style-meaning = Comment vous voulez que les assistants vous répondent.
scope-preferences = Ce que vous préférez
scope-preferences-meaning = Vos outils, votre environnement et votre façon de travailler.
scope-knowledge = Ce que vous savez
scope-knowledge-meaning = Les compétences, outils, langues et frameworks que vous connaissez.
scope-relationships = Votre entourage
scope-relationships-meaning = Les personnes que vous avez nommées, et qui elles sont pour vous.
scope-history = Ce que vous avez décidé et fait
scope-history-meaning = Les décisions que vous avez prises et ce que vous avez achevé.
scope-goals = Ce sur quoi vous travaillez
scope-goals-meaning = Projets, tâches, obstacles et priorités du moment.
