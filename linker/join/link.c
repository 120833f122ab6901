/* SPDX-License-Identifier: MIT
 * The steps of a link, in order. */
#include "linker/join/link.h"
#include "linker/where.h"

#include <inttypes.h>
#include <string.h>

static bool check_input(struct link *link, const struct link_input *in) {
    if (!object_check(in->o, link->d, NO_SPAN))
        return false;
    if (!in->o->linked)
        return true;
    diag_error(link->d, NO_SPAN, "'%s' is already linked; link the objects that it was made of",
               link_input_name(in));
    return false;
}

static bool take_inputs(struct link *link, const struct object *const *inputs) {
    uint64_t words = 0;
    bool ok = link->count > 0;
    if (!ok)
        diag_error(link->d, NO_SPAN, "there is nothing to link");
    link->inputs = ARENA_ARRAY(&link->arena, link->count, struct link_input);
    for (size_t i = 0; i < link->count; i++) {
        link->inputs[i].o = inputs[i];
        ok = check_input(link, &link->inputs[i]) && ok;
        words += inputs[i]->text.len;
    }
    if (ok && words > OBJECT_MAX_TEXT) {
        diag_error(link->d, NO_SPAN,
                   "the text has %" PRIu64 " instructions; jumps reach only %" PRIu32, words,
                   OBJECT_MAX_TEXT);
        ok = false;
    }
    return ok;
}

static void run(struct link *link) {
    uint32_t before = diag_errors(link->d);
    link_merge_tables(link);
    link_merge_symbols(link);
    if (diag_errors(link->d) != before)
        return;
    link_merge_text(link);
    if (diag_errors(link->d) != before)
        return;
    link_choose_entry(link);
    if (diag_errors(link->d) != before)
        return;
    if (link->options->gc_sections) {
        link_collect_subroutines(link);
        link_drop_moves(link);
    }
    link_order_calls(link);
    if (!link->options->relocatable)
        link_resolve(link);
    if (diag_errors(link->d) != before)
        return;
    link_merge_signatures(link);
    if (diag_errors(link->d) != before)
        return;
    link_finish_tables(link);
    if (!link->options->relocatable)
        link_check_flow(link->out, link->d);
}

struct object *link_one_text(const struct object *const *inputs, size_t count,
                             const struct link_options *options, struct diag *diag) {
    static const struct link_options defaults;
    struct link l = {
        .options = options ? options : &defaults, .count = count, .out = object_new(), .d = diag};
    uint32_t before = diag_errors(diag);
    if (take_inputs(&l, inputs))
        run(&l);
    map_free(&l.lut_names);
    arena_free(&l.arena);
    if (diag_errors(diag) == before)
        return l.out;
    object_free(l.out);
    return NULL;
}

struct object *link_objects(const struct object *const *inputs, size_t count,
                            const struct link_options *options, struct diag *diag) {
    struct object *out = link_one_text(inputs, count, options, diag);
    if (!out || link_own_texts(inputs, count, options, out, diag))
        return out;
    object_free(out);
    return NULL;
}
