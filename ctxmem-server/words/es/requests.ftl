# El registro de solicitudes de un agente.

requests-title = Solicitudes de { $agent }
requests-no-log = Quien administra este servicio no lleva ningún registro de solicitudes.
requests-about =
    { $days ->
        [one] El último día. El registro nunca contiene lo que se envió o se respondió, ni de qué usuario se trataba.
       *[other] Los últimos { $days } días. El registro nunca contiene lo que se envió o se respondió, ni de qué usuario se trataba.
    }
requests-routes = Por ruta
requests-none = Ninguna solicitud.
requests-route = Ruta
requests-count = Solicitudes
requests-errors = Errores
requests-half = La mitad en
requests-most = El { $share } % en
requests-times-about = Los tiempos se miden en el servidor, sin la red, y se redondean hacia arriba una cuarta parte como máximo.
requests-no-errors = Ninguna solicitud se rechazó ni falló.
requests-answer = Respuesta
requests-all = Todas las solicitudes, primero las más recientes
requests-only-errors = Errores, primero los más recientes
requests-unlogged =
    { $count ->
        [one] Una solicitud se cuenta arriba pero no aparece en esta lista: hubo demasiadas a la vez.
       *[other] { $count } solicitudes se cuentan arriba pero no aparecen en esta lista: hubo demasiadas a la vez.
    }
requests-show-all = Ver todas las solicitudes
requests-show-errors = Ver solo los errores
requests-csv = Descargar como CSV
requests-time = Hora
requests-took = Duración
requests-millis = { $millis } ms
requests-millis-exact = { $whole },{ $hundredths } ms
requests-id = Número de la solicitud
requests-newest = Más recientes
requests-older = Anteriores
