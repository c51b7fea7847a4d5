//! Reading, correcting, adding and deleting facts.

use ctxmem_types::Scope;

use super::before_an_agent;
use crate::suite::browser::Part;
use crate::suite::support::{BASE, Setup};
use crate::suite::{add_fact, assert_parts};

/// Writes a fact into the form that adds one, and sends it.
async fn add<'b>(page: Part<'b>, kind: &str, name: &str, value: &str) -> Part<'b> {
    page.choose("Kind", kind).await;
    if !name.is_empty() {
        page.fill("Name", name).await;
    }
    page.fill("Fact", value).await;
    page.press("Add the fact").await
}

#[tokio::test]
async fn a_corrected_fact_is_what_the_next_prompt_holds() {
    before_an_agent(Setup::new(), async |_, browser, ada, agent| {
        let page = browser.page();
        page.shows("One app can use 3 facts about you.").await;
        let page = page.follow("Memory").await;
        browser.shot("account-memory").await;
        page.part("About you").await.shows("Lisbon").await;
        page.part("What you prefer").await.shows("Helix").await;
        page.edit("Lisbon").await.shows("From Travel planner").await;
        browser.shot("account-correct").await;
        assert_eq!(page.value("Fact").await, "Lisbon");
        page.fill("Fact", "Porto").await;
        page.press("Save").await;
        browser.is_told("The fact was corrected").await;
        let about = page.part("About you").await;
        about.shows("Porto").await.hides("Lisbon").await;
        browser.shot("account-corrected").await;
        let prompt = agent.prompt(&ada).await;
        assert_parts(&prompt, &["Porto"], &["Lisbon"]);
    })
    .await;
}

#[tokio::test]
async fn a_deleted_fact_is_in_no_prompt_any_more() {
    before_an_agent(Setup::new(), async |_, browser, ada, agent| {
        let page = browser.page().follow("Memory").await;
        page.press("Delete: Helix").await;
        browser.is_told("The fact was deleted").await;
        page.part("Facts about you").await.hides("Helix").await;
        browser.shot("account-deleted").await;
        browser.walk_by_keyboard().await;
        assert!(!agent.prompt(&ada).await.contains("Helix"));
        page.press("Undo").await;
        browser.is_told("The deletion is undone").await;
        page.part("Facts about you").await.shows("Helix").await;
        assert!(agent.prompt(&ada).await.contains("Helix"));

        page.tick("Select: Helix", true).await;
        page.press_shows(
            "Delete selected facts",
            "You can undo it on the next page, and not later.",
        )
        .await;
        browser.shot("account-delete-one").await;
        browser.walk_by_keyboard().await;
        assert!(agent.prompt(&ada).await.contains("Helix"));
        page.press("Delete this fact").await;
        browser.is_told("The fact was deleted").await;
        page.part("Facts about you").await.hides("Helix").await;
        let keep_out = "Don’t let apps save it again, nor anything else as “editor”";
        page.press(keep_out).await;
        browser.is_told("Apps won’t save it again").await;
        page.edit("Lisbon").await;
        page.press("Delete this fact instead").await;
        browser.is_told("The fact was deleted").await;
        page.part("Facts about you").await.hides("Lisbon").await;
        let prompt = agent.prompt(&ada).await;
        assert_parts(&prompt, &[], &["Helix", "Lisbon"]);

        page.unfold("Delete all of “About you”").await;
        page.tick("Yes, delete this fact", true).await;
        page.press_shows(
            "Delete all of About you",
            "All facts of this kind were deleted",
        )
        .await;
        page.follow("Home").await.shows("None are saved yet").await;
        browser.shot("account-home-empty").await;
        assert_eq!(agent.prompt(&ada).await, BASE);
    })
    .await;
}

#[tokio::test]
async fn an_added_fact_is_in_the_next_prompt() {
    before_an_agent(Setup::new(), async |_, browser, ada, agent| {
        let page = browser.page().follow("Memory").await;
        page.unfold("Add a fact yourself").await;
        add(page, "What you are working on", "", "A trip to Lapland").await;
        page.shows("The fact was added").await;
        let goals = page.part("What you are working on").await;
        goals.shows("A trip to Lapland").await;
        page.shows("From you").await;
        page.unfold("Add a fact yourself").await;
        add(page, "What you prefer", "seat", "By the window").await;
        let prompt = agent.prompt(&ada).await;
        assert_parts(&prompt, &["A trip to Lapland", "By the window"], &[]);
    })
    .await;
}

#[tokio::test]
async fn refused_input_stays_in_the_form_with_the_reason() {
    before_an_agent(Setup::new(), async |_, browser, ada, agent| {
        let before = agent.reads(&ada).await;
        let page = browser.page().follow("Memory").await;
        page.unfold("Add a fact yourself").await;
        let secret = "password: hunter2-and-more";
        add(page, "What you are working on", "", secret).await;
        page.shows("Not saved").await;
        assert_eq!(page.value("Fact").await, secret);
        browser.shot("account-not-added").await;
        let page = add(page, "What you prefer", "", "Nameless").await;
        page.shows("Not saved").await;
        browser.shot("account-not-added-nameless").await;

        let page = browser.go("/account/facts").await.edit("Helix").await;
        page.fill("Fact", secret).await;
        page.press("Save").await.shows("Not saved").await;
        assert_eq!(page.value("Fact").await, secret);
        browser.shot("account-not-corrected").await;
        assert_eq!(agent.reads(&ada).await, before);
    })
    .await;
}

