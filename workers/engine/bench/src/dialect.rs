//! Just enough of two protocols to answer a load engine.

/// How a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Memcached,
    Redis,
}

/// One request that was found at the start of some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    pub used: usize,
    pub is_greeting: bool,
}

impl Dialect {
    /// The name on a command line.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "memcached" => Some(Self::Memcached),
            "redis" => Some(Self::Redis),
            _ => None,
        }
    }

    /// The first complete request: a line, or an array of bulk strings that hold no line ends.
    pub fn find_request(self, input: &[u8]) -> Option<Found> {
        let first_end = find_line_end(input, 0)?;
        match self {
            Self::Memcached => Some(Found { used: first_end, is_greeting: input.starts_with(b"version") }),
            Self::Redis => {
                let arguments = input[1..first_end].iter().take_while(|byte| byte.is_ascii_digit());
                let count = arguments.fold(0usize, |sum, byte| sum * 10 + usize::from(byte - b'0'));
                let used = (0..2 * count).try_fold(first_end, |at, _| find_line_end(input, at))?;
                Some(Found { used, is_greeting: count == 1 })
            }
        }
    }

    /// The answer to the engine's greeting.
    pub fn greeting(self) -> &'static [u8] {
        match self {
            Self::Memcached => b"VERSION 0\r\n",
            Self::Redis => b"+PONG\r\n",
        }
    }

    /// The answer to a get of a key that is not there.
    pub fn miss(self) -> &'static [u8] {
        match self {
            Self::Memcached => b"END\r\n",
            Self::Redis => b"$-1\r\n",
        }
    }
}

fn find_line_end(input: &[u8], from: usize) -> Option<usize> {
    input[from..].iter().position(|&byte| byte == b'\n').map(|at| from + at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_found_one_by_one_and_pieces_are_not() {
        let get = b"*2\r\n$3\r\nGET\r\n$2\r\nk1\r\n";
        let found = Found { used: get.len(), is_greeting: false };
        assert_eq!(Dialect::Redis.find_request(&[get, &get[..5]].concat()), Some(found));
        assert_eq!(Dialect::Redis.find_request(&get[..get.len() - 1]), None);
        let ping = Dialect::Redis.find_request(b"*1\r\n$4\r\nPING\r\n");
        assert_eq!(ping, Some(Found { used: 14, is_greeting: true }));
        let line = Dialect::Memcached.find_request(b"get k1\r\nget");
        assert_eq!(line, Some(Found { used: 8, is_greeting: false }));
    }
}
