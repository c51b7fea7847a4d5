//! User interactions with a page: pressing, following, filling in, choosing.

use std::sync::atomic::Ordering;

use serde_json::Value;
use thirtyfour::prelude::*;

use super::Part;

/// What takes text.
const FIELDS: [&str; 6] = [
    "textbox",
    "searchbox",
    "spinbutton",
    "Date",
    "DateTime",
    "InputTime",
];

/// What is longer is not typed but pasted, and dates are picked: how they are typed depends on
/// the language of the browser.
const LONG: usize = 200;

impl Part<'_> {
    /// Presses the button of this name, and waits for the page to which it leads.
    pub(crate) async fn press(&self, name: &str) -> Self {
        let button = self.one(&["button"], name).await;
        self.browser.leave(click(button)).await;
        Part::whole(self.browser)
    }

    /// Presses the button of this name, which leads to a page that shows this.
    pub(crate) async fn press_shows(&self, name: &str, what: &str) -> Self {
        self.press(name).await.shows(what).await
    }

    /// Follows the link of this name to a page that shows this.
    pub(crate) async fn follow_shows(&self, name: &str, what: &str) -> Self {
        self.follow(name).await.shows(what).await
    }

    /// Follows the link of this name.
    pub(crate) async fn follow(&self, name: &str) -> Self {
        let link = self.one(&["link"], name).await;
        self.browser.leave(click(link)).await;
        Part::whole(self.browser)
    }

    /// Opens the page about a fact of the list. Where there is the script, its words open in place before.
    pub(crate) async fn edit(&self, fact: &str) -> Self {
        let edit = format!("Edit: {fact}");
        if !self.browser.has_script.load(Ordering::Relaxed) {
            return self.follow(&edit).await;
        }
        click(self.one(&["link"], &edit).await).await;
        self.follow("More: kind, name").await
    }

    /// Presses what opens or closes something on the same page.
    pub(crate) async fn open(&self, name: &str) -> Self {
        click(self.one(&["link", "button"], name).await).await;
        *self
    }

    /// Opens or closes what is folded away under this name.
    pub(crate) async fn unfold(&self, name: &str) -> Self {
        click(self.one(&["DisclosureTriangle", "button"], name).await).await;
        *self
    }

    /// Writes into the field with this label; what stood there is gone.
    pub(crate) async fn fill(&self, label: &str, text: &str) -> Self {
        let field = self.one(&FIELDS, label).await;
        let kind = field.prop("type").await.unwrap().unwrap_or_default();
        let picked = ["date", "datetime-local", "time"].contains(&&*kind);
        if picked || text.len() > LONG {
            let set = "arguments[0].value = arguments[1]";
            let arguments = vec![field.to_json().unwrap(), text.into()];
            self.browser.session.script(set, arguments).await;
            assert_eq!(field.value().await.unwrap().as_deref(), Some(text));
            return *self;
        }
        field.clear().await.unwrap();
        field.send_keys(text).await.unwrap();
        *self
    }

    /// What stands in the field with this label.
    pub(crate) async fn value(&self, label: &str) -> String {
        let field = self.one(&FIELDS, label).await;
        field.value().await.unwrap().unwrap_or_default()
    }

    /// Ticks the box with this label, or takes the tick away.
    pub(crate) async fn tick(&self, label: &str, ticked: bool) -> Self {
        let tick = self.one(&["checkbox", "radio"], label).await;
        if tick.is_selected().await.unwrap() != ticked {
            click(tick).await;
        }
        *self
    }

    /// Whether the box with this label is ticked.
    pub(crate) async fn is_ticked(&self, label: &str) -> bool {
        let tick = self.one(&["checkbox", "radio"], label).await;
        tick.is_selected().await.unwrap()
    }

    /// Chooses an entry, by its text, of the list with this label.
    pub(crate) async fn choose(&self, label: &str, entry: &str) -> Self {
        let list = self.one(&["combobox", "listbox"], label).await;
        let choose = "const entry = [...arguments[0].options].find((o) => o.text === arguments[1]);
             if (!entry) return [...arguments[0].options].map((o) => o.text);
             arguments[0].value = entry.value; return null;";
        let arguments = vec![list.to_json().unwrap(), entry.into()];
        let there = self.browser.session.script(choose, arguments).await;
        assert_eq!(there, Value::Null, "no {entry:?} in {label:?}");
        *self
    }
}

pub(super) async fn click(element: WebElement) {
    element.scroll_into_view().await.unwrap();
    element.click().await.unwrap();
}
