/* SPDX-License-Identifier: MIT
 * Names: what they are declared as, and the order in which variables are written and read. */
#include "ezpim/ez/check.h"
#include "ezpim/ir.h"

#include <string.h>

uint32_t ez_bare_register(const char *name) {
    uint64_t n;
    size_t length = strlen(name);
    if (name[0] != 'r' || length < 2 || length > 3 || strspn(name + 1, "0123456789") + 1 != length)
        return IR_NONE;
    if (!number_parse_u64(name + 1, length - 1, &n) || n >= IR_REGISTERS)
        return IR_NONE;
    return (uint32_t)n;
}

static struct ez_symbol *as_symbol(const uint64_t *value) {
    return value ? (struct ez_symbol *)(uintptr_t)*value : NULL;
}

struct ez_symbol *unit_find(const struct unit *u, const char *name) {
    return as_symbol(map_get(&u->names, name));
}

struct ez_symbol *find_symbol(struct checker *c, const char *name) {
    struct ez_symbol *s = as_symbol(map_get(&c->locals, name));
    return s ? s : unit_find(c->u, name);
}

void report_unsupported(struct checker *c, struct span at, const char *word) {
    diag_error(c->u->diag, at, "`%s` is not supported by this release", word);
}

void report_unknown(struct checker *c, struct name name, const char *what, const char *const *more,
                    size_t more_count) {
    VEC(const char *) near = {0};
    for (size_t i = 0; i < c->locals.len; i++)
        vec_push(&near, c->locals.entries[i].key);
    for (size_t i = 0; i < c->u->names.len; i++)
        vec_push(&near, c->u->names.entries[i].key);
    for (size_t i = 0; i < more_count; i++)
        vec_push(&near, more[i]);
    diag_error(c->u->diag, name.at, "there is no %s `%s`", what, name.text);
    diag_suggest(c->u->diag, name.at, name.text, near.data, near.len);
    vec_free(&near);
}

bool name_is_free(struct checker *c, struct name name) {
    struct mpu_type t;
    const struct ez_symbol *old = find_symbol(c, name.text);
    bool hides = c->sub && old && old == unit_find(c->u, name.text); /* it does not see them */
    if (old && !old->predefined && !hides) {
        diag_error(c->u->diag, name.at, "`%s` is declared twice", name.text);
        diag_note(c->u->diag, old->name.at, "it was declared here");
    } else if (object_type_parse(name.text, strlen(name.text), &t)) {
        diag_error(c->u->diag, name.at, "`%s` is the name of a type", name.text);
    } else if (ez_bare_register(name.text) != IR_NONE) {
        diag_error(c->u->diag, name.at, "`%s` is the name of a register", name.text);
    } else {
        return true;
    }
    return false;
}

struct ez_symbol *symbol_new(struct checker *c, enum ez_symbol_kind kind, struct name name) {
    struct ez_symbol *s = ARENA_NEW(&c->u->arena, struct ez_symbol);
    s->kind = kind;
    s->name = name;
    s->count = 1;
    if (kind == SYMBOL_EZ_GROUP)
        s->layout.at_rfh = s->layout.at_vrf = NO_INDEX;
    return s;
}

struct ez_symbol *declare(struct checker *c, enum ez_symbol_kind kind, struct name name,
                          struct decl *d) {
    if (!name_is_free(c, name))
        return NULL;
    struct ez_symbol *s = symbol_new(c, kind, name);
    s->decl = d;
    map_put(&c->u->names, name.text, (uintptr_t)s);
    return s;
}

struct ez_symbol *declare_local(struct checker *c, enum ez_symbol_kind kind, struct name name) {
    if (!name_is_free(c, name))
        return NULL;
    struct ez_symbol *s = symbol_new(c, kind, name);
    if (kind == SYMBOL_EZ_LOCAL)
        s->var.group = c->group;
    map_put(&c->locals, name.text, (uintptr_t)s);
    vec_push(&c->local_list.items, s);
    return s;
}

static const char *kind_text(enum ez_symbol_kind kind) {
    switch (kind) {
    case SYMBOL_EZ_SIZE:
        return "a size";
    case SYMBOL_EZ_CONST:
        return "a constant";
    case SYMBOL_EZ_HOST:
        return "a link-time value";
    case SYMBOL_EZ_GROUP:
        return "a group";
    case SYMBOL_EZ_COUNTER:
        return "the counter of a loop";
    case SYMBOL_EZ_SUB:
        return "a subroutine";
    case SYMBOL_EZ_MPUS:
        return "an array of MPUs";
    default:
        return "a variable";
    }
}

