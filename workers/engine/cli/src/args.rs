//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use loadstone_spec::plan::EventLoop;

/// The engine's name in events.
pub const ENGINE: &str = "loadstone-engine";
/// The engine's version in events.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

const EXAMPLES: &str = "\
Examples:
  loadstone-engine run < plan.json > events.ndjson
  loadstone-engine run --target redis://127.0.0.1:6379 --mix get=9,set=1 --connections 50 --seconds 30
  loadstone-engine run --target memcached://127.0.0.1:11211 --rate 10000 --json      (a rate makes an open loop)
  loadstone-engine run --target redis://127.0.0.1:6379 --rate 1000..20000/30s --poisson --seconds 30
  loadstone-engine run --target mysql://root@127.0.0.1:3306/test --connections 4..256/10s --seconds 70

Exit codes: 0 ok, 1 internal, 2 bad plan, 3 target unreachable or lost, 4 stopped, 5 target refused";

/// Makes load on data stores and measures what they answer, from the intended start of every operation.
#[derive(Debug, Parser)]
#[command(name = ENGINE, version = VERSION, after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Carry out a plan (from stdin, a file, or made of flags)
    #[command(after_help = EXAMPLES)]
    Run(Box<Run>),
    /// Say what this engine can do, as JSON
    Describe,
    /// Read a plan and say whether it can be run
    Validate(Validate),
    /// Read every acknowledged write of a run's journal back and count what is kept, newer, lost or torn
    Audit(Audit),
    /// Put histogram logs and event files together and print their percentiles
    Hdr(Hdr),
    /// Measure what the engine's loop costs on a target beside a bare loop that only makes the system calls
    Bench(Box<Bench>),
    /// Print the JSON Schema of plans or events
    Schema { of: SchemaOf },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum SchemaOf {
    Plan,
    Events,
}

/// One of the loops that `bench` lets run in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum BenchLoop {
    BareEpoll,
    BareIoUring,
    EngineEpoll,
    EngineIoUring,
}

impl BenchLoop {
    pub const ALL: [Self; 4] = [Self::BareEpoll, Self::BareIoUring, Self::EngineEpoll, Self::EngineIoUring];

    pub fn is_bare(self) -> bool {
        matches!(self, Self::BareEpoll | Self::BareIoUring)
    }

    pub fn event_loop(self) -> EventLoop {
        match self {
            Self::BareEpoll | Self::EngineEpoll => EventLoop::Epoll,
            Self::BareIoUring | Self::EngineIoUring => EventLoop::IoUring,
        }
    }

    /// The name in figures.
    pub fn name(self) -> &'static str {
        match self {
            Self::BareEpoll => "bare_epoll",
            Self::BareIoUring => "bare_io_uring",
            Self::EngineEpoll => "engine_epoll",
            Self::EngineIoUring => "engine_io_uring",
        }
    }
}

#[derive(Debug, Args)]
pub struct Bench {
    /// Only these loops
    #[arg(long, value_enum, value_name = "LOOP")]
    pub only: Vec<BenchLoop>,

    /// Nothing but the loops: for whoever measures what this process costs
    #[arg(long)]
    pub loops_alone: bool,

    /// How often each loop runs, in turn with the others
    #[arg(long, default_value_t = 5)]
    pub repeats: usize,

    #[command(flatten)]
    pub flags: Flags,
}

