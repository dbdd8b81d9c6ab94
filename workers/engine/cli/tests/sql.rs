//! Databases as key-value and list stores, against real servers: every operation, what it counts and what is in the tables.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

mod support;

use loadstone_spec::events::ErrorClass;
use loadstone_spec::plan::OperationKind as Kind;
use serde_json::{Value, json};
use support::databases::Database;
use support::journals::assert_all_kept;
use support::{errors, numbers, run};

/// A short run of one operation over 100 prefilled keys of their own table.
fn only(database: &Database, protocol: &str, operation: Value) -> Value {
    let mut plan = database.plan(protocol);
    let kind = operation["kind"].as_str().unwrap();
    plan["target"]["table"] =
        json!(format!("t_{protocol}_{kind}_{}", operation["keys_per_request"]).replace("null", "1"));
    plan["dataset"] =
        json!({"key_count": 100, "value_size": {"kind": "uniform", "min_bytes": 20, "max_bytes": 900}});
    plan["operations"] = json!([operation]);
    plan["phases"][1]["stop"] = json!({"operations": 600});
    plan
}

fn hits(plan: &Value) -> (u64, u64) {
    let said = run(plan);
    assert_eq!(said.code(), 0, "{:?}", said.events.last());
    let measured = said.measured();
    assert_eq!((measured.sent, measured.answered), (600, 600), "{:?}", measured.operations);
    (measured.operations[0].hits, measured.operations[0].misses)
}

fn check_operations(database: &Database, protocol: &str) {
    check_each(database, protocol, &|plan| plan);
}

fn check_changed(database: &Database, protocol: &str, change: &dyn Fn(Value) -> Value) {
    check_each(database, protocol, change);
    check_lists_of(database, protocol, change);
}

fn check_each(database: &Database, protocol: &str, change: &dyn Fn(Value) -> Value) {
    let one = |kind: &str| change(only(database, protocol, json!({"kind": kind, "weight": 1})));
    let many = |kind: &str, keys: u16| {
        let operation = json!({"kind": kind, "weight": 1, "keys_per_request": keys});
        let mut plan = change(only(database, protocol, operation));
        plan["load"]["connections"] = json!(1);
        plan
    };
    assert_eq!(hits(&one("get")), (600, 0), "{protocol}");
    assert_eq!(hits(&one("set")), (0, 0), "{protocol}");
    assert_eq!(hits(&one("insert")), (0, 0), "{protocol}");
    assert_eq!(hits(&one("update")), (600, 0), "{protocol}");
    assert_eq!(hits(&one("replace")), (600, 0), "{protocol}");
    assert_eq!(hits(&one("add")), (0, 600), "{protocol}");
    // Two upserts of a key that is not there yet: FerretDB answers one of them with a duplicate key.
    let mut alone = one("incr");
    alone["load"]["connections"] = json!(1);
    assert_eq!(hits(&alone), (0, 0), "{protocol}");
    assert_eq!(hits(&one("read_modify_write")), (0, 0), "{protocol}");
    let (done, conflicts) = hits(&one("compare_and_set"));
    assert!(done + conflicts == 600 && done > 300, "{protocol} {done} {conflicts}");
    assert_eq!(hits(&many("multi_get", 8)), (4800, 0), "{protocol}");
    assert_eq!(hits(&many("multi_set", 8)), (0, 0), "{protocol}");
    if protocol != "mongodb" {
        assert_eq!(hits(&many("set", 5)), (0, 0), "{protocol}");
        assert_eq!(hits(&many("update", 5)), (3000, 0), "{protocol}");
        let mut longer = one("append");
        longer["verify"] = json!(false);
        assert_eq!(hits(&longer), (600, 0), "{protocol}");
    }
    let scanned = hits(&one("scan")).0;
    assert!((15_000..45_000).contains(&scanned), "{protocol} {scanned}");
    let mut drawn = one("scan");
    (drawn["operations"][0]["entries_min"], drawn["operations"][0]["entries"]) = (json!(1), json!(10));
    // 5.5 keys each, but for those that begin among the last ten: 5.335; five standard deviations.
    let scanned = hits(&drawn).0;
    assert!((2850..3550).contains(&scanned), "{protocol} {scanned}");
    let (gone, missing) = hits(&one("delete"));
    assert!(gone <= 100 && gone + missing == 600, "{protocol} {gone}");
}

