//! The keyboard, and whether a page can be used by it alone.

use serde_json::{Value, json};

use super::Browser;

/// What can be reached, as it is on the page, and from now on what the focus comes to.
const BEGIN: &str = "
    const told = (one) => one.outerHTML.slice(0, 120);
    const is_chosen = (one) => one.type !== 'radio' || one.checked
        || !document.querySelector(`input[type=radio][name='${one.name}']:checked`)
           && one === document.querySelector(`input[type=radio][name='${one.name}']`);
    const all = document.querySelectorAll(
        'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex=\"0\"]');
    window.__reached = [];
    window.__reaches = (event) => window.__reached.push(told(event.target));
    document.addEventListener('focusin', window.__reaches);
    const reachable = [...all].filter(
        (one) => !one.disabled && one.checkVisibility() && one.tabIndex >= 0 && is_chosen(one));
    reachable[0].focus();
    return reachable.map(told);";

const END: &str = "
    document.removeEventListener('focusin', window.__reaches);
    return window.__reached;";

impl Browser {
    /// Goes through the page with the tabulator: it comes to everything that can be used, in the order
    /// of the page.
    pub(crate) async fn walk_by_keyboard(&self) {
        let expected = self.session.script(BEGIN, vec![]).await;
        let expected: Vec<String> = serde_json::from_value(expected).unwrap();
        for _ in &expected[1..] {
            let tab = json!({"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9});
            self.press_key(tab).await;
        }
        let reached = self.session.script(END, vec![]).await;
        let reached: Vec<String> = serde_json::from_value(reached).unwrap();
        assert_eq!(reached, expected, "the focus comes to the left");
    }

    /// Presses Enter where the focus is.
    pub(crate) async fn press_enter(&self) {
        let enter = json!({
            "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r",
        });
        self.press_key(enter).await;
    }

    async fn press_key(&self, mut key: Value) {
        for kind in ["keyDown", "keyUp"] {
            key["type"] = kind.into();
            let press = "Input.dispatchKeyEvent";
            self.session.tool(press, key.clone()).await;
        }
    }
}
