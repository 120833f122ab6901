/* SPDX-License-Identifier: MIT
 * pLUTo's machine at link time and at work on code that is wrong: what is refused, and who asks;
 * packages that are damaged; queries that find no row; memory of rows that are in use. */
#include "../slot/packaged.h"

#include "machines/slot/run/machine.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char source[] =
    ".group b[100]\n"
    ".group w[100]\n"
    ".var x: u8 @b = r0\n"
    ".var y: u33 @w = r1\n"
    ".lut t k=4 width=8 = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
    "COMPUTEG @b\n"
    "LUT.8 r0 t r2\n"
    "MUL.8 r0 r0 r2\n"
    "CMPLT.8 r0 r2\n"
    "SETMASK cond\n"
    "QRDIV.5 r0 r2 r3\n"
    "COMPUTE_DONE\n"
    "COMPUTEG @w\n"
    "SHL.33 r1 r1 r4\n"
    "COMPUTE_DONE\n"
    "HALT\n";

/* ---- what is refused ---- */

static void refuses(const char *text, const char *key, const char *value, const char *words) {
    packaged_refused(text, "pluto-bsa", key, value, words);
}

static void test_refused(void **state) {
    (void)state;
    refuses(source, "pluto.rows", "16", "in VRFs of group 'b': with registers, C, M, valid, ");
    refuses(".group g[4]\n.var a: u8[16] @g = r0\nCOMPUTEG @g\nMOV.8 r1 r2\nCOMPUTE_DONE\nHALT\n",
            "pluto.rows", "18",
            "scratch rows and 0 constants it needs 21 rows; target 'pluto-bsa'");
    refuses(".group g[4]\n.lut t k=3 width=8 = 1\nCOMPUTEG @g\nLUT.8 r0 t r1\nCOMPUTE_DONE\nHALT\n",
            "pluto.match_bits", "32",
            "match logic compares fields of 32 bits and no others (pluto.match_bits): slots of 8 "
            "bits, 4 in each, would be looked up in tables of 2^27 rows");
    refuses(
        ".group g[4]\n.lut t k=11 width=16 = 1\nCOMPUTEG @g\nLUT.16 r0 t r1\nCOMPUTE_DONE\nHALT\n",
        "pluto.match_bits", "2",
        "match logic compares fields of 2 bits and no others (pluto.match_bits): an index of 11 "
        "bits would take 512 sweeps");
    refuses("COMPUTE RFH0 VRF0\nFADD.32 r0 r1 r2\nCOMPUTE_DONE\nHALT\n", "pluto.rows", "512",
            "has no recipe on target 'pluto-bsa': rows of slots shift all lanes alike");
    refuses(".geometry lanes=4096\nCOMPUTE RFH0 VRF0\nADD.64 r0 r1 r2\nCOMPUTE_DONE\nHALT\n",
            "pluto.rows", "512", "a VRF of target 'pluto-bsa' has 2048");
}

/* A table of 2^16 rows takes 128 subarrays, a bank has 64. */
static void test_turns(void **state) {
    static const char text[] = ".group g[4]\n.lut t k=16 width=16 = 1, 2\nCOMPUTEG @g\n"
                               "LUT.16 r0 t r1\nCOMPUTE_DONE\nHALT\n";
    struct packaged x = packaged_open(text, "pluto-gmc", NULL, 0);
    struct str bytes = {0};
    (void)state;
    assert_non_null(x.package);
    assert_int_equal(diag_warnings(x.d), 1);
    package_write(x.package, &bytes); /* of the largest table that there is */
    struct package *again = package_read(x.program, bytes.text, bytes.len, x.d);
    if (!again)
        fail_msg("%s", diag_first(x.d));
    package_free(again);
    str_free(&bytes);
    packaged_close(&x);
}

static struct datapath *open_engine(const struct packaged *x) {
    const struct dp_setup setup = {.target = x->target,
                                   .mpus = 1,
                                   .lanes = 8192,
                                   .reg_bits = x->package->reg_bits,
                                   .kins = x->package->kins,
                                   .kin_count = x->package->kin_count,
                                   .code = x->package->code};
    return slot_engine.open(&setup, x->d);
}

