//! Ctrl-C and SIGTERM as messages, so that a run can stop in an orderly way.

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// A message each time the process is asked to stop.
pub fn interrupts() -> UnboundedReceiver<()> {
    let (sender, receiver) = unbounded_channel();
    tokio::spawn(async move {
        loop {
            stop_requested().await;
            if sender.send(()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// The next interrupt. Waits forever if no more can come.
pub(crate) async fn next(interrupts: &mut UnboundedReceiver<()>) {
    if interrupts.recv().await.is_none() {
        std::future::pending::<()>().await;
    }
}

#[cfg(unix)]
async fn stop_requested() {
    use tokio::signal::unix::{SignalKind, signal};

    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return ctrl_c().await;
    };
    tokio::select! {
        () = ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}

#[cfg(not(unix))]
async fn stop_requested() {
    ctrl_c().await;
}

async fn ctrl_c() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
