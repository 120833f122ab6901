/* SPDX-License-Identifier: MIT
 * Pipelines in ezpim, as mpu-run has them: DaPPA's six workloads from one file each on DPUs, planes
 * and golden; random chains of patterns against loops of C; the plan of a pipeline from ezpim is
 * that of the same one from C; what is refused, when it is compiled and when it is run; damaged
 * files. */
#include "runtime/include/mpu/pipeline.h"
#include "support/bits.h"
#include "support/file.h"
#include "support/str.h"
#include "tests/draws.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MOST 1400

/* ---- machines ---- */

static struct way {
    const char *name, *target, *set[2];
    unsigned units;
    mpu_target *open;
} ways[] = {{"1 DPU", "upmem", {"dpu.run_tasklets=1"}, 1, NULL},
            {"racer", "racer", {NULL}, 1, NULL},
            {"3 DPUs", "upmem", {"dpu.run_tasklets=11"}, 3, NULL},
            {"64 DPUs", "upmem", {"dpu.run_tasklets=16"}, 64, NULL},
            {"upmem-dappa", "upmem-dappa", {"dpu.run_tasklets=24"}, 3, NULL},
            {"mimdram", "mimdram", {NULL}, 1, NULL},
            {"golden", "golden", {NULL}, 1, NULL},
            {"simdram", "simdram", {NULL}, 1, NULL},
            {"ambit", "ambit", {NULL}, 1, NULL},
            {"duality-cache", "duality-cache", {NULL}, 1, NULL},
            {"pypim", "pypim", {NULL}, 1, NULL},
            {"pluto-bsa", "pluto-bsa", {NULL}, 1, NULL}};
enum { WAYS = sizeof ways / sizeof *ways, QUICK = 7 };
static const struct way *way; /* at work */

static int open_ways(void **state) {
    (void)state;
    for (size_t i = 0; i < WAYS; i++) {
        ways[i].open = mpu_target_open(ways[i].target, ways[i].set, NULL);
        assert_non_null(ways[i].open);
    }
    return 0;
}

static int close_ways(void **state) {
    (void)state;
    for (size_t i = 0; i < WAYS; i++)
        mpu_target_close(ways[i].open);
    return 0;
}

/* ---- a program ---- */

static mpu_program *program;
static mpu_session *session;

static mpu_program *build(const char *text, mpu_error **e) {
    mpu_source *source = mpu_source_new(NULL);
    mpu_source_add_text(source, "p.ez", text, strlen(text));
    mpu_program *p = mpu_source_build(source, e);
    mpu_source_free(source);
    return p;
}

static void begin(const char *text) {
    mpu_error *e = NULL;
    program = build(text, &e);
    if (!program)
        fail_msg("%s\n%s", mpu_error_text(e), text);
    session = mpu_session_new(program, way->open, NULL, &e);
    if (!session)
        fail_msg("%s", mpu_error_text(e));
}

static void end(void) {
    mpu_session_free(session);
    mpu_program_free(program);
}

static void run(const char *text) {
    mpu_error *e = NULL;
    if (mpu_session_run(session, &e) != MPU_OK)
        fail_msg("%s: %s\n%s", way->name, mpu_error_text(e), text);
}

static void put(const char *name, const int64_t *values, uint64_t count, unsigned bytes) {
    static int32_t narrow[MOST];
    mpu_error *e = NULL;
    for (uint64_t i = 0; i < count && bytes == 4; i++)
        narrow[i] = (int32_t)values[i];
    /* Shapes as their declarations have them: one number, and rows of four. */
    const bool one = strcmp(name, "sum") == 0, rows = strcmp(name, "m") == 0;
    mpu_array a = {bytes == 4 ? MPU_I32 : MPU_I64, one ? 0 : 1u + rows, {count}, narrow};
    if (rows)
        a.shape[0] = count / 4, a.shape[1] = 4;
    if (bytes == 8)
        memcpy(&a.data, &values, sizeof values);
    if (mpu_session_put(session, name, &a, &e) != MPU_OK)
        fail_msg("%s: %s", name, mpu_error_text(e));
}

static int64_t element(const mpu_array *a, uint64_t i) {
    switch (a->type) {
    case MPU_I64:
        return ((const int64_t *)a->data)[i];
    case MPU_U32:
        return ((const uint32_t *)a->data)[i];
    default:
        return ((const int32_t *)a->data)[i];
    }
}

