/* SPDX-License-Identifier: MIT
 * What follows from the near-bank SIMT paper's numbers by arithmetic, and what does not: the tables
 * of docs/simt-paper.md, from the target's keys. */
#include "tests/simt/timed_kernel.h"
#include "tests/examples/page.h"

#include "machines/machine.h"
#include "support/file.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PAGE MPU_SOURCE_DIR "/docs/simt-paper.md"

struct opened {
    struct target *target;
    struct machine_library *library;
    const struct simt_keys *keys;
};

static void open_target(struct opened *o, const char *key, const char *value) {
    const struct target_override override = {key, value};
    struct diag *d = diag_new(NULL, NULL);
    assert_int_equal(
        machine_open_target("simt", &override, key ? 1 : 0, d, &o->target, &o->library),
        TARGET_FINE);
    o->keys = simt_keys(o->target);
    diag_free(d);
}

static void close_target(struct opened *o) {
    machine_library_close(o->library);
    target_free(o->target);
}

/* Equal when both are rounded to so many digits behind the point. */
static bool rounds_to(double value, double printed, unsigned digits) {
    char a[32], b[32];
    snprintf(a, sizeof a, "%.*f", (int)digits, value);
    snprintf(b, sizeof b, "%.*f", (int)digits, printed);
    return strcmp(a, b) == 0;
}

/* ---- Table II ---- */

struct line_of_table {
    const char *name, *printed, *keys;
    char ours[96];
};

#define OURS(line, ...) snprintf((line)->ours, sizeof(line)->ours, __VA_ARGS__)

/* As Table II prints them, from the keys; buses are bits of a cycle of their own 2 GHz. */
static void geometry(const struct target *t, struct line_of_table *lines) {
    const struct simt_keys *k = simt_keys(t);
    const struct simt_time_keys *m = &k->time;
    const uint32_t per_cycle = 2; /* cycles of buses and TSVs in one of a core */
    OURS(&lines[0], "%u/(%u,%u)/(%u,%u/%u/%u)", t->mpus, k->dies, t->rfh_per_mpu, t->vrf_per_rfh,
         t->vrf_per_rfh, k->banks, m->rows);
    OURS(&lines[1], "%u/%ub/%u/(%u)%u", t->lanes, 8 * SIMT_SECTOR_BYTES,
         8 * m->tsv_bytes * t->rfh_per_mpu / per_cycle, 8 * m->mesh_bytes / per_cycle,
         8 * m->link_bytes / per_cycle);
    OURS(&lines[2], "%uM/%uK/(%uK)%uK/%uK", (unsigned)(k->bank_bytes >> 20), k->icache_bytes >> 10,
         k->far_rf_bytes >> 10, k->near_rf_bytes >> 10, k->shared_bytes >> 10);
    OURS(&lines[3], "%u/%u/%u/%u/%u/%u/%u", m->t_rcd, m->t_ccd, m->t_rtp, m->t_rp, m->t_ras,
         m->t_rfc, m->t_refi);
    OURS(&lines[4], "%u/%u/%u/(%u)%u", (unsigned)(1000 / t->datapath_ps), per_cycle,
         1000 / m->hop_millicycles, per_cycle, per_cycle);
}

static double pj(uint64_t fj) {
    return (double)fj / 1000;
}

static void energies(const struct target *t, struct line_of_table *lines) {
    const struct simt_time_keys *m = &simt_keys(t)->time;
    OURS(&lines[0], "%.2fn/%.2fn/%.2fn/%.1fp/%.1fp", pj(m->column_fj) / 1000, pj(m->row_fj) / 1000,
         pj(m->refresh_fj) / 1000, pj(m->rf_fj), pj(m->shared_fj));
    OURS(&lines[1], "%.2fp/%.2fp", pj(m->collector_fj), pj(m->extension_fj));
    OURS(&lines[2], "%.2fp/(%.2fp)%.2fp", pj(m->tsv_bit_fj), pj(m->mesh_bit_fj),
         pj(m->link_bit_fj));
}

