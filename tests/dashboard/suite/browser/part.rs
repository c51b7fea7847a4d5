//! A page or a part of it, as people find their way in it: by roles and names, which are
//! those of the accessibility tree.

use serde_json::{Value, json};
use thirtyfour::prelude::*;

use super::Browser;

/// What groups other things.
const GROUPS: &[&str] = &[
    "region",
    "form",
    "group",
    "article",
    "listitem",
    "row",
    "table",
    "list",
    "figure",
    "navigation",
];

/// A page, or a part of it.
#[derive(Clone, Copy)]
pub(crate) struct Part<'b> {
    pub(super) browser: &'b Browser,
    /// The node of the part; `None` for the page.
    node: Option<i64>,
}

/// A node of the accessibility tree.
struct Node {
    role: String,
    name: String,
    id: i64,
}

impl<'b> Part<'b> {
    pub(super) fn whole(browser: &'b Browser) -> Self {
        let node = None;
        Self { browser, node }
    }

    /// The region, form, group or row of this name.
    pub(crate) async fn part(&self, name: &str) -> Part<'b> {
        let node = Some(self.only(GROUPS, name).await.id);
        Self { node, ..*self }
    }

    /// The row of a table that has this header.
    pub(crate) async fn row(&self, header: &str) -> Part<'b> {
        let header = self.only(&["rowheader"], header).await;
        let session = &self.browser.session;
        let row = json!({
            "objectId": self.object(header.id).await,
            "functionDeclaration": "function() { return this.closest('tr'); }",
        });
        let row = session.tool("Runtime.callFunctionOn", row).await;
        let row = json!({"objectId": row["result"]["objectId"]});
        let row = session.tool("DOM.describeNode", row).await;
        let node = row["node"]["backendNodeId"].as_i64();
        Self { node, ..*self }
    }

    /// The text that can be seen.
    pub(crate) async fn text(&self) -> String {
        let mut of = Vec::new();
        if let Some(id) = self.node {
            of.push(self.element(id).await.to_json().unwrap());
        }
        let read = "return (arguments[0] ?? document.body).innerText";
        let text = self.browser.session.script(read, of).await;
        text.as_str().unwrap().to_owned()
    }

    /// Fails unless this can be read here.
    pub(crate) async fn shows(&self, what: &str) -> Self {
        let text = self.text().await;
        assert!(text.contains(what), "{what:?} is not in\n{text}");
        *self
    }

    /// Fails when this can be read here.
    pub(crate) async fn hides(&self, what: &str) -> Self {
        let text = self.text().await;
        assert!(!text.contains(what), "{what:?} is in\n{text}");
        *self
    }

    /// The names of all that has this role, in the order of the page.
    pub(crate) async fn names(&self, role: &str) -> Vec<String> {
        let found = self.query(json!({"role": role})).await;
        found.into_iter().map(|node| node.name).collect()
    }

    /// The only thing of this name that has one of these roles.
    pub(super) async fn one(&self, roles: &[&str], name: &str) -> WebElement {
        let node = self.only(roles, name).await;
        self.element(node.id).await
    }

    /// The only one of these roles that is called this; or, where none is, the only one whose
    /// name begins so: the name of a field holds the hints of its label.
    async fn only(&self, roles: &[&str], name: &str) -> Node {
        let mut there = self.query(json!({"accessibleName": name})).await;
        there.retain(|node| roles.contains(&&*node.role));
        if there.is_empty() {
            there = self.query(json!({})).await;
            there.retain(|node| roles.contains(&&*node.role));
        }
        let there = there.into_iter();
        let (mut found, others): (Vec<Node>, Vec<Node>) =
            there.partition(|node| node.name.starts_with(name));
        if found.len() == 1 {
            return found.remove(0);
        }
        let count = found.len();
        let others: Vec<String> = others.into_iter().map(|node| node.name).collect();
        panic!("{count} of {roles:?} are called {name:?}; there are also {others:?}");
    }

    /// What the accessibility tree holds below this part.
    async fn query(&self, mut query: Value) -> Vec<Node> {
        let session = &self.browser.session;
        if let Some(node) = self.node {
            query["backendNodeId"] = node.into();
        } else {
            let root = session.tool("DOM.getDocument", json!({"depth": 0})).await;
            query["nodeId"] = root["root"]["nodeId"].clone();
        }
        let found = session.tool("Accessibility.queryAXTree", query).await;
        let nodes = found["nodes"].as_array().unwrap().iter();
        let text = |value: &Value| value["value"].as_str().unwrap_or_default().to_owned();
        nodes
            .filter(|node| node["ignored"] != true)
            .filter_map(|node| {
                Some(Node {
                    role: text(&node["role"]),
                    // Some versions keep the space between a box and its label, which nobody
                    // hears.
                    name: text(&node["name"]).trim().to_owned(),
                    id: node["backendDOMNodeId"].as_i64()?,
                })
            })
            .collect()
    }

    /// The element of a node: handed over by way of the page.
    async fn element(&self, id: i64) -> WebElement {
        let session = &self.browser.session;
        let hand_over = json!({
            "objectId": self.object(id).await,
            "functionDeclaration": "function() { window.__element = this; }",
        });
        session.tool("Runtime.callFunctionOn", hand_over).await;
        let taken = session.driver.execute("return window.__element", vec![]);
        taken.await.unwrap().element().unwrap()
    }

    /// A node as scripts know it.
    async fn object(&self, id: i64) -> Value {
        let node = json!({"backendNodeId": id});
        let node = self.browser.session.tool("DOM.resolveNode", node).await;
        node["object"]["objectId"].clone()
    }
}
