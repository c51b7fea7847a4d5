# Was ein Agent von jemandem sieht.

preview-title = Was { $agent } sieht
preview-about = Das erfährt der Agent heute zu Beginn eines Gesprächs über Sie, Wort für Wort.
preview-several-keys = Der Agent hat mehrere Schlüssel, die verschiedene Arten von Fakten erreichen. Das bekommt er mit jedem davon.
preview-key = { $number }. { $kinds }
preview-kinds = { $kinds }
preview-no-overlap = Keine Überschneidung
preview-demo = Die Vorführung
preview-copy = Kopieren
preview-shown = Zeigt { $shown } von { $facts } Fakten: In einem Prompt ist für mehr kein Platz. Immer darin stehen Ihr Name und Ihr Wohnort, wie man mit Ihnen spricht und Allergien. Dann kommen Gesundheit, was Sie selbst geschrieben haben oder ein Agent sich für Sie merken sollte, Familie und Arbeit, was Sie an mehreren Tagen gesagt haben, und die neuesten. Die anderen kann der Agent nachschlagen, wenn Sie davon sprechen.
preview-deleted = Nichts: Der Entwickler hat diesen Agenten gelöscht, und seine Schlüssel funktionieren nicht mehr.
preview-revoked = Nichts: Sein Zugriff wurde entzogen.
preview-expired = Nichts: Sein Zugriff ist abgelaufen.
preview-paused = Nichts: Sein Zugriff ist pausiert. Für ihn ist nichts angekreuzt.
preview-all-paused = Nichts: Sie haben alles pausiert.
preview-no-key = Nichts: Der Agent hat zurzeit keinen gültigen Schlüssel.
preview-inactive = Nichts: Sein Zugriff ist nicht aktiv.
preview-no-scopes = Nichts: Was Sie erlauben und was die Schlüssel dieses Agenten erreichen, überschneidet sich nicht.
preview-empty = Nichts: Über Sie ist noch nichts gespeichert.
preview-other-kinds = Nichts: Was über Sie gespeichert ist, gehört zu anderen Arten.
preview-demo-about = Nichts über Sie: Noch ist nichts gespeichert. Bis die Agenten seines Entwicklers einen ersten Fakt speichern, bekommt dieser Agent die erfundenen Fakten einer Vorführung, die für alle gleich sind.
