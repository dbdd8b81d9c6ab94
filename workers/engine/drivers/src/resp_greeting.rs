//! The dialogue before the first command: HELLO or AUTH, SELECT, the slots of a cluster, PING.

use std::sync::Arc;

use loadstone_load::driver::{Greeted, Greeting, Role};
use loadstone_spec::plan::{Database, EngineTarget, StoreProtocol};

use crate::cluster::Cluster;
use crate::{parse_count, take_line};

/// Replies of a greeting that have more elements than this are of no store that is well.
const MAX_ELEMENTS: usize = 100_000;

#[derive(Debug, Clone)]
struct GreetingStep {
    say: Vec<u8>,
    expect: &'static str,
    what: &'static str,
}

/// The steps of all connections.
#[derive(Debug)]
pub(crate) struct Steps {
    load: Arc<[GreetingStep]>,
    scout: Arc<[GreetingStep]>,
    pub cluster: Option<Arc<Cluster>>,
}

/// The dialogue of one connection.
#[derive(Debug)]
pub struct RespGreeting {
    steps: Arc<[GreetingStep]>,
    at: usize,
    cluster: Option<Arc<Cluster>>,
}

impl Steps {
    pub(crate) fn new(target: &EngineTarget) -> Self {
        let mut steps = Vec::new();
        let step = |say: &[&str], expect, what| GreetingStep { say: command(say), expect, what };
        let username = target.username.as_deref();
        match (target.protocol, &target.password) {
            (StoreProtocol::RedisResp3, Some(password)) => {
                let hello = ["HELLO", "3", "AUTH", username.unwrap_or("default"), password];
                steps.push(step(&hello, "%", "authentication"));
            }
            (StoreProtocol::RedisResp3, None) => steps.push(step(&["HELLO", "3"], "%", "the greeting")),
            (_, Some(password)) => {
                let words: Vec<&str> = ["AUTH"].into_iter().chain(username).chain([&password[..]]).collect();
                steps.push(step(&words, "+OK", "authentication"));
            }
            _ => {}
        }
        if let Some(Database::Number(database)) = target.database {
            steps.push(step(&["SELECT", &database.to_string()], "+OK", "the choice of the database"));
        }
        let slots = steps.iter().cloned().chain([step(&["CLUSTER", "SLOTS"], "*", "the question for slots")]);
        let scout = slots.collect();
        steps.push(step(&["PING"], "+PONG", "the greeting"));
        let is_cluster = target.protocol == StoreProtocol::RedisCluster;
        let cluster = is_cluster.then(|| Arc::new(Cluster::new(&target.address)));
        Self { load: steps.into(), scout, cluster }
    }

    pub(crate) fn begin(&self, role: Role, out: &mut Vec<u8>) -> RespGreeting {
        let steps = Arc::clone(if role == Role::Scout { &self.scout } else { &self.load });
        out.extend_from_slice(&steps[0].say);
        RespGreeting { steps, at: 0, cluster: self.cluster.clone() }
    }
}

impl Greeting for RespGreeting {
    fn advance(&mut self, input: &[u8], out: &mut Vec<u8>) -> Greeted {
        let step = &self.steps[self.at];
        let line = match take_line(input) {
            Ok(None) => return Greeted::More { used: 0 },
            Ok(Some((line, _))) => line,
            Err(()) => return Greeted::Broken("a line that does not end".to_owned()),
        };
        let text = String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned();
        if line.first() == Some(&b'-') {
            return Greeted::Refused(format!("{} was refused: {text}", step.what));
        }
        if !line.starts_with(step.expect.as_bytes()) {
            return Greeted::Broken(format!("{} was answered with {text:?}", step.what));
        }
        let used = match measure_reply(input) {
            Ok(Some(used)) => used,
            Ok(None) => return Greeted::More { used: 0 },
            Err(()) => return Greeted::Broken(format!("{} was answered with {text:?}", step.what)),
        };
        if let (Some(cluster), "*") = (&self.cluster, step.expect)
            && let Err(message) = cluster.learn(&input[..used])
        {
            return Greeted::Refused(message);
        }
        self.at += 1;
        match self.steps.get(self.at) {
            None => Greeted::Ready { used },
            Some(next) => {
                out.extend_from_slice(&next.say);
                Greeted::More { used }
            }
        }
    }
}

/// How long the reply at the start of `input` is; nothing when it is not complete.
fn measure_reply(input: &[u8]) -> Result<Option<usize>, ()> {
    let (mut used, mut left) = (0, 1usize);
    while left > 0 {
        let Some((line, line_len)) = take_line(&input[used..])? else { return Ok(None) };
        used += line_len;
        left -= 1;
        let (&sort, rest) = line.split_first().ok_or(())?;
        match sort {
            b'*' | b'~' | b'>' if rest != b"-1" => left += parse_count(rest).ok_or(())?,
            b'%' => left += 2 * parse_count(rest).ok_or(())?,
            b'$' | b'=' | b'!' if rest != b"-1" => used += parse_count(rest).ok_or(())? + 2,
            _ => {}
        }
        if left > MAX_ELEMENTS {
            return Err(());
        }
        if used > input.len() {
            return Ok(None);
        }
    }
    Ok(Some(used))
}

fn command(arguments: &[&str]) -> Vec<u8> {
    let mut text = format!("*{}\r\n", arguments.len());
    for argument in arguments {
        text.push_str(&format!("${}\r\n{argument}\r\n", argument.len()));
    }
    text.into_bytes()
}
