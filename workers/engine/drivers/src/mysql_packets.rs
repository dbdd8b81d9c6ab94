//! Packets of MySQL's protocol: a length of 3 bytes, a sequence number, a payload.

pub(crate) const HEAD_BYTES: usize = 4;
pub(crate) const COM_QUERY: u8 = 0x03;
pub(crate) const COM_STMT_PREPARE: u8 = 0x16;
pub(crate) const COM_STMT_EXECUTE: u8 = 0x17;

/// Leaves room for a head and returns where it stands.
#[inline]
pub(crate) fn begin(out: &mut Vec<u8>, sequence: u8) -> usize {
    let start = out.len();
    out.extend_from_slice(&[0, 0, 0, sequence]);
    start
}

/// Writes the length of what was appended since `begin`.
#[inline]
pub(crate) fn end(out: &mut [u8], start: usize) {
    let len = (out.len() - start - HEAD_BYTES) as u32;
    out[start..start + 3].copy_from_slice(&len.to_le_bytes()[..3]);
}

pub(crate) fn push_command(out: &mut Vec<u8>, command: u8, payload: &[u8]) {
    let start = begin(out, 0);
    out.push(command);
    out.extend_from_slice(payload);
    end(out, start);
}

/// The length of the payload at the start of `input`.
#[inline]
pub(crate) fn payload_len(input: &[u8]) -> Option<usize> {
    let head = input.get(..HEAD_BYTES)?;
    Some(u32::from_le_bytes([head[0], head[1], head[2], 0]) as usize)
}

/// The sequence number and the payload of a packet that is there in whole.
pub(crate) fn take_packet(input: &[u8]) -> Option<(u8, &[u8])> {
    let len = payload_len(input)?;
    Some((input[3], input.get(HEAD_BYTES..HEAD_BYTES + len)?))
}

/// A number of 1 to 9 bytes and how long it is. `Ok(None)` when a piece is missing, `Err` for what is no number.
#[inline]
pub(crate) fn read_number(input: &[u8]) -> Result<Option<(u64, usize)>, ()> {
    let Some(&first) = input.first() else { return Ok(None) };
    let len = match first {
        0..=0xfa => return Ok(Some((first.into(), 1))),
        0xfc => 2,
        0xfd => 3,
        0xfe => 8,
        0xfb | 0xff => return Err(()),
    };
    let Some(bytes) = input.get(1..=len) else { return Ok(None) };
    let number = bytes.iter().rev().fold(0u64, |sum, &byte| sum << 8 | u64::from(byte));
    Ok(Some((number, 1 + len)))
}

#[inline]
pub(crate) fn push_number(out: &mut Vec<u8>, number: u64) {
    match number {
        0..=0xfa => out.push(number as u8),
        0xfb..=0xffff => {
            out.push(0xfc);
            out.extend_from_slice(&(number as u16).to_le_bytes());
        }
        0x1_0000..=0xff_ffff => {
            out.push(0xfd);
            out.extend_from_slice(&number.to_le_bytes()[..3]);
        }
        _ => {
            out.push(0xfe);
            out.extend_from_slice(&number.to_le_bytes());
        }
    }
}

/// `0xff`, a number, `#` and a state, a text.
pub(crate) fn describe_error(payload: &[u8]) -> String {
    let text = payload.get(3..).unwrap_or(&[]);
    let text = if text.first() == Some(&b'#') { text.get(6..).unwrap_or(&[]) } else { text };
    let number = payload.get(1..3).map_or(0, |bytes| u16::from_le_bytes([bytes[0], bytes[1]]));
    format!("error {number}: {}", String::from_utf8_lossy(&text[..text.len().min(300)]))
}
