//! SCRAM-SHA-256 (RFC 5802 and 7677), the client's side, without channel binding.

use std::num::NonZeroU32;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};
use ring::{hmac, pbkdf2};

/// More rounds than any server asks for; a hostile one must not keep the engine busy.
const MAX_ROUNDS: u32 = 1_000_000;
const KEY_BYTES: usize = 32;

/// One login under way.
#[derive(Debug)]
pub(crate) struct Scram {
    nonce: String,
    first_bare: String,
    server_signature: Vec<u8>,
}

impl Scram {
    /// `username` is empty where the server knows it already (PostgreSQL).
    pub(crate) fn new(username: &str) -> Self {
        let mut random = [0u8; 18];
        // Without randomness the login still proves the password, to a server that chooses its own half.
        let _ = SystemRandom::new().fill(&mut random);
        Self::with_nonce(username, STANDARD.encode(random))
    }

    fn with_nonce(username: &str, nonce: String) -> Self {
        let name = username.replace('=', "=3D").replace(',', "=2C");
        Self { first_bare: format!("n={name},r={nonce}"), nonce, server_signature: Vec::new() }
    }

    /// What the client says first.
    pub(crate) fn first(&self) -> String {
        format!("n,,{}", self.first_bare)
    }

    /// Answers the server's first message; nothing when it cannot be read.
    pub(crate) fn prove(&mut self, server_first: &str, password: &str) -> Option<String> {
        let field = |name: &str| server_first.split(',').find_map(|part| part.strip_prefix(name));
        let nonce = field("r=").filter(|nonce| nonce.starts_with(&self.nonce))?;
        let salt = STANDARD.decode(field("s=")?).ok()?;
        let rounds = field("i=")?.parse::<u32>().ok().filter(|&rounds| rounds <= MAX_ROUNDS)?;
        let mut salted = [0; KEY_BYTES];
        let rounds = NonZeroU32::new(rounds)?;
        pbkdf2::derive(pbkdf2::PBKDF2_HMAC_SHA256, rounds, &salt, password.as_bytes(), &mut salted);
        let client_key = sign(&salted, b"Client Key");
        let stored_key = digest(&SHA256, client_key.as_ref());
        let bare = format!("c=biws,r={nonce}");
        let all = format!("{},{server_first},{bare}", self.first_bare);
        let signature = sign(stored_key.as_ref(), all.as_bytes());
        let proof: Vec<u8> = client_key.as_ref().iter().zip(signature.as_ref()).map(|(a, b)| a ^ b).collect();
        let server_key = sign(&salted, b"Server Key");
        self.server_signature = sign(server_key.as_ref(), all.as_bytes()).as_ref().to_vec();
        Some(format!("{bare},p={}", STANDARD.encode(proof)))
    }

    /// Whether the server has proved that it knows the password too.
    pub(crate) fn trusts(&self, server_final: &str) -> bool {
        let signature = server_final.split(',').find_map(|part| part.strip_prefix("v="));
        let known = signature.and_then(|text| STANDARD.decode(text).ok());
        !self.server_signature.is_empty() && known.is_some_and(|bytes| bytes == self.server_signature)
    }
}

fn sign(key: &[u8], message: &[u8]) -> hmac::Tag {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_rfc_7677_is_proved_and_its_server_trusted() {
        let mut scram = Scram::with_nonce("user", "rOprNGfwEbeRWgbNEkqO".to_owned());
        assert_eq!(scram.first(), "n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
        let server_first =
            "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
        let proof = scram.prove(server_first, "pencil").unwrap();
        assert!(proof.ends_with("p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="), "{proof}");
        assert!(scram.trusts("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="));
        assert!(!scram.trusts("v=AAAA") && !scram.trusts(""));
        assert!(scram.prove("r=other,s=W22Z,i=1", "pencil").is_none());
    }
}
