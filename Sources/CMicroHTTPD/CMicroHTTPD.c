/* accept4 */
#define _GNU_SOURCE

#include "CMicroHTTPD.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* The library's own closures get the daemon, and find the callbacks in it. */
struct cmhd_daemon {
    cmhd_callbacks callbacks;
    struct MHD_Daemon *library;
};

/* What a socket's bytes are shown to first. An entry belongs to the thread that serves the socket. */
struct tap {
    _Atomic(const cmhd_callbacks *) callbacks;
    _Atomic(void *) connection;
};

/* By descriptor. A connection whose descriptor is beyond goes without: none of its heads is seen, and all are refused.
 */
static struct tap taps[1 << 17];

static struct tap *tap_of(int descriptor) {
    return descriptor >= 0 && (size_t)descriptor < sizeof taps / sizeof taps[0] ? &taps[descriptor] : NULL;
}

static void tap(int descriptor, const cmhd_callbacks *callbacks, void *connection) {
    struct tap *tap = tap_of(descriptor);
    if (tap == NULL) return;
    atomic_store_explicit(&tap->connection, connection, memory_order_relaxed);
    atomic_store_explicit(&tap->callbacks, callbacks, memory_order_relaxed);
}

/* recv(2), for the whole program: a function of the program's own comes before that of the C library, for shared
 * libraries, too. libmicrohttpd overwrites the ends of lines while it parses, so that afterwards nobody can tell a line
 * feed with a NUL before it from CRLF; and it has no callback that comes sooner. */
ssize_t recv(int descriptor, void *buffer, size_t room, int flags) {
    ssize_t count = recvfrom(descriptor, buffer, room, flags, NULL, NULL);
    struct tap *tap = tap_of(descriptor);
    if (count <= 0 || tap == NULL) return count;
    const cmhd_callbacks *callbacks = atomic_load_explicit(&tap->callbacks, memory_order_relaxed);
    if (callbacks == NULL) return count;
    callbacks->received(atomic_load_explicit(&tap->connection, memory_order_relaxed), buffer, (size_t)count);
    return count;
}

static void silent(void *context, const char *format, va_list arguments) {
    (void)context, (void)format, (void)arguments;
}

/* The library decodes percent signs in place. We read the raw target, so nothing is to be decoded. */
static size_t leave_escaped(void *context, struct MHD_Connection *connection, char *text) {
    (void)context, (void)connection;
    return strlen(text);
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
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        int descriptor = connection_descriptor(connection);
        *socket_context = callbacks->opened(callbacks->context, descriptor);
        tap(descriptor, callbacks, *socket_context);
    } else if (*socket_context != NULL) {
        tap(connection_descriptor(connection), NULL, NULL);
        callbacks->closed(*socket_context);
        *socket_context = NULL;
    }
}

static void *on_target(void *closure, const char *target, struct MHD_Connection *connection) {
    const cmhd_callbacks *callbacks = &((struct cmhd_daemon *)closure)->callbacks;
    void *context = connection_context(connection);
    if (context != NULL) callbacks->target(context, (const uint8_t *)target, strlen(target));
    /* The library goes on reading in this very memory: it would take the query apart at each ampersand, use up the
     * connection's memory at about 200 of them, and then never answer. So it gets to see none. */
    for (char *mark = strchr(target, '&'); mark != NULL; mark = strchr(mark, '&'))
        *mark = '/';
    /* The request's context stays NULL, which tells the first access call from the later ones. */
    return NULL;
}

