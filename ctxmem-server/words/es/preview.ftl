# Lo que una aplicación ve de un usuario.

preview-title = Lo que ve { $agent }
preview-about = Esto es lo que se le dice hoy a la aplicación sobre ti al empezar una conversación, palabra por palabra.
preview-several-keys = La aplicación tiene varias claves que alcanzan tipos de datos distintos. Esto es lo que recibe con cada una.
preview-key = { $number }. { $kinds }
preview-kinds = { $kinds }
preview-no-overlap = Sin coincidencias
preview-demo = La demostración
preview-copy = Copiar
preview-shown = Se muestran { $shown } de { $facts } datos: en un prompt no caben más. Siempre se incluyen tu nombre y dónde vives, cómo hablarte y tus alergias. Después van tu salud, lo que escribiste o pediste a una aplicación que recordara, tu familia y tu trabajo, lo que has dicho en varios días y lo más reciente. La aplicación puede consultar el resto cuando hables de ello.
preview-deleted = Nada: su desarrollador ha eliminado esta aplicación y sus claves ya no funcionan.
preview-revoked = Nada: se le ha retirado el acceso.
preview-expired = Nada: su acceso ha caducado.
preview-paused = Nada: su acceso está en pausa. No tiene nada marcado.
preview-all-paused = Nada: has puesto todo en pausa.
preview-no-key = Nada: en este momento la aplicación no tiene ninguna clave que funcione.
preview-inactive = Nada: su acceso no está activo.
preview-no-scopes = Nada: lo que permites y lo que alcanzan las claves de esta aplicación no coinciden.
preview-empty = Nada: aún no hay nada guardado sobre ti.
preview-other-kinds = Nada: lo que hay guardado sobre ti es de otros tipos.
preview-demo-about = Nada sobre ti: aún no hay nada guardado. Hasta que las aplicaciones de su desarrollador guarden un primer dato, esta aplicación recibe los datos inventados de una demostración, que son iguales para todo el mundo.