#[derive(Debug, Args)]
pub struct Hdr {
    /// Histogram logs (--hlog of a run, or of any HdrHistogram tool) and files of events
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Print nanoseconds as JSON instead of a table
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Audit {
    /// File with the plan of the run, its target where it is now; stdin without it
    #[arg(long, value_name = "FILE")]
    pub plan: Option<PathBuf>,

    /// The journal that the run has written
    #[arg(long, value_name = "FILE")]
    pub journal: PathBuf,
}

#[derive(Debug, Args)]
pub struct Validate {
    /// File with the plan; stdin without it
    #[arg(long, value_name = "FILE")]
    pub plan: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Run {
    /// File with the plan; stdin without it and without --target
    #[arg(long, value_name = "FILE", conflicts_with = "target")]
    pub plan: Option<PathBuf>,

    /// Stop when stdin ends (it must be a pipe or a socket); the plan is then one JSON document at its start
    #[arg(long)]
    pub die_with_stdin: bool,

    /// Also write the measured seconds as an HdrHistogram log
    #[arg(long, value_name = "FILE")]
    pub hlog: Option<PathBuf>,

    /// Print the summary as one JSON document instead of a table or events
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub flags: Flags,
}

/// The common case without a plan.
#[derive(Debug, Args)]
#[command(next_help_heading = "Instead of a plan")]
pub struct Flags {
    /// PROTOCOL://[user:password@]HOST:PORT[/DATABASE], PROTOCOLs://... with TLS or PROTOCOL+unix:///PATH. Protocols:
    /// memcached, memcached_meta, memcached_binary, redis, redis_resp3, redis_cluster, mysql, mysql_text, postgres,
    /// postgres_simple, mongodb, memlink, memlink_0_3
    #[arg(long, value_name = "URL")]
    pub target: Option<String>,

    /// HOST:PORT that reads go to: a replica, or Memlink's read port
    #[arg(long, value_name = "HOST:PORT", requires = "target")]
    pub read_from: Option<String>,

    /// Measure how far that replica is behind, with so many markers a second (10)
    #[arg(long, value_name = "PER_SECOND", num_args = 0..=1, default_missing_value = "10", requires = "read_from")]
    pub replica_lag: Option<f64>,

    /// Table or collection
    #[arg(long, requires = "target")]
    pub table: Option<String>,

    /// Password of the target, where it should not stand in the address
    #[arg(long, env = "LOADSTONE_TARGET_PASSWORD", hide_env_values = true)]
    pub password: Option<String>,

    /// Operations and their weights: get=9,set=1. Behind a colon the keys of multi_get and multi_set, the entries of
    /// range_first, range_last, range and scan, the seconds of touch; see describe for all operations
    #[arg(long, default_value = "get=1", requires = "target")]
    pub mix: String,

    /// One of YCSB's core workloads, A to F, in place of a mix: its operations, keys and values of 1000 bytes
    #[arg(long, value_name = "LETTER", requires = "target", conflicts_with_all = ["mix", "zipf", "access", "value_size"])]
    pub ycsb: Option<char>,

    /// Connections over all threads, or steps of so long each: 4,8,16/10s, 4..256/10s (doubling; closed loop)
    #[arg(long, default_value = "50", value_name = "NUMBER|STEPS", requires = "target")]
    pub connections: String,

    /// Close and open anew so many connections a second
    #[arg(long, value_name = "PER_SECOND", requires = "target")]
    pub churn: Option<f64>,

    /// Send what failed again, so often at most
    #[arg(long, value_name = "ATTEMPTS", requires = "target")]
    pub retries: Option<u8>,

    /// After which faults
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "timeout,connection_lost,refused",
        requires = "retries"
    )]
    pub retry_on: Vec<String>,

    /// Load threads, each with its own share of the connections
    #[arg(long, default_value_t = 1, requires = "target")]
    pub threads: u32,

    /// Requests under way on one connection
    #[arg(long, default_value_t = 1, requires = "target")]
    pub pipeline: u32,

    /// Read the replies of a pipeline together: less CPU, but each counts as late as the last of them (closed loop)
    #[arg(long, requires = "target", conflicts_with = "rate")]
    pub gather_replies: bool,

    /// Open a connection anew after so many requests: 1 is a connection for each
    #[arg(long, requires = "target")]
    pub requests_per_connection: Option<u32>,

    /// Microseconds that a connection pauses before its next request (closed loop)
    #[arg(long, default_value_t = 0, requires = "target", conflicts_with = "rate")]
    pub think_time_us: u64,

    /// Number of keys
    #[arg(long, default_value_t = 100_000, requires = "target")]
    pub keys: u64,

    /// Length of a key in bytes: 16, or a range, 12-60
    #[arg(long, requires = "target")]
    pub key_size: Option<String>,

    /// How keys look: user:{index}:profile, or user:{index:8} for eight digits
    #[arg(long, value_name = "TEMPLATE", requires = "target")]
    pub key_template: Option<String>,

