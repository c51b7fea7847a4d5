//! The probe of the model's endpoint: cached, coalesced, and never at the cost of a completion.

use std::time::Duration;

use ctxmem_server::extract::{BuiltIn, Extractor};
use wiremock::matchers::{method, path};
use wiremock::{Mock, ResponseTemplate};

use crate::support::{Endpoint, model};

async fn listing(response: ResponseTemplate) -> Endpoint {
    let endpoint = Endpoint::start().await;
    let models = Mock::given(method("GET")).and(path("/v1/models"));
    endpoint
        .mount(models.respond_with(response).expect(1))
        .await;
    endpoint
}

#[tokio::test]
async fn a_probe_is_cached_and_costs_no_completion() {
    let endpoint = listing(ResponseTemplate::new(200).set_body_string("{\"data\": []}")).await;
    let model = endpoint.model();
    for _ in 0..5 {
        assert_eq!(model.probe().await, Some(true));
    }
    assert_eq!(endpoint.requests().await.len(), 1);
}

#[tokio::test]
async fn concurrent_probes_are_one() {
    let slow = ResponseTemplate::new(200).set_delay(Duration::from_millis(200));
    let endpoint = listing(slow).await;
    let model = endpoint.model();
    let answers = tokio::join!(model.probe(), model.probe(), model.probe(), model.probe());
    assert_eq!(answers, (Some(true), Some(true), Some(true), Some(true)));
    assert_eq!(endpoint.requests().await.len(), 1);
}

#[tokio::test]
async fn only_an_endpoint_that_would_extract_answers() {
    for (status, answers) in [
        (200, true),
        (404, true),
        (429, true),
        (302, false),
        (401, false),
        (403, false),
        (500, false),
        (503, false),
    ] {
        let endpoint = listing(ResponseTemplate::new(status)).await;
        assert_eq!(endpoint.model().probe().await, Some(answers), "{status}");
    }
}

#[tokio::test]
async fn an_endpoint_that_is_down_does_not_answer() {
    let down = model("http://127.0.0.1:1/v1", Duration::from_secs(1));
    assert_eq!(down.probe().await, Some(false));
}

#[tokio::test]
async fn the_rules_have_nothing_to_probe() {
    assert_eq!(BuiltIn.probe().await, None);
}