static void check(const char *text, const char *name, const int64_t *want, uint64_t count) {
    mpu_array a;
    mpu_error *e = NULL;
    if (mpu_session_get(session, name, &a, &e) != MPU_OK)
        fail_msg("%s: %s", name, mpu_error_text(e));
    for (uint64_t i = 0; i < count; i++)
        if (element(&a, i) != want[i])
            fail_msg("%s: %s[%" PRIu64 "] is %" PRIi64 ", not %" PRIi64 "\n%s", way->name, name, i,
                     element(&a, i), want[i], text);
    mpu_array_free(&a);
}

/* ---- the six workloads ---- */

static int64_t a[MOST], b[MOST], want[MOST];
static uint64_t n;

/* PrIM's `rand() % 50`, but the same on every host. */
static void numbers(int64_t *to, uint64_t count, uint32_t seed) {
    for (uint64_t i = 0; i < count; i++)
        to[i] = ((seed = seed * 1103515245u + 12345u) >> 16) % 50;
}

static void va(const char *text, unsigned bytes) {
    put("a", a, n, bytes);
    put("b", b, n, bytes);
    for (uint64_t i = 0; i < n; i++)
        want[i] = a[i] + b[i];
    run(text);
    check(text, "c", want, n);
}

static void filtered(const char *text, uint64_t kept) {
    const int64_t count = (int64_t)kept;
    for (uint64_t i = kept; i < n; i++)
        want[i] = 0;
    run(text);
    check(text, "y", want, n);
    check(text, "kept", &count, 1);
}

static void sel(const char *text, unsigned bytes) {
    uint64_t kept = 0;
    put("x", a, n, bytes);
    for (uint64_t i = 0; i < n; i++)
        if (a[i] % 2)
            want[kept++] = a[i];
    filtered(text, kept);
}

static void uni(const char *text, unsigned bytes) {
    const int64_t behind = -1;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < n; i++)
        b[i] = a[i] % 3;
    put("x", b, n, bytes);
    put("behind", &behind, 1, bytes);
    for (uint64_t i = 0; i < n; i++)
        if (i + 1 == n || b[i] != b[i + 1])
            want[kept++] = b[i];
    filtered(text, kept);
}

static void red(const char *text, unsigned bytes) {
    const int64_t seven = 7;
    put("x", a, n, bytes);
    put("sum", &seven, 1, bytes);
    want[0] = 7;
    for (uint64_t i = 0; i < n; i++)
        want[0] += a[i];
    run(text);
    check(text, "sum", want, 1);
}

static void gemv(const char *text, unsigned bytes) {
    put("m", a, 4 * n, bytes);
    put("v", b, 4, bytes);
    memset(want, 0, sizeof want);
    for (uint64_t i = 0; i < 4 * n; i++)
        want[i / 4] += a[i] * b[i % 4];
    run(text);
    check(text, "y", want, n);
}

static void hst(const char *text, unsigned bytes) {
    memset(want, 0, sizeof want);
    for (uint64_t i = 0; i < n; i++)
        want[(b[i] = a[i] * 81) * 256 >> 12]++;
    put("x", b, n, bytes);
    run(text);
    check(text, "often", want, 256);
}

/* The example, of that type, on so many units. */
static void text_of(const char *name, unsigned bytes, struct str *out) {
    size_t size;
    struct str path = {0};
    str_printf(&path, MPU_SOURCE_DIR "/examples/dappa/%s.ez", name);
    char *text = file_read(str_text(&path), &size);
    assert_non_null(text);
    str_clear(out);
    for (char *at = text; *at; at++) {
        if (strncmp(at, "i32", 3) == 0 && at[-1] == ' ' && bytes == 8) {
            str_append(out, "i64");
            at += 2;
        } else if (strncmp(at, "length n;", 9) == 0) {
            str_printf(out, "length n; units %u;", way->units);
            at += 8;
        } else {
            str_char(out, *at);
        }
    }
    free(text);
    str_free(&path);
}

static void workload(const char *name, void (*one)(const char *, unsigned), unsigned bytes) {
    struct str text = {0};
    bool matrix = strcmp(name, "gemv") == 0;
    /* A lane has no room for a row of 64 bits, the vector and the products. */
    if (matrix && bytes == 8 && strcmp(way->target, "pypim") == 0)
        return;
    text_of(name, bytes, &text);
    begin(str_text(&text));
    assert_int_equal(mpu_session_bind_size(session, matrix ? "rows" : "n", n, NULL), MPU_OK);
    one(str_text(&text), bytes);
    end();
    str_free(&text);
}

