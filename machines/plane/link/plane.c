/* SPDX-License-Identifier: MIT
 * The library of a plane machine is its set of recipes; its code is a recipe table with one form
 * for each that a program needs. */
#include "machines/plane/link/plane.h"
#include "machines/plane/link/formats.h"
#include "machines/plane/link/host_kernel.h"

#include "recipe/prove/prove.h"
#include "support/alloc.h"
#include "support/hash_table.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- library ---- */

static struct machine_library *open_library(const struct target *target,
                                            const struct user_file *files, size_t count,
                                            struct diag *diag) {
    struct recipe_set *recipes =
        count ? recipe_set_open_files(target, files, count, diag) : recipe_set_open(target, diag);
    if (!recipes)
        return NULL;
    struct plane_library *l = xcalloc(1, sizeof *l);
    l->recipes = recipes;
    l->keeps_forms = true;
    return &l->base;
}

static void close_library(struct machine_library *library) {
    struct plane_library *l = (struct plane_library *)(void *)library;
    if (l->forms)
        l->free_forms(l->forms);
    recipe_set_free(l->recipes);
    free(library);
}

static void keep(struct machine_library *library, const char *folder) {
    recipe_set_keep(((struct plane_library *)(void *)library)->recipes, folder);
}

static const char *hash(const struct machine_library *library) {
    return recipe_set_hash(plane_recipes(library));
}

static bool has(const struct machine_library *library, enum isa_op op) {
    return isa_has_table(op) ? recipe_looks_up(plane_recipes(library))
                             : recipe_exists(plane_recipes(library), op);
}

static void why_not(const struct machine_library *library, enum isa_op op, struct str *out) {
    const struct recipe_set *s = plane_recipes(library);
    const char *missing = recipe_origin(s, op) ? mapping_why_missing(s) : NULL;
    const char *place = plane_target(library->target)->ops_place;
    struct str reason = {0};
    if (missing)
        str_printf(out, ": its micro-ops %s", missing);
    else if (recipe_reason(s, op, &reason))
        str_printf(out, ": %s", str_text(&reason));
    else
        place = NULL;
    if (place)
        str_printf(out, " (%s: 'ops')", place);
    str_free(&reason);
}

/* ---- fit ---- */

/* A recipe may exist and yet not fit: too few sections for the width, or too little scratch. */
static bool fits(const struct machine_library *library, const struct insn *insn,
                 const struct machine_kin *kin, struct str *problem) {
    (void)kin;
    return recipe_fits(plane_recipes(library), insn, problem);
}

static enum machine_trial try_form(const struct machine_library *library, const struct insn *insn,
                                   bool masked, struct diag *diag) {
    const struct recipe_set *s = plane_recipes(library);
    if (!recipe_is_own(s, insn, masked))
        return TRIAL_NEEDLESS;
    return recipe_try(s, insn, masked, diag) ? TRIAL_HOLDS : TRIAL_FAILS;
}

static enum machine_proof prove_form(const struct machine_library *library, const struct insn *insn,
                                     bool masked, unsigned *undecided, struct diag *diag) {
    const struct recipe_set *s = plane_recipes(library);
    if (!recipe_is_users(s, insn, masked))
        return PROOF_NEEDLESS;
    switch (prove_own(s, insn, masked, undecided, diag)) {
    case PROVE_HOLDS:
        return PROOF_HOLDS;
    case PROVE_FAILS:
        return PROOF_FAILS;
    default:
        return PROOF_NONE;
    }
}

/* ---- code ---- */

/* Vector instructions of the text that may be carried out, in order; the caller frees them. */
static struct insn *vector_insns(const struct machine_program *program, size_t *count) {
    const struct text *text = program->text;
    struct insn *insns = xcalloc((size_t)text->len + 1, sizeof *insns);
    *count = 0;
    for (uint32_t i = 0; i < text->len; i++)
        if (insn_flags(&text->insns[i]) & ISA_VECTOR && machine_is_taken(program, i))
            insns[(*count)++] = text->insns[i];
    return insns;
}

static struct plane_code *code_new(struct recipe_table *table) {
    struct plane_code *c = xcalloc(1, sizeof *c);
    c->base.machine = &plane_machine;
    c->table = table;
    return c;
}

/* Of the templates of a part, and of those that it leads to. */
static uint64_t key_of(const struct plane_code *code, const struct machine_part *part) {
    uint64_t key = hash_bytes(code->table->templates + part->first,
                              part->count * sizeof *code->table->templates);
    for (size_t i = 0; i < code->table->pointer_count; i++)
        if (part->needs >> i & 1)
            key = (key ^ code->shared[i].key) * 0x9e3779b97f4a7c15u + i;
    return key;
}

