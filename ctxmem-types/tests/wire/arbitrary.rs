//! Arbitrary values of every public type, in the form that deserialisation produces.

use std::ops::RangeInclusive;

use chrono::{DateTime, FixedOffset, SecondsFormat};
use ctxmem_types::{
    CacheHint, Context, DeleteResponse, Delta, DeltaValue, EmotionalState, ErrorBody, ErrorCode,
    Extra, Fact, FactMap, Grant, GrantRequest, GrantResponse, Health, HistoryEntry, InjectReason,
    InjectRequest, InjectResponse, RevokeResponse, Scope, ScopeName, ScopeSet, SignInLinkRequest,
    SignInLinkResponse, SourceType, Timestamp, UpdateOutcome, UpdateRequest, UpdateResponse,
    UserId,
};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Number, Value, json};

/// The milliseconds of the years 0 to 9999.
pub(crate) const MILLIS: RangeInclusive<i64> = -62_167_219_200_000..=253_402_300_799_999;

pub(crate) fn text() -> impl Strategy<Value = String> {
    vec(
        prop_oneof![any::<char>(), select(vec!['"', '\\', '/', '%', '\0', '.'])],
        0..12,
    )
    .prop_map(String::from_iter)
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![text(), "[a-z_]{1,8}"]
}

pub(crate) fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter_map("finite", Number::from_f64)
            .prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((name(), inner), 0..4).prop_map(|fields| Map::from_iter(fields).into()),
        ]
    })
}

fn extra() -> impl Strategy<Value = Extra> {
    let unknown = text().prop_map(|name| format!("unknown {name}"));
    vec((unknown, value()), 0..3).prop_map(|fields| {
        let mut extra = Extra::new();
        extra.extend(fields);
        extra
    })
}

pub(crate) fn user_id() -> impl Strategy<Value = UserId> {
    text().prop_filter_map("a user id", |text| UserId::new(text).ok())
}

pub(crate) fn timestamp() -> impl Strategy<Value = Timestamp> {
    let clock = MILLIS.prop_filter_map("four digits", Timestamp::from_unix_millis);
    let precision = select(vec![
        SecondsFormat::Secs,
        SecondsFormat::Millis,
        SecondsFormat::Micros,
        SecondsFormat::Nanos,
    ]);
    let foreign = (MILLIS, -1439..=1439, precision).prop_filter_map(
        "four digits",
        |(millis, offset_minutes, precision)| {
            let offset = FixedOffset::east_opt(offset_minutes * 60)?;
            let at = DateTime::from_timestamp_millis(millis)?.with_timezone(&offset);
            at.to_rfc3339_opts(precision, false).parse().ok()
        },
    );
    prop_oneof![clock, foreign]
}

pub(crate) fn scope() -> impl Strategy<Value = Scope> {
    select(&Scope::ALL[..])
}

pub(crate) fn scope_set() -> impl Strategy<Value = ScopeSet> {
    any::<u8>().prop_map(ScopeSet::from_bits)
}

pub(crate) fn scope_name() -> impl Strategy<Value = ScopeName> {
    let storage_key = scope().prop_map(|scope| scope.storage_key().into());
    prop_oneof![
        scope().prop_map(ScopeName::from),
        storage_key,
        text().prop_map(ScopeName::from)
    ]
}

pub(crate) fn source_type() -> impl Strategy<Value = SourceType> {
    prop_oneof![
        select(vec![
            SourceType::Observed,
            SourceType::Edited,
            SourceType::Imported,
            SourceType::Demo
        ]),
        text().prop_map(SourceType::from),
    ]
}

pub(crate) fn inject_reason() -> impl Strategy<Value = InjectReason> {
    prop_oneof![
        select(vec![
            InjectReason::NoGrant,
            InjectReason::NoScopes,
            InjectReason::Empty,
            InjectReason::EmptyCapsule,
            InjectReason::SeededDemo,
        ]),
        text().prop_map(InjectReason::from),
    ]
}

pub(crate) fn update_outcome() -> impl Strategy<Value = UpdateOutcome> {
    prop_oneof![
        select(vec![
            UpdateOutcome::Filtered,
            UpdateOutcome::NothingNew,
            UpdateOutcome::Refused,
        ]),
        text().prop_map(UpdateOutcome::from),
    ]
}

