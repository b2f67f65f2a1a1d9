#define _GNU_SOURCE
#include "CCurl.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The sockets that are observed have numbers below. The limit of the process is not higher. */
enum { max_sockets = 1 << 16 };

struct ccurl_set {
    CURLM *multi;
    ccurl_callbacks callbacks;
    /* The last connected socket with each local port, and its pool. It may have been closed. libcurl does not reveal
     * the socket of a connection that a transfer has not opened itself. */
    struct {
        /* NULL before a socket is known. */
        const ccurl_pool *pool;
        int socket;
    } known[1 << 16];
    /* The sockets of the connections that are kept. */
    bool is_kept[max_sockets];
    size_t kept;
};

struct ccurl_pool {
    ccurl_set *set;
    /* Has the connections (CURL_LOCK_DATA_CONNECT). Without it, those of all transfers would be in the set. */
    CURLSH *share;
    size_t transfers;
    size_t kept;
};

/* libcurl tries one address of each version at the same time. */
enum { max_attempts = 4 };

struct ccurl_transfer {
    ccurl_set *set;
    ccurl_pool *pool;
    CURL *easy;
    void *context;
    struct curl_slist *fields;
    struct curl_slist *addresses;
    uint8_t *content;
    bool has_begun;
    /* The socket of its connection; -1 before it is chosen. */
    int connection;
    /* The last sockets that were opened for the transfer. libcurl may have closed them. */
    int sockets[max_attempts];
    unsigned socket_count;
    char message[CURL_ERROR_SIZE];
};

/* SSL_has_pending(3) of the OpenSSL that libcurl has loaded. */
static int (*has_pending)(const void *ssl);

bool ccurl_initialize(void) {
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return false;
    const curl_version_info_data *version = curl_version_info(CURLVERSION_NOW);
    if (version->ssl_version == NULL || strncmp(version->ssl_version, "OpenSSL", 7) != 0) return false;
    *(void **)&has_pending = dlsym(RTLD_DEFAULT, "SSL_has_pending");
    return has_pending != NULL;
}

ccurl_set *ccurl_create(const ccurl_callbacks *callbacks, uint32_t max_connections) {
    ccurl_set *set = calloc(1, sizeof *set);
    if (set == NULL) return NULL;
    set->callbacks = *callbacks;
    set->multi = curl_multi_init();
    if (set->multi != NULL && curl_multi_setopt(set->multi, CURLMOPT_MAXCONNECTS, (long)max_connections) == 0 &&
        curl_multi_setopt(set->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING) == 0)
        return set;
    if (set->multi != NULL) curl_multi_cleanup(set->multi);
    free(set);
    return NULL;
}

ccurl_pool *ccurl_open_pool(ccurl_set *set) {
    ccurl_pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL) return NULL;
    pool->set = set;
    pool->share = curl_share_init();
    if (pool->share != NULL && curl_share_setopt(pool->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT) == CURLSHE_OK)
        return pool;
    ccurl_close_pool(pool);
    return NULL;
}

void ccurl_close_pool(ccurl_pool *pool) {
    /* An object that is in use is not deleted, and its connections refer to the pool. */
    if (curl_share_cleanup(pool->share) != CURLSHE_OK) return;
    free(pool);
}

bool ccurl_is_used(const ccurl_pool *pool) {
    return pool->transfers > 0;
}

size_t ccurl_kept_in_pool(const ccurl_pool *pool) {
    return pool->kept;
}

size_t ccurl_kept_in_set(const ccurl_set *set) {
    return set->kept;
}

enum { max_watched = 4096 };

void ccurl_wait(ccurl_set *set, ccurl_watched *watched, size_t count, int32_t milliseconds) {
    static struct curl_waitfd descriptors[max_watched];
    if (count > max_watched) count = max_watched;
    for (size_t index = 0; index < count; index++) {
        descriptors[index].fd = watched[index].descriptor;
        descriptors[index].events = (short)((watched[index].wants_read ? CURL_WAIT_POLLIN : 0) |
                                            (watched[index].wants_write ? CURL_WAIT_POLLOUT : 0));
        descriptors[index].revents = 0;
    }
    int ready = 0;
    CURLMcode result = curl_multi_poll(set->multi, descriptors, (unsigned)count, milliseconds, &ready);
    for (size_t index = 0; index < count; index++) {
        short events = result == CURLM_OK ? descriptors[index].revents : 0;
        watched[index].is_readable = (events & CURL_WAIT_POLLIN) != 0;
        watched[index].is_writable = (events & CURL_WAIT_POLLOUT) != 0;
    }
}

