/* SPDX-License-Identifier: MIT
 * Files of kernels of the toy core, and what --launch and --buffer say of them: a program around
 * the text, or a message; packaged for its machine, likewise.  The input begins with a line for
 * each of these, "L k<<<n>>>(x)", "B y: i64[n]" or "I x" (--in x=...); the text stands behind an
 * empty one. */
#include "tests/fuzz/compiled.h"
#include "tests/fuzz/launched.h"

#include "ezpim/launch_file.h"
#include "support/alloc.h"
#include "support/vec.h"

#include <string.h>

typedef VEC(const char *) texts;

/* The options, cut at their newlines; what is behind them. */
static const char *take_options(char *at, const char *end, texts *launches, texts *buffers,
                                texts *inputs) {
    while (end - at > 1 && at[1] == ' ' && strchr("LBI", at[0])) {
        char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline)
            break;
        *newline = 0;
        vec_push(*at == 'L' ? launches : *at == 'B' ? buffers : inputs, (const char *)at + 2);
        at = newline + 1;
    }
    return at < end && *at == '\n' ? at + 1 : at;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    char *copy = xcalloc(size + 1, 1);
    texts launches = {0}, buffers = {0}, inputs = {0};
    struct diag *d = diag_new(NULL, NULL);
    if (size)
        memcpy(copy, bytes, size);
    const char *text = take_options(copy, copy + size, &launches, &buffers, &inputs);
    const struct driver_launches given = {launches.data, launches.len, buffers.data, buffers.len,
                                          inputs.data,   inputs.len,   NULL,         0,
                                          false};
    struct object *o =
        driver_launch_program("fuzz.core", ".core", text, (size_t)(copy + size - text), &given, d);
    if (o)
        launched_check(o);
    compiled_check(o, d);
    vec_free(&launches);
    vec_free(&buffers);
    vec_free(&inputs);
    free(copy);
    return 0;
}