pub(crate) fn error_code() -> impl Strategy<Value = ErrorCode> {
    prop_oneof![
        select(vec![
            "BAD_REQUEST",
            "UNAUTHORIZED",
            "FORBIDDEN",
            "NOT_FOUND",
            "RATE_LIMITED"
        ])
        .prop_map(ErrorCode::from),
        text().prop_map(ErrorCode::from),
    ]
}

pub(crate) fn fact() -> impl Strategy<Value = Fact> {
    let plain = text().prop_map(Fact::plain);
    let object = (text(), of(source_type()), extra()).prop_map(|(value, source_type, extra)| {
        let mut fact = Fact::plain(value);
        fact.source_type = source_type;
        fact.extra = extra;
        fact
    });
    prop_oneof![plain, object]
}

fn facts() -> impl Strategy<Value = Vec<Fact>> {
    vec(fact(), 0..3)
}

fn fact_map() -> impl Strategy<Value = FactMap> {
    vec((name(), fact()), 0..3).prop_map(FactMap::from_iter)
}

pub(crate) fn history_entry() -> impl Strategy<Value = HistoryEntry> {
    let no_fact = value().prop_filter("no fact", |value| {
        !value.is_string() && value.get("value").is_none()
    });
    prop_oneof![
        fact().prop_map(HistoryEntry::Fact),
        no_fact.prop_map(HistoryEntry::Other)
    ]
}

pub(crate) fn delta() -> impl Strategy<Value = Delta> {
    let key = prop_oneof![
        scope().prop_map(|scope| scope.storage_key().to_owned()),
        name()
    ];
    vec((key, delta_value()), 0..4).prop_map(|slices| Delta(slices.into_iter().collect()))
}

fn delta_value() -> impl Strategy<Value = DeltaValue> {
    let scalar = value().prop_filter("a scalar", |value| {
        value.is_null() || value.is_boolean() || value.is_number()
    });
    let odd_list = value().prop_map(|value| json!([value, 7]));
    let odd_object = value().prop_map(|value| json!({"odd": value, "number": 7}));
    prop_oneof![
        text().prop_map(|text| DeltaValue::Text(text.into())),
        facts().prop_map(DeltaValue::List),
        fact_map().prop_map(DeltaValue::Map),
        prop_oneof![scalar, odd_list, odd_object].prop_map(DeltaValue::Other),
    ]
}

prop_compose! {
    pub(crate) fn emotional_state()(sentiment in of(text()), extra in extra()) -> EmotionalState {
        let mut state = EmotionalState::default();
        state.recent_sentiment = sentiment.map(Into::into);
        state.extra = extra;
        state
    }
}

prop_compose! {
    pub(crate) fn context()(
        user_id in user_id(),
        communication_style in text(),
        [ongoing_tasks, key_relationships, domain_expertise] in [facts(), facts(), facts()],
        raw_history in of(vec(history_entry(), 0..4)),
        preferences in fact_map(),
        general in of(fact_map()),
        emotional_state in of(emotional_state()),
        last_updated in of(timestamp()),
        extra in extra(),
    ) -> Context {
        let mut context = Context::empty(user_id, "2026-03-01T09:30:00Z".parse().unwrap());
        context.communication_style = communication_style.into();
        context.ongoing_tasks = ongoing_tasks;
        context.key_relationships = key_relationships;
        context.domain_expertise = domain_expertise;
        context.raw_history = raw_history;
        context.preferences = preferences;
        context.general = general;
        context.emotional_state = emotional_state;
        context.last_updated = last_updated;
        context.extra = extra;
        context
    }
}

prop_compose! {
    pub(crate) fn delete_response()(deleted: bool, extra in extra()) -> DeleteResponse {
        let mut answer = DeleteResponse::new(deleted);
        answer.extra = extra;
        answer
    }
}

prop_compose! {
    pub(crate) fn inject_request()(
        user_id in user_id(),
        base_prompt in text(),
        agent_id in of(text()),
        parts: bool,
        message in of(text()),
        extra in extra(),
    ) -> InjectRequest {
        InjectRequest { user_id, base_prompt, agent_id, parts, message, extra }
    }
}

prop_compose! {
    pub(crate) fn cache_hint()(
        recommended: bool,
        retention in of(text()),
        reason in of(text()),
        provider_param in of(vec((name(), value()), 0..3)),
        extra in extra(),
    ) -> CacheHint {
        let mut hint = CacheHint::new(recommended, "");
        hint.retention = retention;
        hint.reason = reason;
        hint.provider_param = provider_param.map(Map::from_iter);
        hint.extra = extra;
        hint
    }
}

