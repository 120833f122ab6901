/* SPDX-License-Identifier: MIT
 * One line of a body each. */
#include "tests/stage/mistakes.h"

#include "support/bits.h"

#include <string.h>

struct mistake {
    const char *line;    /* of the body of a map of x into y; %u: the element */
    const char *refused; /* what is said of it, or NULL: */
    const char *stops;   /* what is said at run time */
};

static const struct mistake mistakes[] = {
    {"y[0] = x[1];", "index 1 is outside of 'x'", NULL},
    {"y[-1] = x[0];", "index -1 is outside of 'y'", NULL},
    {"u8 t[4]; y[0] = i32(t[x[0] == %u ? 5 : 6]);", "index 5 is outside of 't'", NULL},
    {"while (true) y[0] += 1;", "nothing ends this loop", NULL},
    {"for (u8 i = 0; i <= 255; i++) y[0] += 1;", "never comes to its end", NULL},
    {"for (i64 i = 0; i < 1000000000000; i++) y[0] += 1;", "1000000000000 iterations", NULL},
    {"y[0] = f(x[0]);", "there are no calls", NULL},
    {"i32 *p = x;", "pointers are not kept", NULL},
    {"y[0] = x;", "pointers are not kept", NULL},
    {"y[0] = x[0] + 1.5;", "a number with a point is none of type i32", NULL},
    {"y[0] = x[0] + (u32)1;", "i32 and u32 are mixed", NULL},
    {"y[0] = (i64)x[0];", "a value of type i64 becomes no i32 by itself", NULL},
    {"x[0] = 1;", "'x' is only read here", NULL},
    {"i32 t[4]; t[1] = 3; y[0] = t[x[0] == %u ? x[0] * 0 + 4 : 1];", NULL,
     "index 4 is outside of 't', of which 4 elements can be seen"},
    {"i32 t[4]; if (x[0] == %u) t[x[0] - x[0] - 1] = 3;", NULL, "index -1 is outside of 't'"},
    {"y[0] = x[x[0] / %u];", NULL, "index 1 is outside of 'x', of which 1 element can be seen"},
    {"i32 k = x[0]; while (k == %u) { y[0] += 1; k = k * 1; }", NULL, "does not end within"},
    {"for (i32 k = 0; k != 7 || x[0] == %u; k++) y[0] = k;", NULL, "does not end within"},
    {"i32 k, t[4]; for (k = 0; k < 60; k++) t[k] = x[0];", NULL, "index 4 is outside of 't'"},
};

static unsigned below(uint64_t *seed, unsigned n) {
    return (unsigned)(splitmix64(seed) % n);
}

void mistaken_kernel(struct mistaken *x, unsigned i, uint64_t *seed) {
    const struct lane_type i32 = {TYPE_INT, 32};
    const struct mistake *m = &mistakes[i % (sizeof mistakes / sizeof *mistakes)];
    unsigned n = 3 + below(seed, 50), element = 1 + below(seed, n - 2), before = below(seed, 5);
    if (m->stops && !strstr(m->line, "%u")) /* all are wrong */
        element = 0;
    *x = (struct mistaken){.launched.in_pieces = below(seed, 2),
                           .refused = m->refused,
                           .stops = m->stops,
                           .endless = m->stops && strstr(m->stops, "does not end"),
                           .line = before + 3,
                           .element = element,
                           .elements = n};
    launched_buffer(&x->launched, "x", i32, n);
    launched_buffer(&x->launched, "y", i32, n);
    for (unsigned e = 0; e < n; e++)
        launched_put(&x->launched, 0, e, e);
    struct str *text = &x->launched.text;
    str_printf(text, "length %u;\nmap (in x, out y) {\n", n);
    for (unsigned b = 0; b < before; b++)
        str_printf(text, "    i32 v%u = x[0] * %u;\n", b, b);
    const char *mark = strstr(m->line, "%u");
    str_append_n(text, m->line, mark ? (size_t)(mark - m->line) : strlen(m->line));
    if (mark)
        str_printf(text, "%u%s", element, mark + 2);
    str_append(text, "\n}\n");
}
