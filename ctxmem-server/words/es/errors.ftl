# La página de un error y la página que devuelve un formulario.

error-bad-request = Esta solicitud no se puede realizar
error-bad-request-advice = No se ha cambiado nada. Vuelve atrás, corrige lo que se indica arriba y envíalo de nuevo.
error-conflict = Esto ha cambiado desde que lo miraste
error-conflict-advice = No se ha cambiado nada. Mira cómo está ahora y después decide.
error-somebody-else-advice = No se ha cambiado nada. La página de inicio muestra la cuenta con la sesión abierta en este momento.
error-signed-out = No has iniciado sesión
error-signed-out-advice = No se ha cambiado nada. Vuelve a iniciar sesión. Las sesiones terminan después de una hora sin uso y, como muy tarde, a las doce horas.
error-forbidden = Eso no está permitido
error-forbidden-advice = No se ha cambiado nada. Si seguiste un enlace de otro sitio, abre la página aquí y hazlo desde ella.
error-not-found = Aquí no hay nada
error-not-found-advice = Puede que la dirección esté mal escrita o que lo que había aquí ya no exista. La página de inicio muestra lo que hay ahora.
error-method = Esta página no puede hacer eso
error-method-advice = Empieza desde la página de inicio.
error-too-large = Eso es más de lo que acepta este servidor
error-too-large-advice = No se ha cambiado nada. Envía menos cada vez.
error-too-many = Demasiados intentos
error-too-many-advice = No se ha cambiado nada. Espera un minuto y vuelve a intentarlo.
error-ours = Algo ha salido mal por nuestra parte
error-ours-advice = Puede que no haya tenido efecto. Mira la página de inicio y vuelve a intentarlo en un momento.

# Un formulario que vuelve.
again-check = Revisa lo que escribiste
again-signed-out = Tu sesión ha terminado
again-signed-out-text = No se ha cambiado nada. Lo que escribiste sigue aquí.
again-somebody-else = Ahora tienes abierta la sesión de otra persona
again-somebody-else-text = Este formulario era para otra cuenta, así que no se ha cambiado nada.
again-sign-in-user = { $begin }Vuelve a iniciar sesión (abre una pestaña nueva){ $end } o abre en este navegador un enlace nuevo para iniciar sesión.
again-sign-in = { $begin }Vuelve a iniciar sesión (abre una pestaña nueva){ $end }.
again-come-back = Regresa a esta página y envía el formulario de nuevo.
again-send = Enviar de nuevo
again-copy = Copia lo que escribiste si lo necesitas. Para enviarlo, inicia sesión como la persona para la que era y escríbelo allí.
again-name = Nombre
again-label = ¿Para quién es?
again-value = Dato
again-user = Usuario de prueba
again-base-prompt = Prompt base
again-message = El mensaje del usuario
again-answer = La respuesta del agente
again-scope = Puede leer y escribir
again-expires-at = Hasta (fecha y hora en UTC)
again-expires-at-local = Hasta (fecha y hora)
again-expires-in = Caduca después de (días; vacío: nunca)
again-confirm = Sí, lo confirmo