static void test_workloads(void **state) {
    static const struct {
        const char *name;
        void (*one)(const char *, unsigned);
    } all[] = {{"va", va}, {"sel", sel}, {"uni", uni}, {"red", red}, {"gemv", gemv}, {"hst", hst}};
    (void)state;
    numbers(a, MOST, 1);
    for (size_t w = 0; w < WAYS; w++)
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            for (unsigned bytes = 4; bytes <= 8; bytes += 4)
                for (n = w < 3 ? 1 : 331; n < 332; n += 330) {
                    way = &ways[w];
                    numbers(b, MOST, 2);
                    workload(all[i].name, all[i].one, bytes);
                }
}

/* ---- random chains ---- */

struct chain {
    uint64_t seed, divide, beyond; /* elements of x for one; of a tail */
    struct str arrays, stages, tails;
    int32_t *now;
    uint64_t count;
    unsigned number;
    bool kept, full, ends;
};

static unsigned draw(struct chain *c, unsigned below) {
    return (unsigned)(splitmix64(&c->seed) % below);
}

/* x[0] * k + m, and of windows and groups also the last that is seen. */
static int32_t value_of(const int32_t *seen, unsigned width, int32_t k, int32_t m) {
    uint32_t v = (uint32_t)seen[0] * (uint32_t)k + (uint32_t)m;
    return (int32_t)(width > 1 ? v + (uint32_t)seen[width - 1] : v);
}

static bool keeps(const int32_t *seen, unsigned width, unsigned m) {
    return ((uint32_t)seen[0] + (uint32_t)seen[width - 1]) % m != 0;
}

/* What comes in, the elements of its tail behind it. */
static void seen_of(const struct chain *c, uint64_t from, unsigned width, int32_t tail,
                    int32_t *out) {
    for (uint64_t i = 0; i < width; i++)
        out[i] = from + i < c->count ? c->now[from + i] : tail;
}

static void put_head(struct chain *c, unsigned window, unsigned group, bool filter, int32_t tail) {
    char from[16], to[16];
    snprintf(from, sizeof from, c->number ? "t%u" : "x", c->number);
    snprintf(to, sizeof to, c->ends ? "y" : "t%u", c->number + 1);
    if (!window && !group)
        str_append(&c->stages, filter ? "" : "    map ");
    if (window)
        str_printf(&c->stages, "    window %u ", window + !group);
    if (group)
        str_printf(&c->stages, "%sgroup %u ", window ? "" : "    ", group);
    if (filter)
        str_printf(&c->stages, "%sfilter ", window || group ? "" : "    ");
    str_printf(&c->stages, filter ? "(in %s" : "(out %s as out_, in %s", filter ? from : to, from);
    if (tail) {
        str_printf(&c->stages, " tail z%u", c->number);
        str_printf(&c->tails, "const int32_t z%u = %d;", c->number, (int)tail);
    }
    str_printf(&c->stages, filter ? " as v, out %s from v%s)" : " as v)", to,
               c->ends ? ", count kept" : "");
}

static void add_stage(struct chain *c) {
    const unsigned of = draw(c, 8);
    bool filter = of >= 5 || (c->kept && !c->full);
    unsigned window = of % 2 && !(c->kept && !c->full) ? 1 + draw(c, 3) : 0;
    unsigned group = of % 3 == 0 && !c->kept && c->count % 3 == 0 && c->count > 3 ? 3 : 0;
    if (window > c->count)
        window = 0;
    const unsigned width = (group ? group : 1) + window, step = group ? group : 1;
    const int32_t k = (int32_t)draw(c, 7) - 3, m = (int32_t)draw(c, 100) - 50;
    const unsigned modulus = 2 + draw(c, 3);
    int32_t *out = calloc(MOST, sizeof *out), seen[8];
    uint64_t count = 0;
    put_head(c, window, group, filter, 0);
    for (uint64_t i = 0; i + step <= c->count; i += step) {
        seen_of(c, i, width, 0, seen);
        if (!filter)
            out[count++] = value_of(seen, width, k, m);
        else if (keeps(seen, width, modulus))
            for (unsigned j = 0; j < step; j++)
                out[count++] = seen[j];
    }
    if (filter)
        str_printf(&c->stages, " { return ((uint32_t)v[0] + (uint32_t)v[%u]) %% %u != 0; }\n",
                   width - 1, modulus);
    else if (width > 1)
        str_printf(&c->stages, " { *out_ = v[0] * %d + %d + v[%u]; }\n", (int)k, (int)m, width - 1);
    else
        str_printf(&c->stages, " { *out_ = *v * %d + %d; }\n", (int)k, (int)m);
    c->kept |= filter;
    c->divide *= !filter && group ? group : 1;
    if (!c->ends)
        str_printf(&c->arrays, "    array t%u: i32;\n", c->number + 1);
    c->number++;
    free(c->now);
    c->now = out;
    c->count = count;
}