static void list_parts(struct plane_code *code) {
    const struct recipe_table *t = code->table;
    code->parts = xcalloc(t->form_count + 1, sizeof *code->parts);
    code->shared = xcalloc(t->pointer_count + 1, sizeof *code->shared);
    for (size_t i = 0; i < t->pointer_count; i++)
        code->shared[i] =
            (struct machine_part){t->pointers[i] >> 10, (t->pointers[i] & 1023) + 1, 0, 0};
    for (size_t i = 0; i < t->pointer_count; i++)
        code->shared[i].key = key_of(code, &code->shared[i]);
    for (size_t i = 0; i < t->form_count; i++) {
        code->parts[i] = (struct machine_part){t->forms[i].first, t->forms[i].count,
                                               recipe_table_leads_to(t, &t->forms[i]), 0};
        code->parts[i].key = key_of(code, &code->parts[i]);
    }
}

/* Says once which instructions of the program need not do what the ISA says. */
static void warn_of_unlike(const struct recipe_set *set, const struct insn *insns, size_t count,
                           struct diag *diag) {
    bool seen[OP_COUNT] = {false};
    struct str names = {0};
    for (size_t i = 0; i < count; i++) {
        enum isa_op op = insns[i].op;
        if (seen[op] || !recipe_is_unlike(set, op))
            continue;
        seen[op] = true;
        str_printf(&names, "%s%s", names.len ? ", " : "", isa_info(op)->name);
    }
    if (names.len)
        diag_warning(diag, W_COMPAT, NO_SPAN,
                     "arith: compat: results are those of published routines, which are not the "
                     "ISA's everywhere: %s",
                     str_text(&names));
    str_free(&names);
}

static struct machine_code *build(const struct machine_library *library,
                                  const struct machine_program *program, struct diag *diag) {
    size_t count;
    if (!recipe_arith_check(plane_recipes(library), diag))
        return NULL;
    struct insn *insns = vector_insns(program, &count);
    struct recipe_table *table =
        recipe_table_build(library->target, plane_recipes(library), insns, count, diag);
    struct plane_code *c = table ? code_new(table) : NULL;
    if (c) {
        warn_of_unlike(plane_recipes(library), insns, count, diag);
        plane_logic_add(&c->logic, plane_recipes(library), insns, count);
    }
    free(insns);
    if (!c)
        return NULL;
    if (table->template_count > TABLE_TEMPLATES && library->target->control != CONTROL_STREAM)
        diag_warning(diag, W_RECIPE_TABLE, NO_SPAN,
                     "the recipes of the program take %zu templates; the recipe table of target "
                     "'%s' holds %d and will be loaded again and again",
                     table->template_count, library->target->name, TABLE_TEMPLATES);
    list_parts(c);
    return &c->base;
}

static void write_code(const struct machine_code *code, struct str *out) {
    recipe_table_write(plane_table(code), out);
    plane_logic_write(&((const struct plane_code *)(const void *)code)->logic, out);
}

static struct machine_code *read_code(const void *bytes, size_t size, const char **problem) {
    size_t used;
    struct recipe_table *table = recipe_table_read_first(bytes, size, &used, problem);
    struct plane_code *c = table ? code_new(table) : NULL;
    if (!c || plane_logic_read(&c->logic, (const char *)bytes + used, size - used, problem))
        return c ? &c->base : NULL;
    machine_code_free(&c->base);
    return NULL;
}

static bool ready(struct machine_code *code, const struct machine_library *library,
                  const struct machine_program *program) {
    struct plane_code *own = (struct plane_code *)(void *)code;
    const char *problem;
    size_t count;
    bool fine = own->table->code || recipe_table_open(own->table, library->target, &problem);
    struct insn *insns = vector_insns(program, &count);
    for (size_t i = 0; fine && i < count; i++)
        fine = recipe_table_find(own->table, &insns[i], false) &&
               recipe_table_find(own->table, &insns[i], true);
    if (fine)
        plane_logic_take(&own->logic, plane_recipes(library), insns, count);
    if (fine && !own->logic.len) /* of a package without, as they were once */
        plane_logic_add(&own->logic, plane_recipes(library), insns, count);
    free(insns);
    if (fine && !own->parts)
        list_parts(own);
    return fine;
}

static void free_code(struct machine_code *code) {
    struct plane_code *own = (struct plane_code *)(void *)code;
    recipe_table_free(own->table);
    plane_logic_free(&own->logic);
    free(own->parts);
    free(own->shared);
    free(own);
}

/* ---- rows ---- */

/* Bit j of a register lies in section j mod sections: of all of them the first holds most. */
static uint64_t rows_needed(const uint8_t bits[64], uint32_t sections) {
    uint64_t rows = 0;
    for (unsigned r = 0; r < 64; r++)
        rows += (bits[r] + sections - 1) / sections;
    return rows;
}

/* The most that one instruction needs, masked where it can be; scratch lies in all sections alike.
 */
static void count_scratch(const struct recipe_table *table, const struct machine_program *program,
                          struct machine_rows *out) {
    const struct text *text = program->text;
    uint8_t *masks = xcalloc((size_t)text->len + 1, 1);
    object_text_find_masks(text, masks);
    for (uint32_t i = 0; i < 2 * text->len; i++) {
        const struct insn *insn = &text->insns[i / 2];
        bool masked = i & 1;
        if (!(insn_flags(insn) & ISA_VECTOR) || !machine_is_taken(program, i / 2) ||
            !(masks[i / 2] & (masked ? TEXT_MASKED : TEXT_PLAIN)))
            continue;
        const struct recipe_form *f = recipe_table_find(table, insn, masked);
        uint32_t rows = f ? recipe_table_scratch(table, f) : 0;
        if (rows <= out->scratch)
            continue;
        out->scratch = rows;
        out->needs = i / 2;
        out->masked = masked;
    }
    free(masks);
}

/* Nothing but kernels works on VRFs: there is no mask, and no constant. */
static bool is_kernels_alone(const struct text *text) {
    bool some = false;
    for (uint32_t i = 0; text && i < text->len; i++) {
        if (text->insns[i].op == OP_COMPUTE || text->insns[i].op == OP_COMPUTEG)
            return false;
        some |= text->insns[i].op == OP_RECIPE;
    }
    return some;
}

/* Scratch rows of what is sent beside instructions where VRFs hang in a tree: two words of a lane
 * and two rows of AND for a question; one register of up to 64 bits, and as much for MOV, for what
 * copies and INDEX take by way of scratch rows. */
#define SENT_SCRATCH 4

static bool is_sent(const struct insn *insn) {
    return insn->op == OP_JUMP_COND || insn->op == OP_JUMP_NONE || insn->op == OP_JUMP_ANY ||
           insn->op == OP_INDEX || insn->op == OP_GMOVE ||
           (insn->op < OP_COUNT && isa_info(insn->op)->format == FORMAT_M);
}

static void count_sent(const struct text *text, struct machine_rows *out) {
    for (uint32_t i = 0; i < text->len && out->scratch < SENT_SCRATCH; i++) {
        if (!is_sent(&text->insns[i]))
            continue;
        out->scratch = SENT_SCRATCH;
        out->needs = i;
        out->masked = false;
    }
}

/* As struct machine has it. */
static void plane_rows(const struct target *target, const struct machine_code *code,
                       const struct machine_program *program, uint32_t kin,
                       struct machine_rows *out) {
    const struct plane_target *own = plane_target(target);
    bool kernels = is_kernels_alone(program->text);
    *out = (struct machine_rows){.unit = own->partitioned ? "column" : "row",
                                 .bits = own->sections,
                                 .there = kernels ? own->rows : technology_rows_there(target),
                                 .registers =
                                     rows_needed(machine_kin_bits(program, kin), own->sections),
                                 .state = kernels ? 0 : technology_state_rows(target)};
    if (code && plane_table(code)->code)
        count_scratch(plane_table(code), program, out);
    if (target->network == NETWORK_HTREE)
        count_sent(program->text, out);
}

static struct machine_room room(const struct target *target, unsigned slot) {
    uint32_t there = technology_rows_there(target), state = technology_state_rows(target);
    (void)slot;
    return (struct machine_room){plane_target(target)->sections, there > state ? there - state : 0,
                                 target->lanes};
}

/* ---- load ---- */

/* Templates and pointers, bit by bit. */
static uint64_t table_bytes(const struct recipe_table *table) {
    return ((uint64_t)table->template_count * TABLE_TEMPLATE_BITS +
            (uint64_t)table->pointer_count * TABLE_POINTER_BITS + 7) /
           8;
}

static void load(const struct machine_code *code, struct machine_load *out) {
    const struct plane_code *own = (const struct plane_code *)(const void *)code;
    *out = (struct machine_load){.parts = own->parts,
                                 .part_count = (uint32_t)own->table->form_count,
                                 .shared = own->shared,
                                 .shared_count = (uint32_t)own->table->pointer_count,
                                 .words = (uint32_t)own->table->template_count,
                                 .word_bits = TABLE_TEMPLATE_BITS,
                                 .shared_bits = TABLE_POINTER_BITS,
                                 .bytes = table_bytes(own->table)};
}

static uint32_t part_of(const struct machine_code *code, const struct text *text, uint32_t index,
                        uint32_t kin, bool masked) {
    (void)kin;
    const struct recipe_table *t = plane_table(code);
    const struct recipe_form *f = recipe_table_find(t, &text->insns[index], masked);
    return f ? (uint32_t)(f - t->forms) : MACHINE_NO_PART;
}

static const struct machine_form *const forms[] = {&plane_host_form, NULL};

const struct machine plane_machine = {
    .kind = &technology_target_kind,
    .open = open_library,
    .close = close_library,
    .keep = keep,
    .hash = hash,
    .has = has,
    .why_not = why_not,
    .fits = fits,
    .try = try_form,
    .prove = prove_form,
    .code_version = 1,
    .build = build,
    .write = write_code,
    .read = read_code,
    .ready = ready,
    .free = free_code,
    .rows = plane_rows,
    .room = room,
    .print = plane_print,
    .print_map = plane_print_map,
    .load = load,
    .part_of = part_of,
    .forms = forms,
    .formats = plane_formats,
};
