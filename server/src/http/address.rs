//! Whose network address a request has: the right-most hop that is not one of our proxies. What a client claims about
//! itself is never believed.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::Response;

use crate::app::App;
use crate::config::Network;

/// The client's network address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);

impl fmt::Display for ClientAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The right-most address, of the peer and what proxies forwarded, that no trusted network holds.
pub fn client(peer: IpAddr, forwarded: &[&str], trusted: &[Network]) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
    let mut address = peer.to_canonical();
    if !is_trusted(address) {
        return address;
    }
    let hops = forwarded.iter().rev().flat_map(|line| line.rsplit(','));
    for hop in hops {
        match hop.trim().parse::<IpAddr>() {
            Ok(hop) => address = hop.to_canonical(),
            // A proxy of ours wrote something else: nothing to its left can be believed.
            Err(_) => return address,
        }
        if !is_trusted(address) {
            return address;
        }
    }
    address
}

pub(super) async fn layer(State(app): State<App>, mut request: Request, next: Next) -> Response {
    if let Some(ConnectInfo(peer)) = request.extensions().get::<ConnectInfo<SocketAddr>>().copied() {
        let forwarded: Vec<&str> =
            request.headers().get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok()).collect();
        let address = ClientAddress(client(peer.ip(), &forwarded, app.trusted_proxies()));
        request.extensions_mut().insert(address);
    }
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_trusted_proxy_wrote_is_believed() {
        let trusted: Vec<Network> = vec!["10.0.0.0/8".parse().unwrap()];
        let peer: IpAddr = "10.0.0.1".parse().unwrap();
        let outside: IpAddr = "192.0.2.7".parse().unwrap();
        assert_eq!(client(outside, &["198.51.100.1"], &trusted), outside);
        assert_eq!(client(peer, &["198.51.100.1"], &trusted).to_string(), "198.51.100.1");
        assert_eq!(client(peer, &["203.0.113.9, 198.51.100.1, 10.0.0.2"], &trusted).to_string(), "198.51.100.1");
        assert_eq!(client(peer, &["203.0.113.9", "198.51.100.1"], &trusted).to_string(), "198.51.100.1");
        assert_eq!(client(peer, &["198.51.100.1, nonsense"], &trusted), peer);
        assert_eq!(client(peer, &[], &trusted), peer);
    }
}
