//! TLS by rustls over any socket.

use std::io::{self, Read, Write};
use std::sync::Arc;

use loadstone_load::transport::{Dial, Layer, Wire};
use loadstone_spec::plan::{self, StoreProtocol};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme};
use socket2::Socket;

use crate::mysql_greeting::tls_request;
use crate::mysql_packets::{HEAD_BYTES, take_packet};

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

/// What is said in plain before TLS begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prelude {
    Nothing,
    /// The server shakes hands first and the client then asks for TLS. What the server said is read again by the
    /// greeting.
    MySql,
    /// The client asks and the server says S for yes.
    Postgres,
}

impl Prelude {
    /// The one that a protocol has.
    pub fn of(protocol: StoreProtocol) -> Self {
        match protocol {
            StoreProtocol::Mysql | StoreProtocol::MysqlText => Self::MySql,
            StoreProtocol::Postgres | StoreProtocol::PostgresSimple => Self::Postgres,
            _ => Self::Nothing,
        }
    }
}

/// Length 8 and the code that stands for TLS.
const POSTGRES_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];
/// Handshakes are some hundred bytes long.
const MAX_PRELUDE_BYTES: usize = 4096;

/// Opens TLS sessions, all with the same configuration.
pub struct TlsDial {
    prelude: Prelude,
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

impl TlsDial {
    /// # Errors
    /// When the plan's name or certificates cannot be used.
    pub fn new(tls: &plan::Tls, prelude: Prelude) -> Result<Self, TlsFault> {
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
        Ok(Self { prelude, config: Arc::new(config), name })
    }
}

impl Dial for TlsDial {
    fn is_bare(&self) -> bool {
        false
    }

    fn dial(&self, socket: Socket) -> io::Result<Wire> {
        let session =
            ClientConnection::new(Arc::clone(&self.config), self.name.clone()).map_err(io::Error::other)?;
        let tls = Tls { socket, session, prelude: self.prelude, plain: Vec::new(), is_asked: false };
        Ok(Wire::Layered(Box::new(tls)))
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
struct Tls {
    socket: Socket,
    session: ClientConnection,
    /// What is still to be said before TLS.
    prelude: Prelude,
    /// What the peer said before TLS and the greeting is still to read.
    plain: Vec<u8>,
    is_asked: bool,
}

impl Tls {
    /// Goes on with what precedes TLS; true once TLS may begin.
    fn go_through_prelude(&mut self) -> io::Result<bool> {
        if self.prelude == Prelude::Postgres && !self.is_asked {
            self.is_asked = true;
            (&self.socket).write_all(&POSTGRES_REQUEST)?;
        }
        while self.prelude != Prelude::Nothing {
            let mut byte = [0; 1];
            match (&self.socket).read(&mut byte) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(_) => self.plain.push(byte[0]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
            let refused = |what: &str| Err(io::Error::new(io::ErrorKind::InvalidData, what.to_owned()));
            match self.prelude {
                Prelude::Postgres if self.plain == *b"S" => self.plain.clear(),
                Prelude::Postgres => return refused("TLS: the server does not offer it"),
                _ if self.plain.len() > MAX_PRELUDE_BYTES => return refused("TLS: no handshake came first"),
                _ if take_packet(&self.plain).is_none() => continue,
                _ if self.plain.get(HEAD_BYTES) != Some(&10) => {
                    return refused("TLS: no handshake came first");
                }
                _ => (&self.socket).write_all(&tls_request())?,
            }
            self.prelude = Prelude::Nothing;
        }
        Ok(true)
    }

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

impl Layer for Tls {
    fn secure(&mut self) -> io::Result<bool> {
        if !self.go_through_prelude()? {
            return Ok(false);
        }
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
        if !self.plain.is_empty() {
            let len = self.plain.len().min(buffer.len());
            buffer[..len].copy_from_slice(&self.plain[..len]);
            self.plain.drain(..len);
            return Ok(len);
        }
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

    fn socket(&self) -> &Socket {
        &self.socket
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
