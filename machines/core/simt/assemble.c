/* SPDX-License-Identifier: MIT
 * Text to kernels: what list.c writes, line by line. */
#include "machines/core/simt/assembler.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>
#include <string.h>

/* ---- instructions ---- */

static enum simt_op op_named(const char *name, size_t n, struct ptx_modifiers *m) {
    struct str what = {0};
    *m = (struct ptx_modifiers){.vector = 1};
    if (n == 3 && memcmp(name, "nop", 3) == 0)
        return SIMT_NOP;
    if (n > 4 && (memcmp(name, "s2r.", 4) == 0 || memcmp(name, "lea.", 4) == 0)) {
        m->type[0] = (uint8_t)ptx_type_find(name + 4, n - 4);
        return name[0] == 's' ? SIMT_S2R : SIMT_LEA;
    }
    const struct ptx_form *form = ptx_form_find(name, n, m, &what);
    str_free(&what);
    if (form && strncmp(form->pattern, "bar warp", 8) == 0)
        return SIMT_BAR_WARP;
    enum simt_op op = SIMT_NOP + 1;
    while (form && op < SIMT_OPS && simt_ptx_op(op) != form->op)
        op = (enum simt_op)(op + 1);
    return form ? op : SIMT_OPS;
}

static bool pair_fits(struct simt_assembler *a, uint8_t kind, const struct simt_as_operand *o) {
    return kind != SIMT_OPERAND_PAIR || o->number == SIMT_RZ ||
           (o->number % 2 == 0 && o->number + 1 < SIMT_REGISTERS) ||
           simt_as_wrong(a, o->at.line, "64 bits lie in two registers, from an even one on");
}

static bool put_source(struct simt_assembler *a, struct simt_insn *insn, unsigned i,
                       const struct simt_as_operand *o) {
    const uint8_t kind = insn->source_kind[i];
    insn->source[i] = o->number;
    if (kind == SIMT_OPERAND_SPECIAL)
        return o->is == IS_SPECIAL ||
               simt_as_wrong(a, o->at.line, "a special register is expected");
    if (o->is == IS_NUMBER) {
        insn->source_kind[i] = SIMT_OPERAND_NUMBER;
        insn->source[i] = 0;
        insn->number[i] = o->value & low_bits(insn->source_bits[i]);
        return insn->number[i] == o->value ||
               (o->minus &&
                sign_extend(insn->number[i], insn->source_bits[i]) == (int64_t)o->value) ||
               simt_as_wrong(a, o->at.line, "a number of %u bits is expected",
                             insn->source_bits[i]);
    }
    if (o->is != (kind == SIMT_OPERAND_PREDICATE ? IS_PREDICATE : IS_REGISTER) ||
        kind == SIMT_OPERAND_NUMBER)
        return simt_as_wrong(a, o->at.line, "'%.*s' is no operand of that kind", (int)o->at.n,
                             o->at.text);
    insn->negated |= (uint8_t)(o->negated << i);
    return pair_fits(a, kind, o);
}

static bool put_operands(struct simt_assembler *a, struct simt_insn *insn,
                         const struct simt_as_operands *all) {
    uint32_t at = 0;
    if (all->count != (uint32_t)insn->result_count + insn->source_count)
        return simt_as_wrong(a, a->w.word.line, "it has %u operands, and not %u",
                             (unsigned)insn->result_count + insn->source_count,
                             (unsigned)all->count);
    for (unsigned i = 0; i < insn->result_count; i++, at++) {
        const struct simt_as_operand *o = &all->list[at];
        if (o->is != (insn->result_kind[i] == SIMT_OPERAND_PREDICATE ? IS_PREDICATE : IS_REGISTER))
            return simt_as_wrong(a, o->at.line, "'%.*s' is where a result goes", (int)o->at.n,
                                 o->at.text);
        if (!pair_fits(a, insn->result_kind[i], o))
            return false;
        insn->result[i] = o->number;
    }
    for (unsigned i = 0; i < insn->source_count; i++, at++)
        if (!put_source(a, insn, i, &all->list[at]))
            return false;
    insn->second = all->second;
    if (all->offset < INT32_MIN || all->offset > INT32_MAX)
        return simt_as_wrong(a, a->w.word.line, "an offset has 32 bits");
    insn->offset = (int32_t)all->offset;
    return true;
}

