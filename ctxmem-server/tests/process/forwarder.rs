//! An address that leads to one server and later to another, as those of hosted databases do.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use ctxmem_test_postgres::Cluster;

/// An address whose connections are passed on. It lasts as long as the process.
pub(crate) struct Forwarder {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct State {
    target: u16,
    open: Vec<TcpStream>,
}

impl Forwarder {
    pub(crate) fn to(cluster: &Cluster) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(State {
            target: cluster.port(),
            open: Vec::new(),
        }));
        let accepting = Arc::clone(&state);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                accepting.lock().unwrap().pass_on(client.unwrap());
            }
        });
        Self { address, state }
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
            std::thread::spawn(move || {
                let _ = std::io::copy(&mut from, &mut to);
                let _ = to.shutdown(std::net::Shutdown::Both);
            });
        }
        self.open.extend([client, server]);
    }
}
