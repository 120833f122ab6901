/* SPDX-License-Identifier: MIT
 * Figures of DaPPA's workloads, in docs/dappa-figures.md: time part by part, the share of
 * transfers, copies of what filters keep, filters' blocks, elements of the host, fused and unfused
 * stages. */
#include "machines/core/dpu/run/core.h"
#include "runtime/include/mpu/pipeline.h"
#include "runtime/public.h"
#include "support/file.h"
#include "target/host.h"
#include "tests/examples/page.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PAGE    MPU_SOURCE_DIR "/docs/dappa-figures.md"
#define PROGRAM "build/tests/test_pipeline_figures"

enum { VA, SEL, UNI, RED, GEMV, HST, DOT, WORKLOADS };
static const char *const names[] = {"VA", "SEL", "UNI", "RED", "GEMV", "HST-S", "dot product"};
enum { COLUMNS = 256, BINS = 256, OF_A_DPU = 4096 };

struct times {
    uint64_t in, kernel, out, host, total;
};
struct asked {
    int workload;
    uint32_t dpus;
    uint64_t n, cpu_elements;
    bool no_fuse;
};

static void fine(mpu_result r, mpu_error *e) {
    if (r != MPU_OK)
        fail_msg("%s", mpu_error_text(e));
}
static uint64_t figure(const mpu_pipeline *p, const char *name) {
    uint64_t value = 0;
    assert_int_equal(mpu_pipeline_figure(p, name, &value), MPU_OK);
    return value;
}

struct arrays {
    int32_t *a, *b, *c;
    int32_t some[BINS], sum;
};
static void stage(mpu_pipeline *p, mpu_pattern pattern, const char *function,
                  const mpu_stage_argument *arguments, uint32_t count, uint32_t overlap,
                  uint32_t group) {
    mpu_error *e = NULL;
    const mpu_stage s = {.pattern = pattern,
                         .function = function,
                         .arguments = arguments,
                         .count = count,
                         .overlap = overlap,
                         .group = group};
    fine(mpu_pipeline_stage(p, &s, &e), e);
}
/* Returns what is fetched. */
static void *add_stages(mpu_pipeline *p, int workload, struct arrays *x) {
    static const int32_t behind = -1;
    const mpu_stage_argument a = {MPU_ROLE_INPUT, MPU_I32, x->a, 0, NULL, 0},
                             b = {MPU_ROLE_INPUT, MPU_I32, x->b, 0, NULL, 0},
                             c = {MPU_ROLE_OUTPUT, MPU_I32, x->c, 0, NULL, 0},
                             sum = {MPU_ROLE_REDUCE_OUT, MPU_I32, &x->sum, 1, NULL, 0};
    switch (workload) {
    case VA:
        stage(p, MPU_PATTERN_MAP, "(int *c, int *a, int *b) { *c = *a + *b; }",
              (mpu_stage_argument[]){c, a, b}, 3, 0, 0);
        return x->c;
    case SEL:
        stage(p, MPU_PATTERN_FILTER, "(int *x) { return (*x & 1) != 0; }",
              (mpu_stage_argument[]){c, a}, 2, 0, 0);
        return x->c;
    case UNI: {
        mpu_stage_argument tailed = a;
        tailed.tail = &behind;
        tailed.tail_elements = 1;
        stage(p, MPU_PATTERN_WINDOW_FILTER, "(int *x) { return x[0] != x[1]; }",
              (mpu_stage_argument[]){c, tailed}, 2, 1, 0);
        return x->c;
    }
    case RED:
        stage(p, MPU_PATTERN_REDUCE, "(int *sum, int *x) { *sum += *x; }",
              (mpu_stage_argument[]){sum, a}, 2, 0, 0);
        return &x->sum;
    case GEMV: {
        const mpu_stage_argument v = {MPU_ROLE_SCALAR, MPU_I32, x->some, COLUMNS, NULL, 0};
        stage(p, MPU_PATTERN_GROUP,
              "(int *y, int *row, int *v) { for (int i = 0; i < 256; i++) *y += row[i] * v[i]; }",
              (mpu_stage_argument[]){c, a, v}, 3, 0, COLUMNS);
        return x->c;
    }
    case HST: {
        const mpu_stage_argument bins = {MPU_ROLE_REDUCE_OUT, MPU_I32, x->some, BINS, NULL, 0};
        stage(p, MPU_PATTERN_REDUCE, "(int *bins, int *x) { bins[*x * 256 >> 12]++; }",
              (mpu_stage_argument[]){bins, a}, 2, 0, 0);
        return x->some;
    }
    default: {
        mpu_stage_argument made = c;
        stage(p, MPU_PATTERN_MAP, "(int *c, int *a, int *b) { *c = *a * *b; }",
              (mpu_stage_argument[]){c, a, b}, 3, 0, 0);
        made.role = MPU_ROLE_INPUT;
        stage(p, MPU_PATTERN_REDUCE, "(int *sum, int *x) { *sum += *x; }",
              (mpu_stage_argument[]){sum, made}, 2, 0, 0);
        return &x->sum;
    }
    }
}

