//! The types that a setting's text becomes.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use sqlx::postgres::PgConnectOptions;

/// A PostgreSQL URL. It may hold a password, so it has no way to print itself.
#[derive(Clone, Debug)]
pub struct DatabaseUrl(SecretString, PgConnectOptions);

impl DatabaseUrl {
    /// Reads `postgres://role[:password]@host[:port]/database[?host=/socket/directory]`.
    ///
    /// # Errors
    /// Says what is wrong with the URL without repeating it.
    pub fn parse(text: &str) -> Result<Self, String> {
        if !text.starts_with("postgres://") && !text.starts_with("postgresql://") {
            return Err("must start with postgres://".into());
        }
        let options =
            PgConnectOptions::from_str(text).map_err(|_| String::from("is not a URL that PostgreSQL clients read"))?;
        Ok(Self(SecretString::from(text), options))
    }

    /// How to connect, for a pool.
    #[must_use]
    pub fn options(&self) -> PgConnectOptions {
        self.1.clone().application_name("bailiwick")
    }

    /// Where it leads, without the password: for messages to the operator.
    #[must_use]
    pub fn place(&self) -> String {
        let place = match self.1.get_socket() {
            Some(directory) => directory.display().to_string(),
            None => format!("{}:{}", self.1.get_host(), self.1.get_port()),
        };
        format!("{} as {}", place, self.1.get_username())
    }

    /// The URL itself. For handing it to another program, never for a log.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

/// A network of addresses: `10.0.0.0/8`, `fd00::/8`, or one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

impl Network {
    /// Whether the address belongs to this network. An IPv4 address that came in through IPv6 counts as IPv4.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => prefix4(own, self.bits) == prefix4(other, self.bits),
            (IpAddr::V6(own), IpAddr::V6(other)) => prefix6(own, self.bits) == prefix6(other, self.bits),
            _ => false,
        }
    }
}

fn prefix4(address: Ipv4Addr, bits: u8) -> u32 {
    u32::from(address).checked_shr(32 - u32::from(bits)).unwrap_or(0)
}

fn prefix6(address: Ipv6Addr, bits: u8) -> u128 {
    u128::from(address).checked_shr(128 - u32::from(bits)).unwrap_or(0)
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is neither an address nor a network such as 10.0.0.0/8");
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.trim().parse().map_err(|_| wrong())?;
        let widest = if address.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            None => widest,
            Some(bits) => bits.trim().parse().ok().filter(|bits| *bits <= widest).ok_or_else(wrong)?,
        };
        Ok(Self { address, bits })
    }
}

/// Several values: a list in the file, or one text with commas (the environment has no lists).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Several(pub Vec<String>);

impl<'de> Deserialize<'de> for Several {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Shape {
            List(Vec<String>),
            Text(String),
        }
        let items = match Shape::deserialize(deserializer)? {
            Shape::List(items) => items,
            Shape::Text(text) => text.split(',').map(str::to_owned).collect(),
        };
        Ok(Self(items.iter().map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_holds_its_addresses_and_no_others() {
        let rows = [
            ("10.0.0.0/8", "10.255.1.2", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("10.0.0.0/8", "::ffff:10.1.1.1", true),
            ("192.0.2.7", "192.0.2.7", true),
            ("192.0.2.7", "192.0.2.8", false),
            ("0.0.0.0/0", "203.0.113.1", true),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("2001:db8::/32", "2001:db8:1::1", true),
            ("2001:db8::/32", "2001:db9::1", false),
            ("::/0", "2001:db9::1", true),
        ];
        for (network, address, expected) in rows {
            let network: Network = network.parse().unwrap();
            assert_eq!(network.contains(address.parse().unwrap()), expected, "{network:?} {address}");
        }
        for wrong in ["", "10.0.0.0/33", "::/129", "example.org", "10.0.0/8", "10.0.0.0/x"] {
            assert!(wrong.parse::<Network>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_database_url_never_prints_its_password() {
        let url = DatabaseUrl::parse("postgres://app:hunter2@db.example.org:6432/bailiwick").unwrap();
        assert_eq!(url.place(), "db.example.org:6432 as app");
        assert!(!format!("{:?}", url.0).contains("hunter2"));
        let refused = DatabaseUrl::parse("mysql://app:hunter2@db/x").unwrap_err();
        assert!(!refused.contains("hunter2"));
    }
}
