/* SPDX-License-Identifier: MIT
 * Statements. */
#include "ezpim/ez/check.h"
#include "ezpim/ez/check_decl.h"
#include "ezpim/ez/check_top.h"

void condition_overwritten(struct checker *c, struct span at) {
    if (c->condition == CONDITION_UNSET)
        return;
    c->condition = CONDITION_LOST;
    c->condition_lost = at;
}

static void end_ensemble(struct checker *c) {
    for (size_t i = 0;
         i < c->local_list.items.len && diag_errors(c->u->diag) == c->u->errors_before; i++)
        warn_unused(c, c->local_list.items.data[i]);
    vec_clear(&c->local_list.items);
    map_free(&c->locals);
    c->locals = (struct map){0};
    c->group = NULL;
}

static void check_compute(struct checker *c, struct stmt *s) {
    if (c->lane) {
        if (c->sub)
            diag_error(c->u->diag, s->word, "`compute` stands in a subroutine of a lane");
        else
            diag_error(c->u->diag, s->word, "`compute` stands inside of `compute %s`",
                       c->group->name.text);
        return;
    }
    struct ez_symbol *g = find_group(c, s->name);
    if (!g)
        return;
    s->symbol = g;
    c->group = g;
    c->compute = s;
    c->lane = true;
    c->unreachable = false;
    s->front = check_front(c, NULL, NULL, s->body);
    c->in_front = s->front.count > 0;
    c->divergent += c->in_front;
    check_block(c, s->body, false);
    c->divergent -= c->in_front;
    c->in_front = false;
    c->lane = c->unreachable = false;
    end_ensemble(c);
}

static bool local_type(struct checker *c, struct stmt *s, struct value_type *t, uint32_t *count) {
    struct mpu_type type;
    if (!s->type)
        return true;
    if (s->type->group.text) {
        diag_error(c->u->diag, s->type->group.at,
                   "`let` makes a value of this lane: it has no `@`");
        return false;
    }
    if (!resolve_type(c, s->type->name, &type))
        return false;
    *t = type_of(type);
    return !s->type->count || resolve_count(c, s->type->count, count);
}

/* `let v = e;` takes the type of e. */
static bool infer_type(struct checker *c, struct stmt *s, struct value_type *t) {
    if (s->value->type.state != STATE_NUMBER) {
        *t = s->value->type;
        return t->state == STATE_TYPED;
    }
    diag_error(c->u->diag, s->value->at, "this number needs a type: `let %s: u32 = ...`",
               s->name.text);
    return false;
}

/* { e, e }: a value for each register. */
static bool check_list(struct checker *c, struct stmt *s, struct mpu_type t, uint32_t count) {
    struct expr *list = s->value;
    bool good = list->arg_count == count;
    if (!good)
        diag_error(c->u->diag, list->at, "`%s` has %u values, and here are %u", s->name.text, count,
                   list->arg_count);
    list->type = type_of(t);
    for (uint32_t i = 0; i < list->arg_count; i++) {
        struct expr *e = list->args[i];
        check_expr(c, e);
        good &= check_assignable(c, e, t, s->name.at);
        list->varies |= e->varies;
        list->writes |= e->writes;
    }
    return good;
}

static bool check_initial(struct checker *c, struct stmt *s, struct value_type *t, uint32_t count) {
    bool array = s->type && s->type->count;
    if (array && s->value->kind == EXPR_LIST)
        return check_list(c, s, t->type, count);
    check_expr(c, s->value);
    if (array) {
        diag_error(c->u->diag, s->value->at,
                   "an array has a list of values: `{ 1, 2, 3 }`, one for each register");
        return false;
    }
    return s->type ? check_assignable(c, s->value, t->type, s->name.at) : infer_type(c, s, t);
}

