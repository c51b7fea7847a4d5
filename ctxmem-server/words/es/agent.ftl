# La página de un agente.

agent-about = Agente { $id }, creado el { $when }
agent-updates-month = updates este mes (UTC)
agent-updates-month-no-quota = updates este mes (UTC); no hay cupo
agent-quota-used = Updates usados del cupo de este mes
agent-users = usuarios que ahora le dan acceso
agent-keys-live = claves vigentes
agent-keys = Claves
agent-no-key = No tiene ninguna clave.
agent-keys-table = Tabla de claves
agent-key = Clave
agent-key-scopes = Ámbitos
agent-key-created = Creada
agent-key-last-used = Último uso
agent-key-state = Estado
agent-key-replace = Sustituir
agent-key-replace-label = Sustituir la clave { $key }
agent-key-revoke = Revocar
agent-key-revoke-label = Revocar la clave { $key }
agent-key-try = Probar
agent-key-try-label = Probar la clave { $key }
agent-new-key = Crear otra clave
agent-new-key-name = Nombre de la clave
agent-new-key-name-hint = Opcional, por ejemplo «producción». Solo lo ve tu equipo.
agent-new-key-expires = Caduca
agent-new-key-in =
    { $days ->
        [0] nunca
        [365] en un año
       *[other] en { $days } días
    }
agent-new-key-do = Crear la clave
agent-usage = Últimos 30 días
agent-usage-about = Por días en UTC. Las llamadas más recientes aparecen en menos de un minuto.
agent-requests = Registro de solicitudes: respuestas, errores y tiempos
agent-name = Nombre
agent-name-hint = Los usuarios lo ven cuando deciden sobre el acceso y en su historial.
agent-rename = Cambiar el nombre
agent-profile = Lo que se dice a los usuarios
agent-profile-about = Los usuarios ven esto, la dirección de tu equipo y el nombre cuando deciden sobre el acceso, en { $page }.
agent-purpose = Finalidad
agent-purpose-hint = Para qué sirve, en una frase.
agent-website = Sitio web
agent-website-hint = Una página sobre él.
agent-website-verified = { $host } confirma que este agente es suyo; comprobado el { $when }. Los usuarios lo ven junto a la dirección. Al guardar se comprueba de nuevo.
agent-website-unverified = Los usuarios ven que nadie ha comprobado este sitio web. Para que se compruebe, añade la línea { $line } a { $address } y guarda de nuevo.
agent-privacy = Política de privacidad
agent-privacy-hint = Qué haces con lo que lee.
agent-return = Dirección de retorno
agent-return-hint = Adónde vuelven los usuarios después de decidir: una dirección https o una en localhost.
agent-needs = Qué necesita y por qué
agent-needs-about = Los usuarios encuentran marcados estos ámbitos, con tu motivo al lado de cada uno. Deja vacío el motivo de lo que el agente no necesite.
agent-save = Guardar
agent-delete = Eliminar este agente
agent-delete-about = Sus claves dejan de funcionar de inmediato. Esto no se puede deshacer. Los usuarios conservan lo que hay guardado sobre ellos y siguen viendo el nombre del agente.
agent-delete-confirm = Para confirmar, escribe su nombre: { $agent }
agent-delete-do = Eliminar el agente
agent-not-deleted = Ese no es el nombre del agente. No se ha eliminado nada.
