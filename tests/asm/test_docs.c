/* SPDX-License-Identifier: MIT
 * Every example of docs/assembly.md and docs/mpus.md assembles without a message. */
#include "support/file.h"
#include "support/str.h"
#include "tests/asm/assembling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static size_t assemble_page(const char *path) {
    static const char open[] = "\n```asm\n", close[] = "\n```";
    size_t size, count = 0;
    char *page = file_read(path, &size);
    assert_non_null(page);
    for (char *p = page; (p = strstr(p, open)); count++) {
        p += strlen(open);
        char *end = strstr(p, close);
        assert_non_null(end);
        *end = '\0';
        object_free(assemble_well(p));
        p = end + 1;
    }
    free(page);
    return count;
}

static void examples_assemble(void **state) {
    (void)state;
    assert_true(assemble_page(MPU_SOURCE_DIR "/docs/assembly.md") >= 6);
    assert_true(assemble_page(MPU_SOURCE_DIR "/docs/mpus.md") >= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(examples_assemble)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