/* What a workload gives, against loops here. */
static void check(int workload, const struct arrays *x, uint64_t n, uint64_t got) {
    int32_t *want = calloc(n + BINS, sizeof *want), sum = 0;
    const int32_t *have = workload == HST ? x->some : x->c;
    uint64_t count = 0;
    for (uint64_t i = 0; i < n; i++) {
        const int32_t v = x->a[i];
        switch (workload) {
        case VA:
            want[count++] = v + x->b[i];
            break;
        case SEL:
        case UNI:
            want[count] = v;
            count += workload == SEL ? v & 1 : i + 1 == n || v != x->a[i + 1];
            break;
        case GEMV:
            want[i / COLUMNS] += v * x->some[i % COLUMNS];
            count = i / COLUMNS + 1;
            break;
        case HST:
            want[v * 256 >> 12]++;
            count = BINS;
            break;
        default:
            sum += workload == RED ? v : v * x->b[i];
        }
    }
    if (workload == RED || workload == DOT)
        assert_int_equal(x->sum, sum);
    else
        assert_memory_equal(have, want, count * sizeof *want);
    if (workload == SEL || workload == UNI)
        assert_int_equal(got, count);
    free(want);
}

/* DPUs as DaPPA has them: 450 MHz, 11 tasklets, i32. */
static struct times carry_out(const struct asked *asked) {
    mpu_error *e = NULL;
    const char *set[] = {"dpu.run_tasklets=11", NULL};
    mpu_target *target = mpu_target_open("upmem-dappa", set, &e);
    const mpu_pipeline_options o = {.size = sizeof o,
                                    .dpus = asked->dpus,
                                    .cpu_elements = asked->cpu_elements,
                                    .no_fuse = asked->no_fuse};
    mpu_pipeline *p = mpu_pipeline_new(target, asked->n, &o, &e);
    struct arrays x = {calloc(asked->n, 4), calloc(asked->n, 4), calloc(asked->n, 4), {0}, 0};
    uint64_t length = 0;
    assert_non_null(p);
    for (uint64_t i = 0; i < asked->n; i++) {
        /* PrIM's: numbers below 50; of UNI and SEL one in two is kept; of HST-S 12 bits. */
        x.a[i] = asked->workload == UNI   ? (int32_t)(i % 2 ? i + 1 : i)
                 : asked->workload == SEL ? (int32_t)i + 1
                 : asked->workload == HST ? (int32_t)((uint32_t)i * 2654435761u >> 20)
                                          : (int32_t)(i * 7 % 50);
        x.b[i] = (int32_t)(i * 11 % 50);
    }
    for (int i = 0; asked->workload == GEMV && i < COLUMNS; i++)
        x.some[i] = i % 50;
    void *made = add_stages(p, asked->workload, &x);
    fine(mpu_pipeline_fetch(p, made, &e), e);
    fine(mpu_pipeline_execute(p, &e), e);
    fine(mpu_pipeline_length(p, made, &length), NULL);
    check(asked->workload, &x, asked->n, length);
    const struct times t = {figure(p, "transfer_in"), figure(p, "kernel"),
                            figure(p, "transfer_out"), figure(p, "host"), figure(p, "total")};
    mpu_pipeline_free(p);
    mpu_target_close(target);
    free(x.a);
    free(x.b);
    free(x.c);
    return t;
}

