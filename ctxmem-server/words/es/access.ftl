# Qué aplicaciones tienen acceso y qué decide el usuario sobre todas ellas.

access-title = Aplicaciones
access-have = Con acceso
access-had = Sin acceso
access-back = Volver a las aplicaciones
access-none = Ninguna aplicación tiene ni ha tenido acceso a tu memoria.
access-about = Una aplicación lee y escribe solo lo que está marcado para ella. Si hay algo marcado, también puede borrar todo lo que hay guardado sobre ti, por ejemplo cuando se lo pides. Los cambios se aplican de inmediato.
access-active = tiene acceso
access-paused = en pausa
access-idle = no puede usar nada
access-expired = caducado
access-refused = denegado
access-revoked = retirado
access-agent-deleted = eliminada por su desarrollador
access-since = desde el { $when }
access-since-until = desde el { $when }, hasta el { $end }
access-last-used = último uso: { $when }
access-website = { $host } (comprobado)
access-never-used = aún no consta ningún uso
access-reach = Puede leer y escribir: { $kinds }.
access-reach-all = Puede leer y escribir todo.
access-reach-nothing = No tiene acceso a nada. Marca una categoría para darle acceso.
access-reach-idle = Sus claves no alcanzan nada de lo que permites. No puede leer, escribir ni eliminar nada.
access-after-pause = Cuando termine la pausa: { $reach }
access-out-of-reach = Sus claves no alcanzan: { $kinds }.
access-no-key = En este momento no tiene ninguna clave, así que no hay nada que se le pueda permitir.
access-change = Cambiar lo que puede hacer
access-allow-again = Volver a permitir…
access-may = Puede leer y escribir
access-may-hint = Si no marcas nada, no tiene acceso.
access-until = Hasta
access-until-hint = Fecha y hora en UTC. Déjalo vacío si no quieres que termine.
access-until-hint-local = Fecha y hora donde estás. Déjalo vacío para que no termine.
access-save = Guardar
access-save-label = Guardar: acceso de { $agent }
access-allow-again-label = Volver a permitir: acceso de { $agent }
access-preview = Ver lo que ve esta aplicación
access-preview-label = Ver lo que ve esta aplicación: { $agent }
access-revoke = Retirar el acceso
access-revoke-label = Retirar el acceso de { $agent }

# Todas las aplicaciones.
access-all-paused = Todo está en pausa
access-all-paused-about = Desde el { $when }, ninguna aplicación recibe nada de tu memoria y ninguna puede guardar ni eliminar nada. Lo que elegiste se conserva para después.
access-resume = Terminar la pausa
access-new = Novedades desde tu última visita
access-new-about =
    { $count ->
        [one] Esta aplicación ha empezado a usar tu memoria sin preguntarte:
       *[other] Estas aplicaciones han empezado a usar tu memoria sin preguntarte:
    }
access-new-seen = Entendido
access-asks = { $agent } pide acceso
access-waiting = espera tu respuesta
access-asked-once = lo pidió una vez, el { $first }
access-asked-often = lo ha pedido { $times } veces: la primera, el { $first }; la última, el { $last }
access-gets-nothing = No recibe nada hasta que lo permitas.
access-decide = Decidir…
access-decide-label = Decidir: { $agent }
access-all = Todas las aplicaciones
access-pause = Poner todo en pausa
access-pause-about = Ninguna aplicación recibe, guarda ni elimina nada hasta que termines la pausa.
access-always-asks = Las aplicaciones nuevas tienen que pedirte permiso aquí antes de tener acceso.
access-let-in = Dejar entrar a aplicaciones nuevas sin preguntar
access-let-in-about = Ahora las aplicaciones nuevas tienen que pedirte permiso.
access-ask-first = Las aplicaciones nuevas tienen que pedirme permiso
access-mode-auto = Ahora mismo, toda aplicación conectada obtiene acceso automáticamente.
access-mode-own = Ahora mismo, las aplicaciones de desarrolladores a los que ya diste permiso obtienen acceso automáticamente.
