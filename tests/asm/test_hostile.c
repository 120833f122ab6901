/* SPDX-License-Identifier: MIT
 * Damaged sources: every one assembles or is refused with messages, and what assembles can be
 * written and read. */
#include "support/bits.h"
#include "tests/asm/assembling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define MUTANTS 10000

static const char *const seeds[] = {
    ".width 32\n.size n = 64\n.group g[n, 4]\n.group h[9] at RFH1.VRF2\n.var in x: i32[2] @g = r1\n"
    ".data x dup(4, -1), 3\nCOMPUTEG @g\nADD x, x[1], r9\nLI size(n) + 4 r3\nPRINT \"v\" r3:u8\n"
    "COMPUTE_DONE\nREPEAT size(n)\nNOP\nREPEAT_END\nHALT\n",
    ".macro f a, b = 3\n.if \\b > 0\nl\\@: INC.\\b r\\a r\\b\nf \\a, (\\b - 1)\n.else\nNOP\n.endif\n"
    ".endm\nf 1\nf 2, 5\n.rept 3\n.set i i0 + 1\n.endr\n",
    "1: COMPUTE RFH1 VRF1\n4: ADD r0 r1 r2\n6: COMPUTE_DONE\n11: MOVE RFH1 RFH2\n"
    "13: MEMCPY r0 VRF0 r0 VRF0\n15: MOVE_DONE\n16: SEND MPU4\n20: SEND_DONE\nJUMP 11\n",
    ".size n = 4\n.group g[n, 3]\n.var x: u8[2] @g = r1\n.move m u8 x[i, j: 1 .. n - 1, k] = "
    "x[2 * (i - n) + 1, -j, 1 - k] wrap\n.move q u3 @g r8 .. r9[a, b, c] = r4 else -1\nGMOVE m\nGMOVE 1\n"
    "MOVE RFH0 RFH1\nLANE rotate -3\nMEMCPY.8 VRF0 r1 VRF0 r2\nLANE identity\nMOVE_DONE\n",
    ".group a[9]\n.group b[4, 2]\n.var k: i5[2] @b = r4\n.move g u7 @b r2 .. r3[p: 1 .. 3, q, c] = "
    "@a r1[k[p, q, c]] clip\n.move s u7 @a r1 .. r2[@b r9: u3[p, q], 1 - c] = @b r6 .. r7[p, q, c] "
    "wrap\n.move t u3 @b r1[p, q] = r8 .. r11[@b r9: u2[p, q]] else 1\nGMOVE g\nGMOVE s\n",
    "main: GETMASK r1\n.loop: CMPLT.9 r2 r3 ; x\nSETMASK cond\nLIK1.20 0xff r4\nMARK \"a\\x41\"\n"
    "JUMP_COND .loop\nUNMASK /* y */\n.sub s\nZEXT r1 8 r2\nRETURN\n.endsub\n.global main, s\n"
    ".mpu 0..3 main\nSEND MPU(1,-1)\nSEND_DONE\nRECV MPU-1 wrap\nGOTO . - 2\nGOTO main + 1\n",
    ".equ A, ((1 << 4) | 3) * (7 % 4) - ~0 ? 5 : 6\n.geometry lanes=64 vrfs=9 rfhs=3\n"
    ".file \"a.ez\"\n.loc 3 4\n.ifdef A\nLI A r1\n.elif 1\nLI.8 255 r1\n.endif\n.mark \"m\"\n"
    ".print \"p\" r1:i9\n.assert \"q\"\nASSERT 2\nMUX r1 r2 r3\nCAS r1 r2\nQRDIV r1 r2 r3\n",
};

/* Pieces that begin or end something, and numbers at edges. */
static const char *const pieces[] = {
    "\r",
    "\r\n",
    " && ",
    " || ",
    " ? ",
    "0x1.8p3",
    "18446744073709551616",
    "\"",
    "/*",
    "*/",
    ".if 1\n",
    ".endif\n",
    ".macro f\n",
    ".endm\n",
    ".rept 9\n",
    ".endr\n",
    "((((((((((((((((((((",
    "))))",
    "-",
    "~",
    "\\a",
    "\\@",
    "\n",
    ":",
    ",",
    "@g",
    "size(",
    "0x",
    "99999999999999999999",
    "18446744073709551615",
    "-9223372036854775808",
    "r64",
    "VRF99",
    ".sub q\n",
    ".endsub\n",
    "REPEAT 2\n",
    "REPEAT_END\n",
    "f f f f\n",
    ".",
    "..",
    "\xff",
    "'",
    "dup(16777216, 1)",
    "\r",
    "\t",
    "//",
    ";",
    ".include \"t.s\"\n",
    "[",
    "]",
    "wrap",
    "<<",
    ">>",
};

