/* SPDX-License-Identifier: MIT
 * Both ends of a loop. */
#include "machines/core/scalar/emitter.h"

/* At both ends of a loop nothing is in registers: what lives on is on the stack. */
static void leave_registers(struct scalar_emitter *e) {
    for (unsigned r = 0; r < e->places->registers; r++)
        if (e->owner[r] && scalar_next_use(e, e->owner[r], true) != SCALAR_NEVER)
            scalar_spill(e, e->owner[r]);
}
static void empty_registers(struct scalar_emitter *e) {
    for (unsigned r = 0; r < e->places->registers; r++)
        if (e->owner[r])
            scalar_disown(e, e->owner[r]);
}
/* What ends here, in registers or on the stack. */
static void release_ended(struct scalar_emitter *e) {
    for (scalar_id id = 1; id <= e->b->values.len; id++)
        if (e->lives[id].end > e->lives[id].first && e->uses[e->lives[id].end - 1] == e->at)
            scalar_release(e, id);
}
void scalar_emit_begin(struct scalar_emitter *e, scalar_id id) {
    struct scalar_value *v = &e->b->values.data[id - 1];
    v->element = e->about->labels;
    e->about->labels += 2;
    if (v->a)
        scalar_get_mask(e, v->a);
    leave_registers(e);
    if (v->a)
        scalar_jump_by(e, v->a, false, v->element + 1);
    release_ended(e);
    empty_registers(e);
    scalar_put_label(e, v->element);
}
void scalar_emit_again(struct scalar_emitter *e, scalar_id id) {
    const struct scalar_value *v = scalar_val(e, id);
    const uint32_t label = scalar_val(e, (scalar_id)v->k)->element;
    scalar_get_mask(e, v->a);
    leave_registers(e);
    scalar_jump_by(e, v->a, true, label);
    release_ended(e);
    empty_registers(e);
    scalar_put_label(e, label + 1);
}
