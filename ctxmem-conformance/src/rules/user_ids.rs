//! All kinds of user ids, in bodies and in paths: facts are stored, read back and deleted.

use ctxmem_client::UserId;
use uuid::Uuid;

use super::rules;
use crate::run::Run;
use crate::run::scenarios::CORE;
use crate::verdict::{Finding, Verdict};

rules! {
    "user_ids.uuid" "A UUID is a user id" => uuid();
    "user_ids.text" "A text that is no UUID is a user id" => text("-customer_42");
    "user_ids.slash" "A user id may hold a slash" => text("-team/ada");
    "user_ids.space" "A user id may hold spaces and a plus" => text("-ada + co");
    "user_ids.percent" "A user id may hold a percent sign, and is decoded once" => text("-100%2Fa");
    "user_ids.reserved" "A user id may hold `?`, `#`, `&` and quotes" => text("-a?b#c&d\"e'");
    "user_ids.unicode" "A user id may hold any letters" => text("-Zoë-日本-🦀");
    "user_ids.look_alikes" "`a/b` and `a%2Fb` are different users" => look_alikes();
}

const ONLY_UUID: &str = "userId must be a UUID";

async fn uuid(run: &Run) -> Finding {
    // With a custom prefix the id need not be a UUID.
    let user = run.new_user();
    let own = Uuid::parse_str(user.as_str()).is_err();
    let random = || UserId::new(Uuid::new_v4().to_string());
    let user = if own { random().unwrap_or(user) } else { user };
    round_trip(run, &user).await
}

async fn text(run: &Run, ending: &str) -> Finding {
    round_trip(run, &run.user_called(ending)).await
}

/// Stores, reads and deletes facts, and checks that nothing is left.
async fn round_trip(run: &Run, user: &UserId) -> Finding {
    let agent = run.a();
    let failed = |expected: &str, error| Err(Verdict::fail(expected, error));
    match run.inject(agent, user).await {
        Ok(_) => {}
        Err(error) if error.status() == Some(400) && Uuid::parse_str(user.as_str()).is_err() => {
            return Ok(Verdict::variant(ONLY_UUID));
        }
        Err(error) => return failed("an inject for this user", error),
    }
    let stored = match run.update(agent, user, CORE).await {
        Ok(update) => update.delta.is_some_and(|delta| !delta.is_empty()),
        Err(error) => return failed("an update for this user", error),
    };
    match run.retry_rate_limited(|| agent.client.context(user)).await {
        Ok(context) if context.user_id != *user => {
            return Err(Verdict::fail("the context of this user", "another userId"));
        }
        Ok(context) if stored && context.is_empty() => {
            return Err(Verdict::fail("the stored facts", "an empty context"));
        }
        Ok(_) => {}
        Err(error) => return failed("the context of this user", error),
    }
    match run.erase(agent, user).await {
        Ok(true) => {}
        Ok(false) => return Err(Verdict::fail("{deleted: true}", "deleted: false")),
        Err(error) => return failed("a deletion for this user", error),
    }
    match run.retry_rate_limited(|| agent.client.context(user)).await {
        Err(error) if matches!(error.status(), Some(403 | 404)) => Ok(Verdict::PASS),
        Err(error) => failed("403 after the deletion", error),
        Ok(_) => Err(Verdict::fail("403 after the deletion", "a context")),
    }
}

async fn look_alikes(run: &Run) -> Finding {
    let agent = run.a();
    let [known, other] = ["-like/b", "-like%2Fb"].map(|ending| run.user_called(ending));
    match run.update(agent, &known, CORE).await {
        Ok(_) => {}
        Err(error) if error.status() == Some(400) => return Ok(Verdict::variant(ONLY_UUID)),
        Err(error) => return Err(Verdict::fail("an update", error)),
    }
    let read = run.retry_rate_limited(|| agent.client.context(&other));
    let expected = "403 for the user who is unknown";
    match read.await {
        Err(error) if matches!(error.status(), Some(403 | 404)) => Ok(Verdict::PASS),
        Err(error) => Err(Verdict::fail("403", error)),
        Ok(_) => Err(Verdict::fail(expected, "a context")),
    }
}
