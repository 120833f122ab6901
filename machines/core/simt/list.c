/* SPDX-License-Identifier: MIT
 * A kernel as text: all that its record has, as the assembler takes it; comments for people. */
#include "machines/core/simt/code.h"

#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void put_counts(const char *what, const uint32_t *n, struct str *out) {
    str_printf(out, "    %s near %" PRIu32 " far %" PRIu32 " both %" PRIu32 " none %" PRIu32 "\n",
               what, n[SIMT_NEAR], n[SIMT_FAR], n[SIMT_BOTH], n[SIMT_UNKNOWN]);
}

static void put_head(const struct simt_kernel *k, bool comments, struct str *out) {
    str_append(out, ".kernel ");
    str_quote(out, k->name);
    if (comments) {
        str_append(out, "  // ");
        simt_counts_text(&k->counts, out);
    }
    str_printf(out,
               "\n    .registers near %" PRIu32 " both %" PRIu32 " far %" PRIu32
               " predicates %" PRIu32 "\n",
               k->near, k->both, k->far, k->predicates);
    str_printf(out,
               "    .bytes parameters %" PRIu32 " param %" PRIu32 " local %" PRIu32
               " spilled %" PRIu32 " shared %" PRIu32 "\n",
               k->parameter_bytes, k->param_bytes, k->local_bytes, k->spill_bytes, k->shared_bytes);
    if (k->max_threads || k->needed_threads[0] || k->needed_threads[1] || k->needed_threads[2])
        str_printf(
            out, "    .threads most %" PRIu32 " needed %" PRIu32 " %" PRIu32 " %" PRIu32 "\n",
            k->max_threads, k->needed_threads[0], k->needed_threads[1], k->needed_threads[2]);
    put_counts(".located", k->counts.registers, out);
    put_counts(".placed", k->counts.instructions, out);
    for (uint32_t i = 0; i < k->parameter_count; i++)
        str_printf(out, "    .parameter %" PRIu32 " %" PRIu32 "\n", k->parameters[i].offset,
                   k->parameters[i].bytes);
    for (uint32_t i = 0; i < k->file_count + k->function_count; i++) {
        const bool file = i < k->file_count;
        str_append(out, file ? "    .file " : "    .function ");
        str_quote(out, file ? k->files[i] : k->functions[i - k->file_count]);
        str_char(out, '\n');
    }
}

/* Where it comes from: line of the PTX, number of the file and line there, number of the function.
 */
static void put_line(const struct simt_line *l, struct str *out) {
    str_printf(out, "  ; %" PRIu32, l->line);
    if (l->file != UINT32_MAX)
        str_printf(out, " %" PRIu32 ":%" PRIu32, l->file, l->source_line);
    else if (l->source_line)
        str_printf(out, " -:%" PRIu32, l->source_line);
    if (l->function)
        str_printf(out, " in %" PRIu32, l->function);
}

static void put_comment(const struct simt_kernel *k, uint32_t i, const struct simt_names *names,
                        struct str *out) {
    const struct simt_line *l = &k->lines[i];
    str_printf(out, "  // %" PRIu32 ":", k->places[i]);
    for (uint32_t w = 0; w < k->insns[i].words; w++)
        str_printf(out, " %08" PRIx32, k->words[k->places[i] + w]);
    if (names->file)
        str_printf(out, "  %s:%" PRIu32, names->file, names->first_line + l->line - 1);
    else
        str_printf(out, "  line %" PRIu32, l->line);
    if (l->file != UINT32_MAX)
        str_printf(out, " (%s:%" PRIu32 ")", k->files[l->file], l->source_line);
    if (l->function)
        str_printf(out, " in %s", k->functions[l->function]);
}

static void put_insn(const struct simt_kernel *k, uint32_t i, const struct simt_names *names,
                     struct str *out) {
    struct simt_insn insn = k->insns[i];
    struct str text = {0};
    if (insn.op == SIMT_BRA) {
        insn.target = k->places[insn.target];
        if (insn.reconverge != SIMT_END)
            insn.reconverge = k->places[insn.reconverge];
    }
    simt_print(&insn, &text);
    str_printf(out, names ? "    %-44s" : "    %s", str_text(&text));
    put_line(&k->lines[i], out);
    if (names)
        put_comment(k, i, names, out);
    str_char(out, '\n');
    str_free(&text);
}

void simt_list(const struct simt_kernel *k, const struct simt_names *names, struct str *out) {
    uint8_t *named = xcalloc(k->insn_count + 1u, 1);
    for (uint32_t i = 0; i < k->insn_count; i++)
        if (k->insns[i].op == SIMT_BRA) {
            named[k->insns[i].target] = 1;
            if (k->insns[i].reconverge != SIMT_END)
                named[k->insns[i].reconverge] = 1;
        }
    put_head(k, names != NULL, out);
    for (uint32_t i = 0; i < k->insn_count; i++) {
        if (named[i])
            str_printf(out, "L%" PRIu32 ":\n", k->places[i]);
        put_insn(k, i, names, out);
    }
    free(named);
}