/* Rows of tables that are loaded when a VRF is set up. */
static uint64_t rows_set_up(const struct packaged *x) {
    struct datapath *dp = open_engine(x);
    uint64_t *uops = calloc(dp->tables.kind_count + 1, sizeof *uops),
             *fj = calloc(dp->tables.part_count + 1, sizeof *fj);
    struct dp_cost cost = {.uops = uops, .energy_fj = fj};
    const struct vrf_range one = {0, 1};
    slot_engine.establish(dp, (struct vrf_set){&one, 1}, 0, &cost);
    uint64_t loaded = uops[SLOT_LOAD_TABLE];
    slot_engine.close(dp);
    free(uops);
    free(fj);
    return loaded;
}

/* Tables that come with each run, or for each query, are not loaded before the program, too. */
static void test_loaded_once(void **state) {
    static const struct {
        const char *luts, *use;
        uint64_t loaded;
    } cases[] = {{".lut t k=9 width=16 = 1, 2\n", "LUT.16 r0 t r1\n", 512},
                 {".lut t k=10 width=16 = 1, 2\n", "LUT.16 r0 t r1\n", 1024},
                 {".lut t k=9 width=16 = 1, 2\n.lut u k=8 width=16 = 3\n",
                  "LUT.16 r0 t r1\nLUT.16 r1 u r2\n", 0},
                 {".lut t k=16 width=16 = 1, 2\n", "LUT.16 r0 t r1\n", 0}};
    static const char *const targets[] = {"pluto-gmc", "pluto-bsa"};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof targets / sizeof *targets; k++) {
            char text[256];
            snprintf(text, sizeof text, ".group g[4]\n%sCOMPUTEG @g\n%sCOMPUTE_DONE\nHALT\n",
                     cases[i].luts, cases[i].use);
            struct packaged x = packaged_open(text, targets[k], NULL, 0);
            assert_non_null(x.package);
            assert_int_equal(rows_set_up(&x), cases[i].loaded);
            packaged_close(&x);
        }
}

/* ---- master copies of tables that queries destroy ---- */

static struct packaged open_table(unsigned k, const struct target_override *set, size_t count) {
    char text[256];
    snprintf(text, sizeof text,
             ".group g[4]\n.lut t k=%u width=16 = 1, 2\nCOMPUTEG @g\nLUT.16 r0 t r1\n"
             "COMPUTE_DONE\nHALT\n",
             k);
    return packaged_open(text, "pluto-gsa", set, count);
}

/* Tables of 2 to 4,096 rows: their homes, copies beside registers, and pairs of the bank. */
static void test_copies(void **state) {
    (void)state;
    for (unsigned k = 1; k <= 12; k++) {
        struct packaged x = open_table(k, NULL, 0);
        struct machine_rows rows;
        assert_non_null(x.package);
        const struct slot_code *c = slot_code_of(x.package->code);
        struct slot_tables t = slot_kin_tables(x.target, c, 0);
        uint64_t beside = k <= 8 ? UINT64_C(1) << k : 0, elsewhere = (UINT64_C(1) << k) - beside;
        assert_int_equal(c->kins.data[0].pairs, 63);
        assert_int_equal(t.count, 1);
        assert_int_equal(t.homes[0], k <= 8 ? SLOT_HOME_PAIR : SLOT_HOME_BANK);
        assert_int_equal(t.copies, beside);
        assert_int_equal(t.bank_rows, elsewhere);
        assert_int_equal(t.parts, (elsewhere + 511) / 512);
        assert_true(t.resident && diag_warnings(x.d) == 0);
        assert_true(package_rows(x.package, x.target, &rows));
        assert_int_equal(rows.copies, beside);
        assert_true(machine_rows_taken(&rows) <= rows.there);
        slot_tables_free(&t);
        packaged_close(&x);
    }
}

