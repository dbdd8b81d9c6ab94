//! The limit of any client: a loop that only makes the system calls. Its requests are the driver's, byte for byte, made
//! beforehand; replies are counted by their bytes, which one request has told before, and never looked at.

use std::io;
use std::sync::Arc;

use loadstone_spec::events::{Failure, FailureCode};
use loadstone_spec::plan::{EnginePlan, EventLoop};

use crate::any_driver::{AnyDriver, AnyReader};
use crate::clock::Clock;
use crate::driver::{Asked, Driver, Shape, Step};
use crate::flights::Flights;
use crate::links::{Links, Shared};
use crate::rng::Rng;
use crate::scout::{fail, prepare};
use crate::session::{StopSwitch, read_cpu_ns};
use crate::sys::set_low_water;
use crate::transport::{Dial, Wire};
use crate::worker::CALM_WAIT_NS;

const MILLISECOND_NS: u64 = 1_000_000;
/// Requests of each connection that are sent in turn.
const POOL: usize = 16;

/// What a bare loop has cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BareRun {
    /// Keys asked for or written: of a request for several each counts.
    pub operations: u64,
    /// User and system time of the process, without opening the connections.
    pub cpu_ns: u64,
    pub elapsed_ns: u64,
}

struct Bare {
    links: Links<AnyDriver>,
    /// Bytes that each connection still waits for.
    awaited: Vec<usize>,
    /// Batches of a whole pipeline, and which one is next, for each connection.
    batches: Vec<(Vec<Vec<u8>>, usize)>,
    reply_bytes: usize,
    left: u64,
}

/// Sends `requests` of the plan's only operation over its connections, on the calling thread.
///
/// # Errors
/// When the target cannot be reached, the plan has several operations or one of several round trips, or replies are not
/// all as long as the first.
pub fn run_bare(
    plan: &EnginePlan,
    driver: AnyDriver,
    dial: Arc<dyn Dial>,
    requests: u64,
    stop: &StopSwitch,
) -> Result<Option<BareRun>, Failure> {
    let internal = |error: io::Error| fail(FailureCode::EngineInternal, format!("the bare loop: {error}"));
    if plan.operations.len() != 1 {
        return Err(Failure {
            path: Some("operations".to_owned()),
            ..fail(FailureCode::BadPlan, "a bare loop has one operation")
        });
    }
    let clock = Clock::new();
    let Some(mut shared) = prepare(plan, driver, dial, stop, &clock)? else { return Ok(None) };
    shared.uses_ring = plan.event_loop == EventLoop::IoUring && shared.dial.is_bare();
    let mut bare = Bare::open(plan, shared).map_err(internal)?;
    bare.left = requests.div_ceil(u64::from(plan.load.pipeline()));
    let batches = bare.left;
    let (cpu_before_ns, begun_ns) = (read_cpu_ns(), clock.now_ns());
    bare.exchange_all(stop).map_err(internal)?;
    let keys = batches * u64::from(plan.load.pipeline()) * Shape::all_of(plan)[0].keys_per_request as u64;
    let cpu_ns = read_cpu_ns() - cpu_before_ns;
    Ok(Some(BareRun { operations: keys, cpu_ns, elapsed_ns: clock.now_ns() - begun_ns }))
}

impl Bare {
    fn open(plan: &EnginePlan, shared: Shared<AnyDriver>) -> io::Result<Self> {
        let shape = Shape::all_of(plan)[0];
        let pipeline = plan.load.pipeline() as usize;
        let mut links =
            Links::new(Arc::new(shared), plan.load.connections() as usize, || Flights::new(1, 0))?
                .take_ring()?;
        links.open_all()?.map_err(|unopened| io::Error::other(unopened.message))?;
        let mut rng = Rng::for_stream(plan.seed, 0, 0);
        let mut batch = |driver: &AnyDriver, session: u64, requests: usize| {
            let mut bytes = Vec::new();
            for _ in 0..requests {
                let first = rng.next_u64() % plan.dataset.key_count;
                let keys: Vec<u64> = (0..shape.keys_per_request as u64)
                    .map(|key| (first + key * 7919) % plan.dataset.key_count)
                    .collect();
                let asked = Asked { shape: &shape, keys: &keys, stage: 0, word: first, session };
                driver.encode(&asked, &mut bytes);
            }
            bytes
        };
        let driver = &Arc::clone(&links.shared).driver;
        let probe = batch(driver, links.all[0].session, 1);
        let batches = links.all.iter().map(|link| {
            let pool = (0..(POOL / pipeline).max(2)).map(|_| batch(driver, link.session, pipeline)).collect();
            (pool, 0)
        });
        let batches = batches.collect();
        let mut bare = Self { awaited: vec![0; links.all.len()], links, batches, reply_bytes: 0, left: 0 };
        bare.reply_bytes = bare.probe(&shape, &probe)? * pipeline;
        if let Some(bytes) = driver.reply_bytes(&shape).filter(|_| pipeline > 1) {
            bare.set_low_water((pipeline - 1) * bytes + 1)?;
        }
        Ok(bare)
    }

