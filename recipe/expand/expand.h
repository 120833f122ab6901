/* SPDX-License-Identifier: MIT
 * From a recipe's body to a list of micro-ops on symbolic places, checked as it grows.
 *
 * A place is a number like those of uop.h: class 31:28 and 28 bits of its own.  REGISTER: field
 * (rs, rt, rd) << 6 | bit.  SCRATCH: number of a value, each assignment makes a new one.  BUFFER:
 * section << 16 | direction << 8 | carry. */
#ifndef RECIPE_EXPAND_EXPAND_H
#define RECIPE_EXPAND_EXPAND_H

#include "recipe/set/set.h"

#define PLACE(class, payload) ((uint32_t)(class) << 28 | (uint32_t)(payload))
#define PLACE_PAYLOAD(p)      ((p)&0x0fffffffu)
#define PLACE_NOWHERE         PLACE(PLANE_NONE, 0)

/* Bounds on one expansion: a body that exceeds them is taken for endless. */
#define MAX_STEPS     (1u << 20) /* statements carried out */
#define MAX_MICRO_OPS (1u << 18)
#define MAX_CARRIES   255 /* of one direction */
#define MAX_CALLS     16  /* subs inside subs */

/* In the number of a buffer, until incoming.c has settled its name: what a value passes on its way
 * to another section, or where it comes in from the other side than its carry. */
#define BUFFER_ON_THE_WAY 0x4000u

#define NO_UOP UINT32_MAX
/* Kind of a copy of one row to another that no single micro-op makes: which rows for computing it
 * may pass is known when the whole body is (expand_resolve_copies). */
#define COPY_LATER UINT16_MAX

struct sym_uop {
    uint16_t kind, section;
    uint8_t nsrc, ndst;
    bool idle;      /* copies a bit onto itself, where operands are the same register */
    bool copies;    /* whichever micro-op that copies will do */
    uint8_t splits; /* copies on the way of what it reads, where classes of rows contradict */
    uint32_t src[UOP_MAX], dst[UOP_MAX];
    uint32_t counterpart; /* index of the same micro-op in the previous section, or NO_UOP */
    uint64_t path;        /* which statement, reached through which calls and serial loops */
    const struct recipe_stmt *stmt;
    const struct recipe_unit *unit;
};

struct uop_value {
    uint16_t section;
    uint16_t class;    /* 1 + row class that it lies in; 0: not decided yet */
    bool named;        /* the one row of its class, by name: it may be written again and again */
    uint16_t row;      /* number of the scratch row, once allocated */
    bool placed;       /* homes.c has chosen the row */
    bool redirected;   /* it stands for the bit `position` of a result */
    const void *owner; /* with `name`: values that one name means one after the other */
    uint32_t name;
    int16_t position;  /* where the name means it; -1: not said */
    uint32_t last_use; /* index of the last micro-op that reads it, or that writes it */
};

struct sym_list {
    VEC(struct sym_uop) uops;
    VEC(struct uop_value) values;
};
void expand_sym_list_free(struct sym_list *list);

struct allowed_memo;

struct expansion {
    const struct recipe_set *set;
    const struct recipe *recipe;
    const struct insn *insn;
    const struct isa_info *info;
    unsigned w;
    struct diag *diag;
    struct sym_list list;
    const uint64_t *wanted; /* bits of rd that are, where the recipe goes into another; NULL: all */
    bool in_order;          /* loops are carried out lap by lap, also where laps could be words */
    bool distributed;       /* some were not */
    bool copies_at_home; /* a copy works between rows where the mapping has values between gates */
    bool may_split;      /* a value that no class of rows suits everywhere may be copied */
    bool lasting_first;  /* values that are held the longest choose their class of rows first */
    bool aliased;        /* operands were the same register, and copies may have been made */
    bool wrote_c;        /* the walk has come to a micro-op that writes C */
    bool saves_carries;  /* what a buffer holds is copied before another carry comes into it */
    bool crossed;        /* mapped: in the order of the list a carry comes into a buffer whose
                            value is still to be read, and nothing saves it */
    unsigned carries[2]; /* [down]: carry variables of the body */
    struct allowed_memo *allowed; /* classes.c; NULL: every question is a new one */
    uint16_t short_of;            /* 1 + class that has too few rows; 0: none, as far as it came */
    uint32_t scratch_rows;        /* the most that one section holds at once, once allocated */
};

/* expand.c: fills x->list with distinct operands; false after reporting. */
bool expand_body(struct expansion *x);
/* incoming.c: one buffer for a section and direction is enough for a mapped recipe's list in its
 * order, or `crossed` says that it is not.  False after reporting. */
bool expand_settle_buffers(struct expansion *expansion);
/* dead.c: leaves out micro-ops whose results nothing reads. */
void expand_drop_dead(struct expansion *expansion);
/* masked.c: the masked form, except for what put_mask does: visible writes by gate and by latch
 * carry M as their predicate. */