static void write_chain(struct chain *c, unsigned stages, struct str *text) {
    static const char *const options[] = {"", "no_fuse;", "cpu_elements 7;", "mram_bytes 800;"};
    const char *option = options[draw(c, 4)];
    uint64_t groups = n;
    for (unsigned i = 0; i < stages; i++) {
        c->ends = i + 1 == stages;
        add_stage(c);
    }
    bool count = strstr(str_text(&c->stages), "count kept") != NULL;
    groups /= c->divide;
    str_printf(text,
               "size n = 1;\nbuffer in x: i32[n];\nbuffer out y: i32[%" PRIu64 "];\n%s"
               "buffer out sum: i32[3];\n\npipeline p {\n    length n; units %u; %s%s\n%s%s",
               groups, count ? "buffer out kept: u32;\n" : "", way->units, option,
               c->full ? " full;" : "", str_text(&c->arrays), str_text(&c->stages));
    str_printf(text,
               "    reduce (acc sum[3] = 5, in %s as v) { sum[(uint32_t)*v %% 3] += *v; }\n}\n",
               stages > 1 ? "t1" : "x");
}

static void random_chain(uint64_t seed) {
    struct chain c = {.seed = seed, .divide = 1};
    struct str text = {0};
    static const uint64_t counts[] = {1, 2, 3, 9, 63, 198, 330, 331};
    int64_t sums[3] = {5, 5, 5}, kept;
    mpu_error *e = NULL;
    way = &ways[draw(&c, QUICK)];
    n = counts[draw(&c, 8)];
    c.full = draw(&c, 3) == 0;
    c.count = n;
    c.now = calloc(MOST, sizeof *c.now);
    for (uint64_t i = 0; i < n; i++)
        a[i] = c.now[i] = (int32_t)draw(&c, 300) - 150;
    const unsigned stages = 1 + draw(&c, 4);
    /* What the reduce of the end reads is x, or what the first stage makes. */
    struct chain first = c;
    first.now = malloc(MOST * sizeof *c.now);
    memcpy(first.now, c.now, MOST * sizeof *c.now);
    (void)draw(&first, 4);
    if (stages > 1)
        add_stage(&first);
    for (uint64_t i = 0; i < first.count; i++)
        sums[(uint32_t)first.now[i] % 3] += first.now[i];
    write_chain(&c, stages, &text);
    begin(str_text(&text));
    assert_int_equal(mpu_session_bind_size(session, "n", n, NULL), MPU_OK);
    put("x", a, n, 4);
    if (mpu_session_run(session, &e) != MPU_OK)
        fail_msg("seed %" PRIu64 ", %s, n %" PRIu64 ": %s\n%s", seed, way->name, n,
                 mpu_error_text(e), str_text(&text));
    for (uint64_t i = 0; i < c.count; i++)
        want[i] = c.now[i];
    check(str_text(&text), "y", want, c.count);
    check(str_text(&text), "sum", sums, 3);
    kept = (int64_t)c.count;
    if (strstr(str_text(&text), "count kept") && !strstr(str_text(&text), "group 3 filter"))
        check(str_text(&text), "kept", &kept, 1);
    end();
    free(c.now);
    free(first.now);
    struct str *all[] = {&c.arrays,     &c.stages,    &c.tails, &first.arrays,
                         &first.stages, &first.tails, &text};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        str_free(all[i]);
}

static void test_random(void **state) {
    (void)state;
    for (unsigned i = 0; i < draws(DRAWS_PIPELINE_CHAINS); i++)
        random_chain(i + 1);
}

/* ---- the plan ---- */

