//! Listing, searching and deleting single facts.

use ctxmem_client::Error;
use ctxmem_client::error::InvalidCall;
use serde_json::json;

use crate::support::{Deployment, USER, ok, user};

#[tokio::test]
async fn facts_are_listed() {
    let path = format!("/api/context/{USER}/facts");
    let body = json!({"facts": [{
        "id": "0-1", "scope": "goals", "value": "Ship the beta", "source_type": "observed",
        "storedAt": "2026-03-01T09:30:00.000Z", "canDelete": true,
    }]});
    let deployment = Deployment::answering("GET", &path, ok(&body)).await;
    let facts = deployment.client().facts(&user()).await.unwrap();
    assert_eq!(serde_json::to_value(&facts).unwrap(), body["facts"]);
    assert_eq!(deployment.body().await, "");
}

#[tokio::test]
async fn facts_are_searched() {
    let path = format!("/api/context/{USER}/facts/search");
    let body = json!({"facts": [{
        "id": "0-1", "scope": "preferences", "name": "allergy", "value": "peanuts",
        "source_type": "observed", "storedAt": "2026-03-01T09:30:00.000Z", "canDelete": true,
    }]});
    for (limit, sent) in [
        (Some(5), r#"{"query":"What to avoid?","limit":5}"#),
        (None, r#"{"query":"What to avoid?"}"#),
    ] {
        let deployment = Deployment::answering("POST", &path, ok(&body)).await;
        let client = deployment.client();
        let found = client.search_facts(&user(), "What to avoid?", limit).await;
        assert_eq!(serde_json::to_value(found.unwrap()).unwrap(), body["facts"]);
        assert_eq!(deployment.body().await, sent);
    }
}

#[tokio::test]
async fn a_fact_is_deleted_by_its_id_which_is_one_segment() {
    let path = format!("/api/context/{USER}/facts/0%2F1");
    let deployment = Deployment::answering("DELETE", &path, ok(&json!({"deleted": true}))).await;
    let answer = deployment.client().delete_fact(&user(), "0/1").await;
    assert!(answer.unwrap().deleted);
}

#[tokio::test]
async fn ids_that_can_be_no_segment_are_not_sent() {
    let deployment = Deployment::silent().await;
    for id in ["", ".", ".."] {
        let error = deployment.client().delete_fact(&user(), id).await;
        let Error::Invalid(invalid) = error.unwrap_err() else {
            panic!("{id} was sent");
        };
        assert_eq!(invalid, InvalidCall::InvalidFactId, "{id}");
    }
}
