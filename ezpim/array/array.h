/* SPDX-License-Identifier: MIT
 * Arrays over lanes and registers, for front ends whose statements are about whole arrays.
 *
 * Element e of an array, row by row, lies in lane e of a group with the array's extents, and all
 * groups are `like` one base: arrays of as many elements meet without moves, and the first elements
 * of one are an array, too.  One axis may lie in registers beside the lanes instead.  Everything
 * else that is read of an array is a move by its map, made when it is needed and remembered until
 * the array is written.
 *
 * A front end makes a program by walking its statements once or several times, the same way each
 * time; the first walk notes how axes are used, array_choose says what lies in registers, and the
 * walks behind that follow it.  Shapes and types are the front end's to check: what is given here
 * goes together, and no function here fails. */
#ifndef EZPIM_ARRAY_ARRAY_H
#define EZPIM_ARRAY_ARRAY_H

#include "ezpim/array/fold.h"
#include "ezpim/array/operations.h"
#include "ezpim/compile.h"
#include "ezpim/ir/float.h"

/* Axes of an array, as a group has them. */
enum { ARRAY_DIMS = GROUP_MAX_DIMS };

/* Numbers that bound values of 64 bits, and sums and products of them. */
__extension__ typedef __int128 array_int;
struct array_range {
    array_int low, high;
};

/* A value without dimension that text and link-time values say: every ensemble makes it anew. */
enum array_uniform_kind {
    ARRAY_UNIFORM_CONSTANT,
    ARRAY_UNIFORM_LINK,
    ARRAY_UNIFORM_COUNTER, /* of a loop: what the variable `link` holds in every lane */
    ARRAY_UNIFORM_OPERATION
};
struct array_uniform {
    enum array_uniform_kind kind;
    struct lane_type type;
    uint64_t pattern;       /* of a constant */
    uint32_t link, element; /* of a link-time value */
    enum array_op op;       /* on args, whose type is `operand` */
    struct lane_type operand;
    uint64_t exponent; /* the operation's number; of ARRAY_OP_KEY which order */
    const struct array_uniform *args[3];
};

/* A link-time array, or one that the text has. */
struct array_known {
    bool linked;
    uint32_t link;
    const uint64_t *entries; /* [count] of a table of the text: patterns */
    uint32_t count;
};

/* What was moved for a reader: elements of the storage, in the group of the reader's shape. */
struct array_brought {
    uint32_t variable, version, epoch;
    const struct array_ref *as; /* whose map it follows */
    struct array_brought *next;
};

/* Where the elements of an array lie beside its lanes.  Of an axis in registers, element j of it is
 * register j and the other axes are those of the lanes; of a split axis, the last one, element c is
 * register c mod count of lane c div count. */
struct array_lay {
    uint32_t axis, count; /* count 1: all is in lanes, and the rest says nothing */
    bool split;
};

/* Elements in lanes, row by row, in a variable of a group of these extents but for the axis that
 * lies in registers. */
struct array_storage {
    uint32_t variable, serial;
    struct lane_type type;
    uint32_t ndim; /* 0: one element */
    uint64_t shape[ARRAY_DIMS];
    struct array_lay lay;
    struct array_storage *in_lanes; /* a copy of which all lies in lanes, of the version .. */
    uint32_t in_lanes_version, in_lanes_epoch;
    bool due;            /* it is put off (array_catch_up) */
    bool total, read;    /* one reduction wrote it; somebody read it */
    uint32_t version;    /* counts what is written */
    struct span written; /* where last */
    struct array_brought *brought;
};

/* What each lap of the loops that are repeated around, the outermost first, adds to a number. */
struct array_laps {
    int64_t coeff[MOVE_MAX_LAPS];
};

/* Coordinate of the storage: sum of coeff[v] * index v of the array, and offset, which grows. */
struct array_affine {
    int64_t coeff[ARRAY_DIMS], offset;
    struct array_laps laps;
};

