/* SPDX-License-Identifier: MIT
 * PTX: forms, texts printed back, what is refused and how, names of C++, blocks. */
#include "ptx/cfg.h"
#include "ptx/entries.h"
#include "ptx/form.h"
#include "ptx/words.h"
#include "support/alloc.h"
#include "support/bits.h"
#include "tests/ptx/form_kernel.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD  ".version 7.0\n.target sm_75\n.address_size 64\n"
#define ENTRY HEAD ".visible .entry k(.param .u64 data)\n{\n"
/* ---- printing ---- */

/* Word by word what it was. */
static void assert_printed(const char *name, const char *text, size_t size) {
    struct portable_fault fault = {.line = 0};
    struct ptx_module *m = ptx_read(text, size, &fault);
    struct str printed = {0}, again = {0};
    struct ptx_words a, b;
    if (!m)
        fail_msg("%s:%u: %s", name, (unsigned)fault.line, str_text(&fault.what));
    ptx_print(m, &printed);
    ptx_words_begin(&a, text, size);
    ptx_words_begin(&b, printed.text, printed.len);
    while (a.word.kind != PTX_WORD_END || b.word.kind != PTX_WORD_END) {
        if (a.word.n != b.word.n || memcmp(a.word.text, b.word.text, a.word.n) != 0)
            fail_msg("%s:%u: '%.*s' is printed as '%.*s'", name, (unsigned)a.word.line,
                     (int)a.word.n, a.word.text, (int)b.word.n, b.word.text);
        ptx_words_next(&a);
        ptx_words_next(&b);
    }
    ptx_free(m);
    m = ptx_read(printed.text, printed.len, &fault);
    assert_non_null(m);
    ptx_print(m, &again);
    assert_string_equal(printed.text, again.text);
    ptx_free(m);
    str_free(&printed);
    str_free(&again);
}

static void test_forms(void **state) {
    FILE *f = fopen(MPU_SOURCE_DIR "/tests/ptx/forms.txt", "r");
    char opcode[128];
    uint64_t seed = 1, in[32 * 16], out[32 * 16];
    unsigned count = 0;
    (void)state;
    assert_non_null(f);
    while (fscanf(f, "%127s", opcode) == 1) {
        struct form_kernel k;
        struct portable_fault fault = {.line = 0};
        for (size_t i = 0; i < sizeof in / sizeof *in; i++)
            in[i] = splitmix64(&seed);
        if (!form_kernel_make(opcode, &k, &fault.what) || !form_kernel_run(&k, in, out, 32, &fault))
            fail_msg("%s: line %u: %s", opcode, (unsigned)fault.line, str_text(&fault.what));
        assert_printed(opcode, k.text.text, k.text.len);
        form_kernel_free(&k);
        count++;
    }
    fclose(f);
    assert_int_equal(count, 238);
}

static struct str file_text(const char *folder, const char *name) {
    char path[4096];
    struct str text = {0};
    snprintf(path, sizeof path, MPU_SOURCE_DIR "/%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    for (int c; (c = fgetc(f)) != EOF;)
        str_char(&text, (char)c);
    fclose(f);
    return text;
}

/* How many texts it has. */
static unsigned assert_folder(const char *folder) {
    char path[4096];
    unsigned count = 0;
    snprintf(path, sizeof path, MPU_SOURCE_DIR "/%s", folder);
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        if (!strstr(e->d_name, ".ptx"))
            continue;
        struct str text = file_text(folder, e->d_name);
        assert_printed(e->d_name, str_text(&text), text.len);
        str_free(&text);
        count++;
    }
    closedir(dir);
    return count;
}

/* What compilers wrote, debugging builds among it. */
static void test_texts(void **state) {
    (void)state;
    assert_true(assert_folder("tests/ptx/texts") >= 3);
    assert_true(assert_folder("tests/ptx/O1") >= 20);
    assert_true(assert_folder("tests/ptx/O2") >= 20);
    assert_true(assert_folder("tests/ptx/nvcc") >= 20);
    assert_true(assert_folder("examples/cuda") >= 3);
}

/* ---- messages ---- */

