# La zona de pruebas.

playground-title = Zona de pruebas
playground-about = Llama a la interfaz con una de tus claves, para un usuario de prueba propio. Su identificador de usuario es siempre { $user }, así que aquí no puedes ver lo que hay guardado sobre personas reales. Las llamadas cuentan como cualquier otra para el límite de frecuencia, el cupo, el uso y el número de usuarios.
playground-no-key = No tienes ninguna clave vigente. { $begin }Crea antes un agente o una clave{ $end }.
playground-result = Respuesta
playground-request = Solicitud
playground-response = Respuesta del servidor
playground-curl = La llamada como comando de curl
playground-curl-about = Lee la clave de { $variable }.
playground-curl-copy = Copiar el comando
playground-call = Llamada
playground-key = Clave
playground-key-choice = { $agent }: { $prefix }… ({ $scopes })
playground-user = Usuario de prueba
playground-inject-about = Inject: un prompt con lo que se sabe
playground-base-prompt = Prompt base
playground-inject = Inject
playground-update-about = Update: aprender de un turno
playground-message = El mensaje del usuario
playground-answer = La respuesta del agente
playground-update = Update
playground-calls = Tus últimas llamadas
playground-calls-about = Se conservan una hora como máximo.
playground-call-copy = Copiar el comando de la llamada { $number }
playground-erase = Empezar de cero
playground-erase-about = Borra todo lo que hay guardado sobre este usuario de prueba y las llamadas de la lista de arriba. Esto no se puede deshacer.
playground-erase-do = Borrar el usuario de prueba