/* An array as an expression has it: a value, a table, or elements of a storage. */
struct array_ref {
    struct lane_type type;
    uint32_t ndim;
    uint64_t shape[ARRAY_DIMS];
    /* Exactly one of these three is there. */
    const struct array_uniform *uniform; /* ndim is 0 */
    const struct array_known *table;
    struct array_storage *root;
    /* Of a storage, read as an array of the extents rshape. */
    uint32_t rdim;
    uint64_t rshape[ARRAY_DIMS];
    struct array_affine map[ARRAY_DIMS]; /* [rdim] */
    bool is_view;                        /* of another array */
    uint32_t version;                    /* of the storage, when a view was made */
    /* A copy of what the language takes for a view of that storage, of that version; or NULL. */
    const struct array_storage *shows;
    uint32_t shown;
    struct array_range range; /* of its elements */
    struct span at;           /* where it was made */
};

/* A variable that grows by as much each lap, modulo its type. */
struct array_counter {
    struct lane_type type;
    uint32_t variable;
    uint64_t first, step; /* patterns */
};

/* A loop that is repeated, while its body is walked. */
struct array_repeat {
    uint64_t laps;
    uint32_t depth, around; /* of these loops, and of all REPEATs, around it */
    struct span at;
    VEC(struct array_counter) counters;
    struct array_repeat *outer;
    struct ir_repeat node;
    struct ir_node **link; /* which names the loop */
};

/* A reduction that is put off. */
struct array_due {
    struct array_fold item;
    struct array_ref x; /* of what, in lanes */
    uint32_t axis;
    bool keyed;     /* floats, or keys of them: they are folded as integers in that order */
    uint64_t order; /* enum array_key */
    struct array_storage *y; /* gets the result */
    bool is_output;          /* y is a result of the program and nothing else */
    struct span at;
};

/* The first or the last axis of an array. */
struct array_side {
    uint32_t axis, extent;
    uint32_t like;  /* another one with which it goes, or itself */
    uint32_t split; /* a wish splits one of those with which it goes; or 0 */
    bool free;      /* the array may lie otherwise than in lanes */
    bool counted;   /* it is written at the counter of a loop */
    bool against;   /* something else than what registers suit is done with it, */
    bool wanted;    /* and what they suit */
};

/* An array that is the program's: its storage has that number in every walk. */
struct array_own {
    uint32_t serial, variable;
};

/* Of one front end's program.  What stands first lasts over its walks. */
struct arrays {
    struct arena *arena;
    VEC(struct array_side) sides; /* first and last axis of each storage, by its number */
    VEC(struct array_lay) lays;   /* count 0: nothing is chosen yet */
    bool chosen;                  /* the first walk is over */
    uint64_t most;                /* elements of the largest array; 0: not known yet */
    /* Of the walk at hand. */
    struct ir_builder b;
    uint8_t folded;             /* reductions that go together, at most */
    VEC(struct array_own) owns; /* storages whose variables the front end declared */
    VEC(struct array_due) due;  /* reductions that go together */
    uint32_t serials, epoch;
    VEC(uint32_t) epochs;        /* that are open, the innermost last */
    struct array_repeat *repeat; /* the innermost loop that is repeated */
};

/* ---- array.c: types, shapes, new arrays ---- */

static inline bool array_same_type(struct lane_type left, struct lane_type right) {
    return left.kind == right.kind && left.bits == right.bits;
}
static inline bool array_is_bool(struct lane_type type) {
    return type.kind == TYPE_BOOL;
}
static inline bool array_is_float(struct lane_type type) {
    return object_type_is_float(type);
}
static inline bool array_range_within(struct array_range inner, struct array_range outer) {
    return inner.low >= outer.low && inner.high <= outer.high;
}
/* Of floating point, whose values no pass bounds: more than any integer has. */
struct array_range array_type_range(struct lane_type type);
/* The least that has both. */
struct array_range array_range_union(struct array_range left, struct array_range right);
/* Of floating point, of a number of at most 64 bits, the nearest one. */
uint64_t array_pattern(array_int v, struct lane_type type);
/* Their product, or what is above OBJECT_MAX_EXTENT; 0 where one is. */
uint64_t array_elements(uint32_t ndim, const uint64_t *shape);
bool array_same_shape(uint32_t ndim, const uint64_t *shape, uint32_t other_ndim,
                      const uint64_t *other);