static double us(uint64_t ps) {
    return (double)ps / 1e6;
}

static void parts(void **state) {
    struct str out = {0};
    (void)state;
    str_append(&out, "| workload | DPUs | transfer in | kernel | transfer out | host | total us | "
                     "transfers |\n|---|---:|---:|---:|---:|---:|---:|---:|\n");
    for (int w = VA; w < DOT; w++)
        for (uint32_t d = 1; d <= 64; d *= 4) {
            const struct asked asked = {.workload = w, .dpus = d, .n = (uint64_t)d * OF_A_DPU};
            const struct times t = carry_out(&asked);
            assert_true(t.total >= t.in + t.kernel + t.out);
            str_printf(&out, "| %s | %" PRIu32 " | %.1f | %.1f | %.1f | %.1f | %.1f | %.0f %% |\n",
                       names[w], d, us(t.in), us(t.kernel), us(t.out), us(t.host), us(t.total),
                       100.0 * (double)(t.in + t.out) / (double)t.total);
        }
    page_check(PAGE, "parts", &out, PROGRAM);
    str_free(&out);
}

/* By the model of the link alone, without an execution: 1 Mi elements of 4 bytes in each DPU, of
 * which one in two is kept, give or take what makes no DPU's number another one's. */
static void copies(void **state) {
    enum { ALL = 1 << 22, MOST = 2560 };
    static struct host_slice kept[MOST], whole[MOST];
    struct str out = {0};
    mpu_error *e = NULL;
    mpu_target *target = mpu_target_open("upmem-dappa", NULL, &e);
    (void)state;
    str_append(&out, "| DPUs | serial, what was kept | parallel, all | parallel, all, and moving | "
                     "serial / parallel |\n|---:|---:|---:|---:|---:|\n");
    for (uint32_t d = 1; d <= MOST; d = d == 64 ? MOST : d * 4) {
        for (uint32_t u = 0; u < d; u++) {
            kept[u] = (struct host_slice){u, ALL / 2 - 8 * (u % 3)};
            whole[u] = (struct host_slice){u, ALL};
        }
        const struct host_transfer s = target_host_transfer(target->t, HOST_OUT, kept, d),
                                   p = target_host_transfer(target->t, HOST_OUT, whole, d);
        const double moved = (double)d * ALL / 2 / 4 * 1e3; /* ps: 1 ns an element */
        if (d > 1) {
            assert_int_equal(s.mode, HOST_SERIAL);
            assert_int_equal(p.mode, HOST_PARALLEL);
        }
        str_printf(&out, "| %" PRIu32 " | %.1f ms | %.1f ms | %.1f ms | %.2f |\n", d,
                   (double)s.time_ps / 1e9, (double)p.time_ps / 1e9,
                   ((double)p.time_ps + moved) / 1e9,
                   (double)s.time_ps / ((double)p.time_ps + moved));
    }
    page_check(PAGE, "copies", &out, PROGRAM);
    mpu_target_close(target);
    str_free(&out);
}

