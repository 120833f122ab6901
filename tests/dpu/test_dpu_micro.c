/* SPDX-License-Identifier: MIT
 * The microbenchmarks of examples/dpu/micro beside what PrIM's have measured on silicon, as
 * docs/upmem-micro.md has it.  MPU_WRITE_PAGE=1 writes the page's tables. */
#include "machines/core/dpu/run/core.h"
#include "runtime/include/mpu/dpu.h"
#include "support/file.h"
#include "tests/examples/page.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#define FOLDER   MPU_SOURCE_DIR "/examples/dpu/micro/"
#define PAGE     MPU_SOURCE_DIR "/docs/upmem-micro.md"
#define PROGRAM  "tests/test_dpu_micro"
#define MHZ      350.0
#define MOST_SET 8

struct setting {
    const char *name;
    int64_t value;
};
/* What a lap of all tasklets takes: the difference of two runs, so without their beginning and end.
 */
struct lap {
    double cycles, instructions;
};
struct bench {
    const char *file;
    struct setting settings[MOST_SET];
    uint64_t scalar;
    uint64_t (*number)(uint32_t index); /* of `numbers`, words or pairs; NULL: zeros */
    bool wide;
};

static struct dpu_program *program_of(const struct bench *b) {
    char path[4096];
    size_t size, count = 0;
    struct machine_define defines[MOST_SET];
    struct diag *d = diag_new(NULL, NULL);
    snprintf(path, sizeof path, FOLDER "%s.s", b->file);
    char *text = file_read_text(path, FILE_MAX_SOURCE, &size);
    assert_non_null(text);
    for (; count < MOST_SET && b->settings[count].name; count++)
        defines[count] = (struct machine_define){b->settings[count].name, b->settings[count].value};
    const struct machine_text_options options = {.defines = defines, .define_count = count};
    struct dpu_program *p = dpu_assemble_with(path, text, size, &options, d);
    if (!p)
        fail_msg("%s", diag_first(d));
    diag_free(d);
    free(text);
    return p;
}
static void put(struct dpu_core *core, const struct dpu_program *p, const char *name,
                const void *bytes, uint32_t at, uint32_t size) {
    const struct dpu_symbol *s = dpu_program_symbol(p, name);
    assert_true(s && dpu_core_wram_put(core, s->value + at, bytes, size));
}
static void run(const struct bench *b, const struct dpu_program *p, uint32_t laps,
                struct dpu_counters *n) {
    struct dpu_core *core = dpu_core_new(&DPU_TIME_MEASURED);
    dpu_core_load(core, p);
    put(core, p, "laps", &laps, 0, 4);
    if (dpu_program_symbol(p, "scalar"))
        put(core, p, "scalar", &b->scalar, 0, 8);
    for (uint32_t i = 0; b->number && i < 16 * 1024 / (b->wide ? 8u : 4u); i++) {
        uint64_t value = b->number(i);
        const uint32_t bytes = b->wide ? 8 : 4;
        put(core, p, "numbers", &value, i * bytes, bytes);
        dpu_core_mram_put(core, i * bytes, &value, bytes); /* from where laps may bring them */
    }
    if (!dpu_core_run(core, UINT64_C(1) << 32)) {
        struct str what = {0};
        dpu_core_explain(core, p, &what);
        fail_msg("%s", what.text);
    }
    dpu_core_counters(core, n);
    dpu_core_free(core);
}
static struct lap lap_of(const struct bench *b, uint32_t laps) {
    struct dpu_program *p = program_of(b);
    struct dpu_counters few, many;
    run(b, p, laps, &few);
    run(b, p, 3 * laps, &many);
    dpu_program_free(p);
    return (struct lap){(double)(many.cycles - few.cycles) / (2 * laps),
                        (double)(many.instructions - few.instructions) / (2 * laps)};
}

/* ---- rows of silicon ---- */

/* From reference figures of PrIM (arXiv 2105.03814), as recalled: MOPS, MB/s, cycles, OP/B. */
static void near(const char *what, double ours, double silicon, double percent) {
    if (fabs(ours / silicon - 1) * 100 > percent)
        fail_msg("%s: %.4g, and silicon has %.4g", what, ours, silicon);
}
static double off(double ours, double silicon) {
    return (ours / silicon - 1) * 100;
}