/* Unsigned, of numbers up to n. */
struct lane_type array_count_type(uint64_t n);

/* Begins a walk that makes `program`, whose place is known; nodes go where b.end points to. */
void arrays_begin(struct arrays *arrays, struct ir_program *program, struct compile_lowering how,
                  const struct diag *diag);
/* The same over groups that the caller declares: what works by registers (array_emit and its kin)
 * and on variables of these groups. */
void arrays_begin_bare(struct arrays *arrays, struct ir_program *program,
                       struct compile_lowering how, const struct diag *diag);
/* Ends it.  After one that was complete it is known how many elements the largest array has. */
void arrays_end(struct arrays *arrays, bool complete);
void arrays_free(struct arrays *arrays);

uint32_t array_group(struct arrays *arrays, uint32_t ndim, const uint64_t *shape);
/* An ensemble over that group. */
void array_begin(struct arrays *arrays, uint32_t ndim, const uint64_t *shape, struct span at);
/* A variable that nobody sees, in that group. */
uint32_t array_local(struct arrays *arrays, uint32_t group, struct lane_type type, struct span at);
/* An array that users of the program see; `alone`: one value without a group. */
struct array_port {
    const char *name;
    struct span at;
    uint8_t direction; /* of struct variable */
    struct lane_type type;
    uint32_t ndim;
    uint64_t shape[ARRAY_DIMS];
    bool alone;
};
/* Declares an input. */
struct array_ref *array_input(struct arrays *arrays, const struct array_port *port);
/* Declares an output, which the storage of that number will be: its variable.  Before that is
 * made. */
uint32_t array_output(struct arrays *arrays, const struct array_port *port, uint32_t serial);
/* Of an output of which not all elements count, the variable that says how many of `most` do. */
uint32_t array_output_length(struct arrays *arrays, const char *name, uint32_t output,
                             uint64_t most, struct span at);
/* Names what the compiler made, for --emit=ir and layout. */
void array_name(struct arrays *arrays, const struct array_storage *storage, const char *name);

/* A new array in lanes; nothing is in it yet. */
struct array_ref *array_new(struct arrays *arrays, struct lane_type type, uint32_t ndim,
                            const uint64_t *shape, struct span at);
/* The same, of which an axis may lie in registers: it is written by array_elementwise and
 * array_put alone. */
struct array_ref *array_new_free(struct arrays *arrays, struct lane_type type, uint32_t ndim,
                                 const uint64_t *shape, struct span at);
/* One that not all walks make: no result is it. */
struct array_ref *array_uncounted(struct arrays *arrays, struct lane_type type, uint32_t ndim,
                                  const uint64_t *shape, struct array_lay lay, struct span at);
struct array_ref *array_whole(struct arrays *arrays, struct array_storage *storage, struct span at);
struct array_ref *array_of_uniform(struct arrays *arrays, const struct array_uniform *uniform,
                                   struct span at);
struct array_ref *array_constant(struct arrays *arrays, struct lane_type type, array_int v,
                                 struct span at);
struct array_ref *array_of_pattern(struct arrays *arrays, struct lane_type type, uint64_t pattern,
                                   struct span at);
/* The link-time value of that number. */
struct array_ref *array_linked(struct arrays *arrays, struct lane_type type, uint32_t link,
                               struct span at);
/* A view of it, or a copy of the description. */
struct array_ref *array_view_of(struct arrays *arrays, const struct array_ref *ref, struct span at);
/* A view whose array was written behind it. */
static inline bool array_is_old(const struct array_ref *ref) {
    return ref->root && ref->is_view &&
           (ref->version != ref->root->version ||
            (ref->shows && ref->shown != ref->shows->version));
}
/* Something was, or will be, written to the storage: what was brought of it does no more. */
void array_touch(struct array_storage *storage, struct span at);

/* ---- element_place.c: where elements lie ---- */

/* The coordinates of an array's elements among the lanes of its storage: n of them, and (of a
 * storage with registers) behind them the register. */
