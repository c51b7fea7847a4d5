//! `forget`: deletes one fact, and says which.

use rmcp::model::{JsonObject, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Answer, Effect};
use crate::arguments;
use crate::caller::Caller;
use crate::memory::{self, RememberedFact};
use crate::refusal::{self, Refusal};

pub(super) const NAME: &str = "forget";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The id of the fact, as `list_facts` gives it.
    fact_id: String,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// The fact that was deleted.
    forgotten: RememberedFact,
}

const NO_FACT: &str = "fact_id: there is no such fact, or it has changed since it was listed. Call \
                       list_facts again.";

const NOT_OWN: &str = "Nothing was deleted: this fact was stored by another agent or written by the \
                       user. Only the user can delete it, on their page of the memory service.";

pub(super) fn tool() -> Tool {
    super::tool::<Arguments, Output>(
        NAME,
        "Forget a fact",
        Effect::Destroys,
        "Deletes one fact about the user for good. Look first: call `list_facts`, tell the user \
         which fact you are about to delete, and call this only if they want it gone. It can't be \
         undone. An agent can delete only facts that it stored itself, in scopes that the user \
         allows it; the user can delete everything else on their page of the memory service. To \
         correct a fact, don't delete it: call `remember` with what is true now.",
    )
}

pub(super) async fn call(caller: &Caller, arguments: &JsonObject) -> Result<Answer, Refusal> {
    let Arguments { fact_id } = arguments::read(arguments).map_err(Refusal::new)?;
    let fact = memory::fact(caller, &fact_id).await?;
    let forgotten = fact.ok_or_else(|| Refusal::new(NO_FACT))?;
    if !forgotten.can_forget {
        return Err(Refusal::new(NOT_OWN));
    }
    match caller.service.delete_fact(&caller.user_id, &fact_id).await {
        Ok(()) => {
            let text = format!("Deleted for good:\n{}", forgotten.line());
            Answer::new(text, &Output { forgotten })
        }
        // It has changed between the look and now.
        Err(error) if error.status == Some(404) => Err(Refusal::new(NO_FACT)),
        Err(error) => Err(refusal::of_error(&error)),
    }
}
