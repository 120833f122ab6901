/* SPDX-License-Identifier: MIT
 * How far Algorithm 1 is from the best annotation that a search finds: from its locations of
 * registers on, one is changed or two are, and what takes least time is kept, until no change
 * helps.  Times are those of a replay.  docs/simt-annotation.md has the table: all of it is made
 * with MPU_WRITE_PAGE=1 (minutes), and a row of it in each run. */
#include "tests/examples/page.h"

#include "machines/core/simt/compile.h"
#include "machines/core/simt/run/core.h"
#include "machines/machine.h"
#include "ptx/entries.h"
#include "support/alloc.h"
#include "support/file.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PAGE    MPU_SOURCE_DIR "/docs/simt-annotation.md"
#define BUFFERS 4u
#define BYTES   (UINT64_C(1) << 20)
#define FIRST   UINT64_C(0x10000)
#define MOST    64u /* registers that a search changes */

/* A kernel, its launch, and what its parameters are: p a buffer, a number, f 1.5. */
struct annotated_case {
    const char *name, *path, *entry, *parameters;
    uint32_t blocks, threads, number, columns; /* n and c of parameters */
    bool pairs;                                /* two are changed as well */
};
static const struct annotated_case cases[] = {
    {"AXPY", "tests/ptx/O2/axpy.ptx", "axpy", "ppfn", 16, 256, 4096, 0, true},
    {"KNN", "tests/ptx/O2/knn.ptx", "knn", "ppnff", 16, 256, 4096, 0, true},
    {"Listing 1", "examples/cuda/listing1.ptx", "ScalarVectorMultiply", "ppfn", 16, 256, 8192, 0,
     true},
    {"saxpy", "examples/cuda/saxpy.ptx", "saxpy", "nfpp", 16, 256, 4096, 0, true},
    {"scan_add", "tests/ptx/O2/scan.ptx", "scan_add", "ppn", 16, 256, 4096, 0, true},
    {"histogram", "examples/cuda/histogram.ptx", "histogram", "ppn", 16, 256, 16384, 0, false},
    {"PR", "tests/ptx/O2/pr.ptx", "pr", "ppn", 16, 256, 8192, 0, false},
    {"PR in loops", "tests/simt/kernels/sums.ptx", "sums", "ppn", 16, 256, 65536, 0, false},
    {"GEMV", "tests/ptx/O2/gemv.ptx", "gemv", "pppc", 32, 128, 0, 512, false},
    {"HIST", "tests/ptx/O2/hist.ptx", "hist", "ppnff", 16, 256, 16384, 0, false},
};

/* ---- a kernel that is compiled and run again and again ---- */

struct annotating {
    const struct annotated_case *what;
    struct target *target;
    struct machine_library *library;
    struct diag *diag;
    struct ptx_module *module;
    uint32_t entry;
    struct state_memory memory;
    unsigned char parameters[64];
    uint32_t parameter_bytes;
    uint8_t at[1024], given[1024]; /* locations; those of Algorithm 1 */
    uint32_t registers;
    bool says;      /* `at` holds what is to be */
    uint32_t insns; /* that were compiled */
    uint64_t tsv_bytes, runs;
};

static void put_locations(void *context, const struct ptx_function *f, uint8_t *at) {
    struct annotating *a = context;
    assert_true(f->registers.len <= sizeof a->at);
    if (!a->says) {
        a->registers = (uint32_t)f->registers.len;
        memcpy(a->at, at, a->registers);
    }
    for (uint32_t i = 0; a->says && i < f->registers.len && i < a->registers; i++)
        if (at[i] != SIMT_UNKNOWN)
            at[i] = a->at[i];
}

static struct simt_program *compiled(struct annotating *a) {
    const struct simt_options options = {
        .registers = SIMT_REGISTERS, .near_shared = true, .locate = put_locations, .context = a};
    struct portable_fault fault = {.line = 0};
    const char *problem = NULL;
    struct str code = {0};
    struct simt_kernel *k = simt_compile(a->module, a->entry, &options, &fault);
    assert_non_null(k);
    simt_kernel_write(k, &code);
    simt_kernel_free(k);
    struct simt_program *p = simt_program_new(code.text, code.len, NULL, &problem);
    assert_non_null(p);
    str_free(&code);
    return p;
}

