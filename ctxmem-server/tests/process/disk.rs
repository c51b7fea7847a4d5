//! A disk that fills up and has room again, simulated by a limit on the size of files.

use std::process::Command;

use ctxmem_client::{Client, Error, ErrorCode};

use crate::process::{Home, ServerProcess, user};

/// Kibibytes: above what an empty database takes, below what the writes need.
const ROOM: u32 = 400;

#[tokio::test]
async fn writing_goes_on_when_a_full_disk_has_room_again() {
    let home = Home::new();
    let key = home.json(&["agent", "create", "--name", "writer"]);
    let serving = serve_in_little_room(&home).await;
    let client = serving.client(key["api_key"].as_str());

    let mut written = 0;
    let refused = loop {
        match learn(&client, written).await {
            Ok(()) => written += 1,
            Err(error) => break error,
        }
        assert!(written < 2_000, "the disk was never full");
    };
    assert_eq!(refused.code(), Some(&ErrorCode::PersistenceError));
    for _ in 0..20 {
        let again = learn(&client, written).await.unwrap_err();
        assert_eq!(again.code(), Some(&ErrorCode::PersistenceError));
    }
    let held = client.context(&user("ada")).await.unwrap();
    assert_eq!(
        held.domain_expertise.len(),
        written,
        "reading goes on, nothing is lost"
    );

    let lifted = Command::new("prlimit")
        .args(["--pid", &serving.id().to_string(), "--fsize=unlimited"])
        .status()
        .expect("prlimit is needed: apt-get install util-linux");
    assert!(lifted.success());
    learn(&client, written).await.unwrap();
    let held = client.context(&user("ada")).await.unwrap();
    assert_eq!(held.domain_expertise.len(), written + 1);
}

async fn learn(client: &Client, n: usize) -> Result<(), Error> {
    let message = format!("I am good at fact:skill-{n} these days.");
    client
        .update(&user("ada"), message, "Noted.")
        .await
        .map(drop)
}

async fn serve_in_little_room(home: &Home) -> ServerProcess {
    let model = crate::model::model(std::time::Duration::ZERO).await;
    let mut flags = model.flags().join(" ");
    flags.push_str(" --listen 127.0.0.1:0 --json --rate-limit 0 --facts-per-list 0 --log error");
    let server = env!("CARGO_BIN_EXE_ctxmem-server");
    let script = format!("trap '' XFSZ; ulimit -S -f {ROOM}; exec '{server}' {flags}");
    let mut command = Command::new("bash");
    command.args(["-c", &script]).current_dir(home.path("."));
    // The model must live as long as the server asks it.
    std::mem::forget(model);
    home.start(command).await
}
