# El historial. Cada entrada es una frase en pretérito perfecto: { $who } contiene el verbo auxiliar,
# por ejemplo «Has» o «Helper ha».

history-title = Historial
history-about = Quién hizo qué y cuándo, primero lo más reciente. Lo que se dijo o se guardó no se conserva aquí.
history-filter = Filtro
history-agent = Aplicación
history-anyone = Cualquiera
history-what = Qué
history-everything = Todo
history-day = Día (UTC)
history-day-local = Día
history-show = Ver
history-show-all = Ver todo
history-no-match = Ninguna entrada coincide.
history-empty = Aquí no hay entradas.
history-pages = Páginas del historial
history-newest = Entradas más recientes
history-newer = Entradas posteriores
history-older = Entradas anteriores
history-oldest = Entradas más antiguas
history-csv = Descargar como CSV
history-receipt = Comprobante

# De qué trata una entrada.
history-kind-told = Lo que recibieron las aplicaciones
history-kind-saved = Lo que guardaron las aplicaciones
history-kind-access = Cambios de acceso
history-kind-yours = Correcciones, eliminaciones y descargas

# Las columnas del archivo.
history-column-time = fecha y hora
history-column-what = qué pasó
history-column-kinds = tipos
history-column-times = veces
history-column-action = acción
history-column-actor = quién
history-column-agent = aplicación
history-column-agent-id = identificador de la aplicación
history-column-outcome = resultado
history-column-facts = datos

# Quién.
history-you = Has
history-agent-named = { $agent } ha
history-agent-unnamed = Una aplicación ha
history-developer = Un desarrollador ha
history-operator = Quien administra este servicio ha
# Una aplicación dentro de una frase.
history-the-agent = { $agent }
history-some-agent = una aplicación

# Una entrada y lo que puede seguir a su frase.
history-line = { $sentence }.
history-line-times = { $sentence }, { $times } veces.
history-not-granted = { $sentence }; no permites: { $kinds }
history-not-in-key = { $sentence }; su clave no alcanza: { $kinds }
history-made-room =
    { $sentence }; { $count ->
        [one] se quitó 1 dato para hacer sitio
       *[other] se quitaron { $count } datos para hacer sitio
    }
history-until = { $sentence }, hasta el { $when }
history-kinds = { $kinds }
history-may = Puede leer y escribir: { $kinds }

# Lo que hicieron.
history-told = { $who } recibido lo que puede saber sobre ti
history-told-denied = { $who } preguntado por ti sin recibir nada: no tiene acceso
history-told-failed = { $who } preguntado por ti sin recibir respuesta
history-told-nothing = { $who } preguntado por ti; no había nada que compartir
history-read = { $who } leído los datos sobre ti que puede leer
history-read-nothing = { $who } pedido leer los datos sobre ti; no había ninguno
history-read-failed = { $who } intentado leer los datos sobre ti, pero algo falló
history-read-denied = { $who } intentado leer los datos sobre ti, pero se denegó
history-searched = { $who } buscado en los datos sobre ti que puede leer
history-searched-nothing = { $who } buscado en los datos sobre ti sin encontrar ninguno
history-search-failed = { $who } intentado buscar en los datos sobre ti, pero algo falló
history-search-denied = { $who } intentado buscar en los datos sobre ti, pero se denegó
history-changed = { $who } { $changes } sobre ti
history-changes-and = { $first } y { $last }
history-added =
    { $count ->
        [one] guardado 1 dato
       *[other] guardado { $count } datos
    }
history-replaced =
    { $count ->
        [one] sustituido 1 dato
       *[other] sustituido { $count } datos
    }
history-removed =
    { $count ->
        [one] quitado 1 dato
       *[other] quitado { $count } datos
    }
history-saved-some =
    { $count ->
        [one] { $who } guardado, sustituido o quitado 1 dato sobre ti
       *[other] { $who } guardado, sustituido o quitado { $count } datos sobre ti
    }
