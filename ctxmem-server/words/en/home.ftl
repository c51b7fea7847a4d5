# The first page: what this is, and where each visitor goes from here.

home-title = Memory for AI apps that belongs to you
home-lead = Apps with AI can remember what you tell them. Here you see all of it, decide which app may use what, and delete it whenever you like.
home-open = Open my memory
home-picture = A person’s facts reach one app through the gates that the person has opened. A closed gate keeps the rest.
home-people = For you
home-people-text = See what AI apps know about you, correct it, and decide who may use it.
home-people-link = You get in with the link that your app or the operator of this service sends you.
home-people-contact = No link? Ask here:
home-developers = For developers
home-developers-text = Two calls around your model call give your agent a memory that its users control.
home-dashboard = Open the dashboard
home-reference = API reference
home-hosts = For those who run it
home-hosts-text = This server is running. The next three steps:
home-hosts-developer = Let somebody sign in to the dashboard:
home-hosts-model = Try a model that finds more facts:
home-hosts-backup = Make the first backup:
