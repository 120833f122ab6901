/* SPDX-License-Identifier: MIT
 * Tables of constants: an element by a constant is a constant, by anything else a call of the
 * compiler's own that works it out in every lane. */
#include "ezpim/ez/check.h"
#include "ezpim/ez/move.h"

enum {
    FEW_SELECTIONS = 255,   /* up to so many nobody is told what it costs */
    MOST_SELECTIONS = 4095, /* beyond them the tree is refused */
};

struct array_table ez_table(const struct ez_symbol *s) {
    return (struct array_table){s->table, s->count, s->type.type};
}

/* False after reporting that the tree is too large. */
static bool check_size(struct checker *c, const struct expr *e) {
    struct array_table t = ez_table(e->symbol);
    uint32_t size = array_select_size(&t, ez_array_index(c->u, c->group, e->args[0]));
    if (size > MOST_SELECTIONS) {
        diag_error(c->u->diag, e->at,
                   "the index is no constant: every lane would choose the entry by %u selections, "
                   "and at most %d are made",
                   size, MOST_SELECTIONS);
        diag_note(c->u->diag, e->at,
                  "as a variable of a group the table is read by a move: `move y[i] = t[x[i]];`");
        return false;
    }
    if (size > FEW_SELECTIONS)
        diag_warning(c->u->diag, W_LARGE_TABLE, e->at,
                     "the index is no constant: every lane chooses the entry by %u selections",
                     size);
    return true;
}

static bool check_table_index(struct checker *c, struct expr *index) {
    struct value_type t = index->type;
    if (ez_type_is_bool(t)) {
        diag_error(c->u->diag, index->at, "the index of a table is a number, not bool");
        ez_suggest_cast(c, index, (struct mpu_type){TYPE_UINT, 8});
        return false;
    }
    ez_coerce(c, index, (struct mpu_type){TYPE_UINT, 64}, false);
    return index->type.state == STATE_TYPED;
}

/* From here on it is FUNCTION_TABLE of the index. */
static void check_lane_index(struct checker *c, struct expr *e, struct ez_symbol *s) {
    struct expr *index = e->args[0];
    if (!check_table_index(c, index))
        return;
    if (!c->lane) {
        diag_error(c->u->diag, index->at, "the index of a table must be a constant number here");
        return;
    }
    e->kind = EXPR_CALL;
    e->function = FUNCTION_TABLE;
    e->symbol = s;
    e->varies = index->varies;
    e->writes = index->writes;
    if (check_size(c, e))
        e->type = s->type;
}

void ez_check_table(struct checker *c, struct expr *e, struct ez_symbol *s) {
    uint64_t index;
    s->read = true;
    ez_poison(e);
    if (e->arg_count != 1 || !s->table) {
        diag_error(c->u->diag, e->at,
                   s->table ? "`%s` has one index" : "`%s` is no table and has no index",
                   s->name.text);
        return;
    }
    ez_check_expr(c, e->args[0]);
    if (s->type.state != STATE_TYPED || e->args[0]->type.state == STATE_ERROR)
        return;
    if (!e->args[0]->is_constant)
        check_lane_index(c, e, s);
    else if (ez_check_integer(c, e->args[0], 0, s->count - 1, "the index of a table", &index))
        ez_set_constant(e, ez_value(s->table[index], s->type.type), s->type.type);
}
