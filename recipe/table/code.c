/* SPDX-License-Identifier: MIT
 * Decoding a table for its target, and expanding its forms. */
#include "recipe/table/parts.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Templates run when all recipes of a table are tried: far more than all of an ISA's divisions. */
#define MAX_TRIED (UINT64_C(1) << 27)

/* ---- decoding ---- */

static const char *decode_templates(const struct recipe_table *table, struct table_code *c) {
    for (size_t at = 0; at < table->template_count;) {
        struct table_entry e;
        const char *problem =
            table_entry_decode(&c->layout, table->templates + at, table->template_count - at, &e);
        if (problem)
            return problem;
        c->entry_of[at] = (uint32_t)c->entries.len;
        vec_push(&c->entries, e);
        at += e.words;
    }
    c->entry_of[table->template_count] = (uint32_t)c->entries.len;
    return NULL;
}

/* Templates [first, first + count) as entries; false if they cut one in two. */
static bool find_range(const struct recipe_table *table, const struct table_code *c, uint64_t first,
                       uint64_t count, struct table_range *r) {
    if (first > table->template_count || count > table->template_count - first)
        return false;
    uint32_t begin = c->entry_of[first], end = c->entry_of[first + count];
    *r = (struct table_range){begin, end - begin};
    return begin != NO_ENTRY && end != NO_ENTRY;
}

static const char *find_bodies(const struct recipe_table *table, struct table_code *c) {
    for (size_t at = 0; at < table->template_count; at++) {
        struct table_range body;
        if (c->entry_of[at] == NO_ENTRY)
            continue;
        struct table_entry *e = &c->entries.data[c->entry_of[at]];
        if (e->kind != ENTRY_LOOP)
            continue;
        if (!find_range(table, c, at + e->words, e->loop.words, &body))
            return "a loop does not end where a template begins";
        e->loop.entries = body.count;
    }
    return NULL;
}

/* Loops lie within one another or apart. */
static const char *check_nesting(const struct table_code *c) {
    uint32_t ends[TABLE_MAX_DEPTH];
    unsigned depth = 0;
    for (uint32_t i = 0; i < c->entries.len; i++) {
        const struct table_entry *e = &c->entries.data[i];
        while (depth && ends[depth - 1] == i)
            depth--;
        if (e->kind != ENTRY_LOOP || e->loop.entries == 0)
            continue;
        uint32_t end = i + 1 + e->loop.entries;
        if (depth == TABLE_MAX_DEPTH || (depth && end > ends[depth - 1]))
            return "its loops are not nested properly";
        ends[depth++] = end;
    }
    return NULL;
}

static bool cuts_no_loop(const struct table_code *c, const struct table_range *r) {
    uint32_t i = r->first, end = r->first + r->count;
    while (i < end)
        i += c->entries.data[i].kind == ENTRY_LOOP ? 1 + c->entries.data[i].loop.entries : 1;
    return i == end;
}

static const char *find_sequences(const struct recipe_table *table, struct table_code *c) {
    uint64_t at = 0;
    for (size_t i = 0; i < table->pointer_count; i++)
        if (!find_range(table, c, table->pointers[i] >> 10, (table->pointers[i] & 1023) + 1,
                        &c->pointers[i]) ||
            !cuts_no_loop(c, &c->pointers[i]))
            return "a pointer does not lead to whole templates and loops";
    for (size_t i = 0; i < table->form_count; i++) {
        const struct recipe_form *f = &table->forms[i];
        if (f->first != at || !find_range(table, c, f->first, f->count, &c->forms[i]) ||
            !cuts_no_loop(c, &c->forms[i]))
            return "a recipe does not consist of whole templates and loops behind those of the "
                   "recipe before";
        at += f->count;
    }
    return at == table->template_count ? NULL : "templates belong to no recipe";
}

void table_code_free(struct table_code *c) {
    if (!c)
        return;
    vec_free(&c->entries);
    free(c->entry_of);
    free(c->pointers);
    free(c->forms);
    free(c->scratch);
    free(c);
}

static const char *decode(const struct recipe_table *table, struct table_code *c) {
    const char *problem = decode_templates(table, c);
    if (!problem)
        problem = find_bodies(table, c);
    if (!problem)
        problem = check_nesting(c);
    return problem ? problem : find_sequences(table, c);
}

/* Tries every form once. */
static const char *try_forms(const struct recipe_table *table);

bool recipe_table_open(struct recipe_table *table, const struct target *t, const char **problem) {
    struct table_code *c = xcalloc(1, sizeof *c);
    *problem = NULL;
    if (t->kind != &technology_target_kind || plane_target(t)->sections < 1 ||
        plane_target(t)->sections > 64)
        *problem = table->form_count ? "its target has no recipes" : NULL;
    else
        table_layout_make(t, &c->layout);
    c->entry_of = xcalloc(table->template_count + 1, sizeof *c->entry_of);
    memset(c->entry_of, 0xff, (table->template_count + 1) * sizeof *c->entry_of);
    c->pointers = xcalloc(table->pointer_count + 1, sizeof *c->pointers);
    c->forms = xcalloc(table->form_count + 1, sizeof *c->forms);
    c->scratch = xcalloc(table->form_count + 1, sizeof *c->scratch);
    if (!*problem && table->form_count)
        *problem = decode(table, c);
    table_code_free(table->code);
    table->code = *problem ? NULL : c;
    if (*problem) {
        table_code_free(c);
        return false;
    }
    *problem = try_forms(table);
    return !*problem;
}

/* ---- expanding ---- */

struct form_expansion {
    const struct target *t;
    const struct insn *insn;
    uint32_t flags;    /* of the instruction */
    uint64_t constant; /* in its place */
    bool masked;
    struct uop_list *out;
    size_t base; /* micro-ops of `out` before this instruction */
    struct forward_rule rule;
    const char *problem;
};

/* A register that the instruction reads or writes; for a destination: writes. */
static bool take_register(const struct form_expansion *x, const struct table_operand *o, int bit,
                          bool written, uint32_t *plane) {
    static const uint32_t writes[] = {WRITES_RS, WRITES_RT, WRITES_RD};
    static const uint32_t reads[] = {READS_RS, READS_RT, READS_RD};
    const uint8_t regs[] = {x->insn->rs, x->insn->rt, x->insn->rd};
    if (o->number > ROLE_OF_RD || bit < 0 || bit > 63 || regs[o->number] > 63)
        return false;
    *plane = PLANE(PLANE_REGISTER, 0, regs[o->number] << 6 | bit);
    /* Operands that are one register have one name in the entries: that of the first. */
    for (unsigned r = 0; r <= ROLE_OF_RD; r++)
        if (regs[r] == regs[o->number] && x->flags & (writes[r] | (written ? 0 : reads[r])))
            return true;
    return false;
}

/* The plane of an operand of a micro-op at `position`; false if the machine has none. */
static bool take_plane(const struct form_expansion *x, const struct table_operand *o, int position,
                       bool written, uint32_t *plane) {
    int sections = (int)plane_target(x->t)->sections, section = position % sections + o->offset;
    bool there = section >= 0 && section < sections;
    switch (o->class) {
    case PLANE_REGISTER:
        return take_register(x, o, position + o->offset, written, plane);
    case PLANE_SCRATCH:
        *plane = PLANE(PLANE_SCRATCH, section, o->number);
        return there && o->number < plane_target(x->t)->scratch_rows;
    case PLANE_BUFFER:
        *plane = PLANE(PLANE_BUFFER, section, o->number);
        return there;
    case PLANE_CONST:
        *plane = PLANE(PLANE_CONST, 0,
                       o->number == CONSTANT_BIT ? x->constant >> (position + o->offset) & 1
                                                 : o->number);
        return !written && position + o->offset >= 0 && position + o->offset < 64;
    default:
        *plane = PLANE(o->class, 0, 0);
        return !written || o->class != PLANE_VALID;
    }
}

static bool fails(struct form_expansion *x, const char *problem) {
    x->problem = problem;
    return false;
}

static bool take_forward(struct form_expansion *x, struct uop *u, uint32_t forward) {
    const struct uop *list = x->out->data + x->base;
    uint32_t i = (uint32_t)(x->out->len - x->base), from = i;
    table_forward_rule_meet(&x->rule, i, u->section);
    if (forward == FORWARD_RULE)
        from = table_forward_rule_find(&x->rule, list, u->kind);
    else if (forward >= FORWARD_FROM)
        from = i - (forward - FORWARD_FROM);
    if (from > i)
        return fails(x, "a micro-op is forwarded from one that is not there");
    u->forwarded = i - from;
    u->pipelined = u->forwarded != 0;
    if (u->forwarded && list[from].section + 1 != u->section &&
        list[from].section != u->section + 1)
        return fails(x, "a micro-op is forwarded from a section that is no neighbour");
    table_forward_rule_done(&x->rule, i, u->forwarded);
    return true;
}

/* The entry's operands where the loops have come to, relative to `position`. */
static bool place_operands(const struct form_expansion *x, const struct table_entry *e,
                           const struct table_course *at, struct table_entry *placed) {
    const struct target_op *op = &plane_target(x->t)->ops[e->op];
    *placed = *e;
    if (plane_target(x->t)->sections > 1)
        return true;
    for (unsigned i = 0; i < op->nsrc + (unsigned)op->ndst; i++)
        if (!table_operand_at(x->t, &e->operands[i], at->position, at->around,
                              &placed->operands[i]))
            return false;
    return true;
}

