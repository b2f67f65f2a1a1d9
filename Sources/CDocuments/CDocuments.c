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

static const uint8_t page_html[] = {
#embed "site/page.html"
};

static const uint8_t page_script[] = {
#embed "site/page.js"
};

static const uint8_t page_examples[] = {
#embed "site/examples.json"
};

static const uint8_t reference_html[] = {
#embed "site/docs.html"
};

static const uint8_t reference_style[] = {
#embed "site/docs.css"
};

static const uint8_t reference_script[] = {
#embed "site/docs.js"
};

static const uint8_t site_style[] = {
#embed "site/site.css"
};

static const uint8_t photo[] = {
#embed "../../examples/photo.jpg"
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

cdocuments_file cdocuments_page_html(void) {
    return (cdocuments_file){page_html, sizeof page_html};
}

cdocuments_file cdocuments_page_script(void) {
    return (cdocuments_file){page_script, sizeof page_script};
}

cdocuments_file cdocuments_page_examples(void) {
    return (cdocuments_file){page_examples, sizeof page_examples};
}

cdocuments_file cdocuments_reference_html(void) {
    return (cdocuments_file){reference_html, sizeof reference_html};
}

cdocuments_file cdocuments_reference_style(void) {
    return (cdocuments_file){reference_style, sizeof reference_style};
}

cdocuments_file cdocuments_reference_script(void) {
    return (cdocuments_file){reference_script, sizeof reference_script};
}

cdocuments_file cdocuments_site_style(void) {
    return (cdocuments_file){site_style, sizeof site_style};
}

cdocuments_file cdocuments_photo(void) {
    return (cdocuments_file){photo, sizeof photo};
}
