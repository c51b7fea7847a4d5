use ctxmem_client::test_utils::wiremock::MockServer;
use ctxmem_client::test_utils::{InjectForm, Route, ServiceError, UpdateForm};
use ctxmem_client::{Client, UserId};

#[tokio::test]
async fn a_failed_update_is_sent_again() {
    let service = MockServer::start().await;
    InjectForm::Enriched.mount(&service).await;

    // The first update fails, the next one succeeds. Both are expected.
    let failing = ServiceError::ModelError.mock_at(Route::Update);
    failing.up_to_n_times(1).expect(1).mount(&service).await;
    UpdateForm::Learned.mock().expect(1).mount(&service).await;

    let client = Client::builder()
        .base_url(service.uri())
        .api_key("ctxm_test");
    let client = client.build().unwrap();
    let ada = UserId::new("ada").unwrap();
    let system = client.inject(&ada, "Be brief.").await.unwrap();
    assert!(system.prompt().contains(InjectForm::FACT));
    assert!(system.prompt().ends_with("Be brief."));

    // The client retries by itself.
    let learned = client.update(&ada, "I use Helix.", "Noted.").await.unwrap();
    assert_eq!(learned.delta.unwrap_or_default().facts().count(), 4);
}

#[tokio::test]
async fn no_error_takes_the_prompt_away() {
    let ada = UserId::new("ada").unwrap();
    for error in ServiceError::ALL {
        let service = MockServer::start().await;
        error.mount(&service).await;
        let client = Client::builder()
            .base_url(service.uri())
            .api_key("ctxm_test");
        let system = client
            .build()
            .unwrap()
            .inject_or_base(&ada, "Be brief.")
            .await;
        assert_eq!(system.prompt(), "Be brief.");
    }
}
