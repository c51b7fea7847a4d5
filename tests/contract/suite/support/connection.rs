//! One connection, written and read by hand, for tests of connections themselves.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use super::Server;
use super::raw::RawResponse;

/// How long the server may take to send something or to close.
const READ_TIMEOUT: Duration = Duration::from_secs(20);

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

    /// One of a client whose system keeps little of what is sent either way, so that it is soon full.
    pub(crate) async fn open_with_little_room(server: &Server) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(8 << 10).unwrap();
        socket.set_send_buffer_size(8 << 10).unwrap();
        let address = server.address().parse().unwrap();
        Self {
            stream: socket.connect(address).await.unwrap(),
            read: Vec::new(),
        }
    }

    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.unwrap();
    }

    /// Writes what can be written; false once the server has closed.
    pub(crate) async fn try_write(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(bytes.as_ref()).await.is_ok()
    }

    /// Closes the writing half.
    pub(crate) async fn end(&mut self) {
        self.stream.shutdown().await.unwrap();
    }

    /// The first line of the next interim answer, which is a head only.
    pub(crate) async fn interim(&mut self) -> String {
        let end = self.head().await;
        let rest = self.read.split_off(end);
        let head = String::from_utf8(std::mem::replace(&mut self.read, rest)).unwrap();
        head.lines().next().unwrap().to_owned()
    }

    /// The next answer, which must have a `content-length`.
    pub(crate) async fn answer(&mut self) -> RawResponse {
        let head = self.head().await;
        let answer = RawResponse::parse(&self.read[..head]);
        let length: usize = answer.header("content-length").unwrap().parse().unwrap();
        while self.read.len() < head + length {
            assert!(self.more().await, "closed within an answer");
        }
        let rest = self.read.split_off(head + length);
        RawResponse::parse(&std::mem::replace(&mut self.read, rest))
    }

    /// Reads a head and answers how long it is.
    async fn head(&mut self) -> usize {
        loop {
            if let Some(end) = self.read.windows(4).position(|four| four == b"\r\n\r\n") {
                return end + 4;
            }
            assert!(self.more().await, "closed before an answer");
        }
    }

    /// Waits until the server closes; answers what came before that.
    pub(crate) async fn until_closed(mut self) -> String {
        while self.more().await {}
        String::from_utf8(self.read).unwrap()
    }

    /// Reads what there is; false once the server has closed.
    async fn more(&mut self) -> bool {
        let reading = self.stream.read_buf(&mut self.read);
        let Ok(read) = tokio::time::timeout(READ_TIMEOUT, reading).await else {
            panic!("nothing came, and the connection stayed open");
        };
        // A reset is an end as well.
        read.is_ok_and(|count| count > 0)
    }
}
