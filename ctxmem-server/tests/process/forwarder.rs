//! An address that leads to one server and later to another, as those of hosted databases do.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ctxmem_test_postgres::Cluster;

/// An address whose connections are passed on. It lasts as long as the process.
pub(crate) struct Forwarder {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    is_silent: Arc<AtomicBool>,
}

struct State {
    target: u16,
    open: Vec<TcpStream>,
    is_silent: Arc<AtomicBool>,
}

impl Forwarder {
    pub(crate) fn to(cluster: &Cluster) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let is_silent = Arc::new(AtomicBool::new(false));
        let state = Arc::new(Mutex::new(State {
            target: cluster.port(),
            open: Vec::new(),
            is_silent: Arc::clone(&is_silent),
        }));
        let accepting = Arc::clone(&state);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                accepting.lock().unwrap().pass_on(client.unwrap());
            }
        });
        Self {
            address,
            state,
            is_silent,
        }
    }

    /// Leads new connections here. Those that are open stay as they are.
    pub(crate) fn lead_to(&self, cluster: &Cluster) {
        self.state.lock().unwrap().target = cluster.port();
    }

    /// Closes all connections.
    pub(crate) fn cut(&self) {
        for open in self.state.lock().unwrap().open.drain(..) {
            // The other side may have closed it.
            let _ = open.shutdown(std::net::Shutdown::Both);
        }
    }

    /// Stops passing anything on, but closes nothing: as when a machine loses its power.
    pub(crate) fn fall_silent(&self) {
        self.is_silent.store(true, Ordering::SeqCst);
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@{}/postgres", self.address)
    }
}

impl State {
    fn pass_on(&mut self, client: TcpStream) {
        // A target that is down closes the connection.
        let Ok(server) = TcpStream::connect(("127.0.0.1", self.target)) else {
            return;
        };
        for (mut from, mut to) in [
            (client.try_clone().unwrap(), server.try_clone().unwrap()),
            (server.try_clone().unwrap(), client.try_clone().unwrap()),
        ] {
            let is_silent = Arc::clone(&self.is_silent);
            std::thread::spawn(move || {
                let mut bytes = [0; 8192];
                while let Ok(read @ 1..) = from.read(&mut bytes) {
                    while is_silent.load(Ordering::SeqCst) {
                        std::thread::sleep(Duration::from_millis(20));
                    }
                    if to.write_all(&bytes[..read]).is_err() {
                        break;
                    }
                }
                let _ = to.shutdown(std::net::Shutdown::Both);
            });
        }
        self.open.extend([client, server]);
    }
}