void ccurl_perform(ccurl_set *set) {
    int running = 0;
    curl_multi_perform(set->multi, &running);
}

/* The results of a transfer whose head may be incomplete. */
static ccurl_outcome get_outcome(CURLcode code, const ccurl_transfer *transfer, long connect_status) {
    long verification = 0;
    switch (code) {
    case CURLE_OK:
        return CCURL_COMPLETE;
    case CURLE_WRITE_ERROR:
    case CURLE_ABORTED_BY_CALLBACK:
        return CCURL_ABORTED;
    case CURLE_COULDNT_RESOLVE_HOST:
        return CCURL_RESOLVE;
    case CURLE_COULDNT_CONNECT:
    case CURLE_INTERFACE_FAILED:
        return CCURL_CONNECT;
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_PROXY:
        return CCURL_PROXY;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
        return CCURL_CERTIFICATE;
    case CURLE_SSL_CONNECT_ERROR:
        curl_easy_getinfo(transfer->easy, CURLINFO_SSL_VERIFYRESULT, &verification);
        /* The result is 1 before a certificate was verified. */
        return verification > 1 ? CCURL_CERTIFICATE : CCURL_TLS;
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_ENGINE_SETFAILED:
    case CURLE_SSL_ENGINE_INITFAILED:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_SHUTDOWN_FAILED:
    case CURLE_SSL_CLIENTCERT:
    case CURLE_USE_SSL_FAILED:
        return CCURL_TLS;
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_READ_ERROR:
        return CCURL_LOST;
    case CURLE_RECV_ERROR:
        /* The library has one code for the failed call and for several kinds of malformed responses. */
        if (connect_status >= 300) return CCURL_PROXY;
        if (strstr(transfer->message, "chunked-encoding") != NULL || strstr(transfer->message, "header") != NULL)
            return CCURL_MALFORMED;
        return CCURL_LOST;
    /* HTTP/0.9 is a protocol that is not allowed. */
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_FILESIZE_EXCEEDED:
    case CURLE_HTTP_RETURNED_ERROR:
        return CCURL_MALFORMED;
    case CURLE_OPERATION_TIMEDOUT:
        return CCURL_TIMEOUT;
    default:
        return CCURL_INTERNAL;
    }
}

static uint64_t duration(CURL *easy, CURLINFO info) {
    curl_off_t microseconds = 0;
    if (curl_easy_getinfo(easy, info, &microseconds) != CURLE_OK || microseconds < 0) return 0;
    return (uint64_t)microseconds;
}

/* libcurl has no function for this: it measures the time of the connection when the TLS handshake is complete too. */
static bool has_connected_socket(const ccurl_transfer *transfer) {
    for (unsigned index = 0; index < max_attempts && index < transfer->socket_count; index++) {
        struct sockaddr_storage peer;
        socklen_t size = sizeof peer;
        if (getpeername(transfer->sockets[index], (struct sockaddr *)&peer, &size) == 0) return true;
    }
    return false;
}

void ccurl_progress(ccurl_transfer *transfer, ccurl_result *result) {
    CURL *easy = transfer->easy;
    long connections = 0, connect_status = 0;
    curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &connections);
    curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &connect_status);
    *result = (ccurl_result){
        .context = transfer->context,
        .outcome = CCURL_COMPLETE,
        .message = transfer->message,
        .is_new_connection = connections > 0,
        .is_connected = has_connected_socket(transfer),
        .connect_status = (int32_t)connect_status,
        .connected = duration(easy, CURLINFO_CONNECT_TIME_T),
        .secured = duration(easy, CURLINFO_APPCONNECT_TIME_T),
        .ready = duration(easy, CURLINFO_PRETRANSFER_TIME_T),
        .first_byte = duration(easy, CURLINFO_STARTTRANSFER_TIME_T),
        .total = duration(easy, CURLINFO_TOTAL_TIME_T),
    };
}

bool ccurl_next_result(ccurl_set *set, ccurl_result *result) {
    for (;;) {
        int remaining = 0;
        const CURLMsg *message = curl_multi_info_read(set->multi, &remaining);
        if (message == NULL) return false;
        if (message->msg != CURLMSG_DONE) continue;
        CURLcode code = message->data.result;
        ccurl_transfer *transfer = NULL;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        ccurl_progress(transfer, result);
        result->outcome = get_outcome(code, transfer, result->connect_status);
        if (transfer->message[0] == 0) result->message = curl_easy_strerror(code);
        return true;
    }
}

