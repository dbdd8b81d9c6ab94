/* The loop around hiredis, in the folder of its input; what it reads and writes is in `client.py`.
   A thread a connection, each with a synchronous context as an application would use it. */

#define _GNU_SOURCE
#include <errno.h>
#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000LL
#define REQUEST_BYTES 24
#define INDEXES (36 << 10)
#define MAX_OPERATIONS 32
#define LOST_IN_A_ROW 50
#define RETRY_AFTER_US 50000
enum { EXIT_UNREACHABLE = 3, EXIT_REFUSED = 5 };
enum { TIMEOUT, LOST, REFUSED, HITS, MISSES, FIELDS, ANSWERED };

typedef struct {
    char kind[32];
    char first[32], last[32];
    int is_write, is_range, is_length;
    const char *command;
} operation_t;

static char host[256], username[256], password[1024], prefix[128];
static int port, database = -1, connections, timeout_ms, digits, operations;
static long long total, per_connection, requests;
static double seconds;
static operation_t ops[MAX_OPERATIONS];
static unsigned char *request_bytes, *pool;
static long request_size, pool_size;
static pthread_barrier_t connected;
static long long start_ns;

typedef struct {
    int number;
    redisContext *client;
    int lost;
    FILE *file;
    long long second;
    uint32_t *times;
    long long counts[MAX_OPERATIONS][FIELDS];
} connection_t;

static long long now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * NS_PER_S + time.tv_nsec;
}

static int index_of(long long value) {
    if (value < 0) value = 0;
    int bits = value ? 64 - __builtin_clzll((unsigned long long)value) : 0;
    int shift = bits > 11 ? bits - 11 : 0;
    int index = (shift << 10) + (int)(value >> shift);
    return index < INDEXES ? index : INDEXES - 1;
}

static void give_up(int code, const char *why) {
    fprintf(stderr, "%s\n", why);
    fflush(NULL);
    _exit(code);
}

static unsigned char *read_file(const char *path, long *size_of) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) give_up(1, path);
    long size = *size_of = ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(size + 1);
    if (!bytes || fread(bytes, 1, size, file) != (size_t)size) give_up(1, path);
    fclose(file);
    bytes[size] = 0;
    return bytes;
}

/* One of the comma-separated words of a property, for each operation. */
static void each_word(char *value, void (*take)(operation_t *, const char *)) {
    int place = 0;
    for (char *rest = value, *word; (word = strsep(&rest, ",")) && place < MAX_OPERATIONS; place++) take(&ops[place], word);
    operations = place;
}

static void take_kind(operation_t *op, const char *word) {
    snprintf(op->kind, sizeof op->kind, "%s", word);
    op->is_write = !strcmp(word, "set") || !strncmp(word, "list_insert", 11);
    op->is_range = !strncmp(word, "range", 5);
    op->is_length = !strcmp(word, "list_length");
    op->command = !strcmp(word, "get") ? "GET" : !strcmp(word, "set") ? "SET"
        : !strcmp(word, "list_insert_head") ? "LPUSH" : !strcmp(word, "list_insert_tail") ? "RPUSH"
        : op->is_length ? "LLEN" : "LRANGE";
}

static void take_entries(operation_t *op, const char *word) {
    snprintf(op->last, sizeof op->last, "%s", word);
}

/* After the entries: both together are the ends of a range. */
static void take_from(operation_t *op, const char *word) {
    long long entries = atoll(op->last), from = atoll(word);
    int is_last = !strcmp(op->kind, "range_last");
    snprintf(op->first, sizeof op->first, "%lld", is_last ? -entries : !strcmp(op->kind, "range") ? from : 0);
    snprintf(op->last, sizeof op->last, "%lld", is_last ? -1 : (!strcmp(op->kind, "range") ? from : 0) + entries - 1);
}

