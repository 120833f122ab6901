/* SPDX-License-Identifier: MIT
 * Which routine serves which instruction: the texts that are compiled in, then those of files. */
#include "machines/slot/library/library.h"

#include "isa-spec/builtin.h"
#include "machines/slot/library/making.h"
#include "recipe/set/set.h"
#include "support/alloc.h"
#include "support/file.h"

#include <stdlib.h>
#include <string.h>

#include "row_files.inc"

struct row_library {
    struct row_units units;
    const struct row_routine *of[OP_COUNT]; /* NULL: there is none */
    struct isa_users users;
    char hash[65];
};

static bool is_form(enum isa_op op, const struct row_routine *unit) {
    struct signature s;
    notation_signature(op, &s);
    unsigned tables = isa_has_table(op);
    if (s.in_count + tables != unit->in_count || s.out_count != unit->out_count)
        return false;
    for (unsigned i = 0; i < s.in_count; i++) /* C and M keep their names */
        if ((s.in[i] == FIELD_C) != !strcmp(unit->in[i], "C") ||
            (s.in[i] == FIELD_M) != !strcmp(unit->in[i], "M"))
            return false;
    for (unsigned i = 0; i < s.out_count; i++)
        if ((s.out[i] == FIELD_C) != !strcmp(unit->out[i], "C") ||
            (s.out[i] == FIELD_M) != !strcmp(unit->out[i], "M"))
            return false;
    return true;
}

/* The instruction of that name and those operands, of which there may be two. */
static enum isa_op op_of(const struct row_library *l, const struct row_routine *unit) {
    enum isa_op op = isa_users_find(&l->users, unit->name, strlen(unit->name));
    while (op != OP_COUNT && !(recipe_info(op)->flags & ISA_VECTOR && is_form(op, unit)))
        op = isa_next_form(op);
    return op;
}

static bool take_unit(struct row_library *l, const struct row_routine *unit, struct diag *diag) {
    enum isa_op op = op_of(l, unit);
    if (op == OP_COUNT) {
        bool known = isa_users_find(&l->users, unit->name, strlen(unit->name)) != OP_COUNT;
        diag_error(diag, unit->at,
                   known ? "'%s' has other operands" : "there is no instruction '%s'", unit->name);
        return false;
    }
    l->of[op] = unit;
    return true;
}

static struct user_file *all_files(const struct user_file *files, size_t count, size_t *all) {
    struct user_file *list = xcalloc(BUILTIN_COUNT + count, sizeof *list);
    for (size_t i = 0; i < BUILTIN_COUNT; i++)
        list[i] =
            (struct user_file){builtin_list[i].path, builtin_list[i].text, builtin_list[i].size};
    if (count)
        memcpy(list + BUILTIN_COUNT, files, count * sizeof *files);
    *all = BUILTIN_COUNT + count;
    return list;
}

static bool read_files(struct row_library *l, const struct user_file *files, size_t count,
                       struct diag *diag) {
    struct str texts = {0};
    bool fine = true;
    for (size_t i = 0; i < count; i++) {
        bool own = i >= BUILTIN_COUNT;
        uint32_t source = own ? diag_source(diag, files[i].name, files[i].text, files[i].size) : 0;
        fine &= !own || isa_users_read(&l->users, &l->units.arena, source, files[i].text,
                                       files[i].size, diag);
        fine &= row_notation_read(&l->units, &files[i], own, diag);
        str_append_n(&texts, files[i].text, files[i].size);
        str_char(&texts, '\0');
    }
    sha256_hex(str_text(&texts), texts.len, l->hash);
    str_free(&texts);
    return fine;
}

void row_library_close(struct row_library *library) {
    if (!library)
        return;
    vec_free(&library->units.list);
    vec_free(&library->units.sources);
    arena_free(&library->units.arena);
    free(library);
}

const char *row_library_hash(const struct row_library *library) {
    return library->hash;
}

bool row_library_has(const struct row_library *library, enum isa_op op) {
    return library->of[op] != NULL;
}

const char *row_library_origin(const struct row_library *library, enum isa_op op) {
    return library->of[op] ? library->of[op]->origin : NULL;
}

void row_library_text(const struct row_library *library, enum isa_op op, struct str *out) {
    if (library->of[op])
        str_append_n(out, library->of[op]->text, library->of[op]->size);
}

static void free_making(struct row_making *m) {
    for (size_t i = 0; i < m->tables.len; i++)
        free((void *)(uintptr_t)m->tables.data[i].entries);
    for (size_t i = 0; i < m->arrays.len; i++)
        free(m->arrays.data[i]);
    vec_free(&m->tables);
    vec_free(&m->arrays);
    vec_free(&m->items);
    vec_free(&m->lists);
    vec_free(&m->names);
}

/* A routine, and how its program is to be made. */
struct making_of {
    const struct row_library *library;
    const struct row_routine *unit;
    const struct insn *insn;
    const struct row_wanted *wanted;
};

