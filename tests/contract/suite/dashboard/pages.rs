//! Properties of every page of the dashboard.

use ctxmem_server::store::Usage;

use crate::suite::support::{Developer, RawResponse, Text as _, without_own_script};

/// Every page, the one that shows a key included.
async fn pages(ann: &Developer, agent_id: &str) -> Vec<RawResponse> {
    let key_id = ann.server.grants.keys().await.unwrap()[0].id.clone();
    let key = format!("/dashboard/keys/{key_id}");
    let agent = format!("/dashboard/agents/{agent_id}");
    let mut pages = Vec::new();
    for path in ["/dashboard", &agent, &key, "/dashboard/playground"] {
        pages.push(ann.request("GET", path).send().await);
    }
    let scope = ("scope", "goals");
    let call = [
        ("key_id", &*key_id),
        ("user", "ada"),
        ("action", "inject"),
        ("base_prompt", "</textarea><img src=x>"),
    ];
    for (path, fields) in [
        ("/dashboard/playground", &call[..]),
        (
            "/dashboard/agents/delete",
            &[("agent_id", agent_id), ("name", "x")],
        ),
    ] {
        pages.push(ann.post(path, fields).await);
    }
    let fields = [("agent_id", agent_id), scope];
    let made = ann.post("/dashboard/keys", &fields).await;
    pages.push(ann.shown_once(&made).await);
    pages.push(ann.request("GET", "/dashboard/settings").send().await);
    let requests = format!("/dashboard/requests?agent={agent_id}");
    pages.push(ann.request("GET", &requests).send().await);
    pages.push(ann.server.get("/dashboard").send().await);
    pages
}

#[tokio::test]
async fn names_are_text_and_nothing_comes_from_elsewhere() {
    let (server, ann) = Developer::start().await;
    let name = r#""><img src=x onerror=alert(1)></title><script>"#;
    let (agent_id, _) = ann.creates(name, &["goals"]).await;
    let usage = Usage {
        injects: 3,
        ..Usage::default()
    };
    server.add_usage(&agent_id, "2026-03-01", usage).await;
    for page in pages(&ann, &agent_id).await {
        page.assert_html();
        assert_eq!(page.header("cache-control"), Some("no-store"));
        assert_eq!(page.header("referrer-policy"), Some("same-origin"));
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"));
        let body = without_own_script(&page.body);
        for blocked in ["<script", "<style", " style=", " onclick=", "<img", "src="] {
            // As text it may stand there, escaped.
            let body = body
                .replace("&#60;img src=x", "")
                .replace("&lt;img src=x", "");
            assert!(!body.contains(blocked), "{blocked} in {body}");
        }
    }
}

#[tokio::test]
async fn pages_are_made_for_those_who_do_not_see_them_as_well() {
    let (_, ann) = Developer::start().await;
    let (agent_id, _) = ann.creates("Helper", &["goals"]).await;
    for page in pages(&ann, &agent_id).await {
        let body = page.body;
        assert_eq!(body.matches("<h1").count(), 1, "{body}");
        assert_eq!(body.matches("<main ").count(), 1);
        // Every field to fill in stands in its label.
        for (at, _) in body
            .match_indices("<input ")
            .chain(body.match_indices("<textarea "))
        {
            let field = &body[at..];
            let field = &field[..field.find('>').unwrap()];
            if field.contains(r#"type="hidden""#) {
                continue;
            }
            let before = &body[..at];
            let open = before.matches("<label").count();
            assert_eq!(open, before.matches("</label>").count() + 1, "{field}");
        }
        for (at, _) in body.match_indices("aria-labelledby=\"") {
            let id = body[at..].split('"').nth(1).unwrap();
            assert!(body.contains(&format!(r#"id="{id}""#)), "{id}");
        }
        let ids = body.split(" id=\"").skip(1);
        let mut ids: Vec<&str> = ids.map(|id| id.split('"').next().unwrap()).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "an id stands there twice");
        // Headings don't skip a level.
        let levels: Vec<u32> = body
            .match_indices("<h")
            .filter_map(|(at, _)| body[at + 2..].chars().next()?.to_digit(10))
            .collect();
        assert!(
            levels.windows(2).all(|two| two[1] <= two[0] + 1),
            "{levels:?}"
        );
    }
}

#[tokio::test]
async fn an_address_can_not_make_a_page_say_anything() {
    let (_, ann) = Developer::start().await;
    for query in ["done=owned", "done=", "done=%3Cb%3E", "other=agent-renamed"] {
        let page = ann.get(&format!("/dashboard?{query}")).await;
        page.assert_lacks(r#"class="done""#);
    }
    let page = ann.get("/dashboard?done=agent-deleted").await;
    assert!(!page.contains("is deleted"), "it never happened");
}
