//! Pages: which routes show one, and what tests find on it.

use ctxmem_server::http::Route;

/// Whether this route shows a page: not the interface of agents, a file, or an answer for
/// orchestrators.
pub(crate) fn is_page(route: &Route) -> bool {
    let path = route.template();
    let is_for_programs = path.starts_with("/api/") || ["/livez", "/readyz"].contains(&path);
    route.method() == "GET" && !is_for_programs && !path.contains('.')
}

/// What stands on a page between two texts, the first time.
#[track_caller]
pub(crate) fn between<'p>(page: &'p str, before: &str, after: &str) -> &'p str {
    let Some((_, rest)) = page.split_once(before) else {
        panic!("no {before} in {page}");
    };
    rest.split(after).next().unwrap()
}

/// What tests say of a page or another text.
pub(crate) trait Text {
    /// Checks that this is in it.
    fn assert_has(&self, text: impl AsRef<str>);

    /// Checks that all of these are in it.
    fn assert_has_all<T: AsRef<str>>(&self, texts: impl IntoIterator<Item = T>);

    /// Checks that it begins with this.
    fn assert_begins(&self, text: impl AsRef<str>);

    /// Checks that this is not in it.
    fn assert_lacks(&self, text: impl AsRef<str>);

    /// Checks that none of these is in it.
    fn assert_lacks_all<T: AsRef<str>>(&self, texts: impl IntoIterator<Item = T>);
}

impl Text for str {
    #[track_caller]
    fn assert_has(&self, text: impl AsRef<str>) {
        let text = text.as_ref();
        assert!(self.contains(text), "{text} is not in {self}");
    }

    #[track_caller]
    fn assert_has_all<T: AsRef<str>>(&self, texts: impl IntoIterator<Item = T>) {
        for text in texts {
            self.assert_has(text);
        }
    }

    #[track_caller]
    fn assert_begins(&self, text: impl AsRef<str>) {
        let text = text.as_ref();
        assert!(self.starts_with(text), "{self} does not begin with {text}");
    }

    #[track_caller]
    fn assert_lacks(&self, text: impl AsRef<str>) {
        let text = text.as_ref();
        assert!(!self.contains(text), "{text} is in {self}");
    }

    #[track_caller]
    fn assert_lacks_all<T: AsRef<str>>(&self, texts: impl IntoIterator<Item = T>) {
        for text in texts {
            self.assert_lacks(text);
        }
    }
}
