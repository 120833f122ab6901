/* SPDX-License-Identifier: MIT
 * Calls: of routines of the core, and of those that are made from IR. */
#include "machines/core/scalar/emitter.h"
#include "machines/core/scalar/routines.h"

#include <string.h>

/* Values in registers that the routine changes, and that are used later, go elsewhere. */
static void clear_for_call(struct scalar_emitter *e, uint32_t changes) {
    for (unsigned r = 0; r < e->places->registers; r++) {
        scalar_id id = e->owner[r];
        if (!(changes >> r & 1) || !id || scalar_dies(e, id))
            continue;
        if (scalar_is_const(e, id)) {
            scalar_disown(e, id);
            continue;
        }
        bool wide = scalar_val(e, id)->wide;
        unsigned to = scalar_choose_register(e, scalar_free_registers(e) & ~changes, wide);
        if (to == SCALAR_NOWHERE) {
            scalar_spill(e, id);
            scalar_disown(e, id);
            continue;
        }
        scalar_put_move(e, to, r, wide);
        scalar_disown(e, id);
        scalar_own(e, id, to);
        e->locked |= scalar_held(e, id);
    }
}
static void pass(struct scalar_emitter *e, scalar_id id, unsigned to) {
    bool wide = scalar_val(e, id)->wide;
    if (e->lives[id].reg != SCALAR_NOWHERE)
        scalar_put_move(e, to, e->lives[id].reg, wide);
    else if (scalar_is_const(e, id))
        scalar_put_constant(e, to, scalar_val(e, id)->k, wide);
    else
        scalar_put_stack(e, id, to, false);
}
static void pass_two(struct scalar_emitter *e, scalar_id a, scalar_id b, unsigned second) {
    if (!b) {
        pass(e, a, 0);
        return;
    }
    uint32_t to_a = scalar_bits_at(0, scalar_val(e, a)->wide),
             to_b = scalar_bits_at(second, scalar_val(e, b)->wide);
    bool b_in_a = scalar_held(e, b) & to_a, a_in_b = scalar_held(e, a) & to_b;
    if (a == b) {
        if (!a_in_b)
            pass(e, b, second);
        pass(e, a, 0);
        return;
    }
    if (!b_in_a) {
        pass(e, a, 0);
        pass(e, b, second);
    } else if (!a_in_b) {
        pass(e, b, second);
        pass(e, a, 0);
    } else {
        /* A register beside both, of those that the routine changes. */
        unsigned beside = second + 2;
        scalar_put_move(e, beside, e->lives[b].reg, scalar_val(e, b)->wide);
        pass(e, a, 0);
        scalar_put_move(e, second, beside, scalar_val(e, b)->wide);
    }
}
static void add_routine(struct scalar_code *about, const char *name) {
    for (size_t i = 0; i < about->routines.len; i++)
        if (strcmp(about->routines.data[i], name) == 0)
            return;
    vec_push(&about->routines, name);
}
static void add_called(struct scalar_code *about, uint64_t routine) {
    for (size_t i = 0; i < about->called.len; i++)
        if (about->called.data[i] == routine)
            return;
    vec_push(&about->called, routine);
}
void scalar_code_free(struct scalar_code *code) {
    vec_free(&code->routines);
    vec_free(&code->called);
}
/* What is left of the division stands behind it, and is there with it. */
static bool claims(const struct scalar_emitter *e, scalar_id id) {
    if (e->at + 1 >= e->count)
        return false;
    const struct scalar_value *next = scalar_val(e, e->order[e->at + 1]);
    return next->op == SCALAR_REST && next->a == id;
}
void scalar_emit_call(struct scalar_emitter *e, scalar_id id, const struct scalar_pattern *p) {
    const struct scalar_value v = *scalar_val(e, id);
    struct scalar_leaves l = {.count = 0};
    scalar_gather(e, id, &l);
    unsigned second = scalar_second_of(e, &v);
    for (unsigned i = 0; i < l.count; i++)
        if (!scalar_is_const(e, l.ids[i]))
            scalar_get(e, l.ids[i]);
    clear_for_call(e, p->changes);
    uint32_t label = v.guard ? e->about->labels++ : 0;
    if (v.guard)
        scalar_jump_by(e, v.guard, false, label);
    pass_two(e, v.a, v.b, second);
    const struct scalar_names n = {.routine = p->routine};
    scalar_put_line(e, e->core->call, &n);
    if (v.guard)
        scalar_put_label(e, label);
    if (v.op == SCALAR_CALL)
        add_called(e->about, v.k);
    else
        add_routine(e->about, p->routine);
    bool used = scalar_next_use(e, id, true) != SCALAR_NEVER;
    scalar_release_all(e, &l);
    /* What is left in them is changed, constants too. */
    for (unsigned r = 0; r < e->places->registers; r++)
        if (p->changes >> r & 1 && e->owner[r])
            scalar_disown(e, e->owner[r]);
    if (claims(e, id)) {
        e->at++;
        scalar_own(e, e->order[e->at], second);
        used = scalar_next_use(e, id, true) != SCALAR_NEVER;
    }
    if (used)
        scalar_own(e, id, 0);
}