static void insert(struct str *s, size_t at, const char *piece, size_t n) {
    struct str tail = {0};
    str_append_n(&tail, s->text + at, s->len - at);
    s->len = at;
    str_append_n(s, piece, n);
    str_append_n(s, str_text(&tail), tail.len);
    str_free(&tail);
}

static void damage(struct str *s, uint64_t *seed) {
    size_t at = splitmix64(seed) % (s->len + 1);
    const char *piece = pieces[splitmix64(seed) % (sizeof pieces / sizeof *pieces)];
    const char *other = seeds[splitmix64(seed) % 5];
    switch (splitmix64(seed) % 6) {
    case 0:
        if (at < s->len)
            s->text[at] = (char)splitmix64(seed);
        break;
    case 1:
        s->len = at;
        break;
    case 2: { /* a stretch is left out */
        size_t end = at + splitmix64(seed) % 20;
        end = end < s->len ? end : s->len;
        memmove(s->text + at, s->text + end, s->len - end);
        s->len -= end - at;
        break;
    }
    case 3: /* a stretch of another text */
        insert(s, at, other + splitmix64(seed) % 40, splitmix64(seed) % 40);
        break;
    default:
        insert(s, at, piece, strlen(piece));
    }
}

static void check_written(const struct object *o) {
    struct diag *d = diag_new(NULL, NULL);
    struct str bytes = {0};
    object_write(o, &bytes);
    struct object *back = object_read("t.o", bytes.text, bytes.len, d);
    if (!back)
        fail_msg("%s", diag_first(d));
    object_free(back);
    str_free(&bytes);
    diag_free(d);
}

/* A copy of exactly its size, so that a sanitizer sees any read beyond it. */
static bool try_text(const struct str *s) {
    struct str listing = {0};
    const struct asm_options options = {.debug = true, .listing = &listing};
    struct diag *d = diag_new(NULL, NULL);
    char *copy = xmalloc(s->len ? s->len : 1);
    memcpy(copy, str_text(s), s->len);
    struct object *o = asm_assemble("t.s", copy, s->len, &options, d);
    assert_true((o != NULL) == (diag_errors(d) == 0));
    assert_true(o || diag_first(d)[0]);
    if (o)
        check_written(o);
    bool accepted = o != NULL;
    object_free(o);
    str_free(&listing);
    free(copy);
    diag_free(d);
    return accepted;
}

static void mutants_assemble_or_are_refused(void **state) {
    (void)state;
    uint64_t seed = 2026;
    unsigned accepted = 0;
    for (unsigned i = 0; i < MUTANTS; i++) {
        struct str s = {0};
        str_append(&s, seeds[i % 5]);
        for (uint64_t n = 1 + splitmix64(&seed) % 4; n > 0; n--)
            damage(&s, &seed);
        accepted += try_text(&s);
        str_free(&s);
    }
    assert_true(accepted > MUTANTS / 100);
    assert_true(accepted < MUTANTS * 9 / 10);
}

static void every_truncation_ends(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof seeds / sizeof *seeds; k++) {
        struct str s = {0};
        str_append(&s, seeds[k]);
        for (; s.len; s.len--)
            try_text(&s);
        try_text(&s);
        str_free(&s);
    }
}

/* Texts that grow without limit when a limit is missing. */
static void explosions_end(void **state) {
    (void)state;
    static const char *const texts[] = {
        ".macro f\nf\nf\n.endm\nf\n",
        ".macro f a\nf \\a\\a\nf \\a\\a\n.endm\nf x\n",
        ".rept 10000000\n.rept 10000000\nNOP\n.endr\n.endr\n",
        ".set i 0\n.macro f\n.set i i + 1\n.if i < 1000000\nf\n.endif\n.endm\nf\n",
        ".rept 16777216\n.data x 1\n.endr\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct str s = {0};
        str_append(&s, texts[i]);
        assert_false(try_text(&s));
        str_free(&s);
    }
    static const char open[] = "((((((((((", minus[] = "- - - - - ";
    struct str s = {0};
    str_append(&s, "LI ");
    for (int i = 0; i < 100000; i++)
        str_append(&s, i % 2 ? open : minus);
    assert_false(try_text(&s));
    str_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutants_assemble_or_are_refused),
        cmocka_unit_test(every_truncation_ends),
        cmocka_unit_test(explosions_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
