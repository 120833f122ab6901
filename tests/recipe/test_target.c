/* SPDX-License-Identifier: MIT
 * Target files: what the built-in ones say, a technology of one's own, overrides, and mistakes. */
#include "recipe/set/set.h"
#include "recipe/technology/where.h"
#include "support/file.h"
#include "support/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = MPU_BINARY_DIR "/tests/targets-XXXXXX";

static int set_up(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static const char *path_of(const char *name) {
    static char path[sizeof folder + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int tear_down(void **state) {
    static const char *const names[] = {"t.yaml", "a.yaml", "b.yaml"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(path_of(names[i]));
    return rmdir(folder);
}

static struct target *open_text(const char *name, const char *text, struct diag *d) {
    assert_true(file_write(path_of(name), text, strlen(text)));
    return target_open(path_of(name), NULL, 0, d);
}

static struct target *open_fine(const char *name, const struct target_override *o, size_t n) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open(name, o, n, d);
    if (!t)
        fail_msg("%s", diag_first(d));
    diag_free(d);
    return t;
}

static uint32_t mpus_with(const char *target, const char *mpus, const char *control) {
    const struct target_override set[] = {{"mpus", mpus}, {"control", control}};
    struct target *t = open_fine(target, set, 2);
    uint32_t count = t->mpus;
    target_free(t);
    return count;
}

/* 4.00 cm2 / 512 = 781,250 um2 of arrays, 123,000 um2 of front end: 904,250 um2 an MPU, of which
 * 400 mm2 hold 442.36.  497, the paper's count, take 449.4 mm2. */
static void test_area(void **state) {
    (void)state;
    struct target *t = open_fine("racer", NULL, 0);
    struct target_area a = target_area(t);
    assert_true(a.known);
    assert_int_equal(a.arrays, 781250);
    assert_int_equal(a.front_end, 123000);
    assert_int_equal(a.total, 904250);
    assert_int_equal(a.total * t->mpus / 10000, 44941);
    target_free(t);
    assert_int_equal(mpus_with("racer", "iso:400mm2", "mpu"), 442);
    assert_int_equal(mpus_with("racer", "iso:4cm2", "host"), 512);
    assert_int_equal(mpus_with("racer", "iso:904250um2", "mpu"), 1);
    assert_int_equal(mpus_with("racer", "iso:1808499um2", "mpu"), 1);
    assert_int_equal(mpus_with("mimdram", "iso:400mm2", "mpu"), 450);
    assert_int_equal(mpus_with("duality-cache", "iso:400mm2", "mpu"), 12);
}

static void assert_near(double is, double expected, double within) {
    if (!(is >= expected - within && is <= expected + within))
        fail_msg("%f is not within %f of %f", is, within, expected);
}

/* MIMDRAM's rule: a command that opens n rows takes 1 + 0.22 (n - 1) of one that opens one, 122.7
 * pJ by 16 mats.  simdram's rows are 128 mats. */
static void test_rows_opened(void **state) {
    (void)state;
    const struct target_override set = {"set", "ddr4-currents"};
    static const struct {
        const char *name;
        double mats, within;
    } of[] = {{"mimdram", 1, 1}, {"simdram", 128, 1}};
    for (size_t k = 0; k < 2; k++) {
        struct target *t = open_fine(of[k].name, &set, 1);
        uint32_t most = 0;
        for (uint32_t i = 0; i < plane_target(t)->op_count; i++) {
            const struct target_op *o = &plane_target(t)->ops[i];
            uint32_t rows = (uint32_t)o->first_rows + o->second_rows;
            most = rows > most ? rows : most;
            assert_near((double)plane_op_fj(t, o),
                        122700.0 / 16 * of[k].mats * (1 + 0.22 * (rows - 1)), of[k].within);
        }
        assert_int_equal(most, 6);
        target_free(t);
    }
}

/* `rows` is a number of commands alone, and no value's name. */
static void test_rows_name(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    assert_null(
        open_text("t.yaml", "schema: 1\nname: own\nextends: mimdram\nenergy: { rows: 5 }\n", d));
    assert_non_null(strstr(diag_first(d), "how many rows a command opens"));
    diag_free(d);
    d = diag_new(NULL, NULL);
    assert_null(open_text("t.yaml",
                          "schema: 1\nname: own\nextends: racer\n"
                          "ops: { NOR: { energy: \"rows*e_column\" } }\n",
                          d));
    assert_non_null(strstr(diag_first(d), "there is no value called"));
    diag_free(d);
}

static struct target_front_end front_end_with(const char *key, const char *value) {
    const struct target_override set = {key, value};
    struct target *t = open_fine("racer", &set, 1);
    struct target_front_end_entry parts[FRONT_END_PARTS];
    struct target_front_end sum = {0};
    target_front_end_parts(t, parts);
    for (unsigned k = 0; k < FRONT_END_PARTS; k++) {
        sum.um2 += parts[k].takes.um2;
        sum.static_nw += parts[k].takes.static_nw;
        sum.fj += parts[k].takes.fj;
    }
    assert_int_equal(sum.um2, t->front_end_um2);
    assert_int_equal(sum.static_nw, t->front_end_static_nw);
    assert_int_equal(sum.fj, t->front_end_fj);
    target_free(t);
    return sum;
}

/* The paper's totals at the paper's sizes, on every machine that has its front end. */
static void test_front_end_default(void **state) {
    (void)state;
    size_t count;
    const char *const *names = target_names(&count);
    for (size_t i = 0; i < count; i++) {
        struct target *t = open_fine(names[i], NULL, 0);
        if (t->kind == &technology_target_kind && t->control == CONTROL_MPU) {
            assert_int_equal(t->front_end_um2, 123000);
            assert_int_equal(t->front_end_static_nw, 1220000);
            assert_int_equal(t->front_end_fj, 71720);
        }
        target_free(t);
    }
}

/* A bit takes 53 % of 123,000 um2, 91 % of 1.22 mW and 99 % of 71,720 fJ by 53,136; one template
 * more has 24 of them.  A second controller has a playback buffer and a board of 28,160 bits, a
 * port of a quarter of the tables' 24,976, and its own share of the rest. */
static void test_front_end_by_size(void **state) {
    (void)state;
    const double bit = 0.53 * 123000 / 53136, nw = 0.91 * 1220000 / 53136,
                 fj = 0.99 * 71720 / 53136;
    struct target_front_end f = front_end_with("recipe_templates", "65536");
    assert_near((double)f.um2, 123000 + 64512 * 24 * bit, 1.5);
    assert_near((double)f.static_nw, 1220000 + 64512 * 24 * nw, 1.5);
    assert_near((double)f.fj, 71720 + 64512 * 24 * fj, 1.5);
    f = front_end_with("controllers", "2");
    assert_near((double)f.um2, 123000 + (28160 + 6244) * bit + 0.18 * 123000, 1.5);
    assert_int_equal(front_end_with("chip", "torus").um2, 123000 + 14760);
    assert_int_equal(front_end_with("chip", "mesh-1d").um2, 123000 - 5904);
    assert_int_equal(front_end_with("buffer_registers", "0").um2, 123000 - 12300);
    assert_true(front_end_with("playback_entries", "0").um2 < 123000 - 33900);
    assert_true(front_end_with("efi_bits_per_cycle", "128").static_nw > 1220000);
    assert_true(front_end_with("flit_bytes", "8").fj < 71720);
    assert_int_equal(front_end_with("vrf_per_rfh", "8").um2, 123000); /* a board of 512 bits */
    assert_int_equal(mpus_with("racer", "iso:400mm2", "mpu"), 442);
    const struct target_override set[] = {{"mpus", "iso:400mm2"}, {"recipe_templates", "65536"}};
    struct target *t = open_fine("racer", set, 2);
    assert_int_equal(t->mpus, 142); /* of 2,803,770 um2 */
    assert_int_equal(target_area(t).total, 2803770);
    target_free(t);
}

/* ---- other sizes than the file's ---- */

static struct target *with_size(const char *target, const char *key, const char *value) {
    const struct target_override set = {key, value};
    return open_fine(target, &set, 1);
}

/* Area, static power, energies and transfers of every built-in target that states them go by each
 * size of the arrays as they are told to. */
static void test_numbers_go_by_sizes(void **state) {
    static const struct {
        const char *target, *key, *half, *twice;
        unsigned cells, lanes; /* by how much in hundredths, where the size is twice the file's */
    } cases[] = {
        {"racer", "array.lanes", "32", "128", 200, 200},
        {"racer", "array.rows", NULL, "256", 200, 100},
        {"racer", "machine.vrf_per_rfh", "32", NULL, 200, 100},
        {"racer", "machine.rfh_per_mpu", "4", "16", 200, 100},
        {"racer", "machine.mpus", "10", "1000", 100, 100},
        {"mimdram", "array.lanes", "256", "1024", 200, 200},
        {"duality-cache", "array.lanes", "128", "512", 200, 200},
        {"simdram", "array.lanes", "32768", "131072", 200, 100},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct target *t = open_fine(cases[i].target, NULL, 0);
        const char *values[] = {cases[i].half, cases[i].twice};
        for (unsigned k = 0; k < 2; k++) {
            if (!values[k])
                continue;
            struct target *x = with_size(cases[i].target, cases[i].key, values[k]);
            struct target *few = k ? t : x, *many = k ? x : t;
            assert_near((double)many->arrays_um2, (double)few->arrays_um2 * cases[i].cells / 100,
                        1);
            assert_near((double)many->scratch_um2, (double)few->scratch_um2 * cases[i].cells / 100,
                        1);
            assert_near((double)many->array_static_nw,
                        (double)few->array_static_nw * cases[i].cells / 100, 1500);
            assert_near((double)many->register_ps, (double)few->register_ps * cases[i].lanes / 100,
                        1);
            assert_near((double)many->bit_ps, (double)few->bit_ps * cases[i].lanes / 100, 1);
            target_free(x);
        }
        target_free(t);
    }
}

/* Energies of a whole array go by its lanes, those of a lane stay; so do times. */
static void test_energies_go_by_lanes(void **state) {
    (void)state;
    struct target *t = with_size("mimdram", "array.lanes", "1024"),
                  *r = with_size("racer", "lanes", "128");
    const struct target_override set[] = {{"array.lanes", "1024"}, {"set", "ddr4-currents"}};
    struct target *own = open_fine("mimdram", set, 2);
    struct str text = {0};
    target_print(t, &text);
    target_print(r, &text);
    target_print(own, &text);
    assert_non_null(strstr(str_text(&text), "e_aap: 13610 "));
    assert_non_null(strstr(str_text(&text), "e_column: 125 "));
    assert_non_null(strstr(str_text(&text), "e_row: 3374 "));
    assert_non_null(strstr(str_text(&text), "t_aap: 49000 "));
    assert_non_null(strstr(str_text(&text), "arrays_um2: 1562500"));
    str_free(&text);
    target_free(t);
    target_free(r);
    target_free(own);
}

/* The buffer's share of the front end is of registers of the file's lanes. */
static void test_buffer_goes_by_lanes(void **state) {
    (void)state;
    struct target *t = with_size("racer", "array.lanes", "128");
    assert_int_equal(t->front_end_um2, 123000 + 12300);
    target_free(t);
}

/* A file that extends another has other sizes as if --set had given them; what it states itself,
 * and what --set states, is of what is run. */
static void test_sizes_of_files(void **state) {
    struct diag *d = diag_new(NULL, NULL);
    (void)state;
    struct target *t =
        open_text("t.yaml", "schema: 1\nname: own\nextends: racer\narray: { lanes: 128 }\n", d);
    assert_int_equal(t->arrays_um2, 2 * 781250);
    target_free(t);
    t = open_text("t.yaml",
                  "schema: 1\nname: own\nextends: racer\narray: { lanes: 128 }\n"
                  "area: { arrays_um2: 1000 }\n",
                  d);
    assert_int_equal(t->arrays_um2, 1000);
    assert_int_equal(t->scratch_um2, 2 * 781250);
    target_free(t);
    const struct target_override set[] = {{"array.lanes", "128"}, {"area.arrays_um2", "5000"}};
    t = open_fine("racer", set, 2);
    assert_int_equal(t->arrays_um2, 5000);
    target_free(t);
    assert_int_equal(diag_errors(d) + diag_warnings(d), 0);
    /* Where nothing says how, they stay, and a warning names them. */
    t = open_text("t.yaml",
                  "schema: 1\nname: own\nextends: racer\narray: { lanes: 128 }\n"
                  "area: { per: null }\nstatic: { per: fixed }\n",
                  d);
    assert_int_equal(t->arrays_um2, 781250);
    assert_int_equal(t->array_static_nw, 645000);
    assert_int_equal(diag_warnings(d), 1);
    target_free(t);
    diag_free(d);
}

/* MASTODON's sections take turns: its ADD of 64 bits takes 645 cycles with as many gates as ours,
 * and (n - 1) w + 5 of n micro-ops a section. */
static void test_turns(void **state) {
    (void)state;
    const struct target_override set = {"set", "mastodon"};
    static const char *const names[] = {"racer", "racer-magic", "racer-felix", "racer-ideal"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct target *t = open_fine(names[i], &set, 1);
        assert_false(plane_target(t)->bit_pipelined);
        assert_int_equal(plane_target(t)->sections, 64);
        target_free(t);
    }
    struct target *t = open_fine("racer", &set, 1);
    struct diag *d = diag_new(NULL, NULL);
    struct recipe_set *s = recipe_set_open(t, d);
    struct insn add = {.op = OP_ADD, .width = 64, .rs = 1, .rt = 2, .rd = 3};
    struct recipe_count count;
    assert_true(recipe_count(s, &add, false, &count));
    assert_in_range(count.latency_cycles, 645 - 32, 645 + 32); /* 5 percent */
    recipe_set_free(s);
    diag_free(d);
    target_free(t);
}

/* Totals without shares are of any size; shares cannot be more than all. */
static void test_front_end_stated(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_text("t.yaml",
                                 "schema: 1\nname: own\nextends: racer\n"
                                 "front_end: { area_um2: 7, shares: null }\n"
                                 "control: { controllers: 8 }\n",
                                 d);
    assert_non_null(t);
    assert_int_equal(t->front_end_um2, 7);
    assert_int_equal(t->front_end_fj, 71720);
    target_free(t);
    t = open_text("t.yaml",
                  "schema: 1\nname: own\nextends: racer\n"
                  "front_end: { shares: { router: { static_permille: 31 } } }\n",
                  d);
    assert_null(t);
    assert_non_null(strstr(diag_first(d), "static_permille of all shares"));
    diag_free(d);
}

static void expect_bad_mpus(const char *target, const char *mpus, const char *part) {
    const struct target_override set = {"mpus", mpus};
    struct diag *d = diag_new(NULL, NULL);
    assert_null(target_open(target, &set, 1, d));
    if (!strstr(diag_first(d), part))
        fail_msg("'%s' does not say '%s'", diag_first(d), part);
    diag_free(d);
}

static void test_bad_areas(void **state) {
    (void)state;
    expect_bad_mpus("racer", "iso:", "expected an area");
    expect_bad_mpus("racer", "iso:4", "expected an area");
    expect_bad_mpus("racer", "iso:4km2", "expected an area");
    expect_bad_mpus("racer", "iso:-4mm2", "expected an area");
    expect_bad_mpus("racer", "iso:18446744073709551615cm2", "expected an area");
    expect_bad_mpus("racer", "iso:99999999999999999999mm2", "expected an area");
    expect_bad_mpus("racer", "iso:0mm2", "expected an area");
    expect_bad_mpus("racer", "iso:904249um2", "one MPU takes more");
    expect_bad_mpus("racer", "iso:18446744073709551615um2", "outside");
    expect_bad_mpus("golden", "iso:400mm2", "does not say");
}

/* What all plane machines have, for files of one's own as well; the file's own value beats it. */
static void test_common(void **state) {
    (void)state;
    size_t count;
    const char *const *names = target_names(&count);
    struct target *racer = open_fine("racer", NULL, 0);
    for (size_t i = 0; i < count; i++) {
        struct target *t = open_fine(names[i], NULL, 0);
        if (t->kind == &technology_target_kind) {
            assert_int_equal(t->host_active_nw, racer->host_active_nw);
            assert_int_equal(t->host_idle_nw, racer->host_idle_nw);
        }
        if (t->kind == &technology_target_kind && strcmp(names[i], "duality-cache") != 0)
            assert_int_equal(t->host_round_trip_ps, racer->host_round_trip_ps);
        /* pypim streams its words */
        bool plane = t->kind == &technology_target_kind, golden = strcmp(names[i], "golden") == 0,
             streams = plane && plane_target(t)->partitioned;
        bool core = strcmp(t->kind->name, "core") == 0; /* the host launches kernels */
        assert_int_equal(t->control, streams           ? CONTROL_STREAM
                                     : plane || golden ? CONTROL_MPU
                                     : core            ? CONTROL_HOST_ALL
                                                       : CONTROL_HOST);
        target_free(t);
    }
    target_free(racer);
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_text("t.yaml",
                                 "schema: 1\nname: own\nextends: racer\n"
                                 "host: { round_trip_ps: 7 }\n"
                                 "control: { front_end: host }\n",
                                 d);
    assert_non_null(t);
    assert_int_equal(t->host_round_trip_ps, 7);
    assert_int_equal(t->control, CONTROL_HOST);
    assert_int_equal(t->host_active_nw, UINT64_C(270000000000));
    target_free(t);
    diag_free(d);
}

static void test_racer(void **state) {
    (void)state;
    struct target *t = open_fine("racer", NULL, 0);
    assert_string_equal(t->name, "racer");
    assert_string_equal(t->path, "targets/racer.yaml");
    assert_ptr_equal(t->kind, &technology_target_kind);
    assert_true(plane_target(t)->bit_pipelined);
    assert_int_equal(t->lanes, 64);
    assert_int_equal(plane_target(t)->sections, 64);
    assert_int_equal(t->vrf_per_rfh * t->rfh_per_mpu, 512);
    assert_int_equal(t->mpus, 497);
    /* 16,285,696 lanes (docs/targets.md) */
    assert_int_equal((uint64_t)t->lanes * target_vrfs_per_mpu(t) * t->mpus, 16285696);
    assert_int_equal(t->active_vrf_per_rfh, 1);
    assert_int_equal(plane_target(t)->scratch_rows, 62);
    assert_int_equal(plane_target(t)->register_class, 0);
    assert_int_equal(plane_target(t)->register_rows, 64);
    assert_int_equal(technology_rows_there(t) - technology_state_rows(t), 64);
    assert_int_equal(plane_target(t)->row_classes[1].first_scratch, 0);
    assert_int_equal(target_class_of_c(t), CLASS_C);
    assert_int_equal(target_class_of_m(t), CLASS_M);
    assert_int_equal(target_class_of_valid(t), CLASS_VALID);
    assert_int_equal(plane_target(t)->ops[1].first_variant, 1);
    assert_int_equal(plane_target(t)->ops[1].tied[0], 0);
    assert_int_equal(plane_target(t)->ops[1].fixed[0], 0);
    assert_int_equal(t->datapath_ps, 3000);
    assert_int_equal(t->front_end_ps, 1000);
    assert_int_equal(t->front_end_fj, 71720);
    assert_int_equal(t->front_end_static_nw, 1220000);
    assert_int_equal(t->array_static_nw, 645000);
    assert_int_equal(t->network, NETWORK_SERIAL);
    assert_int_equal(t->setup_ps, 3000);
    assert_int_equal(t->register_ps, 16 * 3000);
    assert_true(plane_target(t)->energy_per_lane);
    assert_int_equal(plane_target(t)->op_count, 6);
    assert_string_equal(plane_target(t)->ops[1].name, "NOR");
    assert_int_equal(plane_target(t)->ops[1].truth[0], 0x1);
    assert_int_equal(plane_target(t)->ops[2].truth[0], 0xe);
    assert_int_equal(plane_op_fj(t, &plane_target(t)->ops[0]), 8000);
    assert_int_equal(plane_target(t)->ops[3].class, OPCLASS_CROSSING);
    assert_true(t->assumed >= 5);
    assert_int_equal(strlen(t->hash), 64);
    target_free(t);
}

/* The links between MPUs are the same on all: MASTODON's, 16 bytes at 4 GB/s and 800 ps a hop. */
static void test_networks(void **state) {
    static const struct {
        const char *name;
        uint32_t columns;
        enum network_kind intra;
        uint64_t ring_hop_ps;
    } cases[] = {{"racer", 23, NETWORK_SERIAL, 3000},
                 {"racer-felix", 23, NETWORK_SERIAL, 3000},
                 {"mimdram", 25, NETWORK_SERIAL, 1000},
                 {"simdram", 25, NETWORK_SERIAL, 1000},
                 {"duality-cache", 4, NETWORK_P2P, 1000}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct target *t = open_fine(cases[i].name, NULL, 0);
        assert_int_equal(t->mpu_columns, cases[i].columns);
        assert_int_equal(t->network, cases[i].intra);
        assert_int_equal(t->ring_hop_ps, cases[i].ring_hop_ps);
        assert_int_equal(t->chip, CHIP_MESH_2D);
        assert_int_equal(t->flit_bytes, 16);
        assert_int_equal(t->flit_ps, 16 * 250);
        assert_int_equal(t->hop_ps, 800);
        assert_int_equal(t->header_bytes, 0);
        assert_int_equal(t->hop_fj_per_bit, 720);
        target_free(t);
    }
    struct target *golden = open_fine("golden", NULL, 0);
    assert_int_equal(golden->mpu_columns, 23); /* so that it counts the same hops as racer */
    assert_int_equal(golden->flit_ps, 0);
    target_free(golden);
}

static const char *source_of(const struct target *t, const char *path) {
    for (size_t i = 0; i < t->key_count; i++)
        if (strcmp(t->keys[i].path, path) == 0)
            return t->keys[i].source;
    fail_msg("no key %s", path);
    return "";
}

/* Each of their keys has a source, and --set changes it. */
static void test_network_keys(void **state) {
    static const struct target_override o[] = {
        {"network.chip", "torus"}, {"intra", "ring"},         {"flit_bytes", "32"},
        {"flit_ps", "250"},        {"network.hop_ps", "500"}, {"header_bytes", "8"},
        {"hop_fj_per_bit", "1"},   {"ring_hop_ps", "7"},      {"mpu_columns", "71"}};
    static const char *const keys[] = {"chip",         "flit_bytes",     "flit_ps",    "hop_ps",
                                       "header_bytes", "hop_fj_per_bit", "ring_hop_ps"};
    (void)state;
    struct target *t = open_fine("racer", o, sizeof o / sizeof o[0]);
    struct target *plain = open_fine("racer", NULL, 0);
    assert_int_equal(t->chip, CHIP_TORUS);
    assert_int_equal(t->network, NETWORK_RING);
    assert_int_equal(t->flit_bytes, 32);
    assert_int_equal(t->flit_ps, 250);
    assert_int_equal(t->hop_ps, 500);
    assert_int_equal(t->header_bytes, 8);
    assert_int_equal(t->hop_fj_per_bit, 1);
    assert_int_equal(t->ring_hop_ps, 7);
    assert_int_equal(target_hops(plain, 0, 496), 13 + 21); /* 496 = 21 * 23 + 13 */
    assert_int_equal(target_hops(t, 0, 496), 1 + 1);       /* 7 rows of 71: a corner, round both */
    struct str list = {0};
    target_list_keys(plain, &list);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char path[64];
        snprintf(path, sizeof path, "network.%s", keys[i]);
        assert_non_null(strstr(str_text(&list), path));
        assert_true(strlen(source_of(plain, path)) > strlen("assumed"));
    }
    assert_true(strncmp(source_of(plain, "machine.mpu_columns"), "assumed", 7) == 0);
    str_free(&list);
    target_free(t);
    target_free(plain);
}

static void test_others(void **state) {
    (void)state;
    struct target *racer = open_fine("racer", NULL, 0), *oscar = open_fine("racer-oscar", NULL, 0);
    struct target *golden = open_fine("golden", NULL, 0);
    assert_string_equal(oscar->name, "racer-oscar");
    assert_int_equal(plane_target(oscar)->op_count, plane_target(racer)->op_count);
    assert_string_not_equal(oscar->hash, racer->hash);
    assert_string_equal(golden->kind->name, "golden");
    assert_int_equal(golden->mpus, 4096);
    assert_int_equal(golden->lanes, 64);
    assert_int_equal(golden->datapath_ps, 0);
    target_free(racer);
    target_free(oscar);
    target_free(golden);
}

static void test_names(void **state) {
    (void)state;
    size_t count;
    const char *const *names = target_names(&count);
    assert_true(count >= 3);
    for (size_t i = 1; i < count; i++)
        assert_true(strcmp(names[i - 1], names[i]) < 0);
    for (size_t i = 0; i < count; i++) {
        assert_true(strlen(target_summary(names[i])) > 0);
        target_free(open_fine(names[i], NULL, 0));
    }
    assert_null(target_summary("nothing"));
}

/* What is printed is a target file with the same content. */
static void test_print(void **state) {
    (void)state;
    struct target_override o = {"mpus", "512"};
    struct target *t = open_fine("racer", &o, 1), *again;
    struct str text = {0}, twice = {0};
    struct diag *d = diag_new(NULL, NULL);
    target_print(t, &text);
    again = open_text("t.yaml", str_text(&text), d);
    if (!again)
        fail_msg("%s\n%s", diag_first(d), str_text(&text));
    assert_int_equal(again->mpus, 512);
    assert_int_equal(plane_target(again)->op_count, plane_target(t)->op_count);
    assert_int_equal(again->key_count, t->key_count);
    for (size_t i = 0; i < t->key_count; i++) {
        assert_string_equal(again->keys[i].path, t->keys[i].path);
        assert_string_equal(again->keys[i].value, t->keys[i].value);
    }
    target_list_keys(t, &twice);
    assert_non_null(strstr(str_text(&twice), "clocks.datapath_ps"));
    assert_non_null(strstr(str_text(&twice), "machine.mpus                 512 "));
    assert_null(strstr(str_text(&twice), "ops."));
    str_free(&text);
    str_free(&twice);
    target_free(t);
    target_free(again);
    diag_free(d);
}

static void test_overrides(void **state) {
    (void)state;
    struct target_override o[] = {{"clocks.datapath_ps", "1500"},
                                  {"lanes", "32"},
                                  {"energy.e_column", "0"},
                                  {"intra", "p2p"}};
    struct target *t = open_fine("racer", o, 4), *plain = open_fine("racer", NULL, 0);
    assert_int_equal(t->datapath_ps, 1500);
    assert_int_equal(t->lanes, 32);
    assert_int_equal(plane_target(t)->ops[1].energy, 0);
    assert_int_equal(t->network, NETWORK_P2P);
    assert_string_not_equal(t->hash, plain->hash);
    unsigned overridden = 0;
    for (size_t i = 0; i < t->key_count; i++)
        overridden += t->keys[i].overridden;
    assert_int_equal(overridden, 4);
    target_free(t);
    target_free(plain);
}

static void want_error(const char *name, const struct target_override *o, size_t n,
                       const char *words) {
    struct diag *d = diag_new(NULL, NULL);
    assert_null(target_open(name, o, n, d));
    diag_flush(d);
    if (!diag_first(d) || !strstr(diag_first(d), words))
        fail_msg("expected '%s', got '%s'", words, diag_first(d) ? diag_first(d) : "");
    diag_free(d);
}

static void test_bad_overrides(void **state) {
    (void)state;
    static const struct {
        const char *key, *value, *words;
    } cases[] = {
        {"mpu", "4", "has no key 'mpu' that --set may change"},
        {"name", "x", "has no key 'name'"},
        {"ops.NOR.fn", "a", "has no key 'ops.NOR.fn'"},
        {"lanes", "none", "--set array.lanes=none: expected a whole number"},
        {"lanes", "0", "--set array.lanes=0: 0 is outside 1 .."},
        {"lanes", "-1", "expected a whole number"},
        {"lanes", "99999999999999999999", "expected a whole number"},
        {"sections", "65", "65 is outside 1 .. 64"},
        {"intra", "mesh", "expected one of: serial p2p ring host"},
        {"network.chip", "star", "expected one of: mesh-2d mesh-1d torus ring"},
        {"flit_bytes", "0", "--set network.flit_bytes=0: 0 is outside 1 .. 1048576"},
        {"hop_ps", "-1", "--set network.hop_ps=-1: expected a whole number"},
        {"flit_ps", "1099511627777", "is outside 0 .. 1099511627776"},
        {"e_column", "x", "--set energy.e_column=x: expected a whole number"},
        {"active_vrf_per_rfh", "64", ""},
        {"vrf_per_rfh", "0", "outside 1 .. 64"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct target_override o = {cases[i].key, cases[i].value};
        if (*cases[i].words)
            want_error("racer", &o, 1, cases[i].words);
        else
            target_free(open_fine("racer", &o, 1));
    }
    struct target_override both[] = {{"vrf_per_rfh", "4"}, {"active_vrf_per_rfh", "5"}};
    want_error("racer", both, 2, "active_vrf_per_rfh is 5, but an RFH has 4 VRFs");
    want_error("racr", NULL, 0, "no target is called 'racr'");
    want_error("nowhere/x.yaml", NULL, 0, "cannot read target file 'nowhere/x.yaml'");
    want_error("front-end/mpu-paper", NULL, 0, "cannot read target file");
}

/* The technology of docs/targets.md. */
static const char mtj[] =
    "schema: 1\n"
    "name: mtj\n"
    "kind: plane\n"
    "array:   { rows: 1024, lanes: 256, sections: 1, area_um2: 5200, source: assumed }\n"
    "machine: { vrf_per_rfh: 32, rfh_per_mpu: 8, mpus: 256, active_vrf_per_rfh: 8 }\n"
    "rows:\n"
    "  even: { range: \"0..1019:2\" }\n"
    "  odd:  { range: \"1..1019:2\" }\n"
    "  zero: { row: 1022, value: 0 }\n"
    "  one:  { row: 1023, value: 1 }\n"
    "ops:\n"
    "  SET0: { out: d, fn: \"0\", time: t_write, energy: e_write }\n"
    "  NAND: { in: [a, b], out: d, fn: \"d | !(a & b)\", preset: { d: 0, by: SET0 },\n"
    "          where: \"class(a) == class(b) && class(d) != class(a)\", time: t_gate, energy: e_gate }\n"
    "  COPY: { in: [a], out: d, fn: \"a\", time: \"2*t_write\", energy: \"e_read + e_write\" }\n"
    "mask:    { by: gate, ops: 0 }\n"
    "clocks:  { datapath_ps: 3000, source: assumed }\n"
    "time:    { t_write: 3000, t_gate: 3000, source: assumed }\n"
    "energy:  { per: lane, e_write: 50, e_gate: 12, e_read: 5, source: assumed }\n"
    "static:  { uw_per_mpu: 300, source: assumed }\n"
    "network: { intra: p2p, setup_ps: 1000, register_ps: 16000, energy_fj_per_bit: 40, source: assumed }\n"
    "host:    { bytes_per_s: 19200000000, fj_per_bit: 4000, transpose: host, source: assumed }\n"
    "front_end: mpu-paper\n";

static void test_own_technology(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_text("t.yaml", mtj, d);
    if (!t)
        fail_msg("%s", diag_first(d));
    assert_int_equal(plane_target(t)->register_class, 0);
    assert_int_equal(plane_target(t)->register_rows, 510 - 170); /* a third is scratch */
    assert_int_equal(plane_target(t)->scratch_rows, 170 + 510);
    assert_int_equal(plane_target(t)->row_classes[1].first_scratch, 170);
    assert_int_equal(target_class_of_c(t), 0);
    assert_int_equal(plane_target(t)->register_rows - technology_state_rows(t), 510 - 170 - 3);
    assert_true(plane_target(t)->energy_per_lane);
    assert_false(plane_target(t)->bit_pipelined);
    assert_true(plane_target(t)->ops[1].reads_old);
    assert_int_equal(plane_target(t)->ops[1].truth[0], 0xf7);
    assert_int_equal(plane_target(t)->ops[1].preset, 1);
    assert_int_equal(plane_target(t)->ops[2].time_ps, 6000);
    assert_int_equal(t->chip, CHIP_MESH_2D); /* what it says nothing about takes no time */
    assert_int_equal(t->flit_bytes, 1);
    assert_int_equal(t->flit_ps + t->hop_ps + t->header_bytes + t->hop_fj_per_bit, 0);
    assert_int_equal(plane_target(t)->ops[2].energy, 55);
    struct recipe_set *s = recipe_set_open(t, d);
    assert_non_null(s); /* NAND is all that the generic recipes need */
    assert_true(recipe_exists(s, OP_MOV));
    assert_true(recipe_exists(s, OP_ADD));
    struct insn insn = {.op = OP_MOV, .width = 8, .rs = 1, .rd = 2};
    struct recipe_count n;
    assert_true(recipe_count(s, &insn, false, &n));
    assert_int_equal(n.energy_fj, 8 * 55 * 256);
    recipe_set_free(s);
    target_free(t);
    diag_free(d);
}

static struct recipe_set *open_recipes(const struct target *target) {
    struct diag *d = diag_new(NULL, NULL);
    struct recipe_set *s = recipe_set_open(target, d);
    if (!s)
        fail_msg("%s", diag_first(d));
    diag_free(d);
    return s;
}

/* Where the recipe is one that every target has, the same text is mapped; others are counted. */
static void want_same_recipes(const struct target *left, const struct target *right, bool counted) {
    struct recipe_set *x = open_recipes(left), *y = open_recipes(right);
    unsigned some = 0;
    for (int op = 0; op < OP_COUNT; op++) {
        const struct insn insn = {
            .op = (enum isa_op)op, .width = 8, .rs = 1, .rt = 2, .rd = 3, .imm = 5};
        struct recipe_count n, m;
        const struct recipe *a = x->recipes[op], *b = y->recipes[op];
        assert_int_equal(a != NULL, b != NULL);
        if (a)
            assert_string_equal(a->origin, b->origin);
        if (!a || (a->choice == CHOICE_GENERIC && !a->needs_count) || !counted)
            continue;
        assert_true(recipe_count(x, &insn, false, &n) == recipe_count(y, &insn, false, &m));
        if (n.micro_ops != m.micro_ops || n.latency_cycles != m.latency_cycles ||
            n.interval_cycles != m.interval_cycles || n.energy_fj != m.energy_fj)
            fail_msg("%s: %s", left->name, isa_info(insn.op)->name);
        some++;
    }
    assert_true(some > 5 || !counted);
    recipe_set_free(x);
    recipe_set_free(y);
}

/* A file that extends a target and changes nothing costs what it costs, by however many files. */
static void test_equal(void **state) {
    static const struct {
        const char *name, *arith;
        bool counted; /* pypim's many take seconds to be tried */
    } cases[] = {{"racer", "exact", true},
                 {"mimdram", "exact", true},
                 {"pypim", "compat", false},
                 {"duality-cache", "exact", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct target_override set = {"arith", cases[i].arith};
        char text[100];
        struct diag *d = diag_new(NULL, NULL);
        snprintf(text, sizeof text, "schema: 1\nname: one\nextends: %s\n", cases[i].name);
        target_free(open_text("a.yaml", text, d));
        target_free(open_text("t.yaml", "schema: 1\nname: two\nextends: a.yaml\n", d));
        struct target *left = open_fine(cases[i].name, &set, 1);
        struct target *right = open_fine(path_of("t.yaml"), &set, 1);
        assert_string_equal(right->builtin, cases[i].name);
        want_same_recipes(left, right, cases[i].counted);
        target_free(left);
        target_free(right);
        diag_free(d);
    }
}

/* One that lacks what a recipe for the built-in target speaks of has another. */
static void test_inherited(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    struct target *t =
        open_text("t.yaml", "schema: 1\nname: own\nextends: racer\nops: { COPY: null }\n", d);
    if (!t)
        fail_msg("%s", diag_first(d));
    struct recipe_set *s = open_recipes(t);
    const struct insn insn = {.op = OP_LI, .width = 16, .rd = 3, .imm = 5};
    struct recipe_count n;
    assert_true(recipe_count(s, &insn, false, &n));
    assert_true(n.micro_ops > 0);
    recipe_set_free(s);
    target_free(t);
    diag_free(d);
}

/* A destructive gate: the preset goes before it, and counts. */
static void test_preset(void **state) {
    (void)state;
    static const char text[] = "schema: 1\nname: own\nextends: racer\nops:\n"
                               "  SET1: { out: d, fn: \"1\", energy: e_column }\n"
                               "  XNOT: { in: [a], out: d, fn: \"d & !a\", energy: e_column,\n"
                               "          preset: { d: 1, by: SET1 } }\n";
    static const char recipe[] =
        "recipe INV(a) -> d any w needs XNOT {\n"
        "  for j in 0 .. w-1 { t = XNOT(a[j]) u = XNOT(t) d[j] = XNOT(u) }\n"
        "  computes d == ~a\n"
        "  expect XNOT == 3*w, SET1 == 3*w\n"
        "}\n";
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_text("t.yaml", text, d);
    struct recipe_set *s = t ? recipe_set_open_with(t, "x", recipe, strlen(recipe), d) : NULL;
    if (!s)
        fail_msg("%s", diag_first(d));
    recipe_set_free(s);
    target_free(t);
    diag_free(d);
}

static bool refuses(const char *text, const char *place, const char *words) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_text("t.yaml", text, d);
    diag_flush(d);
    const char *first = diag_first(d);
    char expected[200];
    snprintf(expected, sizeof expected, "t.yaml:%s:", place);
    bool fine = !t && first && strstr(first, expected) && strstr(first, words);
    if (!fine)
        print_error("expected %s ...%s..., got %s\n", expected, words,
                    t       ? "a target"
                    : first ? first
                            : "no message");
    target_free(t);
    diag_free(d);
    return fine;
}

/* mtj with one piece replaced. */
static void test_mistakes(void **state) {
    (void)state;
    static const struct {
        const char *old, *new, *place, *words;
    } slips[] = {
        {"datapath_ps: 3000", "datapath: 3000", "17:12", "unknown key 'clocks.datapath'"},
        {"intra: p2p", "intra: p2p, hop: 3", "21:24", "unknown key 'network.hop'"},
        {"intra: p2p", "intra: tree", "21:19", "expected one of: serial p2p ring host h-tree"},
        {"intra: p2p", "intra: p2p, chip: 2", "21:30",
         "expected one of: mesh-2d mesh-1d torus ring"},
        {"lanes: 256", "lane: 256", "4:24", "unknown key 'array.lane'"},
        {"lanes: 256", "lanes: many", "4:31", "array.lanes: expected a whole number"},
        {"lanes: 256", "lanes: [1, 2]", "4:31", "expected a whole number"},
        {"lanes: 256", "lanes: 0", "4:31", "0 is outside 1 .. 16777216"},
        {"lanes: 256, ", "", "4:1", "'array.lanes' is missing"},
        {"kind: plane", "kind: plan", "3:7", "expected one of: plane slot core simt golden"},
        {"front_end: mpu-paper", "front_end: mpu-papr", "23:12",
         "no front end is called 'mpu-papr'"},
        {"schema: 1", "schema: 2", "1:9", "2 is outside 1 .. 1"},
        {"name: mtj", "name: mtj\nname: mtj", "3:1", "'name' stands here twice"},
        {"fn: \"d | !(a & b)\"", "fn: \"d | !(a & c)\"", "13:46",
         "no operand of this op is called 'c'"},
        {"fn: \"d | !(a & b)\"", "fn: \"d | !(a & )\"", "13:46", "expected an expression"},
        {"fn: \"d | !(a & b)\"", "fn: \"d | !(a + b)\"", "13:42", "fn is made of operands"},
        {"fn: \"d | !(a & b)\", ", "", "13:3", "'fn' is missing"},
        {"class(a) == class(b)", "clas(a) == class(b)", "14:19",
         "where knows section(x), class(x) and row(x)"},
        {"class(a) == class(b)", "class(a) == evn", "14:31", "neither a class of rows"},
        {"class(a) == class(b)", "class(a) == class(b) == 1", "14:40", "comparisons do not chain"},
        {"class(a) == class(b)", "class(a) ^ class(b)", "14:19", "where is made of"},
        {"by: SET0", "by: SET1", "13:71", "no micro-op of this name"},
        {"preset: { d: 0,", "preset: { d: 1,", "13:71", "does not set its one destination"},
        {"time: \"2*t_write\"", "time: \"2*t_writ\"", "15:46", "no value called 't_writ'"},
        {"time: \"2*t_write\"", "time: \"2/t_write\"", "15:44", "numbers, names and + - *"},
        {"time: \"2*t_write\"", "time: \"0 - t_write\"", "15:44", "outside 0 .. 2^40"},
        {"in: [a], out: d", "in: [a, a], out: d", "15:19", "two operands of one name"},
        {"in: [a], out: d", "in: [a, b, c, e, f, g], out: d", "15:31", "at most 5 sources"},
        {"in: [a], out: d", "in: [a]", "15:3", "'out' is missing"},
        {"in: [a], out: d", "in: [a], out: d, clas: logic", "15:28", "unknown key 'clas'"},
        {"in: [a], out: d", "in: [a], out: d, class: logik", "15:35", "expected class logic"},
        {"energy: e_gate", "speed: e_gate", "14:80", "unknown key 'speed' of a micro-op"},
        {"range: \"0..1019:2\"", "range: \"0..2000:2\"", "7:19", "row 2000 lies outside"},
        {"range: \"0..1019:2\"", "range: \"0..1019\"", "8:3", "row 1 belongs to two classes"},
        {"row: 1022, value: 0", "row: 1022, value: 2", "9:29", "2 is outside 0 .. 1"},
        {"row: 1022, value: 0", "value: 0", "9:3", "either 'range' or 'row'"},
        {"source: assumed }\nmachine", "source: { lane: assumed } }\nmachine", "4:75",
         "a source for 'lane', which does not stand"},
        {"per: lane", "per: bit", "19:17", "expected array or lane"},
        {"host:    {", "host:    [", "22:89", ""},
        {"kind: plane", "kind: &x plane", "3:7", "anchors, aliases and tags"},
        {"kind: plane", "kind: plane\nextends: nothing", "4:10", "no target is called 'nothing'"},
        {"kind: plane", "kind: plane\nextends: t.yaml", "4:10", "cannot extend itself"},
    };
    char text[4000];
    bool fine = true;
    for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++) {
        const char *at = strstr(mtj, slips[i].old);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - mtj), mtj, slips[i].new,
                 at + strlen(slips[i].old));
        fine &= refuses(text, slips[i].place, slips[i].words);
    }
    fine &= refuses("", "1:1", "a map of keys");
    fine &= refuses("- a\n", "1:1", "a map of keys");
    fine &= refuses("a: b: c\n", "1:5", "");
    assert_true(fine);
}

