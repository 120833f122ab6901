/* SPDX-License-Identifier: MIT
 * The state of one walk through a recipe's body; for expand.c, places.c and add_uop.c alone. */
#ifndef RECIPE_EXPAND_WALK_H
#define RECIPE_EXPAND_WALK_H

#include "recipe/expand/expand.h"

enum binding_kind {
    UNBOUND,
    BOUND_INT,
    BOUND_REG,
    BOUND_SCRATCH,
    BOUND_CARRY,
    BOUND_PLACE,
    BOUND_OUT,
    BOUND_ROW,  /* number: a row class of one row */
    BOUND_GROUP /* number: a group of rows */
};

/* A scratch name means one place at each position: a scratch value, or in mapped recipes any
 * place that keeps its value while the instruction is carried out. */
struct position_value {
    uint16_t position;
    uint32_t place;
};

struct walk_frame;
struct binding {
    enum binding_kind kind;
    int64_t number; /* INT, ROW, GROUP */
    uint32_t place; /* PLACE */
    uint8_t field;  /* REG */
    uint16_t carry; /* CARRY: direction << 8 | number */
    bool by_let;
    VEC(struct position_value) values; /* SCRATCH */
    struct walk_frame *frame;          /* OUT: where `target` is to be written */
    const struct recipe_expr *target;
};

/* One activation of the recipe or of a sub. */
struct walk_frame {
    const struct recipe_unit *unit;
    struct walk_frame *caller;
    struct binding *bindings;
    unsigned depth;
};

/* A carry at each position: when it last came in (`written`, by the walk's clock), where it lies,
 * and when it was last handed on from there (`handed`); and what was handed on beyond the last
 * position. */
struct carry_state {
    uint32_t stmt_id;
    bool down;
    uint32_t written[64], handed[64], place[64];
    uint32_t ended, end_place;
};

struct prior_uop {
    uint64_t path;
    uint32_t index;
};

/* A pipelined loop: micro-ops of the iteration before, and of this one. */
struct pipelined_lap {
    VEC(struct prior_uop) before, now;
    size_t next;        /* in `before` */
    VEC(size_t) starts; /* where each lap begins */
};

/* A named row of a section that the body has spoken of. */
struct named_row {
    uint16_t class, section;
    bool written;
    uint32_t place;
};

/* par.c: what it works in, kept from one `par` to the next. */
struct par_memory {
    VEC(uint32_t) made; /* by place; 0 between uses, so that only what was used is cleared */
    VEC(uint32_t) wanted, order;
    VEC(struct sym_uop) sorted;
};

struct section_machine {
    struct expansion *x;
    struct walk_frame *frame;
    int position;    /* at work; it lies in section position mod sections */
    bool in_section; /* inside a loop or an `at`: the section is meant */
    uint32_t clock;  /* counts writes of carries */
    uint64_t path;
    struct pipelined_lap *lap;
    uint32_t steps;
    VEC(struct carry_state) carries[2]; /* [direction], at most MAX_CARRIES */
    VEC(struct named_row) rows;
    struct par_memory par;
    uint64_t written[3]; /* bits of rs, rt, rd that have been written */
    bool wrote_m;
    uint32_t latch_copies[3][64]; /* C, M, valid: a section's copy of what it holds, or 0 */
    bool failed;
};

