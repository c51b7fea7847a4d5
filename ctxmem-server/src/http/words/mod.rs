//! The words of the pages, in every language that they speak.
//!
//! They stand in `words/LANGUAGE/PAGE.ftl` (Project Fluent), one file a page. Templates and handlers
//! name a message and give its variables ([`Phrase`]); which language it is said in is decided when the page is
//! written, by its reader.
//!
//! `fluent-templates` and `i18n-embed` were not taken: they load folders at run time, and their
//! negotiation does not read a weight of zero. gettext has no selectors within a sentence.

mod bidi;
pub(crate) mod filters;
mod language;
pub(crate) mod page_time;
mod phrase;
mod refusals;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::OnceLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};

use crate::failpoint;

pub(crate) use language::Language;
pub(crate) use page_time::PageTime;
pub(crate) use phrase::{Arg, Phrase, escaped};

/// A file of words: its name and its text.
type File = (&'static str, &'static str);

/// The files of a language, compiled in.
macro_rules! files {
    ($language:literal: $($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../../words/", $language, "/", $name, ".ftl"))),)*]
    };
}

/// Defines the files of every language, which have the same names.
macro_rules! languages {
    ($($names:tt)*) => {
        const FILES: [&[File]; Language::ALL.len()] = [
            files!("en": $($names)*),
            files!("de": $($names)*),
            files!("fr": $($names)*),
            files!("es": $($names)*),
        ];
    };
}

languages! {
    "frame" "times" "scopes" "account" "memory" "access" "consent" "preview" "history" "erase"
    "sign-in" "about" "home" "errors" "refusals" "dashboard" "agent" "key" "settings" "playground"
    "requests" "team"
}

/// The words of a language, parsed once.
struct Words(FluentBundle<FluentResource>);

/// Each is parsed when a page is first written in it.
static WORDS: [OnceLock<Words>; Language::ALL.len()] =
    [const { OnceLock::new() }; Language::ALL.len()];

impl Words {
    fn of(language: Language) -> Self {
        let mut bundle = FluentBundle::new_concurrent(vec![language.id()]);
        // Pages isolate names by elements, and `bidi` where there are none. Fluent would put marks
        // around every number as well.
        bundle.set_use_isolating(false);
        for (name, text) in language.files() {
            // What can't be parsed is left out, and a test finds it.
            let parsed = FluentResource::try_new((*text).to_owned());
            let resource = parsed.unwrap_or_else(|(resource, _)| resource);
            let added = bundle.add_resource(resource);
            failpoint::check(added.is_ok(), || format!("{name}: {added:?}"));
        }
        Self(bundle)
    }

    fn in_language(language: Language) -> &'static Self {
        WORDS[language as usize].get_or_init(|| Self::of(language))
    }

    /// A message without variables.
    fn plain(&'static self, id: &'static str) -> Cow<'static, str> {
        self.said(id, None, None)
            .unwrap_or_else(|| missing(id).into())
    }

    /// A message with these variables.
    fn with(&self, id: &str, args: &FluentArgs<'_>) -> String {
        let said = self.said(id, None, Some(args));
        said.unwrap_or_else(|| missing(id).into()).into_owned()
    }

    /// What stands beside a message under this name, if anything does, with these variables.
    fn attribute(&self, id: &str, name: &str, args: &FluentArgs<'_>) -> Option<String> {
        self.said(id, Some(name), Some(args)).map(Cow::into_owned)
    }

    fn said<'w>(
        &'w self,
        id: &str,
        attribute: Option<&str>,
        args: Option<&'w FluentArgs<'_>>,
    ) -> Option<Cow<'w, str>> {
        let message = self.0.get_message(id)?;
        let pattern = match attribute {
            Some(name) => message.get_attribute(name)?.value(),
            None => message.value()?,
        };
        let mut errors = Vec::new();
        let text = self.0.format_pattern(pattern, args, &mut errors);
        failpoint::check(errors.is_empty(), || format!("{id}: {errors:?}"));
        Some(text)
    }
}

/// What stands in the place of a message that is not there.
fn missing(id: &str) -> &str {
    failpoint::check(false, || format!("there is no message {id}"));
    id
}
