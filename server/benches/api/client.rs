//! Clients that keep their connections: 32 threads that ask for the same page.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use serde_json::Value;

use crate::{CLIENTS, Fallible};

/// What every client asks, and whom.
pub struct Target {
    pub address: SocketAddr,
    pub tls: Arc<ClientConfig>,
    pub request: String,
}

/// One keep-alive connection. Reading and writing block: a client does one thing at a time.
struct Client {
    stream: StreamOwned<ClientConnection, TcpStream>,
    received: Vec<u8>,
}

impl Client {
    /// Sends the request and answers the body of a 200.
    fn ask(&mut self, request: &str) -> Fallible<&[u8]> {
        self.stream.write_all(request.as_bytes())?;
        self.stream.flush()?;
        self.received.clear();
        let mut chunk = [0; 1 << 15];
        let mut body = None;
        loop {
            if body.is_none() {
                body = head(&self.received)?;
            }
            if let Some((start, end)) = body
                && self.received.len() >= end
            {
                return Ok(&self.received[start..end]);
            }
            match self.stream.read(&mut chunk)? {
                0 => return Err("the server closed a connection".into()),
                read => self.received.extend_from_slice(&chunk[..read]),
            }
        }
    }
}

/// Where the body begins and ends, once the head is there.
fn head(received: &[u8]) -> Fallible<Option<(usize, usize)>> {
    let Some(blank) = received.windows(4).position(|window| window == b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = std::str::from_utf8(&received[..blank])?;
    if !head.starts_with("HTTP/1.1 200 ") {
        return Err(format!("refused: {head}").into());
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).ok_or("no content-length")?;
    Ok(Some((blank + 4, blank + 4 + length.trim().parse::<usize>()?)))
}

/// What one run of all clients came to.
pub struct Run {
    /// Requests a second.
    pub rate: f64,
    /// Milliseconds from when a request was due, sorted.
    times: Vec<f64>,
}

impl Run {
    /// The time that `percent` of the requests stayed below, in milliseconds.
    pub fn quantile(&self, percent: usize) -> f64 {
        self.times.get(self.times.len() * percent / 100).copied().unwrap_or(f64::INFINITY)
    }
}

impl Target {
    fn client(&self) -> Fallible<Client> {
        let tls = ClientConnection::new(Arc::clone(&self.tls), ServerName::try_from("localhost")?)?;
        let socket = TcpStream::connect(self.address)?;
        socket.set_nodelay(true)?;
        Ok(Client { stream: StreamOwned::new(tls, socket), received: Vec::new() })
    }

    /// Looks at one answer as a whole: it is the first of many pages.
    pub fn check(&self) -> Fallible<Vec<u8>> {
        let page = self.client()?.ask(&self.request)?.to_vec();
        let json: Value = serde_json::from_slice(&page)?;
        let rows = json["members"].as_array().map_or(0, Vec::len);
        if rows != 50 || json["nextCursor"].as_str().is_none() {
            return Err(format!("this is not the first page of 50: {json}").into());
        }
        Ok(page)
    }

    /// All clients ask for `time`, as fast as they can, or at `pace` requests a second together. With a pace, a request's
    /// time counts from when it was due, so that a stall is not forgiven to those who queue behind it.
    pub fn load(&self, time: Duration, pace: Option<f64>, length: usize) -> Fallible<Run> {
        let mut clients = (0..CLIENTS).map(|_| self.client()).collect::<Fallible<Vec<_>>>()?;
        for client in &mut clients {
            client.ask(&self.request)?;
        }
        let gap = pace.map(|pace| Duration::from_secs_f64(f64::from(CLIENTS) / pace));
        let begun = Instant::now();
        let mut times = std::thread::scope(|scope| {
            let work: Vec<_> = (0..CLIENTS)
                .zip(clients)
                .map(|(index, mut client)| {
                    scope.spawn(move || {
                        let mut times = Vec::new();
                        let mut due = begun + gap.unwrap_or_default() * index / CLIENTS;
                        while begun.elapsed() < time {
                            match gap {
                                Some(_) => std::thread::sleep(due.saturating_duration_since(Instant::now())),
                                None => due = Instant::now(),
                            }
                            if client.ask(&self.request)?.len() != length {
                                return Err("an answer of another length".into());
                            }
                            times.push(due.elapsed().as_secs_f64() * 1000.0);
                            due += gap.unwrap_or_default();
                        }
                        Fallible::Ok(times)
                    })
                })
                .collect();
            work.into_iter()
                .map(|thread| thread.join().map_err(|_| "a client panicked")?)
                .collect::<Fallible<Vec<Vec<f64>>>>()
        })?
        .concat();
        let rate = times.len() as f64 / begun.elapsed().as_secs_f64();
        times.sort_by(f64::total_cmp);
        Ok(Run { rate, times })
    }
}