fn check_lists(database: &Database, protocol: &str) {
    check_lists_of(database, protocol, &|plan| plan);
}

fn check_lists_of(database: &Database, protocol: &str, change: &dyn Fn(Value) -> Value) {
    let mut plan = change(only(database, protocol, json!({"kind": "list_length", "weight": 1})));
    plan["dataset"]["key_count"] = json!(5);
    plan["dataset"]["list_length"] = json!(60);
    plan["operations"] = json!([
        {"kind": "list_insert_head", "weight": 1}, {"kind": "list_insert_tail", "weight": 1},
        {"kind": "range_first", "weight": 1, "entries": 50}, {"kind": "range_last", "weight": 1, "entries": 60},
        {"kind": "range", "weight": 1, "entries": 20, "from_entry": 30}, {"kind": "list_length", "weight": 1},
    ]);
    let said = run(&plan);
    assert_eq!((said.code(), said.measured().answered), (0, 600), "{protocol} {:?}", said.events.last());
    for (kind, entries) in [(Kind::RangeFirst, 50), (Kind::RangeLast, 60), (Kind::Range, 20)] {
        let range = numbers(said.measured(), kind);
        assert_eq!(range.hits, range.count * entries, "{protocol} {kind:?}");
    }
}

/// Acknowledged writes, alone and several at once, are all found again. One connection: writes of several keys may
/// lock each other out.
fn check_journal(mut plan: Value, writes: &[&str]) {
    plan["load"]["connections"] = json!(1);
    let many = |kind: &&str| {
        let keys = if *kind == "multi_set" { 7 } else { 1 };
        json!({"kind": kind, "weight": 1, "keys_per_request": keys})
    };
    assert_all_kept(plan, &writes.iter().map(many).collect::<Vec<_>>());
}

/// Reads what another dataset has written under the same keys: every value is wrong, and told so.
fn check_wrong_values(mut plan: Value) {
    plan["operations"] = json!([{"kind": "get", "weight": 1}]);
    plan["phases"] = json!([{"name": "prefill"}, {"name": "measure", "stop": {"operations": 600}}]);
    assert_eq!(hits(&plan), (600, 0));
    plan["phases"] = json!([{"name": "measure", "stop": {"operations": 600}}]);
    plan["dataset"]["value_size"] = json!({"kind": "fixed", "bytes": 19});
    let said = run(&plan);
    let measured = said.measured();
    assert_eq!((said.code(), errors(measured, ErrorClass::WrongValue)), (0, 600), "{measured:?}");
}

fn skip(server: &str) {
    eprintln!("not tested: {server} is not on this machine");
}

#[test]
fn mariadb_answers_every_operation_prepared_and_as_text() {
    let Some(database) = Database::mariadb(&[]) else { return skip("MariaDB") };
    for protocol in ["mysql", "mysql_text"] {
        check_operations(&database, protocol);
        check_lists(&database, protocol);
        for kind in ["sql_replace", "delete_insert"] {
            let mut plan = only(&database, protocol, json!({"kind": kind, "weight": 1}));
            plan["load"]["connections"] = json!(1);
            assert_eq!(hits(&plan), (0, 0), "{protocol} {kind}");
        }
        let writes = ["set", "multi_set", "insert", "sql_replace", "delete_insert"];
        check_journal(only(&database, protocol, json!({"kind": "scan", "weight": 1})), &writes);
        check_wrong_values(only(&database, protocol, json!({"kind": "get", "weight": 1})));
        let command = "SELECT LENGTH(v) FROM loadstone WHERE k = {key} OR v = {value}";
        let mut plan = only(&database, protocol, json!({"kind": "custom", "weight": 1, "command": command}));
        plan["target"]["table"] = Value::Null;
        assert_eq!(hits(&plan), (0, 0));
    }
    let counted = database.ask_mysql("mysql", "SELECT SUM(n) FROM test.t_mysql_incr_1");
    assert_eq!(counted, "600");
}