static bool take_operands(struct form_expansion *x, struct uop *u, const struct table_entry *e,
                          int position) {
    bool fine = true;
    for (unsigned i = 0; i < UOP_MAX; i++) {
        u->src[i] = u->dst[i] = PLANE(PLANE_NONE, 0, 0);
        if (i < u->nsrc)
            fine &= take_plane(x, &e->operands[i], position, false, &u->src[i]);
        if (i < u->ndst)
            fine &= take_plane(x, &e->operands[u->nsrc + i], position, true, &u->dst[i]);
        enum plane_class c = PLANE_CLASS(u->dst[i]);
        if (x->masked && (c == PLANE_REGISTER || c == PLANE_C))
            u->predicate = PLANE(PLANE_M, 0, 0);
    }
    return fine || fails(x, "an operand names a place that the machine does not have");
}

static bool emit(void *context, const struct table_entry *e, const struct table_course *at) {
    struct form_expansion *x = context;
    const struct target_op *op = &plane_target(x->t)->ops[e->op];
    struct table_entry placed;
    struct uop u = {.kind = e->op,
                    .nsrc = op->nsrc,
                    .ndst = op->ndst,
                    .predicate = PLANE(PLANE_NONE, 0, 0),
                    .count = 1};
    int64_t position = plane_target(x->t)->sections > 1 ? at->position : 0;
    if (x->out->len - x->base == TABLE_MAX_MICRO_OPS)
        return fails(x, "a recipe has too many micro-ops");
    if (position < 0 || position > 63 || !place_operands(x, e, at, &placed))
        return fails(x, "a micro-op works beyond the registers' bits");
    u.section = (uint16_t)((uint32_t)position % plane_target(x->t)->sections);
    if (!take_operands(x, &u, &placed, (int)position) || !take_forward(x, &u, at->forward))
        return false;
    vec_push(x->out, u);
    return true;
}

/* The constant of the instruction, moved up to where the form wants its bits. */
static uint64_t placed_constant(const struct recipe_form *f, const struct insn *insn) {
    return f->constant == CONSTANT_BITS ? (uint64_t)(int64_t)insn->imm << f->shift : 0;
}

/* Adds to *steps. */
static const char *run_form(const struct recipe_table *table, const struct recipe_form *f,
                            const struct insn *insn, bool masked, struct uop_list *out,
                            uint64_t *steps) {
    const struct table_code *c = table->code;
    const struct table_range *range = &c->forms[f - table->forms];
    uint32_t flags = isa_info(insn->op)->flags;
    struct form_expansion x = {.t = c->layout.t,
                               .insn = insn,
                               .flags = flags,
                               .constant = placed_constant(f, insn),
                               .masked = masked && !(flags & ISA_UNMASKED) &&
                                         plane_target(c->layout.t)->mask_by != MASK_SELECT,
                               .out = out,
                               .base = out->len};
    struct table_run run = {.entries = c->entries.data,
                            .pointers = c->pointers,
                            .pointer_count = table->pointer_count,
                            .emit = emit,
                            .context = &x};
    bool fine = table_walk(&run, range->first, range->count, 0);
    *steps += run.steps;
    if (fine)
        return NULL;
    out->len = x.base;
    return x.problem ? x.problem : run.problem;
}

const char *table_form_expand(const struct recipe_table *table, const struct recipe_form *f,
                              const struct insn *insn, bool masked, struct uop_list *out) {
    uint64_t steps = 0;
    return run_form(table, f, insn, masked, out, &steps);
}

static const char *try_forms(const struct recipe_table *table) {
    struct uop_list list = {0};
    const char *problem = NULL;
    uint64_t steps = 0;
    for (size_t i = 0; i < table->form_count && !problem; i++) {
        struct insn insn = table_form_insn(&table->forms[i]);
        list.len = 0;
        problem = run_form(table, &table->forms[i], &insn, false, &list, &steps);
        if (!problem && steps > MAX_TRIED)
            problem = "its recipes are too long";
        table->code->scratch[i] = recipe_highest_scratch(table->code->layout.t, &list);
    }
    vec_free(&list);
    return problem;
}

/* ---- what a form needs beside its own templates ---- */

uint32_t recipe_table_scratch(const struct recipe_table *table, const struct recipe_form *f) {
    return table->code->scratch[f - table->forms];
}

static uint32_t pointers_in(const struct table_code *c, const struct table_range *r,
                            uint32_t seen) {
    for (uint32_t i = r->first; i < r->first + r->count; i++) {
        const struct table_entry *e = &c->entries.data[i];
        if (e->kind != ENTRY_POINTER || seen >> e->pointer & 1)
            continue;
        seen |= UINT32_C(1) << e->pointer;
        seen = pointers_in(c, &c->pointers[e->pointer], seen);
    }
    return seen;
}

uint32_t recipe_table_leads_to(const struct recipe_table *table, const struct recipe_form *f) {
    return pointers_in(table->code, &table->code->forms[f - table->forms], 0);
}
