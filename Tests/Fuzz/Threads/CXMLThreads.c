// Eight threads read XML at the same time, each alternating between a valid and an invalid document
// (Tests/Fuzz/threads).
#include "CXML.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char *const documents[] = {
    "<a x='1'>hi<b/>&lt;</a>",
    "<!DOCTYPE a [<!ENTITY e 'x'><!ATTLIST a d CDATA 'y'>]><a>&e;&e;</a>",
    "<!DOCTYPE a SYSTEM 'x'><a>&nbsp;&eacute;</a>",
    "<a><b></a>",
    "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/hostname'>]><a>&e;</a>",
    "<p:a/>",
    "<!DOCTYPE a [<!NOTATION n SYSTEM 'x'><!ATTLIST a n NOTATION (n) #IMPLIED>]><a n='n'><?p "
    "i?><!--c--><![CDATA[x]]></a>",
    "",
};
enum { document_count = sizeof(documents) / sizeof(*documents), thread_count = 8, rounds = 4000 };

static void *read_all(void *argument) {
    size_t first = (size_t)argument;
    size_t record_bytes = 0;
    for (size_t round = 0; round < rounds; round++) {
        const char *text = documents[(first + round) % document_count];
        cxml_options options = {
            .keep_all = round & 1,
            .max_depth = 256,
            .max_attributes = 1000,
            .max_namespaces = 256,
            .max_names = 32768,
            .max_name_bytes = 2 << 20,
            .max_doctype_bytes = 32768,
            .max_choices = 512,
            .max_notes = 100,
            .max_expansion_bytes = 1 << 20,
            .stop_at = SIZE_MAX,
        };
        cxml_tape *tape = cxml_read((const uint8_t *)text, strlen(text), &options);
        if (tape == NULL) return NULL;
        record_bytes += cxml_summarize(tape).record_bytes;
        cxml_free(tape);
    }
    return (void *)record_bytes;
}

int main(void) {
    pthread_t threads[thread_count];
    size_t record_bytes = 0;
    for (size_t index = 0; index < thread_count; index++)
        if (pthread_create(&threads[index], NULL, read_all, (void *)index) != 0) return 1;
    for (size_t index = 0; index < thread_count; index++) {
        void *count = NULL;
        pthread_join(threads[index], &count);
        record_bytes += (size_t)count;
    }
    printf("%d threads, %d documents each, %zu bytes of records\n", thread_count, rounds, record_bytes);
    return record_bytes == 0;
}
