/* SPDX-License-Identifier: MIT
 * Code of near-bank SIMT cores: words and text of every form, with random operands and of all PTX
 * that is there, become the same bytes again; damaged ones an instruction or a clear error.
 */
#include "tests/draws.h"

#include "machines/core/simt/compile.h"
#include "machines/core/simt/words.h"

#include "support/alloc.h"
#include "support/bits.h"
#include "support/file.h"
#include "tests/examples/page.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 1;

static uint32_t draw(uint32_t below) {
    return (uint32_t)(splitmix64(&seed) % below);
}

/* ---- random instructions ---- */

static const char *const suffixes[] = {
#define SUFFIX(name, class, value) name,
#include "ptx/suffixes.def"
#undef SUFFIX
};
#define SUFFIXES (sizeof suffixes / sizeof *suffixes)

static const char *const patterns[] = {
#define FORM(op, pattern, operands, compute) pattern,
#define MORE(op, pattern, operands, compute) pattern,
#include "ptx/forms.def"
#undef FORM
#undef MORE
};
#define PATTERNS (sizeof patterns / sizeof *patterns)

/* A name of the pattern, where the draw of its sets happens to give one: words in capitals are any
 * suffix. */
static void draw_name(const char *pattern, struct str *out) {
    size_t n = strcspn(pattern, " ");
    str_append_n(out, pattern, n);
    for (pattern += n; *pattern; pattern += n) {
        n = strcspn(++pattern, " ");
        const bool optional = pattern[n - 1] == '?';
        size_t words = 1;
        for (size_t i = 0; i < n; i++)
            words += pattern[i] == '|';
        if (optional && draw(2))
            continue;
        const char *word = pattern;
        for (size_t k = draw((uint32_t)words); k; k--)
            word = strchr(word, '|') + 1;
        size_t length = strcspn(word, "|? ");
        if (word[0] >= 'A' && word[0] <= 'Z' && !(length == 3 && memcmp(word, "NaN", 3) == 0))
            str_printf(out, ".%s", suffixes[draw(SUFFIXES)]);
        else
            str_printf(out, ".%.*s", (int)length, word);
    }
}

static enum simt_op op_of(enum ptx_op ptx) {
    enum simt_op op = SIMT_NOP + 1;
    while (op < SIMT_OPS && simt_ptx_op(op) != ptx)
        op = (enum simt_op)(op + 1);
    return op;
}

static uint8_t draw_register(uint8_t kind) {
    if (kind == SIMT_OPERAND_PREDICATE)
        return (uint8_t)draw(16);
    if (kind == SIMT_OPERAND_PAIR)
        return draw(8) ? (uint8_t)(2 * draw(31)) : SIMT_RZ;
    return (uint8_t)draw(64);
}

static uint64_t draw_number(unsigned bits) {
    const uint64_t any = splitmix64(&seed);
    switch (draw(4)) {
    case 0:
        return (uint64_t)((int64_t)(any % 64) - 32) & low_bits(bits);
    case 1:
        return (uint64_t)((int64_t)(any % 65536) - 32768) & low_bits(bits);
    case 2:
        return (uint64_t)(int64_t)(int32_t)any & low_bits(bits);
    default:
        return any & low_bits(bits);
    }
}

static void draw_operands(struct simt_insn *x) {
    const bool access = simt_is_access((enum simt_op)x->op);
    for (unsigned i = 0; i < x->result_count; i++)
        x->result[i] = draw_register(x->result_kind[i]);
    for (unsigned i = 0; i < x->source_count; i++) {
        x->source[i] = draw_register(x->source_kind[i]);
        if (x->source_kind[i] == SIMT_OPERAND_SPECIAL) {
            x->source[i] = (uint8_t)draw(PTX_SPECIALS);
        } else if (x->source_kind[i] == SIMT_OPERAND_NUMBER || (!draw(3) && !(access && i == 0))) {
            x->source[i] = 0;
            x->source_kind[i] = SIMT_OPERAND_NUMBER;
            x->number[i] = draw_number(x->source_bits[i]);
        } else if (x->source_kind[i] == SIMT_OPERAND_PREDICATE) {
            x->negated |= (uint8_t)(draw(2) << i);
        }
    }
    if (simt_has_second(x) && draw(2))
        x->second = (uint8_t)draw(15);
    if (access)
        x->offset = (int32_t)(draw(2) ? 0 : draw_number(32));
    if (!draw(4)) {
        x->guard = (uint8_t)draw(15);
        x->guard_not = draw(2);
    }
}