struct array_spot {
    uint32_t n;
    uint64_t shape[ARRAY_DIMS + 1];
    struct array_affine map[ARRAY_DIMS + 1];
    bool fixed; /* all elements are in one register, */
    uint32_t element;
};
/* False if lanes and registers do not follow from the array's indices in this way. */
bool array_find_spot(const struct array_ref *ref, struct array_spot *spot);
/* True if all elements are in the lanes of their numbers. */
bool array_lies_in_order(const struct array_ref *ref, const struct array_spot *spot);
/* The extents of a storage's lanes. */
uint32_t array_lane_shape(const struct array_storage *storage, uint64_t *shape);
/* True if element e of the array is in lane e of its storage, in one register. */
bool array_is_direct(const struct array_ref *ref);
/* True if it is its storage, axis by axis. */
bool array_is_storage(const struct array_ref *ref);
/* True if both read the same elements of storages of one shape. */
bool array_same_maps(const struct array_ref *left, const struct array_ref *right);
/* The array as one of the larger shape. */
struct array_ref array_broadcast(const struct array_ref *ref, uint32_t ndim, const uint64_t *shape);
/* The axis of an array that goes through registers; ARRAY_DIMS: there is none. */
uint32_t array_register_axis(const struct array_ref *ref);

/* ---- read.c, write.c ---- */

/* A register: a variable that ensembles over the group of that shape read as the array, broadcast
 * to it. */
struct array_value array_fetch(struct arrays *arrays, const struct array_ref *ref, uint32_t ndim,
                               const uint64_t *shape, struct span at);
/* The same for what axes in registers do not suit. */
struct array_value array_bring(struct arrays *arrays, const struct array_ref *ref, uint32_t ndim,
                               const uint64_t *shape, struct span at);
/* A variable with all of it in lanes, in the array's own order, of a group of its shape: as a
 * move's or a fold's source. */
uint32_t array_settle(struct arrays *arrays, const struct array_ref *ref, struct span at);
/* The variable that the array is moved from, and where in it: of what does not follow from indices,
 * a copy in lanes. */
uint32_t array_source(struct arrays *arrays, const struct array_ref *ref, struct array_spot *spot,
                      struct span at);
/* No coordinate of a move's source follows from one of its destination yet. */
void array_clear_sources(struct ir_move *move);
/* Moves the array, broadcast to the shape of `view`, to those elements of the view's storage. */
void array_put(struct arrays *arrays, const struct array_ref *view, const struct array_ref *from,
               struct span at);
/* to[view] = from, whose shape goes into that of the view, a view of `to`; the range of `to`
 * follows.
 */
void array_store(struct arrays *arrays, struct array_ref *to, const struct array_ref *view,
                 struct array_ref *from, struct span at);

/* ---- registers.c: axes in registers ---- */

/* Of an array that meets the storage, the part that meets its register j. */
struct array_ref *array_part(struct arrays *arrays, struct array_ref *ref,
                             const struct array_storage *storage, uint32_t j);
/* Writes a view that has such an axis. */
void array_write_registers(struct arrays *arrays, const struct array_ref *view,
                           const struct array_ref *from, struct span at);
/* The array with all of its elements in lanes. */
struct array_ref *array_in_lanes(struct arrays *arrays, const struct array_ref *ref,
                                 struct span at);
/* The same elements, whatever is written to its storage from here on. */
struct array_ref *array_kept(struct arrays *arrays, const struct array_ref *ref, struct span at);
/* Folds what lies in registers beside each other: an array whose axis (ARRAY_ALL: some axis) is
 * shorter, or gone (*axis: ARRAY_DIMS); the array itself where nothing does. */
struct array_ref *array_fold_registers(struct arrays *arrays, struct array_ref *ref,
                                       const struct array_fold *item, uint32_t *axis,
                                       struct span at);

/* ---- choice.c: which axes lie in registers ---- */

