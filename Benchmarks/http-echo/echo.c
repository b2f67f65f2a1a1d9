/*
 * A minimal echo server on libmicrohttpd, which shows the overhead of the service over its HTTP library.
 *
 * It uses the same flags and options as Sources/CMicroHTTPD, one handler, and no fields of its own. The content is
 * collected in one buffer, which the library sends and frees.
 *
 *     cc -O2 -o echo echo.c -lmicrohttpd
 *     ./echo [port [seconds]]
 *     wrk -t1 -c32 -d3 -s post.lua http://127.0.0.1:<port>/v1/normalize
 */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct exchange {
    char *bytes;
    size_t count;
    size_t capacity;
};

static enum MHD_Result answer(void *closure, struct MHD_Connection *connection, const char *target, const char *method,
                              const char *version, const char *content, size_t *content_bytes, void **context) {
    (void)closure, (void)target, (void)method, (void)version;
    struct exchange *exchange = *context;
    if (exchange == NULL) {
        *context = calloc(1, sizeof(struct exchange));
        return *context == NULL ? MHD_NO : MHD_YES;
    }
    if (*content_bytes > 0) {
        size_t needed = exchange->count + *content_bytes;
        if (needed > exchange->capacity) {
            size_t capacity = needed > 2 * exchange->capacity ? needed : 2 * exchange->capacity;
            char *grown = realloc(exchange->bytes, capacity);
            if (grown == NULL) return MHD_NO;
            exchange->bytes = grown;
            exchange->capacity = capacity;
        }
        memcpy(exchange->bytes + exchange->count, content, *content_bytes);
        exchange->count = needed;
        *content_bytes = 0;
        return MHD_YES;
    }
    struct MHD_Response *response =
        MHD_create_response_from_buffer(exchange->count, exchange->bytes, MHD_RESPMEM_MUST_FREE);
    exchange->bytes = NULL;
    if (response == NULL) return MHD_NO;
    enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return result;
}

static void completed(void *closure, struct MHD_Connection *connection, void **context,
                      enum MHD_RequestTerminationCode code) {
    (void)closure, (void)connection, (void)code;
    struct exchange *exchange = *context;
    if (exchange == NULL) return;
    free(exchange->bytes);
    free(exchange);
    *context = NULL;
}

int main(int count, char **arguments) {
    const unsigned short port = count > 1 ? (unsigned short)atoi(arguments[1]) : 0;
    const unsigned int seconds = count > 2 ? (unsigned int)atoi(arguments[2]) : 60;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct MHD_OptionItem options[] = {
        {MHD_OPTION_SOCK_ADDR, 0, &address},
        {MHD_OPTION_CONNECTION_LIMIT, 4096, NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, 80, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, 16 << 10, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_INCREMENT, 4 << 10, NULL},
        {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)&completed, NULL},
        {MHD_OPTION_THREAD_POOL_SIZE, sysconf(_SC_NPROCESSORS_ONLN), NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_Daemon *daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC, port, NULL, NULL, &answer,
                                                 NULL, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
    if (daemon == NULL) {
        perror("cannot start");
        return 1;
    }
    const union MHD_DaemonInfo *bound = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    printf("127.0.0.1:%u\n", bound == NULL ? 0 : (unsigned int)bound->port);
    fflush(stdout);
    sleep(seconds);
    MHD_stop_daemon(daemon);
    return 0;
}
