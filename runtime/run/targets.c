/* SPDX-License-Identifier: MIT
 * --list-targets, --print-target, --list-keys. */
#include "ezpim/rows.h"
#include "runtime/run/run.h"

/* How many registers a lane has, and rows for their bits. */
static void registers_line(const char *name, struct str *out) {
    uint32_t there, least;
    str_printf(out, "%-16s a lane has 64 registers", "");
    if (rows_of_target(name, &there, &least))
        str_printf(out, " and %u rows for their bits; instructions leave at least %u of these",
                   there, least);
    str_char(out, '\n');
}

static void one_line(const struct target *t, const char *name, bool verbose, struct str *out) {
    str_printf(out, "%-16s %s\n", name, target_summary(name));
    if (!verbose || !t)
        return;
    str_printf(out, "%-16s %u lane%s per VRF, %u VRF%s per RFH, %u RFH%s per MPU", "",
               COUNTED(t->lanes), COUNTED(t->vrf_per_rfh), COUNTED(t->rfh_per_mpu));
    if (!t->kind->costs)
        str_append(out, ", as many MPUs as a program needs\n");
    else
        str_printf(out, ", %u MPU%s; %u of its numbers %s assumed\n", COUNTED(t->mpus),
                   (unsigned)t->assumed, t->assumed == 1 ? "is" : "are");
    registers_line(name, out);
}

int run_list_targets(const struct run_options *o, struct diag *d, FILE *out) {
    struct str text = {0};
    size_t count;
    const char *const *names = target_names(&count);
    for (size_t i = 0; i < count; i++) {
        struct target *t = o->verbose ? target_open(names[i], NULL, 0, d) : NULL;
        one_line(t, names[i], o->verbose, &text);
        target_free(t);
    }
    fputs(str_text(&text), out); /* the command's end asks whether that was written */
    str_free(&text);
    return diag_errors(d) ? EXIT_REJECTED : EXIT_DONE;
}

static int show(const char *name, const struct run_options *o,
                void (*print)(const struct target *, struct str *), struct diag *d, FILE *out) {
    struct str text = {0};
    mpu_target *t;
    VEC(struct target_override) set = {0};
    for (size_t i = 0; i < o->set_axes.len; i++) {
        const struct run_axis *x = &o->set_axes.data[i];
        vec_push(&set, ((struct target_override){x->name, x->values[0]}));
    }
    mpu_result r = target_open_diag(name, set.data, set.len, d, &t);
    vec_free(&set);
    if (r != MPU_OK)
        return run_exit_code(r);
    print(t->t, &text);
    fputs(str_text(&text), out);
    str_free(&text);
    mpu_target_close(t);
    return EXIT_DONE;
}

int run_print_target(const struct run_options *o, struct diag *d, FILE *out) {
    return show(o->print_target, o, target_print, d, out);
}

int run_list_keys(const struct run_options *o, struct diag *d, FILE *out) {
    return show(o->list_keys, o, target_list_keys, d, out);
}