/* Cycles with the locations of a->at. */
static uint64_t cycles_of(struct annotating *a) {
    struct simt_program *p = compiled(a);
    const uint32_t count = p->kernel->insn_count;
    struct simt_place_time *places = xcalloc((size_t)count + 1, sizeof *places);
    struct simt_launch_time time = {.places = places};
    const struct dp_launch launch = {.parameters = a->parameters,
                                     .parameter_bytes = a->parameter_bytes,
                                     .grid = {a->what->blocks},
                                     .block = {a->what->threads}};
    struct simt_run run = {.program = p,
                           .launch = &launch,
                           .target = a->target,
                           .memory = &a->memory,
                           .diag = a->diag,
                           .timed = &time};
    assert_true(simt_launch(&run));
    a->insns = count;
    a->tsv_bytes = time.up_bytes + time.down_bytes;
    a->runs++;
    free(places);
    simt_program_free(p);
    return time.cycles;
}

static void put_parameter(struct annotating *a, const void *bytes, uint32_t size) {
    const uint32_t at = (a->parameter_bytes + size - 1) / size * size;
    memcpy(a->parameters + at, bytes, size);
    a->parameter_bytes = at + size;
}

static void begin(struct annotating *a, const struct annotated_case *what) {
    char path[512];
    size_t size;
    struct portable_fault fault = {.line = 0};
    const struct target_override one = {"simt.cores", "one"};
    uint64_t buffer = FIRST;
    float number = 1.5f;
    *a = (struct annotating){.what = what, .diag = diag_new(NULL, NULL)};
    assert_int_equal(machine_open_target("simt", &one, 1, a->diag, &a->target, &a->library),
                     TARGET_FINE);
    snprintf(path, sizeof path, MPU_SOURCE_DIR "/%s", what->path);
    char *text = file_read(path, &size);
    assert_non_null(text);
    a->module = ptx_read(text, size, &fault);
    assert_non_null(a->module);
    free(text);
    a->entry = ptx_entry_find(a->module, what->entry, &fault);
    assert_int_not_equal(a->entry, PTX_NONE);
    for (const char *p = what->parameters; *p; p++) {
        if (*p == 'p') {
            vec_push(&a->memory.arrays, ((struct state_array){.address = buffer,
                                                              .size = BYTES,
                                                              .slices = 1,
                                                              .stride = UINT64_C(1) << 40,
                                                              .bytes = xcalloc(BYTES + 8, 1)}));
            put_parameter(a, &buffer, 8);
            buffer += 2 * BYTES;
        } else if (*p == 'f') {
            put_parameter(a, &number, 4);
            number *= 2;
        } else {
            put_parameter(a, *p == 'n' ? &what->number : &what->columns, 4);
        }
    }
}

static void end(struct annotating *a) {
    for (size_t i = 0; i < a->memory.arrays.len; i++)
        free(a->memory.arrays.data[i].bytes);
    vec_free(&a->memory.arrays);
    ptx_free(a->module);
    machine_library_close(a->library);
    target_free(a->target);
    diag_free(a->diag);
}

/* ---- the search ---- */

struct change {
    uint32_t number[2];
    uint8_t to[2];
    uint32_t count;
};

static uint64_t with(struct annotating *a, const struct change *c) {
    uint8_t kept[2];
    for (uint32_t i = 0; i < c->count; i++) {
        kept[i] = a->at[c->number[i]];
        a->at[c->number[i]] = c->to[i];
    }
    const uint64_t cycles = cycles_of(a);
    for (uint32_t i = c->count; i-- > 0;)
        a->at[c->number[i]] = kept[i];
    return cycles;
}

static void try(struct annotating *a, const struct change *c, uint64_t *least,
                struct change *best) {
    const uint64_t cycles = with(a, c);
    if (cycles < *least) {
        *least = cycles;
        *best = *c;
    }
}

