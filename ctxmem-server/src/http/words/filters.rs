//! Template filters that insert phrases: `{{ "message-id"|say }}`, and with variables
//! `{{ "message-id"|arg("count", n)|bdi("agent", name)|say }}`.
//!
//! The values of the request of whoever reads the page come with it (`reply::page`), so no page has to
//! carry its language.

#![expect(
    unreachable_pub,
    clippy::inline_always,
    clippy::trivially_copy_pass_by_ref,
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "askama's `filter_fn` makes types and methods of this form"
)]

use askama::Values;
use askama::filters::Safe;

use http::{Method, Uri};

use super::page_time::PageTime;
use super::phrase::{IntoArg, IntoPhrase, escaped};
use super::{Arg, Language, Phrase};

/// The [`Language`] of whoever reads the page, by its name among the values of a template.
pub(crate) const LANGUAGE: &str = "language";
/// The [`Method`] of the request that the page answers.
pub(crate) const METHOD: &str = "method";
/// The [`Uri`] of that request.
pub(crate) const ADDRESS: &str = "address";

fn language(values: &dyn Values) -> askama::Result<Language> {
    askama::get_value(values, LANGUAGE).copied()
}

/// The phrase in the reader's language, as HTML.
#[askama::filter_fn]
pub(crate) fn say<P: IntoPhrase>(phrase: P, values: &dyn Values) -> askama::Result<Safe<String>> {
    Ok(Safe(
        phrase.into_phrase().html(language(values)?).into_owned(),
    ))
}

/// The phrase with a variable: text, a number, a point in time or another phrase.
#[askama::filter_fn]
pub(crate) fn arg<P: IntoPhrase, V: IntoArg>(
    phrase: P,
    _: &dyn Values,
    name: &'static str,
    value: V,
) -> askama::Result<Phrase> {
    Ok(phrase.into_phrase().arg(name, value))
}

/// The phrase with a name, whatever its direction. In attributes and titles it is an `arg`.
#[askama::filter_fn]
pub(crate) fn bdi<P: IntoPhrase, V: AsRef<str>>(
    phrase: P,
    _: &dyn Values,
    name: &'static str,
    value: V,
) -> askama::Result<Phrase> {
    Ok(phrase.into_phrase().name(name, value.as_ref()))
}

/// The phrase with a name that stands out, whatever its direction.
#[askama::filter_fn]
pub(crate) fn strong<P: IntoPhrase, V: AsRef<str>>(
    phrase: P,
    _: &dyn Values,
    name: &'static str,
    value: V,
) -> askama::Result<Phrase> {
    let markup = format!("<strong><bdi>{}</bdi></strong>", escaped(value.as_ref()));
    Ok(phrase.into_phrase().arg(name, Arg::Markup(markup)))
}

/// The phrase with a part between `$begin` and `$end` that links there.
#[askama::filter_fn]
pub(crate) fn link<P: IntoPhrase, V: AsRef<str>>(
    phrase: P,
    _: &dyn Values,
    address: V,
) -> askama::Result<Phrase> {
    Ok(linked(phrase.into_phrase(), address.as_ref(), ""))
}

/// The same, with a link that leaves the page open.
#[askama::filter_fn]
pub(crate) fn link_in_new_tab<P: IntoPhrase, V: AsRef<str>>(
    phrase: P,
    _: &dyn Values,
    address: V,
) -> askama::Result<Phrase> {
    let how = " target=\"_blank\" rel=\"noopener\"";
    Ok(linked(phrase.into_phrase(), address.as_ref(), how))
}

fn linked(phrase: Phrase, address: &str, how: &str) -> Phrase {
    let begin = format!("<a href=\"{}\"{how}>", escaped(address));
    let phrase = phrase.arg("begin", Arg::Markup(begin));
    phrase.arg("end", Arg::Markup("</a>".to_owned()))
}

/// The phrase with a variable in this element, such as `code`.
#[askama::filter_fn]
pub(crate) fn element<P: IntoPhrase, V: AsRef<str>>(
    phrase: P,
    _: &dyn Values,
    tag: &'static str,
    name: &'static str,
    value: V,
) -> askama::Result<Phrase> {
    let markup = format!("<{tag}>{}</{tag}>", escaped(value.as_ref()));
    Ok(phrase.into_phrase().arg(name, Arg::Markup(markup)))
}

/// A point in time, in milliseconds since 1970.
pub(crate) trait Millis {
    fn millis(&self) -> i64;
}

impl Millis for i64 {
    fn millis(&self) -> i64 {
        *self
    }
}

impl<T: Millis> Millis for &T {
    fn millis(&self) -> i64 {
        T::millis(self)
    }
}

/// The point in time with its month in full.
#[askama::filter_fn]
pub(crate) fn long<T: Millis>(at: T, _: &dyn Values) -> askama::Result<PageTime> {
    Ok(PageTime::new(at.millis()))
}

/// The point in time with its month abbreviated, for tables.
#[askama::filter_fn]
pub(crate) fn short<T: Millis>(at: T, _: &dyn Values) -> askama::Result<PageTime> {
    Ok(PageTime::short(at.millis()))
}

/// The point in time with its seconds.
#[askama::filter_fn]
pub(crate) fn to_the_second<T: Millis>(at: T, _: &dyn Values) -> askama::Result<PageTime> {
    Ok(PageTime::to_the_second(at.millis()))
}

/// A point in time as an element that scripts and people can read.
#[askama::filter_fn]
pub(crate) fn time<T: AsRef<PageTime>>(at: T, values: &dyn Values) -> askama::Result<Safe<String>> {
    Ok(Safe(at.as_ref().html(language(values)?)))
}

/// Whether the page is in this language.
#[askama::filter_fn]
pub(crate) fn is_spoken(spoken: &Language, values: &dyn Values) -> askama::Result<bool> {
    Ok(language(values)? == *spoken)
}

/// Whether the language can be switched here. On a page that answers a form it can't: the other page
/// would be without what was typed.
#[askama::filter_fn]
pub(crate) fn can_switch(_: &str, values: &dyn Values) -> askama::Result<bool> {
    Ok(askama::get_value::<Method>(values, METHOD)? == Method::GET)
}

/// Where the switch of the language leads if the browser does not say where it stood.
#[askama::filter_fn]
pub(crate) fn page_of_switch(_: &str, values: &dyn Values) -> askama::Result<&'static str> {
    Ok(overview_path(
        askama::get_value::<Uri>(values, ADDRESS)?.path(),
    ))
}

/// The path of the overview that is near to a path, of developers or of users. It shows the sign-in to
/// those who need it.
pub(crate) fn overview_path(path: &str) -> &'static str {
    if path.starts_with("/dashboard") {
        "/dashboard"
    } else {
        "/account"
    }
}