/* What is left, row by row: two registers, C, M, valid, two scratch rows and a constant are 8. */
static void test_no_room_for_copies(void **state) {
    static const struct {
        const char *rows, *pairs;
        unsigned k;
        enum slot_home home;
    } cases[] = {{"72", "1", 6, SLOT_HOME_PAIR},   {"71", "1", 6, SLOT_HOME_QUERY},
                 {"71", "2", 6, SLOT_HOME_BANK},   {"512", "8", 12, SLOT_HOME_QUERY},
                 {"512", "9", 12, SLOT_HOME_BANK}, {"511", "64", 10, SLOT_HOME_QUERY},
                 {"512", "3", 10, SLOT_HOME_BANK}, {"512", "2", 10, SLOT_HOME_QUERY}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct target_override set[] = {{"pluto.rows", cases[i].rows},
                                              {"machine.vrf_per_rfh", cases[i].pairs}};
        struct packaged x = open_table(cases[i].k, set, 2);
        assert_non_null(x.package);
        struct slot_tables t = slot_kin_tables(x.target, slot_code_of(x.package->code), 0);
        if (t.homes[0] != cases[i].home)
            fail_msg("case %zu: home %d", i, t.homes[0]);
        assert_int_equal(diag_warnings(x.d), cases[i].home == SLOT_HOME_QUERY);
        assert_int_equal(t.resident, cases[i].home != SLOT_HOME_QUERY);
        slot_tables_free(&t);
        packaged_close(&x);
    }
}

/* Groups of 16 and 8 bits that lie in all banks, a pair of each, and look up tables of four parts:
 * seven pairs are left of nine, eight of ten.  A third one has the tables of the second. */
static void test_shared_banks(void **state) {
    static const char text[] = ".group a[65536]\n.group b[131072]\n.group d[131071]\n"
                               ".var x: u16 @a = r0\n.var y: u8 @b = r0\n.var z: u8[5] @d = r0\n"
                               ".lut t k=11 width=16 = 1, 2\n.lut u k=8 width=8 = 3\n"
                               "COMPUTEG @a\nLUT.16 r0 t r1\nCOMPUTE_DONE\n"
                               "COMPUTEG @b\nCOMPUTEG @d\nLUT.8 r0 u r1\nCOMPUTE_DONE\nHALT\n";
    static const struct {
        const char *target, *pairs, *table_rows;
        enum slot_home homes[3];
        unsigned first;
    } cases[] = {{"pluto-gsa", "11", "64", {SLOT_HOME_QUERY, SLOT_HOME_BANK, SLOT_HOME_BANK}, 0},
                 {"pluto-gsa", "35", "64", {SLOT_HOME_BANK, SLOT_HOME_QUERY, SLOT_HOME_QUERY}, 32},
                 {"pluto-gsa", "38", "64", {SLOT_HOME_BANK, SLOT_HOME_QUERY, SLOT_HOME_QUERY}, 32},
                 {"pluto-gsa", "39", "64", {SLOT_HOME_BANK, SLOT_HOME_BANK, SLOT_HOME_BANK}, 32},
                 {"pluto-gmc", "35", "64", {SLOT_HOME_BANK, SLOT_HOME_QUERY, SLOT_HOME_QUERY}, 32},
                 {"pluto-gmc", "36", "64", {SLOT_HOME_BANK, SLOT_HOME_BANK, SLOT_HOME_BANK}, 32}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct target_override set[] = {{"machine.vrf_per_rfh", cases[i].pairs},
                                              {"pluto.table_rows", cases[i].table_rows},
                                              {"pluto.rows", "64"}};
        struct packaged x = packaged_open(text, cases[i].target, set, 3);
        if (!x.package)
            fail_msg("case %zu: %s", i, diag_first(x.d));
        const struct slot_code *c = slot_code_of(x.package->code);
        assert_int_equal(c->kins.len, 3);
        for (uint32_t k = 0; k < 3; k++) {
            struct slot_tables t = slot_kin_tables(x.target, c, k);
            if (t.homes[0] != cases[i].homes[k])
                fail_msg("case %zu: kin %u has home %d", i, k, t.homes[0]);
            slot_tables_free(&t);
        }
        assert_int_equal(c->kins.data[1].first_pair, cases[i].first);
        assert_int_equal(c->kins.data[2].first_pair, cases[i].first);
        packaged_close(&x);
    }
}

/* Where whole tables lie in the pairs that hold registers, parts of others have no room there: of
 * 64 pairs a split table of 62 parts leaves two. */
