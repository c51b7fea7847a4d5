//! A connection on which writing must make progress: clients that don't read their answers would
//! otherwise hold it for ever.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// How much of an answer a slow client must take in each period. Even a poor mobile connection manages that.
const LEAST_PROGRESS: usize = 16 << 10;

/// A stream that fails when its client takes less than 16 KiB of an answer in a period.
pub(crate) struct WriteDeadline<S> {
    stream: S,
    period: Duration,
    blocked: Option<Blocked>,
}

/// Since writing had to wait for the client.
struct Blocked {
    until: Pin<Box<Sleep>>,
    taken: usize,
}

impl<S> WriteDeadline<S> {
    pub(crate) fn new(stream: S, period: Duration) -> Self {
        Self {
            stream,
            period,
            blocked: None,
        }
    }

    fn judge(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(Ok(bytes)) => {
                if let Some(blocked) = &mut self.blocked {
                    blocked.taken += bytes;
                    if blocked.taken >= LEAST_PROGRESS {
                        self.blocked = None;
                    }
                }
                Poll::Ready(Ok(bytes))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => {
                let blocked = self.blocked.get_or_insert_with(|| Blocked {
                    until: Box::pin(tokio::time::sleep(self.period)),
                    taken: 0,
                });
                let elapsed = blocked.until.as_mut().poll(cx);
                elapsed.map(|()| Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteDeadline<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteDeadline<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.judge(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.judge(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Called when everything is written: the next answer has its own time.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.blocked = None;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    const PERIOD: Duration = Duration::from_secs(10);

    /// Writes a mebibyte to a client that takes so much every second.
    async fn writing_to_a_client_that_takes(bytes_a_second: usize) -> io::Result<()> {
        let (ours, mut theirs) = duplex(1 << 10);
        let mut stream = WriteDeadline::new(ours, PERIOD);
        let reading = async move {
            let mut taken = vec![0; bytes_a_second];
            loop {
                tokio::time::sleep(Duration::from_secs(1)).await;
                if bytes_a_second > 0 {
                    theirs.read_exact(&mut taken).await.unwrap();
                }
            }
        };
        let answer = vec![7; 1 << 20];
        tokio::select! {
            written = stream.write_all(&answer) => written,
            () = reading => unreachable!("it reads for ever"),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_does_not_read_or_hardly_reads_is_cut_off() {
        for bytes_a_second in [0, 1, 1_000] {
            let began = tokio::time::Instant::now();
            let error = writing_to_a_client_that_takes(bytes_a_second).await;
            assert_eq!(error.unwrap_err().kind(), io::ErrorKind::TimedOut);
            assert!(began.elapsed() <= PERIOD * 2, "{bytes_a_second}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_reads_slowly_gets_it_all() {
        writing_to_a_client_that_takes(4_000).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn each_answer_has_its_own_time() {
        let (ours, mut theirs) = duplex(1 << 10);
        let mut stream = WriteDeadline::new(ours, PERIOD);
        for _ in 0..3 {
            let reading = async {
                tokio::time::sleep(PERIOD * 9 / 10).await;
                theirs.read_exact(&mut vec![0; 2 << 10]).await.unwrap();
            };
            let writing = async {
                stream.write_all(&vec![7; 2 << 10]).await.unwrap();
                stream.flush().await.unwrap();
            };
            tokio::join!(reading, writing);
        }
    }
}
