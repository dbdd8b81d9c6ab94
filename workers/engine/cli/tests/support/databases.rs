//! Databases that a test starts for itself.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{await_true, free_port, plan};

/// A database that dies with the test, with a user `me` whose password is `secret`, and a database `test`.
pub struct Database {
    child: Child,
    pub port: u16,
    pub directory: TempDir,
}

impl Drop for Database {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn find(names: &[&str]) -> Option<String> {
    let paths = std::env::var("PATH").unwrap_or_default();
    let all = names.iter().flat_map(|name| {
        paths.split(':').map(move |directory| format!("{directory}/{name}")).chain([(*name).to_owned()])
    });
    all.into_iter().find(|path| path.contains('/') && Path::new(path).is_file())
}

/// Servers refuse to run as root.
fn as_nobody(program: &str) -> Command {
    if !nix::unistd::geteuid().is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    // Root's folder for temporary files may be closed to others.
    command.env("TMPDIR", "/tmp");
    command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups", program]);
    command
}

fn folder() -> TempDir {
    use std::os::unix::fs::PermissionsExt;
    let directory = TempDir::new().unwrap();
    std::fs::set_permissions(directory.path(), PermissionsExt::from_mode(0o777)).unwrap();
    directory
}

/// A server that starts removes all temporary tables that it finds, those of others too.
fn own_temporary(directory: &TempDir) -> String {
    format!("--tmpdir={}", directory.path().display())
}

fn quiet(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null())
}

impl Database {
    pub fn socket(&self) -> String {
        self.directory.path().join("db.sock").to_str().unwrap().to_owned()
    }

    pub fn mariadb(arguments: &[&str]) -> Option<Self> {
        let (server, install) = (find(&["mariadbd", "/usr/sbin/mariadbd"])?, find(&["mariadb-install-db"])?);
        let directory = folder();
        let data = format!("--datadir={}/data", directory.path().display());
        let temporary = own_temporary(&directory);
        let fixed = [
            "--no-defaults",
            &data,
            &temporary,
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
        ];
        assert!(quiet(as_nobody(&install).args(fixed)).status().unwrap().success());
        let database = Self::serve_mysql(&server, directory, &data, arguments);
        database.make_user("mysql", "mysql_native_password", "IDENTIFIED BY");
        Some(database)
    }

    /// MySQL 8 where it has been unpacked (its basedir in `LOADSTONE_TEST_MYSQL`), for caching_sha2_password.
    pub fn mysql(arguments: &[&str]) -> Option<Self> {
        let base = std::env::var("LOADSTONE_TEST_MYSQL").unwrap_or_else(|_| "/opt/mysql-8.0.33".to_owned());
        let server = find(&[&format!("{base}/bin/mysqld")])?;
        let directory = folder();
        let data = format!("--datadir={}/data", directory.path().display());
        let basedir = format!("--basedir={base}");
        let temporary = own_temporary(&directory);
        let fixed = ["--no-defaults", &basedir, &data, &temporary, "--initialize-insecure"];
        assert!(quiet(as_nobody(&server).args(fixed)).status().unwrap().success());
        let more = [&[&basedir, "--mysqlx=OFF", "--disable-log-bin"], arguments].concat();
        let database = Self::serve_mysql(&server, directory, &data, &more);
        database.make_user("mysql", "caching_sha2_password", "IDENTIFIED WITH caching_sha2_password BY");
        Some(database)
    }

    fn serve_mysql(server: &str, directory: TempDir, data: &str, arguments: &[&str]) -> Self {
        let port = free_port();
        let socket = format!("--socket={}/db.sock", directory.path().display());
        let mut command = as_nobody(server);
        let temporary = own_temporary(&directory);
        command.args([
            "--no-defaults",
            data,
            &temporary,
            &socket,
            "--bind-address=127.0.0.1",
            &format!("--port={port}"),
        ]);
        command.args(["--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=64M"]).args(arguments);
        let child = quiet(&mut command).spawn().unwrap();
        let database = Self { child, port, directory };
        await_true("the database listens", || {
            std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()
                && Path::new(&database.socket()).exists()
        });
        database
    }

    /// PostgreSQL with SCRAM over TCP and, given a certificate, TLS.
    pub fn postgres(certificate: Option<(&str, &str)>) -> Option<Self> {
        let places = ["initdb", "/usr/lib/postgresql/15/bin/initdb", "/usr/lib/postgresql/17/bin/initdb"];
        let initdb = find(&places)?;
        let initdb = std::fs::canonicalize(initdb).unwrap();
        let server = initdb.with_file_name("postgres");
        let directory = folder();
        let data = directory.path().join("data");
        let password = directory.path().join("password");
        std::fs::write(&password, "secret").unwrap();
        let mut init = as_nobody(initdb.to_str().unwrap());
        init.args(["-U", "me", "--auth-host=scram-sha-256", "--auth-local=trust", "-N", "-D"]).arg(&data);
        assert!(quiet(init.arg("--pwfile").arg(&password)).status().unwrap().success());
        let port = free_port();
        let mut command = as_nobody(server.to_str().unwrap());
        command.args(["-p", &port.to_string(), "-c", "fsync=off", "-c", "listen_addresses=127.0.0.1", "-D"]);
        command.arg(&data).arg("-k").arg(directory.path());
        if let Some((cert, key)) = certificate {
            for (name, pem) in [("server.crt", cert), ("server.key", key)] {
                std::fs::write(directory.path().join(name), pem).unwrap();
                let path = directory.path().join(name);
                let _ = Command::new("chown").arg("nobody").arg(&path).status();
                use std::os::unix::fs::PermissionsExt;
                std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
            }
            let place = directory.path().display();
            command.args(["-c", "ssl=on", "-c", &format!("ssl_cert_file={place}/server.crt")]);
            command.args(["-c", &format!("ssl_key_file={place}/server.key")]);
        }
        let child = quiet(&mut command).spawn().unwrap();
        let database = Self { child, port, directory };
        await_true("the database has been made", || {
            let psql = initdb.with_file_name("psql");
            let mut ask = Command::new(psql);
            ask.args([
                "-p",
                &port.to_string(),
                "-U",
                "me",
                "-d",
                "postgres",
                "-c",
                "CREATE DATABASE test",
                "-h",
            ]);
            quiet(ask.arg(database.directory.path())).status().is_ok_and(|status| status.success())
        });
        Some(database)
    }