static void test_parts_beside_whole_tables(void **state) {
    static const struct {
        const char *luts, *use;
        bool resident;
    } cases[] = {{".lut t k=15 width=16 = 1, 2\n", "LUT.16 r0 t r1\n", true},
                 {".lut t k=15 width=16 = 1, 2\n.lut u k=2 width=16 = 1\n",
                  "LUT.16 r0 t r1\nLUT.16 r0 u r2\n", false},
                 {".lut t k=14 width=16 = 1, 2\n.lut u k=2 width=16 = 1\n",
                  "LUT.16 r0 t r1\nLUT.16 r0 u r2\n", true}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char text[256];
        snprintf(text, sizeof text, ".group g[4]\n%sCOMPUTEG @g\n%sCOMPUTE_DONE\nHALT\n",
                 cases[i].luts, cases[i].use);
        struct packaged x = packaged_open(text, "pluto-bsa", NULL, 0);
        assert_non_null(x.package);
        struct slot_tables t = slot_kin_tables(x.target, slot_code_of(x.package->code), 0);
        assert_int_equal(t.resident, cases[i].resident);
        assert_int_equal(diag_warnings(x.d), 0);
        slot_tables_free(&t);
        packaged_close(&x);
    }
}

/* Two tables that do not lie there at one time come in turns, in one run. */
static void test_brought_in_turns(void **state) {
    static const char text[] = ".group g[4]\n.lut t k=9 width=16 = 1, 2\n.lut u k=8 width=16 = 3\n"
                               "COMPUTEG @g\nLUT.16 r0 t r1\nLUT.16 r1 t r2\nLUT.16 r1 u r2\n"
                               "LUT.16 r2 t r1\nCOMPUTE_DONE\nHALT\n";
    struct packaged x = packaged_open(text, "pluto-gmc", NULL, 0);
    assert_non_null(x.package);
    struct datapath *dp = open_engine(&x);
    struct arena arena = {0};
    struct text all;
    struct machine_program p = package_program_of(x.package, &all, NULL, &arena);
    const struct dp_run run = {.insns = &p.text->insns[1], .count = 4};
    struct dp_code *code = slot_engine.prepare(dp, &run, x.d);
    (void)state;
    assert_int_equal(code->uops[SLOT_LOAD_TABLE], 512 + 256 + 512);
    arena_free(&arena);
    slot_engine.close(dp);
    packaged_close(&x);
}

/* ---- listings ---- */

static struct dp_code *prepare_all(struct datapath *dp, const struct packaged *x,
                                   const struct text *text, uint32_t count) {
    const struct dp_run run = {.insns = &text->insns[1], .count = count};
    return slot_engine.prepare(dp, &run, x->d);
}

/* What a listing says that an instruction takes is what the machine takes, with the table that
 * comes for it: one that has no room for a copy, one that is larger than a bank. */