static void want(struct simt_assembler *a, const struct simt_as_operand *o, bool reconverge) {
    struct simt_as_label l = {arena_strndup(&a->k->arena, o->at.text, o->at.n),
                              (uint32_t)a->insns.len, o->at.line};
    if (reconverge)
        vec_push(&a->reconverge, l);
    else
        vec_push(&a->wanted, l);
}

static bool put_branch(struct simt_assembler *a, struct simt_insn *insn,
                       const struct simt_as_operands *all, uint32_t line) {
    const uint32_t needs = insn->guard == SIMT_PT ? 1 : 2;
    insn->reconverge = SIMT_END;
    if (all->count != needs || all->list[0].is != IS_LABEL || all->list[needs - 1].is != IS_LABEL)
        return simt_as_wrong(a, line,
                             "a branch has a label, and under a guard another one, or end");
    want(a, &all->list[0], false);
    if (needs == 2 && !ptx_word_is(&all->list[1].at, "end"))
        want(a, &all->list[1], true);
    return true;
}

/* A result whose parts are in braces, or sources. */
static void count_parts(struct simt_insn *insn, const struct simt_as_operands *all) {
    insn->result_count = insn->source_count = 0;
    if (insn->op == SIMT_MOV && all->groups == 2) {
        insn->result_count = (uint8_t)all->parts[0];
        insn->source_count = (uint8_t)all->parts[1];
    } else if (insn->op == SIMT_BAR) {
        insn->source_count = (uint8_t)all->groups;
    }
}

static bool take_guard(struct simt_assembler *a, struct simt_insn *insn) {
    struct simt_as_operand p = {.group = 0};
    if (!simt_as_accept(a, "@"))
        return true;
    insn->guard_not = simt_as_accept(a, "!");
    simt_as_name(a, &p);
    insn->guard = p.number;
    return p.is == IS_PREDICATE || simt_as_wrong(a, p.at.line, "a guard is a predicate");
}

/* "; 46 0:5 in 1": as list.c puts it. */
static bool take_line(struct simt_assembler *a, uint32_t line) {
    a->line = (struct simt_line){.file = UINT32_MAX};
    if (!simt_as_accept(a, ";"))
        return true;
    if (!simt_as_number(a, &a->line.line))
        return false;
    if (a->w.word.line == line && (simt_as_is(a, "-") || a->w.word.kind == PTX_WORD_NUMERAL) &&
        ((!simt_as_accept(a, "-") && !simt_as_number(a, &a->line.file)) ||
         !simt_as_expect(a, ":") || !simt_as_number(a, &a->line.source_line)))
        return false;
    return !simt_as_accept(a, "in") || simt_as_number(a, &a->line.function);
}

static bool take_insn(struct simt_assembler *a) {
    const uint32_t line = a->w.word.line;
    struct simt_insn insn = {.guard = SIMT_PT, .second = SIMT_PT};
    struct simt_as_operands all;
    insn.location = simt_as_accept(a, "near")   ? SIMT_NEAR
                    : simt_as_accept(a, "far")  ? SIMT_FAR
                    : simt_as_accept(a, "both") ? SIMT_BOTH
                                                : SIMT_UNKNOWN;
    if (insn.location == SIMT_UNKNOWN)
        return simt_as_unexpected(a, "near, far or both");
    if (!take_guard(a, &insn))
        return false;
    const struct ptx_word name = a->w.word;
    const enum simt_op op = op_named(name.text, name.n, &insn.m);
    if (name.kind != PTX_WORD_NAME || op == SIMT_OPS)
        return simt_as_unexpected(a, "an instruction");
    insn.op = (uint8_t)op;
    ptx_words_next(&a->w);
    if (!simt_as_operands(a, line, &all))
        return false;
    insn.address_bits = all.address_bits;
    insn.m.flags &= (uint16_t)~PTX_HINT;
    count_parts(&insn, &all);
    if (!simt_shape(&insn) || all.address != simt_is_access(op))
        return simt_as_wrong(a, line, "'%.*s' has other operands", (int)name.n, name.text);
    if (!(op == SIMT_BRA ? put_branch(a, &insn, &all, line) : put_operands(a, &insn, &all)))
        return false;
    if (!take_line(a, line))
        return false;
    vec_push(&a->insns, insn);
    vec_push(&a->lines, a->line);
    vec_push(&a->text_lines, line);
    return true;
}