static const struct {
    const char *text, *what;
    uint32_t line;
} refused[] = {
    {"", "there is no PTX text here", 0},
    {".target sm_75\n", "a PTX text begins with .version", 1},
    {".version 9.1\n", "those from 3.0 to 9.0 are read", 1},
    {".version 2.3\n", "those from 3.0 to 9.0 are read", 1},
    {".version 7.0\n.address_size 32\n", "addresses of 32 bits", 2},
    {ENTRY "\t.reg .f32 %f<4>;\n\tfma.rn.bf16x2 %f1, %f2, %f3, %f1;\n}", "modifier .bf16x2 of fma",
     7},
    {ENTRY "\t.reg .b64 %q<4>;\n\tadd.sat.s64 %q1, %q2, %q3;\n}", "modifier .s64 of add", 7},
    {ENTRY "\t.reg .b32 %r<4>;\n\tsub.sat.u32 %r1, %r2, %r3;\n}", "modifier .u32 of sub", 7},
    {ENTRY "\t.reg .f32 %f<4>;\n\tfma.f32 %f1, %f2, %f3, %f1;\n}", "modifier .f32 of fma", 7},
    {ENTRY "\t.reg .f32 %f<4>;\n\tfma.rn %f1, %f2, %f3, %f1;\n}", "fma lacks a modifier", 7},
    {ENTRY "\ttex.2d.v4.f32.s32 {%f1}, [t];\n}", "opcode tex is not there", 6},
    {ENTRY "\tsdd.s32 %r1, %r2, %r3;\n}", "is add meant?", 6},
    {ENTRY "\t.reg .b32 %r<2>;\n\tadd.s32 %r1, %r0, %r2;\n}", "register %r2 is not there", 7},
    {ENTRY "\t.reg .b32 %r<2>;\n\t.reg .b64 %d;\n\tadd.s32 %r1, %r0, %d;\n}",
     "one of 32 bits is needed", 8},
    {ENTRY "\t.reg .b32 %r<2>;\n\tadd.s32 %r1, %r0;\n}", "lacks operands", 7},
    {ENTRY "\t.reg .b32 %r<2>;\n\tadd.s32 %r1, %r0, 1, 2;\n}", "has 3 operands, and not 4", 7},
    {ENTRY "\t.reg .pred %p<2>;\n\tsetp.eq.and.s32 %p1, 1, 2;\n}", "combine with a predicate", 7},
    {ENTRY "\tbra NOWHERE;\n}", "label 'NOWHERE' is not there", 6},
    {ENTRY "A:\nA:\n\tret;\n}", "label 'A' is there twice", 7},
    {ENTRY "\t.reg .b32 %a;\n\t.reg .b32 %a;\n}", "'%a' is declared twice", 7},
    {ENTRY "\tret;\n", "expected '}'", 7},
    {ENTRY "\t.pragmatic;\n}", "directive .pragmatic", 6},
    {HEAD ".frobnicate 3;\n", "directive .frobnicate", 4},
    {HEAD ".global .texref t;\n", "textures and surfaces are not there", 4},
    {HEAD ".global .b8 x[99999999999];\n", "'x' is too large", 4},
    {HEAD ".global .u32 x = 5, x;\n", "'x' is declared twice", 4},
    {HEAD ".global .u32 y = x;\n", "'x' is not declared", 4},
    {ENTRY "\t.reg .b64 %d;\n\tcall (%d), %d, ();\n}", "indirect calls are not there", 7},
    {HEAD ".func f()\n{\n}\n.entry k()\n{\n\t.reg .b64 %d;\n\tmov.u64 %d, f;\n}\n",
     "is the address of a function: indirect calls are not there", 10},
    {HEAD ".func f()\n{\n}\n.global .u64 x[2] = {0, f};\n",
     "the address of function 'f' is no value: indirect calls are not there", 7},
    {HEAD ".func f()\n{\n\tcall.uni f, ();\n}\n.entry k()\n{\n\tcall.uni f, ();\n}\n",
     "recursion: 'f' comes to itself", 6},
    {HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
          ".entry k()\n{\n\t{\n\t.param .b64 a;\n\t.param .b64 b;\n\t.param .b32 r;\n"
          "\tcall.uni (r), vprintf, (a, b);\n\t}\n}\n",
     "printf: kernels print nothing", 11},
    {HEAD ".extern .func g();\n.entry k()\n{\n\tcall.uni g, ();\n}\n", "'g' has no body here", 7},
    {HEAD ".entry other()\n{\n}\n", "there is no entry 'k'", 0},
    {HEAD ".file 1 \"k.cu\"\n.entry k()\n{\n\t.loc 1 12 3\n\tfrob.s32;\n}\n", "(k.cu:12)", 8},
};

static void test_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct portable_fault fault = {.line = 0};
        const struct kernel_decl decl = {
            .name = "k", .form = "ptx", .bytes = refused[i].text, .size = strlen(refused[i].text)};
        if (ptx_portable.read(&decl, &fault))
            fail_msg("text %zu is not refused", i);
        if (!strstr(str_text(&fault.what), refused[i].what) ||
            (refused[i].line && fault.line != refused[i].line))
            fail_msg("text %zu: line %u: '%s', and not line %u: '%s'", i, (unsigned)fault.line,
                     str_text(&fault.what), (unsigned)refused[i].line, refused[i].what);
        str_free(&fault.what);
    }
}

/* ---- names ---- */