static void read_properties(void) {
    char line[4096];
    FILE *file = fopen("client.properties", "r");
    if (!file) give_up(1, "no client.properties");
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        char *value = strchr(line, '=');
        if (!value) continue;
        *value++ = 0;
        if (!strcmp(line, "host")) snprintf(host, sizeof host, "%s", value);
        else if (!strcmp(line, "username")) snprintf(username, sizeof username, "%s", value);
        else if (!strcmp(line, "password")) snprintf(password, sizeof password, "%s", value);
        else if (!strcmp(line, "prefix")) snprintf(prefix, sizeof prefix, "%s", value);
        else if (!strcmp(line, "port")) port = atoi(value);
        else if (!strcmp(line, "database") && *value) database = atoi(value);
        else if (!strcmp(line, "connections")) connections = atoi(value);
        else if (!strcmp(line, "timeout_ms")) timeout_ms = atoi(value);
        else if (!strcmp(line, "digits")) digits = atoi(value);
        else if (!strcmp(line, "total")) total = atoll(value);
        else if (!strcmp(line, "seconds")) seconds = atof(value);
        else if (!strcmp(line, "requests_per_connection")) per_connection = atoll(value);
        else if (!strcmp(line, "requests")) requests = atoll(value);
        else if (!strcmp(line, "operations")) each_word(value, take_kind);
        else if (!strcmp(line, "entries")) each_word(value, take_entries);
        else if (!strcmp(line, "from")) each_word(value, take_from);
    }
    fclose(file);
}

static int is_answered(redisReply *reply) {
    int is_good = reply && reply->type != REDIS_REPLY_ERROR;
    if (reply) freeReplyObject(reply);
    return is_good;
}

/* Null where nothing answers; a refusal is told by `refused`. */
static redisContext *open_connection(int *refused) {
    struct timeval timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000};
    redisContext *client = redisConnectWithTimeout(host, port, timeout);
    *refused = 0;
    if (!client || client->err) {
        if (client) redisFree(client);
        return NULL;
    }
    redisSetTimeout(client, timeout);
    int is_in = 1;
    if (*password && *username) is_in = is_answered(redisCommand(client, "AUTH %s %s", username, password));
    else if (*password) is_in = is_answered(redisCommand(client, "AUTH %s", password));
    if (is_in && database >= 0) is_in = is_answered(redisCommand(client, "SELECT %d", database));
    if (is_in && is_answered(redisCommand(client, "PING"))) return client;
    *refused = 1;
    redisFree(client);
    return NULL;
}

static void flush_second(connection_t *own) {
    for (int op = 0; op < operations; op++) {
        uint32_t *times = own->times + (size_t)op * INDEXES;
        long long count = 0;
        for (int index = 0; index < INDEXES; index++) count += times[index];
        fprintf(own->file, "S %lld %d %lld", own->second, op, count);
        for (int field = 0; field < FIELDS; field++) fprintf(own->file, " %lld", own->counts[op][field]);
        for (int index = 0; count && index < INDEXES; index++)
            if (times[index]) fprintf(own->file, " %d:%" PRIu32, index, times[index]);
        fputc('\n', own->file);
        memset(times, 0, INDEXES * sizeof *times);
    }
    memset(own->counts, 0, sizeof own->counts);
    fflush(own->file);
}

static int lose(connection_t *own) {
    int is_late = own->client && own->client->err == REDIS_ERR_IO && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (own->client) redisFree(own->client);
    own->client = NULL;
    if (is_late) return TIMEOUT;
    if (++own->lost >= LOST_IN_A_ROW) give_up(EXIT_UNREACHABLE, "the connection was lost and could not be opened again");
    usleep(RETRY_AFTER_US);
    return LOST;
}