/* Elements of an axis in registers, at most. */
enum { ARRAY_MOST_REGISTERS = 16 };
/* A storage that is made: whether an axis may lie in registers. */
void array_note_storage(struct arrays *arrays, const struct array_storage *storage, bool free);
/* The array is read beside `storage`, whose axis target[v] its axis v goes along (-1: none); or
 * (NULL) for something else. */
void array_note_meeting(struct arrays *arrays, const struct array_ref *ref,
                        const struct array_storage *storage, const int *target);
/* It is folded along that axis, or ARRAY_ALL. */
void array_note_fold(struct arrays *arrays, const struct array_ref *ref, uint32_t axis);
/* One axis of the storage is written at a number. */
void array_note_stacked(struct arrays *arrays, const struct array_ref *view);
/* True in the first walk, as long as nobody said how the storage lies. */
bool array_is_undecided(const struct arrays *arrays, const struct array_storage *storage);
/* It may lie otherwise than in lanes. */
bool array_may_lie(const struct arrays *arrays, const struct array_storage *storage);
/* It lies so, and nothing else is asked. */
void array_wish(struct arrays *arrays, const struct array_storage *storage, struct array_lay lay);
/* After the first walk; true if some array has an axis in registers. */
bool array_choose(struct arrays *arrays);
/* What became of it. */
struct array_lay array_lay_of(const struct arrays *arrays, uint32_t serial);
/* Forgets what the first walk noted, so that there may be another one. */
void array_choices_clear(struct arrays *arrays);

/* ---- laps.c: numbers that grow in each lap ---- */

bool array_laps_any(const struct array_laps *laps);
/* left += times * right */
void array_laps_add(struct array_laps *left, int64_t times, const struct array_laps *right);
/* From `first` on, over all laps. */
struct array_range array_laps_range(const struct arrays *arrays, array_int first,
                                    const struct array_laps *laps);
void array_set_laps(struct arrays *arrays, struct move *move, enum move_form form, uint32_t dim,
                    const struct array_laps *laps);
/* ---- loops.c ---- */

/* The number, which fits the type, as a value in lanes. */
struct array_ref *array_laps_value(struct arrays *arrays, array_int first,
                                   const struct array_laps *laps, struct lane_type type,
                                   struct span at);
/* A REPEAT around what is made up to array_close_repeat. */
void array_open_repeat(struct arrays *arrays, struct array_repeat *repeat, uint64_t laps,
                       struct span at);
void array_close_repeat(struct arrays *arrays, struct array_repeat *repeat);
/* A loop that asks an array of bools in lanes before each lap: whether some element has it, or
 * (opposite) none. */
struct array_while {
    struct ir_node *node, **outer;
};
struct array_while array_open_while(struct arrays *arrays, bool opposite, struct span at);
void array_close_while(struct arrays *arrays, const struct array_while *array_while,
                       const struct array_ref *asked, struct span at);
/* What is brought in an epoch is there up to its end, also in those inside. */
void array_open_epoch(struct arrays *arrays);
void array_close_epoch(struct arrays *arrays);
bool array_epoch_is_open(const struct arrays *arrays, uint32_t epoch);

/* ---- range.c, element.c: operations element by element ---- */

/* Of the results; exponent is ARRAY_OP_POW's. */
struct array_range array_range_of(enum array_op op, uint32_t count, struct array_ref *const *args,
                                  struct lane_type result);
/* The narrowest type that has all of it, or that one. */
struct lane_type array_narrowest(struct array_range range, struct lane_type type);
/* The instructions; args: without the operand that is a number (array_op_number), which is
 * `exponent`; ranges: of the operands, or NULL; dst: or IR_NONE, a new virtual register. */
uint32_t array_emit(struct arrays *arrays, enum array_op op, struct lane_type operand,
                    struct lane_type result, const uint32_t *args, const struct array_range *ranges,
                    uint64_t exponent, uint32_t dst, struct span at);
/* The same where the operand or the result is of floating point (float.c). */
uint32_t array_emit_float(struct ir_builder *builder, enum array_op op, struct lane_type operand,
                          struct lane_type result, const uint32_t *args, uint64_t which,
                          uint32_t dst, struct span at);