/* ---- pipeline ---- */

static void pipeline(void **state) {
    (void)state;
    struct str table = {0};
    str_append(&table, "| tasklets | instructions a cycle | min(T / 11, 1) |\n|---:|---:|---:|\n");
    for (unsigned t = 1; t <= 24; t++) {
        const struct bench b = {"pipeline", {{"NR_TASKLETS", t}}, 0, NULL, true};
        struct lap l = lap_of(&b, 20);
        double ipc = l.instructions / l.cycles, wanted = t < 11 ? t / 11.0 : 1;
        near("instructions a cycle", ipc, wanted, 0.1);
        str_printf(&table, "| %u | %.4f | %.4f |\n", t, ipc, wanted);
    }
    page_check(PAGE, "pipeline", &table, PROGRAM);
    str_free(&table);
}

/* ---- arithmetic ---- */

static uint32_t noise(uint32_t index) {
    uint32_t x = index * 2654435761u + 12345;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    x *= 3266489917u;
    return x ^ x >> 16;
}
/* What PrIM's benchmark has: an array of rand(), of 31 bits, and as second operand how many
 * elements a DPU has, 2^20 (its app.c and run.sh). */
static uint64_t bits_31(uint32_t i) {
    return noise(i) >> 1;
}
static uint64_t float_of(uint32_t i) {
    float x = (float)bits_31(i);
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}
static uint64_t double_of(uint32_t i) {
    double x = (double)bits_31(i);
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}
#define ELEMENTS    (UINT64_C(1) << 20)
#define ELEMENTS_32 0x49800000u /* as float32 */
#define ELEMENTS_64 UINT64_C(0x4130000000000000)
#define SCALAR_63   UINT64_C(0x5eed12345678abcd)
static const struct {
    const char *what;
    int64_t operation;
    double silicon; /* MOPS */
    /* Instructions of this loop with UPMEM's routine of SDK 2021.3, which is not in this
     * repository, carried out by this machine; 0: nothing is called. */
    unsigned upmem;
    uint64_t (*number)(uint32_t);
    uint64_t scalar;
} rows[] = {
    {"int32 add", 0, 58.56, 0, bits_31, ELEMENTS},
    {"int32 sub", 1, 58.45, 0, bits_31, ELEMENTS},
    {"int32 mul", 2, 10.27, 34, bits_31, ELEMENTS},
    {"int32 div", 3, 11.27, 40, bits_31, ELEMENTS},
    {"int64 add", 4, 50.16, 0, bits_31, ELEMENTS},
    {"int64 sub", 5, 50.16, 0, bits_31, ELEMENTS},
    {"int64 mul", 6, 2.56, 130, bits_31, ELEMENTS},
    {"int64 div", 7, 1.40, 253, bits_31, ELEMENTS},
    {"float32 add", 8, 4.91, 69, float_of, ELEMENTS_32},
    {"float32 sub", 9, 4.59, 74, float_of, ELEMENTS_32},
    {"float32 mul", 10, 1.91, 176, float_of, ELEMENTS_32},
    {"float32 div", 11, 0.34, 990, float_of, ELEMENTS_32},
    {"float64 add", 12, 3.32, 104, double_of, ELEMENTS_64},
    {"float64 sub", 13, 3.11, 111, double_of, ELEMENTS_64},
    {"float64 mul", 14, 0.53, 633, double_of, ELEMENTS_64},
    {"float64 div", 15, 0.16, 2051, double_of, ELEMENTS_64},
};
static struct bench arithmetic_of(size_t row, int64_t elements, int64_t transfer) {
    const bool wide = rows[row].operation & 4;
    return (struct bench){"arithmetic",
                          {{"NR_TASKLETS", 16},
                           {"OPERATION", rows[row].operation},
                           {"ELEMENTS", elements},
                           {"TRANSFER", transfer}},
                          rows[row].scalar,
                          rows[row].number,
                          wide};
}
static void arithmetic(void **state) {
    (void)state;
    struct str table = {0};
    str_append(&table,
               "| operation | instructions | MOPS | silicon, MOPS | f / silicon | MOPS beside "
               "silicon, % | instructions with UPMEM's routine |\n"
               "|---|---:|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct bench b = arithmetic_of(i, 128, 0);
        struct lap l = lap_of(&b, 4);
        double mops = 128 * 16 * MHZ / l.cycles, n = l.instructions / 128 / 16;
        near("f / n", mops, MHZ / n, 1);
        if (!rows[i].upmem || rows[i].operation == 2)
            near(rows[i].what, mops, rows[i].silicon, 3);
        str_printf(&table, "| %s | %.1f | %.2f | %.2f | %.1f | %+.1f |", rows[i].what, n, mops,
                   rows[i].silicon, MHZ / rows[i].silicon, off(mops, rows[i].silicon));
        if (rows[i].upmem)
            str_printf(&table, " %u |\n", rows[i].upmem);
        else
            str_append(&table, " |\n");
    }
    page_check(PAGE, "arithmetic", &table, PROGRAM);
    str_free(&table);
}

