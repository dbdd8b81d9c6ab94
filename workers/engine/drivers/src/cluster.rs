//! Which node of a Redis cluster holds which slot.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, Ordering};

use loadstone_spec::plan::{Address, TcpAddress};

use crate::take_line;

const SLOTS: usize = 16_384;

/// The slots as the scout has found them, corrected by every MOVED.
#[derive(Debug)]
pub(crate) struct Cluster {
    slots: Box<[AtomicU16]>,
    nodes: OnceLock<Vec<TcpAddress>>,
    /// For nodes that do not know their own name.
    host: String,
    /// The CRC of every byte.
    crc: [u16; 256],
}

/// Where a node says that a slot is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Redirection {
    Moved(usize),
    Ask(usize),
}

impl Cluster {
    pub(crate) fn new(address: &Address) -> Self {
        let host = match address {
            Address::Tcp(tcp) => tcp.host.clone(),
            Address::Unix(_) => "127.0.0.1".to_owned(),
        };
        let slots = (0..SLOTS).map(|_| AtomicU16::new(0)).collect();
        Self { slots, nodes: OnceLock::new(), host, crc: crc_table() }
    }

    pub(crate) fn nodes(&self) -> Vec<TcpAddress> {
        self.nodes.get().cloned().unwrap_or_default()
    }

    /// CRC16-CCITT (XModem) of the key or of what stands in its braces, as Redis Cluster's specification says.
    #[inline]
    fn slot_of(&self, key: &[u8]) -> usize {
        let hashed = memchr::memchr(b'{', key)
            .and_then(|open| {
                let len = memchr::memchr(b'}', &key[open + 1..]).filter(|&len| len > 0)?;
                Some(&key[open + 1..open + 1 + len])
            })
            .unwrap_or(key);
        let crc = hashed
            .iter()
            .fold(0u16, |crc, &byte| (crc << 8) ^ self.crc[usize::from((crc >> 8) as u8 ^ byte)]);
        usize::from(crc) % SLOTS
    }

    #[inline]
    pub(crate) fn node_of(&self, key: &[u8]) -> usize {
        self.slots[self.slot_of(key)].load(Ordering::Relaxed).into()
    }

    /// Takes in a complete reply to CLUSTER SLOTS.
    pub(crate) fn learn(&self, reply: &[u8]) -> Result<(), String> {
        let mut words = Words { rest: reply };
        self.read_slots(&mut words).ok_or_else(|| "CLUSTER SLOTS cannot be read".to_owned()).and_then(
            |nodes| {
                if nodes.is_empty() {
                    return Err("the cluster has given no slot to any node".to_owned());
                }
                let _ = self.nodes.set(nodes);
                Ok(())
            },
        )
    }

    fn read_slots(&self, words: &mut Words<'_>) -> Option<Vec<TcpAddress>> {
        let mut nodes: Vec<TcpAddress> = Vec::new();
        for _ in 0..words.head(b'*')? {
            let parts = words.head(b'*')?;
            let (first, last) = (words.head(b':')?, words.head(b':')?);
            for part in 2..parts {
                let fields = words.head(b'*')?;
                let host = words.bulk()?;
                let port = words.head(b':')? as u16;
                (2..fields).try_for_each(|_| words.skip())?;
                if part > 2 {
                    continue;
                }
                let host = if host.is_empty() { &self.host } else { host };
                let node = TcpAddress { host: host.to_owned(), port };
                let place = nodes.iter().position(|known| *known == node).unwrap_or_else(|| {
                    nodes.push(node);
                    nodes.len() - 1
                });
                let slots = self.slots.get(first..=last)?;
                slots.iter().for_each(|slot| slot.store(place as u16, Ordering::Relaxed));
            }
        }
        Some(nodes)
    }