/* ---- directives ---- */

/* Numbers with names in front of them. */
static bool take_fields(struct simt_assembler *a, const char *const *names, uint32_t *const *fields,
                        unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if ((names[i] && !simt_as_expect(a, names[i])) || !simt_as_number(a, fields[i]))
            return false;
    return true;
}

static bool take_located(struct simt_assembler *a, uint32_t *n) {
    static const char *const names[] = {"near", "far", "both", "none"};
    uint32_t *const fields[] = {n + SIMT_NEAR, n + SIMT_FAR, n + SIMT_BOTH, n + SIMT_UNKNOWN};
    return take_fields(a, names, fields, 4);
}

static bool take_directive(struct simt_assembler *a) {
    struct simt_kernel *k = a->k;
    struct simt_parameter p;
    const char *text;
    if (simt_as_accept(a, ".registers")) {
        static const char *const names[] = {"near", "both", "far", "predicates"};
        return take_fields(a, names,
                           (uint32_t *const[]){&k->near, &k->both, &k->far, &k->predicates}, 4);
    }
    if (simt_as_accept(a, ".bytes")) {
        static const char *const names[] = {"parameters", "param", "local", "spilled", "shared"};
        return take_fields(a, names,
                           (uint32_t *const[]){&k->parameter_bytes, &k->param_bytes,
                                               &k->local_bytes, &k->spill_bytes, &k->shared_bytes},
                           5);
    }
    if (simt_as_accept(a, ".threads")) {
        static const char *const names[] = {"most", "needed", NULL, NULL};
        uint32_t *n = k->needed_threads;
        return take_fields(a, names, (uint32_t *const[]){&k->max_threads, n, n + 1, n + 2}, 4);
    }
    if (simt_as_accept(a, ".located"))
        return take_located(a, k->counts.registers);
    if (simt_as_accept(a, ".placed"))
        return take_located(a, k->counts.instructions);
    if (simt_as_accept(a, ".parameter")) {
        if (!simt_as_number(a, &p.offset) || !simt_as_number(a, &p.bytes))
            return false;
        vec_push(&a->parameters, p);
        return true;
    }
    if (simt_as_is(a, ".file") || simt_as_is(a, ".function")) {
        const bool file = simt_as_is(a, ".file");
        ptx_words_next(&a->w);
        if (!simt_as_string(a, &text))
            return false;
        if (file)
            vec_push(&a->files, text);
        else
            vec_push(&a->functions, text);
        return true;
    }
    return simt_as_unexpected(a, "a directive");
}

/* "L12:" stands in front of an instruction. */
static bool take_label(struct simt_assembler *a, bool *was) {
    struct ptx_words ahead = a->w;
    ptx_words_next(&ahead);
    *was = a->w.word.kind == PTX_WORD_NAME && ptx_word_is(&ahead.word, ":");
    if (!*was)
        return true;
    struct simt_as_label l = {arena_strndup(&a->k->arena, a->w.word.text, a->w.word.n),
                              (uint32_t)a->insns.len, a->w.word.line};
    vec_push(&a->labels, l);
    ptx_words_next(&ahead);
    a->w = ahead;
    return true;
}

/* ---- all of it ---- */

static int by_name(const void *left, const void *right) {
    const struct simt_as_label *x = left, *y = right;
    return strcmp(x->name, y->name);
}