uint64_t ccurl_sent_bytes(ccurl_transfer *transfer) {
    return duration(transfer->easy, CURLINFO_SIZE_UPLOAD_T);
}

/* The callbacks of the library. */

static size_t on_line(char *bytes, size_t size, size_t count, void *context) {
    const ccurl_transfer *transfer = context;
    size_t total = size * count;
    switch (transfer->set->callbacks.line(transfer->context, (const uint8_t *)bytes, total)) {
    case CCURL_CONTINUE:
        return total;
    case CCURL_CLOSE:
        /* The library evaluates the option at the end of the transfer. */
        return curl_easy_setopt(transfer->easy, CURLOPT_FORBID_REUSE, 1L) == CURLE_OK ? total : total + 1;
    case CCURL_PAUSE:
    case CCURL_ABORT:
        return total + 1;
    }
    return total + 1;
}

static size_t on_content(char *bytes, size_t size, size_t count, void *context) {
    const ccurl_transfer *transfer = context;
    size_t total = size * count;
    /* The library never delivers content that is empty, but reserves the right to. */
    if (total == 0) return 0;
    switch (transfer->set->callbacks.content(transfer->context, (const uint8_t *)bytes, total)) {
    case CCURL_CONTINUE:
        return total;
    case CCURL_PAUSE:
        return CURL_WRITEFUNC_PAUSE;
    case CCURL_CLOSE:
    case CCURL_ABORT:
        return total + 1;
    }
    return total + 1;
}

static curl_socket_t on_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    ccurl_transfer *transfer = context;
    if (purpose != CURLSOCKTYPE_IPCXN) return CURL_SOCKET_BAD;
    ccurl_verdict verdict = CCURL_ABORT;
    if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in ip;
        memcpy(&ip, &address->addr, sizeof ip);
        verdict =
            transfer->set->callbacks.address(transfer->context, (const uint8_t *)&ip.sin_addr, 4, ntohs(ip.sin_port));
    } else if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 ip;
        memcpy(&ip, &address->addr, sizeof ip);
        verdict = transfer->set->callbacks.address(transfer->context, ip.sin6_addr.s6_addr, 16, ntohs(ip.sin6_port));
    }
    if (verdict != CCURL_CONTINUE) return CURL_SOCKET_BAD;
    int result = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (result < 0) return CURL_SOCKET_BAD;
    transfer->sockets[transfer->socket_count++ % max_attempts] = result;
    return result;
}

static int on_close(void *context, curl_socket_t number) {
    ccurl_pool *pool = context;
    if (number >= 0 && number < max_sockets && pool->set->is_kept[number]) {
        pool->set->is_kept[number] = false;
        pool->set->kept--;
        pool->kept--;
    }
    return close(number);
}

/* The port of an address, and the address as text. */
static int get_port(const struct sockaddr_storage *address, char *text, size_t size) {
    const void *bytes = NULL;
    in_port_t port = 0;
    if (address->ss_family == AF_INET) {
        const struct sockaddr_in *ip = (const struct sockaddr_in *)address;
        bytes = &ip->sin_addr;
        port = ip->sin_port;
    } else if (address->ss_family == AF_INET6) {
        const struct sockaddr_in6 *ip = (const struct sockaddr_in6 *)address;
        bytes = &ip->sin6_addr;
        port = ip->sin6_port;
    }
    return bytes != NULL && inet_ntop(address->ss_family, bytes, text, (socklen_t)size) != NULL ? ntohs(port) : -1;
}

/* Whether a socket is that of the connection from `local_port` to `peer`, which identify it. */
static bool is_connection(int number, int local_port, const char *peer, int peer_port) {
    struct sockaddr_storage address;
    char text[INET6_ADDRSTRLEN];
    socklen_t size = sizeof address;
    if (getsockname(number, (struct sockaddr *)&address, &size) != 0) return false;
    if (get_port(&address, text, sizeof text) != local_port) return false;
    size = sizeof address;
    if (getpeername(number, (struct sockaddr *)&address, &size) != 0) return false;
    return get_port(&address, text, sizeof text) == peer_port && strcmp(text, peer) == 0;
}

/* Whether nothing was received over a connection since the end of the last response. libcurl reads no further than the
 * end of a response, and regards bytes as a sign of life. */
static bool is_silent(CURL *easy, int number) {
    uint8_t byte;
    if (recv(number, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) return false;
    const struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || session == NULL) return false;
    return session->internals == NULL || has_pending(session->internals) == 0;
}

