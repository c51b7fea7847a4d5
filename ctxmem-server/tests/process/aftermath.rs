//! A server started on what a power cut or a kill left: what it shows, and what its files hold.

use std::collections::{BTreeSet, HashMap};
use std::time::SystemTime;

use ctxmem_client::Client;

use crate::database_files::DatabaseFolder;
use crate::evidence::Copies;
use crate::history::{Erasure, History, Seen, Verdict};
use crate::process::Home;

/// What every server of these programmes is started with.
pub(crate) const FLAGS: &str = "--rate-limit 0 --facts-per-list 0 --log error";

/// What is known of a server that was interrupted at a moment.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub(crate) interrupted: SystemTime,
    /// The key that it had announced by then.
    pub(crate) key: Option<&'a str>,
    pub(crate) histories: &'a [History],
}

/// What was found, and in words what was wrong.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) verdict: Verdict,
    pub(crate) notes: Vec<String>,
    /// What the interface showed, by the user's name.
    pub(crate) seen: HashMap<String, Seen>,
}

impl Findings {
    fn add(&mut self, verdict: Verdict, note: impl FnOnce() -> String) {
        if verdict != Verdict::default() {
            self.verdict += verdict;
            self.notes.push(format!("{}: {verdict:?}", note()));
        }
    }

    /// Looks for the keys of users whose erasure was acknowledged.
    pub(crate) fn search_for_keys<F: AsRef<[u8]>>(
        &mut self,
        before: &Copies,
        files: impl Iterator<Item = F> + Clone,
        known: Known<'_>,
    ) {
        let mut found = before.readable_with(files.clone());
        found.extend(before.keys_in(files));
        self.must_be_gone(&found, known, "a key is left of");
    }

    /// Notes the users whose erasure was acknowledged and of whom something was found.
    fn must_be_gone(&mut self, found: &BTreeSet<String>, known: Known<'_>, how: &str) {
        for history in known.histories {
            let erased = history.erasure_at(known.interrupted) == Erasure::Acknowledged;
            let readable = usize::from(erased && found.contains(history.name()));
            let verdict = Verdict {
                readable,
                ..Verdict::default()
            };
            self.add(verdict, || format!("{how} {}", history.name()));
        }
    }

    fn corrupt(&mut self, note: String) {
        let corrupt = Verdict {
            corrupt: 1,
            ..Verdict::default()
        };
        self.add(corrupt, || note);
    }
}

/// Starts a server on these files, asks it for everything that it must still know or no longer
/// show, stops it, and looks into the files.
pub(crate) async fn check(folder: &DatabaseFolder, known: Known<'_>) -> Findings {
    let mut findings = Findings::default();
    let home = Home::on(&folder.url());
    match home.try_start(home.serving(FLAGS)).await {
        Ok(mut serving) => {
            if let Some(key) = known.key {
                let client = serving.client(Some(key));
                read(&client, known, &mut findings).await;
            }
            serving.signal("TERM");
            let status = serving.ended().await;
            if !status.success() {
                findings.corrupt(format!("the server ended with {status}"));
            }
            findings.must_be_gone(&folder.users_named(), known, "a file names");
        }
        Err(error) => findings.corrupt(error),
    }
    for damage in folder.damage() {
        findings.corrupt(damage);
    }
    findings
}

pub(crate) async fn read(client: &Client, known: Known<'_>, findings: &mut Findings) {
    for history in known.histories {
        match Seen::read(client, history).await {
            Ok(seen) => {
                let verdict = history.judge(known.interrupted, &seen);
                findings.add(verdict, || {
                    format!("{} is shown as {seen:?}", history.name())
                });
                findings.seen.insert(history.name().to_owned(), seen);
            }
            Err(error) => findings.corrupt(format!("{} can't be read: {error}", history.name())),
        }
    }
}

/// A sound database, and expectations that it does not meet.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_missing_and_what_is_left_is_noticed() {
    let folder = DatabaseFolder::new();
    let home = Home::on(&folder.url());
    let model = crate::model::model(std::time::Duration::ZERO).await;
    let serving = home.serve(&format!("{} {FLAGS}", model.flags())).await;
    let key = serving.key().to_owned();
    let client = serving.client(None);
    let mut histories = Vec::new();
    for number in 0..3 {
        let mut history = History::new(0, 0, number);
        history.update(&client).await.unwrap();
        histories.push(history);
    }
    histories[2].erase(&client).await.unwrap();
    serving.stop().await;
    let files = folder.files();
    let verdict = async |files, histories: &[History]| {
        let known = Known {
            interrupted: SystemTime::now(),
            key: Some(&key),
            histories,
        };
        check(&DatabaseFolder::holding(files), known).await.verdict
    };
    let none = Verdict::default();
    assert_eq!(verdict(&files, &histories).await, none);

    let mut never = histories.clone();
    never[0].updates[0].1 = ["x", "y"].map(str::to_owned);
    assert_eq!(verdict(&files, &never).await, Verdict { lost: 1, ..none });
    let mut torn = histories.clone();
    torn[0].updates[0].1[1].push('x');
    assert_eq!(verdict(&files, &torn).await, Verdict { half: 1, ..none });
    // One shows nothing through the interface, and a file names the user.
    let mut left = files.clone();
    left.insert("left".to_owned(), histories[2].name().into());
    let readable = Verdict {
        readable: 1,
        ..none
    };
    assert_eq!(verdict(&left, &histories).await, readable);
    let mut kept = histories.clone();
    kept[1].erasure.clone_from(&histories[2].erasure);
    assert!(verdict(&files, &kept).await.readable >= 1);
    let mut damaged = files.clone();
    let database = damaged.get_mut("ctxmem.db").unwrap();
    for page in database.chunks_mut(4096).skip(1) {
        page.fill(7);
    }
    assert!(verdict(&damaged, &histories).await.corrupt >= 1);
}
