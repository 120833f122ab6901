/* SPDX-License-Identifier: MIT
 * Texts for built-in machines without room for the common one: the rows of all that lack some make
 * one text, columns one for each machine.  A machine that no such text has room on gets none. */
#include "ezpim/compile_attempt.h"
#include "ezpim/ir/spill.h"
#include "target/load.h"

#include <inttypes.h>
#include <string.h>

struct own_texts {
    const struct compile_front *front;
    const struct ez_options *options;
    struct object *common;
    struct diag *diag;
    struct str notes[OBJECT_MAX_OWN_TEXTS]; /* of the texts that were made */
    struct str machines;                    /* of all of them */
    uint64_t work;                          /* as in struct compilation */
};

/* Machines that lack room for the object: bit i, the i-th of rows_left. */
static uint32_t lacking(const struct object *object) {
    struct rows_use use;
    struct rows_left left;
    uint32_t lack = 0;
    rows_taken(object, &use);
    rows_left(object, &left);
    for (unsigned t = 0; t < left.count; t++)
        if (use.taken[t] > compile_left(object, &left, t) && target_summary(left.target[t]))
            lack |= UINT32_C(1) << t;
    return lack;
}

static void append_names(struct str *out, uint32_t targets, const char *between) {
    const char *name;
    for (unsigned t = 0; (name = rows_target_name(t)); t++)
        if (targets >> t & 1)
            str_printf(out, "%s%s", out->len ? between : "", name);
}

/* The text that has room on these machines; false if there is none. */
static bool add_text(struct own_texts *texts, uint32_t targets, uint64_t *work) {
    struct ez_options o = *texts->options;
    struct ir_spills spills = {0};
    size_t number = texts->common->own_texts.len;
    o.own_texts = 0;
    o.spill = true;
    o.target = NULL;
    o.targets = targets;
    diag_hush(texts->diag);
    struct object *text = number < OBJECT_MAX_OWN_TEXTS
                              ? compile_one(texts->front, &o, &spills, work, texts->diag)
                              : NULL;
    diag_hush_end(texts->diag);
    if (text) {
        struct str names = {0}, *note = &texts->notes[number];
        append_names(&names, targets, ",");
        append_names(note, targets, ", ");
        str_printf(note, ": %zu instructions in place of %zu", text->text.len,
                   texts->common->text.len);
        if (spills.homes) {
            str_append(note, "; ");
            ir_append_spills(&spills, note);
        }
        object_add_own_text(texts->common, str_text(&names), text);
        append_names(&texts->machines, targets, ", ");
        str_free(&names);
    }
    return text != NULL;
}

/* All of them with the work of one. */
static void add_each(struct own_texts *texts, uint32_t targets) {
    uint64_t work = 0;
    for (unsigned t = 0; t < ROWS_MOST_TARGETS; t++)
        if (targets >> t & 1)
            add_text(texts, UINT32_C(1) << t, &work);
    texts->work += work;
}

void compile_add_texts(const struct compile_front *front, const struct ez_options *options,
                       struct object *common, struct diag *diag) {
    struct own_texts texts = {.front = front, .options = options, .common = common, .diag = diag};
    uint32_t lack = lacking(common), rows = lack & rows_targets_of_one_section();
    /* Of tables whoever asks for single targets counts what they take. */
    if (!(lack & options->own_texts) || (common->luts.len && options->own_texts != EZ_ALL_TARGETS))
        return;
    if (!(rows & options->own_texts))
        rows = 0;
    lack &= rows | options->own_texts;
    if (rows && !add_text(&texts, rows, &texts.work) && (rows & (rows - 1)))
        add_each(&texts, rows);
    add_each(&texts, lack & ~rows);
    if (options->spill_work)
        *options->spill_work += texts.work;
    if (common->own_texts.len)
        diag_warning(diag, W_OWN_TEXT, front->at,
                     "the program takes more of a lane than there is on %s: %s run%s on %s",
                     str_text(&texts.machines),
                     common->own_texts.len > 1 ? "texts of their own" : "a text of its own",
                     common->own_texts.len > 1 ? "" : "s",
                     strchr(str_text(&texts.machines), ',') ? "these" : "it");
    for (size_t i = 0; i < common->own_texts.len; i++) {
        diag_note(diag, NO_SPAN, "%s", str_text(&texts.notes[i]));
        str_free(&texts.notes[i]);
    }
    str_free(&texts.machines);
}
