/* SPDX-License-Identifier: MIT
 * The steps of a link, in order. */
#include "linker/link.h"
#include "linker/where.h"

#include <inttypes.h>
#include <string.h>

static bool check_input(struct link *l, const struct link_input *in) {
    if (!object_check(in->o, l->d, NO_SPAN))
        return false;
    if (!in->o->linked)
        return true;
    diag_error(l->d, NO_SPAN, "'%s' is already linked; link the objects that it was made of",
               link_input_name(in));
    return false;
}

static bool take_inputs(struct link *l, const struct object *const *inputs) {
    uint64_t words = 0;
    bool ok = l->count > 0;
    if (!ok)
        diag_error(l->d, NO_SPAN, "there is nothing to link");
    l->inputs = ARENA_ARRAY(&l->arena, l->count, struct link_input);
    for (size_t i = 0; i < l->count; i++) {
        l->inputs[i].o = inputs[i];
        ok = check_input(l, &l->inputs[i]) && ok;
        words += inputs[i]->text.len;
    }
    if (ok && words > OBJECT_MAX_TEXT) {
        diag_error(l->d, NO_SPAN,
                   "the text has %" PRIu64 " instructions; jumps reach only %" PRIu32, words,
                   OBJECT_MAX_TEXT);
        ok = false;
    }
    return ok;
}

static void run(struct link *l) {
    uint32_t before = diag_errors(l->d);
    link_merge_tables(l);
    link_merge_symbols(l);
    if (diag_errors(l->d) != before)
        return;
    link_merge_text(l);
    if (diag_errors(l->d) != before)
        return;
    link_choose_entry(l);
    if (diag_errors(l->d) != before)
        return;
    if (l->options->gc_sections) {
        link_collect_subroutines(l);
        link_drop_moves(l);
    }
    link_order_calls(l);
    if (!l->options->relocatable)
        link_resolve(l);
    if (diag_errors(l->d) != before)
        return;
    link_merge_signatures(l);
    if (diag_errors(l->d) != before)
        return;
    link_finish_tables(l);
    if (!l->options->relocatable)
        link_check_flow(l->out, l->d);
}

struct object *link_objects(const struct object *const *inputs, size_t count,
                            const struct link_options *options, struct diag *d) {
    static const struct link_options defaults;
    struct link l = {
        .options = options ? options : &defaults, .count = count, .out = object_new(), .d = d};
    uint32_t before = diag_errors(d);
    if (take_inputs(&l, inputs))
        run(&l);
    arena_free(&l.arena);
    if (diag_errors(d) == before)
        return l.out;
    object_free(l.out);
    return NULL;
}
