//! `/dashboard`: what developers see and do, and what they don't get to see.

mod agents;
mod deletion;
mod keys;
mod pages;
mod playground;
mod quickstarts;
mod requests;
mod second_factor;
mod sessions;
mod settings;
mod sign_in;
mod strangers;
mod team;
mod throttle;
mod usage;

use crate::suite::support::Server;

/// An id that is nobody's.
const ABSENT: &str = "00000000-0000-4000-8000-000000000000";

/// Whether somebody with this cookie is signed in.
async fn is_in(server: &Server, cookie: &str) -> bool {
    let page = server.get("/dashboard").cookie(cookie).send().await;
    assert!([200, 401].contains(&page.status), "{}", page.status);
    page.status == 200
}
