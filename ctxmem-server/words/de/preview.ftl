# Was eine App von jemandem sieht.

preview-title = Was { $agent } sieht
preview-about = Das erfährt die App heute zu Beginn eines Gesprächs über Sie, Wort für Wort.
preview-several-keys = Die App hat mehrere Schlüssel, die verschiedene Arten von Fakten erreichen. Das bekommt sie mit jedem davon.
preview-key = { $number }. { $kinds }
preview-kinds = { $kinds }
preview-no-overlap = Keine Überschneidung
preview-demo = Die Vorführung
preview-copy = Kopieren
preview-shown = Zeigt { $shown } von { $facts } Fakten: In einem Prompt ist für mehr kein Platz. Immer darin stehen Ihr Name und Ihr Wohnort, wie man mit Ihnen spricht und Allergien. Dann kommen Gesundheit, was Sie selbst geschrieben haben oder eine App sich für Sie merken sollte, Familie und Arbeit, was Sie an mehreren Tagen gesagt haben, und die neuesten. Die anderen kann die App nachschlagen, wenn Sie davon sprechen.
preview-deleted = Nichts: Der Entwickler hat diese App gelöscht, und ihre Schlüssel funktionieren nicht mehr.
preview-revoked = Nichts: Der Zugriff dieser App wurde entzogen.
preview-expired = Nichts: Der Zugriff dieser App ist abgelaufen.
preview-paused = Nichts: Der Zugriff dieser App ist pausiert. Für sie ist nichts angekreuzt.
preview-all-paused = Nichts: Sie haben alles pausiert.
preview-no-key = Nichts: Die App hat zurzeit keinen gültigen Schlüssel.
preview-inactive = Nichts: Der Zugriff dieser App ist nicht aktiv.
preview-no-scopes = Nichts: Was Sie erlauben und was die Schlüssel dieser App erreichen, überschneidet sich nicht.
preview-empty = Nichts: Über Sie ist noch nichts gespeichert.
preview-other-kinds = Nichts: Was über Sie gespeichert ist, gehört zu anderen Arten.
preview-demo-about = Nichts über Sie: Noch ist nichts gespeichert. Bis die Apps ihres Entwicklers einen ersten Fakt speichern, bekommt diese App die erfundenen Fakten einer Vorführung, die für alle gleich sind.