/* ---- streams ---- */

static void streams(void **state) {
    (void)state;
    static const struct {
        const char *what;
        unsigned bytes; /* an element */
        double silicon;
        bool loop;
    } list[] = {{"copy", 16, 2818.98, true},
                {"add", 24, 1682.46, true},
                {"scale", 16, 42.03, false},
                {"triad", 24, 61.66, false}};
    struct str table = {0};
    str_append(&table, "| stream | instructions | MB/s | silicon, MB/s | beside silicon, % |\n"
                       "|---|---:|---:|---:|---:|\n");
    for (int64_t i = 0; i < 4; i++) {
        const struct bench b = {
            "wram", {{"NR_TASKLETS", 16}, {"STREAM", i}}, SCALAR_63, NULL, true};
        struct lap l = lap_of(&b, 10);
        double mb = list[i].bytes * 64 * 16 * MHZ / l.cycles;
        if (list[i].loop)
            near(list[i].what, mb, list[i].silicon, 3);
        str_printf(&table, "| %s | %.2f | %.1f | %.2f | %+.1f |\n", list[i].what,
                   l.instructions / 64 / 16, mb, list[i].silicon, off(mb, list[i].silicon));
    }
    page_check(PAGE, "streams", &table, PROGRAM);
    str_free(&table);
}

/* ---- MRAM ---- */

static struct lap access(int64_t tasklets, int64_t what, int64_t bytes, int64_t stride) {
    const struct bench b = {
        "mram",
        {{"NR_TASKLETS", tasklets}, {"ACCESS", what}, {"BYTES", bytes}, {"STRIDE", stride}},
        0,
        NULL,
        true};
    return lap_of(&b, 50);
}
static void latencies(void **state) {
    (void)state;
    static const struct {
        unsigned bytes;
        double read, write; /* PrIM: 77 and 61 + bytes / 2; rows of the reference file, else 0 */
    } list[] = {{8, 81, 65}, {128, 141, 0}, {1024, 589, 0}, {2048, 1101, 1085}};
    struct str table = {0};
    str_append(&table, "| bytes | read, cycles | silicon | write, cycles | silicon |\n"
                       "|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        /* Four instructions behind each of 16, and one more a lap, 11 cycles each. */
        double r = (access(1, 4, list[i].bytes, 0).cycles - 65 * 11) / 16,
               w = (access(1, 5, list[i].bytes, 0).cycles - 65 * 11) / 16;
        near("read", r, list[i].read, 0.001);
        near("write", w, list[i].write ? list[i].write : 61 + list[i].bytes / 2.0, 0.001);
        str_printf(&table, "| %u | %.0f | %.0f | %.0f | %.0f |\n", list[i].bytes, r, list[i].read,
                   w, 61 + list[i].bytes / 2.0);
    }
    page_check(PAGE, "latencies", &table, PROGRAM);
    str_free(&table);
}
static void mram(void **state) {
    (void)state;
    static const struct {
        const char *what;
        int64_t tasklets, access, bytes, stride;
        double silicon; /* MB/s; 0: no row */
        unsigned counted;
    } list[] = {
        {"read, one tasklet", 1, 0, 2048, 2048, 628.23, 2048},
        {"write, one tasklet", 1, 1, 2048, 2048, 633.22, 2048},
        {"copy", 16, 2, 1024, 1024, 624.02, 2048},
        {"stride 1, whole blocks", 16, 2, 1024, 1024, 622.36, 2048},
        {"random, 8 bytes read and written", 16, 3, 8, 0, 72.58, 16},
        {"stride of 64 bytes, 8 at once", 16, 2, 8, 64, 0, 16},
        {"read, one tasklet, 8 bytes", 1, 0, 8, 8, 0, 8},
        {"read, 8 bytes", 16, 0, 8, 8, 0, 8},
        {"read, 64 bytes", 16, 0, 64, 64, 0, 64},
        {"read, 256 bytes", 16, 0, 256, 256, 0, 256},
        {"read, 2,048 bytes", 16, 0, 2048, 2048, 0, 2048},
    };
    struct str table = {0};
    str_append(&table,
               "| access | tasklets | bytes at once | MB/s | silicon, MB/s | beside silicon, "
               "% |\n|---|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct lap l = access(list[i].tasklets, list[i].access, list[i].bytes, list[i].stride);
        double mb = list[i].counted * (double)list[i].tasklets * MHZ / l.cycles;
        str_printf(&table, "| %s | %" PRId64 " | %" PRId64 " | %.2f |", list[i].what,
                   list[i].tasklets, list[i].bytes, mb);
        if (list[i].silicon != 0) {
            near(list[i].what, mb, list[i].silicon, 5);
            str_printf(&table, " %.2f | %+.1f |\n", list[i].silicon, off(mb, list[i].silicon));
        } else {
            str_append(&table, " | |\n");
        }
    }
    page_check(PAGE, "mram", &table, PROGRAM);
    str_free(&table);
}

