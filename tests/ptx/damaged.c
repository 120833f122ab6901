/* SPDX-License-Identifier: MIT
 * A text is refused with a message, or is read, printed, and read again as the same; then it is
 * carried out as far as some steps reach. */
#include "tests/ptx/damaged.h"

#include "ptx/ptx.h"
#include "tests/ptx/launched.h"

#include <string.h>

static const char *print_back(const struct ptx_module *m) {
    struct portable_fault fault = {.line = 0};
    struct str once = {0}, twice = {0};
    const char *wrong = NULL;
    ptx_print(m, &once);
    struct ptx_module *again = ptx_read(str_text(&once), once.len, &fault);
    if (again)
        ptx_print(again, &twice);
    if (!again || once.len != twice.len || memcmp(str_text(&once), str_text(&twice), once.len) != 0)
        wrong = "it is not printed back";
    ptx_free(again);
    str_free(&once);
    str_free(&twice);
    str_free(&fault.what);
    return wrong;
}

const char *ptx_damaged_wrong(const char *text, size_t size, unsigned *refused) {
    uint32_t array[4096] = {0};
    struct portable_fault fault = {.line = 0};
    const char *wrong = NULL;
    struct ptx_module *m = ptx_read(text, size, &fault);
    if (m) {
        wrong = print_back(m);
        ptx_free(m);
    } else if (!fault.what.len) {
        wrong = "it is refused without a message";
    }
    *refused += !m;
    str_clear(&fault.what);
    const struct ptx_launched x = {.text = text,
                                   .size = size,
                                   .grid = 1,
                                   .block = 32,
                                   .array = array,
                                   .elements = 4096,
                                   .most_steps = 20000};
    if (m && !wrong)
        ptx_launched_run(&x, &fault);
    str_free(&fault.what);
    return wrong;
}
