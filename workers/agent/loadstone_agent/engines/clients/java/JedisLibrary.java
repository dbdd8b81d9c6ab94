import java.nio.charset.StandardCharsets;
import java.util.List;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/** Jedis, one connection of its own. */
public final class JedisLibrary implements Client.Opening {
    @Override
    public Client.Library open(Client.Settings settings) throws Client.Fault {
        int timeoutMs = (int) settings.number("timeout_ms");
        DefaultJedisClientConfig.Builder login = DefaultJedisClientConfig.builder().timeoutMillis(timeoutMs);
        if (!settings.text("username").isEmpty()) login.user(settings.text("username"));
        if (!settings.text("password").isEmpty()) login.password(settings.text("password"));
        if (!settings.text("database").isEmpty()) login.database(Integer.parseInt(settings.text("database")));
        HostAndPort address = new HostAndPort(settings.text("host"), (int) settings.number("port"));
        try {
            Jedis client = new Jedis(address, login.build());
            client.ping();
            return new Connection(client, settings);
        } catch (JedisException fault) {
            throw told(fault);
        }
    }

    static Client.Fault told(JedisException fault) {
        String why = String.valueOf(fault.getMessage());
        if (!(fault instanceof JedisConnectionException)) return new Client.Fault(Client.Outcome.REFUSED, why);
        boolean isLate = fault.getCause() instanceof java.net.SocketTimeoutException;
        return new Client.Fault(isLate ? Client.Outcome.TIMEOUT : Client.Outcome.CONNECTION_LOST, why);
    }

    record Connection(Jedis client, Client.Settings settings) implements Client.Library {
        @Override
        public Client.Outcome ask(int operation, String key, byte[] value) throws Client.Fault {
            try {
                return carryOut(operation, key.getBytes(StandardCharsets.US_ASCII), value);
            } catch (JedisException fault) {
                throw told(fault);
            }
        }

        private Client.Outcome carryOut(int operation, byte[] key, byte[] value) {
            long entries = settings.entries[operation];
            long from = settings.from[operation];
            switch (settings.operations[operation]) {
                case "get":
                    return client.get(key) == null ? Client.Outcome.MISSES : Client.Outcome.HITS;
                case "set":
                    client.set(key, value);
                    return Client.Outcome.ANSWERED;
                case "list_insert_head":
                    client.lpush(key, value);
                    return Client.Outcome.ANSWERED;
                case "list_insert_tail":
                    client.rpush(key, value);
                    return Client.Outcome.ANSWERED;
                case "range_first":
                    return read(client.lrange(key, 0, entries - 1));
                case "range_last":
                    return read(client.lrange(key, -entries, -1));
                case "range":
                    return read(client.lrange(key, from, from + entries - 1));
                default:
                    return client.llen(key) == 0 ? Client.Outcome.MISSES : Client.Outcome.HITS;
            }
        }

        private static Client.Outcome read(List<byte[]> found) {
            return found.isEmpty() ? Client.Outcome.MISSES : Client.Outcome.HITS;
        }

        @Override
        public void close() {
            try {
                client.close();
            } catch (JedisException fault) {
                // It was broken already.
                return;
            }
        }
    }
}
