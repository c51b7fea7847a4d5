# El marco de cada página: lo que está encima y debajo de ella.

# El código del idioma, para los navegadores.
frame-language = es
frame-skip = Ir al contenido
frame-about = Memoria para la IA que pertenece a las personas de las que habla.
frame-about-link = Acerca de este servicio
frame-copied = Copiado
frame-copy-by-hand = Selecciónalo y cópialo a mano

# Varias páginas.
frame-sign-out = Cerrar sesión
frame-overview = Ir a la página de inicio
frame-cancel = Cancelar
frame-not-saved = No se ha guardado. Corrige el campo de abajo.
# El título de una página que avisa de un error.
frame-error-title = Hay un error: { $title }
