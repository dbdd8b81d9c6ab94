//! What both event loops must bear: replies that come otherwise than a loop waits for them.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

mod support;

use std::process::Stdio;
use std::time::{Duration, Instant};

use loadstone_bench::dialect::Dialect;
use loadstone_bench::programmed::{Program, start};
use loadstone_spec::events::ErrorClass;
use serde_json::{Value, json};
use support::impostor::{Answer, Impostor};
use support::sleeps::count_sleeps;
use support::{Said, Store, engine, errors, finish, plan, run, start_fed};

const LOOPS: [&str; 2] = ["epoll", "io_uring"];

/// The run of a plan under a loop; nothing where the kernel permits no ring, which the engine must then have said.
fn run_under(event_loop: &str, plan: &Value) -> Option<Said> {
    let mut plan = plan.clone();
    plan["event_loop"] = json!(event_loop);
    let said = run(&plan);
    let warning = said.warnings().into_iter().find(|warning| warning.code == "event_loop_fallback").cloned();
    assert!(event_loop == "io_uring" || warning.is_none(), "{warning:?}");
    if let Some(warning) = warning {
        eprintln!("not tested: {}", warning.message);
        return None;
    }
    Some(said)
}

/// The loop waits for whole pipelines of hits by the socket's low-water mark; half of these are misses, which are shorter.
#[test]
fn misses_in_a_pipeline_that_is_waited_for_in_whole_do_not_stop_it() {
    let store = Store::memcached(&[]).ready();
    let mut half = plan("memcached", store.port);
    half["dataset"]["key_count"] = json!(500);
    half["phases"] = json!([{"name": "prefill"}]);
    assert_eq!(run(&half).code(), 0);
    let mut plan = plan("memcached", store.port);
    plan["load"] = json!({"kind": "closed", "connections": 10, "pipeline": 16});
    plan["phases"] = json!([{"name": "measure", "stop": {"operations": 20_000}}]);
    for event_loop in LOOPS {
        let begun = Instant::now();
        let Some(said) = run_under(event_loop, &plan) else { continue };
        let numbers = &said.measured().operations[0];
        assert_eq!((said.code(), numbers.hits + numbers.misses), (0, 20_000), "{event_loop}");
        assert!((8_000..12_000).contains(&numbers.misses), "{event_loop}: {}", numbers.misses);
        assert!(begun.elapsed() < Duration::from_secs(20), "{event_loop}: {:?}", begun.elapsed());
    }
}

#[test]
fn an_end_within_a_pipeline_costs_what_was_under_way_and_nothing_more() {
    for event_loop in LOOPS {
        let impostor =
            Impostor::start(|number| if number % 100 == 55 { Answer::Close } else { Answer::Miss });
        let mut plan = plan("memcached", impostor.port);
        plan["load"] = json!({"kind": "closed", "connections": 2, "pipeline": 8});
        plan["phases"] = json!([{"name": "measure", "stop": {"operations": 400}}]);
        plan["verify"] = json!(false);
        let Some(said) = run_under(event_loop, &plan) else { continue };
        let lost = errors(said.measured(), ErrorClass::ConnectionLost);
        assert_eq!((said.code(), said.measured().sent), (0, 400), "{event_loop}");
        assert!((1..=5 * 8).contains(&lost) && lost == said.measured().failed, "{event_loop}: {lost}");
    }
}

/// A reply of a piece at a time: no read ends where a reply does.
#[test]
fn replies_in_pieces_are_put_together() {
    for event_loop in LOOPS {
        let reply = b"VALUE k000000000000001 0 3\r\nabc\r\nEND\r\n";
        let impostor = Impostor::start(|_| Answer::Pieces(reply.to_vec()));
        let mut plan = plan("memcached", impostor.port);
        plan["load"] = json!({"kind": "closed", "connections": 1, "pipeline": 5});
        plan["phases"] = json!([{"name": "measure", "stop": {"operations": 200}}]);
        plan["verify"] = json!(false);
        let Some(said) = run_under(event_loop, &plan) else { continue };
        assert_eq!((said.code(), said.measured().operations[0].hits), (0, 200), "{event_loop}");
    }
}

