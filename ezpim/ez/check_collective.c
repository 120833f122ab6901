/* SPDX-License-Identifier: MIT
 * Collectives: what all MPUs of the array do together. */
#include "ezpim/ez/check_top.h"

#include <string.h>

uint32_t ez_mpu_number(const struct ez_unit *unit, const uint32_t *place) {
    uint32_t number = 0;
    for (uint32_t d = 0; d < unit->grid_dims; d++)
        number = number * unit->grid[d] + place[d];
    return number;
}

void ez_mpu_place(const struct ez_unit *unit, uint32_t number, uint32_t *place) {
    for (uint32_t d = unit->grid_dims; d-- > 0; number /= unit->grid[d])
        place[d] = number % unit->grid[d];
}

uint32_t ez_mpu_count(const struct ez_unit *unit) {
    uint32_t count = 1;
    for (uint32_t d = 0; d < unit->grid_dims; d++)
        count *= unit->grid[d];
    return count;
}

struct ez_symbol *ez_check_whole(struct checker *checker, struct expr *expr) {
    struct ez_symbol *s = ez_find_variable(checker, expr);
    if (!s)
        return NULL;
    if (expr->kind == EXPR_INDEX) {
        diag_error(checker->u->diag, expr->at, "all of `%s` is taken: it has no indices here",
                   s->name.text);
        return NULL;
    }
    if (s->var.group && s->var.group->layout.on_mpus)
        return s;
    diag_error(checker->u->diag, expr->at,
               "`%s` is not of a group that each MPU has its own elements of", s->name.text);
    diag_note(checker->u->diag, s->var.group ? s->var.group->name.at : s->name.at,
              s->var.group ? "such a group is declared `on` an array of MPUs" : "it has no group");
    return NULL;
}

/* The word in front of the MPU that has, or gets, it all; NULL: there is none. */
static const char *root_word(enum collective_kind kind) {
    switch (kind) {
    case COLLECTIVE_BROADCAST:
    case COLLECTIVE_SCATTER:
        return "from";
    case COLLECTIVE_GATHER:
    case COLLECTIVE_REDUCE:
        return "to";
    default:
        return NULL;
    }
}

bool ez_check_root(struct checker *checker, struct stmt *stmt, const char *name, const char *want,
                   uint32_t *place) {
    const char *grid = checker->u->mpus ? checker->u->mpus->name.text : "ring";
    if (!stmt->operand_count) {
        diag_error(checker->u->diag, stmt->at, "`%s` needs an MPU: `%s %s[%s]`", name, want, grid,
                   checker->u->grid_dims == 2 ? "0, 0" : "0");
        return false;
    }
    if (strcmp(stmt->operands[0]->name.text, want) != 0) {
        diag_error(checker->u->diag, stmt->operands[0]->at, "`%s` says `%s` which MPU", name, want);
        diag_fixit(checker->u->diag, stmt->operands[0]->at, want);
        return false;
    }
    return ez_check_mpu(checker, stmt->operands[1], place);
}

static bool check_own_root(struct checker *checker, struct stmt *stmt,
                           struct ez_collective *collective) {
    const char *word = root_word(collective->kind), *name = ez_collective_text(collective->kind);
    collective->has_root = word != NULL;
    if (word)
        return ez_check_root(checker, stmt, name, word, collective->root);
    if (!stmt->operand_count)
        return true;
    diag_error(checker->u->diag, stmt->operands[0]->at,
               "`%s` concerns all MPUs alike: `%s` ends here", name, name);
    return false;
}

static bool registers_are(struct checker *checker, const struct stmt *stmt,
                          const struct ez_symbol *symbol, uint64_t want, const char *why) {
    if (symbol->count == want)
        return true;
    diag_error(checker->u->diag, stmt->at,
               "`%s` needs `%s` to have %llu register%s%s, and it has %u",
               ez_collective_text((enum collective_kind)stmt->op), symbol->name.text,
               (unsigned long long)want, want == 1 ? "" : "s", why, symbol->count);
    return false;
}

/* How many registers both sides have. */
static bool check_registers(struct checker *checker, const struct stmt *stmt,
                            const struct ez_collective *collective) {
    uint64_t mpus = ez_mpu_count(checker->u);
    static const char each[] = ", one for each MPU and register of the other side";
    switch (collective->kind) {
    case COLLECTIVE_SCATTER:
        return registers_are(checker, stmt, collective->from, mpus * collective->to->count, each);
    case COLLECTIVE_GATHER:
    case COLLECTIVE_ALLGATHER:
        return registers_are(checker, stmt, collective->to, mpus * collective->from->count, each);
    case COLLECTIVE_ALLTOALL:
        return registers_are(checker, stmt, collective->from, collective->to->count,
                             ", as the other side has") &&
               (collective->to->count % mpus == 0 ||
                registers_are(checker, stmt, collective->to, mpus,
                              ", or a multiple, for the MPUs"));
    case COLLECTIVE_TRANSPOSE:
        if (checker->u->grid_dims == 1 &&
            !registers_are(checker, stmt, collective->from, mpus, ", one for each MPU"))
            return false;
        break;
    default:
        break;
    }
    return registers_are(checker, stmt, collective->to, collective->from->count,
                         ", as the other side has");
}

