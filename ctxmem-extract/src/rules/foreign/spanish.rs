//! Spanish.

use super::{Language, Says};

pub(super) static LANGUAGE: Language = Language {
    rows: &[
        ("me llamo <anyname>", Says::Name),
        ("mi nombre es <anyname>", Says::Name),
        ("^ soy <name>", Says::Name),
        ("vivo|vivimos|resido en <place>", Says::Home),
        ("me|nos he|hemos? mudado|mudé|mudamos a <place>", Says::Home),
        (
            "uso|utilizo|prefiero|usamos|utilizamos siempre? <tools>",
            Says::Uses,
        ),
        (
            "trabajo|programo|trabajamos|programamos|escribo siempre? con|en <tools>",
            Says::Uses,
        ),
        ("despliego|desplegamos en un? <tools>", Says::Uses),
        (
            "^ * siempre en castellano|español",
            Says::Style("Always reply in Spanish"),
        ),
        (
            "respóndeme|contéstame|responde|contesta siempre? en castellano|español siempre|por?",
            Says::Style("Always reply in Spanish"),
        ),
        ("^ , respuestas breves|cortas", Says::Style("Short answers")),
        ("mi jefe|jefa se? llama|es? <name>", Says::Colleague("boss")),
        (
            "mi hermano|hermana|marido|mujer|esposa|esposo|novio|novia|hijo|hija|compañero|compañera|socio|socia se? llama|es? <name>",
            Says::Colleague("family or colleague"),
        ),
        (
            "estoy|estamos trabajando|construyendo|desarrollando|preparando|migrando|escribiendo|montando|creando|diseñando|aprendiendo|organizando|planeando|reescribiendo|estudiando|ahorrando en|a|para? <rest>",
            Says::Doing,
        ),
        (
            "trabajo|trabajamos en un|una|el|la|nuestro|nuestra <rest>",
            Says::Doing,
        ),
        (
            "quiero|queremos|necesito|necesitamos|debo|debemos <rest>",
            Says::Dated,
        ),
        ("tengo|tenemos que <rest>", Says::Dated),
        ("hay que <rest>", Says::Dated),
        (
            "la|mi|nuestra fecha límite|tope|limite * es <rest>",
            Says::Deadline,
        ),
        ("^ el plazo * es|termina|vence|acaba <rest>", Says::Deadline),
        (
            "mi|nuestra|la|nuestro|el prioridad|objetivo|meta * es <rest>",
            Says::Goal,
        ),
        ("^ ahora? la prioridad * es <rest>", Says::Goal),
        (
            "estoy|estamos bloqueado|bloqueada|bloqueados|bloqueadas por <rest>",
            Says::Blocker,
        ),
        (
            "decidimos|decidí|elegimos|elegí|optamos <rest>",
            Says::Decision,
        ),
        ("hemos|he decidido|elegido|optado <rest>", Says::Decision),
        (
            "terminamos|terminé|acabamos|acabé|lanzamos|lancé|publicamos|publiqué|migramos|migré|vendí|vendimos|compré|compramos|firmamos|firmé|aprobé|entregamos|entregué|cerramos|contratamos <rest>",
            Says::Event,
        ),
    ],
    times: &[
        "lunes",
        "martes",
        "miércoles",
        "jueves",
        "viernes",
        "sábado",
        "domingo",
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
        "verano",
        "otoño",
        "invierno",
        "primavera",
        "navidad",
        "semana",
        "mes",
        "año",
        "ayer",
        "trimestre",
    ],
    leads: &[
        "antes", "para", "hasta", "en", "el", "este", "esta", "próximo", "próxima",
    ],
    pointing: &["ello", "eso", "esto", "lo", "irme", "dormir"],
    done: &["ya", "finalmente", "fin"],
    subjects: &["yo", "ya", "estoy", "estamos", "hemos", "he", "nosotros"],
};
