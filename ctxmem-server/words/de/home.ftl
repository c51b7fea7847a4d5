# Die erste Seite: was das hier ist, und wohin es von hier aus geht.

home-title = Ein Gedächtnis für KI-Apps, das Ihnen gehört
home-lead = Apps mit KI können sich merken, was Sie ihnen erzählen. Hier sehen Sie alles davon, bestimmen, welche App was verwenden darf, und löschen es, wann Sie möchten.
home-open = Mein Gedächtnis öffnen
home-picture = Die Fakten einer Person erreichen eine App nur durch die Tore, die sie geöffnet hat. Ein geschlossenes Tor hält den Rest zurück.
home-people = Für Sie
home-people-text = Sehen Sie, was KI-Apps über Sie wissen, berichtigen Sie es und bestimmen Sie, wer es verwenden darf.
home-people-link = Hinein kommen Sie mit dem Link, den Ihnen Ihre App oder der Betreiber dieses Dienstes schickt.
home-people-contact = Kein Link? Fragen Sie hier:
home-developers = Für Entwickler
home-developers-text = Zwei Aufrufe um Ihren Modellaufruf geben Ihrem Agenten ein Gedächtnis, über das seine Nutzer bestimmen.
home-dashboard = Zum Dashboard
home-reference = API-Referenz
home-hosts = Für Betreiber
home-hosts-text = Dieser Server läuft. Die nächsten drei Schritte:
home-hosts-developer = Jemanden in das Dashboard lassen:
home-hosts-model = Ein Modell ausprobieren, das mehr Fakten findet:
home-hosts-backup = Die erste Sicherung anlegen:
