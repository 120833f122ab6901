/* SPDX-License-Identifier: MIT */
#include "machines/plane/link/plane.h"
#include "machines/plane/link/formats.h"

#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- library ---- */

static struct machine_library *open_library(const struct target *t, const struct user_file *files,
                                            size_t count, struct diag *d) {
    struct recipe_set *recipes =
        count ? recipe_set_open_files(t, files, count, d) : recipe_set_open(t, d);
    if (!recipes)
        return NULL;
    struct plane_library *l = xcalloc(1, sizeof *l);
    l->recipes = recipes;
    return &l->base;
}

static void close_library(struct machine_library *l) {
    recipe_set_free(((struct plane_library *)(void *)l)->recipes);
    free(l);
}

static const char *hash(const struct machine_library *l) {
    return recipe_set_hash(plane_recipes(l));
}

static bool has(const struct machine_library *l, enum mpu_op op) {
    return recipe_exists(plane_recipes(l), op);
}

static void why_not(const struct machine_library *l, enum mpu_op op, struct str *out) {
    const struct recipe_set *s = plane_recipes(l);
    const char *missing = recipe_origin(s, op) ? mapping_missing_function(s) : NULL;
    if (missing)
        str_printf(out, ": its micro-ops cannot make %s", missing);
}

/* ---- fit ---- */

/* A recipe may exist and yet not fit: too few sections for the width, or too little scratch. */
static bool fits(const struct machine_library *l, const struct insn *insn, struct str *problem) {
    struct diag *quiet = diag_new(NULL, NULL);
    struct uop_list uops = {0};
    bool fine = recipe_expand(plane_recipes(l), insn, false, &uops, quiet) &&
                recipe_expand(plane_recipes(l), insn, true, &uops, quiet);
    if (!fine)
        str_append(problem, diag_first(quiet));
    vec_free(&uops);
    diag_free(quiet);
    return fine;
}

/* ---- code ---- */

/* Vector instructions of the text, in order; the caller frees them. */
static struct insn *vector_insns(const struct text *text, size_t *count) {
    struct insn *insns = xcalloc((size_t)text->len + 1, sizeof *insns);
    *count = 0;
    for (uint32_t i = 0; i < text->len; i++)
        if (insn_flags(&text->insns[i]) & ISA_VECTOR)
            insns[(*count)++] = text->insns[i];
    return insns;
}

static struct plane_code *code_new(struct recipe_table *table) {
    struct plane_code *c = xcalloc(1, sizeof *c);
    c->base.machine = &plane_machine;
    c->table = table;
    return c;
}

static void list_parts(struct plane_code *c) {
    const struct recipe_table *t = c->table;
    c->parts = xcalloc(t->form_count + 1, sizeof *c->parts);
    c->shared = xcalloc(t->pointer_count + 1, sizeof *c->shared);
    for (size_t i = 0; i < t->form_count; i++)
        c->parts[i] = (struct machine_part){t->forms[i].first, t->forms[i].count,
                                            recipe_table_leads_to(t, &t->forms[i])};
    for (size_t i = 0; i < t->pointer_count; i++)
        c->shared[i] = (struct machine_part){t->pointers[i] >> 10, (t->pointers[i] & 1023) + 1, 0};
}

static struct machine_code *build(const struct machine_library *l, const struct machine_program *p,
                                  struct diag *d) {
    size_t count;
    struct insn *insns = vector_insns(p->text, &count);
    struct recipe_table *table = recipe_table_build(l->target, plane_recipes(l), insns, count, d);
    free(insns);
    if (!table)
        return NULL;
    if (table->template_count > TABLE_TEMPLATES)
        diag_warning(d, W_RECIPE_TABLE, NO_SPAN,
                     "the recipes of the program take %zu templates; the recipe table of target "
                     "'%s' holds %d and will be loaded again and again",
                     table->template_count, l->target->name, TABLE_TEMPLATES);
    struct plane_code *c = code_new(table);
    list_parts(c);
    return &c->base;
}

static void write_code(const struct machine_code *c, struct str *out) {
    recipe_table_write(plane_table(c), out);
}

static struct machine_code *read_code(const void *bytes, size_t size, const char **problem) {
    struct recipe_table *table = recipe_table_read(bytes, size, problem);
    return table ? &code_new(table)->base : NULL;
}

static bool ready(struct machine_code *c, const struct machine_library *l,
                  const struct machine_program *p) {
    struct plane_code *own = (struct plane_code *)(void *)c;
    const char *problem;
    size_t count;
    bool fine = own->table->code || recipe_table_open(own->table, l->target, &problem);
    struct insn *insns = vector_insns(p->text, &count);
    for (size_t i = 0; fine && i < count; i++)
        fine = recipe_table_find(own->table, &insns[i], false) &&
               recipe_table_find(own->table, &insns[i], true);
    free(insns);
    if (fine && !own->parts)
        list_parts(own);
    return fine;
}

static void free_code(struct machine_code *c) {
    struct plane_code *own = (struct plane_code *)(void *)c;
    recipe_table_free(own->table);
    free(own->parts);
    free(own->shared);
    free(own);
}

/* ---- rows ---- */

/* Bit j of a register lies in section j mod sections. */
static uint64_t rows_needed(const uint8_t bits[64], uint32_t sections, uint32_t section) {
    uint64_t rows = 0;
    for (unsigned r = 0; r < 64; r++)
        for (unsigned j = section; j < bits[r]; j += sections)
            rows++;
    return rows;
}

/* The most that one instruction needs, masked where it can be; scratch lies in all sections alike.
 */
static void count_scratch(const struct recipe_table *t, const struct text *text,
                          struct machine_rows *out) {
    uint8_t *masks = xcalloc((size_t)text->len + 1, 1);
    object_text_find_masks(text, masks);
    for (uint32_t i = 0; i < 2 * text->len; i++) {
        const struct insn *insn = &text->insns[i / 2];
        bool masked = i & 1;
        if (!(insn_flags(insn) & ISA_VECTOR) ||
            !(masks[i / 2] & (masked ? TEXT_MASKED : TEXT_PLAIN)))
            continue;
        const struct recipe_form *f = recipe_table_find(t, insn, masked);
        uint32_t rows = f ? recipe_table_scratch(t, f) : 0;
        if (rows <= out->scratch)
            continue;
        out->scratch = rows;
        out->needs = i / 2;
        out->masked = masked;
    }
    free(masks);
}

void plane_rows(const struct target *t, const struct machine_code *c,
                const struct machine_program *p, struct machine_rows *out) {
    const struct plane_target *own = plane_target(t);
    *out =
        (struct machine_rows){.there = technology_rows_there(t), .state = technology_state_rows(t)};
    for (uint32_t s = 0; s < own->sections; s++) {
        uint64_t need = rows_needed(p->reg_bits, own->sections, s);
        if (need <= out->registers)
            continue;
        out->registers = need;
        out->section = s;
    }
    if (c && plane_table(c)->code)
        count_scratch(plane_table(c), p->text, out);
}

/* ---- load ---- */

/* Templates and pointers, bit by bit. */
static uint64_t table_bytes(const struct recipe_table *t) {
    return ((uint64_t)t->template_count * TABLE_TEMPLATE_BITS +
            (uint64_t)t->pointer_count * TABLE_POINTER_BITS + 7) /
           8;
}

static void load(const struct machine_code *c, struct machine_load *out) {
    const struct plane_code *own = (const struct plane_code *)(const void *)c;
    *out = (struct machine_load){.parts = own->parts,
                                 .part_count = (uint32_t)own->table->form_count,
                                 .shared = own->shared,
                                 .shared_count = (uint32_t)own->table->pointer_count,
                                 .words = (uint32_t)own->table->template_count,
                                 .bytes = table_bytes(own->table)};
}

static uint32_t part_of(const struct machine_code *c, const struct text *text, uint32_t index,
                        bool masked) {
    const struct recipe_table *t = plane_table(c);
    const struct recipe_form *f = recipe_table_find(t, &text->insns[index], masked);
    return f ? (uint32_t)(f - t->forms) : MACHINE_NO_PART;
}

const struct machine plane_machine = {
    .kind = &technology_target_kind,
    .open = open_library,
    .close = close_library,
    .hash = hash,
    .has = has,
    .why_not = why_not,
    .fits = fits,
    .code_version = 1,
    .build = build,
    .write = write_code,
    .read = read_code,
    .ready = ready,
    .free = free_code,
    .rows = plane_rows,
    .print = plane_print,
    .print_map = plane_print_map,
    .load = load,
    .part_of = part_of,
    .formats = plane_formats,
};
