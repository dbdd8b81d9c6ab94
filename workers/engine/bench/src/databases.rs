//! The dialects of databases: MySQL, PostgreSQL, MongoDB. Everybody is let in, every table is empty.

use crate::dialect::{Found, Talk};

const COM_QUERY: u8 = 3;
const COM_STMT_PREPARE: u8 = 22;

fn packet(sequence: u8, payload: &[u8]) -> Vec<u8> {
    let len = payload.len() as u32;
    [&len.to_le_bytes()[..3], &[sequence], payload].concat()
}

/// The handshake of version 10, which asks for mysql_native_password.
pub(crate) fn mysql_hello() -> Vec<u8> {
    let mut payload = b"\x0a8.0.0-programmed\0".to_vec();
    payload.extend_from_slice(&1u32.to_le_bytes());
    payload.extend_from_slice(b"01234567\0");
    payload.extend_from_slice(&[0xff, 0xf7, 45, 2, 0, 0xff, 0x81, 21]);
    payload.extend_from_slice(&[0; 10]);
    payload.extend_from_slice(b"012345678901\0mysql_native_password\0");
    packet(0, &payload)
}

fn mysql_ok(sequence: u8) -> Vec<u8> {
    packet(sequence, &[0, 0, 0, 2, 0, 0, 0])
}

pub(crate) fn find_mysql(talk: &mut Talk, input: &[u8]) -> Option<Found> {
    let head = input.first_chunk::<4>()?;
    let used = 4 + u32::from_le_bytes([head[0], head[1], head[2], 0]) as usize;
    let payload = input.get(4..used)?;
    match (head[3], payload.split_first()) {
        // The login alone does not begin a dialogue.
        (1.., _) => Found::greeting(used, mysql_ok(head[3] + 1)),
        (_, Some((&COM_STMT_PREPARE, _))) => {
            talk.statements += 1;
            let id = talk.statements.to_le_bytes();
            Found::greeting(used, packet(1, &[&[0][..], &id, &[0; 7]].concat()))
        }
        (_, Some((&COM_QUERY, text))) if !text.starts_with(b"SELECT") => Found::greeting(used, mysql_ok(1)),
        _ => Found::operation(used),
    }
}

/// One column and no row.
pub(crate) fn mysql_miss() -> Vec<u8> {
    let end = [0xfe, 0, 0, 2, 0];
    [packet(1, &[1]), packet(2, b"\x03def"), packet(3, &end), packet(4, &end)].concat()
}

fn message(kind: u8, payload: &[u8]) -> Vec<u8> {
    [&[kind][..], &(payload.len() as u32 + 4).to_be_bytes(), payload].concat()
}

pub(crate) fn find_postgres(talk: &mut Talk, input: &[u8]) -> Option<Found> {
    let ready = message(b'Z', b"I");
    if !talk.is_begun {
        let used = u32::from_be_bytes(*input.first_chunk()?) as usize;
        input.get(..used.max(8))?;
        talk.is_begun = true;
        return Found::greeting(used, [message(b'R', &[0; 4]), ready].concat());
    }
    let (mut used, mut parsed, mut executed) = (0, 0, 0);
    loop {
        let (kind, len) = (*input.get(used)?, input.get(used + 1..)?.first_chunk()?);
        let end = used + 1 + u32::from_be_bytes(*len) as usize;
        let payload = input.get(used + 5..end)?;
        used = end;
        match kind {
            b'P' => parsed += 1,
            b'E' => executed += 1,
            b'Q' if payload.starts_with(b"SELECT") => return Found::operation(used),
            b'Q' => return Found::greeting(used, [message(b'C', b"CREATE TABLE\0"), ready].concat()),
            b'S' if executed > 0 => return Found::operation(used),
            b'S' => return Found::greeting(used, [message(b'1', &[]).repeat(parsed), ready].concat()),
            _ => {}
        }
    }
}

/// Without the row description, which no request of the engine asks for.
pub(crate) fn postgres_miss() -> Vec<u8> {
    [message(b'C', b"SELECT 0\0"), message(b'Z', b"I")].concat()
}

/// Messages of one document.
pub(crate) struct Mongo;

impl Mongo {
    const OP_MSG: u32 = 2013;
    const HEAD_BYTES: usize = 21;

    fn message(fields: &[u8]) -> Vec<u8> {
        let document = [&(fields.len() as u32 + 5).to_le_bytes()[..], fields, &[0]].concat();
        let len = (Self::HEAD_BYTES + document.len()) as u32;
        let head = [len, 1, 1, Self::OP_MSG, 0].map(u32::to_le_bytes).concat();
        [&head[..], &[0], &document].concat()
    }

    fn ok() -> Vec<u8> {
        [b"\x01ok\0", &1f64.to_le_bytes()[..]].concat()
    }

    pub(crate) fn find(input: &[u8]) -> Option<Found> {
        let used = u32::from_le_bytes(*input.first_chunk()?) as usize;
        let document = input.get(..used.max(Self::HEAD_BYTES))?.get(Self::HEAD_BYTES..)?;
        match document.get(5..) {
            Some(rest) if rest.starts_with(b"find\0") => Found::operation(used),
            _ => Found::greeting(used, Self::message(&Self::ok())),
        }
    }

    pub(crate) fn miss() -> Vec<u8> {
        let batch = [b"\x04firstBatch\0", &5u32.to_le_bytes()[..], &[0]].concat();
        let rest = [b"\x12id\0", &[0; 8][..], b"\x02ns\0", &4u32.to_le_bytes(), b"a.b\0"].concat();
        let cursor = [&batch[..], &rest].concat();
        let len = (cursor.len() as u32 + 5).to_le_bytes();
        let cursor = [b"\x03cursor\0", &len[..], &cursor, &[0]].concat();
        Self::message(&[cursor, Self::ok()].concat())
    }
}