static void table_2(void **state) {
    (void)state;
    static struct line_of_table lines[] = {
        {.name = "Proc/(3D,Core)/(Subcore,NBU/Bank/RowBuf)",
         .printed = "8/(4,16)/(4,4/4/4)",
         .keys = "`machine.mpus`, `simt.dies`, `machine.rfh_per_mpu`, `machine.vrf_per_rfh`, "
                 "`simt.banks`, `simt.rows`"},
        {.name = "SIMT/BankIO/TSV/(on)offchip bus (bit)",
         .printed = "32/256b/1024/(256)128",
         .keys = "`array.lanes`, a column, `simt.tsv_bytes`, `simt.mesh_bytes`, `simt.link_bytes`"},
        {.name = "Bank/Icache/(Far)Near-bank RF/Smem (byte)",
         .printed = "16M/128K/(32K)16K/64K",
         .keys = "`simt.bank_bytes`, `simt.icache_bytes`, `simt.far_rf_bytes`, `simt.near_rf`, "
                 "`simt.shared_bytes`"},
        {.name = "tRCD/tCCD/tRTP/tRP/tRAS/tRFC/tREFI",
         .printed = "14/2/4/14/33/350/3900",
         .keys = "`simt.t_rcd` and so on; assumed: tCL, tCWL, tWR"},
        {.name = "fCore/fTSV/fRouter/f(on)offchip bus (GHz)",
         .printed = "1/2/2/(2)2",
         .keys = "`clocks.datapath_ps`; buses by their bytes of a core's cycle; "
                 "`simt.hop_millicycles`, assumed to be a router's cycle"},
        {.name = "RD,WR/PRE,ACT/REF/RF/SMEM (J/access)",
         .printed = "0.15n/0.27n/1.13n/40.0p/22.2p",
         .keys = "`energy.column_fj`, `energy.row_fj`, `energy.refresh_fj`, `energy.rf_fj`, "
                 "`energy.shared_fj`, assumed to be of a pass of 32 lanes"},
        {.name = "Operand collector / LSU-Extension (J/access)",
         .printed = "41.49p/39.67p",
         .keys = "`energy.collector_fj`, `energy.extension_fj`, assumed to be of a column"},
        {.name = "TSV/(on)off-chip bus (J/bit)",
         .printed = "4.53p/(0.72p)4.50p",
         .keys = "`energy.tsv_bit_fj`, `energy.mesh_bit_fj`, `energy.link_bit_fj`"},
    };
    struct opened o;
    struct str table = {0};
    open_target(&o, NULL, NULL);
    geometry(o.target, lines);
    energies(o.target, lines + 5);
    str_append(&table, "| Table II | paper | ours | keys |\n|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_string_equal(lines[i].ours, lines[i].printed);
        str_printf(&table, "| %s | %s | %s | %s |\n", lines[i].name, lines[i].printed,
                   lines[i].ours, lines[i].keys);
    }
    str_append(&table, "| DRAM rowbuffer policy / schedule | open page / FR-FCFS | open page / "
                       "FR-FCFS | assumed: `simt.bank_queue` requests are looked at |\n");
    page_check(PAGE, "table 2", &table, "test_simt_paper");
    close_target(&o);
    str_free(&table);
}

/* ---- Table III ---- */

static double mm2(uint64_t um2) {
    return (double)um2 / 1e6;
}

static uint64_t added(const struct target *t) {
    struct simt_part_area parts[SIMT_INVENTORY];
    uint64_t sum = 0;
    simt_inventory(t, parts);
    for (unsigned i = 0; i < SIMT_INVENTORY; i++)
        sum += parts[i].um2;
    return sum;
}

static void table_3(void **state) {
    (void)state;
    /* as printed: number, mm2, % */
    static const struct {
        unsigned number;
        double mm2, share;
    } printed[SIMT_INVENTORY] = {{4, 0.84, 0.88},  {16, 9.71, 10.12}, {16, 0.63, 0.66},
                                 {64, 2.43, 2.53}, {16, 3.74, 3.90},  {16, 2.43, 2.53},
                                 {64, 0.01, 0.01}};
    struct opened o, full;
    struct simt_part_area parts[SIMT_INVENTORY];
    struct str table = {0};
    double shares = 0;
    open_target(&o, NULL, NULL);
    const double die = mm2(o.keys->area.die_um2);
    simt_inventory(o.target, parts);
    str_append(&table, "| part | of a die | mm2 | % of the die | paper |\n|---|---|---|---|---|\n");
    for (unsigned i = 0; i < SIMT_INVENTORY; i++) {
        const double share = 100 * mm2(parts[i].um2) / die;
        assert_int_equal(parts[i].count, printed[i].number);
        assert_true(rounds_to(mm2(parts[i].um2), printed[i].mm2, 2));
        /* both are rounded to hundredths: 9.71 of 96 is 10.115 %, printed as 10.12 */
        assert_true(share - printed[i].share < 0.0103 && printed[i].share - share < 0.0103);
        shares += printed[i].share;
        str_printf(&table, "| %s | %" PRIu32 " | %.2f | %.3f | %u, %.2f, %.2f |\n", parts[i].name,
                   parts[i].count, mm2(parts[i].um2), share, printed[i].number, printed[i].mm2,
                   printed[i].share);
    }
    assert_true(rounds_to(mm2(added(o.target)), 19.79, 2));
    assert_true(rounds_to(shares, 20.63, 2));
    assert_true(rounds_to(100 * 19.80 / die, 20.62, 1)); /* 20.625 */
    str_printf(&table, "| sum | | %.2f | %.3f | 19.80, 20.62 |\n", mm2(added(o.target)),
               100 * mm2(added(o.target)) / die);
    open_target(&full, "simt.near_rf", "32768");
    const double full_share = 100 * mm2(added(full.target)) / die;
    assert_true(rounds_to(full_share, 30.73, 2)); /* 29.50 of 96; 20.62 + 10.12 is 30.74 */
    assert_true(rounds_to(20.62 + 10.12, 30.74, 2));
    str_printf(&table, "| sum, near files of 32 kB | | %.2f | %.3f | 30.74 |\n",
               mm2(added(full.target)), full_share);
    assert_int_equal(target_area(full.target).arrays - target_area(o.target).arrays,
                     o.keys->area.registers_um2);
    page_check(PAGE, "table 3", &table, "test_simt_paper");
    close_target(&o);
    close_target(&full);
    str_free(&table);
}

