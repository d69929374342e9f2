//! A proxy of TCP connections that can cut them.

use skein_mattermost::{MattermostClient, Secret, Timing};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};

pub(crate) struct Proxy {
    address: String,
    is_open: watch::Sender<bool>,
}

impl Proxy {
    /// Forwards connections to an address such as `http://127.0.0.1:1`, and reports each one that ends by itself.
    pub(crate) fn start(
        listener: TcpListener,
        target: &str,
        ended: Option<mpsc::UnboundedSender<()>>,
    ) -> Self {
        let address = format!("http://{}", listener.local_addr().unwrap());
        let target = target.trim_start_matches("http://").to_owned();
        let (is_open, watcher) = watch::channel(true);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (target, ended, mut watcher) = (target.clone(), ended.clone(), watcher.clone());
                tokio::spawn(async move {
                    if !*watcher.borrow_and_update() {
                        return;
                    }
                    let mut server = TcpStream::connect(target).await.unwrap();
                    tokio::select! {
                        _ = copy_bidirectional(&mut stream, &mut server) => {
                            if let Some(ended) = ended {
                                ended.send(()).unwrap();
                            }
                        }
                        _ = watcher.changed() => {}
                    }
                });
            }
        });
        Self { address, is_open }
    }

    pub(crate) fn client(&self, token: &str, timing: Timing) -> MattermostClient {
        MattermostClient::with_timing(&self.address, &Secret::new(token), timing).unwrap()
    }

    /// Cuts all connections and refuses further ones.
    pub(crate) fn close(&self) {
        self.is_open.send(false).unwrap();
    }

    pub(crate) fn open(&self) {
        self.is_open.send(true).unwrap();
    }
}
