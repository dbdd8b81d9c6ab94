import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * The loop around Java's client libraries: `Client LIBRARY`, in the folder of its input; what it reads and writes is in
 * `client.py`. A thread a connection.
 */
public final class Client {
    static final int LOST_IN_A_ROW = 50;
    static final int RETRY_AFTER_MS = 50;
    static final int REQUEST_BYTES = 24;
    static final int INDEXES = 36 << 10;
    static final long NS_PER_S = 1_000_000_000L;
    static final int EXIT_UNREACHABLE = 3;
    static final int EXIT_REFUSED = 5;

    enum Outcome { TIMEOUT, CONNECTION_LOST, REFUSED, HITS, MISSES, ANSWERED }

    /** What a library raises, told apart. */
    static final class Fault extends Exception {
        final Outcome outcome;

        Fault(Outcome outcome, String why) {
            super(why);
            this.outcome = outcome;
        }
    }

    /** One connection of a library. */
    interface Library extends AutoCloseable {
        Outcome ask(int operation, String key, byte[] value) throws Fault;

        @Override
        void close();
    }

    interface Opening {
        Library open(Settings settings) throws Fault;
    }

    static final class Settings {
        final Map<String, String> properties = new HashMap<>();
        final String[] operations;
        final long[] entries;
        final long[] from;

        Settings() throws IOException {
            for (String line : Files.readAllLines(Path.of("client.properties"))) {
                int at = line.indexOf('=');
                properties.put(line.substring(0, at), line.substring(at + 1));
            }
            operations = text("operations").split(",");
            entries = numbers("entries");
            from = numbers("from");
        }

        String text(String name) {
            return properties.get(name);
        }

        long number(String name) {
            return Long.parseLong(text(name));
        }

        private long[] numbers(String name) {
            String[] words = text(name).split(",");
            long[] found = new long[words.length];
            for (int place = 0; place < words.length; place++) found[place] = Long.parseLong(words[place]);
            return found;
        }

        boolean isWrite(int operation) {
            return operations[operation].equals("set") || operations[operation].startsWith("list_insert");
        }
    }

    static int indexOf(long valueNs) {
        int bits = 64 - Long.numberOfLeadingZeros(Math.max(0, valueNs));
        int shift = Math.max(0, bits - 11);
        return Math.min(INDEXES - 1, (shift << 10) + (int) (valueNs >> shift));
    }

    /** What one connection has seen, written a second at a time. */
    static final class Tallies {
        private final BufferedWriter file;
        private long second;
        final int[][] times;
        final long[][] counts;

        Tallies(int number, int operations) throws IOException {
            file = Files.newBufferedWriter(Path.of("connection." + number));
            times = new int[operations][INDEXES];
            counts = new long[operations][Outcome.ANSWERED.ordinal()];
        }

        void enter(long now) throws IOException {
            if (now > second) {
                flush();
                second = now;
            }
        }

        void flush() throws IOException {
            for (int place = 0; place < times.length; place++) {
                long count = 0;
                StringBuilder buckets = new StringBuilder();
                for (int index = 0; index < INDEXES; index++) {
                    int seen = times[place][index];
                    if (seen == 0) continue;
                    count += seen;
                    buckets.append(' ').append(index).append(':').append(seen);
                    times[place][index] = 0;
                }
                StringBuilder line = new StringBuilder("S " + second + " " + place + " " + count);
                for (int field = 0; field < counts[place].length; field++) {
                    line.append(' ').append(counts[place][field]);
                    counts[place][field] = 0;
                }
                file.write(line.append(buckets).append('\n').toString());
            }
            file.flush();
        }

        void end(long elapsedNs) throws IOException {
            flush();
            file.write("E " + elapsedNs + "\n");
            file.close();
        }
    }

    /** One closed loop. */
    static final class Connection implements Runnable {
        private final Settings settings;
        private final Opening opening;
        private final int number;
        private final byte[] requests;
        private final byte[] pool;
        private final CountDownLatch ready;
        private final CountDownLatch go;
        private Library library;
        private int lost;