    /// Entries of every list, where the mix works on lists
    #[arg(long, default_value_t = 1, requires = "target")]
    pub list_length: u64,

    /// Share of the reads that ask for a key which was ever written
    #[arg(long, default_value_t = 1.0, requires = "target")]
    pub hit_ratio: f64,

    /// Length of a value in bytes: 100, a range, 64-1024, or facebook
    #[arg(long, default_value = "100", requires = "target")]
    pub value_size: String,

    /// Lengths of values as they were counted: a file of lines bytes,count
    #[arg(long, value_name = "FILE", requires = "target", conflicts_with_all = ["value_size", "ycsb"])]
    pub value_sizes: Option<PathBuf>,

    /// Ask for keys by Zipf's law with this exponent, not uniformly
    #[arg(long, value_name = "EXPONENT", requires = "target")]
    pub zipf: Option<f64>,

    /// Which keys are asked for: uniform, latest, sequential, permutation
    #[arg(long, requires = "target", conflicts_with = "zipf")]
    pub access: Option<String>,

    /// Operations per second, over all threads: an open loop. Over time: 1000..20000/30s is a ramp, 500/5s,9000/1s
    /// steps, 2000~1500@10s/60s a sinus; a * behind it repeats
    #[arg(long, value_name = "RATE|PROFILE", requires = "target")]
    pub rate: Option<String>,

    /// So many arrivals at once, as far apart as the rate says
    #[arg(long, value_name = "SIZE", requires = "rate", conflicts_with = "poisson")]
    pub burst: Option<u32>,

    /// Send what was recorded: a file of lines time,operation,key,size (seconds, bytes)
    #[arg(long, value_name = "FILE", requires = "target", conflicts_with_all = ["mix", "ycsb", "zipf", "access"])]
    pub trace: Option<PathBuf>,

    /// How many times faster than recorded, or max for as fast as the connections can
    #[arg(long, default_value = "1", requires = "trace", conflicts_with = "rate")]
    pub speed: String,

    /// Poisson arrivals instead of evenly spaced ones
    #[arg(long, requires = "rate")]
    pub poisson: bool,

    /// How long to measure (10 when no number of operations is given)
    #[arg(long, conflicts_with = "operations", requires = "target")]
    pub seconds: Option<f64>,

    /// How many operations to measure
    #[arg(long, requires = "target")]
    pub operations: Option<u64>,

    /// Seconds of the same load before it is measured
    #[arg(long, value_name = "SECONDS", requires = "target")]
    pub warmup: Option<f64>,

    /// Warm up until it is steady: coefficient of variation and drift of 10 s are at most this (0.05). Ends after
    /// --warmup seconds at the latest (300)
    #[arg(long, value_name = "VARIATION", num_args = 0..=1, default_missing_value = "0.05", requires = "target")]
    pub until_steady: Option<f64>,

    /// Do not write every key first
    #[arg(long, requires = "target")]
    pub no_prefill: bool,

    /// Compare every value read with what must have been written
    #[arg(long, requires = "target")]
    pub verify: bool,

    /// The same seed sends the same keys in the same order
    #[arg(long, default_value_t = 1, requires = "target")]
    pub seed: u64,

    /// Cores to run on: 1,3
    #[arg(long, value_delimiter = ',', requires = "target")]
    pub cpus: Vec<u32>,

    /// Milliseconds after which an operation counts as failed
    #[arg(long, default_value_t = 5000, requires = "target")]
    pub timeout_ms: u64,

    /// How to wait for sockets: epoll, or io_uring, which costs less and may add up to 200 us in a closed loop
    #[arg(long, default_value = "epoll", requires = "target")]
    pub event_loop: String,

    /// Accept any certificate (TLS)
    #[arg(long, requires = "target")]
    pub insecure: bool,
}

#[cfg(test)]
impl Arguments {
    /// The flags of `run`, for tests of what is made of them.
    pub fn parse_flags(flags: &[&str]) -> Flags {
        let words = [ENGINE, "run"].into_iter().chain(flags.iter().copied());
        match Self::parse_from(words).command {
            Command::Run(run) => run.flags,
            _ => unreachable!("the words begin with run"),
        }
    }
}
