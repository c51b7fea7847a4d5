# La página de una clave.

key-title = Clave de { $agent }
key-title-new = Nueva clave de { $agent }
key-copy-now = Copia la clave ahora. Se muestra solo esta vez, y de ella solo se guarda un hash.
key-the-key = La clave
key-copy = Copiar la clave
key-allows = Permite { $scopes }
key-allows-until = Permite { $scopes }; caduca el { $when }
key-try = Pruébala
key-try-about = Configura antes el entorno. Todos los programas de abajo leen de él la dirección del servicio y la clave.
key-copy-environment = Copiar el entorno
key-needs-curl = En una terminal con el entorno configurado.
key-needs-rust = Con el cliente para Rust, que además reintenta y nunca hace esperar a tu agente.
key-needs-python = HTTP puro: no necesita nada más que Python 3.
key-needs-typescript = HTTP puro: solo necesita un entorno de ejecución con fetch, como Node.js 18, Deno o Bun.
key-copy-program = Copiar
key-copy-program-label = Copiar: { $language }
key-stored = Ya guardé la clave: ir al agente
key-key = Clave
key-key-scopes = Ámbitos
key-state = Estado
key-created = Creada
key-last-used = Último uso
key-not-used = aún no consta ningún uso
key-shown-once = La clave en sí se mostró una sola vez, cuando se creó. Si no la tienes, sustitúyela.
key-replace = Sustituir esta clave
key-replace-about = Recibes una clave nueva con el mismo nombre y los mismos ámbitos. La antigua sigue funcionando un tiempo, para que puedas cambiarla en tu agente.
key-old-stops = La clave antigua deja de funcionar
key-immediately = de inmediato
key-in-an-hour = en una hora
key-in-a-day = en 24 horas
key-in-a-week = en 7 días
key-replace-do = Sustituir la clave
key-revoke = Revocar esta clave
key-revoke-about = Las solicitudes con esta clave se rechazan de inmediato. Esto no se puede deshacer.
key-revoke-do = Revocar { $key }
key-back = Volver a { $agent }

# El estado de una clave.
key-live = vigente
key-replaced = sustituida
key-live-until = hasta el { $when }
key-expired = caducada
key-revoked = revocada
