//! Logging in to PostgreSQL, and preparing statements, before the first operation.

use std::sync::Arc;

use loadstone_load::driver::{Greeted, Greeting};
use md5::{Digest, Md5};

use crate::scram::Scram;

const AUTHENTICATED: u32 = 0;
const ASKS_FOR_TEXT: u32 = 3;
const ASKS_FOR_MD5: u32 = 5;
const ASKS_FOR_SASL: u32 = 10;
const SASL_CONTINUES: u32 = 11;
const SASL_ENDS: u32 = 12;
/// Version 3.0.
const PROTOCOL: u32 = 196_608;
/// Longer messages than this belong to no greeting.
const MAX_MESSAGE_BYTES: usize = 15_000;

/// What every connection says of itself.
#[derive(Debug)]
pub(crate) struct Login {
    pub username: String,
    pub password: String,
    pub database: String,
    /// Nobody can listen: TLS or a Unix socket.
    pub is_private: bool,
    /// Sent one by one once logged in.
    pub queries: Vec<String>,
    /// Prepared under the names s0, s1 ...
    pub statements: Vec<String>,
}

/// The dialogue of one connection.
#[derive(Debug)]
pub struct PostgresGreeting {
    login: Arc<Login>,
    scram: Scram,
    /// How many of the queries have been sent; one more stands for all statements.
    sent: usize,
}

/// Appends a message; its length is written behind `kind`.
#[inline]
pub(crate) fn push_message(out: &mut Vec<u8>, kind: u8, fill: impl FnOnce(&mut Vec<u8>)) {
    out.push(kind);
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    fill(out);
    let len = (out.len() - start) as u32;
    out[start..start + 4].copy_from_slice(&len.to_be_bytes());
}

pub(crate) fn push_text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
    out.push(0);
}

impl PostgresGreeting {
    pub(crate) fn begin(login: &Arc<Login>, out: &mut Vec<u8>) -> Self {
        let start = out.len();
        push_message(out, 0, |out| {
            out.extend_from_slice(&PROTOCOL.to_be_bytes());
            for (name, value) in [("user", &login.username), ("database", &login.database)] {
                push_text(out, name);
                push_text(out, value);
            }
            out.push(0);
        });
        // The first message alone has no kind.
        out.remove(start);
        Self { login: Arc::clone(login), scram: Scram::new(""), sent: 0 }
    }

    fn authenticate(&mut self, payload: &[u8], out: &mut Vec<u8>) -> Result<(), Greeted> {
        let broken = || Greeted::Broken("the login cannot be read".to_owned());
        let (kind, rest) = payload.split_first_chunk::<4>().ok_or_else(broken)?;
        let text = String::from_utf8_lossy(rest);
        match u32::from_be_bytes(*kind) {
            AUTHENTICATED => {}
            ASKS_FOR_TEXT if self.login.is_private => {
                push_message(out, b'p', |out| push_text(out, &self.login.password));
            }
            ASKS_FOR_TEXT => {
                let message = "the server asks for the password as it is: use TLS or a Unix socket";
                return Err(Greeted::Refused(message.to_owned()));
            }
            ASKS_FOR_MD5 => {
                let Login { username, password, .. } = &*self.login;
                let proof = prove_by_md5(username, password, rest);
                push_message(out, b'p', |out| push_text(out, &proof));
            }
            ASKS_FOR_SASL if text.split('\0').any(|method| method == "SCRAM-SHA-256") => {
                let first = self.scram.first();
                push_message(out, b'p', |out| {
                    push_text(out, "SCRAM-SHA-256");
                    out.extend_from_slice(&(first.len() as u32).to_be_bytes());
                    out.extend_from_slice(first.as_bytes());
                });
            }
            SASL_CONTINUES => {
                let proof = self.scram.prove(&text, &self.login.password).ok_or_else(broken)?;
                push_message(out, b'p', |out| out.extend_from_slice(proof.as_bytes()));
            }
            SASL_ENDS if self.scram.trusts(&text) => {}
            SASL_ENDS => return Err(Greeted::Refused("the server does not know the password".to_owned())),
            other => {
                let message = format!("the server asks for a login that this engine does not have ({other})");
                return Err(Greeted::Refused(message));
            }
        }
        Ok(())
    }

    /// The server waits: true when nothing is left to be said.
    fn go_on(&mut self, out: &mut Vec<u8>) -> bool {
        let Login { queries, statements, .. } = &*self.login;
        let at = self.sent;
        self.sent += 1;
        if let Some(query) = queries.get(at) {
            push_message(out, b'Q', |out| push_text(out, query));
            return false;
        }
        if at > queries.len() || statements.is_empty() {
            return true;
        }
        for (number, statement) in statements.iter().enumerate() {
            push_message(out, b'P', |out| {
                push_text(out, &format!("s{number}"));
                push_text(out, statement);
                out.extend_from_slice(&[0, 0]);
            });
        }
        push_message(out, b'S', |_| {});
        false
    }
}

/// `md5` and the digest of the salt behind the digest of password and name, as PostgreSQL's protocol says (section 55.2).
fn prove_by_md5(username: &str, password: &str, salt: &[u8]) -> String {
    let hex = |parts: [&[u8]; 2]| {
        let digest = parts.iter().fold(Md5::new(), |digest, part| digest.chain_update(part)).finalize();
        digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    let inner = hex([password.as_bytes(), username.as_bytes()]);
    format!("md5{}", hex([inner.as_bytes(), salt]))
}

impl Greeting for PostgresGreeting {
    fn advance(&mut self, input: &[u8], out: &mut Vec<u8>) -> Greeted {
        let Some((head, rest)) = input.split_first_chunk::<5>() else { return Greeted::More { used: 0 } };
        let len = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if !(4..MAX_MESSAGE_BYTES).contains(&len) {
            return Greeted::Broken("no message of PostgreSQL".to_owned());
        }
        let Some(payload) = rest.get(..len - 4) else { return Greeted::More { used: 0 } };
        let used = 1 + len;
        match head[0] {
            b'R' => match self.authenticate(payload, out) {
                Ok(()) => Greeted::More { used },
                Err(said) => said,
            },
            b'E' => Greeted::Refused(describe_error(payload)),
            b'Z' if self.go_on(out) => Greeted::Ready { used },
            b'Z' | b'S' | b'K' | b'N' | b'C' | b'1' | b'v' => Greeted::More { used },
            _ => Greeted::Broken("no message of a greeting".to_owned()),
        }
    }
}

/// Fields of a letter and a text each; `M` is for people.
pub(crate) fn describe_error(payload: &[u8]) -> String {
    let fields = payload.split(|&byte| byte == 0).filter_map(|field| field.strip_prefix(b"M"));
    fields.map(|text| String::from_utf8_lossy(text).into_owned()).next().unwrap_or_default()
}
