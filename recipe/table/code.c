/* SPDX-License-Identifier: MIT
 * Decoding a table for its target, and expanding its forms. */
#include "recipe/table/parts.h"
#include "recipe/set/words.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Templates run when all recipes of a table are tried: far more than all of an ISA's divisions. */
#define MAX_TRIED (UINT64_C(1) << 27)

/* ---- decoding ---- */

/* From the template `at` on. */
static const char *decode_templates(const struct recipe_table *table, struct table_code *code,
                                    size_t at) {
    while (at < table->template_count) {
        struct table_entry e;
        const char *problem = table_entry_decode(&code->layout, table->templates + at,
                                                 table->template_count - at, &e);
        if (problem)
            return problem;
        code->entry_of[at] = (uint32_t)code->entries.len;
        vec_push(&code->entries, e);
        at += e.words;
    }
    code->entry_of[table->template_count] = (uint32_t)code->entries.len;
    return NULL;
}

/* Templates [first, first + count) as entries; false if they cut one in two. */
static bool find_range(const struct recipe_table *table, const struct table_code *code,
                       uint64_t first, uint64_t count, struct table_range *range) {
    if (first > table->template_count || count > table->template_count - first)
        return false;
    uint32_t begin = code->entry_of[first], end = code->entry_of[first + count];
    *range = (struct table_range){begin, end - begin};
    return begin != NO_ENTRY && end != NO_ENTRY;
}

static const char *find_bodies(const struct recipe_table *table, struct table_code *code,
                               size_t at) {
    for (; at < table->template_count; at++) {
        struct table_range body;
        if (code->entry_of[at] == NO_ENTRY)
            continue;
        struct table_entry *e = &code->entries.data[code->entry_of[at]];
        if (e->kind != ENTRY_LOOP)
            continue;
        if (!find_range(table, code, at + e->words, e->loop.words, &body))
            return "a loop does not end where a template begins";
        e->loop.entries = body.count;
    }
    return NULL;
}

