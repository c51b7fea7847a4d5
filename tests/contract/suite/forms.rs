//! Size limits of the forms of the pages.

use tokio::io::AsyncReadExt as _;

use super::support::{Developer, RawRequest, Server, user};

const KIB: usize = 1 << 10;

fn form(request: RawRequest, bytes: usize) -> RawRequest {
    let mut body = b"x=".to_vec();
    body.resize(bytes, b'a');
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    request.body(body)
}

#[tokio::test]
async fn a_form_of_somebody_unknown_is_small() {
    let server = Server::start().await;
    for path in ["/dashboard/sign-in", "/sign-in"] {
        let post = |bytes| form(server.raw("POST", path), bytes);
        // It lacks its fields, but it was read.
        post(16 * KIB).gets_error(400).await;
        for refused in [
            post(16 * KIB + 1).send().await,
            post(16 * KIB + 1).send_chunked().await,
        ] {
            refused.assert_error(413);
        }
    }
}

#[tokio::test]
async fn a_form_of_somebody_signed_in_may_be_larger() {
    let (server, ann) = Developer::start().await;
    let ada = server.sign_in(&user("ada")).await;
    let mark_of_ada = server.mark(&user("ada"));
    for (path, cookie, mark) in [
        ("/dashboard/playground", &*ann.cookie, &ann.mark),
        ("/dashboard/agents", &ann.cookie, &ann.mark),
        ("/account/facts/add", &ada, &mark_of_ada),
        ("/account/revoke", &ada, &mark_of_ada),
    ] {
        let room = "&made_for=".len() + mark.len();
        let post = |bytes: usize| {
            let form = form(server.raw("POST", path).cookie(cookie), bytes - room);
            form.made_for(mark)
        };
        post(64 * KIB).gets_error(400).await;
        for refused in [
            post(64 * KIB + 1).send().await,
            post(64 * KIB + 1).send_chunked().await,
        ] {
            refused.assert_error(413);
        }
    }
}

#[tokio::test]
async fn what_announces_too_much_is_refused_before_it_is_sent() {
    let server = Server::start().await;
    let announced = server
        .raw("POST", "/dashboard/sign-in")
        .header("content-type", "application/x-www-form-urlencoded")
        .header("content-length", &(16 * KIB + 1).to_string());
    let mut connection = announced.head_sent().await;
    let mut answer = [0; 12];
    connection.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
}
