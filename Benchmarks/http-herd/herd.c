/*
 * Sends one identical request on each of many connections at once, and measures when the responses are complete.
 *
 *     herd PORT CONNECTIONS TARGET [SECONDS]
 *
 * All connections to 127.0.0.1 are established beforehand. The time of a response counts from the moment before the
 * first request is written. A response is complete after as many bytes as `Content-Length` states; it must have that
 * field. Prints one line: the number of responses by status, and the minimum, the median, the 99th percentile and the
 * maximum, in milliseconds. It gives up after SECONDS (default 10), and then exits with 1.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct client {
    int socket;
    size_t received;
    /* 0 until the head is complete. */
    size_t expected;
    char head[8192];
    double milliseconds;
    int status;
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int fail(const char *what) {
    perror(what);
    return 1;
}

/* Reads what has arrived. Returns 1 if the response is complete, 0 if not, and -1 for an error. */
static int receive(struct client *client) {
    static char discarded[65536];
    for (;;) {
        int in_head = client->expected == 0;
        char *target = in_head ? client->head + client->received : discarded;
        size_t room = in_head ? sizeof client->head - 1 - client->received : sizeof discarded;
        if (room == 0) return -1;
        ssize_t count = read(client->socket, target, room);
        if (count < 0) return errno == EAGAIN ? 0 : -1;
        if (count == 0) return -1;
        client->received += (size_t)count;
        if (in_head) {
            client->head[client->received] = 0;
            char *end = strstr(client->head, "\r\n\r\n");
            if (end == NULL) continue;
            char *length = strcasestr(client->head, "\r\ncontent-length:");
            if (length == NULL || length > end || sscanf(client->head, "HTTP/1.1 %d", &client->status) != 1) return -1;
            client->expected = (size_t)(end - client->head) + 4 + strtoul(length + 17, NULL, 10);
        }
        if (client->received >= client->expected) return client->received == client->expected ? 1 : -1;
    }
}

static int by_time(const void *a, const void *b) {
    double first = ((const struct client *)a)->milliseconds, second = ((const struct client *)b)->milliseconds;
    return (first > second) - (first < second);
}

int main(int count_of_arguments, char **arguments) {
    if (count_of_arguments < 4) return fprintf(stderr, "usage: herd PORT CONNECTIONS TARGET [SECONDS]\n"), 2;
    int count = atoi(arguments[2]);
    double limit = 1e3 * (count_of_arguments > 4 ? atof(arguments[4]) : 10);
    struct rlimit files = {65536, 65536};
    setrlimit(RLIMIT_NOFILE, &files);
    struct client *clients = calloc((size_t)count, sizeof *clients);
    char request[16384];
    int length = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", arguments[3]);
    if (clients == NULL || count < 1 || length < 0 || (size_t)length >= sizeof request) return 2;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int poll = epoll_create1(0);
    for (int index = 0; index < count; ++index) {
        int handle = clients[index].socket = socket(AF_INET, SOCK_STREAM, 0), on = 1;
        if (handle < 0 || connect(handle, (struct sockaddr *)&address, sizeof address) < 0) return fail("connect");
        setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (fcntl(handle, F_SETFL, O_NONBLOCK) < 0) return fail("fcntl");
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &clients[index]};
        if (epoll_ctl(poll, EPOLL_CTL_ADD, handle, &event) < 0) return fail("epoll_ctl");
    }
    /* The server accepts all connections first. */
    usleep(200000);

    double start = now();
    for (int index = 0; index < count; ++index) {
        if (write(clients[index].socket, request, (size_t)length) != length) return fail("write");
    }
    int complete = 0;
    while (complete < count && now() - start < limit) {
        struct epoll_event events[256];
        int ready = epoll_wait(poll, events, 256, 100);
        for (int index = 0; index < ready; ++index) {
            struct client *client = events[index].data.ptr;
            int result = receive(client);
            if (result == 0) continue;
            if (result < 0) return fprintf(stderr, "herd: a response is incomplete or has no length\n"), 1;
            client->milliseconds = now() - start;
            epoll_ctl(poll, EPOLL_CTL_DEL, client->socket, NULL);
            ++complete;
        }
    }
    if (complete < count) return fprintf(stderr, "herd: %d of %d responses\n", complete, count), 1;

    qsort(clients, (size_t)count, sizeof *clients, by_time);
    int statuses[600] = {0};
    for (int index = 0; index < count; ++index)
        ++statuses[clients[index].status % 600];
    for (int status = 0; status < 600; ++status) {
        if (statuses[status] > 0) printf("%d x %d ", statuses[status], status);
    }
    printf("| min %.1f median %.1f p99 %.1f max %.1f\n", clients[0].milliseconds, clients[count / 2].milliseconds,
           clients[count * 99 / 100].milliseconds, clients[count - 1].milliseconds);
    return 0;
}
