# Das Dashboard: der Rahmen, die Liste der Agenten, die Diagramme und was ein Formular gerade bewirkt hat.

dashboard-nav = Dashboard
dashboard-agents = Agenten
dashboard-playground = Testumgebung
dashboard-team = Team
dashboard-settings = Einstellungen
dashboard-who = Angemeldet als { $developer }

dashboard-title = Ihre Agenten
dashboard-none = Sie haben noch keine Agenten. Legen Sie unten einen an. Sie bekommen einen Schlüssel und Programme für den Anfang.
dashboard-table = Tabelle der Agenten
dashboard-agent = Agent
dashboard-users = Benutzer, die Zugriff geben
dashboard-live-keys = Gültige Schlüssel
dashboard-updates = Updates in diesem Monat
dashboard-of-quota = { $updates } von { $quota }
dashboard-create = Einen Agenten anlegen
dashboard-name = Name
dashboard-name-hint = Benutzer sehen ihn, wenn sie über den Zugriff entscheiden.
dashboard-create-do = Agenten und ersten Schlüssel anlegen
dashboard-usage = Alle Agenten, die letzten 30 Tage
dashboard-usage-about = Nach Tagen in UTC, auch für Agenten, die Sie gelöscht haben. Die neuesten Aufrufe erscheinen innerhalb einer Minute.
dashboard-csv = Als CSV herunterladen
dashboard-quota-used = { $agent } hat alle { $quota } Updates dieses Monats verbraucht. Bis zum Ende des Monats (UTC) wird nichts mehr gelernt.
dashboard-quota-alert = { $agent } hat { $updates } der { $quota } Updates dieses Monats verbraucht ({ $share } %). Sind alle verbraucht, wird bis zum Ende des Monats (UTC) nichts mehr gelernt.

# Die Scopes eines Schlüssels.
key-scopes = Scopes des Schlüssels
key-scopes-about = Ein Agent kann einen Scope nur verwenden, wenn sein Schlüssel ihn erlaubt und der Benutzer ihn gewährt. Fordern Sie nur an, was Sie brauchen.
key-scopes-all = alle Scopes
key-scope-general = Name, Wohnort, Zeitzone
key-scope-communication-style = wie der Benutzer Antworten möchte
key-scope-preferences = Werkzeuge, Umgebung, Arbeitsweise
key-scope-knowledge = Fähigkeiten, Sprachen, Frameworks
key-scope-relationships = genannte Personen
key-scope-history = Entscheidungen und Erledigtes
key-scope-goals = Projekte, Aufgaben, Termine

# Die Diagramme.
chart-injects = Injects
chart-injects-about = Anfragen nach einem Prompt
chart-updates = Updates
chart-updates-about = Nachrichten, aus denen gelernt wurde
chart-filtered = Ausgefiltert
chart-filtered-about = Nachrichten, die keinen Fakt enthalten können
chart-denied = Abgelehnt
chart-denied-about = keine Erlaubnis, ein nicht gewährter Scope oder das Kontingent verbraucht
chart-errors = Fehler
chart-errors-about = fehlgeschlagene Aufrufe
chart-in-numbers = { $title } in Zahlen
chart-day = Tag
chart-bar = { $day }: { $numbers }
chart-part = { $title } { $count }
chart-tenth = { $whole },{ $tenth }{ $unit }
chart-calls = Aufrufe
chart-empty = In diesen Tagen gab es noch keine Aufrufe.
chart-times = Antwortzeiten in Millisekunden
chart-half = Median
chart-half-about = jeder zweite Aufruf eines Tages
chart-most = 95. Perzentil
chart-most-about = fast alle Aufrufe eines Tages
chart-all-agents = Alle Agenten
chart-days = Tage
chart-last-days = Letzte { $days } Tage
chart-show = Anzeigen
chart-times-in-words = { $title } pro Tag, { $first } bis { $last }: 95 von 100 innerhalb von höchstens { $most } ms, am { $day }
chart-no-days = { $title }: keine Tage
chart-nothing = { $title } pro Tag, { $first } bis { $last }: keine
chart-in-words = { $title } pro Tag, { $first } bis { $last }: insgesamt { $total }, höchstens { $most } am { $day }

# Was ein Formular gerade bewirkt hat.
done-agent-renamed = Der Agent hat seinen neuen Namen.
done-agent-deleted = Der Agent ist gelöscht. Seine Schlüssel funktionieren nicht mehr. Benutzer sehen seinen Namen weiterhin.
done-key-revoked = Der Schlüssel ist widerrufen. Anfragen damit werden ab jetzt abgelehnt.
done-password-changed = Das Passwort ist geändert. In allen anderen Browsern sind Sie abgemeldet.
done-second-factor-off = Der zweite Faktor ist ausgeschaltet. Ihre Wiederherstellungscodes gelten nicht mehr.
done-test-user-erased = Der Testbenutzer ist gelöscht, mit allem, was über ihn gespeichert war.
done-profile-saved = Gespeichert. Benutzer sehen es, wenn sie über diesen Agenten entscheiden.
done-invitation-withdrawn = Die Einladung ist zurückgezogen. Ihr Link funktioniert nicht mehr.
done-member-removed = Das Mitglied ist entfernt und überall abgemeldet. Schlüssel, die es erstellt hat, funktionieren weiter: Ersetzen Sie diejenigen, die es kopiert haben kann.
done-team-handed-over = Das Team hat einen neuen Eigentümer. Sie sind jetzt ein Mitglied.