/* The base to a power that is known; to the power of args[1], of type `by`, not negative and of so many bits, of
 * which the product takes in those squares of args[0] that it names.  dst is written last. */
uint32_t array_emit_power(struct ir_builder *builder, struct lane_type type, uint32_t base,
                          uint64_t n, uint32_t dst, struct span at);
uint32_t array_emit_power_of(struct ir_builder *builder, struct lane_type type, struct lane_type by,
                             const uint32_t *args, unsigned bits, uint32_t dst, struct span at);
/* One that is an instruction: that of integers; ir_typed has those of floating point. */
enum ir_op array_instruction(enum array_op op);
/* How FLOOR, CEIL, TRUNC and RINT round. */
enum ir_rounding array_rounding(enum array_op op);
/* The same for BIT, SETBIT and POPCOUNT, of any type (bits.c). */
uint32_t array_emit_bits(struct arrays *arrays, enum array_op op, struct lane_type type,
                         const uint32_t *args, uint64_t number, uint32_t dst, struct span at);
/* How keys order what numbers are not: NaN below all (else above all); zeros of both signs alike.
 */
enum array_key { ARRAY_KEY_PLAIN, ARRAY_KEY_NAN_FIRST = 1, ARRAY_KEY_ZEROS_ALIKE = 2 };
uint32_t array_put_uniform(struct arrays *arrays, const struct array_uniform *uniform, uint32_t dst,
                           struct span at);
/* The shape to which all of them are broadcast, from the last axis on: equal, or one of them 1.
 * `count`, or the number of the first that does not go together with those before. */
uint32_t array_common_shape(uint32_t count, struct array_ref *const *args, uint32_t *ndim,
                            uint64_t *shape);
/* op of arrays of one shape, or that are broadcast to one, whose types fit; into: where to, or
 * NULL: a new array.  exponent: of ARRAY_OP_POW. */
struct array_ref *array_elementwise(struct arrays *arrays, enum array_op op, uint32_t count,
                                    struct array_ref *const *args, struct lane_type result,
                                    uint64_t exponent, struct array_storage *into, struct span at);
/* A copy into one register of the storage. */
void array_put_register(struct arrays *arrays, const struct array_ref *from,
                        struct array_storage *into, uint32_t element, struct span at);
struct array_ref *array_cast(struct arrays *arrays, struct array_ref *ref, struct lane_type type,
                             struct span at);
/* Integers to the power of others, of one type, modulo 2^bits; no exponent is negative. */
struct array_ref *array_power(struct arrays *arrays, struct array_ref *base,
                              struct array_ref *exponent, struct span at);
void array_copy_into(struct arrays *arrays, struct array_ref *ref, struct array_storage *into,
                     struct span at);
/* A copy, an array of its own. */
struct array_ref *array_fresh(struct arrays *arrays, struct array_ref *ref, struct span at);
/* A new array of that shape, to which `ref` is broadcast. */
struct array_ref *array_filled(struct arrays *arrays, struct array_ref *ref, uint32_t ndim,
                               const uint64_t *shape, struct span at);
/* first, first + step .. */
struct array_ref *array_count_up(struct arrays *arrays, struct lane_type type, array_int first,
                                 array_int step, uint64_t n, struct span at);

/* ---- arrange.c: the same elements in another order or shape ---- */

/* Axis `from` of the array becomes axis `to` of the view. */
struct array_step {
    uint32_t from;
    int to; /* -1: it is dropped */
    int64_t first, step;
    const struct array_laps *laps; /* by which `first` grows; or NULL */
};
/* A view without axes yet, whose axes array_follow makes. */
struct array_ref *array_open_view(struct arrays *arrays, const struct array_ref *ref,
                                  struct span at);
void array_follow(struct array_ref *view, const struct array_ref *ref, struct array_step step);
/* True if a reshaped array reads nothing. */
bool array_stays(const struct array_ref *ref);
struct array_ref *array_reshaped(struct arrays *arrays, struct array_ref *ref, uint32_t ndim,
                                 const uint64_t *shape, struct span at);
