#include "CMicroHTTPD.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* The callbacks of the library receive the daemon, which contains those of the caller. */
struct cmhd_daemon {
    cmhd_callbacks callbacks;
    struct MHD_Daemon *library;
};

/* The connections of the calling thread, by descriptor. Empty on threads that do not run a daemon. */
static _Thread_local struct {
    void **contexts;
    size_t count;
    ptrdiff_t (*receive)(void *, uint8_t *, size_t);
} connections;

/* Assigns a connection to a descriptor, or none if it is NULL. Returns 0 if out of memory. */
static int set_connection(int descriptor, void *context) {
    if (descriptor < 0) return 0;
    size_t index = (size_t)descriptor;
    if (index >= connections.count) {
        if (context == NULL) return 1;
        size_t count = (index + 1) * 2;
        void **grown = realloc(connections.contexts, count * sizeof *grown);
        if (grown == NULL) return 0;
        memset(grown + connections.count, 0, (count - connections.count) * sizeof *grown);
        connections.contexts = grown;
        connections.count = count;
    }
    connections.contexts[index] = context;
    return 1;
}

/* Replaces recv(2) for the whole process by symbol interposition: a function of the program takes precedence over
 * that of the C library, also in shared libraries. libmicrohttpd calls only this function to read from clients. */
ssize_t recv(int descriptor, void *buffer, size_t capacity, int flags) {
    bool is_known = descriptor >= 0 && (size_t)descriptor < connections.count;
    void *context = is_known ? connections.contexts[descriptor] : NULL;
    if (context == NULL || (flags & MSG_PEEK) != 0) return recvfrom(descriptor, buffer, capacity, flags, NULL, NULL);
    ptrdiff_t result = connections.receive(context, buffer, capacity);
    if (result >= 0) return result;
    errno = (int)-result;
    return -1;
}

static void discard_log_line(void *context, const char *format, va_list arguments) {
    (void)context, (void)format, (void)arguments;
}

static void *connection_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

static int connection_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

static void on_connection(void *closure, struct MHD_Connection *connection, void **socket_context,
                          enum MHD_ConnectionNotificationCode code) {
    const cmhd_callbacks *callbacks = &((struct cmhd_daemon *)closure)->callbacks;
    int descriptor = connection_descriptor(connection);
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        void *context = callbacks->opened(callbacks->context, descriptor);
        if (set_connection(descriptor, context)) {
            *socket_context = context;
        } else {
            /* The library would read the socket itself. Therefore it receives the end of the stream. */
            shutdown(descriptor, SHUT_RDWR);
            callbacks->closed(context);
        }
    } else if (*socket_context != NULL) {
        set_connection(descriptor, NULL);
        callbacks->closed(*socket_context);
        *socket_context = NULL;
    }
}

static enum MHD_Result on_access(void *closure, struct MHD_Connection *connection, const char *target,
                                 const char *method, const char *version, const char *content, size_t *content_bytes,
                                 void **exchange) {
    (void)target, (void)method, (void)version, (void)content;
    const cmhd_callbacks *callbacks = &((struct cmhd_daemon *)closure)->callbacks;
    void *context = connection_context(connection);
    /* `receive` passes on heads without content. */
    if (context == NULL || *content_bytes > 0) return MHD_NO;
    if (*exchange == NULL) {
        /* The first call reports the head only; a response in this call would close the connection. */
        *exchange = context;
        return MHD_YES;
    }
    return callbacks->respond(context, (cmhd_connection *)connection) == CMHD_CONTINUE ? MHD_YES : MHD_NO;
}

static void on_completed(void *closure, struct MHD_Connection *connection, void **exchange,
                         enum MHD_RequestTerminationCode code) {
    (void)connection;
    const cmhd_callbacks *callbacks = &((struct cmhd_daemon *)closure)->callbacks;
    if (*exchange == NULL) return;
    void *context = *exchange;
    *exchange = NULL;
    callbacks->completed(context, code == MHD_REQUEST_TERMINATED_COMPLETED_OK);
}

