/*
 * Sends requests at a constant rate, and measures when their responses are complete.
 *
 *     latency PORT RATE SECONDS CONNECTIONS TARGET [FIRST [COUNT]]
 *
 * Connections to 127.0.0.1 stay open. `%` in TARGET is replaced by a number, which begins with FIRST and, after COUNT
 * requests, begins again. A request is due every 1/RATE seconds, and its latency counts from then, also if no
 * connection is free. Prints one line of JSON: the number of responses by status, those of the cache by `hit` in
 * `Cache-Status`, the latency in microseconds, and the delay of this program: by how much it woke up late. Responses
 * must have `Content-Length`.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX_CONNECTIONS = 256 };

struct connection {
    int socket, busy, is_hit;
    long due;
    size_t received, expected;
    char head[8192];
};

static struct connection connections[MAX_CONNECTIONS];
static long statuses[600], hits;

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

/* Returns whether the response is complete. */
static int receive(struct connection *connection) {
    static char discarded[1 << 18];
    for (;;) {
        int in_head = connection->expected == 0;
        char *target = in_head ? connection->head + connection->received : discarded;
        size_t room = in_head ? sizeof connection->head - 1 - connection->received : sizeof discarded;
        ssize_t count = room == 0 ? 0 : read(connection->socket, target, room);
        if (count < 0 && errno == EAGAIN) return 0;
        if (count <= 0) fail("read");
        connection->received += (size_t)count;
        if (in_head) {
            connection->head[connection->received] = 0;
            char *end = strstr(connection->head, "\r\n\r\n");
            if (end == NULL) continue;
            int status = 0;
            char *length = strcasestr(connection->head, "\r\ncontent-length:");
            if (length == NULL || length > end || sscanf(connection->head, "HTTP/1.1 %d", &status) != 1) fail("head");
            ++statuses[status % 600];
            char *cache = strcasestr(connection->head, "\r\ncache-status: decant; hit");
            if (cache == NULL) cache = strstr(connection->head, "\r\nX-Cache: HIT");
            connection->is_hit = cache != NULL && cache < end;
            hits += connection->is_hit;
            connection->expected = (size_t)(end - connection->head) + 4 + strtoul(length + 17, NULL, 10);
        }
        if (connection->received >= connection->expected) return 1;
    }
}

static int by_value(const void *a, const void *b) {
    long first = *(const long *)a, second = *(const long *)b;
    return (first > second) - (first < second);
}

static void print(const char *name, long *values, long count) {
    qsort(values, (size_t)count, sizeof *values, by_value);
    if (count == 0) return;
    long slow = 0;
    for (long index = 0; index < count; ++index)
        slow += values[index] > 10000000;
    printf(", \"%s\": {\"p50\": %ld, \"p99\": %ld, \"p999\": %ld, \"max\": %ld, \"above10ms\": %ld}", name,
           values[count / 2] / 1000, values[count * 99 / 100] / 1000, values[count * 999 / 1000] / 1000,
           values[count - 1] / 1000, slow);
}

int main(int count_of_arguments, char **arguments) {
    if (count_of_arguments < 6)
        return fprintf(stderr, "usage: latency PORT RATE SECONDS CONNECTIONS TARGET [FIRST [COUNT]]\n"), 2;
    long period = 1000000000L / atol(arguments[2]), total = (long)(atof(arguments[3]) * atof(arguments[2]));
    int count = atoi(arguments[4]);
    char *target = arguments[5], *mark = strchr(target, '%');
    long first = count_of_arguments > 6 ? atol(arguments[6]) : 0,
         modulus = count_of_arguments > 7 ? atol(arguments[7]) : 1L << 60;
    long *latencies = calloc((size_t)total, sizeof *latencies), *delays = calloc((size_t)total, sizeof *delays);
    if (count < 1 || count > MAX_CONNECTIONS || total < 1 || latencies == NULL || delays == NULL) return 2;
    prctl(PR_SET_TIMERSLACK, 1L);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct pollfd files[MAX_CONNECTIONS];
    for (int index = 0; index < count; ++index) {
        int handle = connections[index].socket = socket(AF_INET, SOCK_STREAM, 0), on = 1;
        if (handle < 0 || connect(handle, (struct sockaddr *)&address, sizeof address) < 0) fail("connect");
        setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (fcntl(handle, F_SETFL, O_NONBLOCK) < 0) fail("fcntl");
        files[index] = (struct pollfd){.fd = handle, .events = POLLIN};
    }
    long start = now(), sent = 0, complete = 0, measured = 0, woken = 0;
    while (complete < total) {
        long time = now();
        for (int index = 0; index < count && sent < total && start + sent * period <= time; ++index) {
            struct connection *connection = &connections[index];
            if (connection->busy) continue;
            char request[8192];
            long number = first + sent % modulus;
            int length = mark == NULL ? snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", target)
                                      : snprintf(request, sizeof request, "GET %.*s%ld%s HTTP/1.1\r\nHost: a\r\n\r\n",
                                                 (int)(mark - target), target, number, mark + 1);
            if (write(connection->socket, request, (size_t)length) != length) fail("write");
            connection->due = start + sent * period;
            connection->received = connection->expected = 0;
            connection->busy = 1;
            ++sent;
        }
        int any_free = 0;
        for (int index = 0; index < count; ++index)
            any_free |= !connections[index].busy;
        long next = start + sent * period, wait = sent < total && any_free ? next - now() : 1000000000L;
        if (wait < 0) wait = 0;
        struct timespec limit = {wait / 1000000000L, wait % 1000000000L};
        int ready = ppoll(files, (nfds_t)count, &limit, NULL);
        if (ready < 0) fail("ppoll");
        if (ready == 0 && sent < total && any_free && woken < total) delays[woken++] = now() - next;
        for (int index = 0; index < count; ++index) {
            struct connection *connection = &connections[index];
            if (!(files[index].revents & (POLLIN | POLLHUP | POLLERR)) || !connection->busy || !receive(connection))
                continue;
            ++complete;
            if (connection->is_hit) latencies[measured++] = now() - connection->due;
            connection->busy = 0;
        }
        if (now() - start > total * period + 60000000000L)
            return fprintf(stderr, "latency: %ld of %ld responses\n", complete, total), 1;
    }
    printf("{\"seconds\": %.3f, \"hits\": %ld, \"statuses\": {", (double)(now() - start) / 1e9, hits);
    const char *separator = "";
    for (int status = 0; status < 600; ++status) {
        if (statuses[status] == 0) continue;
        printf("%s\"%d\": %ld", separator, status, statuses[status]);
        separator = ", ";
    }
    printf("}");
    print("latency", latencies, measured);
    print("delay", delays, woken);
    printf("}\n");
    return 0;
}