/* With all logic below, nothing is added to a die. */
static void area_of_ponb(void **state) {
    (void)state;
    struct target *t = NULL;
    struct machine_library *library = NULL;
    struct diag *d = diag_new(NULL, NULL);
    assert_int_equal(machine_open_target("simt-ponb", NULL, 0, d, &t, &library), TARGET_FINE);
    assert_int_equal(target_area(t).arrays, simt_keys(t)->area.die_um2);
    machine_library_close(library);
    target_free(t);
    diag_free(d);
}

/* ---- what follows exactly ---- */

struct follows {
    const char *what;
    const char *paper;
    double ours;
    unsigned digits;
    const char *unit, *from;
};

static void put(struct str *out, const struct follows *rows, size_t count) {
    str_append(out, "| figure | paper | ours | from |\n|---|---|---|---|\n");
    for (size_t i = 0; i < count; i++)
        str_printf(out, "| %s | %s | %.*f%s | %s |\n", rows[i].what, rows[i].paper,
                   (int)rows[i].digits, rows[i].ours, rows[i].unit, rows[i].from);
}

/* The paper's own numbers, sections VI-A to VI-D. */
#define GPU_MEASURED    503.10 /* GB/s, Fig. 1 */
#define GPU_USED        55.90  /* % */
#define GPU_AREA        1199.0 /* mm2, with 4 stacks */
#define MORE_BANDWIDTH  4.13
#define LOGIC_CORE      3.4 /* mm2 of a core on the logic die, of 3.5 that there are */
#define LOGIC_ROOM      3.5
#define PEAK_POWER      83.0  /* W */
#define PEAK_DENSITY    552.0 /* mW/mm2 */
#define COOLING_CHEAPER 706.0 /* mW/mm2 */
#define STACK_BANDWIDTH 307.0 /* GB/s of 1,024 TSVs, section III */
#define SPEEDUP         3.45
#define ENERGY          2.57

struct rates {
    double banks, cores, bank_gbs, tsv_gbs, cube_mm2, printed_mm2, refresh, refresh_w;
};

static struct rates rates_of(const struct target *t) {
    const struct simt_keys *k = simt_keys(t);
    const double ghz = 1000.0 / (double)t->datapath_ps, cores = (double)t->mpus * t->rfh_per_mpu,
                 banks = cores * t->vrf_per_rfh * k->banks;
    return (struct rates){.banks = banks,
                          .cores = cores,
                          .bank_gbs = banks * SIMT_SECTOR_BYTES / k->time.t_ccd * ghz,
                          .tsv_gbs = cores * k->time.tsv_bytes * ghz,
                          .cube_mm2 = mm2(target_area(t).arrays),
                          .printed_mm2 = mm2(k->area.die_um2) + 19.80,
                          .refresh = 100.0 * k->time.t_rfc / k->time.t_refi,
                          .refresh_w = banks * (double)k->time.refresh_fj * 1e-15 /
                                       (k->time.t_refi / ghz * 1e-9)};
}