#[test]
fn mysql_logs_in_by_caching_sha2_password_over_every_transport() {
    let Some(database) = Database::mysql(&[]) else { return skip("MySQL 8") };
    let forget = || database.ask_mysql("mysql", "FLUSH PRIVILEGES");
    let mut plan = only(&database, "mysql", json!({"kind": "get", "weight": 1}));
    // The server does not know the user yet: the password goes over the open wire, encrypted with the server's key.
    assert_eq!(hits(&plan), (600, 0));
    // Now it has the user in its cache, and a scramble is enough.
    assert_eq!(hits(&plan), (600, 0));
    for password in ["wrong", ""] {
        plan["target"]["password"] = json!(password);
        assert_eq!(run(&plan).code(), 5);
        forget();
        assert_eq!(run(&plan).code(), 5);
    }
    plan["target"]["password"] = json!("secret");
    let tcp = plan["target"]["address"].take();
    plan["target"]["address"] = json!({"kind": "unix", "path": database.socket()});
    forget();
    assert_eq!(hits(&plan), (600, 0));
    plan["target"]["address"] = tcp.clone();
    plan["target"]["tls"] = json!({"server_name": "any", "verify_certificate": false});
    forget();
    assert_eq!(hits(&plan), (600, 0));
    check_native_password(&database);
    check_operations(&database, "mysql");
    check_lists(&database, "mysql_text");
    let mut pipelined = only(&database, "mysql", json!({"kind": "get", "weight": 1}));
    pipelined["load"]["pipeline"] = json!(16);
    assert_eq!(hits(&pipelined), (600, 0));
}

/// The server asks for caching_sha2_password first and then for what the user has.
fn check_native_password(database: &Database) {
    let script = "CREATE USER native@'%' IDENTIFIED WITH mysql_native_password BY 'secret'; \
        GRANT ALL ON test.* TO native@'%'";
    database.ask_mysql("mysql", script);
    let mut plan = only(database, "mysql_text", json!({"kind": "get", "weight": 1}));
    plan["target"]["username"] = json!("native");
    assert_eq!(hits(&plan), (600, 0));
    plan["target"]["password"] = json!("wrong");
    assert_eq!(run(&plan).code(), 5);
}

#[test]
fn postgresql_answers_every_operation_prepared_and_simply() {
    let Some(database) = Database::postgres(None) else { return skip("PostgreSQL") };
    for protocol in ["postgres", "postgres_simple"] {
        check_operations(&database, protocol);
        check_lists(&database, protocol);
        let plan = only(&database, protocol, json!({"kind": "append", "weight": 1}));
        check_journal(plan, &["set", "multi_set", "insert", "delete_insert"]);
        check_wrong_values(only(&database, protocol, json!({"kind": "get", "weight": 1})));
        let mut plan = only(&database, protocol, json!({"kind": "delete_insert", "weight": 1}));
        plan["load"]["connections"] = json!(1);
        assert_eq!(hits(&plan), (0, 0), "{protocol}");
    }
    for protocol in ["postgres", "postgres_simple"] {
        let command = "SELECT length(v) FROM loadstone WHERE k = {key} OR v = {value}";
        let mut plan = only(&database, protocol, json!({"kind": "custom", "weight": 1, "command": command}));
        plan["target"]["table"] = Value::Null;
        assert_eq!(hits(&plan), (0, 0), "{protocol}");
    }
    let mut plan = only(&database, "postgres", json!({"kind": "get", "weight": 1}));
    plan["load"]["pipeline"] = json!(16);
    assert_eq!(hits(&plan), (600, 0));
    let tcp = plan["target"]["address"].take();
    let socket = database.directory.path().join(format!(".s.PGSQL.{}", database.port));
    plan["target"]["address"] = json!({"kind": "unix", "path": socket.to_str().unwrap()});
    assert_eq!(hits(&plan), (600, 0));
    plan["target"]["address"] = tcp;
    plan["target"]["password"] = json!("wrong");
    let said = run(&plan);
    assert_eq!(said.code(), 5, "{:?}", said.failure());
    check_logins_of_postgres(&database);
}

