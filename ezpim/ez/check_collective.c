/* SPDX-License-Identifier: MIT
 * Collectives: what all MPUs of the array do together. */
#include "ezpim/ez/check_top.h"

#include <string.h>

uint32_t ez_mpu_number(const struct unit *u, const uint32_t *place) {
    uint32_t number = 0;
    for (uint32_t d = 0; d < u->grid_dims; d++)
        number = number * u->grid[d] + place[d];
    return number;
}

void ez_mpu_place(const struct unit *u, uint32_t number, uint32_t *place) {
    for (uint32_t d = u->grid_dims; d-- > 0; number /= u->grid[d])
        place[d] = number % u->grid[d];
}

uint32_t ez_mpu_count(const struct unit *u) {
    uint32_t count = 1;
    for (uint32_t d = 0; d < u->grid_dims; d++)
        count *= u->grid[d];
    return count;
}

struct ez_symbol *check_whole(struct checker *c, struct expr *e) {
    struct ez_symbol *s = find_variable(c, e);
    if (!s)
        return NULL;
    if (e->kind == EXPR_INDEX) {
        diag_error(c->u->diag, e->at, "all of `%s` is taken: it has no indices here", s->name.text);
        return NULL;
    }
    if (s->var.group && s->var.group->layout.on_mpus)
        return s;
    diag_error(c->u->diag, e->at, "`%s` is not of a group that each MPU has its own elements of",
               s->name.text);
    diag_note(c->u->diag, s->var.group ? s->var.group->name.at : s->name.at,
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

bool check_root(struct checker *c, struct stmt *s, const char *name, const char *want,
                uint32_t *place) {
    const char *grid = c->u->mpus ? c->u->mpus->name.text : "ring";
    if (!s->operand_count) {
        diag_error(c->u->diag, s->at, "`%s` needs an MPU: `%s %s[%s]`", name, want, grid,
                   c->u->grid_dims == 2 ? "0, 0" : "0");
        return false;
    }
    if (strcmp(s->operands[0]->name.text, want) != 0) {
        diag_error(c->u->diag, s->operands[0]->at, "`%s` says `%s` which MPU", name, want);
        diag_fixit(c->u->diag, s->operands[0]->at, want);
        return false;
    }
    return check_mpu(c, s->operands[1], place);
}

static bool check_own_root(struct checker *c, struct stmt *s, struct ez_collective *x) {
    const char *word = root_word(x->kind), *name = collective_text(x->kind);
    x->has_root = word != NULL;
    if (word)
        return check_root(c, s, name, word, x->root);
    if (!s->operand_count)
        return true;
    diag_error(c->u->diag, s->operands[0]->at, "`%s` concerns all MPUs alike: `%s` ends here", name,
               name);
    return false;
}

static bool registers_are(struct checker *c, const struct stmt *s, const struct ez_symbol *v,
                          uint64_t want, const char *why) {
    if (v->count == want)
        return true;
    diag_error(c->u->diag, s->at, "`%s` needs `%s` to have %llu register%s%s, and it has %u",
               collective_text((enum collective_kind)s->op), v->name.text, (unsigned long long)want,
               want == 1 ? "" : "s", why, v->count);
    return false;
}

/* How many registers both sides have. */
static bool check_registers(struct checker *c, const struct stmt *s,
                            const struct ez_collective *x) {
    uint64_t mpus = ez_mpu_count(c->u);
    static const char each[] = ", one for each MPU and register of the other side";
    switch (x->kind) {
    case COLLECTIVE_SCATTER:
        return registers_are(c, s, x->from, mpus * x->to->count, each);
    case COLLECTIVE_GATHER:
    case COLLECTIVE_ALLGATHER:
        return registers_are(c, s, x->to, mpus * x->from->count, each);
    case COLLECTIVE_ALLTOALL:
        return registers_are(c, s, x->from, x->to->count, ", as the other side has") &&
               (x->to->count % mpus == 0 ||
                registers_are(c, s, x->to, mpus, ", or a multiple, for the MPUs"));
    case COLLECTIVE_TRANSPOSE:
        if (c->u->grid_dims == 1 && !registers_are(c, s, x->from, mpus, ", one for each MPU"))
            return false;
        break;
    default:
        break;
    }
    return registers_are(c, s, x->to, x->from->count, ", as the other side has");
}

static bool check_square(struct checker *c, const struct stmt *s) {
    if (c->u->grid_dims != 2 || c->u->grid[0] == c->u->grid[1])
        return true;
    diag_error(c->u->diag, s->at,
               "`transpose` exchanges the coordinates of MPUs: `%s` is not square, but %u by %u",
               c->u->mpus->name.text, c->u->grid[0], c->u->grid[1]);
    return false;
}

static bool check_sides(struct checker *c, const struct stmt *s, const struct ez_collective *x) {
    const struct expr *source = s->value ? s->value : s->target;
    if (x->to->var.group != x->from->var.group) {
        diag_error(c->u->diag, s->at, "`%s` is of the group `%s`, and `%s` of `%s`",
                   x->to->name.text, x->to->var.group->name.text, x->from->name.text,
                   x->from->var.group->name.text);
        return false;
    }
    if (!type_same(x->to->type.type, x->from->type.type)) {
        diag_error(c->u->diag, source->at, "`%s` is %s, and `%s` is %s: `%s` changes no type",
                   x->from->name.text, type_name(c, x->from->type.type), x->to->name.text,
                   type_name(c, x->to->type.type), collective_text(x->kind));
        return false;
    }
    return check_registers(c, s, x) && (x->kind != COLLECTIVE_TRANSPOSE || check_square(c, s));
}

static bool check_operation(struct checker *c, const struct stmt *s, struct ez_collective *x) {
    static const char *const words[] = {"sum", "min", "max", "and", "or", "xor", "any", "all"};
    bool is_bool = type_is_bool(x->from->type);
    x->operation = find_reduction(s->name.text);
    if (x->operation > REDUCE_ALL) {
        diag_error(c->u->diag, s->name.at,
                   "`%s` reduces by sum, min, max, and, or, xor, any or all, not by `%s`",
                   collective_text(x->kind), s->name.text);
        diag_suggest(c->u->diag, s->name.at, s->name.text, words, sizeof words / sizeof *words);
        return false;
    }
    bool wants = x->operation == REDUCE_ANY || x->operation == REDUCE_ALL;
    bool takes = x->operation >= REDUCE_AND && x->operation <= REDUCE_XOR;
    if (takes || wants == is_bool)
        return true;
    diag_error(c->u->diag, s->name.at, "`%s` is %s, and `%s` takes %s", x->from->name.text,
               type_name(c, x->from->type.type), s->name.text, wants ? "bools" : "numbers");
    return false;
}

static void outside_of_on(struct checker *c, const struct stmt *s, const char *name) {
    if (c->on)
        diag_error(c->u->diag, s->at, "`%s` waits for all MPUs: it stands outside of `on`", name);
}

void check_collective(struct checker *c, struct stmt *s) {
    struct ez_collective *x = ARENA_NEW(&c->u->arena, struct ez_collective);
    struct expr *source = s->value ? s->value : s->target;
    *x = (struct ez_collective){.kind = (enum collective_kind)s->op};
    bool reduces = x->kind == COLLECTIVE_REDUCE || x->kind == COLLECTIVE_ALLREDUCE;
    x->to = check_whole(c, s->target);
    x->from = s->value ? check_whole(c, s->value) : x->to;
    if (!x->to || !x->from || !check_sides(c, s, x) || (reduces && !check_operation(c, s, x)) ||
        !check_own_root(c, s, x)) {
        c->incomplete = true;
        return;
    }
    outside_of_on(c, s, collective_text(x->kind));
    move_reads(c, source, x->from);
    move_writes(c, x->to);
    s->collective = x;
}

void check_barrier(struct checker *c, const struct stmt *s) {
    outside_of_on(c, s, "barrier");
}
