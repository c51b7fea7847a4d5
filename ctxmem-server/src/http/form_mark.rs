//! Marks all forms of pages with whom they were made for, and refuses those that were made for
//! somebody else. Each happens in one place for all pages, so no template and no handler can
//! forget it: see `core::form_mark`.

use super::error::HttpError;
use super::form;

/// The field that carries the mark.
pub(super) const FIELD: &str = "made_for";

/// What stands in the tag of the only form that is nobody's: the switch of the language.
const NOBODYS: &str = "action=\"/language\"";

/// How the tag of a form begins.
const FORM: &str = "<form ";

/// Adds the mark to all forms of a page that post. Texts are escaped in pages, so whatever looks
/// like a form is one.
pub(super) fn add(page: &str, mark: &str) -> String {
    let mut marked = String::with_capacity(page.len() + 1024);
    let mut rest = page;
    while let Some(begin) = rest.find(FORM) {
        let end = rest[begin..]
            .find('>')
            .map_or(rest.len(), |length| begin + length + 1);
        let (form, after) = rest.split_at(end);
        marked.push_str(form);
        let tag = &form[begin..];
        if tag.contains("method=\"post\"") && !tag.contains(NOBODYS) {
            marked.push_str("<input type=\"hidden\" name=\"");
            marked.push_str(FIELD);
            marked.push_str("\" value=\"");
            marked.push_str(mark);
            marked.push_str("\">");
        }
        rest = after;
    }
    marked.push_str(rest);
    marked
}

/// Refuses a form that was not made for the owner of this mark.
pub(super) fn check(form: &[u8], mark: &str) -> Result<(), HttpError> {
    let mut found = form_urlencoded::parse(form).filter(|(name, _)| name == FIELD);
    match (found.next(), found.next()) {
        (None, _) => Err(form::missing(FIELD).into()),
        (Some((_, found)), None) if found == mark => Ok(()),
        _ => Err(HttpError::MadeForAnother),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_that_post_are_marked_and_nothing_else_is_touched() {
        let page = "<p>é &lt;form method=\"post\"&gt;</p><form method=\"get\"><b></b></form>\
                    <form class=\"x\" method=\"post\" action=\"/a\"><i></i></form><form method=\"post\">";
        let field = "<input type=\"hidden\" name=\"made_for\" value=\"0a\">";
        let marked = "<p>é &lt;form method=\"post\"&gt;</p><form method=\"get\"><b></b></form>\
                      <form class=\"x\" method=\"post\" action=\"/a\">@<i></i></form><form method=\"post\">@";
        assert_eq!(add(page, "0a"), marked.replace('@', field));
        assert_eq!(add("", "0a"), "");
        assert_eq!(
            add("<form method=\"post\"", "0a"),
            format!("<form method=\"post\"{field}")
        );
    }

    #[test]
    fn only_the_mark_of_the_owner_is_taken_once() {
        assert!(check(b"a=b&made_for=0a", "0a").is_ok());
        for other in [
            "made_for=",
            "made_for=0b",
            "made_for=0A",
            "made_for=0a&made_for=0b",
            "made_for=0a&made_for=0a",
        ] {
            let refused = check(other.as_bytes(), "0a");
            assert!(matches!(refused, Err(HttpError::MadeForAnother)), "{other}");
        }
        assert!(matches!(check(b"a=b", "0a"), Err(HttpError::Core(_))));
    }
}
