//! Marks all forms of pages with whom they were made for, and refuses those that were made for
//! somebody else: see `core::form_mark`. And sees to it that Enter sends no form that changes something.
//! Each happens in one place for all pages, so no template and no handler can forget it.

use super::error::HttpError;
use super::form;

/// The field that carries the mark.
pub(crate) const FIELD: &str = "made_for";

/// What stands in the tag of the only form that is nobody's: the switch of the language.
const NOBODYS: &str = "action=\"/language\"";

/// How the tag of a form begins.
const FORM: &str = "<form ";

/// What stands in the tag of a form that Enter sends: one that searches or signs in.
const BY_ENTER: &str = " data-enter";

/// Enter in any field, even in a tick box, presses the first button of its form, whatever that button
/// does. This one does nothing: it closes the dialogue that it is in, and it is in none. It can't be
/// disabled, because a tick box then presses the next one, nor be `hidden`, because some browsers don't
/// press what they don't lay out.
const NO_ENTER: &str = "<button class=\"unseen\" formmethod=\"dialog\" formnovalidate tabindex=\"-1\" \
                        aria-hidden=\"true\"></button>";

/// Completes all forms of a page that post: adds the mark, if somebody is signed in, and keeps Enter from
/// sending them. Texts are escaped in pages, so whatever looks like a form is one.
pub(crate) fn complete(page: &str, mark: Option<&str>) -> String {
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
            if let Some(mark) = mark {
                marked.push_str("<input type=\"hidden\" name=\"");
                marked.push_str(FIELD);
                marked.push_str("\" value=\"");
                marked.push_str(mark);
                marked.push_str("\">");
            }
            if !tag.contains(BY_ENTER) {
                marked.push_str(NO_ENTER);
            }
        }
        rest = after;
    }
    marked.push_str(rest);
    marked
}

/// Refuses a form that was not made for the owner of this mark.
pub(crate) fn check(form: &[u8], mark: &str) -> Result<(), HttpError> {
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
        let field = format!("{field}{NO_ENTER}");
        let marked = "<p>é &lt;form method=\"post\"&gt;</p><form method=\"get\"><b></b></form>\
                      <form class=\"x\" method=\"post\" action=\"/a\">@<i></i></form><form method=\"post\">@";
        assert_eq!(complete(page, Some("0a")), marked.replace('@', &field));
        assert_eq!(complete("", Some("0a")), "");
        assert_eq!(
            complete("<form method=\"post\"", Some("0a")),
            format!("<form method=\"post\"{field}")
        );
    }

    #[test]
    fn enter_sends_only_forms_that_say_so() {
        let sent = "<form method=\"post\" data-enter><i></i></form>";
        assert_eq!(complete(sent, None), sent);
        let kept = "<form method=\"post\">@<i></i></form>";
        assert_eq!(
            complete(&kept.replace('@', ""), None),
            kept.replace('@', NO_ENTER)
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
