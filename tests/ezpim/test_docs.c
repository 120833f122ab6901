/* SPDX-License-Identifier: MIT
 * Every example of docs/ezpim.md compiles without a message. */
#include "support/file.h"
#include "tests/ezpim/build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void examples_compile(void **state) {
    (void)state;
    static const char open[] = "\n```ez\n", close[] = "\n```";
    size_t size, count = 0;
    char *page = file_read(MPU_SOURCE_DIR "/docs/ezpim.md", &size);
    assert_non_null(page);
    for (char *p = page; (p = strstr(p, open)); count++) {
        struct str messages = {0};
        p += strlen(open);
        char *end = strstr(p, close);
        assert_non_null(end);
        *end = '\0';
        struct object *o = build_object(p, 1, &messages);
        assert_string_equal(str_text(&messages), "");
        assert_non_null(o);
        object_free(o);
        str_free(&messages);
        p = end + 1;
    }
    assert_true(count >= 6);
    free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(examples_compile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
