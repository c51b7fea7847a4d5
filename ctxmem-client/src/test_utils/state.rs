//! Script and record of the fake memory: what it answers, and what it was sent. No I/O.

use std::collections::{HashMap, VecDeque};

use ctxmem_types::{ErrorCode, FactSearchRequest, InjectRequest, UpdateRequest, UserId, path};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use wiremock::{Request, ResponseTemplate};

use super::bodies::KnownFact;
use super::fake::FakeMemory;
use super::{FakeAnswer, FakeFact, Route, answer, bodies, route};

#[derive(Default)]
pub(super) struct FakeState {
    known: HashMap<UserId, Vec<KnownFact>>,
    /// What the next updates learn.
    pub(super) lessons: VecDeque<Vec<FakeFact>>,
    pub(super) relevant: Option<String>,
    pub(super) next: VecDeque<(Route, FakeAnswer)>,
    pub(super) always: Option<FakeAnswer>,
    pub(super) injects: Vec<InjectRequest>,
    /// Each once, however often it was sent.
    pub(super) updates: Vec<UpdateRequest>,
    /// By the idempotency keys of the updates; `None` until one succeeds.
    answers: HashMap<String, Option<Value>>,
    fact_ids: u32,
}

impl FakeState {
    fn known(&self, user_id: &UserId) -> &[KnownFact] {
        self.known.get(user_id).map_or(&[], Vec::as_slice)
    }

    pub(super) fn learn(&mut self, user_id: &UserId, facts: impl IntoIterator<Item = FakeFact>) {
        let known = self.known.entry(user_id.clone()).or_default();
        for fact in facts {
            self.fact_ids += 1;
            let id = format!("fact-{}", self.fact_ids);
            match known.iter_mut().find(|(_, older)| fact.replaces(older)) {
                Some(older) => *older = (id, fact),
                None => known.push((id, fact)),
            }
        }
    }

    /// Whether the next call of this endpoint gets no answer.
    pub(super) fn is_down(&self, route: Route) -> bool {
        let next = self.next.iter().find(|(at, _)| *at == route);
        let answer = next.map(|(_, answer)| answer).or(self.always.as_ref());
        matches!(answer, Some(FakeAnswer::Down))
    }

    /// Takes the scripted answer to a call of this endpoint; `None` if the usual one is due.
    pub(super) fn take(&mut self, route: Route) -> Option<FakeAnswer> {
        let place = self.next.iter().position(|(at, _)| *at == route);
        let next = place.and_then(|place| self.next.remove(place));
        next.map(|(_, answer)| answer)
            .or_else(|| self.always.clone())
    }

    pub(super) fn respond(&mut self, request: &Request) -> ResponseTemplate {
        match Route::of(request) {
            Some(route) => self
                .scripted(route, request)
                .unwrap_or_else(|code| answer::error(code, None)),
            None => answer::error(ErrorCode::NotFound, None),
        }
    }

    fn scripted(&mut self, route: Route, request: &Request) -> Result<ResponseTemplate, ErrorCode> {
        self.record(route, request)?;
        Ok(match self.take(route) {
            Some(FakeAnswer::NoGrant) => return self.without_grant(route, request, None),
            Some(FakeAnswer::ConsentRequired) => {
                return self.without_grant(route, request, Some(FakeMemory::CONSENT_URL));
            }
            Some(FakeAnswer::QuotaExhausted) if route == Route::Update => {
                answer::json(200, &json!({"updated": false, "limitReached": true}))
            }
            Some(FakeAnswer::Error(code)) => return Err(code),
            Some(FakeAnswer::RateLimited { retry_after }) => answer::rate_limited(retry_after),
            Some(FakeAnswer::Slow(wait)) => {
                answer::json(200, &self.usual(route, request)?).set_delay(wait)
            }
            Some(FakeAnswer::CutOff) => answer::cut_off(&self.usual(route, request)?),
            Some(FakeAnswer::Exactly(answer)) => *answer,
            // A call that finds the service down does not come here.
            Some(FakeAnswer::QuotaExhausted | FakeAnswer::Down) | None => {
                answer::json(200, &self.usual(route, request)?)
            }
        })
    }

