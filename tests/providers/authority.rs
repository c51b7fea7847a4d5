//! An endpoint whose certificate was issued by a private authority (`ca/`: made for these tests, its key thrown away).

use std::sync::Arc;
use std::time::Duration;

use ctxmem_server::extract::{ExtractError, Model};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::support::{config, found, good_facts};

const AUTHORITY: &[u8] = include_bytes!("ca/authority.pem");

fn acceptor() -> TlsAcceptor {
    let certificate = CertificateDer::from_pem_slice(include_bytes!("ca/endpoint.pem"));
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("ca/endpoint.key"));
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions of TLS")
        .with_no_client_auth()
        .with_single_cert(
            vec![certificate.expect("a certificate")],
            key.expect("a key"),
        )
        .expect("a configuration");
    TlsAcceptor::from(Arc::new(config))
}

/// An endpoint for clients that trust the certificate; answers its address.
async fn endpoint() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let acceptor = acceptor();
    let answer =
        json!({"choices": [{"message": {"content": good_facts().to_string()}}]}).to_string();
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{answer}",
        answer.len()
    );
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else {
                continue;
            };
            let mut request = vec![0; 64 * 1024];
            let _ = stream.read(&mut request).await;
            let _ = stream.write_all(answer.as_bytes()).await;
            let _ = stream.shutdown().await;
        }
    });
    format!("https://{address}/v1")
}

async fn asked_with(ca: Option<&[u8]>) -> Result<usize, ExtractError> {
    let mut config = config(&endpoint().await, Duration::from_secs(5));
    config.ca = ca.map(<[u8]>::to_vec);
    let model = Model::new(config)?;
    found(&model).await
}

#[tokio::test]
async fn an_authority_of_ones_own_is_trusted_when_it_is_named() {
    assert_eq!(asked_with(Some(AUTHORITY)).await, Ok(2));
}

#[tokio::test]
async fn nobody_else_vouches_for_it() {
    assert_eq!(asked_with(None).await, Err(ExtractError::Unreachable));
}

#[tokio::test]
async fn what_is_no_certificate_is_refused_at_once() {
    let broken = b"-----BEGIN CERTIFICATE-----\nnot base64\n-----END CERTIFICATE-----\n";
    assert_eq!(asked_with(Some(broken)).await, Err(ExtractError::Request));
}