/* Axis d is that one of the array; both views. */
struct array_ref *array_permuted(struct arrays *arrays, const struct array_ref *ref,
                                 const uint32_t *axes, struct span at);
/* axes: a bit each. */
struct array_ref *array_flipped(struct arrays *arrays, const struct array_ref *ref, uint32_t axes,
                                struct span at);
/* To the larger shape. */
struct array_ref *array_widened(struct arrays *arrays, struct array_ref *ref, uint32_t ndim,
                                const uint64_t *shape, struct span at);
/* With one more axis, of extent 1. */
struct array_ref *array_with_axis(struct arrays *arrays, const struct array_ref *a, uint32_t axis);
/* Element i + shift is element i, around the ends of each axis. */
struct array_ref *array_rolled(struct arrays *arrays, struct array_ref *a, const int64_t *shifts,
                               struct span at);
/* Parts of one type side by side along the axis. */
struct array_ref *array_joined(struct arrays *arrays, struct array_ref *const *parts,
                               uint32_t count, uint32_t axis, struct span at);

/* ---- lookup.c: elements by indices ---- */

/* The pattern of a number that is known, at its value. */
array_int array_number(uint64_t pattern, struct lane_type type);
struct array_ref *array_table(struct arrays *arrays, const struct array_known *known,
                              struct lane_type type, uint32_t ndim, const uint64_t *shape,
                              struct array_range range, struct span at);
/* A value: one element of a table. */
struct array_ref *array_table_element(struct arrays *arrays, const struct array_ref *ref,
                                      uint64_t element, struct span at);
/* All of a table of the text. */
struct array_ref *array_table_in_lanes(struct arrays *arrays, const struct array_ref *ref,
                                       struct span at);
/* Elements of x along the axis, by indices of any shape; outside of it as the move says, which for
 * a table of the text, looked up by selections, is done by arithmetic. */
struct array_ref *array_selected(struct arrays *arrays, const struct array_ref *table,
                                 struct array_ref *index, enum move_outside outside,
                                 struct span at);
struct array_ref *array_gathered(struct arrays *arrays, struct array_ref *ref,
                                 struct array_ref *index, uint32_t axis, enum move_outside outside,
                                 struct span at);

/* ---- reduce.c, sorted.c ---- */

/* Folds the array along the axis, or (ARRAY_ALL) all of it.  It is put off until somebody needs the
 * result of one: so several in a row are one fold. */
struct array_ref *array_reduced(struct arrays *arrays, struct array_ref *ref,
                                enum array_fold_kind kind, uint32_t axis, struct lane_type from,
                                struct lane_type type, struct span at);
/* The same for extremes, and their numbers (type: what these have), in an order of enum array_key
 * where numbers are floating point. */
struct array_ref *array_extreme(struct arrays *arrays, struct array_ref *ref,
                                enum array_fold_kind kind, uint64_t order, uint32_t axis,
                                struct lane_type type, struct span at);
/* The value that changes nothing, at the type of `ref`. */
struct array_ref *array_neutral(struct arrays *arrays, enum array_fold_kind kind,
                                const struct array_ref *ref, struct span at);
/* Carries out the reductions that are put off: before one of them is read, before an array is
 * written that they read, and before a loop, its end, and the end of the program. */
void array_catch_up(struct arrays *arrays);
/* Prefix sums along the axis, of elements read as `from`. */
struct array_ref *array_cumulated(struct arrays *arrays, const struct array_ref *ref, uint32_t axis,
                                  struct lane_type from, struct lane_type type, struct span at);
struct array_ref *array_sorted(struct arrays *arrays, const struct array_ref *ref, uint32_t axis,
                               struct span at);
/* Of one axis: the elements where the mask holds, then zeros; how many they are comes to `length`,
 * a variable without a group of type array_count_type. */
struct array_ref *array_chosen(struct arrays *arrays, const struct array_ref *ref,
                               const struct array_ref *mask, uint32_t length, struct span at);
/* x @ y, of one or two axes, not both of one. */
struct array_ref *array_multiplied(struct arrays *arrays, const struct array_ref *x,
                                   const struct array_ref *y, struct span at);

#endif
