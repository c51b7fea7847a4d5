//! Renders prompts with facts in them, and their cache hints. Pure: the same facts give the same
//! bytes.

use ctxmem_types::{CacheHint, InjectReason, InjectResponse, Scope};

use super::FakeFact;

const HEAD: &str = "System:\nNotes about the user from earlier conversations.";

/// The demo facts: one for every scope.
pub(super) fn demo() -> Vec<FakeFact> {
    vec![
        FakeFact::named(Scope::General, "name", "Sam (demo user)"),
        FakeFact::new(Scope::CommunicationStyle, "Short answers, code first"),
        FakeFact::named(Scope::Preferences, "editor", "Helix"),
        FakeFact::new(Scope::Knowledge, "Rust"),
        FakeFact::new(Scope::Relationships, "Noor, who reviews the releases"),
        FakeFact::new(Scope::History, "Moved from REST to gRPC in spring"),
        FakeFact::new(Scope::Goals, "Ship the billing service this month"),
    ]
}

/// A prompt with these facts, of which there is at least one.
pub(super) fn enriched(base_prompt: &str, facts: &[&FakeFact]) -> InjectResponse {
    let mut answer = InjectResponse::unchanged(merged(base_prompt, facts));
    answer.cache_hint = Some(CacheHint::new(true, "Stored context was merged."));
    answer
}

/// A prompt with demo facts.
pub(super) fn seeded(base_prompt: &str, facts: &[&FakeFact]) -> InjectResponse {
    let mut answer = reasoned(merged(base_prompt, facts), InjectReason::SeededDemo);
    answer.seeded = Some(true);
    answer
}

/// The base prompt alone, and the reason for that.
pub(super) fn unchanged(base_prompt: &str, reason: InjectReason) -> InjectResponse {
    reasoned(base_prompt.to_owned(), reason)
}

/// The base prompt alone, and the page where the user can allow the agent.
pub(super) fn must_ask(base_prompt: &str, page: &str) -> InjectResponse {
    let notice = "This user has not allowed this agent yet. Send them to consent_url.";
    let mut answer = unchanged(base_prompt, InjectReason::NoGrant);
    answer.notice = Some(notice.to_owned());
    answer.consent_url = Some(page.to_owned());
    answer
}

fn reasoned(prompt: String, reason: InjectReason) -> InjectResponse {
    let notice = match reason {
        InjectReason::NoGrant => "This user has revoked this agent's access.",
        InjectReason::NoScopes => "The grant and this API key have no scope in common.",
        InjectReason::Empty => "Nothing is stored about this user yet. Call update first.",
        InjectReason::EmptyCapsule => "Nothing that is stored is in the granted scopes.",
        _ => "These are demo facts, shown until an update stores the first real one.",
    };
    let mut answer = InjectResponse::unchanged(prompt);
    answer.cache_hint = Some(CacheHint::new(false, "No stored context was merged."));
    answer.reason = Some(reason);
    answer.notice = Some(notice.to_owned());
    answer
}

/// The facts, a blank line, the base prompt.
fn merged(base_prompt: &str, facts: &[&FakeFact]) -> String {
    let mut facts = facts.to_vec();
    facts.sort_by_key(|fact| fact.scope());
    let mut prompt = HEAD.to_owned();
    for fact in facts {
        prompt.push_str("\n- ");
        prompt.push_str(fact.name().unwrap_or(fact.scope().name()));
        prompt.push_str(": ");
        prompt.push_str(fact.value());
    }
    prompt.push_str("\n\n");
    prompt.push_str(base_prompt);
    prompt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_stand_in_the_order_of_scopes_before_the_base_prompt() {
        let goal = FakeFact::new(Scope::Goals, "Ship");
        let name = FakeFact::named(Scope::General, "name", "Ada");
        let response = enriched("Be brief.", &[&goal, &name]);
        let expected = format!("{HEAD}\n- name: Ada\n- goals: Ship\n\nBe brief.");
        assert_eq!(response.injected_prompt, expected);
    }

    #[test]
    fn the_demo_shows_every_scope() {
        let scopes: Vec<Scope> = demo().iter().map(FakeFact::scope).collect();
        assert_eq!(scopes, Scope::ALL);
    }
}
