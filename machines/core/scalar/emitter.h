/* SPDX-License-Identifier: MIT
 * What the files that make code share: patterns as text (pattern_text.c), registers (allot.c),
 * values one after another (emit.c). */
#ifndef MACHINES_CORE_SCALAR_EMITTER_H
#define MACHINES_CORE_SCALAR_EMITTER_H

#include "machines/core/scalar/emit.h"

#define SCALAR_NOWHERE UINT8_MAX
#define SCALAR_NEVER   UINT32_MAX

/* A value while code is made. */
struct scalar_life {
    uint8_t reg; /* the first of its registers */
    bool spilled;
    uint32_t slot;
    uint32_t first, end, next; /* its uses, and the first of them that is still to come */
};
struct scalar_emitter {
    const struct scalar_core *core;
    struct scalar_body *b;
    const struct scalar_places *places;
    struct str *out;
    struct scalar_code *about;
    struct scalar_life *lives; /* [id] */
    uint32_t *uses;            /* positions */
    scalar_id *order;          /* values by position */
    uint32_t *placed, *last;   /* [id]: position, and that of the last use so far */
    uint32_t *calls;           /* [position]: registers that one changes there */
    uint32_t *next_call;       /* [position]: the first call at or behind it */
    uint32_t count, at;
    scalar_id owner[SCALAR_MOST_REGISTERS];
    uint32_t locked; /* bits of registers */
    VEC(uint32_t) free_slots;
};

static inline const struct scalar_value *scalar_val(const struct scalar_emitter *e, scalar_id id) {
    return scalar_at(e->b, id);
}
static inline bool scalar_is_const(const struct scalar_emitter *e, scalar_id id) {
    return scalar_val(e, id)->op == SCALAR_CONST;
}

/* ---- pattern_text.c ---- */

/* What stands for %a and the others; registers by number, SCALAR_NOWHERE: a constant. */
struct scalar_names {
    uint8_t c, a, b, d, temporary[2];
    uint64_t a_k, b_k, k;
    uint32_t label;
    const char *p;
    uint32_t o;
    const char *routine;
};

/* The first that fits; NULL: none does. */
const struct scalar_pattern *scalar_pattern_of(const struct scalar_emitter *e, scalar_id id);
/* Whether operand b, or a, of the pattern is written as a constant. */
bool scalar_b_immediate(const struct scalar_emitter *e, const struct scalar_pattern *p,
                        scalar_id b);
bool scalar_a_zero(const struct scalar_emitter *e, const struct scalar_pattern *p, scalar_id a);
/* A line for each instruction; they stand between "; ". */
void scalar_put_line(struct scalar_emitter *e, const char *text, const struct scalar_names *n);
void scalar_put_label(struct scalar_emitter *e, uint32_t label);
bool scalar_has_label(const char *text);
/* Of a pair that begins with the register: that of its half 'l' or 'h'. */
unsigned scalar_half_register(const struct scalar_emitter *e, unsigned reg, char which);

/* ---- allot.c ---- */

/* Bits of the registers that a value takes which begins there; that the value has now. */
uint32_t scalar_bits_at(unsigned reg, bool wide);
uint32_t scalar_held(const struct scalar_emitter *e, scalar_id id);
void scalar_own(struct scalar_emitter *e, scalar_id id, unsigned reg);
void scalar_disown(struct scalar_emitter *e, scalar_id id);
/* The next use at this position, or only behind it; SCALAR_NEVER. */
uint32_t scalar_next_use(struct scalar_emitter *e, scalar_id id, bool behind);
bool scalar_dies(struct scalar_emitter *e, scalar_id id);
void scalar_put_move(struct scalar_emitter *e, unsigned to, unsigned from, bool wide);
void scalar_put_constant(struct scalar_emitter *e, unsigned to, uint64_t k, bool wide);
/* From or to the value's slot on the stack. */
void scalar_put_stack(struct scalar_emitter *e, scalar_id id, unsigned reg, bool out);
void scalar_spill(struct scalar_emitter *e, scalar_id id);
uint32_t scalar_free_registers(const struct scalar_emitter *e);
/* Of these; SCALAR_NOWHERE: they have none for a word, or a pair. */
unsigned scalar_choose_register(const struct scalar_emitter *e, uint32_t among, bool wide);
/* One that is free, or made so; none of `avoid` if that can be. */
unsigned scalar_take(struct scalar_emitter *e, bool wide, uint32_t avoid);
/* Registers that the next call changes, if the value lives beyond it. */
uint32_t scalar_to_avoid(const struct scalar_emitter *e, scalar_id id);
/* Where a call takes its second operand. */
unsigned scalar_second_of(const struct scalar_emitter *e, const struct scalar_value *v);
/* A register for a new value, or one with the value; both are locked. */
unsigned scalar_give(struct scalar_emitter *e, scalar_id id);
unsigned scalar_get(struct scalar_emitter *e, scalar_id id);
/* The value's register and slot are free again if this position was its last use. */
void scalar_release(struct scalar_emitter *e, scalar_id id);

/* Operands of v, and those of operands that are computed with it. */
struct scalar_leaves {
    scalar_id ids[16];
    unsigned count;
};

/* ---- emit.c ---- */

void scalar_gather(const struct scalar_emitter *e, scalar_id id, struct scalar_leaves *out);
void scalar_release_all(struct scalar_emitter *e, const struct scalar_leaves *l);
/* Jumps to the label unless the mask holds (or when it does). */
void scalar_jump_by(struct scalar_emitter *e, scalar_id mask, bool when, uint32_t label);
/* Registers for what a mask is made from, before anything jumps. */
void scalar_get_mask(struct scalar_emitter *e, scalar_id mask);

/* ---- emit_calls.c ---- */

void scalar_emit_call(struct scalar_emitter *e, scalar_id id, const struct scalar_pattern *p);
/* Of a routine that is made from IR. */
uint32_t scalar_called_changes(const struct scalar_emitter *e);
void scalar_emit_made(struct scalar_emitter *e, scalar_id id);
void scalar_emit_argument(struct scalar_emitter *e, scalar_id id);
void scalar_emit_result(struct scalar_emitter *e, scalar_id id);

/* ---- emit_loops.c ---- */

/* Labels: the first lap's, and that behind the loop. */
void scalar_emit_begin(struct scalar_emitter *e, scalar_id id);
void scalar_emit_again(struct scalar_emitter *e, scalar_id id);

/* ---- emit_plan.c ---- */

/* Order, uses by position, calls. */
void scalar_plan(struct scalar_emitter *e);

#endif
