//! Export of a deployment's data.

use std::collections::HashSet;

use ctxmem_types::{Timestamp, UserId};

use super::{End, FORMAT, Header, Line};
use crate::core::{Error, Operator, unit};
use crate::store::{Action, Actor, AuditEvent, EventPlace, Record, UserKey, UserRecord};

/// How many users are read at once.
const USERS: u32 = 200;
/// How many entries of the audit log are read at once.
const EVENTS: u32 = 1_000;

/// Writes the lines, and counts them.
struct Out<F> {
    line: F,
    records: u64,
}

impl<E: From<Error>, F: FnMut(Line) -> Result<(), E>> Out<F> {
    fn record(&mut self, record: impl Into<Line>) -> Result<(), E> {
        self.records += 1;
        (self.line)(record.into())
    }
}

impl Operator {
    /// How many users there are, erased ones included.
    pub async fn count_users(&self) -> Result<u64, Error> {
        unit::read(&self.db, async |tx| tx.count_users().await).await
    }

    /// Hands out everything line by line, while servers go on. Each line is what one moment has of a
    /// user; there is no moment that all lines have in common.
    pub async fn export_all<E: From<Error>>(
        &self,
        line: impl FnMut(Line) -> Result<(), E>,
    ) -> Result<u64, E> {
        let mut out = Out { line, records: 0 };
        let index_key = self.db.index_key().to_text().to_string();
        (out.line)(Line::Header(self.header(Some(index_key))))?;
        for record in self.account_records().await? {
            out.record(record)?;
        }
        let mut after: Option<UserKey> = None;
        loop {
            let users = self
                .db
                .user_records(after, USERS)
                .await
                .map_err(Error::from)?;
            let Some(last) = users.last() else { break };
            after = Some(last.user_key);
            for user in users {
                out.record(Record::User(Box::new(user)))?;
            }
        }
        self.export_events((Vec::new(), String::new()), false, &mut out)
            .await?;
        self.end(out, None).await
    }

    /// Hands out everything about one user line by line, with the agents that it names. Fails with
    /// [`Error::NotFound`] when nothing was ever stored of the user.
    pub async fn export_user<E: From<Error>>(
        &self,
        user_id: &UserId,
        line: impl FnMut(Line) -> Result<(), E>,
    ) -> Result<u64, E> {
        let user = self.db.user_record(user_id).await.map_err(Error::from)?;
        let user = user.ok_or(Error::NotFound("There is nothing about this user."))?;
        let mut out = Out { line, records: 0 };
        (out.line)(Line::Header(self.header(None)))?;
        for record in named_by(&user, self.account_records().await?) {
            out.record(record)?;
        }
        let user_key = self.db.user_key(user_id);
        out.record(Record::User(Box::new(user)))?;
        self.export_events((user_key.to_vec(), String::new()), true, &mut out)
            .await?;
        self.end(out, Some(user_id.clone())).await
    }

    async fn account_records(&self) -> Result<Vec<Record>, Error> {
        unit::read(&self.db, async |tx| tx.account_records().await).await
    }

    fn header(&self, index_key: Option<String>) -> Header {
        Header {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            exported_at: Timestamp::from(self.clock.now()),
            index_key,
        }
    }

    async fn export_events<E: From<Error>, F: FnMut(Line) -> Result<(), E>>(
        &self,
        mut place: EventPlace,
        of_this_user: bool,
        out: &mut Out<F>,
    ) -> Result<(), E> {
        loop {
            let events = unit::read(&self.db, async |tx| {
                tx.event_records(&place, of_this_user, EVENTS).await
            });
            let events = events.await?;
            let Some(last) = events.last() else {
                return Ok(());
            };
            place = (last.user_key.clone(), last.id.clone());
            for event in events {
                out.record(Record::Event(event))?;
            }
        }
    }

    /// Writes the last line, and notes in the audit log that an operator took the data out.
    async fn end<E: From<Error>, F: FnMut(Line) -> Result<(), E>>(
        &self,
        mut out: Out<F>,
        user_id: Option<UserId>,
    ) -> Result<u64, E> {
        let records = out.records;
        (out.line)(Line::End(End { records }))?;
        let event = AuditEvent::new(Action::Export, Actor::Operator, self.clock.millis());
        let noted = unit::write(&self.db, async move |tx| {
            let (user_id, event) = (&user_id, &event);
            tx.audit(user_id.as_ref(), event).await
        });
        noted.await?;
        Ok(records)
    }
}

/// The agents that a user's record names, and their developers, without what signs them in.
fn named_by(user: &UserRecord, accounts: Vec<Record>) -> Vec<Record> {
    let facts = user.facts.iter().map(|fact| &*fact.agent_id);
    let grants = user.grants.iter().map(|grant| &*grant.agent_id);
    let requests = user.requests.iter().map(|request| &*request.agent_id);
    let agents: HashSet<&str> = facts.chain(grants).chain(requests).collect();
    let developers: HashSet<String> = accounts
        .iter()
        .filter_map(|record| match record {
            Record::Agent(agent) if agents.contains(&*agent.id) => Some(agent.developer_id.clone()),
            _ => None,
        })
        .collect();
    let named = accounts.into_iter().filter_map(|record| match record {
        Record::Developer(mut developer) if developers.contains(&developer.id) => {
            developer.password_hash = None;
            developer.second_factor = None;
            developer.second_factor_confirmed_at = None;
            developer.recovery_codes.clear();
            Some(Record::Developer(developer))
        }
        Record::Agent(agent) if agents.contains(&*agent.id) => Some(Record::Agent(agent)),
        _ => None,
    });
    named.collect()
}
