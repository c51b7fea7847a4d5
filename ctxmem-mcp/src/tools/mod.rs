//! The tools. Each has a file with its arguments, its answer, what it says of itself, and what it
//! does.

mod forget;
mod get_context;
mod list_facts;
mod remember;
#[cfg(test)]
#[cfg(feature = "stdio")]
mod tests;

use std::sync::{Arc, LazyLock};

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::caller::Caller;
use crate::refusal::Refusal;

/// All of them, in the order in which a model needs them.
static TOOLS: LazyLock<[Tool; 4]> = LazyLock::new(|| {
    [
        get_context::tool(),
        remember::tool(),
        list_facts::tool(),
        forget::tool(),
    ]
    .map(tidied)
});

/// What a call does to the memory.
#[derive(Clone, Copy, PartialEq)]
enum Effect {
    Reads,
    /// It permanently deletes something, or puts a new value in the place of an older one.
    Destroys,
}

/// A tool with these arguments and this answer. Each can be called again without harm, and reaches
/// nothing but the memory.
fn tool<A: JsonSchema + 'static, O: JsonSchema + 'static>(
    name: &'static str,
    title: &'static str,
    effect: Effect,
    description: &'static str,
) -> Tool {
    Tool::new(name, description, JsonObject::new())
        .with_title(title)
        .with_input_schema::<A>()
        .with_output_schema::<O>()
        .with_annotations(
            ToolAnnotations::new()
                .read_only(effect == Effect::Reads)
                .destructive(effect == Effect::Destroys)
                .idempotent(true)
                .open_world(false),
        )
}

/// The tool with schemas that everybody can use: what is optional is absent, never null, and a
/// description is one line.
fn tidied(mut tool: Tool) -> Tool {
    tidy_fields(Arc::make_mut(&mut tool.input_schema));
    if let Some(schema) = &mut tool.output_schema {
        tidy_fields(Arc::make_mut(schema));
    }
    tool
}

fn tidy_fields(fields: &mut JsonObject) {
    fields.retain(|name, value| name != "default" || !value.is_null());
    for (name, value) in fields {
        match value {
            Value::Object(fields) => tidy_fields(fields),
            Value::String(text) if name == "description" => *text = text.replace('\n', " "),
            _ => {}
        }
    }
}

pub(crate) fn all() -> &'static [Tool] {
    &*TOOLS
}

/// What a tool did: a text for the model, and the same for programs.
struct Answer {
    text: String,
    structured: Value,
}

impl Answer {
    fn new(text: String, structured: &impl Serialize) -> Result<Self, Refusal> {
        let structured = serde_json::to_value(structured)
            .map_err(|_| Refusal::new("The answer can't be written as JSON."))?;
        Ok(Self { text, structured })
    }
}

/// Calls a tool; `None` where there is none of this name. What is refused or fails is an answer too,
/// which a model can explain.
pub(crate) async fn call(
    caller: &Caller,
    name: &str,
    arguments: &JsonObject,
) -> Option<CallToolResult> {
    let answer = match name {
        get_context::NAME => get_context::call(caller, arguments).await,
        remember::NAME => remember::call(caller, arguments).await,
        list_facts::NAME => list_facts::call(caller, arguments).await,
        forget::NAME => forget::call(caller, arguments).await,
        _ => return None,
    };
    Some(match answer {
        Ok(answer) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
            result.structured_content = Some(answer.structured);
            result
        }
        Err(refusal) => CallToolResult::error(vec![ContentBlock::text(refusal.into_text())]),
    })
}