static int on_connection(void *context, char *peer, char *local, int peer_port, int local_port) {
    (void)local;
    ccurl_transfer *transfer = context;
    const int slot = local_port & 0xFFFF;
    const int known = transfer->set->known[slot].socket;
    long connections = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_NUM_CONNECTS, &connections);
    bool is_clean = connections > 0;
    if (is_clean) {
        for (unsigned index = 0; index < max_attempts && index < transfer->socket_count; index++) {
            if (!is_connection(transfer->sockets[index], local_port, peer, peer_port)) continue;
            transfer->set->known[slot].socket = transfer->sockets[index];
            transfer->set->known[slot].pool = transfer->pool;
        }
    } else {
        /* An unknown socket, or one of another pool, is not used. */
        is_clean = transfer->set->known[slot].pool == transfer->pool &&
                   is_connection(known, local_port, peer, peer_port) && is_silent(transfer->easy, known);
    }
    ccurl_verdict verdict = transfer->set->callbacks.connection(transfer->context, peer, peer_port, is_clean);
    if (verdict == CCURL_CONTINUE) transfer->connection = transfer->set->known[slot].socket;
    return verdict == CCURL_CONTINUE ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

#define SET(option, value) (curl_easy_setopt(easy, (option), (value)) == CURLE_OK)

/* The options of every transfer, and why they differ from the defaults. */
static bool configure(ccurl_transfer *transfer) {
    CURL *easy = transfer->easy;
    return
        /* What is understood: HTTP/1.1 alone, one request, content as it was sent. */
        SET(CURLOPT_PROTOCOLS_STR, "http,https") && SET(CURLOPT_FOLLOWLOCATION, 0L) &&
        SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) && SET(CURLOPT_HTTP09_ALLOWED, 0L) &&
        SET(CURLOPT_HTTP_CONTENT_DECODING, 0L) && SET(CURLOPT_PATH_AS_IS, 1L) &&
        /* Nothing that depends on the machine or its environment. */
        SET(CURLOPT_PROXY, "") && SET(CURLOPT_NOPROXY, "") && SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED) &&
        SET(CURLOPT_NOSIGNAL, 1L) && SET(CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE) &&
        SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L) && SET(CURLOPT_HTTPAUTH, (long)CURLAUTH_NONE) &&
        SET(CURLOPT_PROXYAUTH, (long)CURLAUTH_BASIC) &&
        /* A cancelled transfer waits for nothing. */
        SET(CURLOPT_QUICK_EXIT, 1L) && SET(CURLOPT_BUFFERSIZE, 32L * 1024) &&
        /* The list of trusted certificates is parsed once. A folder of certificates would prevent this. */
        SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) && SET(CURLOPT_SSL_VERIFYPEER, 1L) &&
        SET(CURLOPT_SSL_VERIFYHOST, 2L) && SET(CURLOPT_CAPATH, (char *)NULL) && SET(CURLOPT_CA_CACHE_TIMEOUT, -1L) &&
        SET(CURLOPT_PROXY_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) && SET(CURLOPT_PROXY_CAPATH, (char *)NULL) &&
        SET(CURLOPT_ERRORBUFFER, transfer->message) && SET(CURLOPT_PRIVATE, transfer) &&
        SET(CURLOPT_HEADERFUNCTION, on_line) && SET(CURLOPT_HEADERDATA, transfer) &&
        SET(CURLOPT_WRITEFUNCTION, on_content) && SET(CURLOPT_WRITEDATA, transfer) &&
        SET(CURLOPT_OPENSOCKETFUNCTION, on_socket) && SET(CURLOPT_OPENSOCKETDATA, transfer) &&
        SET(CURLOPT_CLOSESOCKETFUNCTION, on_close) && SET(CURLOPT_CLOSESOCKETDATA, transfer->pool) &&
        SET(CURLOPT_SHARE, transfer->pool->share) && SET(CURLOPT_PREREQFUNCTION, on_connection) &&
        SET(CURLOPT_PREREQDATA, transfer);
}

ccurl_transfer *ccurl_open(ccurl_pool *pool, void *context) {
    ccurl_transfer *transfer = calloc(1, sizeof *transfer);
    if (transfer == NULL) return NULL;
    transfer->set = pool->set;
    transfer->pool = pool;
    transfer->connection = -1;
    pool->transfers++;
    transfer->context = context;
    transfer->easy = curl_easy_init();
    if (transfer->easy != NULL && configure(transfer)) return transfer;
    ccurl_close(transfer);
    return NULL;
}