struct ez_symbol *find_group(struct checker *c, struct name name) {
    struct ez_symbol *s = find_symbol(c, name.text);
    if (!s) {
        report_unknown(c, name, "group", NULL, 0);
    } else if (s->kind != SYMBOL_EZ_GROUP) {
        diag_error(c->u->diag, name.at, "`%s` is %s, not a group", name.text, kind_text(s->kind));
        diag_note(c->u->diag, s->name.at, "it is declared here");
    } else {
        s->read = true;
        return s;
    }
    return NULL;
}

static bool is_variable(struct checker *c, const struct ez_symbol *s, struct name name) {
    if (!s) {
        report_unknown(c, name, c->lane ? "variable" : "size or constant", NULL, 0);
    } else if (s->kind != SYMBOL_EZ_VARIABLE && s->kind != SYMBOL_EZ_LOCAL) {
        diag_error(c->u->diag, name.at, "`%s` is %s, not a variable", name.text,
                   kind_text(s->kind));
        diag_note(c->u->diag, s->name.at, "it is declared here");
    } else {
        return true;
    }
    return false;
}

static bool is_in_group(struct checker *c, const struct ez_symbol *s, struct name name) {
    if (!c->lane) {
        diag_error(c->u->diag, name.at,
                   "`%s` is no constant: a variable has its value inside of "
                   "`compute` only",
                   name.text);
        return false;
    }
    if (!s->var.group || s->var.group == c->group)
        return true;
    if (c->sub)
        diag_error(c->u->diag, name.at,
                   "`%s` belongs to the group `%s`: a subroutine gets it as a parameter", name.text,
                   s->var.group->name.text);
    else
        diag_error(c->u->diag, name.at, "`%s` belongs to the group `%s`, and this is `compute %s`",
                   name.text, s->var.group->name.text, c->group->name.text);
    diag_note(c->u->diag, s->name.at, "it is declared here");
    return false;
}

static void note_register_choice(struct checker *c, const struct expr *index,
                                 const struct ez_symbol *s) {
    const char *name = s->name.text, *x = source_text(c, index->at);
    if (s->count > 1)
        diag_note(
            c->u->diag, index->at,
            "`select(%s == 0, %s[0], %s[1])` chooses between registers; a table of constants, "
            "`const T: u8[4] = { .. };`, takes any index",
            x, name, name);
}

bool find_register(struct checker *c, struct expr *e, const struct ez_symbol *s,
                   uint32_t *element) {
    uint64_t index = 0;
    if (e->kind == EXPR_NAME && s->has_k) {
        diag_error(c->u->diag, e->at, "`%s` is an array: write `%s[0]` to `%s[%u]`", s->name.text,
                   s->name.text, s->name.text, s->count - 1);
        return false;
    }
    if (e->kind == EXPR_NAME)
        return true;
    if (!s->has_k || e->arg_count != 1) {
        diag_error(c->u->diag, e->at,
                   s->has_k ? "`%s` has one index" : "`%s` is no array and has no index",
                   s->name.text);
        return false;
    }
    check_expr(c, e->args[0]);
    if (!check_integer(c, e->args[0], 0, s->count - 1, "the index of a register", &index)) {
        if (type_is_integer(e->args[0]->type) && !e->args[0]->is_constant)
            note_register_choice(c, e->args[0], s);
        return false;
    }
    *element = (uint32_t)index;
    return true;
}

struct ez_symbol *check_element(struct checker *c, struct expr *e, uint32_t *element) {
    struct ez_symbol *s = find_symbol(c, e->name.text);
    *element = 0;
    poison(e);
    if (!is_variable(c, s, e->name))
        return NULL;
    s->read |= s->type.state == STATE_ERROR;
    if (s->type.state == STATE_ERROR || !is_in_group(c, s, e->name) ||
        !find_register(c, e, s, element))
        return NULL;
    e->symbol = s;
    e->element = *element;
    e->type = s->type;
    e->varies = s->kind == SYMBOL_EZ_LOCAL ? s->var.varies : s->var.group != NULL;
    return s;
}

