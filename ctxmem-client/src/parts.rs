//! The two parts of an answered prompt: what is remembered, and the agent's base prompt.

use crate::Injected;

/// What stands between the parts in an answered prompt.
pub(crate) const BLANK_LINE: &str = "\n\n";

/// The parts of a system prompt. Made by [`Injected::parts`].
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parts<'a> {
    /// What the agent may know about the user. `None` if nothing stored was merged, also where
    /// demo facts were, and if the answer can't be split.
    pub context: Option<&'a str>,
    /// The agent's base prompt, or the whole prompt if the answer can't be split.
    pub base: &'a str,
}

impl Injected {
    /// The parts of the prompt, so that an agent can place its own long base prompt first, which
    /// is the same for all users and cached for all of them, and what is remembered of the user
    /// after it.
    ///
    /// [`place_in`](Self::place_in) does that for a model call's body. By hand:
    ///
    /// ```
    /// # fn example(system: &ctxmem_client::Injected) -> String {
    /// let parts = system.parts();
    /// match parts.context {
    ///     Some(context) => format!("{}\n\n{context}", parts.base),
    ///     None => parts.base.to_owned(),
    /// }
    /// # }
    /// ```
    ///
    /// Where the answer ends with the base prompt, after a blank line, it is split there, unless
    /// it has the parts itself ([`InjectRequest::parts`](crate::types::InjectRequest::parts)). Where
    /// neither is so, `base` is the whole prompt, so that the agent's instructions are always in it.
    pub fn parts(&self) -> Parts<'_> {
        let prompt = self.prompt();
        let whole = Parts {
            context: None,
            base: prompt,
        };
        let answered = self.response();
        if let (Some(context), Some(base)) = (&answered.context, &answered.base_prompt)
            && self.is_enriched()
            && !self.is_seeded()
        {
            return Parts {
                context: Some(context),
                base,
            };
        }
        let Some((before, base)) = self.base_at().and_then(|at| prompt.split_at_checked(at)) else {
            return whole;
        };
        if !self.is_enriched() || self.is_seeded() {
            return Parts {
                context: None,
                base,
            };
        }
        match before.strip_suffix(BLANK_LINE) {
            Some(context) if !context.is_empty() => Parts {
                context: Some(context),
                base,
            },
            _ => whole,
        }
    }
}

/// Where the base prompt begins in an answered prompt that ends with it.
pub(crate) fn base_at(prompt: &str, base_prompt: &str) -> Option<usize> {
    prompt.strip_suffix(base_prompt).map(str::len)
}

/// `Debug` does not show the texts, because it ends up in logs.
impl std::fmt::Debug for Parts<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parts")
            .field("context_bytes", &self.context.map(str::len))
            .field("base_bytes", &self.base.len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use ctxmem_types::InjectResponse;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    const BASE: &str = "You are helpful.";

    fn answered(base_prompt: &str, answer: Value) -> Injected {
        let response: InjectResponse = serde_json::from_value(answer).unwrap();
        Injected::answered(base_prompt, response)
    }

    fn parts(answer: Value) -> (Option<String>, String) {
        let injected = answered(BASE, answer);
        let parts = injected.parts();
        (parts.context.map(str::to_owned), parts.base.to_owned())
    }

    #[test]
    fn an_enriched_prompt_is_split_where_the_base_prompt_begins() {
        let answer = json!({"injectedPrompt": "System:\nEdits with Helix.\n\nYou are helpful."});
        let context = Some("System:\nEdits with Helix.".to_owned());
        assert_eq!(parts(answer), (context, BASE.to_owned()));
    }

    #[test]
    fn an_unchanged_prompt_is_the_base_prompt() {
        for answer in [
            json!({"injectedPrompt": BASE}),
            json!({"injectedPrompt": BASE, "reason": "no_grant"}),
        ] {
            assert_eq!(parts(answer), (None, BASE.to_owned()));
        }
        let outage = crate::Outage::Incomplete;
        let injected = Injected::base(BASE, outage.into());
        assert_eq!(injected.parts().base, BASE);
        assert_eq!(injected.parts().context, None);
    }

    #[test]
    fn demo_facts_are_left_out() {
        let prompt = "System:\nYou live in Lisbon.\n\nYou are helpful.";
        for answer in [
            json!({"injectedPrompt": prompt, "reason": "seeded_demo", "seeded": true}),
            json!({"injectedPrompt": prompt, "seeded": true}),
        ] {
            assert_eq!(parts(answer), (None, BASE.to_owned()));
        }
    }

    #[test]
    fn what_cannot_be_split_stays_whole() {
        for prompt in [
            "You are helpful.\n\nThe user edits with Helix.",
            "The user edits with Helix.\nYou are helpful.",
            "\n\nYou are helpful.",
            "something else",
        ] {
            let answer = json!({"injectedPrompt": prompt});
            assert_eq!(parts(answer), (None, prompt.to_owned()));
        }
    }

    #[test]
    fn parts_that_the_answer_has_itself_win() {
        let answer = json!({
            "injectedPrompt": "You are helpful. (The user edits with Helix.)",
            "context": "Edits with Helix.",
            "basePrompt": BASE,
        });
        let context = Some("Edits with Helix.".to_owned());
        assert_eq!(parts(answer), (context, BASE.to_owned()));
    }

    #[test]
    fn debug_shows_no_text() {
        let injected = answered(BASE, json!({"injectedPrompt": format!("secret\n\n{BASE}")}));
        assert_eq!(
            format!("{:?}", injected.parts()),
            "Parts { context_bytes: Some(6), base_bytes: 16 }"
        );
    }

    proptest! {
        #[test]
        fn the_parts_make_up_the_prompt(context in "(?s).{1,40}", base in "(?s).{0,40}") {
            let prompt = format!("{context}\n\n{base}");
            let injected = answered(&base, json!({"injectedPrompt": prompt}));
            let parts = injected.parts();
            prop_assert_eq!(parts.context, Some(context.as_str()));
            prop_assert_eq!(parts.base, base.as_str());
            prop_assert_eq!(format!("{}\n\n{}", parts.context.unwrap(), parts.base), prompt);
        }

        #[test]
        fn whatever_is_answered_the_instructions_are_kept(prompt in "(?s).{0,40}", base in "(?s).{0,4}") {
            let injected = answered(&base, json!({"injectedPrompt": prompt}));
            prop_assert!(injected.parts().base.contains(&base) || !prompt.contains(&base));
        }
    }
}