bool ccurl_set_text(ccurl_transfer *transfer, ccurl_text name, const char *value) {
    CURL *easy = transfer->easy;
    switch (name) {
    case CCURL_URL:
        return SET(CURLOPT_URL, value);
    case CCURL_TARGET:
        return SET(CURLOPT_REQUEST_TARGET, value);
    case CCURL_METHOD:
        return SET(CURLOPT_CUSTOMREQUEST, value);
    case CCURL_USER_AGENT:
        return SET(CURLOPT_USERAGENT, value);
    case CCURL_CA_FILE:
        return SET(CURLOPT_CAINFO, value) && SET(CURLOPT_PROXY_CAINFO, value);
    case CCURL_PROXY_URL:
        return SET(CURLOPT_PROXY, value);
    case CCURL_PROXY_USER:
        return SET(CURLOPT_PROXYUSERNAME, value);
    case CCURL_PROXY_PASSWORD:
        return SET(CURLOPT_PROXYPASSWORD, value);
    }
    return false;
}

static bool append(struct curl_slist **list, const char *text) {
    struct curl_slist *longer = curl_slist_append(*list, text);
    if (longer == NULL) return false;
    *list = longer;
    return true;
}

bool ccurl_add_field(ccurl_transfer *transfer, const char *line) {
    return append(&transfer->fields, line);
}

bool ccurl_set_addresses(ccurl_transfer *transfer, const char *entry) {
    CURL *easy = transfer->easy;
    return append(&transfer->addresses, entry) && SET(CURLOPT_RESOLVE, transfer->addresses);
}

bool ccurl_set_content(ccurl_transfer *transfer, const uint8_t *bytes, size_t count) {
    CURL *easy = transfer->easy;
    /* Not CURLOPT_COPYPOSTFIELDS, which cannot copy empty content. */
    transfer->content = malloc(count + 1);
    if (transfer->content == NULL) return false;
    if (count > 0) memcpy(transfer->content, bytes, count);
    return SET(CURLOPT_POSTFIELDS, (char *)transfer->content) && SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
}

bool ccurl_set_head(ccurl_transfer *transfer) {
    CURL *easy = transfer->easy;
    return SET(CURLOPT_NOBODY, 1L);
}

bool ccurl_set_fresh(ccurl_transfer *transfer) {
    CURL *easy = transfer->easy;
    return SET(CURLOPT_FRESH_CONNECT, 1L);
}

bool ccurl_set_exclusive(ccurl_transfer *transfer) {
    CURL *easy = transfer->easy;
    return SET(CURLOPT_FRESH_CONNECT, 1L) && SET(CURLOPT_FORBID_REUSE, 1L);
}

bool ccurl_set_connect_timeout(ccurl_transfer *transfer, uint32_t milliseconds) {
    CURL *easy = transfer->easy;
    return SET(CURLOPT_CONNECTTIMEOUT_MS, (long)milliseconds);
}

bool ccurl_keep(ccurl_transfer *transfer, size_t max_in_pool, size_t max_in_set) {
    ccurl_set *set = transfer->set;
    ccurl_pool *pool = transfer->pool;
    const int number = transfer->connection;
    if (number < 0 || number >= max_sockets) return false;
    if (set->is_kept[number]) return pool->kept <= max_in_pool && set->kept <= max_in_set;
    if (pool->kept >= max_in_pool || set->kept >= max_in_set) return false;
    set->is_kept[number] = true;
    set->kept++;
    pool->kept++;
    return true;
}

bool ccurl_begin(ccurl_transfer *transfer) {
    CURL *easy = transfer->easy;
    if (!SET(CURLOPT_HTTPHEADER, transfer->fields)) return false;
    transfer->has_begun = curl_multi_add_handle(transfer->set->multi, easy) == CURLM_OK;
    return transfer->has_begun;
}

void ccurl_resume(ccurl_transfer *transfer) {
    curl_easy_pause(transfer->easy, CURLPAUSE_CONT);
}

void ccurl_close(ccurl_transfer *transfer) {
    if (transfer->has_begun) curl_multi_remove_handle(transfer->set->multi, transfer->easy);
    if (transfer->easy != NULL) curl_easy_cleanup(transfer->easy);
    curl_slist_free_all(transfer->fields);
    curl_slist_free_all(transfer->addresses);
    free(transfer->content);
    transfer->pool->transfers--;
    free(transfer);
}