static bool check_square(struct checker *checker, const struct stmt *stmt) {
    if (checker->u->grid_dims != 2 || checker->u->grid[0] == checker->u->grid[1])
        return true;
    diag_error(checker->u->diag, stmt->at,
               "`transpose` exchanges the coordinates of MPUs: `%s` is not square, but %u by %u",
               checker->u->mpus->name.text, checker->u->grid[0], checker->u->grid[1]);
    return false;
}

static bool check_sides(struct checker *checker, const struct stmt *stmt,
                        const struct ez_collective *collective) {
    const struct expr *source = stmt->value ? stmt->value : stmt->target;
    if (collective->to->var.group != collective->from->var.group) {
        diag_error(checker->u->diag, stmt->at, "`%s` is of the group `%s`, and `%s` of `%s`",
                   collective->to->name.text, collective->to->var.group->name.text,
                   collective->from->name.text, collective->from->var.group->name.text);
        return false;
    }
    if (!ez_type_same(collective->to->type.type, collective->from->type.type)) {
        diag_error(checker->u->diag, source->at, "`%s` is %s, and `%s` is %s: `%s` changes no type",
                   collective->from->name.text, ez_type_name(checker, collective->from->type.type),
                   collective->to->name.text, ez_type_name(checker, collective->to->type.type),
                   ez_collective_text(collective->kind));
        return false;
    }
    return check_registers(checker, stmt, collective) &&
           (collective->kind != COLLECTIVE_TRANSPOSE || check_square(checker, stmt));
}

static bool check_operation(struct checker *checker, const struct stmt *stmt,
                            struct ez_collective *collective) {
    static const char *const words[] = {"sum", "min", "max", "and", "or", "xor", "any", "all"};
    bool is_bool = ez_type_is_bool(collective->from->type);
    collective->operation = ez_find_reduction(stmt->name.text);
    if (collective->operation > REDUCE_ALL) {
        diag_error(checker->u->diag, stmt->name.at,
                   "`%s` reduces by sum, min, max, and, or, xor, any or all, not by `%s`",
                   ez_collective_text(collective->kind), stmt->name.text);
        diag_suggest(checker->u->diag, stmt->name.at, stmt->name.text, words,
                     sizeof words / sizeof *words);
        return false;
    }
    bool wants = collective->operation == REDUCE_ANY || collective->operation == REDUCE_ALL;
    bool takes = collective->operation >= REDUCE_AND && collective->operation <= REDUCE_XOR;
    bool floats = ez_type_is_float(collective->from->type);
    if (floats && takes) {
        diag_error(checker->u->diag, stmt->name.at, "`%s` is %s, and `%s` takes integers and bools",
                   collective->from->name.text, ez_type_name(checker, collective->from->type.type),
                   stmt->name.text);
        return false;
    }
    if (takes || wants == is_bool)
        return true;
    diag_error(checker->u->diag, stmt->name.at, "`%s` is %s, and `%s` takes %s",
               collective->from->name.text, ez_type_name(checker, collective->from->type.type),
               stmt->name.text, wants ? "bools" : "numbers");
    return false;
}

static void outside_of_on(struct checker *checker, const struct stmt *stmt, const char *name) {
    if (checker->on)
        diag_error(checker->u->diag, stmt->at, "`%s` waits for all MPUs: it stands outside of `on`",
                   name);
}

void ez_check_collective(struct checker *checker, struct stmt *stmt) {
    struct ez_collective *x = ARENA_NEW(&checker->u->arena, struct ez_collective);
    struct expr *source = stmt->value ? stmt->value : stmt->target;
    *x = (struct ez_collective){.kind = (enum collective_kind)stmt->op};
    bool reduces = x->kind == COLLECTIVE_REDUCE || x->kind == COLLECTIVE_ALLREDUCE;
    x->to = ez_check_whole(checker, stmt->target);
    x->from = stmt->value ? ez_check_whole(checker, stmt->value) : x->to;
    if (!x->to || !x->from || !check_sides(checker, stmt, x) ||
        (reduces && !check_operation(checker, stmt, x)) || !check_own_root(checker, stmt, x)) {
        checker->incomplete = true;
        return;
    }
    outside_of_on(checker, stmt, ez_collective_text(x->kind));
    ez_move_reads(checker, source, x->from);
    ez_move_writes(checker, x->to);
    stmt->collective = x;
}

void ez_check_barrier(struct checker *checker, const struct stmt *stmt) {
    outside_of_on(checker, stmt, "barrier");
}
