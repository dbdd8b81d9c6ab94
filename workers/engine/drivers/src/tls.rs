//! TLS by rustls over any socket.

use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;

use loadstone_load::transport::{Dial, Transport, check_connected};
use loadstone_spec::plan;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme};
use socket2::Socket;

/// Why TLS cannot be set up as the plan asks.
#[derive(Debug, thiserror::Error)]
pub enum TlsFault {
    #[error("the server name is not a host name or address")]
    ServerName,
    #[error("no certificate can be read from ca_pem")]
    CaPem,
    #[error("{0}")]
    Config(#[from] rustls::Error),
}

/// Opens TLS sessions, all with the same configuration.
pub struct TlsDial {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

impl TlsDial {
    /// # Errors
    /// When the plan's name or certificates cannot be used.
    pub fn new(tls: &plan::Tls) -> Result<Self, TlsFault> {
        let name = ServerName::try_from(tls.server_name.clone()).map_err(|_| TlsFault::ServerName)?;
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()?;
        let config = if tls.verify_certificate {
            builder.with_root_certificates(read_roots(tls.ca_pem.as_deref())?).with_no_client_auth()
        } else {
            let trusting = Arc::new(AnyCertificate { provider });
            builder.dangerous().with_custom_certificate_verifier(trusting).with_no_client_auth()
        };
        Ok(Self { config: Arc::new(config), name })
    }
}

impl Dial for TlsDial {
    type Transport = Tls;

    fn dial(&self, socket: Socket) -> io::Result<Tls> {
        let session =
            ClientConnection::new(Arc::clone(&self.config), self.name.clone()).map_err(io::Error::other)?;
        Ok(Tls { socket, session })
    }
}

fn read_roots(ca_pem: Option<&str>) -> Result<RootCertStore, TlsFault> {
    let mut roots = RootCertStore::empty();
    match ca_pem.filter(|pem| !pem.is_empty()) {
        Some(pem) => {
            for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
                roots.add(certificate.map_err(|_| TlsFault::CaPem)?)?;
            }
            if roots.is_empty() {
                return Err(TlsFault::CaPem);
            }
        }
        None => {
            // Single files of the system's store that cannot be read do not spoil the rest of it.
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    Ok(roots)
}

/// A TLS session over a socket that does not block.
pub struct Tls {
    socket: Socket,
    session: ClientConnection,
}

impl Tls {
    /// Takes in what the socket holds. True when something came.
    fn pull(&mut self) -> io::Result<bool> {
        match self.session.read_tls(&mut self.socket) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) => {
                self.session
                    .process_new_packets()
                    .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, format!("TLS: {error}")))?;
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(error),
        }
    }
}

impl Transport for Tls {
    const SHORT_READ_MEANS_EMPTY: bool = false;

    fn secure(&mut self) -> io::Result<bool> {
        while self.session.is_handshaking() {
            self.flush()?;
            if self.session.is_handshaking() && !self.pull()? {
                break;
            }
        }
        self.flush()?;
        Ok(!self.session.is_handshaking())
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.session.reader().read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                result => return result,
            }
            if !self.pull()? {
                return Err(io::ErrorKind::WouldBlock.into());
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.session.writer().write(bytes)? {
            0 if !self.flush()? => Err(io::ErrorKind::WouldBlock.into()),
            0 => self.session.writer().write(bytes),
            count => Ok(count),
        }
    }

    fn flush(&mut self) -> io::Result<bool> {
        while self.session.wants_write() {
            match self.session.write_tls(&mut self.socket) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    fn raw_fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }

    fn check_connected(&self) -> io::Result<()> {
        check_connected(&self.socket)
    }
}

/// For `verify_certificate: false`: the session is encrypted, the peer is whoever answers.
#[derive(Debug)]
struct AnyCertificate {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
