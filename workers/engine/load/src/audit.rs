//! After a crash of the target: which of the acknowledged writes of a journal are still there.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use loadstone_spec::events::{Failure, FailureCode};
use loadstone_spec::plan::{EngineLoad, EnginePlan, Operation, OperationKind};

use crate::any_driver::AnyDriver;
use crate::assignment::prefill_pipeline;
use crate::clock::Clock;
use crate::driver::{Asked, Driver, Reply, Shape, Step, Verdict};
use crate::flights::{Flight, Flights};
use crate::journal::{Entry, Ledger};
use crate::link::Fault;
use crate::links::{Links, Shared};
use crate::opening::Unopened;
use crate::scout::{fail, prepare};
use crate::session::StopSwitch;
use crate::sys::Source;
use crate::transport::Dial;
use crate::values::Values;

const MILLISECOND_NS: u64 = 1_000_000;
/// A connection that is lost is opened so many times more before what it was asked for counts as an error.
const MOST_ATTEMPTS: u32 = 4;

/// What has become of the acknowledged writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// Keys by what is there: the last acknowledged write or one that may have followed it ...
    pub kept: u64,
    /// ... a later write, or one whose outcome the target never told ...
    pub newer: u64,
    /// ... nothing, or an older write ...
    pub lost: u64,
    /// ... bytes that are no value as it was written ...
    pub torn: u64,
    /// ... or no good answer.
    pub errors: u64,
    /// When the oldest and the newest of the lost writes were acknowledged, in nanoseconds since 1970.
    pub first_lost_at_unix_ns: Option<u64>,
    pub last_lost_at_unix_ns: Option<u64>,
}

/// What an engine that reads back may do: get, over one connection, with values that name their writes.
pub fn plan_of_audit(mut plan: EnginePlan) -> EnginePlan {
    plan.operations = vec![Operation::of_kind(OperationKind::Get)];
    plan.verify = true;
    plan.journal.get_or_insert_default();
    plan.target.read_address = None;
    plan.threads = 1;
    match &mut plan.load {
        EngineLoad::Closed(load) => load.connections = 1,
        EngineLoad::Open(load) => load.connections = 1,
    }
    plan
}

/// Reads the last acknowledged write of every key of the journal back. The plan is one of [`plan_of_audit`].
///
/// # Errors
/// When the target cannot be reached or refuses. What goes wrong later counts as an error of its key.
pub fn audit(
    plan: &EnginePlan,
    ledger: &Ledger,
    driver: AnyDriver,
    dial: Arc<dyn Dial>,
    stop: &StopSwitch,
) -> Result<Option<Verdicts>, Failure> {
    let clock = Clock::new();
    let Some(shared) = prepare(plan, driver, dial, stop, &clock)? else { return Ok(None) };
    let questions = ledger.keys().filter(|entries| find_newest(entries).is_some());
    let mut audit = Audit {
        shape: Shape::all_of(plan)[0],
        depth: plan.load.pipeline().max(prefill_pipeline(plan)) as usize,
        waiting: questions.collect(),
        verdicts: Verdicts::default(),
        begun_at_unix_ns: ledger.begun_at_unix_ns(),
    };
    let shared = Arc::new(shared);
    for attempt in 1..=MOST_ATTEMPTS {
        let mut links = open(plan, &shared, audit.depth)?;
        match audit.read_back(&mut links) {
            Ok(()) => break,
            Err(_) if attempt < MOST_ATTEMPTS => {}
            Err(_) => audit.verdicts.errors += audit.waiting.len() as u64,
        }
    }
    Ok(Some(audit.verdicts))
}

fn open(
    plan: &EnginePlan,
    shared: &Arc<Shared<AnyDriver>>,
    depth: usize,
) -> Result<Links<AnyDriver>, Failure> {
    let internal = |error: io::Error| fail(FailureCode::EngineInternal, error.to_string());
    let mut links = Links::new(Arc::clone(shared), 1, || Flights::new(depth, 0)).map_err(internal)?;
    links.open_all().map_err(internal)?.map_err(|Unopened { is_refused, message }| {
        let code = if is_refused { FailureCode::TargetRefused } else { FailureCode::TargetUnreachable };
        fail(code, format!("{}: {message}", crate::reach::name_address(&plan.target.address)))
    })?;
    Ok(links)
}

/// The acknowledged write that was made last.
fn find_newest(entries: &[Entry]) -> Option<&Entry> {
    entries.iter().rev().find(|entry| entry.is_acknowledged)
}

struct Audit<'a> {
    shape: Shape,
    depth: usize,
    /// What has not been asked yet, and in front of it what has, in the order of the connections.
    waiting: VecDeque<&'a [Entry]>,
    verdicts: Verdicts,
    begun_at_unix_ns: u64,
}

impl<'a> Audit<'a> {
    /// Asks for everything that waits. After a fault the rest still waits.
    fn read_back(&mut self, links: &mut Links<AnyDriver>) -> Result<(), Fault> {
        let mut asked: Vec<VecDeque<&'a [Entry]>> = vec![VecDeque::new(); links.all.len()];
        let read = self.converse(links, &mut asked);
        asked.into_iter().flatten().for_each(|entries| self.waiting.push_front(entries));
        read
    }

