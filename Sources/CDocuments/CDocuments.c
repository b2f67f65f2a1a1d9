#include "CDocuments.h"

/* clang supports #embed as an extension of the C version that SwiftPM selects. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t openapi_yaml[] = {
#embed "../../openapi.yaml"
};

static const uint8_t openapi_json[] = {
#embed "../../openapi.json"
};

static const uint8_t problem_examples[] = {
#embed "problem-examples.txt"
};

cdocuments_file cdocuments_openapi_yaml(void) {
    return (cdocuments_file){openapi_yaml, sizeof openapi_yaml};
}

cdocuments_file cdocuments_openapi_json(void) {
    return (cdocuments_file){openapi_json, sizeof openapi_json};
}

cdocuments_file cdocuments_problem_examples(void) {
    return (cdocuments_file){problem_examples, sizeof problem_examples};
}
