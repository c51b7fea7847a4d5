# Der Rahmen jeder Seite: was über und unter ihr steht.

# Das Kürzel der Sprache, für Browser.
frame-language = de
frame-skip = Zum Inhalt springen
frame-about = Gedächtnis für KI, das den Menschen gehört, um die es geht.
frame-about-link = Über diesen Dienst
frame-copied = Kopiert
frame-copy-by-hand = Bitte markieren und von Hand kopieren

# Mehrere Seiten.
frame-sign-out = Abmelden
frame-overview = Zur Übersicht
frame-cancel = Abbrechen
frame-not-saved = Nicht gespeichert. Bitte korrigieren Sie das Feld unten.
# Der Titel einer Seite, die einen Fehler meldet.
frame-error-title = Fehler: { $title }
