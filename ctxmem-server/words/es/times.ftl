# Momentos. Los scripts los muestran en la zona horaria de quien lee; esto es para quien no los usa.
# Las fechas largas llevan «de» alrededor del mes, y las cortas no: por eso va con el mes.

time = { $day } { $month } { $year }, { $clock } UTC
day = { $day } { $month }
month =
    { $month ->
        [1] de enero de
        [2] de febrero de
        [3] de marzo de
        [4] de abril de
        [5] de mayo de
        [6] de junio de
        [7] de julio de
        [8] de agosto de
        [9] de septiembre de
        [10] de octubre de
        [11] de noviembre de
       *[12] de diciembre de
    }
month-short =
    { $month ->
        [1] ene
        [2] feb
        [3] mar
        [4] abr
        [5] may
        [6] jun
        [7] jul
        [8] ago
        [9] sept
        [10] oct
        [11] nov
       *[12] dic
    }