    /// FerretDB as agents install it (or `LOADSTONE_TEST_FERRETDB`, or one on the path), or else mongod.
    pub fn mongodb() -> Option<Self> {
        let directory = folder();
        let port = free_port();
        let place = directory.path().to_str().unwrap();
        let home = std::env::var("HOME").unwrap_or_default();
        let installed = format!("{home}/.loadstone-agent/servers/ferretdb-1.24.2/ferretdb");
        let named = std::env::var("LOADSTONE_TEST_FERRETDB").unwrap_or_default();
        let ferretdb = find(&[&named, &installed, "ferretdb"]);
        let mut command = match (ferretdb, find(&["mongod"])) {
            (Some(ferretdb), _) => {
                let mut command = Command::new(ferretdb);
                command
                    .args([format!("--listen-addr=127.0.0.1:{port}"), format!("--sqlite-url=file:{place}/")]);
                command
            }
            (None, Some(mongod)) => {
                let mut command = Command::new(mongod);
                command.args(["--dbpath", place, "--port", &port.to_string(), "--bind_ip", "127.0.0.1"]);
                command
            }
            (None, None) => return None,
        };
        let child = quiet(&mut command).spawn().unwrap();
        let database = Self { child, port, directory };
        await_true("the database listens", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
        Some(database)
    }

    /// FerretDB's own command (`LOADSTONE_TEST_FERRETDB_COMMAND`), which alone can ask for a login; also over TLS.
    pub fn ferretdb_with_login(cert: &str, key: &str) -> Option<(Self, u16)> {
        let command = find(&[&std::env::var("LOADSTONE_TEST_FERRETDB_COMMAND").unwrap_or_default()])?;
        let directory = folder();
        let (port, tls_port) = (free_port(), free_port());
        let place = directory.path().display();
        for (name, pem) in [("cert.pem", cert), ("key.pem", key)] {
            std::fs::write(directory.path().join(name), pem).unwrap();
        }
        let mut command = Command::new(command);
        command.args(["--handler=sqlite", "--debug-addr=-", "--telemetry=disable", "--test-enable-new-auth"]);
        command.args(["--setup-database=admin", "--setup-username=me", "--setup-password=secret"]);
        command.args([format!("--sqlite-url=file:{place}/"), format!("--state-dir={place}")]);
        command
            .arg(format!("--listen-addr=127.0.0.1:{port}"))
            .arg(format!("--listen-tls=127.0.0.1:{tls_port}"));
        command.arg(format!("--listen-tls-cert-file={place}/cert.pem"));
        command.arg(format!("--listen-tls-key-file={place}/key.pem"));
        let child = quiet(&mut command).spawn().unwrap();
        let database = Self { child, port, directory };
        await_true("the database listens", || std::net::TcpStream::connect(("127.0.0.1", tls_port)).is_ok());
        Some((database, tls_port))
    }

    fn make_user(&self, client: &str, _method: &str, identified: &str) {
        let script = format!(
            "CREATE DATABASE test; CREATE USER me@'%' {identified} 'secret'; GRANT ALL ON test.* TO me@'%';"
        );
        self.ask_mysql(client, &script);
    }

    /// By its Unix socket, where everybody is trusted.
    pub fn ask_postgres(&self, script: &str) {
        let psql = find(&["psql"]).unwrap_or_else(|| "psql".to_owned());
        let mut ask = Command::new(psql);
        ask.args([
            "-p",
            &self.port.to_string(),
            "-U",
            "me",
            "-d",
            "test",
            "-v",
            "ON_ERROR_STOP=1",
            "-c",
            script,
        ]);
        assert!(quiet(ask.arg("-h").arg(self.directory.path())).status().unwrap().success(), "{script}");
    }

    /// Puts lines in front of those that say who may log in how.
    pub fn let_in(&self, lines: &str) {
        let file = self.directory.path().join("data/pg_hba.conf");
        let rest = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, format!("{lines}{rest}")).unwrap();
        self.ask_postgres("SELECT pg_reload_conf()");
        // The server reads the file when it gets to it, which it does not tell.
        std::thread::sleep(std::time::Duration::from_millis(300));
    }

    pub fn ask_mysql(&self, client: &str, script: &str) -> String {
        let socket = format!("--socket={}", self.socket());
        let output = Command::new(client)
            .args(["--no-defaults", &socket, "-uroot", "-N", "-e", script])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// A plan against it, with its user.
    pub fn plan(&self, protocol: &str) -> Value {
        let mut plan = plan(protocol, self.port);
        plan["target"]["username"] = json!("me");
        plan["target"]["password"] = json!("secret");
        plan["target"]["database"] = json!("test");
        plan
    }
}
