/* SPDX-License-Identifier: MIT
 * What recipes of the program's own make of a package is proved, as far as a solver is there and
 * decides it soon; of the rest it is said once that it is tested. */
#include "linker/linker.h"
#include "linker/package/pack.h"

#include <string.h>

/* Instructions that are named in the message. */
#define MOST_NAMED 8

struct proof_run {
    const struct object *program;
    const struct package *package;
    const struct machine_library *library;
    struct isa_users users;
    struct diag *diag;
    unsigned undecided;
    bool fine;
    struct unproved {
        enum isa_op op;
        uint8_t width;
    } list[MOST_NAMED];
    size_t count, more; /* in the list, and beyond it */
};

static void add_unproved(struct proof_run *run, const struct insn *insn) {
    for (size_t i = 0; i < run->count; i++)
        if (run->list[i].op == insn->op && run->list[i].width == insn->width)
            return;
    if (run->count < MOST_NAMED)
        run->list[run->count++] = (struct unproved){insn->op, insn->width};
    else
        run->more++;
}

static bool prove_form(void *context, const struct insn *insn, bool masked, uint32_t index) {
    struct proof_run *run = context;
    if (!machine_has(run->library, insn->op))
        return true;
    enum machine_proof proof =
        machine_prove(run->library, insn, masked, &run->undecided, run->diag);
    if (proof == PROOF_NONE)
        add_unproved(run, insn);
    if (proof != PROOF_FAILS)
        return true;
    diag_note(run->diag, object_span(run->program, object_place(run->program, index), run->diag),
              "instruction %u of the program uses it", (unsigned)index);
    run->fine = false;
    return false;
}

/* "AND.32, MAX.8". */
static void name_forms(const struct proof_run *run, struct str *out) {
    for (size_t i = 0; i < run->count; i++) {
        str_printf(out, "%s%s", i ? ", " : "", isa_users_name(&run->users, run->list[i].op));
        if (run->list[i].width)
            str_printf(out, ".%u", (unsigned)run->list[i].width);
    }
    str_append(out, run->more ? " and others" : "");
}

/* Each once: the instructions, or their widths. */
static void list_once(const struct proof_run *run, bool widths, struct str *out) {
    for (size_t i = 0, n = 0; i < run->count; i++) {
        const struct unproved *x = &run->list[i];
        bool known = widths && !x->width;
        for (size_t k = 0; k < i && !known; k++)
            known = widths ? run->list[k].width == x->width : run->list[k].op == x->op;
        if (known)
            continue;
        str_append(out, n++ ? "," : widths ? " --width " : " --op ");
        if (widths)
            str_printf(out, "%u", (unsigned)x->width);
        else
            str_append(out, isa_users_name(&run->users, x->op));
    }
}

/* Where one file says all of the recipes it can be proved as it is; else the linked program says
 * it.
 */
static void say_command(const struct proof_run *run) {
    struct str what = {0};
    list_once(run, false, &what);
    list_once(run, true, &what);
    if (run->program->recipes.len == 1 && !run->more)
        diag_note(run->diag, NO_SPAN, "to prove them: mpu-recipe verify --prove --target %s%s %s",
                  run->package->target, str_text(&what), run->program->recipes.data[0].name);
    else
        diag_note(run->diag, NO_SPAN,
                  "to prove them: mpu-recipe verify --prove --target %s and the linked program",
                  run->package->target);
    str_free(&what);
}

bool package_prove_forms(const struct object *program, const struct package *package,
                         const struct machine_library *library, struct diag *diag) {
    struct proof_run run = {
        .program = program, .package = package, .library = library, .diag = diag, .fine = true};
    struct arena scratch = {0};
    struct str names = {0};
    if (program->recipes.len == 0)
        return true;
    object_users(program, &run.users, &scratch, NULL);
    package_each_form(package, prove_form, &run);
    name_forms(&run, &names);
    if (run.fine && run.count) {
        diag_warning(diag, W_UNPROVED, NO_SPAN,
                     "recipes of the program's own are tested, not proved: %s", str_text(&names));
        say_command(&run);
    }
    str_free(&names);
    arena_free(&scratch);
    return run.fine;
}
