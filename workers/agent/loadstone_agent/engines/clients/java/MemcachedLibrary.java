import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeoutException;
import net.rubyeye.xmemcached.MemcachedClient;
import net.rubyeye.xmemcached.XMemcachedClientBuilder;
import net.rubyeye.xmemcached.command.BinaryCommandFactory;
import net.rubyeye.xmemcached.exception.MemcachedException;
import net.rubyeye.xmemcached.transcoders.CachedData;
import net.rubyeye.xmemcached.transcoders.PrimitiveTypeTranscoder;

/** xmemcached, a client of one connection for each thread. */
public final class MemcachedLibrary implements Client.Opening {
    /** The bytes as they are: no flags, no compression. */
    static final class Bytes extends PrimitiveTypeTranscoder<byte[]> {
        @Override
        public CachedData encode(byte[] value) {
            return new CachedData(0, value);
        }

        @Override
        public byte[] decode(CachedData data) {
            return data.getData();
        }
    }

    static final Bytes BYTES = new Bytes();

    @Override
    public Client.Library open(Client.Settings settings) throws Client.Fault {
        InetSocketAddress address = new InetSocketAddress(settings.text("host"), (int) settings.number("port"));
        XMemcachedClientBuilder builder = new XMemcachedClientBuilder(List.of(address));
        if (settings.text("protocol").equals("memcached_binary")) builder.setCommandFactory(new BinaryCommandFactory());
        builder.setConnectionPoolSize(1);
        builder.setOpTimeout(settings.number("timeout_ms"));
        builder.setConnectTimeout(settings.number("timeout_ms"));
        builder.setEnableHealSession(false);
        try {
            MemcachedClient client = builder.build();
            // Merging gets of several callers is what the library is known for; each has its own client here.
            client.setOptimizeGet(false);
            if (client.getVersions().isEmpty()) throw new IOException("no server answers");
            return new Connection(client, settings);
        } catch (IOException | MemcachedException | TimeoutException | InterruptedException fault) {
            throw new Client.Fault(Client.Outcome.CONNECTION_LOST, String.valueOf(fault.getMessage()));
        }
    }

    record Connection(MemcachedClient client, Client.Settings settings) implements Client.Library {
        @Override
        public Client.Outcome ask(int operation, String key, byte[] value) throws Client.Fault {
            try {
                if (!settings.isWrite(operation)) {
                    return client.get(key, BYTES) == null ? Client.Outcome.MISSES : Client.Outcome.HITS;
                }
                boolean isStored = client.set(key, 0, value, BYTES);
                if (!isStored) throw new Client.Fault(Client.Outcome.REFUSED, "the server did not store the value");
                return Client.Outcome.ANSWERED;
            } catch (TimeoutException fault) {
                throw new Client.Fault(Client.Outcome.TIMEOUT, String.valueOf(fault.getMessage()));
            } catch (MemcachedException fault) {
                boolean isServers = String.valueOf(fault.getMessage()).contains("SERVER_ERROR");
                Client.Outcome outcome = isServers ? Client.Outcome.REFUSED : Client.Outcome.CONNECTION_LOST;
                throw new Client.Fault(outcome, String.valueOf(fault.getMessage()));
            } catch (InterruptedException fault) {
                throw new Client.Fault(Client.Outcome.CONNECTION_LOST, "interrupted");
            }
        }

        @Override
        public void close() {
            try {
                client.shutdown();
            } catch (IOException fault) {
                // It was broken already.
                return;
            }
        }
    }
}
