// cargo add ctxmem-client; cargo add tokio --features macros,rt-multi-thread
use ctxmem_client::{Client, UserId};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Reads CTXMEM_BASE_URL and CTXMEM_API_KEY.
    let memory = Client::from_env()?;
    let user = UserId::new("ada")?;

    // Before the model call: what is known of the user becomes part of the prompt.
    let system = memory.inject(&user, "You are a helpful assistant.").await?;
    println!("{}", system.prompt());

    // After it: learn from the turn.
    let said = "My name is Ada and I live in Lisbon.";
    let learned = memory.update(&user, said, "Nice to meet you, Ada.").await?;
    println!("{} facts learned", learned.delta.unwrap_or_default().facts().count());
    Ok(())
}