/* Reports the first error of an expansion; always false. */
bool expand_walk_fail(struct section_machine *machine, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline struct binding *binding_of(struct section_machine *machine,
                                         const struct recipe_expr *expr) {
    return &machine->frame->bindings[expr->ref];
}
static inline int sections_of(const struct section_machine *machine) {
    return (int)plane_target(machine->x->set->target)->sections;
}

static inline int section_at(const struct section_machine *machine, int position) {
    return position % sections_of(machine);
}

/* places.c: the value of a number; the position that a number names; the place that an operand
 * names, read or written.  False after reporting. */
bool expand_walk_eval(struct section_machine *machine, const struct recipe_expr *expr,
                      int64_t *value);
bool expand_walk_position(struct section_machine *machine, const struct recipe_expr *expr,
                          int *position);
bool expand_walk_read(struct section_machine *machine, const struct recipe_expr *expr,
                      uint32_t *place);
/* `keep`: the op also reads the old value, which must be there and stays the same value. */
bool expand_walk_write(struct section_machine *machine, const struct recipe_expr *expr, bool keep,
                       uint32_t *place);
bool expand_walk_field_is_read(const struct expansion *expansion, uint8_t field);
/* The place that an operand names is replaced by an op's result: it must be one that the
 * instruction may change. */
bool expand_walk_replace(struct section_machine *machine, const struct recipe_expr *expr,
                         uint32_t place);

/* named.c: the one row of a class in the section at work, read (it must have been written) or
 * written. */
bool expand_walk_read_row(struct section_machine *machine, struct span at, uint32_t class,
                          uint32_t *place);
bool expand_walk_write_row(struct section_machine *machine, struct span at, uint32_t class,
                           uint32_t *place);
/* Carries out NAME second <- first. */
bool expand_walk_arrow(struct section_machine *machine, const struct recipe_stmt *stmt);
/* The buffer of a carry at a position: those of a section's positions have names of their own until
 * incoming.c has settled them. */
#define BUFFER_ROUND 9 /* position / sections, in bits 13:9 of the number */
uint32_t expand_walk_buffer(const struct section_machine *machine, const struct binding *carry,
                            int position);
/* A carry comes in at a position, in this place. */
void expand_walk_come_in(struct section_machine *machine, const struct binding *carry, int position,
                         uint32_t place);
/* A carry of a mapped recipe begins where all positions lie in one section: no micro-op. */
bool expand_walk_begin(struct section_machine *machine, const struct recipe_stmt *stmt,
                       const struct binding *carry);
/* The assignment of a mapped recipe that may cost no micro-op (STMT_PASS in ast.h). */
bool expand_walk_pass(struct section_machine *machine, const struct recipe_stmt *stmt);

/* reach.c: copies one place to another, by a micro-op or several.  False after reporting. */
bool expand_walk_copy(struct section_machine *machine, const struct recipe_stmt *stmt,
                      uint32_t from, uint32_t to);
/* The same into a carry's buffer in another section; where it comes in from the other side, *buffer
 * is that side's. */
bool expand_walk_send(struct section_machine *machine, const struct recipe_stmt *stmt,
                      uint32_t from, uint32_t *buffer);
/* May the op of a mapped recipe use these places from the section at work? */
bool expand_walk_reaches(const struct section_machine *machine, const struct target_op *op,
                         const uint32_t *src, const uint32_t *dst);
/* Copies take the place of what lies in the first section alone; what is to be written there is
 * new scratch, which the caller copies there.  False if the op may not work on these either. */
bool expand_walk_fetch(struct section_machine *machine, const struct recipe_stmt *stmt,
                       const struct target_op *op, uint32_t *src, uint32_t *dst);
/* Where C or M is written, copies of it are out of date. */
void expand_walk_note_write(struct section_machine *machine, uint32_t place);

/* par.c: laps that work at the same time; `run` carries out a body. */
bool expand_walk_par(struct section_machine *machine, const struct recipe_stmt *stmt,
                     bool (*run)(struct section_machine *, const struct recipe_stmt *));
void expand_walk_par_free(struct par_memory *memory);

/* par.c: a number for each place that holds a value between micro-ops, below that of values and
 * 258; -1 for others. */
int64_t expand_walk_place_number(const struct expansion *expansion, uint32_t place);

/* distribute.c: what laps of a loop need not wait for in one another is put side by side. */
void expand_walk_distribute(struct section_machine *machine, struct pipelined_lap *laps);

/* add_uop.c: appends a micro-op that issues in the section at work; src and dst hold all operands,
 * the fixed and tied ones too. */
bool expand_walk_emit(struct section_machine *machine, const struct recipe_stmt *stmt,
                      uint32_t kind, const uint32_t *src, const uint32_t *dst);

#endif
