//! The input of extraction: one exchange, and what helps to understand it.

use chrono::NaiveDate;

use super::Known;

/// One exchange between a user and an agent.
///
/// No `Debug`: what people say never reaches the log.
#[derive(Clone, Copy)]
pub struct Interaction<'a> {
    /// What the user wrote; the only source of facts.
    pub user_message: &'a str,
    /// What the agent answered; it only helps to understand the user's words.
    pub agent_response: &'a str,
    /// What is known about the user in the scopes that the agent may use, the last stored and those
    /// that bear on the message.
    /// Empty for an extractor that does not ask for it.
    pub known: &'a [Known],
    /// The day of the exchange, in the user's time zone if it is known, else in UTC. Relative dates
    /// are resolved against it.
    pub today: NaiveDate,
}