/* Of a name; false: it is no operation of the machine. */
static bool make_insn(const char *name, struct simt_insn *x) {
    struct str what = {0};
    *x = (struct simt_insn){.guard = SIMT_PT, .second = SIMT_PT};
    const struct ptx_form *form = ptx_form_find(name, strlen(name), &x->m, &what);
    str_free(&what);
    if (!form)
        return false;
    enum simt_op op = op_of(form->op);
    if (strncmp(form->pattern, "bar warp", 8) == 0)
        op = SIMT_BAR_WARP;
    if (op == SIMT_OPS || op == SIMT_BRA)
        return false;
    x->op = (uint8_t)op;
    x->m.flags &= (uint16_t)~PTX_HINT;
    x->location = (uint8_t)(SIMT_NEAR + draw(3));
    x->address_bits = draw(2) ? 64 : 32;
    x->result_count = x->source_count = 1;
    if (op == SIMT_MOV && x->m.type[0] != PTX_PRED && ptx_type_bits(x->m.type[0]) >= 32) {
        const uint8_t parts = (uint8_t)(1u << draw(3));
        if (draw(2))
            x->result_count = parts;
        else
            x->source_count = parts;
    }
    if (op == SIMT_BAR)
        x->source_count = (uint8_t)(1 + draw(2));
    if (!simt_shape(x))
        return false;
    draw_operands(x);
    return true;
}

static bool same_operands(const struct simt_insn *a, const struct simt_insn *b) {
    bool same = a->op == b->op && a->location == b->location && a->guard == b->guard &&
                a->guard_not == b->guard_not && a->result_count == b->result_count &&
                a->source_count == b->source_count && a->second == b->second &&
                a->offset == b->offset && a->negated == b->negated && a->m.round == b->m.round &&
                a->m.compare == b->m.compare && a->m.operation == b->m.operation &&
                a->m.mode == b->m.mode && a->m.vector == b->m.vector && a->m.space == b->m.space &&
                !((a->m.flags ^ b->m.flags) & ~(PTX_HINT | PTX_SYNC)) &&
                (!simt_is_access((enum simt_op)a->op) || a->address_bits == b->address_bits);
    for (unsigned i = 0; i < 2; i++)
        same = same && simt_type_code(a->m.type[i]) == simt_type_code(b->m.type[i]);
    for (unsigned i = 0; same && i < a->result_count; i++)
        same = a->result[i] == b->result[i] && a->result_kind[i] == b->result_kind[i];
    for (unsigned i = 0; same && i < a->source_count; i++)
        same = a->source_kind[i] == b->source_kind[i] &&
               (a->source_kind[i] == SIMT_OPERAND_NUMBER ? a->number[i] == b->number[i]
                                                         : a->source[i] == b->source[i]) &&
               a->source_bits[i] == b->source_bits[i];
    return same;
}

/* Words that decode to the same. */
static void check_words(const char *name, const struct simt_insn *x, struct simt_insn *again) {
    uint32_t words[SIMT_MAX_WORDS];
    struct str why = {0}, text = {0};
    const uint32_t n = simt_encode(x, 0, words, &why);
    simt_print(x, &text);
    if (!n || !simt_decode(words, n, 0, again, &why))
        fail_msg("%s: %s: %s", name, str_text(&text), str_text(&why));
    if (again->words != n || !same_operands(x, again)) {
        struct str other = {0};
        simt_print(again, &other);
        fail_msg("%s: %s became %s", name, str_text(&text), str_text(&other));
    }
    str_free(&why);
    str_free(&text);
}

#define HEAD                                                                                       \
    ".kernel \"k\"\n.registers near 20 both 20 far 23 predicates 15\n.function \"k\"\n"            \
    ".bytes parameters 0 param 0 local 0 spilled 0 shared 0\n"

/* A text with the instruction in it becomes the same words. */
static void check_text(const struct simt_insn *x) {
    struct portable_fault fault = {.line = 0};
    struct str text = {0}, why = {0};
    uint32_t words[SIMT_MAX_WORDS];
    const uint32_t n = simt_encode(x, 0, words, &why);
    str_append(&text, HEAD);
    simt_print(x, &text);
    str_append(&text, "\nfar exit\n");
    struct simt_kernel *k = simt_assemble(text.text, text.len, &fault);
    if (!k)
        fail_msg("line %u: %s\n%s", fault.line, str_text(&fault.what), str_text(&text));
    assert_int_equal(k->insns[0].words, n);
    if (memcmp(k->words, words, n * sizeof *words) != 0)
        fail_msg("other words of %s", str_text(&text));
    simt_kernel_free(k);
    str_free(&text);
    str_free(&why);
}

