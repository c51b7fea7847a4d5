# Borrar todo: lo que dice la página antes, y el comprobante.

erase-title = Borrar todo
# Lo que hay que escribir, para que nadie borre todo sin querer.
erase-word = borrar
erase-nothing-deleted = No se ha borrado nada. Escribe la palabra «{ $word }».
erase-type-word = Escribe la palabra «{ $word }» para confirmar
erase-wrong = Escribe la palabra «{ $word }».
erase-deleted = Qué se va a borrar
erase-no-facts = En este momento no hay nada guardado sobre ti.
erase-kind = Tipo
erase-facts = Datos
erase-total = Total
erase-no-agents = En este momento ninguna aplicación tiene acceso.
erase-agents = Estas aplicaciones pierden el acceso: { $agents }.
erase-kept-out = También se borra la lista de datos que no quieres que se vuelvan a guardar.
erase-at-once = Todo se borra de inmediato. Esto no se puede deshacer.
erase-stays = Qué queda
erase-stays-log-days =
    { $days ->
        [one] Un registro de quién hizo qué y cuándo, cada entrada durante un día. No contiene nada de lo que se dijo o se guardó. El comprobante es una de sus entradas.
       *[other] Un registro de quién hizo qué y cuándo, cada entrada durante { $days } días. No contiene nada de lo que se dijo o se guardó. El comprobante es una de sus entradas.
    }
erase-stays-log = Un registro de quién hizo qué y cuándo, mientras exista este servicio. No contiene nada de lo que se dijo o se guardó. El comprobante es una de sus entradas.
erase-stays-pseudonym = El registro no contiene tu nombre. Aun así, quien administra este servicio puede encontrar tus entradas si conoce tu identificador de usuario.
erase-stays-answers = Durante 24 horas: que se atendió una solicitud, pero no lo que decía, para que no se haga dos veces.
erase-stays-backups = Copias de seguridad, si quien administra este servicio guarda alguna. Lo que contienen sobre ti ya no se puede leer, a menos que también se guarde una copia antigua de tu clave.
erase-stays-agents = Copias que las aplicaciones hayan hecho por su cuenta. Pregunta a sus desarrolladores.
erase-download-first = Quizá quieras { $begin }descargar todo{ $end } antes.

# El comprobante.
receipt-title = Comprobante
receipt-heading = Se ha borrado todo
receipt-by = Quién lo borró
receipt-by-you = Tú
receipt-by-agent = { $agent }
receipt-by-some-agent = Una aplicación
receipt-by-developer = Un desarrollador
receipt-by-operator = Quien administra este servicio
receipt-when = Cuándo
receipt-facts = Datos borrados
receipt-facts-kinds = { $facts } ({ $kinds })
receipt-agents = Aplicaciones que perdieron el acceso
receipt-number = Número
receipt-gone = Los datos están borrados.
receipt-stays-days =
    { $days ->
        [one] Este comprobante queda en tu historial durante un día.
       *[other] Este comprobante queda en tu historial durante { $days } días.
    }
receipt-stays = Este comprobante queda en tu historial.
receipt-must-ask = Ninguna aplicación vuelve a tener acceso a menos que lo permitas. Toda aplicación que llame tiene que pedirte permiso antes, en { $begin }tu cuenta{ $end }.
receipt-download = Descargar este comprobante
receipt-print = Para guardarlo en papel, imprime esta página.

# El comprobante como archivo de texto.
receipt-text-title = Comprobante del borrado de todo lo que había guardado sobre una persona
receipt-text-line = { $label }: { $value }
receipt-text-when = { $when } ({ $exact })
receipt-text-days =
    { $days ->
        [one] El registro conserva esta entrada durante un día.
       *[other] El registro conserva esta entrada durante { $days } días.
    }
receipt-text-forever = El registro conserva esta entrada mientras exista este servicio.
receipt-text-pseudonym = No contiene ningún nombre. Aun así, quien administra el servicio puede encontrarla si conoce el identificador de usuario. Este archivo tampoco te nombra.
