# Das Anfrageprotokoll eines Agenten.

requests-title = Anfragen von { $agent }
requests-no-log = Der Betreiber dieses Dienstes führt kein Anfrageprotokoll.
requests-about =
    { $days ->
        [one] Der letzte Tag. Das Protokoll enthält nie, was gesendet oder geantwortet wurde, und auch nicht, um welchen Benutzer es ging.
       *[other] Die letzten { $days } Tage. Das Protokoll enthält nie, was gesendet oder geantwortet wurde, und auch nicht, um welchen Benutzer es ging.
    }
requests-routes = Nach Route
requests-none = Keine Anfragen.
requests-route = Route
requests-count = Anfragen
requests-errors = Fehler
requests-half = Die Hälfte in
requests-most = { $share } % in
requests-times-about = Die Zeiten sind im Server gemessen, ohne das Netz, und höchstens um ein Viertel aufgerundet.
requests-no-errors = Keine Anfrage wurde abgelehnt oder ist fehlgeschlagen.
requests-answer = Antwort
requests-all = Alle Anfragen, die neuesten zuerst
requests-only-errors = Fehler, die neuesten zuerst
requests-unlogged =
    { $count ->
        [one] Eine Anfrage ist oben mitgezählt, steht aber nicht in dieser Liste: Es waren zu viele auf einmal.
       *[other] { $count } Anfragen sind oben mitgezählt, stehen aber nicht in dieser Liste: Es waren zu viele auf einmal.
    }
requests-show-all = Alle Anfragen anzeigen
requests-show-errors = Nur Fehler anzeigen
requests-csv = Als CSV herunterladen
requests-time = Zeit
requests-took = Dauer
requests-millis = { $millis } ms
requests-millis-exact = { $whole },{ $hundredths } ms
requests-id = Nummer der Anfrage
requests-newest = Neueste
requests-older = Ältere