bool expand_mask(struct expansion *expansion);
/* alias.c: operands that are the same register. */
bool expand_aliases(struct expansion *expansion);
/* classes.c: a row class for each value, so that every `where` holds. */
bool expand_classes(struct expansion *expansion);
/* homes.c: rows for values in classes of many rows, where a target has one section; those that it
 * leaves alone are not `placed`. */
void expand_homes(struct expansion *expansion);
/* columns.c: the same where sections can be joined. */
void expand_columns(struct expansion *expansion);
/* expand_rows.c: a row for each value. */
bool expand_rows(struct expansion *expansion);

/* The classes and sections that `where` speaks of.  A value whose class is not decided lies in the
 * class that it will have if nothing speaks against it. */
struct where_place expand_place_of(const struct expansion *expansion, uint32_t place, int here);
/* The class that holds scratch which nothing demands elsewhere: the first that is not for compute
 * rows, else the first; -1 if there is none. */
int expand_plain_scratch_class(const struct target *target);
/* classes.c: may the op work on these places for some choice of the classes not decided yet? */
bool expand_classes_allow(const struct expansion *expansion, const struct target_op *op,
                          const uint32_t *src, const uint32_t *dst, int here);
/* True if nothing decides on classes: one class holds all scratch. */
bool expand_classes_are_plain(const struct target *target);
/* The class of constant rows of that value, or -1. */
int expand_constant_class(const struct target *target, int value);
/* A new scratch value in a section, which a name of `owner` means at a position (-1: at none). */
uint32_t expand_new_scratch(struct expansion *expansion, unsigned section, const void *owner,
                            uint32_t name, int position);
/* "b[3]", "C", "T0", "a scratch value": for messages. */
const char *expand_place_name(struct arena *arena, const struct expansion *expansion,
                              uint32_t place);
/* copy.c: the micro-ops that copy one place to another in a section; their statement and path are
 * the caller's.  False if the target cannot. */
#define MOST_COPY_STEPS 224 /* 16 of each of two sequences, with presets of 6 results */
struct copy_list {
    struct sym_uop uops[MOST_COPY_STEPS];
    bool preset[MOST_COPY_STEPS]; /* it only sets the result of the next one before */
    unsigned count;
};
bool expand_make_copy(struct expansion *expansion, uint32_t from, uint32_t to, int here,
                      struct copy_list *out);
/* Appends the op with these sources, and what presets its result. */
void expand_copy_step(const struct expansion *expansion, unsigned kind, const uint32_t *src,
                      uint32_t to, int here, struct copy_list *out);
/* The same by way of rows for computing and latches, for a place before micro-op `index` of the
 * list: false if what they hold there is read later, too. */
bool expand_make_row_copy(struct expansion *expansion, uint32_t from, uint32_t to, int here,
                          size_t index, struct copy_list *out);
/* Is there a sequence for that at all? */
bool expand_copies_by_rows(const struct expansion *expansion);
/* Whether these two would. */
bool expand_can_copy(const struct expansion *expansion, uint32_t from, uint32_t to, int here);
bool expand_can_row_copy(const struct expansion *expansion, uint32_t from, uint32_t to, int here,
                         size_t index);
/* The first of the micro-ops among which nothing may stand: what presets the results of an op, and
 * that op. */
uint32_t expand_group_start(const struct expansion *expansion, uint32_t index);
/* Appends a copy in a section to `list`, which is not forwarded and stands where micro-op `index`
 * of the expansion's list does. False after reporting. */
bool expand_copy(struct expansion *expansion, size_t index, uint32_t from, uint32_t to,
                 unsigned section, struct sym_list *list);
/* The same for a value that lies in one of a set of classes of rows (bit c: class c) to one of
 * another set, where no micro-op does that; whether there is a sequence for that. */
struct class_sets {
    uint64_t from, to;
};
bool expand_copy_between(struct expansion *expansion, size_t index, uint32_t from, uint32_t to,
                         const struct class_sets *classes, unsigned section, struct sym_list *list);
bool expand_can_copy_between(const struct expansion *expansion, const struct class_sets *classes,
                             int here, size_t index);
/* Makes micro-ops of the copies of kind COPY_LATER.  False after reporting. */
bool expand_resolve_copies(struct expansion *expansion);
/* An op that copies one place to another in a section, or -1. */
int expand_find_copy(const struct expansion *expansion, uint32_t from, uint32_t to, int here);
bool expand_place_is_written(const struct expansion *expansion, uint8_t field);

/* How many positions there are: the width, or that of a conversion's source where it is wider. */
unsigned expand_positions(const struct expansion *expansion);

void expand_error(const struct expansion *expansion, const struct recipe_unit *unit, struct span at,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));
/* A note to the last error. */
void expand_note(const struct expansion *expansion, const struct recipe_unit *unit, struct span at,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