uint32_t scalar_called_changes(const struct scalar_emitter *e) {
    return (UINT32_C(1) << e->core->called_registers) - 1;
}
void scalar_emit_made(struct scalar_emitter *e, scalar_id id) {
    struct str name = {0};
    scalar_routine_name(scalar_val(e, id)->k, &name);
    const struct scalar_pattern p = {.routine = str_text(&name),
                                     .changes = scalar_called_changes(e)};
    scalar_emit_call(e, id, &p);
    str_free(&name);
}
void scalar_emit_argument(struct scalar_emitter *e, scalar_id id) {
    const struct scalar_value *v = scalar_val(e, id);
    const unsigned second = v->wide ? e->core->second_pair : e->core->second_word;
    scalar_own(e, id, v->k ? second : 0);
}
void scalar_emit_result(struct scalar_emitter *e, scalar_id id) {
    pass(e, scalar_val(e, id)->b, 0);
}

/* ---- routines from IR ---- */

static void put_frame(struct scalar_emitter *e, const char *text, uint32_t offset) {
    scalar_put_line(e, text, &(struct scalar_names){.o = offset});
}
/* Behind the way back lie its cells. */
static void cell_at(const void *context, uint32_t array, uint32_t element, const char **reg,
                    uint32_t *offset) {
    const struct scalar_emitter *e = context;
    (void)element;
    *reg = e->core->own;
    *offset = e->places->stack + 8 + 8 * array;
}
/* One that calls another keeps the way back. */
static bool emit_routine(const struct scalar_core *core, uint64_t routine, uint32_t stack,
                         struct str *out, struct scalar_code *about, uint32_t *bytes) {
    struct scalar_body b = {.from = 0};
    struct scalar_code code = {.labels = about->labels};
    struct str name = {0}, text = {0};
    const struct scalar_places frame = {.stack = stack};
    struct scalar_emitter e = {.core = core, .places = &frame, .out = out, .about = about};
    const uint32_t own = 8 + 8 * SCALAR_ROUTINE_CELLS;
    const struct scalar_places places = {
        .at = cell_at, .context = &e, .stack = stack + own, .registers = core->called_registers};
    scalar_id wrong = 0;
    scalar_routine_body(routine, &b);
    scalar_finish(&b);
    bool fine = scalar_emit(core, &b, &places, &text, &code, &wrong);
    scalar_routine_name(routine, &name);
    str_printf(out, "%s:\n", str_text(&name));
    if (code.routines.len)
        put_frame(&e, core->enter, stack);
    str_append(out, str_text(&text));
    if (code.routines.len)
        put_frame(&e, core->leave, stack);
    put_frame(&e, core->back, stack);
    about->labels = code.labels;
    for (size_t i = 0; i < code.routines.len; i++)
        add_routine(about, code.routines.data[i]);
    *bytes = own + code.stack > *bytes ? own + code.stack : *bytes;
    scalar_free(&b);
    scalar_code_free(&code);
    str_free(&name);
    str_free(&text);
    return fine;
}

bool scalar_emit_called(const struct scalar_core *core, uint32_t stack, struct str *out,
                        struct scalar_code *about, uint32_t *bytes) {
    bool fine = true;
    *bytes = 0;
    for (size_t i = 0; i < about->called.len && fine; i++)
        fine = emit_routine(core, about->called.data[i], stack, out, about, bytes);
    return fine;
}