cmhd_daemon *cmhd_start(const cmhd_options *options, const cmhd_callbacks *callbacks) {
    struct cmhd_daemon *daemon = calloc(1, sizeof *daemon);
    if (daemon == NULL) return NULL;
    daemon->callbacks = *callbacks;
    connections.receive = callbacks->receive;

    /* An array, because the width of a variadic argument is not specified (microhttpd.h, MHD_OPTION_ARRAY). */
    const struct MHD_OptionItem items[] = {
        {MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)&discard_log_line, NULL},
        {MHD_OPTION_CONNECTION_LIMIT, options->max_connections, NULL},
        /* The library enforces no timeout: the loop enforces the deadlines. */
        {MHD_OPTION_CONNECTION_TIMEOUT, 0, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)options->connection_bytes, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_INCREMENT, (intptr_t)(options->connection_bytes / 4), NULL},
        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)&on_connection, daemon},
        {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)&on_completed, daemon},
        {MHD_OPTION_END, 0, NULL},
    };
    const unsigned int flags = MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME;
    daemon->library =
        MHD_start_daemon(flags, 0, NULL, NULL, &on_access, daemon, MHD_OPTION_ARRAY, items, MHD_OPTION_END);
    if (daemon->library == NULL) {
        int reason = errno;
        free(daemon);
        errno = reason;
        return NULL;
    }
    return daemon;
}

int32_t cmhd_descriptor(cmhd_daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon->library, MHD_DAEMON_INFO_EPOLL_FD);
    return info == NULL ? -1 : info->epoll_fd;
}

int32_t cmhd_add(cmhd_daemon *daemon, int32_t descriptor, const void *address, uint32_t address_bytes) {
    errno = 0;
    if (MHD_add_connection(daemon->library, descriptor, address, address_bytes) == MHD_YES) return 0;
    return errno == 0 ? ECONNABORTED : errno;
}

void cmhd_run(cmhd_daemon *daemon) {
    MHD_run(daemon->library);
}

int32_t cmhd_has_work(cmhd_daemon *daemon) {
    MHD_UNSIGNED_LONG_LONG milliseconds = 1;
    return MHD_get_timeout(daemon->library, &milliseconds) == MHD_YES && milliseconds == 0;
}

void cmhd_stop(cmhd_daemon *daemon) {
    MHD_stop_daemon(daemon->library);
    free(daemon);
    free(connections.contexts);
    connections.contexts = NULL;
    connections.count = 0;
}

void cmhd_suspend(cmhd_connection *handle) {
    MHD_suspend_connection((struct MHD_Connection *)handle);
}

void cmhd_resume(cmhd_connection *handle) {
    MHD_resume_connection((struct MHD_Connection *)handle);
}

cmhd_response *cmhd_response_create(void *bytes, size_t count) {
    struct MHD_Response *response = MHD_create_response_from_buffer(count, bytes, MHD_RESPMEM_MUST_FREE);
    if (response == NULL) free(bytes);
    return (cmhd_response *)response;
}

cmhd_response *cmhd_response_create_shared(const cmhd_slice *slices, uint32_t count, void *context,
                                           void (*release)(void *)) {
    struct MHD_Response *response = NULL;
    struct MHD_IoVec vectors[CMHD_MAX_SLICES];
    uint32_t used = 0;
    if (count <= CMHD_MAX_SLICES) {
        for (uint32_t index = 0; index < count; index++) {
            if (slices[index].count == 0) continue;
            vectors[used].iov_base = slices[index].bytes;
            vectors[used++].iov_len = slices[index].count;
        }
        /* The library copies the array, and calls `release` when it destroys the response. */
        response = MHD_create_response_from_iovec(vectors, used, release, context);
    }
    if (response == NULL) release(context);
    return (cmhd_response *)response;
}

int32_t cmhd_response_add(cmhd_response *response, const char *name, const char *value) {
    return MHD_add_response_header((struct MHD_Response *)response, name, value) == MHD_YES;
}

cmhd_verdict cmhd_response_queue(cmhd_connection *handle, uint32_t status, cmhd_response *response) {
    enum MHD_Result queued =
        MHD_queue_response((struct MHD_Connection *)handle, status, (struct MHD_Response *)response);
    MHD_destroy_response((struct MHD_Response *)response);
    return queued == MHD_YES ? CMHD_CONTINUE : CMHD_CLOSE;
}

void cmhd_response_discard(cmhd_response *response) {
    MHD_destroy_response((struct MHD_Response *)response);
}

const char *cmhd_version(void) {
    return MHD_get_version();
}