/* Where it fails *at is set and *problem appended to; *too_long: for its words alone. */
static bool make_so(const struct making_of *x, bool fewest_words, struct row_pool *pool,
                    struct row_program *program, struct span *at, bool *too_long,
                    struct str *problem) {
    struct row_making m = {.library = x->library,
                           .units = &x->library->units,
                           .insn = x->insn,
                           .wanted = x->wanted,
                           .w = x->insn->width ? x->insn->width : 1,
                           .slot = x->wanted->slot,
                           .fewest_words = fewest_words,
                           .problem = problem};
    *program = (struct row_program){.scratch = 0};
    bool fine = row_make(&m, x->unit, pool, program);
    if (!fine)
        row_program_free(program);
    *at = m.at.source ? m.at : x->unit->at;
    *too_long = m.too_long;
    free_making(&m);
    return fine;
}

/* Makes the program of a unit: the cheapest, or where that has too many words the shortest. */
static bool make_program(const struct row_library *library, const struct row_routine *unit,
                         const struct insn *insn, const struct row_wanted *wanted,
                         struct row_pool *pool, struct row_program *program, struct span *at,
                         struct str *problem) {
    const struct making_of x = {library, unit, insn, wanted};
    bool too_long;
    struct str first = {0};
    bool fine = make_so(&x, false, pool, program, at, &too_long, &first);
    if (!fine && too_long)
        fine = make_so(&x, true, pool, program, at, &too_long, problem);
    else if (!fine)
        str_append(problem, str_text(&first));
    str_free(&first);
    return fine;
}

/* "sbox.recipe:12: " */
static void place_text(const struct row_library *library, struct span at, struct str *out) {
    for (size_t i = 0; i < library->units.sources.len; i++) {
        const struct row_source *s = &library->units.sources.data[i];
        unsigned line = 1;
        if (s->number != at.source)
            continue;
        for (size_t b = 0; b < at.begin && b < s->size; b++)
            line += s->text[b] == '\n';
        str_printf(out, "%s:%u: ", s->name, line);
    }
}

bool row_program_for(const struct row_library *library, const struct insn *insn,
                     const struct row_wanted *wanted, struct row_pool *pool,
                     struct row_program *program, struct str *problem) {
    const struct row_routine *unit = library->of[insn->op];
    struct str what = {0};
    struct span at;
    *program = (struct row_program){.scratch = 0};
    if (!unit) {
        str_append(problem, "there is no row program for it");
        return false;
    }
    if (isa_has_table(insn->op) && !insn->table) {
        str_append(problem, "what carries it out depends on its table");
        return false;
    }
    bool fine = make_program(library, unit, insn, wanted, pool, program, &at, &what);
    if (!fine) {
        place_text(library, at, problem);
        str_append(problem, str_text(&what));
    }
    str_free(&what);
    return fine;
}

/* ---- a user's own, when they are read ---- */

/* One form: it can be made, and reads nothing that was not written. */
static bool try_form(const struct row_library *l, const struct row_routine *unit,
                     const struct insn *insn, const struct row_wanted *wanted, struct diag *diag) {
    struct row_pool pool = {.slot = wanted->slot};
    struct row_program program;
    struct str problem = {0};
    struct span at;
    const char *wrong = NULL;
    bool fine = make_program(l, unit, insn, wanted, &pool, &program, &at, &problem);
    if (fine)
        wrong = row_program_check(&program, &pool, recipe_info(insn->op)->flags, wanted->slot);
    if (wrong)
        str_append(&problem, wrong);
    if (!fine || wrong) {
        diag_error(diag, at, "%s", str_text(&problem));
        diag_note(diag, unit->at, "in '%s' at width %u in slots of %u", unit->name,
                  (unsigned)insn->width, wanted->slot);
    }
    if (fine)
        row_program_free(&program);
    row_pool_free(&pool);
    str_free(&problem);
    return fine && !wrong;
}

/* At widths that find what goes wrong at ends, in the least slot and in the widest. */
static bool try_unit(const struct row_library *l, enum isa_op op, struct diag *diag) {
    static const uint8_t widths[] = {1, 2, 3, 4, 5, 8, 13, 16, 32, 33, 63, 64};
    struct row_wanted wanted = {.max_rows = 512, .costs = {row_act_pre, NULL}};
    static const uint64_t entries[2] = {0, 1};
    for (size_t i = 0; i < 2 * sizeof widths; i++) {
        struct isa_lut lut = {1, widths[i / 2], entries};
        struct insn insn = {.op = op, .width = widths[i / 2], .imm = 1, .table = &lut};
        wanted.slot = 64;
        while (i % 2 && wanted.slot / 2 >= insn.width)
            wanted.slot /= 2;
        if (!try_form(l, l->of[op], &insn, &wanted, diag))
            return false;
    }
    return true;
}

static bool try_own(const struct row_library *l, struct diag *diag) {
    bool fine = true;
    for (unsigned op = 0; op < OP_COUNT; op++)
        if (l->of[op] && l->of[op]->origin)
            fine &= try_unit(l, (enum isa_op)op, diag);
    return fine;
}

struct row_library *row_library_open(const struct user_file *files, size_t count,
                                     struct diag *diag) {
    struct row_library *l = xcalloc(1, sizeof *l);
    size_t all;
    struct user_file *list = all_files(files, count, &all);
    bool fine = read_files(l, list, all, diag);
    for (size_t i = 0; i < l->units.list.len && fine; i++)
        fine = l->units.list.data[i]->sub || take_unit(l, l->units.list.data[i], diag);
    fine = fine && try_own(l, diag);
    free(list);
    if (fine)
        return l;
    row_library_close(l);
    return NULL;
}
