//! Targets of several parts: a Redis cluster whose slots move, a replica that answers the reads.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

mod support;

use loadstone_spec::plan::OperationKind as Kind;
use serde_json::{Value, json};
use support::journals::assert_all_kept;
use support::{Store, await_true, numbers, plan, run, start_fed};
use tempfile::TempDir;

struct Cluster {
    nodes: Vec<Store>,
    _directories: Vec<TempDir>,
}

fn ask(store: &Store, words: &str) -> String {
    String::from_utf8_lossy(&store.say(format!("{words}\r\n").as_bytes())).into_owned()
}

impl Cluster {
    /// Two nodes, each with half of the slots.
    fn start() -> Self {
        let directories: Vec<TempDir> = (0..2).map(|_| TempDir::new().unwrap()).collect();
        let nodes: Vec<Store> = directories
            .iter()
            .map(|directory| {
                let place = directory.path().to_str().unwrap();
                let cluster_port = support::free_port().to_string();
                let arguments = ["--cluster-enabled", "yes", "--dir", place, "--cluster-port", &cluster_port];
                Store::redis(&arguments).ready()
            })
            .collect();
        for (node, slots) in nodes.iter().zip(["0 8191", "8192 16383"]) {
            assert_eq!(ask(node, &format!("CLUSTER ADDSLOTSRANGE {slots}")), "+OK\r\n");
        }
        let info = ask(&nodes[1], "CLUSTER NODES");
        let bus = info.split('@').nth(1).unwrap().split([' ', ',']).next().unwrap().to_owned();
        assert_eq!(ask(&nodes[0], &format!("CLUSTER MEET 127.0.0.1 {} {bus}", nodes[1].port)), "+OK\r\n");
        for node in &nodes {
            await_true("the cluster is up", || ask(node, "CLUSTER INFO").contains("cluster_state:ok"));
            await_true("all slots are known", || ask(node, "CLUSTER SLOTS").matches("8192").count() == 1);
        }
        Self { nodes, _directories: directories }
    }

    fn id(&self, node: usize) -> String {
        let id = ask(&self.nodes[node], "CLUSTER MYID");
        id.lines().nth(1).unwrap().trim().to_owned()
    }
}

fn mix(protocol: &str, port: u16) -> Value {
    let mut plan = plan(protocol, port);
    plan["operations"] = json!([
        {"kind": "get", "weight": 6}, {"kind": "set", "weight": 3}, {"kind": "read_modify_write", "weight": 1},
    ]);
    plan
}

#[test]
fn every_key_goes_to_the_node_of_its_slot() {
    let cluster = Cluster::start();
    for load in [
        json!({"kind": "closed", "connections": 4, "pipeline": 8}),
        json!({"kind": "open", "connections": 4, "rate_per_s": 20_000}),
    ] {
        let mut plan = mix("redis_cluster", cluster.nodes[0].port);
        plan["load"] = load;
        let said = run(&plan);
        assert_eq!(said.code(), 0, "{:?}", said.events.last());
        let get = numbers(said.measured(), Kind::Get);
        assert_eq!((said.measured().answered, get.misses), (5000, 0), "{:?}", said.measured());
    }
    assert_all_kept(mix("redis_cluster", cluster.nodes[0].port), &[json!({"kind": "set", "weight": 1})]);
    for node in &cluster.nodes {
        let moved = ask(node, "INFO errorstats");
        assert!(!moved.contains("MOVED"), "{moved}");
        assert!(ask(node, "DBSIZE").trim_matches([':', '\r', '\n']).parse::<u64>().unwrap() > 300);
    }
}

#[test]
fn keys_are_followed_while_their_slots_move() {
    let cluster = Cluster::start();
    let mut plan = mix("redis_cluster", cluster.nodes[0].port);
    plan["phases"][1]["stop"] = json!({"seconds": 2});
    let child = start_fed(&plan);
    std::thread::sleep(std::time::Duration::from_millis(900));
    let (from, to) = (cluster.id(0), cluster.id(1));
    for slot in 0..200 {
        assert_eq!(ask(&cluster.nodes[1], &format!("CLUSTER SETSLOT {slot} IMPORTING {from}")), "+OK\r\n");
        assert_eq!(ask(&cluster.nodes[0], &format!("CLUSTER SETSLOT {slot} MIGRATING {to}")), "+OK\r\n");
        for _ in 0..3 {
            let keys = ask(&cluster.nodes[0], &format!("CLUSTER GETKEYSINSLOT {slot} 100"));
            for key in keys.lines().filter(|line| line.starts_with('k')) {
                let port = cluster.nodes[1].port;
                ask(&cluster.nodes[0], &format!("MIGRATE 127.0.0.1 {port} {key} 0 1000"));
            }
            if keys == "*0\r\n" {
                break;
            }
        }
        for node in &cluster.nodes[..] {
            ask(node, &format!("CLUSTER SETSLOT {slot} NODE {to}"));
        }
        if slot > 6 {
            break;
        }
    }
    let said = support::finish(child);
    let measured = said.measured();
    assert_eq!((said.code(), measured.failed), (0, 0), "{:?}", measured.operations);
    assert_eq!(numbers(measured, Kind::Get).misses, 0);
    assert!(measured.answered > 1000);
}

#[test]
fn reads_go_to_the_replica_and_writes_to_the_other() {
    let main = Store::redis(&[]).ready();
    let replica = Store::redis(&["--replicaof", "127.0.0.1", &main.port.to_string()]).ready();
    await_true("the replica is in step", || {
        ask(&replica, "INFO replication").contains("master_link_status:up")
    });
    let mut plan = mix("redis", main.port);
    plan["target"]["read_address"] = json!({"kind": "tcp", "host": "127.0.0.1", "port": replica.port});
    let said = run(&plan);
    assert_eq!((said.code(), said.measured().answered), (0, 5000), "{:?}", said.measured());
    let calls = |store: &Store, command: &str| ask(store, "INFO commandstats").contains(command);
    assert!(calls(&main, "cmdstat_set:") && calls(&replica, "cmdstat_get:"));
    let gets = numbers(said.measured(), Kind::Get).count;
    let counted = ask(&replica, "INFO commandstats");
    assert!(counted.contains(&format!("cmdstat_get:calls={gets},")), "{gets}: {counted}");
}