static int ask(connection_t *own, operation_t *op, const char *key, const unsigned char *value, size_t size) {
    int refused;
    if (!own->client && !(own->client = open_connection(&refused))) return refused ? REFUSED : lose(own);
    const char *words[4] = {op->command, key, op->is_write ? (const char *)value : op->first, op->last};
    size_t sizes[4] = {strlen(op->command), strlen(key), op->is_write ? size : strlen(op->first), strlen(op->last)};
    int count = op->is_range ? 4 : op->is_write ? 3 : 2;
    redisReply *reply = redisCommandArgv(own->client, count, words, sizes);
    if (!reply) return lose(own);
    own->lost = 0;
    int is_empty = reply->type == REDIS_REPLY_NIL || (reply->type == REDIS_REPLY_ARRAY && !reply->elements)
        || (op->is_length && !reply->integer);
    int outcome = reply->type == REDIS_REPLY_ERROR ? REFUSED : op->is_write ? ANSWERED : is_empty ? MISSES : HITS;
    freeReplyObject(reply);
    return outcome;
}

static void request_once(connection_t *own, long long place, unsigned char *value) {
    char key[512];
    uint32_t head[2];
    uint64_t body[2];
    const unsigned char *request = request_bytes + place % requests * REQUEST_BYTES;
    memcpy(head, request, 8);
    memcpy(body, request + 8, 16);
    snprintf(key, sizeof key, "%s%0*" PRIu64, prefix, digits, body[0]);
    operation_t *op = &ops[head[0]];
    if (op->is_write) {
        memcpy(value, request + 16, 8);
        if (head[1] > 8) memcpy(value + 8, pool + body[1] % 65536 + 8, head[1] - 8);
    }
    long long begun = now_ns();
    int outcome = ask(own, op, key, value, head[1]);
    long long finished = now_ns(), second = (finished - start_ns) / NS_PER_S;
    if (second > own->second) {
        flush_second(own);
        own->second = second;
    }
    if (outcome == ANSWERED || outcome == HITS || outcome == MISSES)
        own->times[(size_t)head[0] * INDEXES + index_of(finished - begun)]++;
    if (outcome != ANSWERED) own->counts[head[0]][outcome]++;
}

static void *serve(void *given) {
    connection_t *own = given;
    int refused;
    own->client = open_connection(&refused);
    if (!own->client) give_up(refused ? EXIT_REFUSED : EXIT_UNREACHABLE, refused ? "the target refused the sign-in" : "no connection");
    unsigned char *value = malloc(pool_size);
    if (pthread_barrier_wait(&connected) == PTHREAD_BARRIER_SERIAL_THREAD) start_ns = now_ns();
    pthread_barrier_wait(&connected);
    long long each = total / connections + (own->number < total % connections), finished = now_ns();
    long long place = own->number * requests / connections, end_ns = start_ns + (long long)(seconds * NS_PER_S);
    for (long long done = 0; total ? done < each : finished < end_ns; done++, finished = now_ns()) {
        if (per_connection && done && done % per_connection == 0 && own->client) {
            redisFree(own->client);
            own->client = NULL;
        }
        request_once(own, place++, value);
    }
    flush_second(own);
    fprintf(own->file, "E %lld\n", finished - start_ns);
    fclose(own->file);
    return NULL;
}

int main(void) {
    read_properties();
    request_bytes = read_file("requests.bin", &request_size);
    pool = read_file("pool.bin", &pool_size);
    pthread_t *threads = calloc(connections, sizeof *threads);
    connection_t *all = calloc(connections, sizeof *all);
    pthread_barrier_init(&connected, NULL, connections);
    for (int number = 0; number < connections; number++) {
        char path[64];
        snprintf(path, sizeof path, "connection.%d", number);
        all[number].number = number;
        all[number].file = fopen(path, "w");
        all[number].times = calloc((size_t)operations * INDEXES, sizeof(uint32_t));
        if (!all[number].file || !all[number].times || pthread_create(&threads[number], NULL, serve, &all[number]))
            give_up(1, "no thread for a connection");
    }
    for (int number = 0; number < connections; number++) pthread_join(threads[number], NULL);
    return 0;
}
