/* SPDX-License-Identifier: MIT
 * The checker's way through a program. */
#include "ezpim/ez/check.h"
#include "ezpim/ez/check_decl.h"
#include "ezpim/ez/check_kernel.h"
#include "ezpim/ez/check_top.h"

static void warn_all_unused(struct checker *checker, const struct ez_symbols *list) {
    for (size_t i = 0; i < list->items.len; i++)
        ez_warn_unused(checker, list->items.data[i]);
}

/* What is made of a variable with a length has values in as many elements. */
static void warn_partly(struct checker *checker, const struct ez_symbol *symbol) {
    diag_warning(checker->u->diag, W_UNINITIALIZED, symbol->name.at,
                 "the output `%s` gets values in the first elements only", symbol->name.text);
    diag_note(checker->u->diag, symbol->name.at,
              "where it is assigned, a variable that `compact` filled stands: elements behind its "
              "length take no part");
}

/* Every output may have a value at the end, and one without a group has it where it is read: in the
 * first group of the program. */
static void check_output(struct checker *checker, const struct ez_symbol *symbol) {
    if (!(symbol->var.direction & VAR_OUT))
        return;
    if (ez_buffer_of(checker->u, symbol)) /* kernels give it values elsewhere */
        return;
    uint64_t all = ez_all_elements(symbol), some = symbol->var.written | symbol->var.maybe;
    const struct ez_symbol *first =
        checker->u->groups.items.len ? checker->u->groups.items.data[0] : NULL;
    if (!(some & all))
        diag_error(checker->u->diag, symbol->name.at, "the output `%s` is never assigned",
                   symbol->name.text);
    else if ((some & all) != all)
        diag_warning(checker->u->diag, W_UNINITIALIZED, symbol->name.at,
                     "the output `%s` is assigned in part only", symbol->name.text);
    else if ((symbol->var.written & all) != all)
        diag_warning(checker->u->diag, W_UNINITIALIZED, symbol->name.at,
                     "the output `%s` is assigned only under conditions: it may have no value",
                     symbol->name.text);
    else if ((symbol->var.partly & all) && !symbol->var.length)
        warn_partly(checker, symbol);
    if (symbol->var.assigned_in && symbol->var.assigned_in != first)
        diag_error(checker->u->diag, symbol->name.at,
                   "the output `%s` is read in the first group, `%s`, but assigned in `%s`",
                   symbol->name.text, first->name.text, symbol->var.assigned_in->name.text);
}

/* Outside, an output has as many elements as its length says at the end. */
static void ask_length(struct ez_symbol *symbol) {
    if (symbol->var.length && (symbol->var.direction & VAR_OUT) && !symbol->var.length->var.written)
        symbol->var.length->var.late_length = true;
}

static void check_end(struct checker *checker) {
    for (size_t i = 0; i < checker->u->variables.items.len; i++)
        ask_length(checker->u->variables.items.data[i]);
    for (size_t i = 0; i < checker->u->variables.items.len; i++)
        check_output(checker, checker->u->variables.items.data[i]);
    warn_all_unused(checker, &checker->u->sizes);
    warn_all_unused(checker, &checker->u->values);
    warn_all_unused(checker, &checker->u->others);
    warn_all_unused(checker, &checker->u->groups);
    warn_all_unused(checker, &checker->u->variables);
    for (size_t i = 0; i < checker->u->subs.items.len; i++)
        if (!checker->u->subs.items.data[i]->read &&
            !checker->u->subs.items.data[i]->sub.exported &&
            !checker->u->subs.items.data[i]->decl->included)
            diag_warning(checker->u->diag, W_UNUSED, checker->u->subs.items.data[i]->name.at,
                         "`%s` is never called", checker->u->subs.items.data[i]->name.text);
}

/* Without `main`: all that others can be given are subroutines. */
static void check_parts(struct checker *checker) {
    static const char text[] = "a file without `main` has subroutines, constants and sizes alone: "
                               "groups and variables are the program's that calls them";
    if (checker->u->groups.items.len)
        diag_error(checker->u->diag, checker->u->groups.items.data[0]->name.at, text);
    else if (checker->u->variables.items.len)
        diag_error(checker->u->diag, checker->u->variables.items.data[0]->name.at, text);
}

static bool is_object(const struct checker *checker) {
    const struct ez_symbols *subs = &checker->u->subs;
    bool own = false;
    for (size_t i = 0; i < subs->items.len; i++)
        own |= subs->items.data[i]->sub.exported;
    return checker->u->parts && !checker->u->main && own;
}

/* Those of included files are put in, or stand beside them under their own names. */
static void export_subs(struct checker *checker) {
    for (size_t i = 0; i < checker->u->subs.items.len && checker->u->parts && !checker->u->main;
         i++)
        ez_export_sub(checker, checker->u->subs.items.data[i]);
}

static void check_main(struct checker *checker) {
    export_subs(checker);
    for (size_t i = 0; i < checker->u->subs.items.len && !diag_full(checker->u->diag); i++)
        ez_check_sub(checker, checker->u->subs.items.data[i]);
    ez_refuse_recursion(checker);
    if (checker->u->main) {
        ez_declare_lengths(checker);
        ez_check_block(checker, checker->u->main->body, true);
    } else if (is_object(checker))
        check_parts(checker);
    else if (diag_errors(checker->u->diag) == checker->u->errors_before) {
        diag_error(checker->u->diag, checker->u->whole, "the program has no `main { }`");
        if (checker->u->subs.items.len && !checker->u->parts)
            diag_note(checker->u->diag, checker->u->whole,
                      "with -c its subroutines become an object that others are linked with");
    }
}

/* Nodes of the tree that unrolling may make. */
static const uint64_t MAX_CLONES = (uint64_t)1 << 23;

bool ez_check(struct ez_unit *unit) {
    struct checker c = {.u = unit, .clone_room = MAX_CLONES};
    ez_declare_defines(&c);
    for (struct decl *d = unit->tree->decls; d && !diag_full(unit->diag); d = d->next)
        ez_check_decl(&c, d);
    ez_add_buffers(&c);
    ez_check_pipeline(&c);
    ez_write_otherwise(&c);
    check_main(&c);
    if (diag_errors(unit->diag) == unit->errors_before)
        ez_check_messages(&c);
    if (diag_errors(unit->diag) == unit->errors_before)
        ez_check_kernels_end(&c);
    if (diag_errors(unit->diag) == unit->errors_before)
        check_end(&c);
    ez_place_otherwise(&c);
    map_free(&c.locals);
    vec_free(&c.changes);
    vec_free(&c.messages);
    vec_free(&c.early);
    vec_free(&c.local_list.items);
    return diag_errors(unit->diag) == unit->errors_before;
}

static void free_list(struct ez_symbols *list) {
    vec_free(&list->items);
}

void ez_unit_free(struct ez_unit *unit) {
    free_list(&unit->sizes);
    vec_free(&unit->size_decls);
    free_list(&unit->values);
    vec_free(&unit->value_decls);
    free_list(&unit->groups);
    free_list(&unit->variables);
    free_list(&unit->subs);
    vec_free(&unit->recipes);
    vec_free(&unit->sub_uses);
    vec_free(&unit->buffers);
    vec_free(&unit->modules);
    vec_free(&unit->kernels);
    map_free(&unit->buffer_names);
    map_free(&unit->module_names);
    map_free(&unit->kernel_names);
    free_list(&unit->others);
    map_free(&unit->names);
    map_free(&unit->unknown);
    arena_free(&unit->arena);
}
