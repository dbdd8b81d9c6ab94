"""How the load generators of key-value stores are told to do the work of a cell."""

from processes import find_program
from stores import MC_CRUSHER_PREFIX
from work import Work

# It runs for whole seconds.
MC_CRUSHER_SECONDS = 1
MEMASLAP_WINDOW = "1k"
# With the prefix: the engine's own keys from the ten-thousandth on, because it does not pad its numbers.
MEMTIER_FIRST_KEY = 10_000
YCSB_RECORDS = 10_000
YCSB_BINDINGS = {"memcached": "site.ycsb.db.MemcachedClient", "redis": "site.ycsb.db.RedisClient"}


def redis_benchmark(program: list[str], work: Work) -> list[str] | None:
    cell = work.cell
    if cell.store != "redis":
        return None
    shape = ["-c", str(cell.connections), "-n", str(work.operations // cell.keys), "-r", str(cell.key_count), "-q"]
    what = ["-d", str(cell.value_bytes), "-P", str(cell.pipeline), "-t", cell.operation]
    if cell.keys > 1:
        what = ["MGET", *["key:__rand_int__"] * cell.keys]
    return [*program, "-h", "127.0.0.1", "-p", str(work.server.port), *shape, *what]


def memtier(program: list[str], work: Work) -> list[str] | None:
    """Not for 1 KiB, which is like 100 B: each of its runs lasts two seconds at least."""
    cell = work.cell
    protocol = {"memcached": "memcache_text", "redis": "redis"}.get(cell.scheme)
    if protocol is None or cell.value_bytes > 100 or (cell.keys > 1 and cell.store == "redis"):
        return None
    mix = ["--ratio", "1:0"] if cell.operation == "set" else ["--ratio", f"0:{cell.keys}"]
    if cell.keys > 1:
        mix.append(f"--multi-key-get={cell.keys}")
    return [
        *program, "-s", "127.0.0.1", "-p", str(work.server.port), "-P", protocol, "-t", "1",
        "-c", str(cell.connections), "-n", str(max(work.each // cell.keys, 1)), *mix, "-d", str(cell.value_bytes),
        f"--pipeline={cell.pipeline}", f"--key-prefix={MC_CRUSHER_PREFIX}", f"--key-minimum={MEMTIER_FIRST_KEY}",
        f"--key-maximum={cell.key_count - 1}", "--hide-histogram",
    ]  # fmt: skip


def memcslap(program: list[str], work: Work) -> list[str] | None:
    """Its values have a size of their own, some hundred bytes."""
    cell = work.cell
    if cell.store != "memcached" or cell.pipeline > 1 or cell.keys > 1 or cell.value_bytes > 100:
        return None
    return [*program, "-s", work.address, f"--concurrency={cell.connections}", f"--execute-number={work.each}",
            f"--test={cell.operation}", "--tcp-nodelay"]  # fmt: skip


def memaslap(program: list[str], work: Work) -> list[str] | None:
    """Before it gets it sets a window of keys for every connection: the server counts those too."""
    cell = work.cell
    if cell.store != "memcached" or cell.pipeline > 1:
        return None
    sets, size = int(cell.operation == "set"), cell.value_bytes
    mix = f"key\n16 16 1\nvalue\n{size} {size} 1\ncmd\n0 {sets}\n1 {1 - sets}\n"
    wide = [f"--division={cell.keys}"] if cell.keys > 1 else []
    return [*program, "-s", work.address, "-T", "1", "-c", str(cell.connections), "-x", str(work.operations),
            "-w", MEMASLAP_WINDOW, "-F", work.write("memaslap.conf", mix), *wide]  # fmt: skip


def mc_crusher(program: list[str], work: Work) -> list[str] | None:
    """It runs for a time and counts nothing: the server's count is what there is."""
    cell = work.cell
    sends = {("memcached", 1): f"ascii_{cell.operation}", ("memcached", 16): "ascii_mget,mget_count=16",
             ("memcached_meta", 1): "ascii_mg,cmd_postfix= v"}  # fmt: skip
    send = sends.get((cell.scheme, cell.keys))
    if send is None:
        return None
    shape = f"conns={cell.connections},pipelines={cell.pipeline},value_size={cell.value_bytes}"
    keys = f"key_prefix={MC_CRUSHER_PREFIX},key_count={cell.key_count}"
    conf = work.write("mc-crusher.conf", f"send={send},recv=blind_read,{shape},{keys}\n")
    return [*program, "--conf", conf, "--ip", "127.0.0.1", "--port", str(work.server.port),
            "--timeout", str(MC_CRUSHER_SECONDS)]  # fmt: skip


def load_ycsb(program: list[str], work: Work) -> list[str] | None:
    """Records of its own, that its reads find."""
    return [*_ycsb(program, work), "-load", "-threads", "1"] if ycsb(program, work) else None


def ycsb(program: list[str], work: Work) -> list[str] | None:
    """A thread of Java for every connection."""
    cell = work.cell
    is_plain = cell.operation == "get" and cell.pipeline == cell.keys == 1 and cell.value_bytes == 100
    if not is_plain or cell.scheme not in YCSB_BINDINGS:
        return None
    return [*_ycsb(program, work), "-t", "-threads", str(cell.connections), "-p", f"operationcount={work.operations}"]


def _ycsb(program: list[str], work: Work) -> list[str]:
    """`program` is the folder that YCSB lies in. Java keeps no file of figures in /tmp."""
    (home,), (store, port) = program, (work.cell.store, work.server.port)
    settings = ["workload=site.ycsb.workloads.CoreWorkload", "readproportion=1", "updateproportion=0", "fieldcount=1",
                f"fieldlength={work.cell.value_bytes}", f"recordcount={YCSB_RECORDS}", "requestdistribution=uniform",
                f"memcached.hosts=127.0.0.1:{port}", "redis.host=127.0.0.1", f"redis.port={port}"]  # fmt: skip
    command = [find_program("java") or "java", "-XX:-UsePerfData", "-cp", f"{home}/lib/*:{home}/{store}-binding/lib/*"]
    pairs = [word for setting in settings for word in ("-p", setting)]
    return [*command, "site.ycsb.Client", "-db", YCSB_BINDINGS[store], *pairs]