static bool find(struct simt_assembler *a, const struct simt_as_label *wanted, uint32_t *insn) {
    const struct simt_as_label *l =
        a->labels.len ? bsearch(wanted, a->labels.data, a->labels.len, sizeof *wanted, by_name)
                      : NULL;
    if (!l || l->insn >= a->insns.len)
        return simt_as_wrong(a, wanted->line, "no instruction has the label '%s'", wanted->name);
    *insn = l->insn;
    return true;
}

static bool find_labels(struct simt_assembler *a) {
    if (a->labels.len)
        qsort(a->labels.data, a->labels.len, sizeof *a->labels.data, by_name);
    for (size_t i = 1; i < a->labels.len; i++)
        if (by_name(&a->labels.data[i - 1], &a->labels.data[i]) == 0)
            return simt_as_wrong(a, a->labels.data[i].line, "label '%s' stands twice",
                                 a->labels.data[i].name);
    for (size_t i = 0; i < a->wanted.len; i++)
        if (!find(a, &a->wanted.data[i], &a->insns.data[a->wanted.data[i].insn].target))
            return false;
    for (size_t i = 0; i < a->reconverge.len; i++)
        if (!find(a, &a->reconverge.data[i], &a->insns.data[a->reconverge.data[i].insn].reconverge))
            return false;
    return true;
}

#define KEEP(list, type, to, count)                                                                \
    do {                                                                                           \
        type *copy = ARENA_ARRAY(&a->k->arena, (list).len + 1, type);                              \
        if ((list).len)                                                                            \
            memcpy(copy, (list).data, (list).len * sizeof *copy);                                  \
        (to) = copy;                                                                               \
        (count) = (uint32_t)(list).len;                                                            \
    } while (0)

/* What reads it has the last word. */
static bool is_sound(struct simt_assembler *a) {
    const char *problem = NULL;
    struct str bytes = {0};
    simt_kernel_write(a->k, &bytes);
    struct simt_kernel *again = simt_kernel_read(bytes.text, bytes.len, &problem);
    str_free(&bytes);
    simt_kernel_free(again);
    return again || simt_as_wrong(a, 0, "%s", problem);
}

static bool finish(struct simt_assembler *a) {
    struct simt_insn *insns;
    uint32_t at = 0;
    KEEP(a->parameters, struct simt_parameter, a->k->parameters, a->k->parameter_count);
    KEEP(a->files, const char *, a->k->files, a->k->file_count);
    KEEP(a->functions, const char *, a->k->functions, a->k->function_count);
    KEEP(a->lines, struct simt_line, a->k->lines, a->k->insn_count);
    if (!find_labels(a))
        return false;
    KEEP(a->insns, struct simt_insn, insns, a->k->insn_count);
    if (!simt_kernel_encode(a->k, insns, &at, &a->fault->what)) {
        a->fault->line = at < a->text_lines.len ? a->text_lines.data[at] : 0;
        return false;
    }
    return is_sound(a);
}

static bool take_all(struct simt_assembler *a) {
    if (!simt_as_expect(a, ".kernel") || !simt_as_string(a, &a->k->name))
        return false;
    while (a->w.word.kind != PTX_WORD_END) {
        const uint32_t line = a->w.word.line;
        bool label = false;
        if (a->w.word.text[0] == '.') {
            if (!take_directive(a))
                return false;
        } else if (!take_label(a, &label) || (!label && !take_insn(a))) {
            return false;
        }
        if (!label && a->w.word.kind != PTX_WORD_END && a->w.word.line == line)
            return simt_as_unexpected(a, "the end of the line");
    }
    return finish(a);
}

struct simt_kernel *simt_assemble(const char *text, size_t size, struct portable_fault *fault) {
    struct simt_assembler a = {.k = xcalloc(1, sizeof *a.k), .fault = fault};
    ptx_words_begin(&a.w, text, size);
    bool fine = take_all(&a);
    vec_free(&a.insns);
    vec_free(&a.lines);
    vec_free(&a.text_lines);
    vec_free(&a.labels);
    vec_free(&a.wanted);
    vec_free(&a.reconverge);
    vec_free(&a.parameters);
    vec_free(&a.files);
    vec_free(&a.functions);
    if (fine)
        return a.k;
    simt_kernel_free(a.k);
    return NULL;
}
