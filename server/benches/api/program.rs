//! The program under measurement, as its own process.

use std::fs::{self, File};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::Duration;

use rustls::{ClientConfig, RootCertStore};
use url::Url;

use crate::{DATABASE, Fallible};

/// `bailiwick serve`, ended when this is dropped.
pub struct Program {
    child: Child,
    pub address: SocketAddr,
    certificate: rcgen::Certificate,
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Program {
    /// Starts it over this database, with a certificate and a key of its own in `folder`.
    pub async fn start(folder: &Path, database: &Url) -> Fallible<Self> {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()])?;
        let (key, chain, private) = (folder.join("at-rest.key"), folder.join("chain.pem"), folder.join("private.pem"));
        fs::write(&key, std::array::from_fn::<u8, 32, _>(|index| (index * 29 + 5) as u8))?;
        fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o400))?;
        fs::write(&chain, made.cert.pem())?;
        fs::write(&private, made.signing_key.serialize_pem())?;
        // Free until a moment ago; nobody else is expected on a machine that measures.
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let url = |role: &str| {
            let mut url = database.clone();
            url.set_path(DATABASE);
            let _ = url.set_username(role);
            url.to_string()
        };
        let child = Command::new(env!("CARGO_BIN_EXE_bailiwick"))
            .arg("serve")
            .env_remove("BAILIWICK_TEST_DATABASE")
            .env("BAILIWICK_LISTEN", address.to_string())
            .env("BAILIWICK_PUBLIC_ORIGIN", format!("https://localhost:{}", address.port()))
            .env("BAILIWICK_DATA_DIRECTORY", folder)
            .env("BAILIWICK_AT_REST_KEY_FILE", key)
            .env("BAILIWICK_DATABASE__APP_URL", url("bailiwick_app"))
            .env("BAILIWICK_DATABASE__SEQUENCER_URL", url("bailiwick_sequencer"))
            .env("BAILIWICK_TLS__CERTIFICATE_FILE", chain)
            .env("BAILIWICK_TLS__PRIVATE_KEY_FILE", private)
            .stderr(File::create(folder.join("server.log"))?)
            .spawn()?;
        let mut program = Self { child, address, certificate: made.cert };
        for _ in 0..100 {
            if TcpStream::connect(address).is_ok() {
                return Ok(program);
            }
            if program.child.try_wait()?.is_some() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Err(format!("the server did not start:\n{}", fs::read_to_string(folder.join("server.log"))?).into())
    }

    /// Trusts this server's certificate and no other.
    pub fn trust(&self) -> Fallible<Arc<ClientConfig>> {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.der().clone())?;
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
        Ok(Arc::new(builder.with_root_certificates(roots).with_no_client_auth()))
    }

    /// Resident memory in MB.
    pub fn resident(&self) -> Fallible<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
        Ok(line.trim().trim_end_matches(" kB").trim().parse::<f64>()? * 1024.0 / 1e6)
    }
}
