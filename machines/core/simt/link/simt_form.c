/* SPDX-License-Identifier: MIT
 * Kernels of form `ptx` on near-bank SIMT cores: code of the entry that is named. */
#include "machines/core/simt/compile.h"
#include "machines/core/simt/link/simt_link.h"
#include "machines/golden/link/ptx_kernels.h"
#include "ptx/entries.h"

#include <inttypes.h>
#include <stdlib.h>

static bool refuse(struct machine_kernel_fault *fault, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool refuse(struct machine_kernel_fault *fault, const char *format, ...) {
    va_list args;
    va_start(args, format);
    str_vprintf(&fault->what, format, args);
    va_end(args);
    return false;
}

static bool fits(const struct simt_kernel *k, const struct simt_keys *keys,
                 struct machine_kernel_fault *fault) {
    if (4 * (uint64_t)k->word_count > keys->icache_bytes)
        return refuse(fault, "it has %" PRIu32 " bytes of code, and a core room for %" PRIu32,
                      4 * k->word_count, keys->icache_bytes);
    if (k->shared_bytes > keys->shared_bytes)
        return refuse(fault, "a block has %" PRIu32 " bytes of shared memory, and a core %" PRIu32,
                      k->shared_bytes, keys->shared_bytes);
    if (!simt_resident_warps(keys, k->near, k->both, k->far))
        return refuse(fault,
                      "a warp has %" PRIu32 " registers near the banks and %" PRIu32
                      " far from them, which are more than there are",
                      k->near + k->both, k->far + k->both);
    for (unsigned i = 0; i < 3; i++)
        if (k->needed_threads[i] > keys->block_threads)
            return refuse(fault, ".reqntid says %" PRIu32 " threads of a block, which has %" PRIu32,
                          k->needed_threads[i], keys->block_threads);
    return true;
}

/* Lines of the text by words of code, as program counters count. */
static void put_lines(const struct simt_kernel *k, struct machine_kernel *out) {
    out->lines = calloc(k->word_count + 1u, sizeof *out->lines);
    out->line_count = out->lines ? k->word_count : 0;
    for (uint32_t i = 0; i < k->insn_count && out->lines; i++)
        for (uint32_t w = 0; w < k->insns[i].words; w++)
            out->lines[k->places[i] + w] = k->lines[i].line;
}

static bool compile(const struct machine_library *library, const struct machine_launches *program,
                    const struct kernel_decl *kernel, struct machine_kernel *out,
                    struct machine_kernel_fault *fault) {
    const struct simt_keys *keys = simt_keys(library->target);
    /* The code is the same wherever shared memory lies: what is loaded is near the banks, and comes
     * down for shared memory that is far. */
    const struct simt_options options = {.registers = keys->registers,
                                         .near_shared = keys->time.near_units};
    struct portable_fault wrong = {.line = 0};
    struct simt_kernel *k = NULL;
    struct ptx_module *m = ptx_read(kernel->bytes, kernel->size, &wrong);
    uint32_t entry =
        m ? ptx_entry_find(m, kernel->entry ? kernel->entry : kernel->name, &wrong) : PTX_NONE;
    (void)program;
    if (entry != PTX_NONE)
        k = simt_compile(m, entry, &options, &wrong);
    golden_ptx_fault(&wrong, fault);
    bool fine = k && fits(k, keys, fault);
    if (k && !fine)
        fault->line = m->functions.data[entry].line;
    if (fine) {
        simt_kernel_write(k, &out->code);
        put_lines(k, out);
    }
    simt_kernel_free(k);
    ptx_free(m);
    return fine;
}

static void print(const struct machine_library *library, const void *code, size_t size,
                  const struct machine_lines *lines, struct str *out) {
    const char *problem = NULL;
    struct simt_kernel *k = simt_kernel_read(code, size, &problem);
    (void)library;
    if (k)
        simt_list(k, &(struct simt_names){lines->file, lines->first_line}, out);
    simt_kernel_free(k);
}

/* What .loc says. */
static void sources(const void *code, size_t size, struct machine_sources *out) {
    const char *problem = NULL;
    struct simt_kernel *k = simt_kernel_read(code, size, &problem);
    if (!k)
        return;
    const char **files = ARENA_ARRAY(&out->arena, k->file_count + 1u, const char *);
    struct machine_source *places =
        ARENA_ARRAY(&out->arena, k->word_count + 1u, struct machine_source);
    for (uint32_t i = 0; i < k->file_count; i++)
        files[i] = arena_strdup(&out->arena, k->files[i]);
    for (uint32_t i = 0; i < k->insn_count; i++)
        for (uint32_t w = 0; w < k->insns[i].words && k->lines[i].file < k->file_count; w++)
            places[k->places[i] + w] =
                (struct machine_source){files[k->lines[i].file], k->lines[i].source_line};
    out->places = places;
    out->count = k->word_count;
    simt_kernel_free(k);
}

const struct machine_form simt_ptx_form = {
    .name = "ptx",
    .pointers = true,
    .whole = true,
    .takes = TAKES_GRID | TAKES_BLOCK | TAKES_BYTES,
    .declare = golden_ptx_declare,
    .compile = compile,
    .data = golden_ptx_data,
    .print = print,
    .sources = sources,
};
