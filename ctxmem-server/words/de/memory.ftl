# Die Fakten: die Liste und die Formulare zum Hinzufügen, Berichtigen und Löschen.

memory-title = Fakten über Sie
memory-heading =
    { $count ->
        [0] Keine Fakten
        [one] 1 Fakt
       *[other] { $count } Fakten
    }
memory-nothing = Hier speichern Apps, was sie in Gesprächen über Sie erfahren. Noch ist nichts gespeichert.
memory-select-one = Es wurde nichts gelöscht. Bitte wählen Sie mindestens einen Fakt aus.
memory-find = Fakten
memory-search = Suche
memory-search-hint = In Ihren Fakten suchen
memory-filter = Nach Art, Herkunft und Tag filtern
memory-first-day = Von (Tag)
memory-last-day = Bis (Tag)
memory-kind = Art
memory-any-kind = Alle Arten
memory-author = Gespeichert von
memory-anyone = Allen
memory-order = Reihenfolge
memory-by-kind = Nach Art
memory-newest = Neueste zuerst
memory-oldest = Älteste zuerst
memory-show = Suchen
memory-show-all = Alle Fakten anzeigen
memory-found =
    { $count ->
        [0] Kein Fakt passt dazu.
        [one] 1 Fakt passt dazu.
       *[other] { $count } Fakten passen dazu.
    }
memory-page = { $first }–{ $last } von { $all }.
memory-group = Fakten
memory-you = Ihnen
memory-from = Von { $author }, { $when }
memory-from-deleted = Von { $author } (gelöscht), { $when }
memory-said = Ihre eigenen Worte vom { $day }.
memory-confirmed = zuletzt bestätigt { $when }
memory-select = Auswählen: { $fact }
memory-correct = Bearbeiten
memory-correct-this = Bearbeiten: { $fact }
memory-more = Mehr: Art, Name und warum dies bekannt ist
memory-delete = Löschen
memory-delete-this = Löschen: { $fact }
memory-delete-kind = Alles unter „{ $kind }“ löschen
memory-delete-kind-sure =
    { $count ->
        [one] Ja, diesen Fakt löschen
       *[other] Ja, alle { $count } Fakten löschen
    }
memory-delete-kind-for-good =
    { $count ->
        [one] Ja, diesen Fakt endgültig löschen
       *[other] Ja, alle { $count } Fakten endgültig löschen
    }
memory-delete-kind-do = Alles löschen
memory-delete-kind-label = Alles löschen unter { $kind }
memory-delete-selected = Ausgewählte Fakten löschen …
memory-delete-found =
    { $count ->
        [one] Den passenden Fakt löschen …
       *[other] Alle { $count } passenden Fakten löschen …
    }
memory-delete-all =
    { $count ->
        [one] Den einzigen Fakt löschen …
       *[other] Alle { $count } Fakten löschen …
    }
memory-pages = Seiten mit Fakten
memory-first = Erste Seite
memory-previous = Vorige Seite
memory-next = Nächste Seite
memory-last = Letzte Seite
memory-empty-kinds = Noch nichts unter: { $kinds }.
memory-kept-out =
    { $count ->
        [one] 1 Fakt wird nicht noch einmal gespeichert
       *[other] { $count } Fakten werden nicht noch einmal gespeichert
    }
memory-kept-out-about = Sie haben sie gelöscht oder berichtigt. Ein Fakt mit einem Namen, zum Beispiel „Editor“, hält auch alles andere unter diesem Namen fern. Von jedem wird nur ein Fingerabdruck aufbewahrt, deshalb können sie hier nicht aufgelistet werden. Wenn Sie eine App ausdrücklich bitten, sich einen davon zu merken, wird er wieder gespeichert.
memory-let-in = Apps dürfen alle wieder speichern

# Einen Fakt hinzufügen.
memory-add = Selbst einen Fakt hinzufügen
memory-add-title = Einen Fakt hinzufügen
memory-add-do = Fakt hinzufügen
memory-add-any-kind = Für mich wählen
memory-add-back = Zurück, ohne ihn hinzuzufügen
memory-name = Name
memory-add-name-hint = Eine kurze Bezeichnung, zum Beispiel Geburtstag, Wohnort oder Ernährung.
memory-fact = Fakt
memory-add-value-hint = In Ihren eigenen Worten, zum Beispiel: Ich bin 1985 geboren. Eine Zeile, höchstens 500 Zeichen. Passwörter, Schlüssel und Kartennummern werden nie gespeichert.

# Einen berichtigen.
memory-edit-title = Einen Fakt bearbeiten
memory-changed = Nicht gespeichert: Inzwischen steht hier „{ $now }“. Was Sie geschrieben haben, ist noch da. Speichern Sie noch einmal, um es an diese Stelle zu setzen.
memory-gone = Nicht gespeichert: Diesen Fakt gibt es nicht mehr. Was Sie geschrieben haben, ist noch da, und Sie können es als neuen Fakt hinzufügen.
memory-edit-value-hint = Eine Zeile, höchstens 500 Zeichen. Apps behalten Ihre Fassung, bis Sie ihnen etwas Neues sagen. Die alte wird gelöscht.
memory-edit-kind-hint = Apps lesen nur die Arten, die Sie ihnen erlauben.
memory-edit-name-hint = Zum Beispiel „Editor“ oder „Wohnort“. Nur „Über Sie“ und „Was Sie bevorzugen“ verwenden Namen.
memory-save = Speichern
memory-why = Warum dies bekannt ist
memory-saved-by = Gespeichert von
memory-why-confirmed = Zuletzt bestätigt
memory-why-found = Gefunden
memory-found-by-rules = Sie haben es { $author } erzählt.
memory-found-by-rules-asked = Sie haben { $author } gebeten, es sich zu merken.
memory-found-by-model = Sie haben es { $author } erzählt. Ein Sprachmodell hat es herausgelesen.
memory-found-by-model-asked = Sie haben { $author } gebeten, es sich zu merken. Ein Sprachmodell hat es herausgelesen.
memory-request = Anfrage
memory-found-unknown = Aus welcher Anfrage es stammt, wurde nicht festgehalten.
memory-found-unknown-asked = Sie haben eine App gebeten, es sich zu merken. Aus welcher Anfrage es stammt, wurde nicht festgehalten.
memory-why-note = Was Sie im Gespräch gesagt haben, wird hier nicht aufbewahrt und kann deshalb nicht gezeigt werden. Mit der Nummer der Anfrage findet der Entwickler der App das Gespräch vielleicht wieder.
memory-delete-title = Diesen Fakt löschen
memory-keep-out = Apps sollen ihn nicht noch einmal speichern
memory-keep-out-name = Apps sollen ihn nicht noch einmal speichern, auch nichts anderes als „{ $name }“
memory-delete-instead = Diesen Fakt stattdessen löschen

# Mehrere löschen.
memory-delete-several =
    { $count ->
        [one] Diesen Fakt löschen
       *[other] { $count } Fakten löschen
    }
memory-delete-several-ask =
    { $count ->
        [one] Diesen Fakt löschen?
       *[other] { $count } Fakten löschen?
    }
memory-deleted = Was gelöscht wird
memory-deleted-about = Das lässt sich nicht rückgängig machen.
memory-deleted-undo = Auf der nächsten Seite können Sie es rückgängig machen, später nicht mehr.
memory-undo = Rückgängig machen
memory-keep-out-several = Apps sollen sie nicht noch einmal speichern
memory-keep-out-several-names = Apps sollen sie nicht noch einmal speichern, auch nichts anderes unter diesen Namen: { $names }