/* Loops lie within one another or apart. */
static const char *check_nesting(const struct table_code *code) {
    uint32_t ends[TABLE_MAX_DEPTH];
    unsigned depth = 0;
    for (uint32_t i = 0; i < code->entries.len; i++) {
        const struct table_entry *e = &code->entries.data[i];
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

static bool cuts_no_loop(const struct table_code *code, const struct table_range *range) {
    uint32_t i = range->first, end = range->first + range->count;
    while (i < end)
        i += code->entries.data[i].kind == ENTRY_LOOP ? 1 + code->entries.data[i].loop.entries : 1;
    return i == end;
}

/* Each template is of one recipe. */
static const char *check_cover(const struct recipe_table *table) {
    uint8_t *seen = xcalloc(table->template_count + 1, 1);
    uint64_t count = 0;
    bool apart = true;
    for (size_t i = 0; i < table->form_count && apart; i++)
        for (uint32_t k = 0; k < table->forms[i].count && apart; k++, count++) {
            apart = !seen[table->forms[i].first + k];
            seen[table->forms[i].first + k] = 1;
        }
    free(seen);
    return !apart                           ? "recipes have templates in common"
           : count == table->template_count ? NULL
                                            : "templates belong to no recipe";
}

static const char *find_sequences(const struct recipe_table *table, struct table_code *code) {
    for (size_t i = 0; i < table->pointer_count; i++)
        if (!find_range(table, code, table->pointers[i] >> 10, (table->pointers[i] & 1023) + 1,
                        &code->pointers[i]) ||
            !cuts_no_loop(code, &code->pointers[i]))
            return "a pointer does not lead to whole templates and loops";
    for (size_t i = 0; i < table->form_count; i++) {
        const struct recipe_form *f = &table->forms[i];
        if (!find_range(table, code, f->first, f->count, &code->forms[i]) ||
            !cuts_no_loop(code, &code->forms[i]))
            return "a recipe does not consist of whole templates and loops";
    }
    return check_cover(table);
}

void table_code_free(struct table_code *code) {
    if (!code)
        return;
    vec_free(&code->entries);
    free(code->entry_of);
    free(code->pointers);
    free(code->forms);
    free(code->scratch);
    free(code);
}

/* From the template `at` on. */
static const char *decode(const struct recipe_table *table, struct table_code *code, size_t at) {
    const char *problem = decode_templates(table, code, at);
    if (!problem)
        problem = find_bodies(table, code, at);
    if (!problem)
        problem = check_nesting(code);
    return problem ? problem : find_sequences(table, code);
}

/* Tries every form once whose templates begin at `at` or behind it. */
static const char *try_forms(const struct recipe_table *table, size_t at);

static struct table_code *code_new(const struct recipe_table *table) {
    struct table_code *c = xcalloc(1, sizeof *c);
    c->entry_of = xcalloc(table->template_count + 1, sizeof *c->entry_of);
    memset(c->entry_of, 0xff, (table->template_count + 1) * sizeof *c->entry_of);
    c->pointers = xcalloc(table->pointer_count + 1, sizeof *c->pointers);
    c->forms = xcalloc(table->form_count + 1, sizeof *c->forms);
    c->scratch = xcalloc(table->form_count + 1, sizeof *c->scratch);
    return c;
}

/* The table takes the code, or it is freed. */
static bool take_code(struct recipe_table *table, struct table_code *code, size_t at,
                      const char **problem) {
    table_code_free(table->code);
    table->code = *problem ? NULL : code;
    if (*problem) {
        table_code_free(code);
        return false;
    }
    *problem = try_forms(table, at);
    return !*problem;
}

bool recipe_table_open(struct recipe_table *table, const struct target *target,
                       const char **problem) {
    struct table_code *c = code_new(table);
    *problem = NULL;
    if (target->kind != &technology_target_kind || plane_target(target)->sections < 1 ||
        plane_target(target)->sections > 64)
        *problem = table->form_count ? "its target has no recipes" : NULL;
    else
        table_layout_make(target, &c->layout);
    if (!*problem && table->form_count)
        *problem = decode(table, c, 0);
    return take_code(table, c, 0, problem);
}

/* Forms are in one order in both. */
static void copy_scratch(const struct recipe_table *table, const struct recipe_table *first,
                         struct table_code *code) {
    for (size_t i = 0, k = 0; i < table->form_count && k < first->form_count; i++)
        if (table->forms[i].first < first->template_count)
            code->scratch[i] = first->code->scratch[k++];
}

bool table_open_behind(struct recipe_table *table, const struct recipe_table *first,
                       const struct target *target, const char **problem) {
    const struct table_code *there = first->code;
    if (!first->form_count)
        return recipe_table_open(table, target, problem);
    struct table_code *c = code_new(table);
    c->layout = there->layout;
    vec_reserve(&c->entries, there->entries.len + 1);
    memcpy(c->entries.data, there->entries.data, there->entries.len * sizeof *there->entries.data);
    c->entries.len = there->entries.len;
    memcpy(c->entry_of, there->entry_of, first->template_count * sizeof *c->entry_of);
    copy_scratch(table, first, c);
    *problem = decode(table, c, first->template_count);
    return take_code(table, c, first->template_count, problem);
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
    unsigned word_step; /* of the word that the last micro-op is in; 0: it is alone */
    const char *problem;
};

/* A register that the instruction reads or writes; for a destination: writes. */
static bool take_register(const struct form_expansion *expansion,
                          const struct table_operand *operand, int bit, bool written,
                          uint32_t *plane) {
    static const uint32_t writes[] = {WRITES_RS, WRITES_RT, WRITES_RD};
    static const uint32_t reads[] = {READS_RS, READS_RT, READS_RD};
    const uint8_t regs[] = {expansion->insn->rs, expansion->insn->rt, expansion->insn->rd};
    if (operand->number > ROLE_OF_RD || bit < 0 || bit > 63 || regs[operand->number] > 63)
        return false;
    *plane = PLANE(PLANE_REGISTER, 0, regs[operand->number] << 6 | bit);
    /* Operands that are one register have one name in the entries: that of the first. */
    for (unsigned r = 0; r <= ROLE_OF_RD; r++)
        if (regs[r] == regs[operand->number] &&
            expansion->flags & (writes[r] | (written ? 0 : reads[r])))
            return true;
    return false;
}

/* The plane of an operand of a micro-op at `position`; false if the machine has none. */
static bool take_plane(const struct form_expansion *expansion, const struct table_operand *operand,
                       int position, bool written, uint32_t *plane) {
    int sections = (int)plane_target(expansion->t)->sections,
        section = position % sections + operand->offset;
    bool there = section >= 0 && section < sections;
    switch (operand->class) {
    case PLANE_REGISTER:
        return take_register(expansion, operand, position + operand->offset, written, plane);
    case PLANE_SCRATCH:
        *plane = PLANE(PLANE_SCRATCH, section, operand->number);
        return there && operand->number < plane_target(expansion->t)->scratch_rows;
    case PLANE_BUFFER:
        *plane = PLANE(PLANE_BUFFER, section, operand->number);
        return there;
    case PLANE_CONST:
        *plane = PLANE(PLANE_CONST, 0,
                       operand->number == CONSTANT_BIT
                           ? expansion->constant >> (position + operand->offset) & 1
                           : operand->number);
        return !written && position + operand->offset >= 0 && position + operand->offset < 64;
    default:
        *plane = PLANE(operand->class, 0, 0);
        return !written || operand->class != PLANE_VALID;
    }
}

static bool fails(struct form_expansion *expansion, const char *problem) {
    expansion->problem = problem;
    return false;
}

/* Gates of one word stand side by side, are alike, and do not meet in a section. */
static bool take_word(struct form_expansion *expansion, const struct uop *uop) {
    const struct uop *list = vec_from(expansion->out, expansion->base);
    size_t i = expansion->out->len - expansion->base;
    unsigned step = 0;
    if (uop->forwarded) {
        if (uop->forwarded != 1 || list[i - 1].kind != uop->kind)
            return fails(expansion, "a micro-op goes with one that is no neighbour");
        step = recipe_word_step(expansion->t, &list[i - 1], uop);
        if (!step || (expansion->word_step && expansion->word_step != step))
            return fails(expansion, "gates of one word are not alike, or meet in a section");
    }
    expansion->word_step = step;
    return true;
}

static bool take_forward(struct form_expansion *expansion, struct uop *uop, uint32_t forward) {
    const struct uop *list = vec_from(expansion->out, expansion->base);
    uint32_t i = (uint32_t)(expansion->out->len - expansion->base), from = i;
    table_forward_rule_meet(&expansion->rule, i, uop->section);
    if (forward == FORWARD_RULE)
        from = table_forward_rule_find(&expansion->rule, list, uop->kind);
    else if (forward >= FORWARD_FROM)
        from = i - (forward - FORWARD_FROM);
    if (from > i)
        return fails(expansion, "a micro-op is forwarded from one that is not there");
    uop->forwarded = i - from;
    uop->pipelined = uop->forwarded != 0;
    if (plane_target(expansion->t)->partitioned && !take_word(expansion, uop))
        return false;
    if (uop->forwarded && !plane_target(expansion->t)->partitioned &&
        list[from].section + 1 != uop->section && list[from].section != uop->section + 1)
        return fails(expansion, "a micro-op is forwarded from a section that is no neighbour");
    table_forward_rule_done(&expansion->rule, i, uop->forwarded);
    return true;
}

/* The entry's operands where the loops have come to, relative to `position`. */
static bool place_operands(const struct form_expansion *expansion, const struct table_entry *entry,
                           const struct table_course *at, struct table_entry *placed) {
    const struct target_op *op = &plane_target(expansion->t)->ops[entry->op];
    *placed = *entry;
    if (plane_target(expansion->t)->sections > 1)
        return true;
    for (unsigned i = 0; i < op->nsrc + (unsigned)op->ndst; i++)
        if (!table_operand_at(expansion->t, &entry->operands[i], at->position, at->around,
                              &placed->operands[i]))
            return false;
    return true;
}

static bool take_operands(struct form_expansion *expansion, struct uop *uop,
                          const struct table_entry *entry, int position) {
    bool fine = true;
    for (unsigned i = 0; i < UOP_MAX; i++) {
        uop->src[i] = uop->dst[i] = PLANE(PLANE_NONE, 0, 0);
        if (i < uop->nsrc)
            fine &= take_plane(expansion, &entry->operands[i], position, false, &uop->src[i]);
        if (i < uop->ndst)
            fine &= take_plane(expansion, &entry->operands[uop->nsrc + i], position, true,
                               &uop->dst[i]);
        enum plane_class c = PLANE_CLASS(uop->dst[i]);
        if (expansion->masked && (c == PLANE_REGISTER || c == PLANE_C))
            uop->predicate = PLANE(PLANE_M, 0, 0);
    }
    return fine || fails(expansion, "an operand names a place that the machine does not have");
}

static bool emit(void *context, const struct table_entry *entry, const struct table_course *at) {
    struct form_expansion *x = context;
    const struct target_op *op = &plane_target(x->t)->ops[entry->op];
    struct table_entry placed;
    struct uop u = {.kind = entry->op,
                    .nsrc = op->nsrc,
                    .ndst = op->ndst,
                    .predicate = PLANE(PLANE_NONE, 0, 0)};
    int64_t position = plane_target(x->t)->sections > 1 ? at->position : 0;
    if (x->out->len - x->base == TABLE_MAX_MICRO_OPS)
        return fails(x, "a recipe has too many micro-ops");
    if (position < 0 || position > 63 || !place_operands(x, entry, at, &placed))
        return fails(x, "a micro-op works beyond the registers' bits");
    u.section = (uint16_t)((uint32_t)position % plane_target(x->t)->sections);
    if (!take_operands(x, &u, &placed, (int)position) || !take_forward(x, &u, at->forward))
        return false;
    vec_push(x->out, u);
    return true;
}

/* The constant of the instruction, moved up to where the form wants its bits. */
static uint64_t placed_constant(const struct recipe_form *form, const struct insn *insn) {
    return form->constant == CONSTANT_BITS ? (uint64_t)(int64_t)insn->imm << form->shift : 0;
}

/* Adds to *steps. */
static const char *run_form(const struct recipe_table *table, const struct recipe_form *form,
                            const struct insn *insn, bool masked, struct uop_list *out,
                            uint64_t *steps) {
    const struct table_code *c = table->code;
    const struct table_range *range = &c->forms[form - table->forms];
    uint32_t flags = isa_info(insn->op)->flags;
    struct form_expansion x = {.t = c->layout.t,
                               .insn = insn,
                               .flags = flags,
                               .constant = placed_constant(form, insn),
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

const char *table_form_expand(const struct recipe_table *table, const struct recipe_form *form,
                              const struct insn *insn, bool masked, struct uop_list *out) {
    uint64_t steps = 0;
    return run_form(table, form, insn, masked, out, &steps);
}

static const char *try_forms(const struct recipe_table *table, size_t at) {
    struct uop_list list = {0};
    const char *problem = NULL;
    uint64_t steps = 0;
    for (size_t i = 0; i < table->form_count && !problem; i++) {
        struct insn insn = table_form_insn(&table->forms[i]);
        if (table->forms[i].first < at)
            continue;
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

uint32_t recipe_table_scratch(const struct recipe_table *table, const struct recipe_form *form) {
    return table->code->scratch[form - table->forms];
}

static uint32_t pointers_in(const struct table_code *code, const struct table_range *range,
                            uint32_t seen) {
    for (uint32_t i = range->first; i < range->first + range->count; i++) {
        const struct table_entry *e = &code->entries.data[i];
        if (e->kind != ENTRY_POINTER || seen >> e->pointer & 1)
            continue;
        seen |= UINT32_C(1) << e->pointer;
        seen = pointers_in(code, &code->pointers[e->pointer], seen);
    }
    return seen;
}

uint32_t recipe_table_leads_to(const struct recipe_table *table, const struct recipe_form *form) {
    return pointers_in(table->code, &table->code->forms[form - table->forms], 0);
}
