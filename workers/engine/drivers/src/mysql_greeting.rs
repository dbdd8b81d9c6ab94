//! Logging in to MySQL and MariaDB, and preparing statements, before the first operation.

use std::sync::Arc;

use loadstone_load::driver::{Greeted, Greeting};

use crate::mysql_packets::{self as packets, COM_QUERY, COM_STMT_PREPARE, take_packet};
use crate::mysql_password::{encrypt, scramble};

const LONG_PASSWORD: u32 = 1;
/// Counts rows that were found, also where nothing had to be changed.
const FOUND_ROWS: u32 = 1 << 1;
const LONG_FLAG: u32 = 1 << 2;
const CONNECT_WITH_DB: u32 = 1 << 3;
const PROTOCOL_41: u32 = 1 << 9;
const SSL: u32 = 1 << 11;
const TRANSACTIONS: u32 = 1 << 13;
const SECURE_CONNECTION: u32 = 1 << 15;
const PLUGIN_AUTH: u32 = 1 << 19;
const MAX_PACKET_BYTES: u32 = 1 << 30;
/// utf8mb4_general_ci, known to every server since 5.5.
const CHARACTER_SET: u8 = 45;
const OK: u8 = 0x00;
const MORE_DATA: u8 = 0x01;
const SWITCH_METHOD: u8 = 0xfe;
const ERROR: u8 = 0xff;
const FAST_LOGIN_OK: u8 = 3;
const FULL_LOGIN: u8 = 4;
const ASK_FOR_KEY: u8 = 2;

/// What every connection says of itself.
#[derive(Debug)]
pub(crate) struct Login {
    pub username: String,
    pub password: String,
    pub database: String,
    pub uses_tls: bool,
    /// Nobody can listen: TLS or a Unix socket.
    pub is_private: bool,
    /// Sent one by one once logged in.
    pub queries: Vec<String>,
    pub statements: Vec<String>,
}

/// What is sent before TLS begins.
pub(crate) fn tls_request() -> Vec<u8> {
    let mut out = Vec::new();
    let start = packets::begin(&mut out, 1);
    push_capabilities(&mut out, SSL);
    packets::end(&mut out, start);
    out
}

/// MySQL goes by what was said in the request for TLS, MariaDB by what is said after it: both must be the same.
fn push_capabilities(out: &mut Vec<u8>, more: u32) {
    let all = LONG_PASSWORD
        | FOUND_ROWS
        | LONG_FLAG
        | CONNECT_WITH_DB
        | PROTOCOL_41
        | TRANSACTIONS
        | SECURE_CONNECTION
        | PLUGIN_AUTH
        | more;
    out.extend_from_slice(&all.to_le_bytes());
    out.extend_from_slice(&MAX_PACKET_BYTES.to_le_bytes());
    out.push(CHARACTER_SET);
    out.extend_from_slice(&[0; 23]);
}

#[derive(Debug, PartialEq, Eq)]
enum Stage {
    Handshake,
    Login,
    /// The server's public key was asked for: the password must not be seen by others.
    Key,
    Query(usize),
    Statement(usize),
    /// Definitions of parameters and columns that follow a prepared statement, and the marks behind them.
    Definitions {
        statement: usize,
        left: usize,
    },
}

/// The dialogue of one connection.
#[derive(Debug)]
pub struct MySqlGreeting {
    login: Arc<Login>,
    stage: Stage,
    first_statement: u32,
    /// What the server wants proofs to be mixed with.
    nonce: Vec<u8>,
}

impl MySqlGreeting {
    pub(crate) fn new(login: &Arc<Login>) -> Self {
        Self { login: Arc::clone(login), stage: Stage::Handshake, first_statement: 0, nonce: Vec::new() }
    }

    fn answer_handshake(&mut self, payload: &[u8], out: &mut Vec<u8>) -> Option<()> {
        let version_len = memchr::memchr(0, payload.get(1..)?)?;
        let rest = payload.get(version_len + 2..)?;
        let mut nonce = rest.get(4..12)?.to_vec();
        let rest = rest.get(12 + 1 + 2 + 1 + 2 + 2 + 1 + 10..)?;
        let second_len = memchr::memchr(0, rest)?;
        nonce.extend_from_slice(&rest[..second_len]);
        let plugin = rest.get(second_len + 1..)?.split(|&byte| byte == 0).next().unwrap_or(b"");
        let login = &self.login;
        let start = packets::begin(out, if login.uses_tls { 2 } else { 1 });
        let tls = if login.uses_tls { SSL } else { 0 };
        push_capabilities(out, tls);
        out.extend_from_slice(login.username.as_bytes());
        out.push(0);
        // A method that is not known is answered as the oldest one: the server then asks for another.
        let is_known = scramble(plugin, &login.password, &nonce).is_some();
        let plugin = if is_known { plugin } else { b"mysql_native_password" };
        let token = scramble(plugin, &login.password, &nonce).unwrap_or_default();
        out.push(token.len() as u8);
        out.extend_from_slice(&token);
        out.extend_from_slice(login.database.as_bytes());
        out.push(0);
        out.extend_from_slice(plugin);
        out.push(0);
        packets::end(out, start);
        self.stage = Stage::Login;
        self.nonce = nonce;
        Some(())
    }