/* ---- operational intensity ---- */

/* Operations of a block of 1,024 bytes that is read and written; the knee is the least power of two
 * from which on the throughput is within a tenth of what it becomes. */
static void intensity(void **state) {
    (void)state;
    static const struct {
        size_t row;
        double silicon; /* OP/B */
    } list[] = {{0, 0.25}, {2, 0.03125}, {8, 0.015625}, {10, 0.0078125}};
    struct str table = {0};
    int off_knees = 0;
    str_append(&table, "| operation |");
    for (unsigned k = 1; k <= 256; k *= 2)
        str_printf(&table, " 1/%u |", 1024 / k);
    str_append(&table, " knee, OP/B | silicon |\n|---|");
    for (unsigned k = 1; k <= 256; k *= 2)
        str_append(&table, "---:|");
    str_append(&table, "---:|---:|\n");
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        double mops[9], knee = 1;
        str_printf(&table, "| %s |", rows[list[i].row].what);
        for (unsigned e = 0; e < 9; e++) {
            const struct bench b = arithmetic_of(list[i].row, 1 << e, 1);
            mops[e] = 16 * (1 << e) * MHZ / lap_of(&b, 8).cycles;
            str_printf(&table, " %.2f |", mops[e]);
        }
        for (int e = 8; e >= 0 && mops[e] >= 0.9 * mops[8]; e--)
            knee = (1 << e) / 1024.0;
        off_knees += knee != list[i].silicon;
        str_printf(&table, " %g | %g |\n", knee, list[i].silicon);
    }
    page_check(PAGE, "intensity", &table, PROGRAM);
    assert_int_equal(off_knees, 0);
    str_free(&table);
}

/* ---- host transfers ---- */

