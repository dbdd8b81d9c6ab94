"""Landlock: the kernel's own limits on which files and TCP ports a process may reach. No privilege is needed.

Layout and numbers: `linux/landlock.h`, Documentation/userspace-api/landlock.rst. See decision 0009.
"""

import ctypes
import os
import struct

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION_FLAG = 1
RULE_PATH_BENEATH, RULE_NET_PORT = 1, 2
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38
HIGHEST_CAPABILITY = 63
"""Numbers the kernel does not know yet are refused, which does no harm."""
ABI_MIN = 2
"""The first that allows renames between folders, which every database does."""
ABI_TRUNCATE, ABI_NETWORK, ABI_SCOPES = 3, 4, 6

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REFER, TRUNCATE = 1 << 13, 1 << 14
FILES_V2 = (1 << 14) - 1
BIND_TCP, CONNECT_TCP = 1 << 0, 1 << 1
SCOPE_ABSTRACT_SOCKETS, SCOPE_SIGNALS = 1 << 0, 1 << 1

READ = EXECUTE | READ_FILE | READ_DIR
ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
"""The only rights that a rule for something other than a folder may carry."""

PROGRAMS = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/etc/alternatives")
FACTS = (
    "/proc", "/sys", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts", "/etc/host.conf",
    "/etc/resolv.conf", "/etc/services", "/etc/protocols", "/etc/localtime", "/etc/timezone", "/etc/ld.so.cache",
    "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ssl/openssl.cnf", "/etc/ssl/certs", "/etc/locale.alias",
    "/etc/gai.conf", "/etc/os-release",
)  # fmt: skip
"""What a server reads of the host. `/etc` as a whole may hold files that belong to the agent's user."""
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")

_libc = ctypes.CDLL(None, use_errno=True)


def _call(number: int, *arguments: object) -> int:
    result = _libc.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return int(result)


def abi() -> int:
    """The kernel's version of Landlock; 0 where it is missing, switched off or filtered away."""
    try:
        return _call(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(VERSION_FLAG))
    except OSError:
        return 0


class Confinement:
    """A rule set. Make it while every path can still be opened, enforce it when the user has been changed."""

    def __init__(
        self,
        readable: list[str],
        writable: list[str],
        listens: list[int] | None = None,
        connects: list[int] | None = None,
    ) -> None:
        """Allows the host's programs, `readable` and `writable` (everything but execution), and TCP by port.

        Paths that don't exist are skipped. Raises OSError where the kernel has no Landlock.
        """
        self._abi = abi()
        self._files = FILES_V2 | (TRUNCATE if self._abi >= ABI_TRUNCATE else 0)
        network = BIND_TCP | CONNECT_TCP if self._abi >= ABI_NETWORK else 0
        scopes = SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS if self._abi >= ABI_SCOPES else 0
        attributes = struct.pack("=QQQ", self._files, network, scopes)
        size = 24 if self._abi >= ABI_SCOPES else 16 if self._abi >= ABI_NETWORK else 8
        self._ruleset = _call(CREATE_RULESET, attributes, ctypes.c_size_t(size), ctypes.c_uint32(0))
        for path in (*PROGRAMS, *FACTS, *readable):
            self._allow(path, READ)
        for path in (*DEVICES, *writable):
            self._allow(path, self._files & ~EXECUTE)
        if network:
            self._allow_ports(BIND_TCP, listens or [])
            self._allow_ports(CONNECT_TCP, connects or [])

    def _allow_ports(self, right: int, ports: list[int]) -> None:
        for port in ports:
            rule = struct.pack("=QQ", right, port)
            _call(ADD_RULE, self._ruleset, RULE_NET_PORT, rule, ctypes.c_uint32(0))

    def _allow(self, path: str, rights: int) -> None:
        try:
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        try:
            if not os.path.isdir(path):  # noqa: PTH112 - pathlib costs the keeper milliseconds
                rights &= ON_FILES
            rule = struct.pack("=Qi", rights & self._files, descriptor)
            _call(ADD_RULE, self._ruleset, RULE_PATH_BENEATH, rule, ctypes.c_uint32(0))
        finally:
            os.close(descriptor)

    def enforce(self) -> None:
        """For this process and everything it starts, for good. `forgo_privileges` comes first."""
        _call(RESTRICT_SELF, self._ruleset, ctypes.c_uint32(0))
        os.close(self._ruleset)


def drop_capabilities() -> None:
    """Empties the bounding set, so that even a program started by root has none. Nothing happens for other users."""
    for capability in range(HIGHEST_CAPABILITY + 1):
        _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def forgo_privileges() -> None:
    """No program that this process starts gains rights by being set-user-id or by file capabilities."""
    if _libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_NO_NEW_PRIVS)")
