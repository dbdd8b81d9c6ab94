//! What ends the engine from outside: signals, the end of stdin, the death of its parent.

use std::io::{Read, stdin};
use std::thread;

use loadstone_load::StopSwitch;
use loadstone_spec::events::Exit;
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{SigSet, Signal};
use nix::unistd::getppid;

/// Lets the kernel kill this process when its parent dies, so that no load outlives the agent that asked for it.
/// False when the parent was gone before the kernel knew.
pub fn die_with_parent() -> bool {
    let parent = getppid();
    let is_set = set_pdeathsig(Signal::SIGKILL).is_ok();
    is_set && getppid() == parent
}

/// The first signal stops the run cleanly, the second one ends the process. Must be called before any other
/// thread begins, since threads inherit the blocked signals.
pub fn watch_signals(stop: StopSwitch) -> nix::Result<()> {
    let mut signals = SigSet::empty();
    [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP].into_iter().for_each(|signal| signals.add(signal));
    signals.thread_block()?;
    thread::spawn(move || {
        let mut seen = 0;
        while signals.wait().is_ok() {
            seen += 1;
            if seen > 1 {
                std::process::exit(Exit::Stopped as i32);
            }
            stop.turn();
        }
    });
    Ok(())
}

/// Stops the run when whoever holds the other end of stdin lets go of it.
pub fn watch_stdin(stop: StopSwitch) {
    thread::spawn(move || {
        let mut ignored = [0; 4096];
        while stdin().lock().read(&mut ignored).is_ok_and(|count| count > 0) {}
        stop.turn();
    });
}