    /// `-MOVED 3999 host:port` or `-ASK 3999 host:port`; nothing for other errors and unknown nodes.
    pub(crate) fn read_redirection(&self, line: &[u8]) -> Option<Redirection> {
        let text = std::str::from_utf8(line).ok()?;
        let mut words = text.split(' ');
        let is_moved = match words.next()? {
            "-MOVED" => true,
            "-ASK" => false,
            _ => return None,
        };
        let slot = self.slots.get(words.next()?.parse::<usize>().ok()?)?;
        let (host, port) = words.next()?.rsplit_once(':')?;
        let host = if host.is_empty() { &self.host } else { host };
        let port: u16 = port.parse().ok()?;
        let nodes = self.nodes.get()?;
        let place = nodes.iter().position(|node| node.host == host && node.port == port)?;
        if is_moved {
            slot.store(place as u16, Ordering::Relaxed);
        }
        Some(if is_moved { Redirection::Moved(place) } else { Redirection::Ask(place) })
    }
}

fn crc_table() -> [u16; 256] {
    std::array::from_fn(|byte| {
        (0..8)
            .fold((byte as u16) << 8, |crc, _| if crc & 0x8000 != 0 { (crc << 1) ^ 0x1021 } else { crc << 1 })
    })
}

/// Elements of a reply that has come in whole.
struct Words<'a> {
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    fn line(&mut self) -> Option<&'a [u8]> {
        let (line, len) = take_line(self.rest).ok()??;
        self.rest = &self.rest[len..];
        Some(line)
    }

    fn head(&mut self, sort: u8) -> Option<usize> {
        let line = self.line()?;
        (line.first() == Some(&sort)).then(|| crate::parse_count(&line[1..])).flatten()
    }

    fn bulk(&mut self) -> Option<&'a str> {
        let len = self.head(b'$')?;
        let text = self.rest.get(..len)?;
        self.rest = self.rest.get(len + 2..)?;
        std::str::from_utf8(text).ok()
    }

    fn skip(&mut self) -> Option<()> {
        let line = self.line()?;
        let (&sort, digits) = line.split_first()?;
        match sort {
            b'$' if digits != b"-1" => self.rest = self.rest.get(crate::parse_count(digits)? + 2..)?,
            b'*' if digits != b"-1" => (0..crate::parse_count(digits)?).try_for_each(|_| self.skip())?,
            _ => {}
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster() -> Cluster {
        Cluster::new(&Address::Tcp(TcpAddress { host: "h".to_owned(), port: 1 }))
    }

    #[test]
    fn slots_are_those_of_the_specification() {
        let cluster = cluster();
        assert_eq!(cluster.slot_of(b"123456789"), 0x31c3 % SLOTS);
        assert_eq!(cluster.slot_of(b"foo"), 12_182);
        assert_eq!(cluster.slot_of(b"{foo}.bar"), 12_182);
        assert_eq!(cluster.slot_of(b"{}foo"), cluster.slot_of(b"{}foo"));
    }

    #[test]
    fn a_node_is_known_by_its_slots_and_learned_again_when_they_move() {
        let cluster = cluster();
        let reply = b"*2\r\n*3\r\n:0\r\n:8191\r\n*3\r\n$0\r\n\r\n:7001\r\n$2\r\nid\r\n\
            *4\r\n:8192\r\n:16383\r\n*3\r\n$1\r\nb\r\n:7002\r\n$2\r\nid\r\n*3\r\n$1\r\nc\r\n:7003\r\n$2\r\nid\r\n";
        cluster.learn(reply).unwrap();
        assert_eq!(cluster.nodes().len(), 2);
        assert_eq!(cluster.node_of(b"foo"), 1);
        assert_eq!(cluster.read_redirection(b"-ASK 12182 h:7001"), Some(Redirection::Ask(0)));
        assert_eq!(cluster.node_of(b"foo"), 1);
        assert_eq!(cluster.read_redirection(b"-MOVED 12182 h:7001"), Some(Redirection::Moved(0)));
        assert_eq!(cluster.node_of(b"foo"), 0);
        assert_eq!(cluster.read_redirection(b"-MOVED 12182 x:7001"), None);
        assert_eq!(cluster.read_redirection(b"-ERR MOVED"), None);
        assert!(cluster.learn(b"*1\r\n*1\r\n:0\r\n").is_err());
    }
}
