# Los datos: la lista y los formularios para añadir, corregir y eliminar.

memory-title = Datos sobre ti
memory-heading =
    { $count ->
        [0] Ningún dato
        [one] 1 dato
       *[other] { $count } datos
    }
memory-nothing = Aquí guardan las aplicaciones lo que aprenden sobre ti en las conversaciones. Aún no hay nada guardado.
memory-select-one = No se ha eliminado nada. Selecciona al menos un dato.
memory-find = Datos
memory-search = Buscar
memory-search-hint = Buscar en tus datos
memory-filter = Filtrar por tipo, autor y día
memory-first-day = Desde (día)
memory-last-day = Hasta (día)
memory-kind = Tipo
memory-any-kind = Todos los tipos
memory-author = Guardado por
memory-anyone = Cualquiera
memory-order = Orden
memory-by-kind = Por tipo
memory-newest = Primero los más recientes
memory-oldest = Primero los más antiguos
memory-show = Buscar
memory-show-all = Ver todos los datos
memory-found =
    { $count ->
        [0] Ningún dato coincide.
        [one] 1 dato coincide.
       *[other] { $count } datos coinciden.
    }
memory-page = { $first }–{ $last } de { $all }.
memory-group = Datos
memory-you = ti
memory-from = De { $author }, { $when }
memory-from-deleted = De { $author } (eliminada), { $when }
memory-said = Tus propias palabras, del { $day }.
memory-confirmed = última confirmación: { $when }
memory-select = Seleccionar: { $fact }
memory-correct = Editar
memory-correct-this = Editar: { $fact }
memory-more = Más: tipo, nombre y por qué se sabe esto
memory-delete = Eliminar
memory-delete-this = Eliminar: { $fact }
memory-delete-kind = Eliminar todo lo de «{ $kind }»
memory-delete-kind-sure =
    { $count ->
        [one] Sí, eliminar este dato
       *[other] Sí, eliminar los { $count } datos
    }
memory-delete-kind-for-good =
    { $count ->
        [one] Sí, eliminar este dato para siempre
       *[other] Sí, eliminar los { $count } datos para siempre
    }
memory-delete-kind-do = Eliminar todo
memory-delete-kind-label = Eliminar todo lo de { $kind }
memory-delete-selected = Eliminar los datos seleccionados…
memory-delete-found =
    { $count ->
        [one] Eliminar el que coincide…
       *[other] Eliminar los { $count } que coinciden…
    }
memory-delete-all =
    { $count ->
        [one] Eliminar el único dato…
       *[other] Eliminar los { $count } datos…
    }
memory-pages = Páginas de datos
memory-first = Primera página
memory-previous = Página anterior
memory-next = Página siguiente
memory-last = Última página
memory-empty-kinds = Aún no hay nada en: { $kinds }.
memory-kept-out =
    { $count ->
        [one] 1 dato no se vuelve a guardar
       *[other] { $count } datos no se vuelven a guardar
    }
memory-kept-out-about = Los eliminaste o los corregiste. Un dato con nombre, como «editor», también deja fuera todo lo demás que lleve ese nombre. De cada uno se conserva solo una huella, así que no se pueden mostrar aquí. Si le pides directamente a una aplicación que recuerde uno, se vuelve a guardar.
memory-let-in = Permitir que las aplicaciones vuelvan a guardarlos

# Añadir un dato.
memory-add = Añadir un dato por tu cuenta
memory-add-title = Añadir un dato
memory-add-do = Añadir el dato
memory-add-any-kind = Elegir por mí
memory-add-back = Volver sin añadirlo
memory-name = Nombre
memory-add-name-hint = Una etiqueta corta, como cumpleaños, ciudad o dieta.
memory-fact = Dato
memory-add-value-hint = Con tus propias palabras, por ejemplo: Nací en 1985. Una línea, 500 caracteres como máximo. Las contraseñas, las claves y los números de tarjeta no se guardan nunca.

# Corregir uno.
memory-edit-title = Editar un dato
memory-changed = No se ha guardado: mientras tanto, el dato ha pasado a ser «{ $now }». Lo que escribiste sigue aquí. Vuelve a guardar para ponerlo en su lugar.
memory-gone = No se ha guardado: este dato ya no existe. Lo que escribiste sigue aquí y puedes añadirlo como un dato nuevo.
memory-edit-value-hint = Una línea, 500 caracteres como máximo. Las aplicaciones conservarán tu versión hasta que les digas algo nuevo. La versión anterior se elimina.
memory-edit-kind-hint = Las aplicaciones leen solo los tipos que les permites.
memory-edit-name-hint = Por ejemplo, «editor» o «ciudad». Solo «Sobre ti» y «Lo que prefieres» usan nombres.
memory-save = Guardar
memory-why = Por qué se sabe esto
memory-saved-by = Guardado por
memory-why-confirmed = Última confirmación
memory-why-found = Origen
memory-found-by-rules = Se lo mencionaste a { $author }.
memory-found-by-rules-asked = Le pediste a { $author } que lo recordara.
memory-found-by-model = Se lo mencionaste a { $author }. Un modelo de lenguaje lo detectó.
memory-found-by-model-asked = Le pediste a { $author } que lo recordara. Un modelo de lenguaje lo detectó.
memory-request = Solicitud
memory-found-unknown = No se anotó de qué solicitud viene.
memory-found-unknown-asked = Le pediste a una aplicación que lo recordara. No se anotó de qué solicitud viene.
memory-why-note = Lo que dijiste en la conversación no se conserva aquí, así que no se puede mostrar. Con el número de la solicitud, quizá el desarrollador de la aplicación pueda encontrar la conversación.
memory-delete-title = Eliminar este dato
memory-keep-out = Que las aplicaciones no vuelvan a guardarlo
memory-keep-out-name = Que las aplicaciones no vuelvan a guardarlo, ni nada más como «{ $name }»
memory-delete-instead = Mejor eliminar este dato

# Eliminar varios.
memory-delete-several =
    { $count ->
        [one] Eliminar este dato
       *[other] Eliminar { $count } datos
    }
memory-delete-several-ask =
    { $count ->
        [one] ¿Eliminar este dato?
       *[other] ¿Eliminar { $count } datos?
    }
memory-deleted = Qué se va a eliminar
memory-deleted-about = Esto no se puede deshacer.
memory-deleted-undo = Podrás deshacerlo en la página siguiente, pero no después.
memory-undo = Deshacer
memory-keep-out-several = Que las aplicaciones no vuelvan a guardarlos
memory-keep-out-several-names = Que las aplicaciones no vuelvan a guardarlos, ni nada más con estos nombres: { $names }