static void check_let(struct checker *c, struct stmt *s) {
    struct value_type t = TYPE_ERROR;
    uint32_t count = 1;
    bool good = local_type(c, s, &t, &count);
    if (good && s->value)
        good = check_initial(c, s, &t, count);
    else if (s->value)
        check_expr(c, s->value);
    if (!s->type && !s->value) {
        diag_error(c->u->diag, s->name.at, "`let %s` needs a type or a value", s->name.text);
        good = false;
    }
    s->symbol = declare_local(c, SYMBOL_EZ_LOCAL, s->name);
    if (!s->symbol)
        return;
    s->symbol->type = good ? t : TYPE_ERROR;
    s->symbol->count = count;
    s->symbol->has_k = s->type && s->type->count;
    if (s->value)
        note_written(c, s->symbol, ez_all_elements(s->symbol));
    s->symbol->var.assigned = s->value != NULL;
    s->symbol->var.varies = !s->value || s->value->varies;
}

static bool check_uniform(struct checker *c, const struct expr *target, const struct expr *value) {
    bool shared =
        target->symbol && !target->symbol->var.group && target->symbol->kind == SYMBOL_EZ_VARIABLE;
    if (!shared || (!value->varies && !c->divergent))
        return true;
    diag_error(c->u->diag, value->at,
               value->varies ? "`%s` has no group: it is one value, but this may differ from "
                               "lane to lane"
                             : "`%s` has no group: it is one value, but not all lanes may get here",
               target->symbol->name.text);
    if (c->in_front && !value->varies)
        diag_note(c->u->diag, c->compute->at,
                  "a variable that `compact` filled stands in this, so that only as many elements "
                  "take part");
    diag_note(c->u->diag, target->symbol->name.at, "it is declared here");
    return false;
}

/* target op= value is target = target op value. */
static void expand_compound(struct checker *c, struct stmt *s) {
    struct expr *e = ARENA_NEW(&c->u->arena, struct expr);
    struct expr **args = ARENA_ARRAY(&c->u->arena, 2, struct expr *);
    args[0] = ARENA_NEW(&c->u->arena, struct expr);
    *args[0] = *s->target;
    args[1] = s->value;
    *e = (struct expr){.kind = EXPR_BINARY, .op = s->op, .at = s->at, .args = args, .arg_count = 2};
    s->value = e;
}

static void check_assign(struct checker *c, struct stmt *s) {
    if (s->compound)
        expand_compound(c, s);
    check_expr(c, s->value);
    check_write(c, s->target);
    if (s->target->type.state != STATE_TYPED)
        return;
    check_uniform(c, s->target, s->value);
    s->target->symbol->var.varies |= s->value->varies || c->divergent;
    check_assignable(c, s->value, s->target->type.type, s->target->at);
}

static const char *word_text(struct checker *c, const struct stmt *s) {
    return source_text(c, s->word);
}

static void check_call_stmt(struct checker *c, struct stmt *s) {
    const struct ez_symbol *callee = find_symbol(c, s->value->name.text);
    if (callee && callee->kind == SYMBOL_EZ_SUB) {
        check_sub_call(c, s->value, find_symbol(c, s->value->name.text));
        return;
    }
    c->incomplete = true;
    check_expr(c, s->value);
    if (s->value->type.state != STATE_ERROR)
        diag_error(c->u->diag, s->at, "the value of `%s` is not used", s->value->name.text);
}

/* assert(bool), print(value) */
static void check_debug(struct checker *c, struct stmt *s) {
    check_expr(c, s->value);
    if (s->kind == STMT_ASSERT) {
        check_bool(c, s->value, "`assert`");
        condition_overwritten(c, s->at);
    } else if (s->value->type.state == STATE_NUMBER) {
        diag_error(c->u->diag, s->value->at, "this number has no type");
        suggest_cast(c, s->value, (struct mpu_type){TYPE_UINT, 64});
    }
    if (!s->text.text)
        s->text.text = source_text(c, s->value->at);
}

