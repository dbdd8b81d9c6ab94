//! `hello`, SCRAM-SHA-256 and, for the first connection, an index.

use std::sync::Arc;

use loadstone_load::driver::{Greeted, Greeting};

use crate::bson::{self, Writer};
use crate::scram::Scram;

pub(crate) const HEAD_BYTES: usize = 16;
const OP_MSG: u32 = 2013;
/// Longer messages than this belong to no greeting.
const MAX_MESSAGE_BYTES: usize = 15_000;

/// Appends a message with one document.
#[inline]
pub(crate) fn push_message(out: &mut Vec<u8>, fill: impl FnOnce(&mut Writer<'_>)) {
    let start = out.len();
    out.extend_from_slice(&[0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    out.extend_from_slice(&OP_MSG.to_le_bytes());
    // No flags, and a section of one document.
    out.extend_from_slice(&[0; 5]);
    Writer { out }.root(fill);
    let len = (out.len() - start) as u32;
    out[start..start + 4].copy_from_slice(&len.to_le_bytes());
}

/// How long the message is whose head stands at the start; nothing when it is no reply.
pub(crate) fn message_len(head: &[u8; HEAD_BYTES + 5]) -> Option<usize> {
    let len = bson::len_at(head)?;
    let is_reply = head[12..16] == OP_MSG.to_le_bytes() && head[20] == 0;
    (is_reply && len > HEAD_BYTES + 10).then_some(len)
}

/// What every connection says of itself.
#[derive(Debug)]
pub(crate) struct Login {
    pub credentials: Option<(String, String)>,
    pub database: String,
    /// The collection of lists, where they are used.
    pub lists: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Hello,
    Proof,
    Trust,
    Index,
}

/// The dialogue of one connection.
#[derive(Debug)]
pub struct MongoGreeting {
    login: Arc<Login>,
    scram: Scram,
    stage: Stage,
    makes_index: bool,
}

impl MongoGreeting {
    pub(crate) fn begin(login: &Arc<Login>, is_scout: bool, out: &mut Vec<u8>) -> Self {
        push_message(out, |w| {
            w.int32("hello", 1);
            w.string("$db", "admin");
        });
        let username = login.credentials.as_ref().map_or("", |(name, _)| name);
        Self {
            scram: Scram::new(username),
            login: Arc::clone(login),
            stage: Stage::Hello,
            makes_index: is_scout && login.lists.is_some(),
        }
    }

    /// Reads what the reply says and says the next thing; true when nothing is left to be said.
    fn take(&mut self, reply: &[u8], out: &mut Vec<u8>) -> Result<bool, Greeted> {
        let ok = bson::find(reply, "ok").and_then(|(kind, bytes)| bson::number(kind, bytes));
        if ok != Some(1.0) {
            let text = bson::find(reply, "errmsg").map_or(&[][..], |(_, bytes)| bytes);
            let text = String::from_utf8_lossy(text.get(4..).unwrap_or(&[])).into_owned();
            return Err(Greeted::Refused(text.trim_end_matches('\0').to_owned()));
        }
        let broken = || Greeted::Broken("the login cannot be read".to_owned());
        let said =
            bson::find(reply, "payload").and_then(|(_, bytes)| std::str::from_utf8(bytes.get(5..)?).ok());
        let conversation =
            bson::find(reply, "conversationId").and_then(|(kind, bytes)| bson::number(kind, bytes));
        match (self.stage, &self.login.credentials) {
            (Stage::Hello, Some(_)) => {
                self.start_login(out);
                Ok(false)
            }
            (Stage::Proof, Some((_, password))) => {
                let proof = said.and_then(|said| self.scram.prove(said, password)).ok_or_else(broken)?;
                push_message(out, |w| {
                    w.int32("saslContinue", 1);
                    w.int32("conversationId", conversation.unwrap_or(1.0) as i32);
                    w.binary_of("payload", |out| out.extend_from_slice(proof.as_bytes()));
                    w.string("$db", "admin");
                });
                self.stage = Stage::Trust;
                Ok(false)
            }
            (Stage::Trust, _) if !said.is_some_and(|said| self.scram.trusts(said)) => {
                Err(Greeted::Refused("the server does not know the password".to_owned()))
            }
            (Stage::Index, _) => Ok(true),
            _ => Ok(self.make_index(out)),
        }
    }

    fn start_login(&mut self, out: &mut Vec<u8>) {
        let first = self.scram.first();
        push_message(out, |w| {
            w.int32("saslStart", 1);
            w.string("mechanism", "SCRAM-SHA-256");
            w.binary_of("payload", |out| out.extend_from_slice(first.as_bytes()));
            w.document("options", |w| w.yes("skipEmptyExchange"));
            w.string("$db", "admin");
        });
        self.stage = Stage::Proof;
    }

    fn make_index(&mut self, out: &mut Vec<u8>) -> bool {
        let Some(lists) = self.login.lists.as_ref().filter(|_| self.makes_index) else { return true };
        push_message(out, |w| {
            w.string("createIndexes", lists);
            w.array("indexes", |w| {
                w.document("0", |w| {
                    w.document("key", |w| {
                        w.int32("k", 1);
                        w.int32("s", 1);
                    });
                    w.string("name", "k_s");
                });
            });
            w.string("$db", &self.login.database);
        });
        self.stage = Stage::Index;
        false
    }
}

impl Greeting for MongoGreeting {
    fn advance(&mut self, input: &[u8], out: &mut Vec<u8>) -> Greeted {
        let Some(head) = input.first_chunk() else { return Greeted::More { used: 0 } };
        let Some(len) = message_len(head).filter(|&len| len <= MAX_MESSAGE_BYTES) else {
            return Greeted::Broken("no message of MongoDB".to_owned());
        };
        let Some(message) = input.get(..len) else { return Greeted::More { used: 0 } };
        match self.take(&message[HEAD_BYTES + 5..], out) {
            Ok(true) => Greeted::Ready { used: len },
            Ok(false) => Greeted::More { used: len },
            Err(said) => said,
        }
    }
}