    fn set_low_water(&mut self, bytes: usize) -> io::Result<()> {
        let sockets = self.links.all.iter().filter_map(|link| link.transport.as_ref());
        sockets.map(Wire::raw_fd).try_for_each(|fd| set_low_water(fd, bytes))
    }

    /// Asks one request and lets the driver say how long its reply is.
    fn probe(&mut self, shape: &Shape, request: &[u8]) -> io::Result<usize> {
        let unfit = |what: &str| io::Error::other(format!("the first reply {what}"));
        let Links { all, waits, scratch, shared, .. } = &mut self.links;
        let link = &mut all[0];
        link.output.extend_from_slice(request);
        link.flush(waits)?;
        let until_ns = shared.clock.now_ns() + shared.timeout_ns;
        let (mut reader, mut total) = (AnyReader::default(), 0);
        while shared.clock.now_ns() < until_ns {
            waits.wait(1, false, MILLISECOND_NS, &shared.clock)?;
            for at in 0..waits.len() {
                let ready = waits.get(at);
                let Some((filled, _)) = link.read(waits, ready.source, scratch)? else { continue };
                let keys = vec![0; shape.keys_per_request];
                let asked = Asked { shape, keys: &keys, stage: 0, word: 0, session: link.session };
                let (used, is_done) = match shared.driver.read(&mut reader, &asked, &scratch[..filled]) {
                    Step::Done { used, .. } => (used, true),
                    Step::More { used } => (used, false),
                    Step::Follow { .. } | Step::Elsewhere { .. } => {
                        return Err(unfit("asks for another request"));
                    }
                    Step::Broken => return Err(unfit("cannot be read")),
                };
                total += used;
                link.carry.extend_from_slice(&scratch[used..filled]);
                if is_done {
                    return Ok(total);
                }
            }
        }
        Err(unfit("did not come in time"))
    }

    #[inline]
    fn send(&mut self, index: usize) -> io::Result<()> {
        let (batches, next) = &mut self.batches[index];
        let link = &mut self.links.all[index];
        link.output.extend_from_slice(&batches[*next]);
        *next = if *next + 1 == batches.len() { 0 } else { *next + 1 };
        self.awaited[index] = self.reply_bytes;
        link.flush(&mut self.links.waits)
    }

    fn exchange_all(&mut self, stop: &StopSwitch) -> io::Result<()> {
        let mut under_way = 0;
        let mut answered_ns = self.links.shared.clock.now_ns();
        for index in 0..self.links.all.len().min(self.left as usize) {
            self.send(index)?;
            (self.left, under_way) = (self.left - 1, under_way + 1);
        }
        while under_way > 0 && !stop.is_turned() {
            self.links.wait((under_way / 2).max(1), CALM_WAIT_NS)?;
            if self.links.waits.len() > 0 {
                answered_ns = self.links.shared.clock.now_ns();
            } else if self.links.shared.clock.now_ns() > answered_ns + self.links.shared.timeout_ns {
                return Err(io::Error::other("replies are shorter than the first: are all keys there?"));
            }
            for at in 0..self.links.waits.len() {
                let ready = self.links.waits.get(at);
                let Some(index) = self.links.find(ready) else { continue };
                if !ready.readable {
                    self.links.all[index].flush(&mut self.links.waits)?;
                    continue;
                }
                let Links { all, waits, scratch, .. } = &mut self.links;
                let Some((filled, _)) = all[index].read(waits, ready.source, scratch)? else { continue };
                self.awaited[index] = self.awaited[index]
                    .checked_sub(filled)
                    .ok_or_else(|| io::Error::other("replies are longer than the first"))?;
                if self.awaited[index] > 0 {
                    continue;
                }
                if self.left == 0 {
                    under_way -= 1;
                    continue;
                }
                self.left -= 1;
                self.send(index)?;
            }
        }
        Ok(())
    }
}