/* The other two locations of each of `count` registers; of two at a time with `pairs`. */
static bool improve(struct annotating *a, const uint32_t *list, uint32_t count, bool pairs,
                    uint64_t *least) {
    struct change best = {.count = 0};
    for (uint32_t i = 0; i < count; i++)
        for (uint8_t to = SIMT_NEAR; to <= SIMT_BOTH; to++) {
            struct change c = {{list[i], 0}, {to, 0}, 1};
            if (to == a->at[list[i]])
                continue;
            if (!pairs)
                try(a, &c, least, &best);
            c.count = 2;
            for (uint32_t k = i + 1; pairs && k < count; k++)
                for (uint8_t other = SIMT_NEAR; other <= SIMT_BOTH; other++) {
                    c.number[1] = list[k];
                    c.to[1] = other;
                    if (other != a->at[list[k]])
                        try(a, &c, least, &best);
                }
        }
    for (uint32_t i = 0; i < best.count; i++)
        a->at[best.number[i]] = best.to[i];
    return best.count != 0;
}

static const char *const sides[] = {"?", "near", "far", "both"};

static void put_row(struct annotating *a, struct str *out, uint64_t first, uint64_t first_bytes,
                    uint64_t least, uint32_t changed) {
    uint32_t moved = 0;
    str_printf(out, "| %s | %" PRIu32 " | %" PRIu32 " | %" PRIu64 " | %" PRIu64 " | %.3f | %.2f | ",
               a->what->name, a->insns, changed, first, least, (double)first / (double)least,
               (double)first_bytes / (double)a->tsv_bytes);
    for (uint32_t i = 0; i < a->registers; i++) {
        if (a->at[i] == a->given[i])
            continue;
        str_printf(out, "%s%s to %s", moved++ ? ", " : "", sides[a->given[i]], sides[a->at[i]]);
    }
    str_printf(out, "%s | %s |\n", moved ? "" : "-", a->what->pairs ? "two" : "one");
}

/* Appends the case's row; how far Algorithm 1 is from what is found, thousandths. */
static uint64_t search(const struct annotated_case *what, struct str *out) {
    struct annotating a;
    uint32_t list[MOST], count = 0;
    begin(&a, what);
    const uint64_t first = cycles_of(&a), first_bytes = a.tsv_bytes;
    uint64_t least = first;
    a.says = true;
    memcpy(a.given, a.at, sizeof a.at);
    for (uint32_t i = 0; i < a.registers && count < MOST; i++)
        if (a.at[i] != SIMT_UNKNOWN)
            list[count++] = i;
    while (improve(&a, list, count, false, &least) ||
           (what->pairs && improve(&a, list, count, true, &least)))
        ;
    assert_int_equal(cycles_of(&a), least);
    assert_true(!what->pairs || a.insns <= 30);
    put_row(&a, out, first, first_bytes, least, count);
    fprintf(stderr, "%s: %" PRIu64 " runs\n", what->name, a.runs);
    end(&a);
    return first * 1000 / least;
}

#define HEAD                                                                                         \
    "| kernel | instructions | registers | Algorithm 1, cycles | found, cycles | time | TSV bytes |" \
    " registers that moved | changed at once |\n|---|---|---|---|---|---|---|---|---|\n"

static void whole_table(void **state) {
    (void)state;
    struct str table = {0};
    if (!getenv("MPU_WRITE_PAGE"))
        return;
    str_append(&table, HEAD);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        search(&cases[i], &table);
    page_check(PAGE, "annotations", &table, "test_simt_annotation");
    str_free(&table);
}

/* Of one kernel with pairs, and of one without: the page has these rows, and Algorithm 1 is within
 * what it says of the best. */
static void some_rows(void **state) {
    (void)state;
    struct str rows = {0};
    assert_in_range(search(&cases[0], &rows), 1000, 1200);
    assert_in_range(search(&cases[8], &rows), 1000, 3000);
    page_check_rows(PAGE, "annotations", &rows);
    str_free(&rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_table),
        cmocka_unit_test(some_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