prop_compose! {
    pub(crate) fn inject_response()(
        injected_prompt in text(),
        cache_hint in of(cache_hint()),
        reason in of(inject_reason()),
        notice in of(text()),
        seeded: Option<bool>,
        [consent_url, context, base_prompt, relevant] in
            [of(text()), of(text()), of(text()), of(text())],
        extra in extra(),
    ) -> InjectResponse {
        let mut answer = InjectResponse::unchanged(injected_prompt);
        answer.cache_hint = cache_hint;
        answer.reason = reason;
        answer.notice = notice;
        answer.seeded = seeded;
        answer.consent_url = consent_url;
        answer.context = context;
        answer.base_prompt = base_prompt;
        answer.relevant = relevant;
        answer.extra = extra;
        answer
    }
}

prop_compose! {
    pub(crate) fn update_request()(
        user_id in user_id(),
        [user_message, agent_response] in [text(), text()],
        agent_id in of(text()),
        at in of(timestamp()),
        extra in extra(),
    ) -> UpdateRequest {
        UpdateRequest { user_id, user_message, agent_response, agent_id, at, extra }
    }
}

prop_compose! {
    pub(crate) fn update_response()(
        updated: bool,
        [delta, removed, evicted] in [of(delta()), of(delta()), of(delta())],
        denied_scopes in of(vec(scope_name(), 0..3)),
        outcome in of(update_outcome()),
        notice in of(text()),
        limit_reached: Option<bool>,
        extra in extra(),
    ) -> UpdateResponse {
        let mut answer = UpdateResponse::default();
        answer.updated = updated;
        answer.delta = delta;
        answer.removed = removed;
        answer.evicted = evicted;
        answer.denied_scopes = denied_scopes;
        answer.outcome = outcome;
        answer.notice = notice;
        answer.limit_reached = limit_reached;
        answer.extra = extra;
        answer
    }
}

prop_compose! {
    pub(crate) fn grant_request()(
        user_id in user_id(),
        agent_id in text(),
        scopes in vec(scope_name(), 0..4),
        expires_at in of(timestamp()),
        extra in extra(),
    ) -> GrantRequest {
        GrantRequest { user_id, agent_id, scopes, expires_at, extra }
    }
}

prop_compose! {
    pub(crate) fn grant_response()(
        [id, agent_id] in [text(), text()],
        user_id in user_id(),
        scopes in vec(scope_name(), 0..4),
        expires_at in of(timestamp()),
        revoked: bool,
        extra in [extra(), extra()],
    ) -> GrantResponse {
        let [inner, extra] = extra;
        let mut grant = Grant::new(id, user_id, agent_id, scopes);
        grant.expires_at = expires_at;
        grant.revoked = revoked;
        grant.extra = inner;
        let mut answer = GrantResponse::new(grant);
        answer.extra = extra;
        answer
    }
}

prop_compose! {
    pub(crate) fn revoke_response()(revoked: bool, extra in extra()) -> RevokeResponse {
        let mut answer = RevokeResponse::new(revoked);
        answer.extra = extra;
        answer
    }
}

prop_compose! {
    pub(crate) fn sign_in_link_request()(
        user_id in user_id(),
        extra in extra(),
    ) -> SignInLinkRequest {
        SignInLinkRequest { user_id, extra }
    }
}

prop_compose! {
    pub(crate) fn sign_in_link_response()(
        url in text(),
        expires_at in timestamp(),
        extra in extra(),
    ) -> SignInLinkResponse {
        let mut link = SignInLinkResponse::new(url, expires_at);
        link.extra = extra;
        link
    }
}

prop_compose! {
    pub(crate) fn health()(
        status in of(text()),
        checks in of(vec((name(), text()), 0..3)),
        timestamp in of(timestamp()),
        ok: Option<bool>,
        extra in extra(),
    ) -> Health {
        let checks = checks.map(|checks| checks.into_iter().collect());
        let mut health = Health::default();
        health.status = status;
        health.checks = checks;
        health.timestamp = timestamp;
        health.ok = ok;
        health.extra = extra;
        health
    }
}

prop_compose! {
    pub(crate) fn error_body()(
        error in text(),
        code in error_code(),
        consent_url in of(text()),
        extra in extra(),
    ) -> ErrorBody {
        let mut body = ErrorBody::new(error, code);
        body.consent_url = consent_url;
        body.extra = extra;
        body
    }
}
