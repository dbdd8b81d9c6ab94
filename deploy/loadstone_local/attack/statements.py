"""What an editor could type into a custom operation that a store must not do: one list a kind.

`@CANARY@` stands for a file that must not appear, `@SECRET@` for one that must not be read, `@LIBRARY@` for a shared
library that must not be loaded, `@NAME@` for the canary's bare name: a command that runs in the data directory,
where a sandbox lets it write, leaves it there.
"""

from typing import Final, Literal, NamedTuple

Judge = Literal["effect", "accepted"]


class Statement(NamedTuple):
    """`accepted`: the store has no reason to carry it out for an ordinary role, so that an answer without an error is
    the attack's success. `effect`: only what it did or returned tells.
    """

    name: str
    text: str
    judge: Judge = "accepted"


TOUCH = "touch @CANARY@ @NAME@"

POSTGRESQL = [
    Statement("copy to program", f"COPY (SELECT 1) TO PROGRAM '{TOUCH}'"),
    Statement("copy to program, other spelling", f"cOpY/**/(SELECT 1)/**/tO/**/pRoGrAm $q${TOUCH}$q$"),
    Statement("copy from program", f"CREATE TABLE p (t text); COPY p FROM PROGRAM '{TOUCH}; echo 1'"),
    Statement("copy to program in a do block",
              f"DO $d$ BEGIN EXECUTE 'COPY (SELECT 1) TO PROGRAM ''{TOUCH}'''; END $d$"),
    Statement("copy to file", "COPY (SELECT 1) TO '@CANARY@'"),
    Statement("copy from file", "CREATE TABLE f (t text); COPY f FROM '@SECRET@'"),
    Statement("pg_read_file", "SELECT pg_read_file('@SECRET@')"),
    Statement("pg_read_binary_file", "SELECT encode(pg_read_binary_file('@SECRET@'), 'escape')"),
    Statement("pg_ls_dir", "SELECT pg_ls_dir('/')"),
    Statement("pg_stat_file", "SELECT pg_stat_file('@SECRET@')"),
    Statement("lo_import", "SELECT lo_import('@SECRET@')"),
    Statement("lo_export", "SELECT lo_export(lo_from_bytea(0, 'x'), '@CANARY@')"),
    Statement("load a library", "LOAD '@LIBRARY@'"),
    Statement("function of a library", "CREATE FUNCTION evil() RETURNS int AS '@LIBRARY@', 'evil' LANGUAGE C"),
    Statement("function of libc", "CREATE FUNCTION system(cstring) RETURNS int AS '/lib/x86_64-linux-gnu/libc.so.6',"
              " 'system' LANGUAGE C STRICT"),
    Statement("create extension", "CREATE EXTENSION adminpack"),
    Statement("create untrusted language", "CREATE EXTENSION plpython3u"),
    Statement("dblink", "CREATE EXTENSION dblink"),
    Statement("foreign data wrapper", "CREATE EXTENSION postgres_fdw"),
    Statement("file_fdw", "CREATE EXTENSION file_fdw"),
    Statement("alter system", "ALTER SYSTEM SET archive_command = 'touch @CANARY@'"),
    Statement("create superuser", "CREATE ROLE evil SUPERUSER LOGIN"),
    Statement("grant server programs", "GRANT pg_execute_server_program TO CURRENT_USER"),
    Statement("become the admin", "SET ROLE postgres"),
    Statement("session of the admin", "SET SESSION AUTHORIZATION postgres"),
    Statement("preload in the session", "SET session_preload_libraries = '@LIBRARY@'"),
    Statement("reload the configuration", "SELECT pg_reload_conf()"),
    Statement("end other sessions", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'postgres'"
              " AND pid <> pg_backend_pid() AND 1 / (SELECT count(*) FROM pg_stat_activity WHERE usename = 'postgres'"
              " AND pid <> pg_backend_pid()) >= 0"),
    Statement("create database", "CREATE DATABASE evil"),
    Statement("create tablespace", "CREATE TABLESPACE evil LOCATION '@FOLDER@'"),
    Statement("other people's passwords", "SELECT rolname, rolpassword FROM pg_authid"),
    Statement("event trigger", "CREATE FUNCTION et() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END';"
              " CREATE EVENT TRIGGER evil ON ddl_command_end EXECUTE FUNCTION et()"),
    Statement("write into a catalog", "UPDATE pg_catalog.pg_authid SET rolsuper = true"),
]  # fmt: skip

