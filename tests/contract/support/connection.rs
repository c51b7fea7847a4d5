//! One connection, written and read by hand: for what is about connections themselves.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::Server;
use super::raw::RawResponse;

/// What takes longer than this never happens.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Connection {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Connection {
    pub(crate) async fn open(server: &Server) -> Self {
        Self {
            stream: TcpStream::connect(server.address()).await.unwrap(),
            read: Vec::new(),
        }
    }

    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.unwrap();
    }

    /// The next answer, which must tell its length.
    pub(crate) async fn answer(&mut self) -> RawResponse {
        let (head, length) = loop {
            if let Some(end) = self.read.windows(4).position(|four| four == b"\r\n\r\n") {
                let answer = RawResponse::parse(&self.read[..end + 4]);
                let length = answer.header("content-length").unwrap();
                break (end + 4, length.parse::<usize>().unwrap());
            }
            assert!(self.more().await, "closed before an answer");
        };
        while self.read.len() < head + length {
            assert!(self.more().await, "closed within an answer");
        }
        let rest = self.read.split_off(head + length);
        RawResponse::parse(&std::mem::replace(&mut self.read, rest))
    }

    /// Waits until the server closes; answers what came before that.
    pub(crate) async fn until_closed(mut self) -> String {
        while self.more().await {}
        String::from_utf8(self.read).unwrap()
    }

    /// Reads what there is; false once the server has closed.
    async fn more(&mut self) -> bool {
        let reading = self.stream.read_buf(&mut self.read);
        match tokio::time::timeout(PATIENCE, reading).await {
            Ok(Ok(count)) => count > 0,
            Ok(Err(_reset)) => false,
            Err(_) => panic!("nothing came, and the connection stayed open"),
        }
    }
}
