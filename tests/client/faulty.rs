//! A TCP server that fails in every possible way, one way for each connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;

use crate::raw::{is_whole, json_answer};

/// What happens to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// None: it answers as it should.
    None,
    /// Nothing listens at the address.
    Refused,
    /// No answer ever comes.
    Hung,
    /// The connection is reset after the request.
    Reset,
    /// A valid answer, one byte every 100 ms.
    Dripped,
    /// The answer breaks off in the middle.
    Truncated,
    /// An error status.
    Status(u16),
    /// Success, with a body that is not JSON.
    Garbage,
    /// An answer that is not HTTP.
    NotHttp,
}

impl Fault {
    pub(crate) const ALL: [Self; 11] = [
        Self::Refused,
        Self::Hung,
        Self::Reset,
        Self::Dripped,
        Self::Truncated,
        Self::Status(500),
        Self::Status(502),
        Self::Status(503),
        Self::Status(504),
        Self::Garbage,
        Self::NotHttp,
    ];
}

/// A server whose connections all fail in the same way.
pub(crate) struct Faulty {
    pub(crate) url: String,
    connections: Arc<AtomicUsize>,
    requests: Arc<AtomicUsize>,
    _tasks: JoinSet<()>,
    /// Keeps the port where nothing listens: other servers of the process would be given it.
    _unused: Option<TcpSocket>,
}

impl Faulty {
    pub(crate) fn start(fault: Fault) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let url = format!("http://{}", socket.local_addr().unwrap());
        let [connections, requests] = <[Arc<AtomicUsize>; 2]>::default();
        let mut tasks = JoinSet::new();
        let mut unused = None;
        if fault == Fault::Refused {
            unused = Some(socket);
        } else {
            let listener = socket.listen(1024).unwrap();
            let (opened, seen) = (Arc::clone(&connections), Arc::clone(&requests));
            tasks.spawn(async move {
                let mut serving = JoinSet::new();
                while let Ok((stream, _)) = listener.accept().await {
                    opened.fetch_add(1, Ordering::SeqCst);
                    serving.spawn(serve(stream, fault, Arc::clone(&seen)));
                }
            });
        }
        Self {
            url,
            connections,
            requests,
            _tasks: tasks,
            _unused: unused,
        }
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

async fn serve(mut stream: TcpStream, fault: Fault, seen: Arc<AtomicUsize>) {
    loop {
        let mut request = Vec::new();
        while !is_whole(&request) {
            if stream.read_buf(&mut request).await.unwrap_or(0) == 0 {
                return;
            }
        }
        seen.fetch_add(1, Ordering::SeqCst);
        // The client may have given up, so a failed write does not matter.
        let written = answer(&mut stream, fault).await;
        // Only after a complete answer can the connection be used again.
        if written.is_err() || !matches!(fault, Fault::None | Fault::Status(_) | Fault::Garbage) {
            return;
        }
    }
}

async fn answer(stream: &mut TcpStream, fault: Fault) -> std::io::Result<()> {
    let good = r#"{"injectedPrompt":"System:\nx\n\nYou help.","status":"ok"}"#;
    let good = json_answer("200 OK", good);
    match fault {
        Fault::None => stream.write_all(good.as_bytes()).await,
        Fault::Refused | Fault::Hung => {
            tokio::time::sleep(Duration::from_mins(1)).await;
            Ok(())
        }
        Fault::Reset => stream.set_zero_linger(),
        Fault::Dripped => drip(stream, good.as_bytes()).await,
        Fault::Truncated => stream.write_all(&good.as_bytes()[..good.len() - 9]).await,
        Fault::Status(status) => {
            let line = format!("{status} Oh");
            let body = r#"{"error":"It failed.","code":"INTERNAL_ERROR"}"#;
            stream.write_all(json_answer(&line, body).as_bytes()).await
        }
        Fault::Garbage => {
            let garbage = json_answer("200 OK", "<html>It works!</html>");
            stream.write_all(garbage.as_bytes()).await
        }
        Fault::NotHttp => stream.write_all(b"220 mail.example.com ESMTP\r\n").await,
    }
}

async fn drip(stream: &mut TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    for byte in bytes {
        stream.write_all(&[*byte]).await?;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(())
}
