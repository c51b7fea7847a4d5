# La página que dice quién administra el servicio y qué hace.

about-title = Acerca de este servicio
about-intro = Las aplicaciones de IA pueden recordar lo que les cuentas. Este servicio guarda esos datos para las aplicaciones que usas y te deja decidir qué aplicación puede usar cuáles.
about-who = Quién lo administra
about-operator = { $operator } administra este servicio y es responsable de lo que se guarda aquí.
about-no-operator = Quien administra este servicio no ha indicado aquí su nombre. Pregunta a quien te dio acceso a él.
about-contact = Contacto:
about-privacy = Política de privacidad
about-purpose = Para qué sirve
about-mode-auto = Toda aplicación que se conecta aquí obtiene acceso con su primera solicitud, sin preguntarte antes. Puedes cambiarlo en tu cuenta.
about-mode-own = Las aplicaciones de desarrolladores a los que ya diste permiso, y la primera aplicación de todas, obtienen acceso con su primera solicitud. Todas las demás tienen que pedirte permiso antes.
about-mode-ask = Una aplicación tiene que pedirte permiso antes de tener acceso.
about-purpose-text = Una aplicación con acceso recibe los datos que permites antes de responderte. Puede guardar los datos nuevos que menciones en una conversación y puede borrar todo lo que hay guardado sobre ti, por ejemplo cuando se lo pides. Las conversaciones en sí no se conservan aquí.
about-how-long = Cuánto tiempo se conserva todo
about-facts = Datos: hasta que los elimines, un dato más nuevo los sustituya o su lista se llene.
about-access = Qué aplicaciones pueden usarlos: hasta que retires el acceso o caduque. Los accesos pasados siguen apareciendo en tu cuenta.
about-log-days =
    { $days ->
        [one] El historial de quién hizo qué y cuándo: un día. No contiene ningún dato de tu memoria. Cuando borras todo, se queda, con un número que no te nombra.
       *[other] El historial de quién hizo qué y cuándo: { $days } días. No contiene ningún dato de tu memoria. Cuando borras todo, se queda, con un número que no te nombra.
    }
about-log = El historial de quién hizo qué y cuándo: sin límite. No contiene ningún dato de tu memoria. Cuando borras todo, se queda, con un número que no te nombra.
about-answers = Respuestas a las aplicaciones, para que una solicitud repetida cuente una sola vez: 24 horas.
about-sessions = Tu sesión: termina después de una hora sin uso y, como muy tarde, a las doce horas. Las cookies se usan solo para iniciar sesión, para los mensajes entre páginas y para el idioma que elijas.
about-rights = Qué puedes hacer
about-see = Ver cada dato, quién lo guardó y cuándo, y el texto exacto que recibe una aplicación.
about-correct = Corregir, añadir y eliminar datos.
about-limit = Cambiar, limitar o retirar el acceso de cada aplicación.
about-download = Descargar todo en un archivo que otros programas pueden leer.
about-delete = Borrar todo. No se puede deshacer.
about-where-contact = Todo esto lo puedes hacer en { $begin }tu cuenta{ $end }. Para cualquier otra cosa, como una queja, usa el contacto de arriba.
about-where = Todo esto lo puedes hacer en { $begin }tu cuenta{ $end }. Para cualquier otra cosa, como una queja, escribe a quien administra este servicio.
