# Los tipos de datos: cómo se llama cada uno y de qué trata.

scopes-all = Todo
scope-general = Sobre ti
scope-general-meaning = Quién eres: tu nombre, dónde vives, tu zona horaria.
scope-communication-style = Cómo hablarte
scope-communication-style-meaning = Cómo quieres que te respondan los asistentes.
scope-preferences = Lo que prefieres
scope-preferences-meaning = Tus herramientas, tu entorno y la forma en que te gusta trabajar.
scope-knowledge = Lo que sabes
scope-knowledge-meaning = Habilidades, herramientas, lenguajes y frameworks que conoces.
scope-relationships = Personas de tu entorno
scope-relationships-meaning = Personas que has nombrado y quiénes son para ti.
scope-history = Lo que has decidido y hecho
scope-history-meaning = Decisiones que has tomado y cosas que has terminado.
scope-goals = Lo que tienes en marcha
scope-goals-meaning = Proyectos, tareas, obstáculos y prioridades actuales.