/* a extends b extends a. */
static void test_cycle(void **state) {
    (void)state;
    static const char b[] = "schema: 1\nname: b\nextends: a.yaml\n";
    struct diag *d = diag_new(NULL, NULL);
    assert_true(file_write(path_of("b.yaml"), b, strlen(b)));
    assert_null(open_text("a.yaml", "schema: 1\nname: a\nextends: b.yaml\n", d));
    assert_non_null(strstr(diag_first(d), "cannot extend itself"));
    diag_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_racer),
        cmocka_unit_test(test_networks),
        cmocka_unit_test(test_network_keys),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_bad_overrides),
        cmocka_unit_test(test_own_technology),
        cmocka_unit_test(test_equal),
        cmocka_unit_test(test_inherited),
        cmocka_unit_test(test_preset),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_cycle),
        cmocka_unit_test(test_area),
        cmocka_unit_test(test_numbers_go_by_sizes),
        cmocka_unit_test(test_energies_go_by_lanes),
        cmocka_unit_test(test_buffer_goes_by_lanes),
        cmocka_unit_test(test_sizes_of_files),
        cmocka_unit_test(test_bad_areas),
        cmocka_unit_test(test_rows_opened),
        cmocka_unit_test(test_rows_name),
        cmocka_unit_test(test_front_end_default),
        cmocka_unit_test(test_front_end_by_size),
        cmocka_unit_test(test_front_end_stated),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_common),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