#[tokio::test]
async fn facts_that_changed_since_they_were_read_are_not_overwritten() {
    before_an_agent(Setup::new(), async |_, browser, ada, agent| {
        let page = browser.page().follow("Memory").await.edit("Helix").await;
        agent.tells(&ada, "I use Emacs as my editor now.").await;
        page.fill("Fact", "Vim").await;
        page.press_shows("Save", "meanwhile this has become “Emacs”")
            .await;
        assert_eq!(page.value("Fact").await, "Vim");
        browser.shot("account-changed-since").await;
        let editor = &agent.reads(&ada).await[Scope::Preferences.name()];
        assert!(editor.to_string().contains("Emacs"), "{editor}");
    })
    .await;
}

/// How many facts make a list that is much longer than the window.
const MANY: usize = 60;

#[tokio::test]
async fn what_was_done_is_in_view_and_no_other_row_is_marked() {
    let setup = Setup::new().endless_lists();
    before_an_agent(setup, async |server, browser, ada, agent| {
        for n in 0..MANY {
            let fact = format!("Skill number {n}");
            add_fact(server, &ada, Scope::Knowledge, fact).await;
        }
        let decides = async |n: usize| {
            let page = browser.go("/account/facts").await;
            let delete = format!("Delete: Skill number {}", 30 + n);
            page.press(&delete).await;
            browser.is_told("The fact was deleted").await;
            let page = browser.go("/account/facts?page=2").await;
            let last = format!("Skill number {}", MANY - 1 - n);
            page.edit(&last).await;
            page.fill("Fact", &format!("{last}, corrected")).await;
            page.press("Save").await;
            browser.is_told("The fact was corrected").await;
            page.shows(&format!("{last}, corrected")).await;
        };
        decides(0).await;
        browser.on_phone(decides(1)).await;
        browser.without_script().await;
        decides(2).await;
        for (button, told) in [
            ("Pause everything", "Everything is paused."),
            ("End the pause", "The pause is over."),
            ("New apps must ask me", "New apps must ask you"),
            ("Revoke access of Travel planner", "Access was revoked."),
        ] {
            browser.go("/account/apps").await.press(button).await;
            browser.is_told(told).await;
        }
        assert_eq!(agent.reason(&ada).await.as_deref(), Some("no_grant"));
    })
    .await;
}

#[tokio::test]
async fn words_are_edited_where_they_stand() {
    before_an_agent(Setup::new(), async |_, browser, ada, agent| {
        let page = browser.go("/account/facts?kind=general").await;
        // Cancelled, the words are as before.
        page.open("Edit: Lisbon").await.fill("Fact", "Porto").await;
        page.open("Cancel").await.shows("Lisbon").await;
        assert!(agent.prompt(&ada).await.contains("Lisbon"));
        let page = page.open("Edit: Lisbon").await;
        assert_eq!(page.value("Fact").await, "Lisbon");
        browser.shot("account-edit-in-place").await;
        page.fill("Fact", "Porto").await;
        page.press("Save").await;
        browser.is_told("The fact was corrected").await;
        // One stays in the list, with its filter.
        assert_eq!(browser.path().await, "/account/facts");
        page.shows("Porto").await.hides("Helix").await;
        let prompt = agent.prompt(&ada).await;
        assert_parts(&prompt, &["location: Porto"], &["Lisbon"]);
    })
    .await;
}

#[tokio::test]
async fn a_fact_is_added_in_ones_own_words() {
    before_an_agent(Setup::new(), async |_, browser, ada, agent| {
        let page = browser.page().follow("Memory").await;
        page.unfold("Add a fact yourself").await;
        // Nothing but the words: no kind, and no name.
        page.fill("Fact", "I'm allergic to peanuts.").await;
        browser.shot("account-add").await;
        page.press("Add the fact").await;
        browser.is_told("The fact was added").await;
        page.part("What you prefer").await.shows("Peanuts").await;
        let prompt = agent.prompt(&ada).await;
        assert!(prompt.contains("allergy: Peanuts"), "{prompt}");
    })
    .await;
}

/// How high the highest row is, and how many there are.
const ROWS: &str = "const rows = [...document.querySelectorAll('.facts > li')];
    const highest = Math.max(...rows.map((row) => row.getBoundingClientRect().height));
    return [highest, rows.length];";

#[tokio::test]
async fn many_facts_are_found_chosen_and_deleted_on_a_phone() {
    let setup = Setup::new().endless_lists();
    before_an_agent(setup, async |server, browser, ada, agent| {
        for n in 0..MANY {
            let fact = format!("Café number {n}");
            add_fact(server, &ada, Scope::Knowledge, fact).await;
        }
        browser
            .on_phone(async {
                let page = browser.go("/account/facts").await;
                page.shows("1–50 of 63.").await;
                let rows = browser.promise(ROWS, vec![]).await;
                let height = rows[0].as_f64().unwrap();
                assert!(height <= 72.0 && rows[1] == 50, "{rows}");
                page.fill("Search", "numbers cafe").await;
                let page = page.press("Search").await;
                page.shows("60 facts match.").await.hides("Lisbon").await;
                let page = page.press("Delete all 60 that match").await;
                page.shows("Delete 60 facts?").await.hides("Lisbon").await;
            })
            .await;
        browser.shot("account-delete-all-found").await;
        browser.page().press("Delete 60 facts").await;
        browser.is_told("The selected facts were deleted.").await;
        let prompt = agent.prompt(&ada).await;
        assert_parts(&prompt, &["Lisbon"], &["Café"]);
    })
    .await;
}