history-saved-nothing = { $who } enviado un mensaje; no se guardó nada
history-learned-nothing = { $who } enviado un mensaje; no se aprendió nada nuevo sobre ti
history-save-denied = { $who } intentado guardar algo sobre ti, pero se denegó
history-save-limit = { $who } enviado un mensaje; no se guardó nada porque ha alcanzado su límite
history-save-failed = { $who } enviado un mensaje; no se guardó nada porque algo falló
history-own-access = su propio acceso
history-access-of = el acceso de { $agent }
history-grant-denied = { $who } intentado fijar { $access }, pero se denegó
history-granted-first = { $who } obtenido acceso con su primera solicitud
history-granted-narrowed = { $who } reducido su propio acceso
history-granted-renewed = { $who } renovado su propio acceso, que había caducado
history-granted-own = { $who } fijado su propio acceso
history-granted-own-changed = { $who } cambiado su propio acceso
history-granted = { $who } dado acceso a { $agent }
history-granted-paused = { $who } puesto en pausa el acceso de { $agent }
history-granted-resumed = { $who } vuelto a dar acceso a { $agent } tras una pausa
history-granted-changed = { $who } cambiado el acceso de { $agent }
history-revoked = { $who } retirado { $access }
history-revoke-denied = { $who } intentado retirar { $access }, pero se denegó
history-refused = { $who } denegado el acceso a { $agent }
history-paused = { $who } puesto en pausa todos los accesos
history-resumed = { $who } terminado la pausa de todos los accesos
history-asks-first = { $who } elegido que las aplicaciones nuevas pidan permiso antes
history-asks-by-mode = { $who } elegido que las aplicaciones nuevas no tengan que pedir permiso
history-auto-delete-set = { $who } elegido cuánto tiempo se conservan los datos
history-auto-deleted =
    { $count ->
        [one] Se eliminó un dato porque había cumplido el tiempo que elegiste
       *[other] Se eliminaron { $count } datos porque habían cumplido el tiempo que elegiste
    }
history-signed-out-everywhere = { $who } cerrado sesión en todas partes
history-profile = { $who } cambiado lo que se dice a los usuarios sobre { $agent }
history-erased =
    { $count ->
        [one] { $who } borrado todo lo que había guardado sobre ti: 1 dato
       *[other] { $who } borrado todo lo que había guardado sobre ti: { $count } datos
    }
history-reapplied = { $who } restaurado una copia de seguridad y aplicado de nuevo lo que habías decidido desde entonces
history-erase-denied = { $who } intentado borrar todo, pero se denegó
history-fact-added = { $who } añadido un dato
history-fact-corrected = { $who } corregido un dato
history-facts-deleted =
    { $count ->
        [one] { $who } eliminado un dato
       *[other] { $who } eliminado { $count } datos
    }
history-fact-delete-denied = { $who } intentado eliminar un dato, pero se denegó
history-fact-delete-failed = { $who } intentado eliminar un dato, pero algo falló
history-facts-restored =
    { $count ->
        [one] { $who } deshecho una eliminación: 1 dato
       *[other] { $who } deshecho una eliminación: { $count } datos
    }
history-kind-deleted =
    { $count ->
        [one] { $who } eliminado todos los datos de un tipo: 1 dato
       *[other] { $who } eliminado todos los datos de un tipo: { $count } datos
    }
history-exported =
    { $count ->
        [one] { $who } descargado una copia de 1 dato
       *[other] { $who } descargado una copia de { $count } datos
    }
history-signed-in = { $who } iniciado sesión
history-sign-in-failed = { $who } intentado iniciar sesión, sin éxito
history-agent-created = { $who } creado la aplicación { $agent }
history-agent-renamed = { $who } cambiado el nombre de una aplicación; ahora se llama { $agent }
history-agent-deleted = { $who } eliminado la aplicación { $agent }
history-key-created = { $who } creado una clave para { $agent }
history-key-revoked = { $who } revocado una clave de { $agent }
history-key-replaced = { $who } sustituido una clave de { $agent }
history-password = { $who } cambiado una contraseña
history-second-factor = { $who } cambiado la verificación en dos pasos
history-team-invited = { $who } invitado a alguien a un equipo
history-team-invitation-withdrawn = { $who } retirado una invitación a un equipo
history-team-joined = { $who } entrado en un equipo
history-team-left = { $who } dejado un equipo
history-team-member-removed = { $who } quitado a alguien de un equipo
history-team-handed-over = { $who } cedido un equipo