    /// Notes what was sent, before it is known how it is answered.
    fn record(&mut self, route: Route, request: &Request) -> Result<(), ErrorCode> {
        match route {
            Route::Inject => self.injects.push(body(request)?),
            Route::Update => {
                let update = body(request)?;
                let key = idempotency_key(request);
                let is_new = key.is_none_or(|key| !self.answers.contains_key(key));
                if is_new {
                    self.updates.push(update);
                }
                if let Some(key) = key {
                    self.answers.entry(key.to_owned()).or_default();
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn without_grant(
        &mut self,
        route: Route,
        request: &Request,
        page: Option<&str>,
    ) -> Result<ResponseTemplate, ErrorCode> {
        Ok(match route {
            Route::Inject => answer::json(200, &bodies::no_grant(&body(request)?, page)),
            Route::Update | Route::CreateGrant => answer::error(ErrorCode::Forbidden, page),
            // Neither needs a grant.
            Route::RevokeGrant | Route::Health => answer::json(200, &self.usual(route, request)?),
            _ => answer::error(ErrorCode::Forbidden, None),
        })
    }

    /// The body of the answer by what is known.
    fn usual(&mut self, route: Route, request: &Request) -> Result<Value, ErrorCode> {
        Ok(match route {
            Route::Inject => {
                let inject: InjectRequest = body(request)?;
                let relevant = self.relevant.as_deref();
                bodies::injected(&inject, self.known(&inject.user_id), relevant)
            }
            Route::Update => self.update(request)?,
            Route::Context => {
                let user_id = user_id(request)?;
                bodies::context(&user_id, self.known(&user_id))
            }
            Route::DeleteContext => {
                self.known.remove(&user_id(request)?);
                json!({"deleted": true, "consent_url": FakeMemory::CONSENT_URL})
            }
            Route::Facts => bodies::facts(self.known(&user_id(request)?)),
            Route::SearchFacts => {
                body::<FactSearchRequest>(request)?;
                bodies::facts(self.known(&user_id(request)?))
            }
            Route::DeleteFact => {
                let id = route::segments(request).pop().unwrap_or_default();
                let known = self.known.entry(user_id(request)?).or_default();
                let place = known.iter().position(|(known, _)| known == id);
                known.remove(place.ok_or(ErrorCode::NotFound)?);
                json!({"deleted": true})
            }
            Route::CreateGrant => bodies::grant(&body(request)?),
            Route::RevokeGrant => json!({"revoked": true}),
            Route::Health => bodies::health(),
        })
    }

    /// Learns what comes next, or gives the answer again that this update got before.
    fn update(&mut self, request: &Request) -> Result<Value, ErrorCode> {
        let key = idempotency_key(request);
        if let Some(Some(answer)) = key.and_then(|key| self.answers.get(key)) {
            return Ok(answer.clone());
        }
        let update: UpdateRequest = body(request)?;
        let facts = self.lessons.pop_front().unwrap_or_default();
        let answer = bodies::updated(&facts);
        self.learn(&update.user_id, facts);
        if let Some(key) = key {
            self.answers.insert(key.to_owned(), Some(answer.clone()));
        }
        Ok(answer)
    }
}

fn body<T: DeserializeOwned>(request: &Request) -> Result<T, ErrorCode> {
    request.body_json().map_err(|_| ErrorCode::BadRequest)
}

fn user_id(request: &Request) -> Result<UserId, ErrorCode> {
    let segments = route::segments(request);
    let segment = segments.get(1).ok_or(ErrorCode::BadRequest)?;
    path::decode_user_id(segment).map_err(|_| ErrorCode::BadRequest)
}

fn idempotency_key(request: &Request) -> Option<&str> {
    request.headers.get("idempotency-key")?.to_str().ok()
}
