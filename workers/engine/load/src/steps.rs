//! Connections in force over time, and their churn.

use std::sync::atomic::Ordering;

use loadstone_spec::plan::{ConnectionStep, EnginePlan, PhaseName};

use crate::arrivals::Share;
use crate::driver::Driver;
use crate::phase::PhaseState;
use crate::worker::Worker;

const SECOND_NS: f64 = 1e9;
/// Requests that a connection has had which is to have no more.
pub(crate) const SERVED_OUT: u32 = u32::MAX;

/// How many connections of one thread are in force, by the time since the phase began.
#[derive(Debug, Clone)]
pub(crate) struct Steps {
    /// When each number begins to hold.
    steps: Vec<(u64, usize)>,
    next: usize,
}

impl Steps {
    /// The number changes in the measured phase alone.
    pub(crate) fn new(plan: &EnginePlan, phase: PhaseName, share: Share) -> Self {
        let all = plan.load.connection_steps();
        let held = if phase == PhaseName::Warmup { all.len().min(1) } else { all.len() };
        if all.is_empty() {
            return Self::all();
        }
        let mut start_s = 0.0;
        let begin = |step: &ConnectionStep| {
            let start_ns = (start_s * SECOND_NS) as u64;
            start_s += step.seconds;
            (start_ns, share_of(step.connections, share.thread, share.threads) as usize)
        };
        Self { steps: all[..held].iter().map(begin).collect(), next: 0 }
    }

    /// All connections all the time.
    pub(crate) fn all() -> Self {
        Self { steps: vec![(0, usize::MAX)], next: 0 }
    }

    /// When the number changes next, since the phase began.
    #[inline]
    pub(crate) fn next_ns(&self) -> Option<u64> {
        self.steps.get(self.next).map(|&(start_ns, _)| start_ns)
    }

    /// The number that begins to hold by now, if it is another one than before.
    #[inline]
    fn take(&mut self, elapsed_ns: u64) -> Option<usize> {
        let mut taken = None;
        while let Some(&(start_ns, connections)) = self.steps.get(self.next) {
            if start_ns > elapsed_ns {
                break;
            }
            taken = Some(connections);
            self.next += 1;
        }
        taken
    }
}

/// A share of the connections; the first threads have one more where they do not divide evenly.
pub(crate) fn share_of(total: u32, thread: u32, threads: u32) -> u32 {
    total / threads + u32::from(thread < total % threads)
}

/// The connections of all threads that are in force at a time; nothing for a prefill, which has its own.
pub(crate) fn connections_at(plan: &EnginePlan, phase: PhaseName, elapsed_s: f64) -> u32 {
    let steps = plan.load.connection_steps();
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else { return plan.load.connections() };
    let mut end_s = 0.0;
    let holds = |step: &&ConnectionStep| {
        end_s += step.seconds;
        elapsed_s < end_s
    };
    match phase {
        PhaseName::Prefill => plan.load.connections(),
        PhaseName::Warmup => first.connections,
        PhaseName::Measure => steps.iter().find(holds).unwrap_or(last).connections,
    }
}

/// Which connection is opened anew next, and when.
#[derive(Debug, Clone)]
pub(crate) struct Churn {
    interval_ns: f64,
    done: u64,
    next_link: usize,
}

impl Churn {
    pub(crate) fn new(churn_per_s: f64, share: Share) -> Self {
        Self { interval_ns: SECOND_NS / churn_per_s * f64::from(share.threads), done: 0, next_link: 0 }
    }

    /// Whether one more is due.
    #[inline]
    fn is_due(&self, elapsed_ns: u64) -> bool {
        (self.done + 1) as f64 * self.interval_ns <= elapsed_ns as f64
    }
}

impl PhaseState {
    /// The plan has nothing more to do to connections, and nothing waits to be sent again.
    #[inline]
    pub(crate) fn is_left_alone(&self) -> bool {
        self.work.steps.next_ns().is_none() && self.work.churn.is_none() && self.again.is_empty()
    }
}

impl<D: Driver> Worker<D> {
    /// Does what the plan says of the time that has come: connections, requests to send again, an early end.
    pub(crate) fn follow_plan(&mut self, now_ns: u64) {
        self.shape_connections(now_ns);
        let is_cut_short = self.links.shared.board.is_cut_short.load(Ordering::Relaxed);
        let Some(phase) = &mut self.phase else { return };
        if is_cut_short {
            phase.cease(now_ns);
        }
        if !phase.again.is_empty() {
            self.send_again();
        }
    }

    /// Puts as many connections in force as the phase begins with.
    pub(crate) fn begin_connections(&mut self) {
        self.links.renewed = 0;
        let start_ns = self.phase.as_ref().map_or(0, |phase| phase.work.start_ns);
        self.shape_connections(start_ns);
    }

    /// When the plan changes the number of connections next.
    pub(crate) fn next_step_ns(&self) -> u64 {
        let next_ns = |phase: &PhaseState| Some(phase.work.start_ns + phase.work.steps.next_ns()?);
        self.phase.as_ref().and_then(next_ns).unwrap_or(u64::MAX)
    }

    /// Sets how many connections are in force, and opens anew those whose turn it is.
    fn shape_connections(&mut self, now_ns: u64) {
        let Some(phase) = &mut self.phase else { return };
        let elapsed_ns = now_ns.saturating_sub(phase.work.start_ns);
        if let Some(connections) = phase.work.steps.take(elapsed_ns) {
            let sockets = connections.saturating_mul(self.links.shared.endpoints.len());
            self.put_in_force(sockets.min(self.links.all.len()), now_ns);
        }
        while let Some(index) = self.next_to_renew(elapsed_ns) {
            self.retire_client(index, now_ns);
        }
    }

    fn next_to_renew(&mut self, elapsed_ns: u64) -> Option<usize> {
        let phase = self.phase.as_mut().filter(|phase| phase.is_sending)?;
        let churn = phase.work.churn.as_mut().filter(|churn| churn.is_due(elapsed_ns))?;
        let endpoints = self.links.shared.endpoints.len();
        let clients = (self.links.in_force / endpoints).max(1);
        let index = churn.next_link % clients * endpoints;
        churn.done += 1;
        churn.next_link = (churn.next_link + 1) % clients;
        Some(index)
    }

    /// The connection has no further request, and is closed once the last one is answered.
    fn retire_client(&mut self, first: usize, now_ns: u64) {
        for index in first..first + self.links.shared.endpoints.len() {
            let link = &mut self.links.all[index];
            if !link.is_up() {
                continue;
            }
            link.served = SERVED_OUT;
            if link.flights.len() == 0 {
                self.links.renew(index, now_ns);
            }
        }
    }

    fn put_in_force(&mut self, sockets: usize, now_ns: u64) {
        let before = self.links.in_force;
        self.links.in_force = sockets;
        let endpoints = self.links.shared.endpoints.len();
        for first in (sockets..before).step_by(endpoints) {
            self.retire_client(first, now_ns);
        }
        for index in before..sockets {
            let link = &mut self.links.all[index];
            if link.is_up() {
                link.served = 0;
                self.start_link(index);
            } else {
                link.due_ns = now_ns;
                link.back_off_ns = 0;
            }
        }
    }
}