        Connection(Settings settings, Opening opening, int number, byte[][] input, CountDownLatch[] latches) {
            this.settings = settings;
            this.opening = opening;
            this.number = number;
            requests = input[0];
            pool = input[1];
            ready = latches[0];
            go = latches[1];
        }

        @Override
        public void run() {
            try {
                library = opening.open(settings);
                ready.countDown();
                go.await();
                loop(startNs);
            } catch (Fault fault) {
                giveUp(fault.outcome == Outcome.REFUSED ? EXIT_REFUSED : EXIT_UNREACHABLE, fault.getMessage());
            } catch (Exception fault) {
                giveUp(1, fault.toString());
            }
        }

        private void loop(long startNs) throws Exception {
            long connections = settings.number("connections");
            long total = settings.number("total");
            long each = total / connections + (number < total % connections ? 1 : 0);
            long endNs = startNs + (long) (Double.parseDouble(settings.text("seconds")) * NS_PER_S);
            long perConnection = settings.number("requests_per_connection");
            long count = settings.number("requests");
            long place = number * count / connections;
            String format = settings.text("prefix") + "%0" + settings.text("digits") + "d";
            ByteBuffer script = ByteBuffer.wrap(requests).order(ByteOrder.LITTLE_ENDIAN);
            Tallies tallies = new Tallies(number, settings.operations.length);
            long finished = System.nanoTime();
            for (long done = 0; total > 0 ? done < each : finished < endNs; done++) {
                int at = (int) (place++ % count) * REQUEST_BYTES;
                int operation = script.getInt(at);
                if (perConnection > 0 && done > 0 && done % perConnection == 0) close();
                String key = String.format(format, script.getLong(at + 8));
                byte[] value = settings.isWrite(operation) ? value(at, script.getInt(at + 4)) : null;
                long begun = System.nanoTime();
                Outcome outcome = ask(operation, key, value);
                finished = System.nanoTime();
                tallies.enter((finished - startNs) / NS_PER_S);
                if (outcome.ordinal() >= Outcome.HITS.ordinal()) tallies.times[operation][indexOf(finished - begun)]++;
                if (outcome != Outcome.ANSWERED) tallies.counts[operation][outcome.ordinal()]++;
            }
            tallies.end(finished - startNs);
        }

        private byte[] value(int at, int size) {
            byte[] value = new byte[size];
            System.arraycopy(requests, at + 16, value, 0, Math.min(8, size));
            int place = (requests[at + 16] & 0xff) | (requests[at + 17] & 0xff) << 8;
            if (size > 8) System.arraycopy(pool, place + 8, value, 8, size - 8);
            return value;
        }

        private Outcome ask(int operation, String key, byte[] value) throws Exception {
            try {
                if (library == null) library = opening.open(settings);
                Outcome outcome = library.ask(operation, key, value);
                lost = 0;
                return outcome;
            } catch (Fault fault) {
                if (fault.outcome == Outcome.REFUSED) return Outcome.REFUSED;
                close();
                if (fault.outcome == Outcome.CONNECTION_LOST && ++lost >= LOST_IN_A_ROW) throw fault;
                if (fault.outcome == Outcome.CONNECTION_LOST) Thread.sleep(RETRY_AFTER_MS);
                return fault.outcome;
            }
        }

        private void close() {
            if (library != null) library.close();
            library = null;
        }
    }

    static volatile long startNs;

    static synchronized void giveUp(int code, String why) {
        System.err.println(why);
        System.err.flush();
        Runtime.getRuntime().halt(code);
    }

    public static void main(String[] arguments) throws Exception {
        Opening opening = (Opening) Class.forName(arguments[0]).getDeclaredConstructor().newInstance();
        Settings settings = new Settings();
        byte[][] input = {Files.readAllBytes(Path.of("requests.bin")), Files.readAllBytes(Path.of("pool.bin"))};
        int connections = (int) settings.number("connections");
        CountDownLatch[] latches = {new CountDownLatch(connections), new CountDownLatch(1)};
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < connections; number++) {
            threads.add(new Thread(new Connection(settings, opening, number, input, latches)));
            threads.get(number).start();
        }
        latches[0].await();
        startNs = System.nanoTime();
        latches[1].countDown();
        for (Thread thread : threads) thread.join();
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }
}