static void check_written(struct checker *c, struct expr *e, struct ez_symbol *s) {
    uint64_t bit = (uint64_t)1 << e->element;
    if ((s->var.written & bit) || c->incomplete || c->unreachable)
        return;
    if (s->var.maybe & bit) {
        diag_warning(c->u->diag, W_UNINITIALIZED, e->at, "`%s` may be read before it is written",
                     source_text(c, e->at));
        note_written(c, s, bit);
        return;
    }
    if (c->loop) { /* a lap before this one may have written it: see check_early_reads */
        struct early_read r = {e, s, s->var.assignments};
        vec_push(&c->early, r);
        note_written(c, s, bit);
        return;
    }
    diag_error(c->u->diag, e->at, "`%s` is read before it is written", source_text(c, e->at));
    diag_note(c->u->diag, s->name.at, "it is declared here, without a value");
    note_written(c, s, bit); /* once is enough */
}

void check_early_reads(struct checker *c) {
    for (size_t i = 0; i < c->early.len; i++) {
        const struct early_read *r = &c->early.data[i];
        const char *text = source_text(c, r->at->at);
        if (r->symbol->var.assignments > r->assignments)
            diag_warning(c->u->diag, W_UNINITIALIZED, r->at->at,
                         "`%s` may be read before it is written", text);
        else
            diag_error(c->u->diag, r->at->at, "`%s` is read before it is written", text);
    }
    vec_clear(&c->early);
}

static void report_elsewhere(struct checker *c, struct expr *e, const struct ez_symbol *s,
                             const struct ez_symbol *assigned, const struct ez_symbol *read) {
    diag_error(c->u->diag, e->at, "`%s` is assigned in `compute %s` and has no value in `%s`",
               s->name.text, assigned->name.text, read->name.text);
    diag_note(c->u->diag, s->name.at, "a variable without a group lies in the VRFs of every group");
}

/* A variable without a group has its new value only in the VRFs of the group that assigned it. */
static void check_shared_read(struct checker *c, struct expr *e, struct ez_symbol *s) {
    if (s->var.group || !c->group)
        return;
    if (s->var.assigned_in && s->var.assigned_in != c->group)
        report_elsewhere(c, e, s, s->var.assigned_in, c->group);
    if (c->repeat_depth && (s->var.read_stamp != c->repeat_stamp || !s->var.read_in)) {
        s->var.read_stamp = c->repeat_stamp;
        s->var.read_in = c->group;
    }
}

/* In a loop, what was read in another group before is read there again afterwards. */
static void check_shared_write(struct checker *c, struct expr *e, struct ez_symbol *s) {
    if (s->var.group || s->kind == SYMBOL_EZ_LOCAL)
        return;
    if (c->sub) {
        diag_error(c->u->diag, e->at, "a subroutine does not assign `%s`: it is no parameter",
                   s->name.text);
        return;
    }
    s->var.assigned_in = c->group;
    if (c->repeat_depth && s->var.read_stamp == c->repeat_stamp && s->var.read_in != c->group)
        report_elsewhere(c, e, s, c->group, s->var.read_in);
}

void check_read(struct checker *c, struct expr *e) {
    uint32_t element;
    struct ez_symbol *s = check_element(c, e, &element);
    if (!s)
        return;
    s->read = true;
    check_written(c, e, s);
    check_shared_read(c, e, s);
}

void note_partly(const struct checker *c, struct ez_symbol *s, uint64_t bits) {
    if (!c->in_front)
        s->var.partly &= ~bits;
    else
        s->var.partly |= bits & ~s->var.written;
}

void check_write(struct checker *c, struct expr *e) {
    uint32_t element;
    struct ez_symbol *s = check_element(c, e, &element);
    if (!s)
        return;
    if (s->kind == SYMBOL_EZ_VARIABLE && s->var.direction == VAR_IN) {
        diag_error(c->u->diag, e->at, "`%s` is an input and cannot be assigned", s->name.text);
        diag_note(c->u->diag, s->name.at, "it is declared here; `inout` makes it both");
        return;
    }
    if (s->var.fixed) {
        diag_error(c->u->diag, e->at, "`%s` is the counter of a loop and cannot be assigned",
                   s->name.text);
        return;
    }
    note_partly(c, s, (uint64_t)1 << element);
    note_written(c, s, (uint64_t)1 << element);
    s->var.assigned = true;
    s->var.assignments++;
    check_shared_write(c, e, s);
}