static void check_insn(const char *name, const struct simt_insn *x) {
    struct simt_insn again;
    check_words(name, x, &again);
    check_text(&again);
}

/* ---- forms ---- */

/* The forms that compilers use, by the reference's list. */
static void test_used_forms(void **state) {
    (void)state;
    size_t size, found = 0;
    char *text = file_read_named(MPU_SOURCE_DIR "/tests/ptx/forms.txt", 1 << 20, &size);
    assert_non_null(text);
    for (char *name = strtok(text, "\n"); name; name = strtok(NULL, "\n")) {
        struct simt_insn x;
        for (int k = 0; k < 20; k++)
            if (make_insn(name, &x)) {
                check_insn(name, &x);
                found += k == 0;
            }
    }
    assert_true(found > 200);
    free(text);
}

/* Any form: names that patterns allow. */
static void test_all_forms(void **state) {
    (void)state;
    const unsigned each = draws(DRAWS_SIMT_NAMES);
    unsigned made[PATTERNS] = {0};
    for (size_t i = 0; i < PATTERNS; i++)
        for (unsigned k = 0; k < each; k++) {
            struct str name = {0};
            struct simt_insn x;
            draw_name(patterns[i], &name);
            if (make_insn(str_text(&name), &x)) {
                check_insn(str_text(&name), &x);
                made[i]++;
            }
            str_free(&name);
        }
    size_t none = 0;
    for (size_t i = 0; i < PATTERNS; i++)
        none += made[i] == 0;
    assert_true(none < 25); /* calls, and what becomes another operation */
}

/* Special registers, addresses, branches. */
static void test_own_forms(void **state) {
    (void)state;
    static const uint8_t types[] = {PTX_U16, PTX_U32, PTX_U64};
    for (unsigned k = 0; k < 200; k++) {
        struct simt_insn x = {.guard = SIMT_PT, .second = SIMT_PT, .location = SIMT_FAR};
        x.op = k % 2 ? SIMT_S2R : SIMT_LEA;
        x.m.type[0] = types[draw(3)];
        x.m.vector = 1;
        assert_true(simt_shape(&x));
        draw_operands(&x);
        check_insn("s2r", &x);
        x = (struct simt_insn){.op = SIMT_BRA, .guard = (uint8_t)draw(16), .second = SIMT_PT};
        x.location = SIMT_FAR;
        x.m.vector = 1;
        x.guard_not = x.guard != SIMT_PT && draw(2);
        x.target = draw(16000);
        x.reconverge = x.guard == SIMT_PT || !draw(3) ? SIMT_END : draw(16000);
        struct simt_insn again;
        check_words("bra", &x, &again);
        assert_int_equal(again.target, x.target);
        assert_int_equal(again.reconverge, x.reconverge);
    }
}

static void test_reach(void **state) {
    (void)state;
    struct simt_insn x = {.op = SIMT_BRA, .guard = 0, .second = SIMT_PT, .location = SIMT_FAR};
    uint32_t words[SIMT_MAX_WORDS];
    struct str why = {0};
    x.target = 40000;
    x.reconverge = SIMT_END;
    assert_int_equal(simt_encode(&x, 0, words, &why), 0);
    assert_string_equal(str_text(&why), "a branch reaches 32,768 words of code, and not so far");
    str_free(&why);
}

/* ---- words of any kind ---- */

/* Words with few bits changed, and random ones: an instruction that encodes to them, or why not. */
static void test_damaged_words(void **state) {
    (void)state;
    const unsigned count = draws(DRAWS_SIMT_WORDS);
    unsigned fine = 0;
    for (unsigned k = 0; k < count; k++) {
        uint32_t words[SIMT_MAX_WORDS], again[SIMT_MAX_WORDS];
        struct simt_insn x;
        struct str why = {0}, name = {0};
        for (unsigned i = 0; i < SIMT_MAX_WORDS; i++)
            words[i] = (uint32_t)splitmix64(&seed);
        draw_name(patterns[draw(PATTERNS)], &name);
        if (k % 4 && make_insn(str_text(&name), &x)) {
            simt_encode(&x, 0, words, &why);
            words[draw(3)] ^= (uint32_t)1 << draw(32);
        }
        if (simt_decode(words, 1 + draw(SIMT_MAX_WORDS), 0, &x, &why)) {
            struct str text = {0};
            const uint32_t n = simt_encode(&x, 0, again, &why);
            assert_int_equal(n, x.words);
            assert_memory_equal(words, again, n * sizeof *words);
            simt_print(&x, &text);
            assert_true(text.len > 5);
            str_free(&text);
            fine++;
        } else {
            assert_true(why.len > 5);
        }
        str_free(&why);
        str_free(&name);
    }
    assert_true(fine > count / 50 && fine < count);
}

