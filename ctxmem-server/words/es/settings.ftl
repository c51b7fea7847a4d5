# Los ajustes propios de un desarrollador.

settings-title = Ajustes
settings-not-saved-title = No guardado: { $title }
settings-not-saved = No se ha guardado. { $problem }
settings-password = Contraseña
settings-password-about = Al cambiar la contraseña se cierra tu sesión en todos los demás navegadores.
settings-current = Contraseña actual
settings-new = Contraseña nueva
settings-new-hint = 10 caracteres como mínimo.
settings-repeat = Repite la contraseña
settings-change = Cambiar la contraseña
settings-differ = Las contraseñas nuevas no coinciden. Escribe dos veces la misma.
settings-wrong-password = La contraseña actual es incorrecta.
settings-factor = Verificación en dos pasos
settings-factor-on = La verificación en dos pasos está activada. Para iniciar sesión con la contraseña ahora hace falta un código de tu aplicación.
settings-codes = Tus códigos de recuperación
settings-codes-about = Guárdalos ahora. Se muestran solo esta vez. Cada uno sirve una vez en lugar de un código, por si pierdes el teléfono.
settings-codes-copy = Copiar los códigos
settings-factor-about = Con la verificación en dos pasos, para iniciar sesión con tu contraseña también hace falta un código de una aplicación de autenticación en tu teléfono. No afecta al inicio de sesión con un proveedor de identidad.
settings-factor-set-up = Configurar la verificación en dos pasos
settings-factor-key = Escanea esta imagen con tu aplicación de autenticación o añade allí la clave { $key } (o { $begin }ábrela en una aplicación de este dispositivo{ $end }).
settings-factor-picture = Código QR de la clave
settings-factor-type = Escribe el código que muestra la aplicación.
settings-code = Código
settings-factor-password = Tu contraseña
settings-factor-wrong-password = La contraseña es incorrecta.
settings-factor-turn-on = Activar la verificación en dos pasos
settings-factor-new-key = Empezar de nuevo con otra clave
settings-on = activada
settings-codes-left =
    { $count ->
        [one] Queda un código de recuperación. Para obtener códigos nuevos, desactiva la verificación en dos pasos y vuelve a activarla.
       *[other] Quedan { $count } códigos de recuperación. Para obtener códigos nuevos, desactiva la verificación en dos pasos y vuelve a activarla.
    }
settings-code-hint = De tu aplicación de autenticación, o un código de recuperación.
settings-factor-turn-off = Desactivar la verificación en dos pasos