static void test_names(void **state) {
    static const struct {
        const char *symbol, *name, *text;
    } names[] = {
        {"_Z5saxpyPfPKffi", "saxpy", "saxpy(float*, float const*, float, int)"},
        {"_Z20ScalarVectorMultiplyPfS_fi", "ScalarVectorMultiply",
         "ScalarVectorMultiply(float*, float*, float, int)"},
        {"_Z4axpyIfEvPT_S1_T_i", "axpy", "axpy<float>(float*, float*, float, int)"},
        {"_ZN4blas4axpyIfLi16EEEvPT_PKS1_", "axpy", "blas::axpy<float, 16>(float*, float const*)"},
        {"_Z4widePKoPnw", "wide", "wide(unsigned __int128 const*, __int128*, wchar_t)"},
        {"_Z1gP1SPKS_S1_", "g", "g(S*, S const*, S const)"},
        {"_Z1hv", "h", "h()"},
        {"_ZN12_GLOBAL__N_14axpyEPf", "axpy", "(anonymous namespace)::axpy(float*)"},
        {"_Z1kPVijmxyahstbd", "k",
         "k(int volatile*, unsigned int, unsigned long, long long, unsigned long long, signed "
         "char, unsigned char, short, unsigned short, bool, double)"},
        {"axpy", NULL, NULL},
        {"_Z", NULL, NULL},
        {"_Z9999999a", NULL, NULL},
        {"_Z1fS_", NULL, NULL},
        {"_Z1fPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPi", NULL,
         NULL},
        {"_Z1fI", NULL, NULL},
        {"_Z1fR", NULL, NULL},
    };
    struct ptx_named *n = xcalloc(1, sizeof *n);
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct arena arena = {NULL};
        assert_int_equal(ptx_name_read(names[i].symbol, &arena, n), names[i].name != NULL);
        if (names[i].name) {
            assert_string_equal(n->name, names[i].name);
            assert_string_equal(n->text, names[i].text);
            assert_int_equal(n->whole != NULL, strchr(names[i].text, '<') != NULL);
            if (n->whole)
                assert_string_equal(n->whole, arena_printf(&arena, "void %s", names[i].text));
        }
        arena_free(&arena);
    }
    free(n);
}

/* ---- blocks ---- */

static bool reaches_end(const struct ptx_cfg *cfg, uint32_t from, uint8_t *seen) {
    if (from == cfg->count)
        return true;
    if (seen[from]++)
        return false;
    for (unsigned i = 0; i < 2; i++)
        if (cfg->blocks[from].next[i] != PTX_NONE &&
            reaches_end(cfg, cfg->blocks[from].next[i], seen))
            return true;
    return false;
}

static bool has_end(const struct ptx_cfg *cfg, uint32_t from) {
    uint8_t seen[64] = {0};
    return reaches_end(cfg, from, seen);
}

/* Post-dominators by what they are: a block that is on each way from a block to the end, which
 * where nothing leads to it is as good as there. */
static bool avoids(const struct ptx_cfg *cfg, uint32_t from, uint32_t without, uint8_t *seen) {
    if (from == cfg->count || !has_end(cfg, from))
        return true;
    if (from == without || seen[from]++)
        return false;
    for (unsigned i = 0; i < 2; i++)
        if (cfg->blocks[from].next[i] != PTX_NONE &&
            avoids(cfg, cfg->blocks[from].next[i], without, seen))
            return true;
    return false;
}

static void assert_dominators(const struct ptx_cfg *cfg) {
    for (uint32_t b = 0; b < cfg->count; b++) {
        uint8_t seen[64] = {0};
        uint32_t d = cfg->blocks[b].post_dominator;
        if (!has_end(cfg, b))
            continue;
        if (d != cfg->count) {
            assert_false(avoids(cfg, b, d, seen));
        }
        /* each other one lies behind the nearest */
        for (uint32_t c = 0; c < cfg->count; c++) {
            memset(seen, 0, sizeof seen);
            if (c == b || c == d || avoids(cfg, b, c, seen))
                continue;
            memset(seen, 0, sizeof seen);
            assert_true(d != cfg->count && !avoids(cfg, d, c, seen));
        }
    }
}

static void test_blocks(void **state) {
    uint64_t seed = 7;
    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        struct str text = {0};
        struct portable_fault fault = {.line = 0};
        unsigned n = 2 + (unsigned)(splitmix64(&seed) % 12);
        str_append(&text, ENTRY "\t.reg .pred %p;\n");
        for (unsigned i = 0; i < n; i++) {
            unsigned what = (unsigned)(splitmix64(&seed) % 5),
                     to = (unsigned)(splitmix64(&seed) % n);
            str_printf(&text, "L%u:\n", i);
            if (what < 3)
                str_printf(&text, "\t%sbra L%u;\n", what ? "@%p " : "", to);
            else
                str_append(&text, what == 3 ? "\tmov.pred %p, 1;\n" : "\t@%p ret;\n");
        }
        str_append(&text, "\tret;\n}\n");
        struct ptx_module *m = ptx_read(text.text, text.len, &fault);
        struct ptx_cfg cfg;
        assert_non_null(m);
        ptx_cfg_make(&m->functions.data[0], &cfg);
        assert_dominators(&cfg);
        ptx_cfg_free(&cfg);
        ptx_free(m);
        str_free(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms), cmocka_unit_test(test_texts),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_names), cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
