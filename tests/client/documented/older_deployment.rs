use ctxmem_client::UserId;
use ctxmem_client::test_utils::wiremock::{Mock, ResponseTemplate};
use ctxmem_client::test_utils::{FakeMemory, Route};

#[tokio::test]
async fn an_answer_of_an_older_deployment() {
    let memory = FakeMemory::start().await;
    let older = r#"{"injectedPrompt": "Edits with Helix. Be brief."}"#;
    let answer = ResponseTemplate::new(200).set_body_string(older);
    let mock = Mock::given(Route::Inject).respond_with(answer).expect(1);
    mock.mount(memory.server()).await;

    let ada = UserId::new("ada").unwrap();
    let system = memory.client().inject(&ada, "Be brief.").await.unwrap();
    assert_eq!(system.prompt(), "Edits with Helix. Be brief.");
}