/* ---- all PTX ---- */

typedef void each_kernel(const char *path, const struct simt_kernel *k);

static void compile_all(const char *path, uint32_t registers, each_kernel *look) {
    size_t size;
    char *text = file_read_named(path, 1 << 24, &size);
    struct portable_fault fault = {.line = 0};
    struct ptx_module *m = ptx_read(text, size, &fault);
    for (uint32_t i = 0; m && i < m->functions.len; i++) {
        const struct simt_options options = {.registers = registers, .near_shared = true};
        if (!m->functions.data[i].is_entry)
            continue;
        struct simt_kernel *k = simt_compile(m, i, &options, &fault);
        if (!k)
            fail_msg("%s:%u: %s", path, fault.line, str_text(&fault.what));
        look(path, k);
        assert_true(k->near + k->both + k->far <= registers);
        simt_kernel_free(k);
    }
    if (!m)
        fail_msg("%s:%u: %s", path, fault.line, str_text(&fault.what));
    ptx_free(m);
    free(text);
}

static unsigned texts;

static void each_text(const char *folder, uint32_t registers, each_kernel *look) {
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        const size_t n = strlen(e->d_name);
        char path[1024];
        if (n < 5 || strcmp(e->d_name + n - 4, ".ptx") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        compile_all(path, registers, look);
        texts++;
    }
    closedir(d);
}

/* The record, read again, and its text, with comments and without, assembled: the same bytes. */
static void check_record(const char *path, const struct simt_kernel *k) {
    static const struct simt_names names = {"k.ptx", 7};
    struct str bytes = {0};
    const char *problem = NULL;
    simt_kernel_write(k, &bytes);
    struct simt_kernel *again = simt_kernel_read(bytes.text, bytes.len, &problem);
    if (!again)
        fail_msg("%s, %s: %s", path, k->name, problem);
    for (unsigned i = 0; i < 2; i++) {
        struct str text = {0}, made = {0};
        struct portable_fault fault = {.line = 0};
        simt_list(again, i ? &names : NULL, &text);
        struct simt_kernel *assembled = simt_assemble(text.text, text.len, &fault);
        if (!assembled)
            fail_msg("%s, %s: line %u: %s", path, k->name, fault.line, str_text(&fault.what));
        simt_kernel_write(assembled, &made);
        assert_int_equal(made.len, bytes.len);
        assert_memory_equal(made.text, bytes.text, bytes.len);
        simt_kernel_free(assembled);
        str_free(&made);
        str_free(&text);
    }
    simt_kernel_free(again);
    str_free(&bytes);
}

static const char *const folders[] = {
    MPU_SOURCE_DIR "/tests/ptx/O1", MPU_SOURCE_DIR "/tests/ptx/O2",
    MPU_SOURCE_DIR "/tests/ptx/nvcc", MPU_SOURCE_DIR "/tests/ptx/texts",
    MPU_SOURCE_DIR "/examples/cuda"};

static void test_all_ptx(void **state) {
    (void)state;
    static const uint32_t registers[] = {63, 20, 12, 8};
    texts = 0;
    for (size_t r = 0; r < 4; r++)
        for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
            if (draws_takes(r, 3))
                each_text(folders[i], registers[r], check_record);
    assert_true(texts > 2 * 80);
}

/* ---- the page's table ---- */

static struct str row;

static void add_columns(const char *path, const struct simt_kernel *k) {
    (void)path;
    if (row.len && row.text[row.len - 1] == '.')
        return; /* the first kernel of a text */
    simt_counts_text(&k->counts, &row);
    str_printf(&row, " | %u + %u + %u, %u | %u, %u.", k->near, k->both, k->far, k->predicates,
               k->insn_count, k->word_count);
}