enum way { SERIAL_TO, SERIAL_FROM, PARALLEL_TO, PARALLEL_FROM, BROADCAST, WAYS };
/* What it takes, in us, to move so many bytes of each DPU. */
static double transfer(const char *profile, enum way way, uint32_t dpus, uint32_t bytes) {
    static uint8_t room[1 << 20];
    static const char text[] = "end: stop true, end\n.mram\nm: .space 1048576\n.size m, 1048576\n";
    struct dpu_set_t set, dpu;
    struct str file = {0};
    struct diag *d = diag_new(NULL, NULL);
    struct dpu_program *p = dpu_assemble("", text, sizeof text - 1, d);
    mpu_dpu_times took;
    dpu_program_write(p, &file);
    assert_int_equal(dpu_alloc(dpus, profile, &set), DPU_OK);
    assert_int_equal(mpu_dpu_load_bytes(set, file.text, file.len, NULL, NULL), DPU_OK);
    DPU_FOREACH(set, dpu) {
        if (way == SERIAL_TO)
            assert_int_equal(dpu_copy_to(dpu, "m", 0, room, bytes), DPU_OK);
        else if (way == SERIAL_FROM)
            assert_int_equal(dpu_copy_from(dpu, "m", 0, room, bytes), DPU_OK);
        else
            assert_int_equal(dpu_prepare_xfer(dpu, room), DPU_OK);
    }
    if (way == PARALLEL_TO || way == PARALLEL_FROM)
        assert_int_equal(dpu_push_xfer(set,
                                       way == PARALLEL_TO ? DPU_XFER_TO_DPU : DPU_XFER_FROM_DPU,
                                       "m", 0, bytes, DPU_XFER_DEFAULT),
                         DPU_OK);
    else if (way == BROADCAST)
        assert_int_equal(dpu_broadcast_to(set, "m", 0, room, bytes, DPU_XFER_DEFAULT), DPU_OK);
    mpu_dpu_time(set, &took);
    dpu_free(set);
    dpu_program_free(p);
    str_free(&file);
    diag_free(d);
    return (double)(took.to_dpu_ps + took.from_dpu_ps) / 1e6;
}
static void transfers(void **state) {
    (void)state;
    /* Rows of the silicon file (VA, SEL) and PrIM's, as recalled, in GB/s; 0: there is none. */
    static const struct {
        const char *what;
        struct {
            double least, most, prim;
        } silicon[4]; /* 1, 4, 16, 64 DPUs */
    } list[WAYS] = {
        {"serial, to DPUs", {{0, 0, 0.33}}},
        {"serial, from DPUs",
         {{0.108, 0.121, 0.12}, {0.108, 0.121, 0}, {0.108, 0.121, 0}, {0.083, 0.083, 0}}},
        {"parallel, to DPUs",
         {{0.56, 0.56, 0}, {1.61, 1.61, 0}, {2.32, 2.32, 0}, {3.4, 4.3, 6.68}}},
        {"parallel, from DPUs",
         {{0.109, 0.109, 0}, {0.40, 0.43, 0}, {0.70, 0.81, 0}, {1.33, 1.87, 4.74}}},
        {"broadcast", {[3] = {0, 0, 16.88}}},
    };
    struct str table = {0};
    str_append(&table, "| way | DPUs | 2 kB, us | 64 kB, us | 1 MB, us | GB/s | silicon | set "
                       "prim-link, GB/s | PrIM |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (int way = 0; way < WAYS; way++)
        for (int k = 0; k < 4; k++) {
            const uint32_t dpus = 1u << 2 * k;
            double us[3] = {transfer(NULL, (enum way)way, dpus, 2048),
                            transfer(NULL, (enum way)way, dpus, 65536),
                            transfer(NULL, (enum way)way, dpus, 1 << 20)},
                   rate = dpus * 1048.576 / us[2],
                   prim = dpus * 1048.576 / transfer("link=recalled", (enum way)way, dpus, 1 << 20);
            const double least = list[way].silicon[k].least, most = list[way].silicon[k].most,
                         wanted = list[way].silicon[k].prim;
            str_printf(&table, "| %s | %u | %.1f | %.1f | %.0f | %.3f |", list[way].what, dpus,
                       us[0], us[1], us[2], rate);
            if (least != most)
                str_printf(&table, " %g to %g |", least, most);
            else if (least != 0)
                str_printf(&table, " %g |", least);
            else
                str_append(&table, " |");
            str_printf(&table, " %.3f |", prim);
            if (wanted != 0)
                str_printf(&table, " %g |\n", wanted);
            else
                str_append(&table, " |\n");
            assert_true(way == SERIAL_FROM || least == 0 ||
                        (rate > 0.99 * least && rate < 1.01 * most));
            if (wanted != 0)
                near(list[way].what, prim, wanted, 1);
        }
    page_check(PAGE, "transfers", &table, PROGRAM);
    str_free(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pipeline),  cmocka_unit_test(arithmetic), cmocka_unit_test(streams),
        cmocka_unit_test(latencies), cmocka_unit_test(mram),       cmocka_unit_test(intensity),
        cmocka_unit_test(transfers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
