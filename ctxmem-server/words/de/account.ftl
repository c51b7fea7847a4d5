# Das Konto: der Rahmen, die Übersicht, die Sitzungen und was ein Formular gerade bewirkt hat.

# Der Rahmen.
account-nav = Konto
account-nav-home = Übersicht
account-nav-memory = Gedächtnis
account-nav-access = Apps
account-nav-history = Verlauf
account-nav-data = Daten
account-who = Angemeldet als { $user }
account-quick = Schnellzugriff
account-quick-pause = Pause: keine App bekommt oder speichert etwas
account-quick-download = Meine Daten herunterladen

# Die Übersicht.
account-title = Ihr Gedächtnis
account-summary =
    { $agents ->
        [0] { $facts ->
            [0] Über Sie sind keine Fakten gespeichert, und keine App hat Zugriff.
            [one] Keine App kann den einen Fakt über Sie verwenden.
           *[other] Keine App kann die { $facts } Fakten über Sie verwenden.
        }
        [one] Eine App kann { $facts ->
            [0] Fakten über Sie verwenden. Noch sind keine gespeichert.
            [one] einen Fakt über Sie verwenden.
           *[other] { $facts } Fakten über Sie verwenden.
        }
       *[other] { $agents } Apps können { $facts ->
            [0] Fakten über Sie verwenden. Noch sind keine gespeichert.
            [one] einen Fakt über Sie verwenden.
           *[other] { $facts } Fakten über Sie verwenden.
        }
    }
account-summary-part =
    { $agents ->
        [one] Eine App kann { $usable } der { $facts } Fakten über Sie verwenden.
       *[other] Zusammen können { $agents } Apps { $usable } der { $facts } Fakten über Sie verwenden.
    }
account-you-can = Sie können alles ansehen, berichtigen, herunterladen oder löschen.
account-numbers = In Zahlen
account-number-facts =
    { $count ->
        [one] Fakt über Sie
       *[other] Fakten über Sie
    }
account-number-usable =
    { $count ->
        [one] davon kann eine App verwenden
       *[other] davon können Apps verwenden
    }
account-number-apps =
    { $count ->
        [one] App kann Ihr Gedächtnis nutzen
       *[other] Apps können Ihr Gedächtnis nutzen
    }
account-all-agents = Alle Apps und was sie dürfen
account-newest = Neueste Fakten
account-all-facts =
    { $count ->
        [one] Im Gedächtnis ansehen
       *[other] Alle { $count } Fakten ansehen
    }
account-deletions = Während Sie weg waren, wurde etwas gelöscht:
account-history = Was zuletzt geschehen ist
account-history-empty = Bisher ist nichts geschehen.
account-history-all = Den ganzen Verlauf anzeigen
account-data = Daten und Datenschutz
account-take = Ihre Daten mitnehmen
account-data-about = Wer diesen Dienst betreibt und wie lange etwas aufbewahrt wird, steht unter { $begin }Über diesen Dienst{ $end }.
account-download = Alles herunterladen
account-download-about = Alles, was über Sie aufbewahrt wird: Fakten, Zugriffe und Verlauf, in einer Datei.
account-download-facts = Nur die Fakten
account-download-facts-about = Die Fakten nach Art geordnet, so dass andere Programme sie lesen können.
account-download-facts-do = Fakten herunterladen
account-days = Ein Zeitraum
account-days-about = Was zwischen zwei Tagen (UTC) gespeichert wurde: zum Herunterladen oder zum Ansehen und Löschen.
account-days-about-local = Was zwischen zwei Tagen gespeichert wurde: zum Herunterladen oder zum Ansehen und Löschen.
account-days-download = Herunterladen
account-days-show = Diese Fakten anzeigen
auto-delete-title = Automatisch löschen
auto-delete-about = Legen Sie für jede Art fest, wie lange Fakten bleiben. Die Zeit zählt ab dem Tag, an dem Sie oder eine App sie zuletzt genannt haben. Danach werden sie endgültig gelöscht.
auto-delete-never = Behalten, bis ich sie lösche
auto-delete-months =
    { $months ->
        [one] Nach einem Monat
       *[other] Nach { $months } Monaten
    }
auto-delete-save = Speichern
auto-delete-ask =
    { $count ->
        [one] Jetzt einen Fakt löschen?
       *[other] Jetzt { $count } Fakten löschen?
    }
auto-delete-ask-about =
    { $count ->
        [one] Er ist älter, als Sie gerade gewählt haben.
       *[other] Sie sind älter, als Sie gerade gewählt haben.
    }
auto-delete-do =
    { $count ->
        [one] Speichern und einen Fakt löschen
       *[other] Speichern und { $count } Fakten löschen
    }
account-erase = Alles löschen
account-erase-about = Alle Fakten werden endgültig gelöscht, und jede App verliert den Zugriff. Sie sehen vorher, was gelöscht wird.
account-erase-do = Alles löschen …

# Wo jemand angemeldet ist.
sessions-title = Wo Sie angemeldet sind
sessions-session = Sitzung
sessions-created = Angemeldet seit
sessions-seen = Zuletzt gesehen
sessions-this = Dieser Browser
sessions-other = Ein anderer Browser oder ein anderes Gerät
sessions-end = Überall abmelden
sessions-end-about = Auch in diesem Browser.

# Was ein Formular gerade bewirkt hat.
done-fact-added = Der Fakt wurde hinzugefügt.
done-fact-corrected = Der Fakt wurde berichtigt. Die frühere Fassung ist gelöscht, und Apps können Ihre nicht ersetzen, solange Sie ihnen nicht sagen, dass sich etwas geändert hat.
done-fact-deleted = Der Fakt wurde gelöscht.
done-fact-kept-out = Der Fakt wurde gelöscht. Apps speichern ihn nicht noch einmal.
done-name-kept-out = Der Fakt wurde gelöscht. Apps speichern ihn nicht noch einmal und auch nichts anderes unter seinem Namen, außer Sie bitten sie, es sich zu merken.
done-facts-deleted = Die ausgewählten Fakten wurden gelöscht.
done-facts-kept-out = Die ausgewählten Fakten wurden gelöscht. Apps speichern sie nicht noch einmal.
done-names-kept-out = Die ausgewählten Fakten wurden gelöscht. Apps speichern sie nicht noch einmal und auch nichts anderes unter ihren Namen, außer Sie bitten eine App, es sich zu merken.
done-let-in = Apps dürfen diese Fakten wieder speichern, wenn Sie sie erwähnen.
done-facts-restored = Das Löschen wurde rückgängig gemacht.
done-scope-deleted = Alle Fakten dieser Art wurden gelöscht.
done-access-changed = Der Zugriff wurde geändert. Die Änderung gilt sofort.
done-access-revoked = Der Zugriff wurde entzogen. Er endete sofort.
done-agent-allowed = Die App hat Zugriff. Die Änderung gilt sofort.
done-agent-refused = Die App hat keinen Zugriff, und Sie werden nicht noch einmal nach ihr gefragt.
done-paused = Alles ist pausiert. Die Pause gilt sofort.
done-resumed = Die Pause ist zu Ende. Apps haben den Zugriff, den Sie ihnen gegeben haben.
done-asks-first = Neue Apps müssen Sie ab jetzt fragen.
done-asks-by-mode = Neue Apps müssen Sie nicht mehr fragen.
done-auto-delete = Ihre Wahl ist gespeichert.
