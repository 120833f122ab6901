/* SPDX-License-Identifier: MIT
 * The checker's way through a program. */
#include "ezpim/ez/check.h"
#include "ezpim/ez/check_decl.h"
#include "ezpim/ez/check_top.h"

void warn_unused(struct checker *c, const struct ez_symbol *s) {
    bool output = s->kind == SYMBOL_EZ_VARIABLE && (s->var.direction & VAR_OUT);
    if (s->read || output || (s->decl && s->decl->included))
        return;
    if (ez_holds_values(s) && s->var.assigned)
        diag_warning(c->u->diag, W_UNUSED, s->name.at, "`%s` is assigned but never read",
                     s->name.text);
    else
        diag_warning(c->u->diag, W_UNUSED, s->name.at, "`%s` is never used", s->name.text);
}

static void warn_all_unused(struct checker *c, const struct ez_symbols *list) {
    for (size_t i = 0; i < list->items.len; i++)
        warn_unused(c, list->items.data[i]);
}

/* What is made of a variable with a length has values in as many elements. */
static void warn_partly(struct checker *c, const struct ez_symbol *s) {
    diag_warning(c->u->diag, W_UNINITIALIZED, s->name.at,
                 "the output `%s` gets values in the first elements only", s->name.text);
    diag_note(c->u->diag, s->name.at,
              "where it is assigned, a variable that `compact` filled stands: elements behind its "
              "length take no part");
}

/* Every output has a value at the end, and one without a group has it where it is read: in the
 * first group of the program. */
static void check_output(struct checker *c, const struct ez_symbol *s) {
    if (!(s->var.direction & VAR_OUT))
        return;
    uint64_t all = ez_all_elements(s);
    const struct ez_symbol *first = c->u->groups.items.len ? c->u->groups.items.data[0] : NULL;
    if (!(s->var.written & all))
        diag_error(c->u->diag, s->name.at, "the output `%s` is never assigned", s->name.text);
    else if ((s->var.written & all) != all)
        diag_warning(c->u->diag, W_UNINITIALIZED, s->name.at,
                     "the output `%s` is assigned in part only", s->name.text);
    else if ((s->var.partly & all) && !s->var.length)
        warn_partly(c, s);
    if (s->var.assigned_in && s->var.assigned_in != first)
        diag_error(c->u->diag, s->name.at,
                   "the output `%s` is read in the first group, `%s`, but assigned in `%s`",
                   s->name.text, first->name.text, s->var.assigned_in->name.text);
}

/* Outside, an output has as many elements as its length says at the end. */
static void ask_length(struct ez_symbol *s) {
    if (s->var.length && (s->var.direction & VAR_OUT) && !s->var.length->var.written)
        s->var.length->var.late_length = true;
}

static void check_end(struct checker *c) {
    for (size_t i = 0; i < c->u->variables.items.len; i++)
        ask_length(c->u->variables.items.data[i]);
    for (size_t i = 0; i < c->u->variables.items.len; i++)
        check_output(c, c->u->variables.items.data[i]);
    warn_all_unused(c, &c->u->sizes);
    warn_all_unused(c, &c->u->values);
    warn_all_unused(c, &c->u->others);
    warn_all_unused(c, &c->u->groups);
    warn_all_unused(c, &c->u->variables);
    for (size_t i = 0; i < c->u->subs.items.len; i++)
        if (!c->u->subs.items.data[i]->read && !c->u->subs.items.data[i]->decl->included)
            diag_warning(c->u->diag, W_UNUSED, c->u->subs.items.data[i]->name.at,
                         "`%s` is never called", c->u->subs.items.data[i]->name.text);
}

static void check_main(struct checker *c) {
    for (size_t i = 0; i < c->u->subs.items.len && !diag_full(c->u->diag); i++)
        check_sub(c, c->u->subs.items.data[i]);
    if (c->u->main) {
        declare_lengths(c);
        check_block(c, c->u->main->body, true);
    } else if (diag_errors(c->u->diag) == c->u->errors_before)
        diag_error(c->u->diag, c->u->whole, "the program has no `main { }`");
}

/* Nodes of the tree that unrolling may make. */
static const uint64_t MAX_CLONES = (uint64_t)1 << 23;

bool ez_check(struct unit *u) {
    struct checker c = {.u = u, .clone_room = MAX_CLONES};
    declare_defines(&c);
    for (struct decl *d = u->tree->decls; d && !diag_full(u->diag); d = d->next)
        check_decl(&c, d);
    check_main(&c);
    if (diag_errors(u->diag) == u->errors_before)
        check_messages(&c);
    if (diag_errors(u->diag) == u->errors_before)
        check_end(&c);
    map_free(&c.locals);
    vec_free(&c.changes);
    vec_free(&c.messages);
    vec_free(&c.early);
    vec_free(&c.local_list.items);
    return diag_errors(u->diag) == u->errors_before;
}

static void free_list(struct ez_symbols *list) {
    vec_free(&list->items);
}

void unit_free(struct unit *u) {
    free_list(&u->sizes);
    vec_free(&u->size_decls);
    free_list(&u->values);
    vec_free(&u->value_decls);
    free_list(&u->groups);
    free_list(&u->variables);
    free_list(&u->subs);
    vec_free(&u->recipes);
    free_list(&u->others);
    map_free(&u->names);
    arena_free(&u->arena);
}