    /// Another method, or the next step of caching_sha2_password.
    fn answer_login(&mut self, sequence: u8, payload: &[u8], out: &mut Vec<u8>) -> Result<(), Greeted> {
        let broken = || Greeted::Broken("the login cannot be read".to_owned());
        match payload {
            [SWITCH_METHOD, rest @ ..] => {
                let name_len = memchr::memchr(0, rest).ok_or_else(broken)?;
                let (plugin, nonce) = (&rest[..name_len], &rest[name_len + 1..]);
                let nonce = nonce.strip_suffix(&[0]).unwrap_or(nonce);
                let token = scramble(plugin, &self.login.password, nonce).ok_or_else(|| {
                    let name = String::from_utf8_lossy(plugin).into_owned();
                    Greeted::Refused(format!("the server asks for {name}, which this engine does not have"))
                })?;
                self.nonce = nonce.to_vec();
                push_packet(out, sequence.wrapping_add(1), &token);
            }
            [MORE_DATA, FAST_LOGIN_OK] => {}
            [MORE_DATA, FULL_LOGIN] if self.login.is_private => {
                let password = [self.login.password.as_bytes(), &[0]].concat();
                push_packet(out, sequence.wrapping_add(1), &password);
            }
            [MORE_DATA, FULL_LOGIN] => {
                push_packet(out, sequence.wrapping_add(1), &[ASK_FOR_KEY]);
                self.stage = Stage::Key;
            }
            [MORE_DATA, key @ ..] if self.stage == Stage::Key => {
                let password = encrypt(&self.login.password, &self.nonce, key).ok_or_else(broken)?;
                push_packet(out, sequence.wrapping_add(1), &password);
                self.stage = Stage::Login;
            }
            _ => return Err(broken()),
        }
        Ok(())
    }

    /// Says what comes after the step that is done; true when nothing does.
    fn go_on(&mut self, next: Stage, out: &mut Vec<u8>) -> bool {
        let (queries, statements) = (&self.login.queries, &self.login.statements);
        self.stage = match next {
            Stage::Query(number) if number >= queries.len() => Stage::Statement(0),
            stage => stage,
        };
        match self.stage {
            Stage::Query(number) => packets::push_command(out, COM_QUERY, queries[number].as_bytes()),
            Stage::Statement(number) => match statements.get(number) {
                Some(statement) => packets::push_command(out, COM_STMT_PREPARE, statement.as_bytes()),
                None => return true,
            },
            _ => {}
        }
        false
    }

    /// MySQL numbers the statements of every connection from 1 on, MariaDB from where it likes; both count up by one.
    fn note_number(&mut self, number: u32, id: u32) -> Result<(), Greeted> {
        if number == 0 {
            self.first_statement = id;
        }
        let is_next = id == self.first_statement.wrapping_add(number);
        is_next
            .then_some(())
            .ok_or_else(|| Greeted::Broken("statements are not numbered in their order".to_owned()))
    }

    fn take(&mut self, sequence: u8, payload: &[u8], out: &mut Vec<u8>) -> Result<bool, Greeted> {
        let broken = |what: &str| Greeted::Broken(format!("{what} cannot be read"));
        if payload.first() == Some(&ERROR) {
            return Err(Greeted::Refused(packets::describe_error(payload)));
        }
        match self.stage {
            Stage::Handshake => {
                if payload.first() != Some(&10) {
                    return Err(broken("the handshake"));
                }
                self.answer_handshake(payload, out).ok_or_else(|| broken("the handshake"))?;
                Ok(false)
            }
            Stage::Login if payload.first() == Some(&OK) => Ok(self.go_on(Stage::Query(0), out)),
            Stage::Login | Stage::Key => self.answer_login(sequence, payload, out).map(|()| false),
            Stage::Query(number) if payload.first() == Some(&OK) => {
                Ok(self.go_on(Stage::Query(number + 1), out))
            }
            Stage::Statement(number) => {
                let [OK, a, b, c, d, columns, _, params, ..] = payload else {
                    return Err(broken("a prepared statement"));
                };
                self.note_number(number as u32, u32::from_le_bytes([*a, *b, *c, *d]))?;
                let params = u16::from_le_bytes([*params, payload.get(8).copied().unwrap_or(0)]);
                let marks = usize::from(*columns > 0) + usize::from(params > 0);
                match usize::from(*columns) + usize::from(params) + marks {
                    0 => Ok(self.go_on(Stage::Statement(number + 1), out)),
                    left => {
                        self.stage = Stage::Definitions { statement: number, left };
                        Ok(false)
                    }
                }
            }
            Stage::Definitions { statement, left: 1 } => Ok(self.go_on(Stage::Statement(statement + 1), out)),
            Stage::Definitions { statement, left } => {
                self.stage = Stage::Definitions { statement, left: left - 1 };
                Ok(false)
            }
            Stage::Query(_) => Err(broken("the answer to a statement of the greeting")),
        }
    }
}

impl Greeting for MySqlGreeting {
    /// The number of the first prepared statement.
    fn session(&self) -> u64 {
        self.first_statement.into()
    }

    fn advance(&mut self, input: &[u8], out: &mut Vec<u8>) -> Greeted {
        let Some((sequence, payload)) = take_packet(input) else {
            let is_long = input.len() >= 3 && input[2] != 0;
            return if is_long {
                Greeted::Broken("a packet too long for a greeting".to_owned())
            } else {
                Greeted::More { used: 0 }
            };
        };
        let used = packets::HEAD_BYTES + payload.len();
        match self.take(sequence, payload, out) {
            Ok(true) => Greeted::Ready { used },
            Ok(false) => Greeted::More { used },
            Err(said) => said,
        }
    }
}

fn push_packet(out: &mut Vec<u8>, sequence: u8, payload: &[u8]) {
    let start = packets::begin(out, sequence);
    out.extend_from_slice(payload);
    packets::end(out, start);
}
