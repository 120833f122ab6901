/* SPDX-License-Identifier: MIT
 * Every example of docs/assembly.md assembles without a message. */
#include "support/file.h"
#include "support/str.h"
#include "tests/asm/assembling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void examples_assemble(void **state) {
    (void)state;
    static const char open[] = "\n```asm\n", close[] = "\n```";
    size_t size, count = 0;
    char *page = file_read(MPU_SOURCE_DIR "/docs/assembly.md", &size);
    assert_non_null(page);
    for (char *p = page; (p = strstr(p, open)); count++) {
        p += strlen(open);
        char *end = strstr(p, close);
        assert_non_null(end);
        *end = '\0';
        object_free(assemble_well(p));
        p = end + 1;
    }
    assert_true(count >= 6);
    free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(examples_assemble)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
