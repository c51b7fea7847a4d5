use ctxmem_client::{Client, UserId};

#[tokio::test]
#[ignore = "needs a server"]
async fn it_remembers_over_the_network() {
    let memory = Client::from_env().unwrap();
    // A user for this run only, so that runs don't interfere.
    let user = UserId::new(format!("test-{}", std::process::id())).unwrap();

    memory
        .update(&user, "I live in Lisbon.", "Noted.")
        .await
        .unwrap();
    let system = memory
        .inject(&user, "You are a travel agent.")
        .await
        .unwrap();
    assert!(system.prompt().contains("Lisbon"));
    memory.delete_context(&user).await.unwrap();
}