MARIADB = [
    Statement("into outfile", "SELECT 1 INTO OUTFILE '@CANARY@'"),
    Statement("into outfile, commented", "SELECT 1 /*!50000INTO*/ /*!50000OUTFILE*/ '@CANARY@'"),
    Statement("into dumpfile", "SELECT 1 INTO DUMPFILE '@CANARY@'"),
    Statement("into outfile beside the data", "SELECT 1 INTO OUTFILE './@NAME@'"),
    Statement("load_file", "SELECT LOAD_FILE('@SECRET@')", "effect"),
    Statement("load data", "LOAD DATA INFILE '@SECRET@' INTO TABLE information_schema.x"),
    Statement("install plugin", "INSTALL PLUGIN evil SONAME 'evil.so'"),
    Statement("install soname", "INSTALL SONAME 'auth_socket'"),
    Statement("create function of a library", "CREATE FUNCTION evil RETURNS INTEGER SONAME 'evil.so'"),
    Statement("general log to a file", "SET GLOBAL general_log_file = '@CANARY@'"),
    Statement("general log on", "SET GLOBAL general_log = ON"),
    Statement("slow log to a file", "SET GLOBAL slow_query_log_file = '@CANARY@'"),
    Statement("secure_file_priv", "SET GLOBAL secure_file_priv = '/'"),
    Statement("local_infile", "SET GLOBAL local_infile = 1"),
    Statement("init_connect", "SET GLOBAL init_connect = 'SELECT 1'"),
    Statement("create user", "CREATE USER evil@localhost IDENTIFIED BY 'x'"),
    Statement("grant file", "GRANT FILE ON *.* TO CURRENT_USER"),
    Statement("set password of root", "SET PASSWORD FOR root@localhost = PASSWORD('x')"),
    Statement("create database", "CREATE DATABASE evil"),
    Statement("write into mysql.user", "UPDATE mysql.user SET authentication_string = ''"),
    Statement("read mysql.user", "SELECT authentication_string FROM mysql.user"),
    Statement("replicate from elsewhere", "CHANGE MASTER TO MASTER_HOST = '127.0.0.1'"),
    Statement("flush logs", "FLUSH LOGS"),
    Statement("table elsewhere", "CREATE TABLE evil (i INT) DATA DIRECTORY '@FOLDER@'", "effect"),
    Statement("federated", "CREATE SERVER evil FOREIGN DATA WRAPPER mysql OPTIONS (HOST '127.0.0.1')"),
    Statement("prepared outfile",
              "PREPARE s FROM CONCAT('SELECT 1 INTO OUT', 'FILE ''@CANARY@'''); EXECUTE s", "effect"),
    Statement("event", "CREATE DEFINER = root@localhost EVENT evil ON SCHEDULE EVERY 1 SECOND DO SET @x = 1"),
    Statement("shut down", "SHUTDOWN"),
]  # fmt: skip

REDIS = [
    Statement("config set dir", "CONFIG SET dir @FOLDER@"),
    Statement("config set dbfilename", "CONFIG SET dbfilename @NAME@"),
    Statement("config rewrite", "CONFIG REWRITE"),
    Statement("config get", "CONFIG GET *"),
    Statement("module load", "MODULE LOAD @LIBRARY@"),
    Statement("module loadex", "MODULE LOADEX @LIBRARY@"),
    Statement("migrate", "MIGRATE 127.0.0.1 1 k 0 100", "effect"),
    Statement("debug", "DEBUG JMAP"),
    Statement("debug sleep", "DEBUG SLEEP 0"),
    Statement("acl setuser", "ACL SETUSER evil on nopass ~* &* +@all"),
    Statement("acl list", "ACL LIST"),
    Statement("acl load", "ACL LOAD"),
    Statement("save", "SAVE"),
    Statement("bgsave", "BGSAVE"),
    Statement("bgrewriteaof", "BGREWRITEAOF"),
    Statement("monitor", "MONITOR"),
    Statement("function load", "FUNCTION LOAD \"#!lua name=evil\\nredis.register_function('evil', function() end)\""),
    Statement("os.execute", "EVAL \"return os.execute('touch @CANARY@')\" 0", "effect"),
    Statement("io.popen", "EVAL \"local f = io.popen('touch @CANARY@'); return f:read('*a')\" 0", "effect"),
    Statement("package.loadlib", "EVAL \"local f = package.loadlib('/lib/x86_64-linux-gnu/liblua5.1.so.0',"
              " 'luaopen_os'); f().execute('touch @CANARY@')\" 0", "effect"),
    Statement("loadfile", "EVAL \"return loadfile('@SECRET@')\" 0", "effect"),
    Statement("cluster", "CLUSTER RESET"),
    Statement("slow log", "SLOWLOG RESET"),
    Statement("publish", "PUBLISH c x", "effect"),
    Statement("client kill", "CLIENT KILL TYPE normal SKIPME yes"),
    Statement("replicaof", "REPLICAOF 127.0.0.1 1"),
    Statement("slaveof", "SLAVEOF 127.0.0.1 1"),
    Statement("shut down", "SHUTDOWN NOSAVE"),
]  # fmt: skip

MEMCACHED = [
    Statement("shut down", "shutdown", "effect"),
    Statement("misbehave", "misbehave", "effect"),
    Statement("sign in reload", "refresh_certs", "effect"),
]

MYSQL = [
    *MARIADB[:-1],
    Statement("create role", "CREATE ROLE evil"),
    Statement("persist", "SET PERSIST max_connections = 10"),
    Statement("clone", "CLONE LOCAL DATA DIRECTORY '@CANARY@'"),
    Statement("load component", "INSTALL COMPONENT 'file://component_validate_password'"),
    MARIADB[-1],
]

STATEMENTS: Final[dict[str, list[Statement]]] = {
    "postgresql": POSTGRESQL,
    "mariadb": MARIADB,
    "mysql": MYSQL,
    "redis": REDIS,
    "valkey": REDIS,
    "memcached": MEMCACHED,
}  # fmt: skip

SHORT: Final[dict[str, list[str]]] = {
    "postgresql": ["copy to program", "lo_export", "become the admin"],
    "mariadb": ["into outfile", "general log to a file"],
    "redis": ["config set dir", "module load", "os.execute"],
    "memcached": [],
}
"""Those of the short form that are typed into plans; all are tried on the stores themselves."""
