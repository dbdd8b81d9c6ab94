//! What a server of each protocol says to a get (of Memlink to a range of one entry), byte by byte.

use loadstone_load::values::Values;

/// What becomes of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Hit,
    Miss,
    /// The value of another key.
    Wrong,
    Refused,
}

/// The answer to a request for `key`, of which `values` says what its value is.
pub fn answer(protocol: &str, fate: Fate, key: u64, values: &Values) -> Vec<u8> {
    let mut value = Vec::new();
    values.append(if fate == Fate::Wrong { key + 1 } else { key }, &mut value);
    let found = matches!(fate, Fate::Hit | Fate::Wrong).then_some(&value[..]);
    let is_refused = fate == Fate::Refused;
    match protocol {
        "memcached" | "memcached_meta" if is_refused => b"SERVER_ERROR no\r\n".to_vec(),
        "memcached" => memcached(key, found),
        "memcached_meta" => {
            found.map_or(b"EN\r\n".to_vec(), |value| line(&format!("VA {}", value.len()), value))
        }
        "memcached_binary" => binary(is_refused, found),
        "redis" | "redis_resp3" if is_refused => b"-ERR no\r\n".to_vec(),
        "redis" => found.map_or(b"$-1\r\n".to_vec(), |value| line(&format!("${}", value.len()), value)),
        "redis_resp3" => found.map_or(b"_\r\n".to_vec(), |value| line(&format!("${}", value.len()), value)),
        "mysql" | "mysql_text" if is_refused => packet(1, b"\xff\x28\x04#42000no"),
        "mysql" => mysql(found, &[0, 0]),
        "mysql_text" => mysql(found, &[]),
        "postgres" | "postgres_simple" if is_refused => {
            [message(b'E', b"SERROR\0Mno\0\0"), message(b'Z', b"I")].concat()
        }
        "postgres" => [message(b'2', &[]), postgres(found.map(<[u8]>::to_vec))].concat(),
        "postgres_simple" => {
            let text = |value: &[u8]| {
                let digits = value.iter().map(|byte| format!("{byte:02x}"));
                format!("\\x{}", digits.collect::<String>()).into_bytes()
            };
            [message(b'T', b"\0\x01v\0"), postgres(found.map(text))].concat()
        }
        "mongodb" => mongodb(is_refused, key, found),
        "memlink" => memlink(is_refused, found, true),
        _ => memlink(is_refused, found, false),
    }
}

fn line(head: &str, value: &[u8]) -> Vec<u8> {
    [head.as_bytes(), b"\r\n", value, b"\r\n"].concat()
}

fn memcached(key: u64, found: Option<&[u8]>) -> Vec<u8> {
    let value = found.map(|value| line(&format!("VALUE k{key:07} 0 {}", value.len()), value));
    [&value.unwrap_or_default()[..], b"END\r\n"].concat()
}

fn binary(is_refused: bool, found: Option<&[u8]>) -> Vec<u8> {
    let mut frame = vec![0; 24];
    frame[0] = 0x81;
    match found {
        Some(value) => {
            frame[4] = 4;
            frame[8..12].copy_from_slice(&(value.len() as u32 + 4).to_be_bytes());
            frame.extend_from_slice(&[0; 4]);
            frame.extend_from_slice(value);
        }
        None => frame[7] = if is_refused { 0x82 } else { 1 },
    }
    frame
}

fn packet(sequence: u8, payload: &[u8]) -> Vec<u8> {
    [&(payload.len() as u32).to_le_bytes()[..3], &[sequence], payload].concat()
}

/// `head` stands before the columns of a row.
fn mysql(found: Option<&[u8]>, head: &[u8]) -> Vec<u8> {
    let end = |sequence| packet(sequence, &[0xfe, 0, 0, 2, 0]);
    let mut out = [packet(1, &[1]), packet(2, b"\x03def"), end(3)].concat();
    if let Some(value) = found {
        out.extend(packet(4, &[head, &[value.len() as u8], value].concat()));
    }
    [out, end(5)].concat()
}

fn message(kind: u8, payload: &[u8]) -> Vec<u8> {
    [&[kind][..], &(payload.len() as u32 + 4).to_be_bytes(), payload].concat()
}

fn postgres(found: Option<Vec<u8>>) -> Vec<u8> {
    let row = found
        .map(|value| message(b'D', &[&[0, 1][..], &(value.len() as u32).to_be_bytes(), &value].concat()));
    [row.unwrap_or_default(), message(b'C', b"SELECT 1\0"), message(b'Z', b"I")].concat()
}

fn document(fields: &[u8]) -> Vec<u8> {
    [&(fields.len() as u32 + 5).to_le_bytes()[..], fields, &[0]].concat()
}

fn mongodb(is_refused: bool, key: u64, found: Option<&[u8]>) -> Vec<u8> {
    let ok = |value: f64| [b"\x01ok\0", &value.to_le_bytes()[..]].concat();
    let fields = if is_refused {
        ok(0.0)
    } else {
        let row = found.map(|value| {
            let id = [&b"\x02_id\0\x09\0\0\0"[..], format!("k{key:07}\0").as_bytes()].concat();
            let v = [b"\x05v\0", &(value.len() as u32).to_le_bytes()[..], &[0], value].concat();
            [b"\x030\0", &document(&[id, v].concat())[..]].concat()
        });
        let batch = [b"\x04firstBatch\0", &document(&row.unwrap_or_default())[..]].concat();
        let rest = b"\x12id\0\0\0\0\0\0\0\0\0\x02ns\0\x04\0\0\0a.b\0";
        [b"\x03cursor\0", &document(&[&batch[..], rest].concat())[..], &ok(1.0)].concat()
    };
    let body = document(&fields);
    let head = [body.len() as u32 + 21, 1, 1, 2013, 0].map(u32::to_le_bytes).concat();
    [&head[..], &[0], &body].concat()
}

fn memlink(is_refused: bool, found: Option<&[u8]>, has_tables: bool) -> Vec<u8> {
    let code: i16 = match found {
        Some(_) => 0,
        None if is_refused => -1,
        None => -14,
    };
    let mut payload = Vec::new();
    if let Some(value) = found {
        payload.extend_from_slice(&[value.len() as u8, 2, 3, 4, 3, 1]);
        payload.extend_from_slice(value);
        payload.extend_from_slice(&[0x85, 0x02]);
        if has_tables {
            payload.extend_from_slice(&1u32.to_le_bytes());
        }
    }
    [&(payload.len() as u32 + 2).to_le_bytes()[..], &code.to_le_bytes(), &payload].concat()
}
