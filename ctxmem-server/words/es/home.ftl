# La primera página: qué es esto y adónde va cada visitante desde aquí.

home-title = Una memoria para aplicaciones de IA que te pertenece
home-lead = Las aplicaciones con IA pueden recordar lo que les cuentas. Aquí lo ves todo, decides qué aplicación puede usar qué y lo eliminas cuando quieras.
home-open = Abrir mi memoria
home-picture = Los datos de una persona llegan a una aplicación por las puertas que la persona ha abierto. Una puerta cerrada retiene el resto.
home-people = Para ti
home-people-text = Mira lo que las aplicaciones de IA saben de ti, corrígelo y decide quién puede usarlo.
home-people-link = Entras con el enlace que te envía tu aplicación o quien administra este servicio.
home-people-contact = ¿No tienes enlace? Pídelo aquí:
home-developers = Para desarrolladores
home-developers-text = Dos llamadas alrededor de la llamada a tu modelo dan a tu agente una memoria que controlan sus usuarios.
home-dashboard = Abrir el panel
home-reference = Referencia de la API
home-hosts = Para quien lo administra
home-hosts-text = Este servidor está en marcha. Los tres pasos siguientes:
home-hosts-developer = Deja que alguien inicie sesión en el panel:
home-hosts-model = Prueba un modelo que encuentra más datos:
home-hosts-backup = Haz la primera copia de seguridad:
