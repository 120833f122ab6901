/* SPDX-License-Identifier: MIT
 * Damaged texts of PTX: each is refused with a message, or read, printed back, and carried out to
 * its end, a fault, or as far as the steps reach. */
#include "tests/draws.h"

#include "ptx/form.h"
#include "support/alloc.h"
#include "support/bits.h"
#include "tests/ptx/damaged.h"
#include "tests/ptx/form_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST_SEEDS 400

static unsigned below(uint64_t *seed, size_t n) {
    return (unsigned)(splitmix64(seed) % n);
}

/* Words that damage is made of, beside what stands there. */
static const char *const words[] = {";",          "{",
                                    "}",          "(",
                                    ")",          "[",
                                    "]",          ",",
                                    "%r1",        "%d1",
                                    "%p39",       "!",
                                    "@%p1 ",      ".reg",
                                    ".param",     ".b32",
                                    ".v4",        "0",
                                    "-1",         "4096",
                                    "0f7f800000", "18446744073709551615",
                                    "<99999>",    "ret;",
                                    "bra L;",     "L:",
                                    ".shared",    "+",
                                    "|",          ".align 4096",
                                    "exit;",      "bar.sync 0;",
                                    "call",       ".f64",
                                    "\"",         "//",
                                    "/*",         ".loc 1 1 1\n",
                                    "$",          "\x80"};

static size_t line_at(const struct str *text, size_t at) {
    while (at && text->text[at - 1] != '\n')
        at--;
    return at;
}

/* A line goes, comes twice, or comes elsewhere; or a digit becomes another one: what is often still
 * a program. */
static void shake(struct str *text, uint64_t *seed) {
    size_t at = line_at(text, below(seed, text->len)), to = line_at(text, below(seed, text->len));
    size_t n = strcspn(text->text + at, "\n") + 1;
    unsigned what = below(seed, 4);
    struct str made = {0};
    n = n < text->len - at ? n : text->len - at;
    if (what == 3) {
        at += strcspn(text->text + at, "0123456789");
        if (at < text->len)
            text->text[at] = (char)('0' + below(seed, 10));
        return;
    }
    for (size_t i = 0; i < text->len; i++) {
        if (i == to && what)
            str_append_n(&made, text->text + at, n);
        if (what == 1 || i < at || i >= at + n)
            str_char(&made, text->text[i]);
    }
    str_free(text);
    *text = made;
}

static void damage(struct str *text, const struct str *other, uint64_t *seed) {
    for (unsigned n = 1 + below(seed, 4); n-- > 0 && text->len;) {
        size_t at = below(seed, text->len), length = 1 + below(seed, 12);
        struct str made = {0};
        length = length < text->len - at ? length : text->len - at;
        str_append_n(&made, text->text, at);
        switch (below(seed, 5)) {
        case 0: /* gone */
            break;
        case 1: /* a word in its place */
            str_append(&made, words[below(seed, sizeof words / sizeof *words)]);
            break;
        case 2: /* a word more */
            str_append(&made, words[below(seed, sizeof words / sizeof *words)]);
            length = 0;
            break;
        case 3: /* a piece of another text */
            str_append_n(&made, other->text + below(seed, other->len / 2 + 1), other->len / 8);
            break;
        default: /* another letter */
            str_char(&made, (char)below(seed, 256));
            length = 1;
        }
        str_append_n(&made, text->text + at + length, text->len - at - length);
        str_free(text);
        *text = made;
    }
}

static size_t load(struct str *seeds) {
    FILE *f = fopen(MPU_SOURCE_DIR "/tests/ptx/forms.txt", "r");
    char opcode[128];
    size_t count = 0;
    assert_non_null(f);
    while (count < MOST_SEEDS && fscanf(f, "%127s", opcode) == 1) {
        struct form_kernel k;
        struct str ignored = {0};
        assert_true(form_kernel_make(opcode, &k, &ignored));
        seeds[count++] = k.text;
    }
    fclose(f);
    return count;
}

static void test_damaged(void **state) {
    static struct str seeds[MOST_SEEDS];
    size_t count = load(seeds);
    unsigned draw = draws(DRAWS_PTX_HOSTILE), refused = 0;
    (void)state;
    for (uint64_t i = 0; i < draw; i++) {
        uint64_t seed = i;
        struct str text = {0};
        const struct str *from = &seeds[below(&seed, count)];
        str_append_n(&text, from->text, from->len);
        if (i % 2)
            shake(&text, &seed);
        else
            damage(&text, &seeds[below(&seed, count)], &seed);
        const char *wrong = ptx_damaged_wrong(str_text(&text), text.len, &refused);
        if (wrong)
            fail_msg("text %u: %s:\n%s", (unsigned)i, wrong, str_text(&text));
        str_free(&text);
    }
    /* damage is neither always seen nor never */
    assert_in_range(refused, draw / 10, draw - draw / 10);
    for (size_t i = 0; i < count; i++)
        str_free(&seeds[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