static void test_plan(void **state) {
    static uint32_t left[1000], right[1000], product, sum;
    struct str text = {0};
    (void)state;
    way = &ways[2];
    text_of("dot", 4, &text);
    begin(str_text(&text));
    const mpu_pipeline_options o = {.size = sizeof o, .dpus = 3};
    mpu_pipeline *p = mpu_pipeline_new(way->open, 1000, &o, NULL);
    const mpu_stage stages[] = {
        {.pattern = MPU_PATTERN_MAP,
         .function = "(uint32_t *c, uint32_t *a, uint32_t *b) { *c = *a * *b; }",
         .arguments = (mpu_stage_argument[]){{MPU_ROLE_OUTPUT, MPU_U32, &product, 0, NULL, 0},
                                             {MPU_ROLE_INPUT, MPU_U32, left, 0, NULL, 0},
                                             {MPU_ROLE_INPUT, MPU_U32, right, 0, NULL, 0}},
         .count = 3,
         .file = "p.ez",
         .line = 10},
        {.pattern = MPU_PATTERN_REDUCE,
         .function = "(uint32_t *sum, uint32_t *c) { *sum += *c; }",
         .arguments = (mpu_stage_argument[]){{MPU_ROLE_REDUCE_OUT, MPU_U32, &sum, 1, NULL, 0},
                                             {MPU_ROLE_INPUT, MPU_U32, &product, 0, NULL, 0}},
         .count = 2,
         .file = "p.ez",
         .line = 11}};
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(mpu_pipeline_stage(p, &stages[i], NULL), MPU_OK);
    assert_int_equal(mpu_pipeline_fetch(p, &sum, NULL), MPU_OK);
    char *c = mpu_pipeline_plan(p, NULL);
    char *ez = mpu_pipeline_plan(mpu_session_pipeline(session, NULL), NULL);
    assert_string_equal(c, ez);
    assert_non_null(strstr(ez, "CPU elements"));
    mpu_string_free(c);
    mpu_string_free(ez);
    mpu_pipeline_free(p);
    end();
    str_free(&text);
}

/* ---- what is refused when it is run ---- */

#define HEAD "size n = 10;\nbuffer in x: i32[n];\nbuffer out y: i32[n];\n"
static const struct refusal {
    const char *text, *says;
} refusals[] = {
    {HEAD "pipeline p {\n length 9;\n map (out y, in x) { *y = *x; }\n}\n",
     "p.ez:6:2: error: pipeline 'p': stage 1 (p.ez:6): `x` has 10 elements, and the pipeline 9"},
    {"size n = 10;\nbuffer in x: i32[n];\nbuffer out y: i32[n];\npipeline p {\n length n;\n"
     " group 3 (out y, in x) { *y = x[0]; }\n}\n",
     "p.ez:6:2: error: pipeline 'p': stage 1 (p.ez:6): groups of 3 do not divide 10 elements"},
    {HEAD "buffer in z: i32[3];\npipeline p {\n length n;\n window 2 (out y, in x tail z) "
          "{ *y = x[1]; }\n}\n",
     "`x` has 3 elements for an overlap of 1"},
    {HEAD "pipeline p {\n length n;\n window 12 (out y, in x) { *y = x[1]; }\n}\n",
     "an overlap of 11 is too long for 10 elements"},
    {HEAD "buffer in v: i32[70000];\npipeline p {\n length n;\n map (out y, in x, whole v) "
          "{ *y = v[0]; }\n}\n",
     "`v` has 70000 elements that all DPUs need, which have room for 65536"},
    {HEAD "buffer in v: i32[7];\npipeline p {\n length n;\n map (out y, in x, whole v[9]) "
          "{ *y = v[0]; }\n}\n",
     "p.ez:7:28: error: pipeline 'p': `v` has 7 elements, and the stage works on 9"},
    {"size n = 10;\nbuffer in x: i32[n];\nbuffer out y: i32[4];\npipeline p {\n length n;\n"
     " map (out y, in x) { *y = *x; }\n}\n",
     "has room for 4: make it larger"},
    {HEAD "buffer out kept: u3;\npipeline p {\n length n;\n filter (in x, out y from x, count "
          "kept) { return (*x | 1) != 0; }\n}\n",
     "the count of a filter is 10, which does not fit the type of `kept`"},
    {HEAD "pipeline p {\n length n;\n const i32 k /* ; */ = 1 // one;\n ;\n map (out y, in x) {\n"
          "  i32 t[2];\n  t[*x + 70] = k;\n  *y = t[0];\n }\n}\n",
     "p.ez:10:1: error: pipeline 'p': "},
};

static void test_refusals(void **state) {
    (void)state;
    way = &ways[2];
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        mpu_error *e = NULL;
        begin(refusals[i].text);
        put("x", a, 10, 4);
        if (strstr(refusals[i].text, "buffer in z"))
            put("z", a, 3, 4);
        for (uint64_t m = 7; m <= 70000; m = m == 7 ? 70000 : 70001)
            if (strstr(refusals[i].text, m == 7 ? "v: i32[7]" : "v: i32[70000]"))
                assert_int_equal(mpu_session_put_data(session, "v", "zeros", NULL, NULL), MPU_OK);
        assert_int_not_equal(mpu_session_run(session, &e), MPU_OK);
        if (!strstr(mpu_error_text(e), refusals[i].says))
            fail_msg("'%s' has no '%s'", mpu_error_text(e), refusals[i].says);
        mpu_error_free(e);
        end();
    }
}

