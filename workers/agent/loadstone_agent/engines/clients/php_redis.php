<?php
// The loop around phpredis, in the folder of its input; what it reads and writes is in `client.py`.
// A process a connection: PHP has no threads.

declare(strict_types=1);

const LOST_IN_A_ROW = 50;
const RETRY_AFTER_US = 50000;
const NS_PER_S = 1000000000;
const FIELDS = ['timeout', 'connection_lost', 'refused', 'hits', 'misses'];
const EXIT_UNREACHABLE = 3;
const EXIT_REFUSED = 5;

final class Unreachable extends Exception {}
final class Refused extends Exception {}

function read_properties(): array
{
    $found = [];
    foreach (file('client.properties', FILE_IGNORE_NEW_LINES) as $line) {
        [$name, $value] = explode('=', $line, 2);
        $found[$name] = $value;
    }
    return $found;
}

function open_connection(array $properties): Redis
{
    $client = new Redis();
    $timeout_s = (int) $properties['timeout_ms'] / 1000;
    try {
        $client->connect($properties['host'], (int) $properties['port'], $timeout_s, null, 0, $timeout_s);
        if (defined('Redis::OPT_MAX_RETRIES')) {
            // A repeated request would be counted once.
            $client->setOption(Redis::OPT_MAX_RETRIES, 0);
        }
    } catch (RedisException $fault) {
        throw new Unreachable($fault->getMessage());
    }
    try {
        $login = $properties['username'] === '' ? $properties['password'] : [$properties['username'], $properties['password']];
        $is_in = $properties['password'] === '' || $client->auth($login);
        $is_in = $is_in && ($properties['database'] === '' || $client->select((int) $properties['database']));
        $is_in = $is_in && $client->ping();
    } catch (RedisException $fault) {
        throw new Refused($fault->getMessage());
    }
    if (!$is_in) {
        throw new Refused($client->getLastError() ?? 'the target refused the sign-in');
    }
    return $client;
}

function make_call(string $name, int $entries, int $first): Closure
{
    $range = fn (int $from, int $to) => fn ($client, $key) => $client->lRange($key, $from, $to);
    return match ($name) {
        'get' => fn ($client, $key) => $client->get($key),
        'set' => fn ($client, $key, $value) => $client->set($key, $value),
        'list_insert_head' => fn ($client, $key, $value) => $client->lPush($key, $value),
        'list_insert_tail' => fn ($client, $key, $value) => $client->rPush($key, $value),
        'range_first' => $range(0, $entries - 1),
        'range_last' => $range(-$entries, -1),
        'range' => $range($first, $first + $entries - 1),
        'list_length' => fn ($client, $key) => $client->lLen($key),
    };
}

function index_of(int $value_ns): int
{
    $shift = 0;
    while (($value_ns >> $shift) >= 2048) {
        $shift++;
    }
    return ($shift << 10) + ($value_ns >> $shift);
}

final class Tallies
{
    private $file;
    private int $second = 0;
    public array $times;
    public array $counts;

    public function __construct(int $number, private int $operations)
    {
        $this->file = fopen("connection.$number", 'w');
        $this->clear();
    }

    private function clear(): void
    {
        $this->times = array_fill(0, $this->operations, []);
        $this->counts = array_fill(0, $this->operations, array_fill_keys(FIELDS, 0));
    }

    public function enter(int $second): void
    {
        if ($second > $this->second) {
            $this->flush();
            $this->second = $second;
        }
    }

    public function flush(): void
    {
        $lines = '';
        for ($place = 0; $place < $this->operations; $place++) {
            $buckets = '';
            foreach ($this->times[$place] as $index => $count) {
                $buckets .= " $index:$count";
            }
            $figures = implode(' ', $this->counts[$place]);
            $lines .= "S {$this->second} $place " . array_sum($this->times[$place]) . " $figures$buckets\n";
        }
        fwrite($this->file, $lines);
        $this->clear();
    }

    public function end(int $elapsed_ns): void
    {
        $this->flush();
        fwrite($this->file, "E $elapsed_ns\n");
        fclose($this->file);
    }
}

final class Connection
{
    private ?Redis $client;
    private array $calls = [];
    private array $names;
    private int $lost = 0;
    private string $pool;

    public function __construct(private array $properties)
    {
        $this->names = explode(',', $properties['operations']);
        [$entries, $first] = [explode(',', $properties['entries']), explode(',', $properties['from'])];
        foreach ($this->names as $place => $name) {
            $this->calls[] = make_call($name, (int) $entries[$place], (int) $first[$place]);
        }
        $this->pool = file_get_contents('pool.bin');
        $this->client = open_connection($properties);
    }