/* Of filter_blocks.s: cycles for each element, of which one in `apart` is kept. */
static double filter_cycles(int full, uint32_t apart) {
    enum { TASKLETS = 11, OF_A_TASKLET = 24 * 256, OUTPUT = 0x800000 };
    const char *path = MPU_SOURCE_DIR "/tests/pipeline/filter_blocks.s";
    const struct machine_define define = {"FULL", full};
    const struct machine_text_options options = {.defines = &define, .define_count = 1};
    struct diag *d = diag_new(NULL, NULL);
    struct dpu_counters counters;
    size_t size;
    char *text = file_read_text(path, FILE_MAX_SOURCE, &size);
    struct dpu_program *p = dpu_assemble_with(path, text, size, &options, d);
    if (!p)
        fail_msg("%s", diag_first(d));
    struct dpu_core *core = dpu_core_new(&DPU_TIME_MEASURED);
    dpu_core_load(core, p);
    for (uint32_t i = 0; i < TASKLETS * OF_A_TASKLET; i++) {
        const uint32_t v = 2 * i + (i % apart == 0);
        dpu_core_mram_put(core, 4 * i, &v, 4);
    }
    assert_true(dpu_core_run(core, UINT64_C(1) << 32));
    for (uint32_t t = 0; t < TASKLETS; t++)
        for (uint32_t i = t * OF_A_TASKLET, k = 0; i < (t + 1) * OF_A_TASKLET; i++) {
            uint32_t got = 0;
            if (i % apart)
                continue;
            dpu_core_mram_get(core, OUTPUT + 4 * (t * OF_A_TASKLET + k++), &got, 4);
            assert_int_equal(got, 2 * i + 1);
        }
    dpu_core_counters(core, &counters);
    dpu_core_free(core);
    dpu_program_free(p);
    diag_free(d);
    free(text);
    return (double)counters.cycles / (TASKLETS * OF_A_TASKLET);
}

static void blocks(void **state) {
    static const uint32_t aparts[] = {64, 8, 2, 1};
    struct str out = {0};
    (void)state;
    str_append(&out, "| kept | behind each block | when full, asked for each element | when full, "
                     "asked for 8 |\n|---|---:|---:|---:|\n");
    for (unsigned i = 0; i < 4; i++)
        str_printf(&out, "| 1 in %" PRIu32 " | %.2f | %.2f | %.2f |\n", aparts[i],
                   filter_cycles(0, aparts[i]), filter_cycles(1, aparts[i]),
                   filter_cycles(2, aparts[i]));
    page_check(PAGE, "blocks", &out, PROGRAM);
    str_free(&out);
}

static void host_elements(void **state) {
    struct str out = {0};
    (void)state;
    str_append(&out, "| elements of the host | of | kernel | host | total us |\n"
                     "|---:|---:|---:|---:|---:|\n");
    uint64_t first = 0, best = UINT64_MAX;
    for (unsigned k = 0; k <= 16; k = k ? 2 * k : 1) {
        const uint64_t n = 16 * OF_A_DPU;
        const struct asked asked = {
            .workload = HST, .dpus = 16, .n = n, .cpu_elements = n * k / 16};
        const struct times t = carry_out(&asked);
        first = k ? first : t.total;
        best = t.total < best ? t.total : best;
        str_printf(&out, "| %" PRIu64 " | %u/16 | %.1f | %.1f | %.1f |\n", n * k / 16, k,
                   us(t.kernel), us(t.host), us(t.total));
    }
    assert_true(best < first);
    page_check(PAGE, "host elements", &out, PROGRAM);
    str_free(&out);
}

static void fused(void **state) {
    struct str out = {0};
    (void)state;
    str_append(&out, "| dot product, 16 DPUs | transfer in | kernel | transfer out | total us |\n"
                     "|---|---:|---:|---:|---:|\n");
    uint64_t kernel[2];
    for (int apart = 0; apart < 2; apart++) {
        const struct asked asked = {
            .workload = DOT, .dpus = 16, .n = 16 * 4 * OF_A_DPU, .no_fuse = apart};
        const struct times t = carry_out(&asked);
        kernel[apart] = t.kernel;
        str_printf(&out, "| %s | %.1f | %.1f | %.1f | %.1f |\n",
                   apart ? "a launch for each stage" : "one for both", us(t.in), us(t.kernel),
                   us(t.out), us(t.total));
    }
    assert_true(kernel[0] < kernel[1]);
    page_check(PAGE, "fused", &out, PROGRAM);
    str_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts),         cmocka_unit_test(copies), cmocka_unit_test(blocks),
        cmocka_unit_test(host_elements), cmocka_unit_test(fused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
