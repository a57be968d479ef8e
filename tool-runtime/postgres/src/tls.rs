//! TLS by rustls, with the server's certificate verified.

use std::net::IpAddr;
use std::sync::Arc;

use rustls::crypto::aws_lc_rs;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;
use tool_runtime_core::store::StoreError;

use crate::error::unavailable;

/// Requires TLS of a server on another machine, unless the URL has `sslmode=disable`.
///
/// The driver's default, `prefer`, would send a password in the clear to a server, or to a machine on the way,
/// that says it has no TLS.
pub(crate) fn require_tls(config: &mut Config) {
    if config.get_ssl_mode() != SslMode::Prefer {
        return;
    }
    let is_local = config.get_hosts().iter().all(is_local);
    config.ssl_mode(if is_local { SslMode::Disable } else { SslMode::Require });
}

fn is_local(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

/// Makes the connector: it trusts these certificates in PEM, or else those of the operating system.
pub(crate) fn connector(roots: Option<&[u8]>) -> Result<MakeRustlsConnect, StoreError> {
    let invalid = |error: &dyn std::fmt::Display| unavailable(format!("TLS: {error}"));
    let builder = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| invalid(&error))?;
    let builder = match roots {
        None => builder.with_platform_verifier().map_err(|error| invalid(&error))?,
        Some(pem) => builder.with_root_certificates(root_store(pem)?),
    };
    Ok(MakeRustlsConnect::new(builder.with_no_client_auth()))
}

fn root_store(pem: &[u8]) -> Result<RootCertStore, StoreError> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate =
            certificate.map_err(|error| unavailable(format!("the root certificates: {error}")))?;
        roots
            .add(certificate)
            .map_err(|error| unavailable(format!("the root certificates: {error}")))?;
    }
    if roots.is_empty() {
        return Err(unavailable("the root certificates: expected at least one certificate in PEM"));
    }
    Ok(roots)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ssl_mode(url: &str) -> SslMode {
        let mut config: Config = url.parse().expect("a URL");
        require_tls(&mut config);
        config.get_ssl_mode()
    }

    #[test]
    fn another_machine_needs_tls_unless_the_url_says_otherwise() {
        let modes = [
            ("postgres://ada@127.0.0.1/tools", SslMode::Disable),
            ("postgres://ada@localhost/tools", SslMode::Disable),
            ("postgres://ada@[::1]/tools", SslMode::Disable),
            ("host=/run/postgresql user=ada", SslMode::Disable),
            ("postgres://ada@db.example/tools", SslMode::Require),
            ("postgres://ada@localhost,db.example/tools", SslMode::Require),
            ("postgres://ada@db.example/tools?sslmode=prefer", SslMode::Require),
            ("postgres://ada@db.example/tools?sslmode=disable", SslMode::Disable),
            ("postgres://ada@localhost/tools?sslmode=require", SslMode::Require),
        ];
        for (url, mode) in modes {
            assert_eq!(ssl_mode(url), mode, "{url}");
        }
    }

    #[test]
    fn root_certificates_must_be_pem() {
        for pem in
            ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
        {
            let error = connector(Some(pem.as_bytes())).err().expect("no root");
            assert!(error.log().starts_with("the root certificates: "), "{error}");
        }
    }
}
