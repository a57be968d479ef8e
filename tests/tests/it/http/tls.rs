//! HTTPS: what a client sees of the certificate, over both versions of HTTP.

use std::fs;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Version};
use axum::routing::get;
use http_body_util::BodyExt;
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tool_runtime::http::{Drain, ServeErrorKind, Server, Tls};

use super::wire::{Running, TINY, Wire, patient, soon};
use crate::sqlite::Folder;

/// A self-signed certificate with its key.
struct Identity {
    der: CertificateDer<'static>,
    chain: String,
    key: String,
}

impl Identity {
    fn new() -> Self {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let (chain, key) = (cert.pem(), signing_key.serialize_pem());
        Self { der: cert.der().clone(), chain, key }
    }

    fn tls(&self) -> Tls {
        Tls::pem(self.chain.as_bytes(), self.key.as_bytes()).unwrap()
    }

    /// Shakes hands with a server that has to be this one.
    async fn connect(
        &self,
        server: &Running,
        protocol: &str,
    ) -> std::io::Result<TlsStream<TcpStream>> {
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone()).unwrap();
        let mut config =
            ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = vec![protocol.into()];
        let stream = TcpStream::connect(server.address).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        soon(TlsConnector::from(Arc::new(config)).connect(name, stream)).await
    }
}

async fn serve(tls: &Tls) -> Running {
    let drain = Drain::default();
    let greet = get(|request: Request<Body>| async move { format!("{:?}", request.version()) });
    let app = Router::new().route("/", greet);
    let mut limits = patient();
    limits.handshake_timeout = TINY * 20;
    Running::of(Server::new(app, drain.clone()).limits(limits).tls(tls), drain).await
}

#[tokio::test]
async fn both_versions_of_http_are_spoken_behind_the_certificate() {
    let identity = Identity::new();
    let server = serve(&identity.tls()).await;
    let stream = identity.connect(&server, "http/1.1").await.unwrap();
    assert_eq!(Wire::new(stream).get("/").await.body, "HTTP/1.1");

    let stream = identity.connect(&server, "h2").await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let mut client = Wire::new(stream).http2().await;
    let request = Request::get("https://localhost/").body(Body::empty()).unwrap();
    let answer = soon(client.send_request(request)).await.unwrap();
    assert_eq!(answer.version(), Version::HTTP_2);
    assert_eq!(answer.into_body().collect().await.unwrap().to_bytes(), "HTTP/2.0");
}

#[tokio::test]
async fn a_renewed_certificate_is_shown_to_new_connections_alone() {
    let (folder, old, new) = (Folder::new(), Identity::new(), Identity::new());
    let (chain, key) = (folder.0.join("chain.pem"), folder.0.join("key.pem"));
    let write = |identity: &Identity| {
        fs::write(&chain, &identity.chain).unwrap();
        fs::write(&key, &identity.key).unwrap();
    };
    write(&old);
    let tls = Tls::files(&chain, &key).unwrap();
    let server = serve(&tls).await;
    let mut wire = Wire::new(old.connect(&server, "http/1.1").await.unwrap());
    write(&new);
    tls.reload().await.unwrap();
    assert_eq!(wire.get("/").await.status, 200);
    assert!(new.connect(&server, "http/1.1").await.is_ok());
    assert!(old.connect(&server, "http/1.1").await.is_err());

    // An unusable key leaves the old certificate in use.
    fs::write(&key, &old.key).unwrap();
    tls.reload().await.unwrap_err();
    tls.replace(b"", b"").unwrap_err();
    assert!(new.connect(&server, "http/1.1").await.is_ok());
}

#[test]
fn an_unusable_key_or_certificate_file_is_refused_and_named() {
    let (folder, one, other) = (Folder::new(), Identity::new(), Identity::new());
    let file = |name: &str, text: &str| {
        let path = folder.0.join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let (chain, key) = (file("chain.pem", &one.chain), file("key.pem", &one.key));
    let (wrong, empty) = (file("wrong.pem", &other.key), file("empty.pem", ""));
    let missing = folder.0.join("missing.pem");
    let check = |chain, key, words: &[&str]| {
        let error = Tls::files(chain, key).unwrap_err();
        assert_eq!(error.kind(), ServeErrorKind::Tls);
        let text = error.to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
        assert!(!text.contains("PRIVATE"), "{text}");
    };
    check(&chain, &wrong, &["wrong.pem", "chain.pem", "does not belong"]);
    check(&chain, &missing, &["missing.pem", "expected a PEM file"]);
    check(&missing, &key, &["missing.pem"]);
    check(&empty, &key, &["empty.pem", "has no certificate"]);
    check(&chain, &empty, &["empty.pem", "has no usable key", "not encrypted"]);
    check(&key, &key, &["key.pem", "has no certificate"]);
    assert!(KeyPair::from_pem(&one.key).is_ok(), "the key itself is good");
}

#[tokio::test]
async fn a_peer_that_does_not_shake_hands_is_let_go() {
    let server = serve(&Identity::new().tls()).await;
    server.connect().await.closed().await;
    let mut plain = server.connect().await;
    plain.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    plain.closed().await;
}
