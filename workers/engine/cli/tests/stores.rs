//! Real memcached and Redis, over every transport.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

mod support;

use std::os::unix::fs::PermissionsExt;

use loadstone_spec::events::ErrorClass;
use loadstone_spec::plan::{OperationKind, PhaseName};
use serde_json::{Value, json};
use support::cutting_proxy::cut_connections;
use support::{Store, errors, numbers, plan, run};
use tempfile::TempDir;

fn mixed(protocol: &str, port: u16) -> Value {
    let mut plan = plan(protocol, port);
    plan["operations"] = json!([
        {"kind": "get", "weight": 6}, {"kind": "set", "weight": 3},
        {"kind": "multi_get", "weight": 1, "keys_per_request": 7},
    ]);
    plan["dataset"]["value_size"] = json!({"kind": "uniform", "min_bytes": 1, "max_bytes": 3000});
    plan["access"] = json!({"kind": "zipf", "exponent": 1.1});
    plan
}

/// Every operation was answered with the right value, in about the shares that were asked for.
fn assert_all_right(plan: &Value) {
    let said = run(plan);
    assert_eq!(said.code(), 0, "{:?}", said.events.last());
    assert_eq!(said.phase(PhaseName::Prefill).answered, 1000);
    let measured = said.measured();
    assert_eq!((measured.sent, measured.answered, measured.failed), (5000, 5000, 0));
    let (get, set) = (numbers(measured, OperationKind::Get), numbers(measured, OperationKind::Set));
    assert!(
        (2800..3200).contains(&get.count) && (1350..1650).contains(&set.count),
        "{} {}",
        get.count,
        set.count
    );
    let multi_get = numbers(measured, OperationKind::MultiGet);
    assert_eq!((get.hits, get.misses), (get.count, 0));
    assert_eq!((multi_get.hits, multi_get.misses), (multi_get.count * 7, 0));
    assert!(get.bytes_received > get.count * 1000 && set.bytes_sent > set.count * 1000);
}

#[test]
fn a_mix_on_memcached_is_answered_and_verified() {
    let store = Store::memcached(&[]).ready();
    assert_all_right(&mixed("memcached", store.port));
}

#[test]
fn a_mix_on_redis_is_answered_and_verified() {
    let store = Store::redis(&[]).ready();
    assert_all_right(&mixed("redis", store.port));
}

#[test]
fn pipelines_and_threads_keep_every_answer_with_its_request() {
    for (protocol, store) in [
        ("memcached", Store::memcached(&[])),
        ("memcached_meta", Store::memcached(&[])),
        ("memcached_binary", Store::memcached(&[])),
        ("redis", Store::redis(&[])),
        ("redis_resp3", Store::redis(&[])),
    ] {
        let store = store.ready();
        let mut plan = mixed(protocol, store.port);
        plan["load"] = json!({"kind": "closed", "connections": 7, "pipeline": 16});
        plan["threads"] = json!(3);
        assert_all_right(&plan);
    }
}

#[test]
fn redis_takes_a_password_and_a_database() {
    take_password_and_database("redis");
    take_password_and_database("redis_resp3");
}

fn take_password_and_database(protocol: &str) {
    let store = Store::redis(&["--requirepass", "secret word"]).ready();
    let mut plan = mixed(protocol, store.port);
    plan["target"]["password"] = json!("secret word");
    plan["target"]["database"] = json!(5);
    assert_all_right(&plan);
    let info = store.say(b"*2\r\n$4\r\nAUTH\r\n$11\r\nsecret word\r\nINFO keyspace\r\n");
    assert!(String::from_utf8_lossy(&info).contains("db5:keys=1000"));
}

#[test]
fn redis_knows_users_by_their_rights() {
    let rights = ["--user", "me", "on", ">secret word", "~k*", "+@all", "-set"];
    for protocol in ["redis", "redis_resp3"] {
        let store = Store::redis(&rights).ready();
        let mut plan = plan(protocol, store.port);
        plan["target"]["username"] = json!("me");
        plan["target"]["password"] = json!("secret word");
        plan["operations"] = json!([{"kind": "get", "weight": 1}, {"kind": "set", "weight": 1}]);
        plan["phases"] = json!([{"name": "measure", "stop": {"operations": 200}}]);
        let said = run(&plan);
        let refused = errors(said.measured(), ErrorClass::Refused);
        assert_eq!((said.code(), refused), (0, said.measured().failed), "{protocol}");
        assert!(refused > 50 && numbers(said.measured(), OperationKind::Get).misses > 50, "{protocol}");
        plan["target"]["password"] = json!("wrong");
        assert_eq!(run(&plan).code(), 5, "{protocol}");
    }
}

