#ifndef DECANT_C_DOCUMENTS_H
#define DECANT_C_DOCUMENTS_H

/* The files that the program contains. In Swift, each of them would be an array literal or a generated source file. */

#include <stddef.h>
#include <stdint.h>

/* The bytes of a file. They are constants of the program. */
typedef struct {
    const uint8_t *start;
    size_t count;
} cdocuments_file;

/* The contract, in YAML and in JSON: the files in the root folder of the project. */
cdocuments_file cdocuments_openapi_yaml(void);
cdocuments_file cdocuments_openapi_json(void);

/* The examples on the pages of problems, which `make golden` records. */
cdocuments_file cdocuments_problem_examples(void);

/* The parts of the pages at `/` and `/docs`: templates, style sheets, scripts, and the examples, which `make golden`
   writes. */
cdocuments_file cdocuments_page_html(void);
cdocuments_file cdocuments_page_script(void);
cdocuments_file cdocuments_page_examples(void);
cdocuments_file cdocuments_reference_html(void);
cdocuments_file cdocuments_reference_style(void);
cdocuments_file cdocuments_reference_script(void);
cdocuments_file cdocuments_site_style(void);

/* The picture of the examples, a JPEG. */
cdocuments_file cdocuments_photo(void);

#endif