/// Far more bytes under way than a ring has buffers for: it must be told again and again to receive.
#[test]
fn more_bytes_than_a_ring_has_buffers_for_all_arrive_as_they_were_written() {
    let store = Store::memcached(&["-I", "2m"]).ready();
    let mut plan = plan("memcached", store.port);
    plan["dataset"] = json!({"key_count": 40, "value_size": {"kind": "fixed", "bytes": 1_000_000}});
    plan["load"] = json!({"kind": "closed", "connections": 30});
    plan["timeout_ms"] = json!(20_000);
    plan["phases"] = json!([{"name": "prefill"}, {"name": "measure", "stop": {"operations": 300}}]);
    for event_loop in LOOPS {
        let Some(said) = run_under(event_loop, &plan) else { continue };
        let measured = said.measured();
        assert_eq!(
            (said.code(), measured.answered, measured.operations[0].hits),
            (0, 300, 300),
            "{event_loop}"
        );
        assert!(measured.operations[0].bytes_received > 300_000_000, "{event_loop}");
    }
}

#[test]
fn a_ring_that_cannot_be_is_told_and_epoll_does_the_work() {
    let impostor = Impostor::start(|_| Answer::Miss);
    let mut plan = plan("memcached", impostor.port);
    plan["phases"] = json!([{"name": "measure", "stop": {"operations": 50}}]);
    plan["verify"] = json!(false);
    plan["event_loop"] = json!("io_uring");
    // Locked memory and descriptors are the test's own to limit, a kernel's switch is not: TLS has the same way out.
    plan["target"]["tls"] = json!({"server_name": "localhost", "verify_certificate": false});
    plan["timeout_ms"] = json!(300);
    let said = run(&plan);
    assert!(said.warnings().iter().any(|warning| warning.code == "event_loop_fallback"), "{:?}", said.events);
    assert_eq!(said.code(), 3, "{:?}", said.events.last());
}

/// Eight answers every 20 ms, as FerretDB gives them. A loop that waits for batches here wakes up a hundred times between
/// them; one that waits for the first reply sleeps once for each at most, and now and then until it looks at the time.
#[test]
fn a_store_that_answers_seldom_is_not_asked_often() {
    const ANSWERS: u64 = 400;
    const MOST_SLEEPS: u64 = 2 * ANSWERS;
    let program = Program {
        dialect: Dialect::Memcached,
        service: Duration::from_millis(20),
        stall: Duration::ZERO,
        period: Duration::from_secs(1000),
        spins: false,
        freeze: None,
    };
    for event_loop in LOOPS {
        let server = start(program).unwrap();
        let mut plan = plan("memcached", server.port);
        plan["load"] = json!({"kind": "closed", "connections": 8});
        plan["phases"] = json!([{"name": "measure", "stop": {"operations": ANSWERS}}]);
        plan["verify"] = json!(false);
        plan["event_loop"] = json!(event_loop);
        let child = start_fed(&plan);
        let sleeps = count_sleeps(child.id(), "load-0");
        let said = finish(child);
        assert_eq!((said.code(), said.measured().answered), (0, ANSWERS), "{event_loop}");
        let sleeps = sleeps.join().unwrap();
        assert!((ANSWERS / 16..MOST_SLEEPS).contains(&sleeps), "{event_loop}: {sleeps}");
    }
    for bare in ["bare_epoll", "bare_io_uring"] {
        let server = start(program).unwrap();
        let target = format!("memcached://127.0.0.1:{}", server.port);
        let operations = ANSWERS.to_string();
        let child = engine()
            .args(["bench", "--target", &target, "--no-prefill", "--repeats", "1", "--only", bare])
            .args(["--connections", "8", "--operations", &operations])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let sleeps = count_sleeps(child.id(), "loadstone-engin");
        assert!(child.wait_with_output().unwrap().status.success(), "{bare}");
        let sleeps = sleeps.join().unwrap();
        assert!((ANSWERS / 16..MOST_SLEEPS).contains(&sleeps), "{bare}: {sleeps}");
    }
}
