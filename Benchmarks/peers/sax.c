// libxml2 alone, which measures one turn per request (see PeerConverter.swift): a SAX2 pass with callbacks that do
// nothing.
#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void start(void *context, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri, int namespace_count,
                  const xmlChar **namespaces, int attribute_count, int default_count, const xmlChar **attributes) {
    (void)context, (void)local, (void)prefix, (void)uri, (void)namespace_count, (void)namespaces;
    (void)attribute_count, (void)default_count, (void)attributes;
}

static void end(void *context, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri) {
    (void)context, (void)local, (void)prefix, (void)uri;
}

static void text(void *context, const xmlChar *text, int count) {
    (void)context, (void)text, (void)count;
}

static void comment(void *context, const xmlChar *text) {
    (void)context, (void)text;
}

static void instruction(void *context, const xmlChar *target, const xmlChar *data) {
    (void)context, (void)target, (void)data;
}

/* Returns the processor time in seconds. */
static double processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int ascending(const void *first, const void *second) {
    double difference = *(const double *)first - *(const double *)second;
    return difference < 0 ? -1 : difference > 0;
}

int main(void) {
    xmlSAXHandler handler;
    memset(&handler, 0, sizeof(handler));
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = start;
    handler.endElementNs = end;
    handler.characters = text;
    handler.ignorableWhitespace = text;
    handler.cdataBlock = text;
    handler.comment = comment;
    handler.processingInstruction = instruction;

    static char question[8192];
    static double passes[100000];
    while (fgets(question, sizeof(question), stdin) != NULL) {
        char unit[16], path[4096];
        double seconds = 0;
        if (sscanf(question, "%15s %lf %4095[^\n]", unit, &seconds, path) != 3) return 1;
        FILE *file = fopen(path, "rb");
        if (file == NULL) return 1;
        fseek(file, 0, SEEK_END);
        size_t bytes = (size_t)ftell(file);
        rewind(file);
        char *content = malloc(bytes + 1);
        if (content == NULL || fread(content, 1, bytes, file) != bytes) return 1;
        fclose(file);

        size_t count = 0;
        int is_refused = 0;
        for (double spent = 0; spent < seconds && count < sizeof(passes) / sizeof(*passes) && !is_refused; count++) {
            double before = processor_time();
            is_refused = xmlSAXUserParseMemory(&handler, NULL, content, (int)bytes) != 0;
            passes[count] = processor_time() - before;
            spent += passes[count];
        }
        free(content);
        if (is_refused) {
            puts("-");
        } else {
            qsort(passes, count, sizeof(*passes), ascending);
            printf("%.9f %.9f\n", passes[0], passes[count / 2]);
        }
        fflush(stdout);
    }
    return 0;
}