static void test_listed_figures(void **state) {
    static const struct {
        const char *target, *rows;
        unsigned k;
        bool loaded;
    } cases[] = {{"pluto-gsa", "71", 6, true},
                 {"pluto-gsa", "512", 6, false},
                 {"pluto-gmc", "512", 16, true},
                 {"pluto-bsa", "512", 16, true},
                 {"pluto-bsa", "512", 12, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct target_override set[] = {{"pluto.rows", cases[i].rows},
                                              {"machine.vrf_per_rfh", i ? "64" : "1"}};
        char text[256], words[128];
        snprintf(text, sizeof text,
                 ".group g[4]\n.lut t k=%u width=16 = 1, 2\nCOMPUTEG @g\nLUT.16 r0 t r1\n"
                 "COMPUTE_DONE\nHALT\n",
                 cases[i].k);
        struct packaged x = packaged_open(text, cases[i].target, set, 2);
        assert_non_null(x.package);
        struct datapath *dp = open_engine(&x);
        struct arena arena = {0};
        struct text all;
        struct str out = {0};
        package_program_of(x.package, &all, NULL, &arena);
        struct dp_code *code = prepare_all(dp, &x, &all, 1);
        struct dp_description about;
        slot_engine.describe(dp, code, &about);
        assert_int_equal(code->uops[SLOT_LOAD_TABLE], cases[i].loaded ? 1 << cases[i].k : 0);
        uint64_t ps = about.latency_ps - target_decode_ps(x.target);
        snprintf(words, sizeof words, " %llu ACT, %llu PRE, ",
                 (unsigned long long)code->commands[SLOT_ACT],
                 (unsigned long long)code->commands[SLOT_PRE]);
        package_print_code(x.package, x.library, &out);
        if (!strstr(str_text(&out), words))
            fail_msg("case %zu: no '%s' in %s", i, words, str_text(&out));
        snprintf(words, sizeof words, ", %llu.%03llu ns, of 1 instruction",
                 (unsigned long long)ps / 1000, (unsigned long long)ps % 1000);
        if (!strstr(str_text(&out), words))
            fail_msg("case %zu: no '%s' in %s", i, words, str_text(&out));
        str_free(&out);
        arena_free(&arena);
        slot_engine.close(dp);
        packaged_close(&x);
    }
}

/* ---- code ---- */

static void test_round_trip(void **state) {
    static const char *const words[] = {"pluto_op ", "QRDIV.5 r0 r2 r3, masked, in slots of 8: "};
    struct packaged x = packaged_open(source, "pluto-gsa", NULL, 0);
    (void)state;
    packaged_round_trip(&x, words, 2);
    packaged_close(&x);
}

static void test_damage(void **state) {
    struct packaged x = packaged_open(source, "pluto-bsa", NULL, 0);
    (void)state;
    packaged_damaged(&x, &(struct packaged_damage){.all = 200, .step = 97, .least = 50});
    packaged_close(&x);
}

/* Code that is whole and wrong: its package is refused when it is read. */
enum wrong { UNSET_ROW, UNDIVIDED_ROW, NO_TABLE, OUTSIDE, NO_SCRATCH, WRONGS };

static struct row_word *first_word(struct slot_code *c, uint8_t kind, uint8_t bits) {
    for (size_t i = 0; i < c->forms.len; i++)
        for (size_t k = 0; k < c->forms.data[i].program.words.len; k++) {
            struct row_word *w = &c->forms.data[i].program.words.data[k];
            if (w->kind == kind && (!bits || w->bits == bits))
                return w;
        }
    fail_msg("there is no such word");
    return NULL;
}

static void make_wrong(struct slot_code *c, enum wrong how) {
    struct row_word *query = first_word(c, ROW_QUERY, 8);
    switch (how) {
    case UNSET_ROW: /* before the first word nothing is set */
        for (size_t i = 0; i < c->forms.len; i++)
            if (c->forms.data[i].program.scratch)
                c->forms.data[i].program.words.data[0].a.row = ROW_SCRATCH;
        return;
    case UNDIVIDED_ROW:
        query->bits = 7;
        return;
    case NO_TABLE:
        query->b.row = 1000;
        return;
    case OUTSIDE:
        c->forms.data[0].kin = 77;
        return;
    default:
        query->dst.row = ROW_SCRATCH + ROW_MAX_SCRATCH - 1;
    }
}

static void test_wrong_code(void **state) {
    static const char *const words[WRONGS] = {
        [UNSET_ROW] = "a row program reads an unset row",
        [UNDIVIDED_ROW] = "a query's width does not divide the row",
        [NO_TABLE] = "a row program names a table that is not there",
        [OUTSIDE] = "a row program leads outside",
        [NO_SCRATCH] = "a row program writes a scratch row that is not there"};
    (void)state;
    for (unsigned how = 0; how < WRONGS; how++) {
        struct packaged x = packaged_open(source, "pluto-bsa", NULL, 0);
        struct str bytes = {0};
        make_wrong((struct slot_code *)(void *)x.package->code, (enum wrong)how);
        package_write(x.package, &bytes);
        struct package *again = package_read(x.program, bytes.text, bytes.len, x.d);
        assert_null(again);
        if (!diag_first(x.d) || !strstr(diag_first(x.d), words[how]))
            fail_msg("'%s', not '%s'", diag_first(x.d), words[how]);
        str_free(&bytes);
        packaged_close(&x);
    }
}

/* ---- queries that find no row ---- */

/* LUT.8 of 16 rows without the AND that makes indices, in lanes of 0 to 255. */
static struct datapath *query_dirty(const struct packaged *x) {
    struct slot_code *c = (struct slot_code *)(void *)x->package->code;
    for (size_t i = 0; i < c->kins.data[0].pool.constants.len; i++)
        c->kins.data[0].pool.constants.data[i] = 0xff;
    struct datapath *dp = open_engine(x);
    struct arena arena = {0};
    struct text text;
    struct machine_program p = package_program_of(x->package, &text, NULL, &arena);
    const struct vrf_range one = {0, 1};
    uint32_t i = 0;
    uint64_t values[256];
    for (unsigned v = 0; v < 256; v++)
        values[v] = v;
    slot_engine.bind(dp, &(struct dp_binding){.vrf = 0, .valid_lanes = 256}, 1);
    slot_engine.put(dp, 0, DP_REGISTER, 0, 8, 0, 256, values);
    while (p.text->insns[i].op != OP_LUT)
        i++;
    const struct dp_run run = {.insns = &p.text->insns[i], .count = 1};
    struct dp_code *code = slot_engine.prepare(dp, &run, x->d);
    slot_engine.execute(dp, code, (struct vrf_set){&one, 1}, (struct dp_moment){0}, NULL);
    arena_free(&arena);
    return dp;
}

static void test_no_match(void **state) {
    static const char text[] = ".group g[256]\n.lut t k=4 width=8 = 1, 2, 3\nCOMPUTEG @g\n"
                               "LUT.8 r0 t r1\nCOMPUTE_DONE\nHALT\n";
    uint64_t counts[SLOT_COUNTERS], values[256];
    (void)state;
    for (unsigned stop = 0; stop < 2; stop++) {
        const struct target_override set = {"strict.nomatch", stop ? "stop" : "count"};
        struct packaged x = packaged_open(text, "pluto-bsa", &set, 1);
        struct datapath *dp = query_dirty(&x);
        slot_engine.counters(dp, counts);
        assert_int_equal(counts[SLOT_COUNT_NO_MATCH], 256 - 16);
        slot_engine.get(dp, 0, DP_REGISTER, 1, 0, 256, values);
        assert_int_equal(values[2], 3);
        assert_int_equal(values[16] | values[255], 0);
        assert_int_equal(dp->failure != NULL, stop);
        assert_int_equal(dp->failure_code != NULL, stop);
        assert_int_equal(dp->failure_insn, 0); /* of the run */
        if (stop && !strstr(dp->failure, "finds none for 0x10 in lane 16 of VRF 0"))
            fail_msg("%s", dp->failure);
        slot_engine.close(dp);
        packaged_close(&x);
    }
}

/* ---- memory ---- */

/* A rank of 1,024 pairs of which one has two registers: their rows, C's, M's and valid's. */
static void test_memory(void **state) {
    struct packaged x = packaged_open(source, "pluto-bsa", NULL, 0);
    const struct dp_setup setup = {.target = x.target,
                                   .mpus = 1,
                                   .lanes = 8192,
                                   .reg_bits = x.package->reg_bits,
                                   .kins = x.package->kins,
                                   .kin_count = x.package->kin_count,
                                   .code = x.package->code,
                                   .memory_limit = 4 * 8192};
    struct datapath *dp = slot_engine.open(&setup, x.d);
    const uint64_t value = 7;
    (void)state;
    slot_engine.bind(dp, &(struct dp_binding){.vrf = 1000, .valid_lanes = 8192}, 1);
    slot_engine.put(dp, 1000, DP_REGISTER, 0, 8, 5, 1, &value);
    slot_engine.put(dp, 1000, DP_REGISTER, 2, 8, 5, 1, &value);
    assert_int_equal(slot_datapath_of(dp)->bytes, 4 * 8192);
    assert_null(dp->failure);
    slot_engine.put(dp, 1000, DP_REGISTER, 3, 5, 5, 1, &value);
    assert_non_null(dp->failure);
    slot_engine.close(dp);
    packaged_close(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),          cmocka_unit_test(test_turns),
        cmocka_unit_test(test_loaded_once),      cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_damage),           cmocka_unit_test(test_no_match),
        cmocka_unit_test(test_wrong_code),       cmocka_unit_test(test_memory),
        cmocka_unit_test(test_copies),           cmocka_unit_test(test_no_room_for_copies),
        cmocka_unit_test(test_shared_banks),     cmocka_unit_test(test_parts_beside_whole_tables),
        cmocka_unit_test(test_brought_in_turns), cmocka_unit_test(test_listed_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