#[test]
fn binary_memcached_authenticates_by_sasl_plain() {
    let directory = TempDir::new().unwrap();
    let Some(store) = Store::memcached_with_sasl(directory.path()) else {
        eprintln!("not tested: saslpasswd2 is missing (apt-get install sasl2-bin)");
        return;
    };
    let store = store.ready();
    let mut plan = mixed("memcached_binary", store.port);
    plan["target"]["username"] = json!("me@local");
    plan["target"]["password"] = json!("secret");
    assert_all_right(&plan);
    plan["target"]["password"] = json!("wrong");
    assert_eq!(run(&plan).code(), 5);
    plan["target"]["username"] = Value::Null;
    plan["target"]["password"] = Value::Null;
    assert_eq!(run(&plan).code(), 5);
}

#[test]
fn unix_sockets_work() {
    let directory = TempDir::new().unwrap();
    std::fs::set_permissions(directory.path(), PermissionsExt::from_mode(0o777)).unwrap();
    let path = directory.path().join("store.sock");
    let socket = path.to_str().unwrap();
    let _memcached = Store::memcached(&["-s", socket]).ready_at(&path);
    let mut plan = mixed("memcached", 1);
    plan["target"]["address"] = json!({"kind": "unix", "path": socket});
    assert_all_right(&plan);
    let path = directory.path().join("redis.sock");
    let socket = path.to_str().unwrap();
    let _redis = Store::redis(&["--unixsocket", socket]).ready_at(&path);
    let mut plan = mixed("redis", 1);
    plan["target"]["address"] = json!({"kind": "unix", "path": socket});
    assert_all_right(&plan);
}

#[test]
fn ipv6_works() {
    if std::net::TcpListener::bind("[::1]:0").is_err() {
        eprintln!("not tested: this machine has no IPv6 loopback");
        return;
    }
    let store = Store::memcached(&["-l", "127.0.0.1,[::1]"]).ready();
    let mut plan = mixed("memcached", store.port);
    plan["target"]["address"]["host"] = json!("::1");
    assert_all_right(&plan);
}

struct Certificate {
    directory: TempDir,
    pem: String,
}