/* What an accumulator begins with is looked at when the program is built. */
static void test_init(void **state) {
    (void)state;
    mpu_error *e = NULL;
    assert_null(build(HEAD "buffer out s: i32;\npipeline p {\n length n;\n"
                           " map (out y, in x) { *y = *x; }\n"
                           " reduce (in x, acc s = z) { *s += *x; }\n}\n",
                      &e));
    assert_non_null(strstr(mpu_error_text(e), "p.ez:8:24: error: pipeline `p`: `s` begins with a "
                                              "constant of its type, and `z` is none"));
    mpu_error_free(e);
}

/* ---- hostile ---- */

/* Whether the input has so many elements that the test would take minutes. */
static bool is_huge(mpu_session *s, const char *name) {
    mpu_array like = {.ndim = 0};
    uint64_t all = 1;
    if (mpu_session_shape(s, name, &like, NULL) != MPU_OK)
        return false;
    for (uint32_t i = 0; i < like.ndim; i++)
        all = like.shape[i] > 1u << 20 ? UINT32_MAX : all * like.shape[i];
    return all > 1u << 20;
}

/* Whatever the text of the pipeline is, there is a result or an error.  What is around it, sizes
 * and buffers, is whole: damage there is that of any program (tests/object). */
static void try_program(mpu_program *p) {
    if (!p)
        return;
    mpu_session *s = mpu_session_new(p, way->open, NULL, NULL);
    if (s) {
        bool huge = false;
        for (size_t i = 0; i < 4 && !huge; i++) {
            const char *name = (const char *[]){"x", "a", "b", "behind"}[i];
            huge = is_huge(s, name);
            if (!huge)
                mpu_session_put_data(s, name, "iota", NULL, NULL);
        }
        if (!huge)
            mpu_session_run(s, NULL);
        mpu_session_bind_size(s, "n", 20, NULL);
        for (size_t i = 0; i < 4; i++)
            mpu_session_put_data(s, (const char *[]){"x", "a", "b", "behind"}[i], "iota", NULL,
                                 NULL);
        mpu_session_run(s, NULL);
    }
    mpu_session_free(s);
    mpu_program_free(p);
}

static void damaged_text(const char *name, uint64_t *seed) {
    struct str text = {0};
    text_of(name, 4, &text);
    char *whole = strdup(str_text(&text)), *copy = strstr(whole, "pipeline ");
    size_t size = strlen(copy);
    for (unsigned k = 0; k < 1 + splitmix64(seed) % 3; k++) {
        size_t at = splitmix64(seed) % size, from = splitmix64(seed) % size;
        size_t most = size - (at > from ? at : from);
        memmove(copy + at, copy + from, splitmix64(seed) % (most < 12 ? most + 1 : 12));
    }
    try_program(build(whole, NULL));
    free(whole);
    str_free(&text);
}

static void damaged_bytes(const char *bytes, size_t size, uint64_t *seed) {
    char *copy = malloc(size);
    size_t at = 0;
    while (at + 9 < size && memcmp(bytes + at, "length n;", 9) != 0)
        at++;
    assert_true(at + 100 < size);
    memcpy(copy, bytes, size);
    for (unsigned k = 0; k < 1 + splitmix64(seed) % 4; k++)
        copy[at + splitmix64(seed) % 90] = (char)splitmix64(seed);
    try_program(mpu_program_load(copy, size, NULL));
    free(copy);
}

static void test_damaged(void **state) {
    static const char *const names[] = {"dot", "va", "sel", "uni", "red", "hst"};
    uint64_t seed = 1;
    size_t size;
    (void)state;
    way = &ways[6];
    char *bytes = file_read(MPU_PIPELINE_PROGRAM, &size);
    assert_non_null(bytes);
    for (unsigned i = 0; i < draws(DRAWS_PIPELINE_DAMAGED); i++) {
        damaged_text(names[i % 6], &seed);
        damaged_bytes(bytes, size, &seed);
    }
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workloads), cmocka_unit_test(test_random),
        cmocka_unit_test(test_plan),      cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_init),      cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, open_ways, close_ways);
}
