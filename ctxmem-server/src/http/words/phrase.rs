//! A message and its variables, before it is known in which language it is said.

use std::borrow::Cow;

use fluent_bundle::{FluentArgs, FluentValue};

use super::bidi::isolated;
use super::page_time::PageTime;
use super::{Language, Words, refusals};

/// What the pages say: a message of the files of words, with its variables.
#[derive(Clone, Debug)]
pub(crate) struct Phrase {
    source: Source,
    args: Vec<(&'static str, Arg)>,
}

/// Where the words come from.
#[derive(Clone, Debug)]
enum Source {
    /// A message of the files.
    Message(&'static str),
    /// What the interface says, in English, about a request that it refuses.
    Refusal(String),
    /// What has the same name in every language.
    Verbatim(String),
    /// A variable alone.
    Alone(Arg),
}

/// A variable of a message.
#[derive(Clone, Debug)]
pub(crate) enum Arg {
    /// Text of whatever origin, which pages escape.
    Text(String),
    /// A name that may run in the other direction: pages isolate it.
    Name(String),
    Number(i64),
    Time(PageTime),
    Phrase(Box<Phrase>),
    /// Several, with commas between them.
    List(Vec<Phrase>),
    /// Markup of a template, such as a link's beginning. Plain text has none.
    Markup(String),
}

/// For whom a phrase is written out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Html,
    Plain,
}

impl Phrase {
    /// The message with this id.
    pub(crate) fn new(id: &'static str) -> Self {
        Self::of(Source::Message(id))
    }

    /// A refusal of the interface. Its field's name, if it begins with one, is not part of `text`.
    pub(crate) fn refusal(text: &str) -> Self {
        Self::of(Source::Refusal(text.to_owned()))
    }

    /// What is called the same in every language, such as a scope in the interface.
    pub(crate) fn verbatim(text: &str) -> Self {
        Self::of(Source::Verbatim(text.to_owned()))
    }

    /// A name, in a list of phrases.
    pub(crate) fn named(name: &str) -> Self {
        Self::of(Source::Alone(Arg::Name(name.to_owned())))
    }

    /// A point in time by itself.
    pub(crate) fn at(time: &PageTime) -> Self {
        Self::of(Source::Alone(Arg::Time(time.clone())))
    }

    fn of(source: Source) -> Self {
        Self {
            source,
            args: Vec::new(),
        }
    }

    /// The same with another variable.
    #[must_use]
    pub(crate) fn arg(mut self, name: &'static str, value: impl IntoArg) -> Self {
        self.args.push((name, value.into_arg()));
        self
    }

    /// The same with a variable that is a name.
    #[must_use]
    pub(crate) fn name(self, name: &'static str, value: &str) -> Self {
        self.arg(name, Arg::Name(value.to_owned()))
    }

    pub(crate) fn plain(&self, language: Language) -> Cow<'static, str> {
        self.write(language, Form::Plain)
    }

    /// As HTML. The words hold no markup of their own (a test sees to that), and every text among
    /// the variables is escaped.
    pub(crate) fn html(&self, language: Language) -> Cow<'static, str> {
        self.write(language, Form::Html)
    }

    fn write(&self, language: Language, form: Form) -> Cow<'static, str> {
        match &self.source {
            Source::Refusal(text) => form.text(&refusals::say(language, text)).into(),
            Source::Alone(arg) => match arg.value(language, form) {
                FluentValue::String(text) => text.into_owned().into(),
                _ => Cow::Borrowed(""),
            },
            Source::Verbatim(text) => form.text(text).into(),
            Source::Message(id) if self.args.is_empty() => Words::in_language(language).plain(id),
            Source::Message(id) => {
                let mut args = FluentArgs::with_capacity(self.args.len());
                for (name, arg) in &self.args {
                    args.set(*name, arg.value(language, form));
                }
                Words::in_language(language).with(id, &args).into()
            }
        }
    }
}

impl Form {
    fn text(self, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Html => escaped(text),
        }
    }
}

/// Text as HTML, as askama escapes it.
pub(crate) fn escaped(text: &str) -> String {
    match askama::filters::escape(text, askama::filters::Html) {
        Ok(escaped) => escaped.to_string(),
        Err(never) => match never {},
    }
}

impl Arg {
    fn value(&self, language: Language, form: Form) -> FluentValue<'static> {
        match self {
            Self::Number(number) => (*number).into(),
            Self::Text(text) => form.text(text).into(),
            Self::Name(name) if form == Form::Html => {
                format!("<bdi>{}</bdi>", escaped(name)).into()
            }
            Self::Name(name) => isolated(name).into_owned().into(),
            Self::Time(time) if form == Form::Html => time.html(language).into(),
            Self::Time(time) => time.text(language).into(),
            Self::Phrase(phrase) => phrase.write(language, form).into(),
            Self::List(phrases) => {
                let said = phrases.iter().map(|phrase| phrase.write(language, form));
                said.collect::<Vec<_>>().join(", ").into()
            }
            Self::Markup(markup) if form == Form::Html => markup.clone().into(),
            Self::Markup(_) => "".into(),
        }
    }
}

/// What can be said: the id of a message, or a phrase.
pub(crate) trait IntoPhrase: Sized {
    fn into_phrase(self) -> Phrase;
}

impl IntoPhrase for Phrase {
    fn into_phrase(self) -> Phrase {
        self
    }
}

impl IntoPhrase for &'static str {
    fn into_phrase(self) -> Phrase {
        Phrase::new(self)
    }
}

impl<T: IntoPhrase + Clone> IntoPhrase for &T {
    fn into_phrase(self) -> Phrase {
        self.clone().into_phrase()
    }
}

/// What can be a variable.
pub(crate) trait IntoArg: Sized {
    fn into_arg(self) -> Arg;
}

impl<T: IntoArg + Clone> IntoArg for &T {
    fn into_arg(self) -> Arg {
        self.clone().into_arg()
    }
}

macro_rules! into_arg {
    ($($from:ty: $value:ident => $arg:expr;)*) => {
        $(impl IntoArg for $from {
            fn into_arg(self) -> Arg {
                let $value = self;
                $arg
            }
        })*
    };
}

into_arg! {
    Arg: arg => arg;
    &str: text => Arg::Text(text.to_owned());
    String: text => Arg::Text(text);
    i64: number => Arg::Number(number);
    u32: number => Arg::Number(i64::from(number));
    u64: number => Arg::Number(i64::try_from(number).unwrap_or(i64::MAX));
    usize: number => Arg::Number(i64::try_from(number).unwrap_or(i64::MAX));
    std::num::NonZeroU32: number => number.get().into_arg();
    Phrase: phrase => Arg::Phrase(Box::new(phrase));
    Vec<Phrase>: phrases => Arg::List(phrases);
    PageTime: time => Arg::Time(time);
}