impl Certificate {
    fn new() -> Self {
        let made = rcgen::generate_simple_self_signed(vec!["store.test".to_owned()]).unwrap();
        let directory = TempDir::new().unwrap();
        std::fs::set_permissions(directory.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let pem = made.cert.pem();
        std::fs::write(directory.path().join("cert.pem"), &pem).unwrap();
        std::fs::write(directory.path().join("key.pem"), made.signing_key.serialize_pem()).unwrap();
        Self { directory, pem }
    }

    fn path(&self, name: &str) -> String {
        self.directory.path().join(name).to_str().unwrap().to_owned()
    }
}

#[test]
fn tls_works_on_memcached_and_trusts_only_its_certificate() {
    let certificate = Certificate::new();
    let chain = format!("ssl_chain_cert={}", certificate.path("cert.pem"));
    let key = format!("ssl_key={}", certificate.path("key.pem"));
    let store = Store::memcached(&["-Z", "-o", &chain, "-o", &key]).ready();
    let mut plan = mixed("memcached", store.port);
    plan["target"]["tls"] = json!({"server_name": "store.test", "ca_pem": certificate.pem});
    assert_all_right(&plan);
    plan["target"]["tls"] = json!({"server_name": "store.test", "ca_pem": Certificate::new().pem});
    let said = run(&plan);
    assert_eq!(said.code(), 3);
    assert!(said.failure().message.contains("TLS"), "{:?}", said.failure());
}

#[test]
fn tls_works_on_every_dialect_of_redis() {
    let certificate = Certificate::new();
    let (cert, key) = (certificate.path("cert.pem"), certificate.path("key.pem"));
    for protocol in ["redis", "redis_resp3", "redis_cluster"] {
        let (port, plain_port) = (support::free_port(), support::free_port());
        let (text, plain) = (port.to_string(), plain_port.to_string());
        let bus = support::free_port().to_string();
        let place = TempDir::new().unwrap();
        let dir = place.path().to_str().unwrap();
        let mut arguments = vec!["--tls-port", &text, "--tls-cert-file", &cert, "--tls-key-file", &key];
        arguments.extend(["--tls-ca-cert-file", &cert, "--tls-auth-clients", "no", "--dir", dir]);
        let is_cluster = protocol == "redis_cluster";
        if is_cluster {
            arguments.extend(["--port", &plain, "--cluster-enabled", "yes", "--cluster-port", &bus]);
            arguments.extend(["--tls-cluster", "yes"]);
        }
        let mut store = Store::redis(&arguments);
        store.port = if is_cluster { plain_port } else { port };
        let store = store.ready();
        if is_cluster {
            assert_eq!(store.say(b"CLUSTER ADDSLOTSRANGE 0 16383\r\n"), b"+OK\r\n");
            support::await_true("the cluster is up", || {
                String::from_utf8_lossy(&store.say(b"CLUSTER INFO\r\n")).contains("cluster_state:ok")
            });
        }
        let mut plan = mixed(protocol, port);
        if is_cluster {
            plan["operations"].as_array_mut().unwrap().pop();
        }
        plan["target"]["tls"] = json!({"server_name": "other.test", "verify_certificate": false});
        let said = run(&plan);
        let measured = said.measured();
        assert_eq!((said.code(), measured.answered, measured.failed), (0, 5000, 0), "{protocol}");
    }
}

#[test]
fn a_wrong_value_in_the_store_is_found() {
    let store = Store::memcached(&[]).ready();
    let mut prefill = plan("memcached", store.port);
    prefill["phases"] = json!([{"name": "prefill"}]);
    assert_eq!(run(&prefill).code(), 0);
    let forged = format!("set k000000000000005 0 0 100\r\n{}\r\n", "x".repeat(100));
    assert_eq!(store.say(forged.as_bytes()), b"STORED\r\n");
    let mut read = plan("memcached", store.port);
    read["phases"] = json!([{"name": "measure", "stop": {"operations": 20000}}]);
    let said = run(&read);
    let wrong = errors(said.measured(), ErrorClass::WrongValue);
    assert!((1..80).contains(&wrong), "{wrong} of 20000 reads of 1000 keys found the one wrong value");
    assert_eq!(said.measured().failed, wrong);
}

#[test]
fn writes_that_the_store_refuses_are_counted_and_told() {
    let store = Store::memcached(&["-I", "2k", "-o", "slab_chunk_max=1"]).ready();
    let mut plan = plan("memcached", store.port);
    plan["dataset"]["value_size"] = json!({"kind": "fixed", "bytes": 4000});
    plan["verify"] = json!(false);
    let said = run(&plan);
    let prefill = said.phase(PhaseName::Prefill);
    assert_eq!((prefill.failed, errors(prefill, ErrorClass::Refused)), (1000, 1000));
    assert!(said.warnings().iter().any(|warning| warning.code == "prefill_incomplete"));
    assert_eq!(numbers(said.measured(), OperationKind::Get).misses, 5000);
}

#[test]
fn a_prefill_writes_the_keys_again_that_were_lost_with_their_connections() {
    for (protocol, store) in [("memcached", Store::memcached(&[])), ("redis", Store::redis(&[]))] {
        let store = store.ready();
        // One more than the connections of the plan: the engine first looks whether anything listens.
        let port = cut_connections(store.port, 6, 9000);
        let said = run(&plan(protocol, port));
        assert_eq!(said.code(), 0, "{:?}", said.events.last());
        let prefill = said.phase(PhaseName::Prefill);
        assert!(prefill.failed > 0, "no connection was cut");
        assert_eq!((prefill.answered, prefill.sent), (1000, 1000 + prefill.failed));
        assert!(said.warnings().iter().all(|warning| warning.code != "prefill_incomplete"));
        assert_eq!(numbers(said.measured(), OperationKind::Get).misses, 0);
    }
}

#[test]
fn a_prefill_that_is_cut_off_again_and_again_ends_and_says_what_is_missing() {
    let store = Store::memcached(&[]).ready();
    // The greeting passes, no set ever does.
    let mut plan = plan("memcached", cut_connections(store.port, usize::MAX, 60));
    plan["dataset"]["key_count"] = json!(40);
    plan["phases"] = json!([{"name": "prefill"}]);
    let said = run(&plan);
    let prefill = said.phase(PhaseName::Prefill);
    assert_eq!((said.code(), prefill.answered, prefill.failed), (0, 0, 80));
    assert!(said.warnings().iter().any(|warning| warning.message.starts_with("40 keys")));
}

#[test]
fn values_of_a_megabyte_pass_through_small_buffers() {
    let store = Store::redis(&[]).ready();
    let mut plan = plan("redis", store.port);
    plan["dataset"] = json!({"key_count": 20, "value_size": {"kind": "fixed", "bytes": 1_000_000}});
    plan["operations"] = json!([{"kind": "get", "weight": 1}, {"kind": "set", "weight": 1}]);
    plan["load"] = json!({"kind": "closed", "connections": 2, "pipeline": 3});
    plan["phases"][1]["stop"] = json!({"operations": 100});
    let said = run(&plan);
    assert_eq!((said.code(), said.measured().answered), (0, 100));
}
