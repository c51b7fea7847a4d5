//! Changes that are rolled back leave no entry, and committed ones leave one.

use ctxmem_server::store::{Action, Outcome};
use ctxmem_types::Scope;
use futures_util::future::join_all;
use futures_util::join;

use super::{Watched, trail};
use crate::suite::support::{HELLO, Server, fact, refused, user};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn only_committed_changes_are_recorded() {
    const RACES: usize = 48;
    let (server, agent) = Server::with_agent().await;
    let race = async |n: usize| {
        let ada = user(&format!("user-{n}"));
        agent.injects(&ada).await;
        let told = [HELLO, "I live in Porto.", "I use Zed as my editor."];
        let updates = told.map(async |said| agent.update(&ada, said, "Noted.").await);
        let updates = join_all(updates);
        let deletion = async {
            // A different head start each time.
            for _ in 0..n % 16 {
                tokio::task::yield_now().await;
            }
            agent.delete_context(&ada).await.unwrap();
        };
        let (updates, ()) = join!(updates, deletion);
        let taught = updates.iter().filter(|answer| {
            let delta = answer
                .as_ref()
                .ok()
                .and_then(|answer| answer.delta.as_ref());
            delta.is_some_and(|delta| !delta.is_empty())
        });
        let trail = trail(&server, &ada).await;
        let noted = |action, outcome| {
            let alike = trail
                .iter()
                .filter(|e| (e.action, e.outcome) == (action, outcome));
            alike
                .map(|e| usize::try_from(e.times).unwrap())
                .sum::<usize>()
        };
        assert_eq!(
            noted(Action::Update, Outcome::Done),
            taught.count(),
            "{trail:?}"
        );
        let denied = updates.iter().filter(|answer| answer.is_err()).count();
        assert_eq!(noted(Action::Update, Outcome::Denied), denied, "{trail:?}");
        assert_eq!(noted(Action::Erase, Outcome::Done), 1, "{trail:?}");
        denied
    };
    let mut refusals = 0;
    for n in (0..RACES).step_by(8) {
        for denied in join_all((n..n + 8).map(race)).await {
            refusals += denied;
        }
    }
    assert!(refusals > 0, "no deletion came in between");
}

#[tokio::test]
async fn an_update_that_comes_too_late_leaves_no_entry_of_a_change() {
    let watched = Watched::start().await;
    let (server, model, ada) = (&watched.server, &watched.model, &watched.ada);
    let agent = server.agent().await;
    model.finds([fact(Scope::Goals, "Ship the release")]);
    agent.injects(ada).await;
    let mut completion = model.pause();
    let (late, ()) = join!(agent.update(ada, HELLO, ""), async {
        completion.started().await;
        agent.delete_context(ada).await.unwrap();
        completion.finish();
    });
    refused(late, 403);
    let found: Vec<_> = trail(server, ada).await;
    let updates: Vec<_> = found
        .iter()
        .filter(|e| e.action == Action::Update)
        .collect();
    let [update] = &*updates else {
        panic!("{updates:?}");
    };
    assert_eq!((update.outcome, update.facts), (Outcome::Denied, 0));
}
