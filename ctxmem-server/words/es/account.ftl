# La cuenta: su marco, el inicio, las sesiones y lo que un formulario acaba de hacer.

# El marco.
account-nav = Cuenta
account-nav-home = Inicio
account-nav-memory = Memoria
account-nav-access = Aplicaciones
account-nav-history = Historial
account-nav-data = Privacidad
account-who = Sesión de { $user }
account-quick = Acceso rápido
account-quick-pause = Pausa: ninguna aplicación recibe ni guarda nada
account-quick-download = Descargar mis datos

# El inicio.
account-title = Tu memoria
account-summary =
    { $agents ->
        [0] { $facts ->
            [0] No hay datos guardados sobre ti y ninguna aplicación tiene acceso.
            [one] Ninguna aplicación puede usar el único dato sobre ti.
           *[other] Ninguna aplicación puede usar los { $facts } datos sobre ti.
        }
        [one] Una aplicación puede usar { $facts ->
            [0] los datos sobre ti. Aún no hay ninguno guardado.
            [one] un dato sobre ti.
           *[other] { $facts } datos sobre ti.
        }
       *[other] { $agents } aplicaciones pueden usar { $facts ->
            [0] los datos sobre ti. Aún no hay ninguno guardado.
            [one] un dato sobre ti.
           *[other] { $facts } datos sobre ti.
        }
    }
account-summary-part =
    { $agents ->
        [one] Una aplicación puede usar { $usable } de los { $facts } datos sobre ti.
       *[other] Entre todas, { $agents } aplicaciones pueden usar { $usable } de los { $facts } datos sobre ti.
    }
account-you-can = Puedes verlo, corregirlo, descargarlo o eliminarlo todo.
account-numbers = En cifras
account-number-facts =
    { $count ->
        [one] dato sobre ti
       *[other] datos sobre ti
    }
account-number-usable =
    { $count ->
        [one] de ellos lo puede usar una aplicación
       *[other] de ellos los pueden usar aplicaciones
    }
account-number-apps =
    { $count ->
        [one] aplicación puede usar tu memoria
       *[other] aplicaciones pueden usar tu memoria
    }
account-all-agents = Todas las aplicaciones y sus permisos
account-newest = Datos más recientes
account-all-facts =
    { $count ->
        [one] Verlo en tu memoria
       *[other] Ver los { $count } datos
    }
account-deletions = Mientras no estabas, se eliminó algo:
account-history = Lo último que ha pasado
account-history-empty = Aún no ha pasado nada.
account-history-all = Ver todo el historial
account-data = Datos y privacidad
account-take = Llévate tus datos
account-data-about = Quién administra este servicio y cuánto tiempo se conserva todo se explica en { $begin }Acerca de este servicio{ $end }.
account-download = Descargar todo
account-download-about = Todo lo que se conserva sobre ti: datos, accesos e historial, en un solo archivo.
account-download-facts = Solo los datos
account-download-facts-about = Los datos por tipo, en un formato que otros programas pueden leer.
account-download-facts-do = Descargar los datos
account-days = Un periodo
account-days-about = Lo que se guardó entre dos días (UTC): para descargarlo, o para verlo y eliminarlo.
account-days-about-local = Lo que se guardó entre dos días: para descargarlo, o para verlo y eliminarlo.
account-days-download = Descargar
account-days-show = Ver estos datos
auto-delete-title = Eliminar automáticamente
auto-delete-about = Elige para cada tipo cuánto tiempo se conservan los datos, contando desde la última vez que tú o una aplicación los mencionasteis. Después se eliminan para siempre.
auto-delete-never = Conservar hasta que los elimine
auto-delete-months =
    { $months ->
        [one] Después de un mes
       *[other] Después de { $months } meses
    }
auto-delete-save = Guardar
auto-delete-ask =
    { $count ->
        [one] ¿Eliminar un dato ahora?
       *[other] ¿Eliminar { $count } datos ahora?
    }
auto-delete-ask-about =
    { $count ->
        [one] Es más antiguo de lo que acabas de elegir.
       *[other] Son más antiguos de lo que acabas de elegir.
    }
auto-delete-do =
    { $count ->
        [one] Guardar y eliminar un dato
       *[other] Guardar y eliminar { $count } datos
    }
account-erase = Borrar todo
account-erase-about = Todos los datos se borran para siempre y todas las aplicaciones pierden el acceso. Antes verás qué se va a borrar.
account-erase-do = Borrar todo…

# Dónde hay una sesión abierta.
sessions-title = Dónde tienes la sesión abierta
sessions-session = Sesión
sessions-created = Abierta
sessions-seen = Última actividad
sessions-this = Este navegador
sessions-other = Otro navegador o dispositivo
sessions-end = Cerrar sesión en todas partes
sessions-end-about = También en este navegador.

# Lo que un formulario acaba de hacer.
done-fact-added = Dato añadido.
done-fact-corrected = Dato corregido. La versión anterior ya no existe, y las aplicaciones no pueden sustituir la tuya a menos que les digas que algo ha cambiado.
done-fact-deleted = Dato eliminado.
done-fact-kept-out = Dato eliminado. Las aplicaciones no volverán a guardarlo.
done-name-kept-out = Dato eliminado. Las aplicaciones no volverán a guardarlo, ni nada más con su nombre, a menos que les pidas que lo recuerden.
done-facts-deleted = Se han eliminado los datos seleccionados.
done-facts-kept-out = Se han eliminado los datos seleccionados. Las aplicaciones no volverán a guardarlos.
done-names-kept-out = Se han eliminado los datos seleccionados. Las aplicaciones no volverán a guardarlos, ni nada más con sus nombres, a menos que les pidas que lo recuerden.
done-let-in = Las aplicaciones pueden volver a guardar estos datos cuando los menciones.
done-facts-restored = Se ha deshecho la eliminación.
done-scope-deleted = Se han eliminado todos los datos de este tipo.
done-access-changed = Acceso cambiado. Los cambios se aplican de inmediato.
done-access-revoked = Acceso retirado. Ha terminado de inmediato.
done-agent-allowed = La aplicación tiene acceso. Los cambios se aplican de inmediato.
done-agent-refused = La aplicación no tiene acceso y no se te volverá a preguntar por ella.
done-paused = Todo está en pausa. La pausa se ha aplicado de inmediato.
done-resumed = La pausa ha terminado. Las aplicaciones tienen el acceso que les diste.
done-asks-first = A partir de ahora, las aplicaciones nuevas tienen que pedirte permiso.
done-asks-by-mode = Las aplicaciones nuevas ya no tienen que pedirte permiso.
done-auto-delete = Tu elección está guardada.
