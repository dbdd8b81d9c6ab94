//! How a password is proved to MySQL and MariaDB without being said.

use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY, SHA256};
use rsa::pkcs8::DecodePublicKey;
use rsa::rand_core::OsRng;
use rsa::{Oaep, RsaPublicKey};
use sha1::Sha1;

/// What proves the password by a method; nothing for methods that are not known. An empty password proves itself.
pub(crate) fn scramble(plugin: &[u8], password: &str, nonce: &[u8]) -> Option<Vec<u8>> {
    let is_native = match plugin {
        b"mysql_native_password" => true,
        b"caching_sha2_password" => false,
        _ => return None,
    };
    if password.is_empty() {
        return Some(Vec::new());
    }
    let algorithm = if is_native { &SHA1_FOR_LEGACY_USE_ONLY } else { &SHA256 };
    let digest = |parts: &[&[u8]]| {
        let mut context = Context::new(algorithm);
        parts.iter().for_each(|part| context.update(part));
        context.finish()
    };
    let once = digest(&[password.as_bytes()]);
    let twice = digest(&[once.as_ref()]);
    let mask = if is_native { digest(&[nonce, twice.as_ref()]) } else { digest(&[twice.as_ref(), nonce]) };
    Some(once.as_ref().iter().zip(mask.as_ref()).map(|(a, b)| a ^ b).collect())
}

/// The password for the owner of a public key (PEM): mixed with the nonce, so that it cannot be used again, and encrypted
/// by RSA with OAEP. Nothing when there is no such key.
pub(crate) fn encrypt(password: &str, nonce: &[u8], key: &[u8]) -> Option<Vec<u8>> {
    let key = RsaPublicKey::from_public_key_pem(std::str::from_utf8(key).ok()?).ok()?;
    let said = password.bytes().chain([0]);
    let mixed: Vec<u8> = said.zip(nonce.iter().cycle()).map(|(byte, mask)| byte ^ mask).collect();
    key.encrypt(&mut OsRng, Oaep::new::<Sha1>(), &mixed).ok()
}
