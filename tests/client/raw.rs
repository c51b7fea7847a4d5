//! A TCP server that sends any bytes, however wrong, and keeps the bytes it receives.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

/// What happens to the connection after the bytes have been sent.
#[derive(Clone, Copy)]
pub(crate) enum Ending {
    Close,
    /// It stays open until the client closes it.
    Hang,
}

/// A server for one connection.
pub(crate) struct RawServer {
    pub(crate) url: String,
    thread: JoinHandle<String>,
}

impl RawServer {
    pub(crate) fn saying(bytes: impl Into<Vec<u8>>, then: Ending) -> Self {
        let bytes = bytes.into();
        Self::talking(move |stream| {
            let patience = Some(Duration::from_secs(10));
            stream.set_read_timeout(patience).unwrap();
            let request = read_request(stream);
            // The client may have closed the connection already.
            let _ = stream.write_all(&bytes);
            if matches!(then, Ending::Hang) {
                let _ = stream.read(&mut [0]);
            }
            request
        })
    }

    /// A server that speaks first, reads one piece of what it is sent, and closes the connection.
    pub(crate) fn saying_at_once(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::talking(move |stream| {
            let _ = stream.write_all(&bytes);
            let mut received = [0; 4096];
            let length = stream.read(&mut received).unwrap_or(0);
            String::from_utf8_lossy(&received[..length]).into_owned()
        })
    }

    /// What is done with the connection answers what was received.
    fn talking(talk: impl FnOnce(&mut TcpStream) -> String + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let thread = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            talk(&mut stream)
        });
        Self { url, thread }
    }

    /// The received request, head and body.
    pub(crate) fn request(self) -> String {
        self.thread.join().unwrap()
    }
}

fn read_request(stream: &mut TcpStream) -> String {
    let mut request = Vec::new();
    let mut chunk = [0; 4096];
    while !is_whole(&request) {
        let length = stream.read(&mut chunk).unwrap();
        assert_ne!(length, 0, "the request ended early");
        request.extend_from_slice(&chunk[..length]);
    }
    String::from_utf8(request).unwrap()
}

pub(crate) fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head
        .lines()
        .filter_map(|line| line.split_once(": "))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .map_or(0, |(_, length)| length.parse().unwrap());
    body.len() >= length
}

/// A whole answer with a JSON body.
pub(crate) fn json_answer(status: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}
