# El panel: su marco, la lista de agentes, los gráficos y lo que un formulario acaba de hacer.

dashboard-nav = Panel
dashboard-agents = Agentes
dashboard-playground = Zona de pruebas
dashboard-team = Equipo
dashboard-settings = Ajustes
dashboard-who = Sesión de { $developer }

dashboard-title = Tus agentes
dashboard-none = Aún no tienes agentes. Crea uno abajo. Recibirás una clave y programas para empezar.
dashboard-table = Tabla de agentes
dashboard-agent = Agente
dashboard-users = Usuarios que dan acceso
dashboard-live-keys = Claves vigentes
dashboard-updates = Updates este mes
dashboard-of-quota = { $updates } de { $quota }
dashboard-create = Crear un agente
dashboard-name = Nombre
dashboard-name-hint = Los usuarios lo ven cuando deciden sobre el acceso.
dashboard-create-do = Crear el agente y su primera clave
dashboard-usage = Todos los agentes, últimos 30 días
dashboard-usage-about = Por días en UTC, incluidos los agentes que eliminaste. Las llamadas más recientes aparecen en menos de un minuto.
dashboard-csv = Descargar como CSV
dashboard-quota-used = { $agent } ha usado los { $quota } updates de este mes. Hasta que termine el mes (UTC) no se aprende nada más.
dashboard-quota-alert = { $agent } ha usado { $updates } de los { $quota } updates de este mes ({ $share } %). Cuando se usen todos, no se aprenderá nada más hasta que termine el mes (UTC).

# Los ámbitos de una clave.
key-scopes = Ámbitos de la clave
key-scopes-about = Un agente puede usar un ámbito solo si su clave lo permite y el usuario le da acceso. Pide solo lo que necesites.
key-scopes-all = todos los ámbitos
key-scope-general = nombre, lugar, zona horaria
key-scope-communication-style = cómo quiere las respuestas el usuario
key-scope-preferences = herramientas, entorno, forma de trabajar
key-scope-knowledge = habilidades, lenguajes, frameworks
key-scope-relationships = personas nombradas
key-scope-history = decisiones y acciones terminadas
key-scope-goals = proyectos, tareas, plazos

# Los gráficos.
chart-injects = Injects
chart-injects-about = solicitudes de un prompt
chart-updates = Updates
chart-updates-about = turnos de los que se aprendió
chart-filtered = Filtrados
chart-filtered-about = turnos que no pueden contener un dato
chart-denied = Denegados
chart-denied-about = sin acceso, un ámbito sin permiso o el cupo agotado
chart-errors = Errores
chart-errors-about = llamadas que fallaron
chart-in-numbers = { $title } en cifras
chart-day = Día
chart-bar = { $day }: { $numbers }
chart-part = { $title } { $count }
chart-tenth = { $whole },{ $tenth }{ $unit }
chart-calls = Llamadas
chart-empty = Aún no hay llamadas en estos días.
chart-times = Tiempos de respuesta en milisegundos
chart-half = Mediana
chart-half-about = una de cada dos llamadas del día
chart-most = Percentil 95
chart-most-about = casi todas las llamadas del día
chart-all-agents = Todos los agentes
chart-days = Días
chart-last-days = Últimos { $days } días
chart-show = Mostrar
chart-times-in-words = { $title } por día, del { $first } al { $last }: 95 de 100 en { $most } ms como máximo, el { $day }
chart-no-days = { $title }: ningún día
chart-nothing = { $title } por día, del { $first } al { $last }: ninguno
chart-in-words = { $title } por día, del { $first } al { $last }: { $total } en total, { $most } como máximo el { $day }

# Lo que un formulario acaba de hacer.
done-agent-renamed = El agente tiene su nuevo nombre.
done-agent-deleted = Agente eliminado. Sus claves han dejado de funcionar. Los usuarios siguen viendo su nombre.
done-key-revoked = Clave revocada. A partir de ahora se rechazan las solicitudes que la usen.
done-password-changed = Contraseña cambiada. Se ha cerrado tu sesión en todos los demás navegadores.
done-second-factor-off = La verificación en dos pasos está desactivada. Tus códigos de recuperación ya no funcionan.
done-test-user-erased = Usuario de prueba borrado, con todo lo que había guardado sobre él.
done-profile-saved = Guardado. Los usuarios lo ven cuando deciden sobre este agente.
done-invitation-withdrawn = Invitación retirada. Su enlace ya no funciona.
done-member-removed = Se ha quitado al miembro y se ha cerrado su sesión en todas partes. Las claves que creó siguen funcionando: sustituye las que haya podido copiar.
done-team-handed-over = El equipo tiene un nuevo propietario. Ahora eres miembro.