static enum MHD_Result on_access(void *closure, struct MHD_Connection *connection, const char *target,
                                 const char *method, const char *version, const char *content, size_t *content_bytes,
                                 void **exchange) {
    const cmhd_callbacks *callbacks = &((struct cmhd_daemon *)closure)->callbacks;
    cmhd_connection *handle = (cmhd_connection *)connection;

    if (*exchange == NULL) {
        void *context = connection_context(connection);
        if (context == NULL) return MHD_NO;
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
        size_t head_bytes = info == NULL ? 0 : info->header_size;
        const cmhd_head head = {
            .method = (const uint8_t *)method,
            .method_bytes = strlen(method),
            .target = (const uint8_t *)target,
            .version = (const uint8_t *)version,
            .version_bytes = strlen(version),
            .head_bytes = head_bytes,
            /* The library's own memory, which it lends as constant. */
            .rest = (uint8_t *)(uintptr_t)method + head_bytes,
        };
        *exchange = callbacks->begin(context, handle, &head);
        return *exchange == NULL ? MHD_NO : MHD_YES;
    }
    if (*content_bytes > 0) {
        cmhd_verdict verdict = callbacks->receive(*exchange, (const uint8_t *)content, *content_bytes);
        *content_bytes = 0;
        return verdict == CMHD_CONTINUE ? MHD_YES : MHD_NO;
    }
    return callbacks->finish(*exchange, handle) == CMHD_CONTINUE ? MHD_YES : MHD_NO;
}

static void on_completed(void *closure, struct MHD_Connection *connection, void **exchange,
                         enum MHD_RequestTerminationCode code) {
    (void)connection, (void)code;
    const cmhd_callbacks *callbacks = &((struct cmhd_daemon *)closure)->callbacks;
    if (*exchange == NULL) return;
    callbacks->completed(*exchange);
    *exchange = NULL;
}

cmhd_daemon *cmhd_start(const cmhd_options *options, const cmhd_callbacks *callbacks) {
    struct cmhd_daemon *daemon = calloc(1, sizeof *daemon);
    if (daemon == NULL) return NULL;
    daemon->callbacks = *callbacks;

    /* An array, because the width of a variadic argument is the caller's guess (microhttpd.h, MHD_OPTION_ARRAY). */
    const struct MHD_OptionItem items[] = {
        {MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)&silent, NULL},
        {MHD_OPTION_CONNECTION_LIMIT, options->max_connections, NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, options->inactivity_seconds, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)options->connection_bytes, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_INCREMENT, (intptr_t)(options->connection_bytes / 4), NULL},
        {MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)&leave_escaped, NULL},
        {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)&on_target, daemon},
        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)&on_connection, daemon},
        {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)&on_completed, daemon},
        {MHD_OPTION_END, 0, NULL},
    };
    const unsigned int flags =
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME;
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

int32_t cmhd_accept(cmhd_daemon *daemon, int32_t listener) {
    struct sockaddr_storage address;
    socklen_t bytes = sizeof address;
    int descriptor = accept4(listener, (struct sockaddr *)&address, &bytes, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor < 0) return errno;
    /* Closed by the library where it fails. */
    enum MHD_Result served = MHD_add_connection(daemon->library, descriptor, (struct sockaddr *)&address, bytes);
    return served == MHD_YES ? 0 : ECONNABORTED;
}

void cmhd_stop(cmhd_daemon *daemon) {
    MHD_stop_daemon(daemon->library);
    free(daemon);
}

void cmhd_suspend(cmhd_connection *handle) {
    MHD_suspend_connection((struct MHD_Connection *)handle);
}

void cmhd_resume(cmhd_connection *handle) {
    MHD_resume_connection((struct MHD_Connection *)handle);
}

struct field_visit {
    void *context;
    void (*each)(void *, const uint8_t *, size_t, const uint8_t *, size_t);
};

static enum MHD_Result on_field(void *closure, enum MHD_ValueKind kind, const char *name, size_t name_bytes,
                                const char *value, size_t value_bytes) {
    (void)kind;
    const struct field_visit *visit = closure;
    visit->each(visit->context, (const uint8_t *)name, name_bytes, (const uint8_t *)value, value_bytes);
    return MHD_YES;
}

void cmhd_each_field(cmhd_connection *handle, void *context,
                     void (*each)(void *, const uint8_t *, size_t, const uint8_t *, size_t)) {
    struct field_visit visit = {context, each};
    MHD_get_connection_values_n((struct MHD_Connection *)handle, MHD_HEADER_KIND, &on_field, &visit);
}

cmhd_response *cmhd_response_create(void *bytes, size_t count) {
    struct MHD_Response *response = MHD_create_response_from_buffer(count, bytes, MHD_RESPMEM_MUST_FREE);
    if (response == NULL) free(bytes);
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