/// Besides SCRAM: a digest by MD5, no password at all, and the password as it is, which goes over no open wire.
fn check_logins_of_postgres(database: &Database) {
    let script = "SET password_encryption = 'md5'; CREATE USER digest PASSWORD 'secret' SUPERUSER; \
        CREATE USER trusted SUPERUSER; CREATE USER open PASSWORD 'secret' SUPERUSER";
    database.ask_postgres(script);
    database.let_in("host all digest all md5\nhost all trusted all trust\nhost all open all password\n");
    for (username, password, code) in
        [("digest", "secret", 0), ("digest", "wrong", 5), ("trusted", "", 0), ("open", "secret", 5)]
    {
        let mut plan = only(database, "postgres", json!({"kind": "get", "weight": 1}));
        plan["target"]["username"] = json!(username);
        plan["target"]["password"] = json!(password);
        let said = run(&plan);
        assert_eq!(said.code(), code, "{username} {:?}", said.events.last());
    }
}

#[test]
fn postgresql_speaks_tls_when_it_is_asked() {
    let made = rcgen::generate_simple_self_signed(vec!["store.test".to_owned()]).unwrap();
    let (cert, key) = (made.cert.pem(), made.signing_key.serialize_pem());
    let Some(database) = Database::postgres(Some((&cert, &key))) else { return skip("PostgreSQL") };
    let mut plan = only(&database, "postgres", json!({"kind": "get", "weight": 1}));
    plan["target"]["tls"] = json!({"server_name": "store.test", "ca_pem": cert});
    assert_eq!(hits(&plan), (600, 0));
    let Some(plain) = Database::postgres(None) else { return };
    let mut plan = only(&plain, "postgres", json!({"kind": "get", "weight": 1}));
    plan["target"]["tls"] = json!({"server_name": "store.test", "ca_pem": cert});
    let said = run(&plan);
    assert!(said.failure().message.contains("does not offer it"), "{:?}", said.failure());
}

#[test]
fn what_speaks_mongodbs_protocol_answers_every_operation() {
    let Some(database) = Database::mongodb() else {
        return skip("mongod or FerretDB (LOADSTONE_TEST_FERRETDB)");
    };
    let change = |mut plan: Value| {
        plan["target"]["username"] = Value::Null;
        plan["target"]["password"] = Value::Null;
        // It writes through to SQLite's file one after the other: a disk that is busy elsewhere holds it up for seconds.
        plan["timeout_ms"] = json!(60_000);
        plan
    };
    check_changed(&database, "mongodb", &change);
    let plan = change(only(&database, "mongodb", json!({"kind": "scan", "weight": 1})));
    check_journal(plan, &["set", "multi_set", "insert"]);
    check_wrong_values(change(only(&database, "mongodb", json!({"kind": "get", "weight": 1}))));
}

#[test]
fn what_speaks_mongodbs_protocol_logs_in_by_scram_and_over_tls() {
    let made = rcgen::generate_simple_self_signed(vec!["store.test".to_owned()]).unwrap();
    let (cert, key) = (made.cert.pem(), made.signing_key.serialize_pem());
    let Some((database, tls_port)) = Database::ferretdb_with_login(&cert, &key) else {
        return skip("FerretDB's own command (LOADSTONE_TEST_FERRETDB_COMMAND)");
    };
    let mut plan = only(&database, "mongodb", json!({"kind": "get", "weight": 1}));
    assert_eq!(hits(&plan), (600, 0));
    plan["target"]["password"] = json!("wrong");
    assert_eq!(run(&plan).code(), 5);
    plan["target"]["password"] = json!("secret");
    plan["target"]["address"]["port"] = json!(tls_port);
    plan["target"]["tls"] = json!({"server_name": "store.test", "ca_pem": cert});
    assert_eq!(hits(&plan), (600, 0));
}