static void exact(void **state) {
    (void)state;
    struct opened o;
    struct str table = {0};
    open_target(&o, NULL, NULL);
    const struct rates r = rates_of(o.target);
    const double die = mm2(o.keys->area.die_um2), cubes = o.target->mpus;
    const struct follows rows[] = {
        {"peak of the banks", "-", r.bank_gbs, 0, " GB/s",
         "2,048 banks, 32 bytes in tCCD (Table II)"},
        {"peak of the TSVs", "-", r.tsv_gbs, 0, " GB/s",
         "8 x 1,024 bits at 2 GHz (Table II); 16 bytes a core cycle"},
        {"memory", "-", (double)(simt_memory(o.target) >> 30), 0, " GiB",
         "2,048 banks of 16 MB (Table II)"},
        {"area of eight cubes", "~926 mm2", cubes * r.cube_mm2, 1, " mm2",
         "8 x (96 + 19.79); with the printed 19.80 it is 926.4"},
        {"V100 without its 4 stacks", "815 mm2", GPU_AREA - 4 * die, 0, " mm2",
         "1,199 less 4 x 96 (section VI-A)"},
        {"cores on a logic die", "3.4 of 3.5 mm2 each", o.target->rfh_per_mpu * LOGIC_CORE, 1,
         " mm2", "16 x 3.4, below the die's 96 (section VI-B)"},
        {"V100's peak bandwidth", "-", 100 * GPU_MEASURED / GPU_USED, 1, " GB/s",
         "503.10 GB/s are 55.90 % (Fig. 1)"},
        {"refresh of an idle bank", "-", r.refresh, 2, " %",
         "tRFC of tREFI (Table II); `test_simt_exact` finds it by replay"},
        {"refresh of the whole machine", "-", r.refresh_w, 3, " W",
         "2,048 x 1.13 nJ in 3.9 us (Table II)"},
        {"computation, access, movement", "92.94 %", 39.82 + 31.90 + 21.22, 2, " %",
         "39.82 + 31.90 + 21.22 (section VI-B)"},
        {"what is left of the energy", "-", 100 - 92.94, 2, " %",
         "front end, LSU, shared memory: named nowhere"},
        {"near over far registers", "half", (32.5 + 3.8) / (63.7 + 3.8), 2, "",
         "32.5 and 63.7 with 3.8 on both sides (Fig. 14): files of 16 and 32 kB"},
    };
    assert_true(rounds_to(r.banks, 2048, 0));
    assert_true(rounds_to(r.bank_gbs, 32768, 0));
    assert_true(rounds_to(r.tsv_gbs, 2048, 0));
    assert_int_equal(simt_memory(o.target) >> 30, 32);
    assert_true(rounds_to(cubes * r.cube_mm2, 926, 0));
    assert_true(rounds_to(cubes * r.printed_mm2, 926.4, 1));
    assert_true(rounds_to(GPU_AREA - 4 * die, 815, 0));
    assert_true(LOGIC_CORE < LOGIC_ROOM && o.target->rfh_per_mpu * LOGIC_CORE < die);
    assert_true(rounds_to(100 * GPU_MEASURED / GPU_USED, 900.0, 1));
    assert_true(rounds_to(r.refresh, 8.97, 2));
    assert_true(rounds_to(r.refresh_w, 0.593, 3));
    assert_true(rounds_to(39.82 + 31.90 + 21.22, 92.94, 2));
    assert_true(rounds_to((32.5 + 3.8) / (63.7 + 3.8), 0.54, 2));
    put(&table, rows, sizeof rows / sizeof *rows);
    page_check(PAGE, "exact", &table, "test_simt_paper");
    close_target(&o);
    str_free(&table);
}

/* ---- what does not add up ---- */

/* W of a cube with all of its banks, TSVs, register files and collectors at work: three reads and a
 * write of a file in each cycle, near and far. */
static double peak_w(const struct target *t) {
    const struct simt_keys *k = simt_keys(t);
    const double units = t->rfh_per_mpu * t->vrf_per_rfh, sides = 2;
    const double fj = units * k->banks * (double)k->time.column_fj / k->time.t_ccd +
                      t->rfh_per_mpu * k->time.tsv_bytes * 8.0 * (double)k->time.tsv_bit_fj +
                      units * sides * (4.0 * (double)k->time.rf_fj + (double)k->time.collector_fj);
    return fj / (double)t->datapath_ps / 1000;
}