static void check_inner(struct checker *c, struct stmt *s) {
    switch (s->kind) {
    case STMT_ERROR:
        c->incomplete = true;
        break;
    case STMT_COMPUTE:
        check_compute(c, s);
        break;
    case STMT_LET:
        check_let(c, s);
        break;
    case STMT_ASSIGN:
        check_assign(c, s);
        break;
    case STMT_INSN:
        check_insn(c, s);
        break;
    case STMT_CALL:
        check_call_stmt(c, s);
        break;
    case STMT_ASM:
        check_asm(c, s);
        break;
    case STMT_MARK:
    case STMT_SYNC:
    case STMT_ON:
    case STMT_COLLECTIVE:
    case STMT_BARRIER:
    case STMT_SEND:
    case STMT_RECV:
    case STMT_COMPACT:
        c->incomplete = true;
        diag_error(c->u->diag, s->word, "`%s` stands outside of `compute`", word_text(c, s));
        break;
    case STMT_ASSERT:
    case STMT_PRINT:
        check_debug(c, s);
        break;
    case STMT_MOVE:
        diag_error(c->u->diag, s->word, "`move` stands outside of `compute`");
        c->incomplete = true;
        break;
    default:
        check_flow_stmt(c, s);
        break;
    }
}

/* z = 1; at top level: in which ensemble it stands. */
static void note_ensemble(struct checker *c, const struct stmt *s) {
    const struct ez_symbol *v = find_symbol(c, s->target->name.text);
    const struct ez_symbol *g = v ? v->var.group : NULL;
    if (!v || v->kind != SYMBOL_EZ_VARIABLE)
        return;
    if (!g && c->u->groups.items.len)
        g = c->u->groups.items.data[0];
    if (g)
        diag_note(c->u->diag, s->at, "write `compute %s { %s; }`", g->name.text,
                  source_text(c, s->at));
}

/* An assignment at top level can only be a reduction, or another call over whole groups. */
static void check_top_assign(struct checker *c, struct stmt *s) {
    if (s->kind == STMT_ASSIGN && (check_reduction(c, s) || check_array_call(c, s)))
        return;
    diag_error(c->u->diag, s->at, "this stands outside of `compute`");
    bool reduces = s->value && mentions_reduction(s->value);
    if (s->value && asks_length(s->value))
        diag_note(c->u->diag, s->value->at,
                  "a length is a value that every lane has: a variable without a group gets it in "
                  "`compute`");
    if (s->kind == STMT_ASSIGN && !reduces)
        note_ensemble(c, s);
    if (reduces)
        diag_note(
            c->u->diag, s->value->at,
            "a reduction is a statement of its own, `s = sum(x);`: other work stands inside of "
            "it or in `compute`");
}

static void check_top(struct checker *c, struct stmt *s) {
    if (s->kind != STMT_ASSIGN && s->kind != STMT_FOR)
        c->run = NULL;
    if (check_top_flow(c, s))
        return;
    switch (s->kind) {
    case STMT_ERROR:
        c->incomplete = true;
        break;
    case STMT_COMPUTE:
        check_compute(c, s);
        break;
    case STMT_LET:
    case STMT_ASSIGN:
    case STMT_INSN:
        check_top_assign(c, s);
        break;
    case STMT_CALL:
        check_call_stmt(c, s);
        break;
    default:
        diag_error(c->u->diag, s->at, "`%s` stands inside of `compute`", word_text(c, s));
        break;
    }
}

/* The names that a block of lane code declares end with it. */
static void check_lane_block(struct checker *c, struct stmt *s) {
    size_t mark = c->local_list.items.len;
    bool told = c->unreachable; /* where the block itself stands */
    for (; s && !diag_full(c->u->diag); s = s->next) {
        if (c->unreachable && !told) {
            diag_warning(c->u->diag, W_UNREACHABLE, s->at, "no lane gets here");
            told = true;
        }
        check_inner(c, s);
    }
    for (size_t i = mark; i < c->local_list.items.len; i++)
        map_put(&c->locals, c->local_list.items.data[i]->name.text, 0);
}

void check_block(struct checker *c, struct stmt *s, bool top) {
    if (!top)
        check_lane_block(c, s);
    for (; top && s && !diag_full(c->u->diag); s = s->next)
        check_top(c, s);
}
