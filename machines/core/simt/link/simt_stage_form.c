/* SPDX-License-Identifier: MIT
 * Kernels of form `stage` on near-bank SIMT cores: what there is no code for takes `else`. */
#include "machines/core/simt/link/simt_link.h"
#include "machines/core/simt/runs/stage_words.h"

#include "support/alloc.h"

#include <stdlib.h>

static bool beyond(struct machine_kernel_fault *fault) {
    str_append(&fault->what, ": it needs an `else` for this target");
    fault->beyond = true;
    return false;
}

/* Whether some launch says how many units are to work, which a grid over all elements leaves no
 * choice of. */
static bool says_units(const struct machine_launches *program, const struct kernel_decl *kernel) {
    const struct object *o = program->object;
    for (size_t i = 0; i < o->calls.len; i++)
        if (object_call_kernel(o, &o->calls.data[i]) == kernel && o->calls.data[i].geometry)
            return true;
    return false;
}

/* Lines of the text by words of code, one kernel behind the other. */
static void put_lines(const struct simt_stage_code *code, struct machine_kernel *out) {
    uint32_t count = 0;
    for (unsigned i = 0; i < SIMT_STAGE_PARTS; i++)
        count += code->parts[i] ? code->parts[i]->word_count : 0;
    out->lines = xcalloc(count + 1u, sizeof *out->lines);
    out->line_count = count;
    count = 0;
    for (unsigned i = 0; i < SIMT_STAGE_PARTS; i++) {
        const struct simt_kernel *k = code->parts[i];
        for (uint32_t n = 0; k && n < k->insn_count; n++)
            for (uint32_t w = 0; w < k->insns[n].words && k->lines[n].file < k->file_count; w++)
                out->lines[count + k->places[n] + w] = k->lines[n].source_line;
        count += k ? k->word_count : 0;
    }
}

static bool compile(const struct machine_library *library, const struct machine_launches *program,
                    const struct kernel_decl *decl, struct machine_kernel *out,
                    struct machine_kernel_fault *fault) {
    const struct simt_keys *keys = simt_keys(library->target);
    const struct simt_options options = {.registers = keys->registers,
                                         .near_shared = keys->time.near_units};
    struct simt_stage_code code;
    struct diag *d = diag_new(machine_fault_from_error, fault);
    struct stage_kernel *text = stage_read(decl, decl->name, d);
    diag_flush(d);
    diag_free(d);
    if (!text)
        return false;
    bool fine = !says_units(program, decl);
    if (!fine)
        str_append(&fault->what, "these cores all work on a stage kernel, whatever `units` says");
    fine = fine && simt_stage_compile(text, &options, keys->icache_bytes, &code, &fault->what,
                                      &fault->line);
    stage_free(text);
    if (!fine)
        return beyond(fault);
    for (unsigned i = 0; i < SIMT_STAGE_PARTS && fine; i++) {
        const struct simt_kernel *k = code.parts[i];
        fine = !k || simt_resident_warps(keys, k->near, k->both, k->far);
    }
    if (fine) {
        simt_stage_write(&code, &out->code);
        put_lines(&code, out);
    } else
        str_append(&fault->what, "a warp has more registers than there are");
    simt_stage_free(&code);
    return fine || beyond(fault);
}

static void print(const struct machine_library *library, const void *code, size_t size,
                  const struct machine_lines *lines, struct str *out) {
    (void)library, (void)lines; /* those of its PTX, which nobody has, stand before the text's */
    for (unsigned i = 0; i < SIMT_STAGE_PARTS; i++) {
        struct simt_stage_bytes part;
        const char *problem = NULL;
        if (!simt_stage_find(code, size, (enum simt_stage_part)i, &part) || !part.size)
            continue;
        struct simt_kernel *k = simt_kernel_read(part.bytes, part.size, &problem);
        if (k)
            simt_list(k, &(struct simt_names){NULL, 1}, out);
        simt_kernel_free(k);
    }
}

const struct machine_form simt_stage_form = {
    .name = "stage", .whole = true, .takes = TAKES_COUNT, .compile = compile, .print = print};