    public function loop(int $number, int $start_ns): void
    {
        $properties = $this->properties;
        [$connections, $total] = [(int) $properties['connections'], (int) $properties['total']];
        $each = intdiv($total, $connections) + ($number < $total % $connections ? 1 : 0);
        $end_ns = $start_ns + (int) ((float) $properties['seconds'] * NS_PER_S);
        $per_connection = (int) $properties['requests_per_connection'];
        [$requests, $count] = [file_get_contents('requests.bin'), (int) $properties['requests']];
        $format = $properties['prefix'] . '%0' . $properties['digits'] . 'd';
        $tallies = new Tallies($number, count($this->names));
        $place = intdiv($number * $count, $connections);
        for ($done = 0, $finished = hrtime(true); $total ? $done < $each : $finished < $end_ns; $done++) {
            $at = 24 * ($place++ % $count);
            ['operation' => $operation, 'size' => $size, 'key' => $key] = unpack('Voperation/Vsize/Pkey', $requests, $at);
            $tag = substr($requests, $at + 16, 8);
            if ($per_connection && $done && $done % $per_connection === 0) {
                $this->close();
            }
            $begun = hrtime(true);
            $outcome = $this->ask($operation, sprintf($format, $key), $tag, $size);
            $finished = hrtime(true);
            $tallies->enter(intdiv($finished - $start_ns, NS_PER_S));
            if ($outcome === 'ok' || $outcome === 'hits' || $outcome === 'misses') {
                $index = index_of($finished - $begun);
                $tallies->times[$operation][$index] = ($tallies->times[$operation][$index] ?? 0) + 1;
            }
            if ($outcome !== 'ok') {
                $tallies->counts[$operation][$outcome]++;
            }
        }
        $tallies->end($finished - $start_ns);
    }

    private function ask(int $operation, string $key, string $tag, int $size): string
    {
        $name = $this->names[$operation];
        $is_write = $name === 'set' || str_starts_with($name, 'list_insert');
        // The first two bytes of the tag, least first, are where the value begins in the pool.
        $place = ord($tag[0]) | ord($tag[1]) << 8;
        $value = $is_write ? substr($tag . substr($this->pool, $place + 8, max(0, $size - 8)), 0, $size) : '';
        try {
            $this->client ??= open_connection($this->properties);
            $answer = ($this->calls[$operation])($this->client, $key, $value);
            $this->lost = 0;
            if ($answer === false && $this->client->getLastError() !== null) {
                $this->client->clearLastError();
                return 'refused';
            }
            return $is_write ? 'ok' : ($answer === false || $answer === [] || $answer === 0 ? 'misses' : 'hits');
        } catch (RedisException | Unreachable | Refused $fault) {
            return $this->fail($fault);
        }
    }

    private function fail(Exception $fault): string
    {
        $this->close();
        if ($fault instanceof Refused) {
            return 'refused';
        }
        // phpredis tells a read that took too long by these words.
        if (str_contains($fault->getMessage(), 'read error') || str_contains($fault->getMessage(), 'timed out')) {
            return 'timeout';
        }
        if (++$this->lost >= LOST_IN_A_ROW) {
            throw new Unreachable($fault->getMessage());
        }
        usleep(RETRY_AFTER_US);
        return 'connection_lost';
    }

    private function close(): void
    {
        if ($this->client !== null) {
            @$this->client->close();
        }
        $this->client = null;
    }
}

function serve(array $properties, int $number, $ready, $go): int
{
    try {
        $connection = new Connection($properties);
        fwrite($ready, 'r');
        fread($go, 1);
        $connection->loop($number, (int) file_get_contents('start'));
    } catch (Unreachable $fault) {
        fwrite(STDERR, $fault->getMessage() . "\n");
        return EXIT_UNREACHABLE;
    } catch (Refused $fault) {
        fwrite(STDERR, $fault->getMessage() . "\n");
        return EXIT_REFUSED;
    }
    return 0;
}

function main(): int
{
    $properties = read_properties();
    $children = [];
    for ($number = 0; $number < (int) $properties['connections']; $number++) {
        [$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        $pid = pcntl_fork();
        if ($pid === 0) {
            fclose($ours);
            exit(serve($properties, $number, $theirs, $theirs));
        }
        fclose($theirs);
        $children[$pid] = $ours;
    }
    $is_ready = true;
    foreach ($children as $wire) {
        // A child that could not connect has gone, and its end with it.
        $is_ready = fread($wire, 1) === 'r' && $is_ready;
    }
    if ($is_ready) {
        file_put_contents('start', (string) hrtime(true));
        array_map(fn ($wire) => fwrite($wire, 'g'), $children);
    }
    $codes = [];
    foreach (array_keys($children) as $pid) {
        if (!$is_ready) {
            posix_kill($pid, SIGTERM);
        }
        pcntl_waitpid($pid, $status);
        $codes[] = pcntl_wifexited($status) ? pcntl_wexitstatus($status) : 0;
    }
    return max($codes);
}

exit(main());
