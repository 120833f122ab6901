/* SPDX-License-Identifier: MIT
 * The state of one walk through a recipe's body; for expand.c, places.c and emit.c alone. */
#ifndef RECIPE_WALK_H
#define RECIPE_WALK_H

#include "recipe/expand.h"

enum binding_kind {
    UNBOUND,
    BOUND_INT,
    BOUND_REG,
    BOUND_SCRATCH,
    BOUND_CARRY,
    BOUND_PLACE,
    BOUND_OUT
};

/* A scratch name means one value in each section. */
struct section_value {
    uint16_t section;
    uint32_t value;
};

struct frame;
struct binding {
    enum binding_kind kind;
    int64_t number; /* INT */
    uint32_t place; /* PLACE */
    uint8_t field;  /* REG */
    uint16_t carry; /* CARRY: direction << 8 | number */
    bool by_let;
    VEC(struct section_value) values; /* SCRATCH */
    struct frame *frame;              /* OUT: where `target` is to be written */
    const struct expr *target;
};

/* One activation of the recipe or of a sub. */
struct frame {
    const struct unit *unit;
    struct frame *caller;
    struct binding *bindings;
    unsigned depth;
};

/* When (after how many micro-ops, plus 1) a carry was last written into the buffer of a section,
 * and last handed on from it. */
struct carry_state {
    uint32_t stmt_id;
    bool down;
    uint32_t written[64], handed[64];
};

struct prior_uop {
    uint64_t path;
    uint32_t index;
};

/* A pipelined loop: micro-ops of the iteration before, and of this one. */
struct lap {
    VEC(struct prior_uop) before, now;
    size_t next; /* in `before` */
};

struct machine {
    struct expansion *x;
    struct frame *frame;
    int section;
    bool in_section; /* inside a loop or an `at`: the section is meant */
    uint64_t path;
    struct lap *lap;
    uint32_t steps;
    struct carry_state *carries[2]; /* [direction][MAX_CARRIES] */
    unsigned carry_count[2];
    uint64_t written[3]; /* bits of rs, rt, rd that have been written */
    bool wrote_c, wrote_m;
    bool failed;
};

/* Reports the first error of an expansion; always false. */
bool walk_fail(struct machine *m, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline struct binding *binding_of(struct machine *m, const struct expr *e) {
    return &m->frame->bindings[e->ref];
}
static inline int sections_of(const struct machine *m) {
    return (int)m->x->set->target->sections;
}

/* places.c: the value of a number; the section that a number names; the place that an operand
 * names, read or written.  False after reporting. */
bool walk_eval(struct machine *m, const struct expr *e, int64_t *v);
bool walk_section(struct machine *m, const struct expr *e, int *section);
bool walk_read(struct machine *m, const struct expr *e, uint32_t *place);
/* `keep`: the op also reads the old value, which must be there and stays the same value. */
bool walk_write(struct machine *m, const struct expr *e, bool keep, uint32_t *place);
bool walk_field_is_read(const struct expansion *x, uint8_t field);

/* emit.c: appends a micro-op that issues in the section at work. */
bool walk_emit(struct machine *m, const struct stmt *s, uint32_t kind, const uint32_t *src,
               const uint32_t *dst);

#endif
