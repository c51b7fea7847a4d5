//! Deleting everything: the page that shows what would be deleted, the deletion and its receipt.

use askama::Template;
use ctxmem_types::{Scope, UserId};
use http::StatusCode;
use serde::Deserialize;

use super::frame::AccountFrame;
use crate::core::{Actor, AuditRow, Core, Error, State};
use crate::http::engine::{HandlerContext, HandlerResult, HttpError, reply};
use crate::http::pages::scopes;
use crate::http::words::{Language, PageTime, Phrase, filters};

#[derive(Template)]
#[template(path = "account/erase.html")]
struct ErasePage {
    frame: AccountFrame,
    /// How many facts of each kind there are, and in all.
    counts: Vec<(Phrase, usize)>,
    total: usize,
    /// For how many days the log is kept; `None` for all time.
    log_days: Option<u32>,
    /// The names of the agents that lose access.
    agents: Vec<Phrase>,
    /// Whether the word that confirms it was wrong.
    is_refused: bool,
}

#[derive(Template)]
#[template(path = "account/receipt.html")]
struct ReceiptPage {
    frame: AccountFrame,
    row: AuditRow,
    log_days: Option<u32>,
}

impl ErasePage {
    async fn of(core: &Core, user_id: &UserId, is_refused: bool) -> Result<Self, HttpError> {
        let access = core.grants.access(user_id).await?;
        let active = access.iter().filter(|now| now.state == State::Active);
        let facts = core.memory.facts_with_provenance(user_id).await?;
        let counts = Scope::ALL.map(|scope| {
            let of_kind = facts.iter().filter(|kept| kept.fact.scope == scope);
            (scopes::title(scope), of_kind.count())
        });
        Ok(Self {
            frame: AccountFrame::of(core, user_id).await?,
            counts: counts.into_iter().filter(|(_, count)| *count > 0).collect(),
            total: facts.len(),
            log_days: core.memory.audit_days(),
            agents: active
                .map(|now| Phrase::named(&now.access.agent_name))
                .collect(),
            is_refused,
        })
    }
}

/// The page that says what would be deleted.
pub(crate) async fn ask(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let page = ErasePage::of(ctx.core(), &user_id, false).await?;
    ctx.page(&page)
}

#[derive(Deserialize)]
struct EraseForm {
    #[serde(default)]
    confirm: String,
}

/// The form behind "Delete everything".
pub(crate) async fn erase(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let form: EraseForm = ctx.form().await?;
    if !is_word(form.confirm.trim()) {
        if !ctx.request.wants_page() {
            let text = "confirm: type the word erase";
            return Err(Error::BadRequest(text.to_owned()).into());
        }
        let page = ErasePage::of(ctx.core(), &user_id, true).await?;
        return ctx.page_of(StatusCode::BAD_REQUEST, &page);
    }
    let receipt = ctx.core().memory.erase_own(user_id).await?;
    Ok(reply::see_other(&format!("/account/receipt?id={receipt}")))
}

/// Whether this is the word to type, so that nobody deletes everything by accident. Whoever switches
/// the language between two tabs may type the word of any.
fn is_word(typed: &str) -> bool {
    let typed = typed.to_lowercase();
    let word = Phrase::new("erase-word");
    Language::ALL
        .into_iter()
        .any(|language| word.plain(language) == typed)
}

#[derive(Deserialize)]
struct ReceiptQuery {
    id: String,
}

/// The receipt: what was deleted, according to the audit log.
pub(crate) async fn receipt(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let query: ReceiptQuery = ctx.query()?;
    let page = ReceiptPage::of(ctx.core(), &user_id, &query.id).await?;
    ctx.page(&page)
}

pub(crate) async fn receipt_text(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let query: ReceiptQuery = ctx.query()?;
    let page = ReceiptPage::of(ctx.core(), &user_id, &query.id).await?;
    let text = page.as_text(ctx.request.language());
    let content_type = "text/plain; charset=utf-8";
    Ok(reply::text_file("ctxmem-receipt.txt", content_type, text))
}

impl ReceiptPage {
    async fn of(core: &Core, user_id: &UserId, id: &str) -> Result<Self, Error> {
        Ok(Self {
            row: core.memory.receipt(user_id, id).await?,
            frame: AccountFrame::of(core, user_id).await?,
            log_days: core.memory.audit_days(),
        })
    }

    fn when(&self) -> PageTime {
        PageTime::new(self.row.event.at)
    }

    /// Whether agents have to ask from then on: an erasure by an agent leaves that as it was.
    fn must_ask(&self) -> bool {
        self.row.event.actor != Actor::Agent
    }

    /// What the receipt says, each with its label.
    fn lines(&self) -> [(Phrase, Phrase); 4] {
        let event = &self.row.event;
        let facts = match &*scopes::titles(event.scopes) {
            [] => Phrase::verbatim(&event.facts.to_string()),
            kinds => Phrase::new("receipt-facts-kinds")
                .arg("facts", event.facts)
                .arg("kinds", kinds.to_vec()),
        };
        let grants = Phrase::verbatim(&event.grants.to_string());
        [
            (Phrase::new("receipt-by"), deleted_by(&self.row)),
            (Phrase::new("receipt-when"), Phrase::at(&self.when())),
            (Phrase::new("receipt-facts"), facts),
            (Phrase::new("receipt-agents"), grants),
        ]
    }

    /// The same to keep, as plain text.
    fn as_text(&self, language: Language) -> String {
        let [by, (when, at), facts, agents] = self.lines();
        let at = Phrase::new("receipt-text-when")
            .arg("when", at)
            .arg("exact", self.when().iso());
        let id = Phrase::verbatim(&self.row.id);
        let id = (Phrase::new("receipt-number"), id);
        let lines = [id, by, (when, at), facts, agents].map(|(label, value)| {
            Phrase::new("receipt-text-line")
                .arg("label", label)
                .arg("value", value)
        });
        let lines = lines.map(|line| line.plain(language)).join("\n");
        let stays = match self.log_days {
            Some(days) => Phrase::new("receipt-text-days").arg("days", days),
            None => Phrase::new("receipt-text-forever"),
        };
        // What the page says before the deletion and after it, in the same words.
        let [title, gone, heading, backups, agents, stays, pseudonym] = [
            Phrase::new("receipt-text-title"),
            Phrase::new("receipt-gone"),
            Phrase::new("erase-stays"),
            Phrase::new("erase-stays-backups"),
            Phrase::new("erase-stays-agents"),
            stays,
            Phrase::new("receipt-text-pseudonym"),
        ]
        .map(|phrase| phrase.plain(language));
        format!(
            "{title}\n\n{lines}\n\n{gone}\n\n{heading}\n- {backups}\n- {agents}\n- {stays} {pseudonym}\n"
        )
    }
}

fn deleted_by(row: &AuditRow) -> Phrase {
    match (row.event.actor, &row.agent_name) {
        (Actor::User, _) => Phrase::new("receipt-by-you"),
        (Actor::Agent, Some(name)) => Phrase::new("receipt-by-agent").name("agent", name),
        (Actor::Agent, None) => Phrase::new("receipt-by-some-agent"),
        (Actor::Developer, _) => Phrase::new("receipt-by-developer"),
        (Actor::Operator, _) => Phrase::new("receipt-by-operator"),
    }
}