static void test_page(void **state) {
    (void)state;
    static const char *const twelve[] = {"axpy", "blur", "conv", "gemv", "hist",   "kmeans",
                                         "knn",  "maxp", "nw",   "pr",   "ttrans", "upsamp"};
    struct str table = {0};
    str_append(&table, "\n| | clang -O2 | registers | code | nvcc | registers | code |\n"
                       "|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < 12; i++) {
        str_printf(&table, "| %s", twelve[i]);
        for (unsigned k = 0; k < 2; k++) {
            char path[1024];
            snprintf(path, sizeof path, "%s/%s.ptx", folders[1 + k], twelve[i]);
            str_clear(&row);
            compile_all(path, SIMT_REGISTERS, add_columns);
            str_printf(&table, " | %.*s", (int)row.len - 1, row.text);
        }
        str_append(&table, " |\n");
    }
    str_char(&table, '\n');
    page_check(MPU_SOURCE_DIR "/docs/simt-code.md", "twelve", &table, "test_simt_code");
    str_free(&table);
    str_free(&row);
}

/* ---- damaged kernels ---- */

static struct str whole; /* of a kernel */

static void keep(const char *path, const struct simt_kernel *k) {
    (void)path;
    str_clear(&whole);
    simt_kernel_write(k, &whole);
}

/* Each byte changed, and each length: a kernel that is written as it was read, or a problem. */
static void test_damaged_kernels(void **state) {
    (void)state;
    unsigned refused = 0;
    compile_all(MPU_SOURCE_DIR "/tests/ptx/O2/axpy.ptx", 63, keep);
    for (size_t i = 0; i < whole.len; i++) {
        char *bytes = malloc(whole.len + 1);
        const char *problem = NULL;
        memcpy(bytes, whole.text, whole.len);
        bytes[i] = (char)(bytes[i] ^ (1 << draw(8)));
        struct simt_kernel *k = simt_kernel_read(bytes, whole.len, &problem);
        struct str again = {0};
        if (k) {
            simt_kernel_write(k, &again);
            assert_int_equal(again.len, whole.len);
            assert_memory_equal(again.text, bytes, whole.len);
            simt_list(k, NULL, &again);
        }
        assert_true(k || problem);
        refused += !k;
        str_free(&again);
        simt_kernel_free(k);
        char *part = malloc(i + 1); /* so that reading beyond it shows */
        memcpy(part, whole.text, i);
        k = simt_kernel_read(part, i, &problem);
        assert_null(k);
        free(part);
        free(bytes);
    }
    assert_true(refused > whole.len / 10);
    str_free(&whole);
}

static void test_wrong_texts(void **state) {
    (void)state;
    static const struct {
        const char *text, *what;
        uint32_t line;
    } cases[] = {
        {"far exit\n", "expected .kernel in place of 'far'", 1},
        {HEAD "far exut\n", "expected an instruction in place of 'exut'", 5},
        {HEAD "exit\n", "expected near, far or both in place of 'exit'", 5},
        {HEAD "far add.s32 R1, R2\nfar exit\n", "it has 3 operands, and not 2", 6},
        {HEAD "far add.s32 R1, R2, P3\nfar exit\n", "'P3' is no operand of that kind", 5},
        {HEAD "far add.s32 R1, R2, 4294967296\n", "a number of 32 bits is expected", 5},
        {HEAD "far add.s64 R1, R2, R4\nfar exit\n",
         "64 bits lie in two registers, from an even one on", 5},
        {HEAD "far bra L7\n", "no instruction has the label 'L7'", 5},
        {HEAD "L1:\nL1:\nfar bra L1\n", "label 'L1' stands twice", 6},
        {HEAD "far @P0 bra L1\n", "a branch has a label, and under a guard another one, or end", 5},
        {HEAD "far mov.u32 R1, R2\n", "the code of a kernel of target simt does not end", 0},
        {HEAD "far exit R1\n", "it has 0 operands, and not 1", 6},
        {".kernel \"k\"\n.registers near 1 both 0 far 0 predicates 0\n.function \"k\"\n"
         "far mov.u32 R1, 0\nfar exit\n",
         "an instruction of a kernel of target simt has registers beyond its own", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct portable_fault fault = {.line = 0};
        struct simt_kernel *k = simt_assemble(cases[i].text, strlen(cases[i].text), &fault);
        assert_null(k);
        assert_string_equal(str_text(&fault.what), cases[i].what);
        assert_int_equal(fault.line, cases[i].line);
        str_free(&fault.what);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_used_forms),    cmocka_unit_test(test_all_forms),
        cmocka_unit_test(test_own_forms),     cmocka_unit_test(test_reach),
        cmocka_unit_test(test_damaged_words), cmocka_unit_test(test_all_ptx),
        cmocka_unit_test(test_page),          cmocka_unit_test(test_damaged_kernels),
        cmocka_unit_test(test_wrong_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
