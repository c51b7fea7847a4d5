# El inicio de sesión: enlaces, el servicio de inicio de sesión, fallos. También está aquí el formulario del panel.

sign-in-title = Iniciar sesión
sign-in-about-to = Vas a iniciar sesión como { $user }. Este enlace funciona una sola vez.
sign-in-do = Iniciar sesión
sign-in-with = Iniciar sesión con { $service }
sign-in-operator = { $operator } administra este servicio.
sign-in-link-over = Este enlace ya no es válido
sign-in-link-over-about = Un enlace para iniciar sesión funciona una sola vez y durante 15 minutos. Pide uno nuevo donde obtuviste este.
signed-out-title = No has iniciado sesión
signed-out-asking = { $agent } pide acceso a lo que hay guardado sobre ti. Inicia sesión para decidir.
signed-out-about = Inicia sesión para ver qué datos sobre ti hay guardados y qué aplicaciones pueden usarlos.
signed-out-link-too = Si te dieron un enlace para iniciar sesión, también sirve.
signed-out-about-link = Abre un enlace para iniciar sesión y verás qué datos sobre ti hay guardados y qué aplicaciones pueden usarlos. Quien administra este servicio puede crear uno.
signed-out-developers = ¿Desarrollas agentes? { $begin }Inicia sesión en el panel{ $end }.

# Por qué falló un inicio de sesión y qué hacer.
sign-in-start = Volver al principio
sign-in-not-begun = Este inicio de sesión no se puede completar
sign-in-not-begun-text = No se empezó en este navegador, ya se había completado o tardó más de diez minutos.
sign-in-not-begun-advice = Vuelve al principio e inicia sesión de nuevo, en un solo navegador. Tu navegador debe aceptar cookies.
sign-in-denied = No se ha iniciado tu sesión
sign-in-denied-text = El servicio de inicio de sesión terminó el proceso sin iniciar tu sesión.
sign-in-denied-advice = Si no lo cancelaste tú, pregunta a quien administra tu servicio de inicio de sesión si puedes usar este servicio.
sign-in-unverified-text = No se pudo verificar lo que el servicio de inicio de sesión dijo sobre ti.
sign-in-again = Empieza de nuevo desde aquí.
sign-in-unavailable = El servicio de inicio de sesión no está disponible
sign-in-unavailable-text = No respondió a tiempo.
sign-in-later = No se ha cambiado nada. Vuelve a intentarlo en un minuto. Si no funciona, avisa a quien administra este servicio, que puede encontrar la causa en el registro.
sign-in-bad-answer = El servicio de inicio de sesión dio una respuesta inesperada
sign-in-bad-answer-text = Su respuesta no se puede usar.
sign-in-no-user = No es posible iniciar tu sesión
sign-in-no-user-text = El servicio de inicio de sesión no dice qué usuario eres: el atributo «{ $claim }» falta o no puede ser un identificador de usuario.
sign-in-no-user-advice = Muestra este texto a quien administra este servicio, que puede arreglarlo.
sign-in-has-account = No has entrado en el equipo
sign-in-has-account-text = Ya hay una cuenta de desarrollador con tu dirección, y una persona solo puede estar en un equipo. La invitación aún se puede usar.
sign-in-has-account-advice = Deja antes tu otro equipo o entra con otra dirección. Para seguir con la cuenta que ya tienes, inicia sesión.
sign-in-no-developer = Aquí no es posible iniciar tu sesión
sign-in-no-developer-text = Ningún desarrollador de este servicio tiene una dirección de correo que el servicio de inicio de sesión haya verificado como tuya.
sign-in-no-developer-advice = Pide a quien administra este servicio una cuenta con la dirección que usaste para iniciar sesión.

# Desarrolladores.
developer-sign-in-title = Iniciar sesión en el panel
developer-sign-in-about = Para quienes desarrollan agentes: agentes, claves, uso y una zona de pruebas.
developer-email = Correo electrónico
developer-password = Contraseña
developer-no-password = ¿Aún no tienes contraseña? Quien administra este servicio puede establecer una con { $command }. El desarrollador creado en el primer arranque es { $first }.
developer-wrong = Correo o contraseña incorrectos.
developer-too-many =
    { $seconds ->
        [one] Demasiados intentos con esta dirección. Vuelve a intentarlo en un segundo.
       *[other] Demasiados intentos con esta dirección. Vuelve a intentarlo en { $seconds } segundos.
    }
developer-too-many-codes =
    { $seconds ->
        [one] Demasiados intentos. Vuelve a intentarlo en un segundo.
       *[other] Demasiados intentos. Vuelve a intentarlo en { $seconds } segundos.
    }
developer-code-title = Escribe el código
developer-code = Código
developer-code-hint = Los seis dígitos de tu aplicación de autenticación o uno de tus códigos de recuperación.
developer-code-wrong = El código es incorrecto o ya se había usado.
developer-start-again = Empezar de nuevo
developer-lost-both = ¿Has perdido ambas cosas? Quien administra este servicio puede desactivar la verificación en dos pasos con { $command }.
