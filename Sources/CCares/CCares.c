#include "CCares.h"

#include <ares.h>
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

/* Numbers of the DNS (RFC 1035 §3.2, RFC 3596 §2.1). */
enum { class_internet = 1, type_a = 1, type_aaaa = 28 };

struct query {
    ccares_state state;
    int status;
    size_t count;
    uint8_t addresses[CCARES_MAX_ADDRESSES][16];
};

struct ccares_lookup {
    ares_channel channel;
    bool is_closing;
    struct query queries[2];
};

bool ccares_initialize(void) {
    return ares_library_init(ARES_LIB_INIT_ALL) == ARES_SUCCESS;
}

static void finish(struct query *query, int status) {
    query->status = status;
    switch (status) {
    case ARES_SUCCESS:
        query->state = query->count == 0                     ? CCARES_ABSENT
                       : query->count < CCARES_MAX_ADDRESSES ? CCARES_FOUND
                                                             : CCARES_TOO_MANY;
        break;
    case ARES_ENODATA:
    case ARES_ENOTFOUND:
        query->state = CCARES_ABSENT;
        break;
    default:
        query->state = CCARES_FAILED;
        break;
    }
}

static void on_a(void *context, int status, int timeouts, unsigned char *bytes, int count) {
    (void)timeouts;
    ccares_lookup *lookup = context;
    if (lookup->is_closing) return;
    struct query *query = &lookup->queries[CCARES_A];
    if (status == ARES_SUCCESS) {
        struct ares_addrttl found[CCARES_MAX_ADDRESSES];
        int number = CCARES_MAX_ADDRESSES;
        status = ares_parse_a_reply(bytes, count, NULL, found, &number);
        for (int index = 0; status == ARES_SUCCESS && index < number; index++)
            memcpy(query->addresses[query->count++], &found[index].ipaddr, 4);
    }
    finish(query, status);
}

static void on_aaaa(void *context, int status, int timeouts, unsigned char *bytes, int count) {
    (void)timeouts;
    ccares_lookup *lookup = context;
    if (lookup->is_closing) return;
    struct query *query = &lookup->queries[CCARES_AAAA];
    if (status == ARES_SUCCESS) {
        struct ares_addr6ttl found[CCARES_MAX_ADDRESSES];
        int number = CCARES_MAX_ADDRESSES;
        status = ares_parse_aaaa_reply(bytes, count, NULL, found, &number);
        for (int index = 0; status == ARES_SUCCESS && index < number; index++)
            memcpy(query->addresses[query->count++], &found[index].ip6addr, 16);
    }
    finish(query, status);
}

ccares_lookup *ccares_open(const char *name, const char *servers, uint32_t milliseconds, uint32_t tries) {
    ccares_lookup *lookup = calloc(1, sizeof *lookup);
    if (lookup == NULL) return NULL;
    /* A value for each setting that the library would otherwise read from a file. A file that does not exist is not an
     * error. The server is replaced below. */
    struct in_addr none = {htonl(INADDR_NONE)};
    char lookups[] = "b", no_file[] = "";
    struct ares_options options = {
        .flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES,
        .timeout = (int)milliseconds,
        .tries = (int)tries,
        .servers = &none,
        .nservers = 1,
        .lookups = lookups,
        .resolvconf_path = no_file,
    };
    int settings = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SERVERS | ARES_OPT_DOMAINS |
                   ARES_OPT_SORTLIST | ARES_OPT_LOOKUPS | ARES_OPT_NOROTATE | ARES_OPT_RESOLVCONF;
    if (ares_init_options(&lookup->channel, &options, settings) != ARES_SUCCESS) {
        free(lookup);
        return NULL;
    }
    if (ares_set_servers_ports_csv(lookup->channel, servers) != ARES_SUCCESS) {
        ccares_close(lookup);
        return NULL;
    }
    /* Not ares_getaddrinfo or ares_search, which append the domains of a search list. */
    ares_query(lookup->channel, name, class_internet, type_a, on_a, lookup);
    ares_query(lookup->channel, name, class_internet, type_aaaa, on_aaaa, lookup);
    return lookup;
}

ccares_state ccares_query_state(const ccares_lookup *lookup, ccares_query query) {
    return lookup->queries[query].state;
}

const char *ccares_query_message(const ccares_lookup *lookup, ccares_query query) {
    return ares_strerror(lookup->queries[query].status);
}

size_t ccares_address_count(const ccares_lookup *lookup, ccares_query query) {
    return lookup->queries[query].count;
}

const uint8_t *ccares_address(const ccares_lookup *lookup, ccares_query query, size_t index) {
    return lookup->queries[query].addresses[index];
}

size_t ccares_sockets(ccares_lookup *lookup, ccares_socket *sockets, size_t capacity) {
    ares_socket_t all[ARES_GETSOCK_MAXNUM];
    unsigned events = (unsigned)ares_getsock(lookup->channel, all, ARES_GETSOCK_MAXNUM);
    size_t count = 0;
    for (unsigned index = 0; index < ARES_GETSOCK_MAXNUM && count < capacity; index++) {
        bool reads = (events >> index & 1) != 0, writes = (events >> (index + ARES_GETSOCK_MAXNUM) & 1) != 0;
        if (!reads && !writes) continue;
        sockets[count++] = (ccares_socket){.descriptor = all[index], .wants_read = reads, .wants_write = writes};
    }
    return count;
}

int32_t ccares_timeout(ccares_lookup *lookup) {
    struct timeval time;
    if (ares_timeout(lookup->channel, NULL, &time) == NULL) return -1;
    /* Rounded up, so that the caller does not come too early. */
    return (int32_t)(time.tv_sec * 1000 + (time.tv_usec + 999) / 1000);
}

void ccares_process(ccares_lookup *lookup, int32_t readable, int32_t writable) {
    ares_process_fd(lookup->channel, readable, writable);
}

void ccares_close(ccares_lookup *lookup) {
    lookup->is_closing = true;
    ares_destroy(lookup->channel);
    free(lookup);
}
