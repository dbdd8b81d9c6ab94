//! Which cores the engine runs on.

use loadstone_spec::PlanFault;
use nix::errno::Errno;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

/// Binds the calling thread to some of the plan's cores.
pub(crate) fn pin_to(cpus: &[u32]) -> Result<(), Errno> {
    let mut set = CpuSet::new();
    cpus.iter().try_for_each(|&cpu| set.set(cpu as usize))?;
    sched_setaffinity(Pid::from_raw(0), &set)
}

/// Binds the session to the plan's cores, each of which must be there for itself: the system would take a set of
/// which only some can be had.
pub(crate) fn claim_cpus(cpus: &[u32]) -> Result<(), PlanFault> {
    for (index, &cpu) in cpus.iter().enumerate() {
        pin_to(&[cpu])
            .map_err(|errno| PlanFault::at(&format!("cpus[{index}]"), format!("core {cpu}: {errno}")))?;
    }
    if cpus.is_empty() {
        return Ok(());
    }
    pin_to(cpus).map_err(|errno| PlanFault::at("cpus", errno.to_string()))
}