    fn converse(
        &mut self,
        links: &mut Links<AnyDriver>,
        asked: &mut [VecDeque<&'a [Entry]>],
    ) -> Result<(), Fault> {
        let mut answered_ns = links.shared.clock.now_ns();
        loop {
            let under_way: usize = asked.iter().map(VecDeque::len).sum();
            for entries in self.waiting.drain(..(self.depth - under_way).min(self.waiting.len())) {
                let place = ask(links, &self.shape, entries[0].key, 0, None);
                asked[place].push_back(entries);
            }
            if asked.iter().all(VecDeque::is_empty) {
                return Ok(());
            }
            links.all.iter_mut().try_for_each(|link| link.flush(&mut links.waits))?;
            links.wait(1, MILLISECOND_NS)?;
            let now_ns = links.shared.clock.now_ns();
            for place in 0..links.all.len() {
                while let Some((filled, _)) =
                    links.all[place].read(&mut links.waits, Source::Socket, &mut links.scratch)?
                {
                    self.consume(links, asked, place, filled)?;
                    answered_ns = now_ns;
                }
            }
            if now_ns > answered_ns + links.shared.timeout_ns {
                return Err(Fault::Timeout);
            }
        }
    }

    fn consume(
        &mut self,
        links: &mut Links<AnyDriver>,
        asked: &mut [VecDeque<&'a [Entry]>],
        place: usize,
        filled: usize,
    ) -> Result<(), Fault> {
        let mut start = 0;
        while start < filled {
            let link = &mut links.all[place];
            let Some(flight) = link.flights.front().copied() else {
                return Err(Fault::Protocol("a reply that nobody asked for".to_owned()));
            };
            let question = Asked {
                shape: &self.shape,
                keys: &[flight.key],
                stage: flight.stage,
                word: 0,
                session: link.session,
            };
            match links.shared.driver.read(&mut link.reader, &question, &links.scratch[start..filled]) {
                Step::Done { used, reply } => {
                    start += used;
                    link.flights.pop();
                    let entries = asked[place].pop_front().unwrap_or_default();
                    self.judge(entries, reply);
                }
                Step::Elsewhere { used, endpoint, asks_leave } => {
                    start += used;
                    link.flights.pop();
                    let entries = asked[place].pop_front().unwrap_or_default();
                    let stage = if asks_leave { crate::driver::ASKING } else { 0 };
                    let other = ask(links, &self.shape, flight.key, stage, Some(endpoint));
                    asked[other].push_back(entries);
                }
                Step::More { used } => {
                    return link.carry_over(&links.scratch[start + used..filled]);
                }
                Step::Follow { .. } | Step::Broken => {
                    return Err(Fault::Protocol("a reply that cannot be read".to_owned()));
                }
            }
        }
        Ok(())
    }

    fn judge(&mut self, entries: &[Entry], reply: Reply) {
        let Some(newest) = find_newest(entries) else { return };
        let verdicts = &mut self.verdicts;
        let found = match reply.verdict {
            Verdict::Refused => {
                verdicts.errors += 1;
                return;
            }
            Verdict::WrongValue => {
                verdicts.torn += 1;
                return;
            }
            Verdict::Good if reply.hits == 0 => None,
            Verdict::Good => Values::version_of(newest.key, reply.tag),
        };
        let known = found.and_then(|version| entries.iter().find(|entry| entry.version == version));
        match (known, found) {
            // A write that ended only after the last one had begun may have been carried out after it.
            (Some(entry), _) if entry.is_acknowledged && entry.settled_at_unix_ns >= newest.version => {
                verdicts.kept += 1;
            }
            (Some(entry), _) if !entry.is_acknowledged => verdicts.newer += 1,
            (None, Some(version)) if version > newest.version.max(self.begun_at_unix_ns) => {
                verdicts.newer += 1;
            }
            _ => {
                let at = newest.settled_at_unix_ns;
                let span = (verdicts.first_lost_at_unix_ns, verdicts.last_lost_at_unix_ns);
                verdicts.first_lost_at_unix_ns = Some(span.0.map_or(at, |first| first.min(at)));
                verdicts.last_lost_at_unix_ns = Some(span.1.map_or(at, |last| last.max(at)));
                verdicts.lost += 1;
            }
        }
    }
}

/// Lays a question into the output of the connection that it goes to, and says which one that is.
fn ask(links: &mut Links<AnyDriver>, shape: &Shape, key: u64, stage: u8, endpoint: Option<usize>) -> usize {
    let Links { shared, all, .. } = links;
    let keys = [key];
    let question = Asked { shape, keys: &keys, stage, word: 0, session: 0 };
    let place = endpoint.unwrap_or_else(|| shared.endpoints.route(&*shared.driver, &question));
    let place = place.min(all.len() - 1);
    let link = &mut all[place];
    shared.driver.encode(&Asked { session: link.session, ..question }, &mut link.output);
    link.flights.push(Flight { key, stage, ..Flight::default() }, &keys);
    place
}