static void inconsistent(void **state) {
    (void)state;
    struct opened o;
    struct str table = {0};
    open_target(&o, NULL, NULL);
    const struct rates r = rates_of(o.target);
    const double cubes = o.target->mpus, stack = r.tsv_gbs / cubes,
                 over = MORE_BANDWIDTH * GPU_MEASURED / r.tsv_gbs;
    const struct follows rows[] = {
        {"area that 83 W need at 552 mW/mm2", "-", 1000 * PEAK_POWER / PEAK_DENSITY, 1, " mm2",
         "a cube has 115.8 (section VI-B)"},
        {"density of 83 W on a cube", "552 mW/mm2", 1000 * PEAK_POWER / r.printed_mm2, 1, " mW/mm2",
         "83 / 115.8: above the 706 that the cheaper cooling allows"},
        {"power of a cube's banks, TSVs, files, collectors", "83 W", peak_w(o.target), 1, " W",
         "all at work in each cycle by Table II; what is left would be ALUs and logic"},
        {"bandwidth measured over the TSVs' peak", "4.13 x 503.10 GB/s", over, 4, "",
         "2,078 of 2,048 GB/s: only with loads that stay near, which are 6.3 % of the banks' peak"},
        {"part of the banks' peak", "-", 100 * MORE_BANDWIDTH * GPU_MEASURED / r.bank_gbs, 1, " %",
         "likewise"},
        {"bandwidth of a stack's 1,024 TSVs", "307 GB/s", stack, 0, " GB/s",
         "section III against 1,024 bits at 2 GHz (Table II)"},
        {"average power over the V100's", "-", SPEEDUP / ENERGY, 2, "",
         "3.45 / 2.57: faster than it saves energy"},
        {"registers and DRAM", "31.90 %", 15.47 + 16.42, 2, " %", "15.47 + 16.42 (Fig. 10)"},
        {"parts of Table III", "19.80 mm2, 20.62 %", mm2(added(o.target)), 2, " mm2",
         "the printed shares sum to 20.63"},
        {"full-size near files", "30.74 %", 100 * (mm2(added(o.target)) + 9.71) / 96, 2, " %",
         "the sum of parts; the printed shares give 20.62 + 10.12 = 30.74"},
        {"speedup over the V100", "3.46 and 3.45", SPEEDUP, 2, "",
         "abstract, introduction and conclusion against sections VI-B, VI-D"},
    };
    assert_true(rounds_to(1000 * PEAK_POWER / PEAK_DENSITY, 150.4, 1));
    assert_true(rounds_to(1000 * PEAK_POWER / r.printed_mm2, 716.8, 1));
    assert_true(1000 * PEAK_POWER / r.printed_mm2 > COOLING_CHEAPER);
    assert_true(rounds_to(peak_w(o.target), 54.3, 1));
    assert_true(rounds_to(over, 1.0146, 4));
    assert_true(rounds_to(stack, 256, 0) && stack < STACK_BANDWIDTH);
    assert_true(rounds_to(SPEEDUP / ENERGY, 1.34, 2)); /* 1.342; with 3.46 it is 1.35 */
    assert_true(rounds_to(15.47 + 16.42, 31.89, 2));
    put(&table, rows, sizeof rows / sizeof *rows);
    page_check(PAGE, "inconsistent", &table, "test_simt_paper");
    close_target(&o);
    str_free(&table);
}

/* ---- Fig. 7 and Algorithm 1 ---- */

/* The snippet through the compiler: values near, addresses far, and so the two additions. */
static void figure_7(void **state) {
    (void)state;
    struct taken t;
    const char *set[] = {"simt.cores", "one"};
    timed_take(&t,
               "mov.u64 %rd9, %rd3;\nadd.s64 %rd8, %rd3, 128;\nmov.u64 %rd7, %rd2;\n"
               "ld.global.f32 %f1, [%rd9];\nld.global.f32 %f2, [%rd8];\nadd.f32 %f3, %f2, %f1;\n"
               "add.s64 %rd10, %rd1, %rd7;\nst.global.f32 [%rd10], %f3;\n",
               32, set, 1);
    const struct simt_insn *insns = t.kernel->insns;
    unsigned values = 0, addresses = 0;
    for (uint32_t i = 0; i < t.kernel->insn_count; i++) {
        if (insns[i].op != SIMT_ADD)
            continue;
        const bool value = insns[i].m.type[0] == PTX_F32;
        values += value;
        addresses += !value;
        assert_int_equal(insns[i].location, value ? SIMT_NEAR : SIMT_FAR);
        assert_int_equal(t.issued[i].near, value);
    }
    assert_int_equal(values, 1);
    assert_true(addresses >= 2);
    assert_int_equal(t.kernel->both, 0);
    /* "can eliminate the data transfer on TSVs for registers %f1, %f2, and %f3": none is moved */
    for (uint32_t i = 0; i < t.kernel->insn_count; i++)
        assert_int_equal(t.places[i].moves, 0);
    timed_let_go(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_2), cmocka_unit_test(table_3),      cmocka_unit_test(area_of_ponb),
        cmocka_unit_test(exact),   cmocka_unit_test(inconsistent), cmocka_unit_test(figure_7),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
