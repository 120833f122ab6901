/* SPDX-License-Identifier: MIT
 * A kernel while it is compiled.  It is *evaluated*: all extents are known, so statements are
 * walked as Python would, and what happens to arrays is put down in the intermediate form.  The
 * first walk checks; the passes below ask for others, which find no more mistakes. */
#ifndef EZPIM_NP_UNIT_H
#define EZPIM_NP_UNIT_H

#include "ezpim/array/fold.h"
#include "ezpim/compile.h"
#include "ezpim/ir_build.h"
#include "ezpim/np/choice.h"

struct np_repeat;

struct np_binding {
    const char *name;
    struct np_value value;
};

/* Names of a call of a function. */
struct np_frame {
    struct np_frame *caller;
    const struct np_stmt *function; /* NULL: the file */
    VEC(struct np_binding) names;
    bool returned;
    uint32_t loops; /* that are open and not walked lap by lap */
    struct np_value result;
};

enum np_place { NP_PLACE_LANES, NP_PLACE_HOST, NP_PLACE_SCALAR };

/* A parameter or result of the entry. */
struct np_port {
    const char *name;
    struct span at;
    enum np_place place;
    struct mpu_type type;
    uint32_t ndim;
    uint64_t shape[NP_DIMS];
    uint32_t variable, serial; /* its variable; of a result, the storage that is it */
    struct np_lay lay;
    bool scalar;     /* of a result: without dimension */
    bool total;      /* of a result: of a reduction, and nobody else reads it */
    bool chosen;     /* of a result: x[mask], of which `length` counts elements */
    uint32_t length; /* its variable */
    bool changed;    /* of a parameter */
    const char
        *extents[NP_DIMS]; /* of a parameter: the constant that an extent is alone, or NULL */
    struct np_storage *storage;
};

/* A reduction that is put off. */
struct np_fold {
    struct array_fold item;
    struct np_array x; /* of what, in lanes; np_bring finds it as it was */
    uint32_t axis;
    struct np_storage *y; /* gets the result */
    bool is_output;       /* y is a result of the program and nothing else */
    struct span at;
};

struct np_unit {
    struct arena arena;
    struct diag *diag;
    const char *text;
    size_t size;
    uint32_t source;
    const struct ez_options *options;
    struct np_module *module;
    const struct np_stmt *entry;
    VEC(struct np_port) params;
    VEC(struct np_port) results;
    uint64_t most; /* elements of the largest array; 0: not known yet */

    struct np_choices choices;            /* which axes lie in registers */
    bool checked;                         /* the first walk is over */
    VEC(const struct np_stmt *) unrolled; /* loops that are walked lap by lap */

    /* Of the walk at hand. */
    bool checks; /* the first one */
    struct compile_lowering how;
    struct ir_builder b;
    struct np_frame *frame, file;
    VEC(struct np_fold) folds; /* that go together */
    uint32_t serials, epoch, depth;
    VEC(uint32_t) epochs;     /* that are open, the innermost last */
    uint32_t laps;            /* loops around whose laps depend on data */
    struct np_repeat *repeat; /* the innermost loop that is repeated */
    np_int copies;            /* laps that are walked of the loops around, inside of that one */
    bool again;               /* a loop must be walked lap by lap: the walk begins anew */
    size_t counted, counted_codes; /* instructions, of so many codes */
    uint32_t errors_before;
    const struct np_stmt *stmt; /* at hand */
};

/* ---- messages ---- */

/* The value of what has an error, after reporting it. */
struct np_value np_error(struct np_unit *u, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void np_note(struct np_unit *u, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The text of a span, in the arena. */
const char *np_source_text(struct np_unit *u, struct span at);
/* The same where a method is called on it: in parentheses, unless it is a name or a call. */
const char *np_operand_text(struct np_unit *u, struct span at);
/* A note that offers other text for a span, and the fix-it. */
void np_offer(struct np_unit *u, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool np_failed(const struct np_unit *u);

/* As diag_suggest. */
void np_suggest(struct np_unit *u, struct span at, const char *word, const char *const *known,
                size_t count);

/* ---- values ---- */

struct np_value np_int_value(np_int v, struct span at);
struct np_value np_bool_value(bool v, struct span at);
struct np_value np_array_value(struct np_array *a, struct span at);
struct np_value np_items_value(enum np_kind kind, struct np_value *items, uint32_t count,
                               struct span at);
/* "an i32 array of shape (3, 4)", "the number 7". */
const char *np_value_text(struct np_unit *u, const struct np_value *v);
/* "(3, 4)". */
const char *np_shape_string(struct np_unit *u, const struct np_array *a);
/* False after reporting that it is no number that is known. */
bool np_static_int(struct np_unit *u, const struct np_value *v, const char *what, np_int *out);
/* Of NumPy's types and Python's `bool`. */
bool np_dtype(struct np_unit *u, const struct np_value *v, struct mpu_type *out);

/* ---- eval.c, call.c, statement.c ---- */

struct np_value np_eval(struct np_unit *u, const struct np_expr *e);
struct np_value np_call(struct np_unit *u, const struct np_expr *e);
struct np_value np_attribute(struct np_unit *u, const struct np_expr *e);
struct np_value np_call_function(struct np_unit *u, const struct np_stmt *f,
                                 const struct np_value *args, uint32_t count, struct span at);
void np_run(struct np_unit *u, const struct np_stmt *s);
void np_bind(struct np_unit *u, const char *name, struct np_value v);
struct np_value *np_find(struct np_unit *u, const char *name);
/* Whether it is known to be true; false after reporting where *known becomes false. */
bool np_truth(struct np_unit *u, const struct np_value *v, bool *known);

/* ---- functions.c: functions of NumPy and Python ---- */

/* Positions of arguments are those of the function's signature; NP_NONE: not given. */
struct np_args {
    const char *name;
    struct span at;
    struct np_value *items;
    uint32_t count;
    bool method;
};
typedef struct np_value np_handler(struct np_unit *u, const struct np_args *a);
struct np_function {
    const char *name;
    /* Parameters in NumPy's order, blanks between; one with - in front NumPy has and kernels have
     * not; *x takes all that follow. */
    const char *signature;
    np_handler *call;
    bool method;
};
const struct np_function *np_function_find(const char *name);
struct np_value np_numpy_attribute(struct np_unit *u, const char *name, struct span at,
                                   struct span name_at);
void np_unknown_method(struct np_unit *u, const char *name, struct span at);
struct np_value np_builtin(struct np_unit *u, const struct np_value *f, const struct np_value *args,
                           uint32_t count, struct span at);
bool np_is_builtin(const char *name);

/* ---- lanes.c: where arrays lie ---- */

uint32_t np_group(struct np_unit *u, uint32_t ndim, const uint64_t *shape);
/* A new array in lanes; nothing is in it yet. */
struct np_array *np_new_array(struct np_unit *u, struct mpu_type type, uint32_t ndim,
                              const uint64_t *shape, struct span at);
/* The same, of which an axis may lie in registers: it is written by np_elementwise and np_write
 * alone. */
struct np_array *np_free_array(struct np_unit *u, struct mpu_type type, uint32_t ndim,
                               const uint64_t *shape, struct span at);
/* One that not all walks make: no result is it. */
struct np_array *np_uncounted_array(struct np_unit *u, struct mpu_type type, uint32_t ndim,
                                    const uint64_t *shape, struct np_lay lay, struct span at);
struct np_array *np_whole(struct np_unit *u, struct np_storage *s, struct span at);
struct np_array *np_uniform_array(struct np_unit *u, const struct np_uniform *x, struct span at);
struct np_array *np_constant_array(struct np_unit *u, struct mpu_type type, np_int v,
                                   struct span at);
/* A view of it, or a copy of the description. */
struct np_array *np_copy_view(struct np_unit *u, const struct np_array *a, struct span at);
/* True if element e of the array is in lane e of its storage, in one register. */
bool np_is_direct(const struct np_array *a);
/* True if it is its storage, axis by axis. */
bool np_is_storage(const struct np_array *a);
/* A variable that ensembles over the group of that shape read as the array, broadcast to it.
 * False after reporting. */
bool np_bring(struct np_unit *u, const struct np_array *a, uint32_t ndim, const uint64_t *shape,
              struct span at, uint32_t *variable, uint32_t *element);
/* The same where it is known who reads (np_note_meeting). */
bool np_fetch(struct np_unit *u, const struct np_array *a, uint32_t ndim, const uint64_t *shape,
              struct span at, uint32_t *variable, uint32_t *element);
/* Moves the array, broadcast to the shape of `view`, to those elements of the view's storage. */
bool np_write(struct np_unit *u, const struct np_array *view, const struct np_array *from,
              struct span at);
/* Carries out the reductions that are put off: before one of them is read, before an array is
 * written that they read, and before a loop, its end, and the end of the program. */
void np_catch_up(struct np_unit *u);
/* False after reporting a view that is read too late.  What is put off is there afterwards. */
bool np_readable(struct np_unit *u, const struct np_array *a, struct span at);
/* Something was written to the storage.  Reports where it may be another one or not. */
void np_touch(struct np_unit *u, struct np_storage *s, struct span at);
/* An array in lanes, in its own order, of a group of its shape: as a move's or a fold's source. */
uint32_t np_settle(struct np_unit *u, const struct np_array *a, struct span at);
void np_begin(struct np_unit *u, uint32_t ndim, const uint64_t *shape, struct span at);

/* ---- registers.c: axes in registers ---- */

/* The coordinates of an array's elements among the lanes of its storage: n of them, and (of a
 * storage with registers) behind them the register. */
struct np_spot {
    uint32_t n;
    uint64_t shape[NP_DIMS + 1];
    struct np_affine map[NP_DIMS + 1];
    bool fixed; /* all elements are in one register, */
    uint32_t element;
};
/* False if lanes and registers do not follow from the array's indices in this way. */
bool np_find_spot(const struct np_array *a, struct np_spot *p);
/* True if no coordinate depends on the affine form's indices. */
bool np_is_constant(const struct np_affine *f, uint32_t ndim, const uint64_t *shape);
/* The extents of a storage's lanes. */
uint32_t np_lane_shape(const struct np_storage *s, uint64_t *shape);
/* Of an array that meets the storage, the part that meets its register j. */
struct np_array *np_part(struct np_unit *u, struct np_array *a, const struct np_storage *s,
                         uint32_t j);
/* The axis of an array that goes through registers; NP_DIMS: there is none. */
uint32_t np_register_axis(const struct np_array *a);
/* Writes a view that has such an axis. */
bool np_write_registers(struct np_unit *u, const struct np_array *view, const struct np_array *from,
                        struct span at);
/* The array with all of its elements in lanes. */
struct np_array *np_in_lanes(struct np_unit *u, const struct np_array *a, struct span at);
/* The same elements, whatever is written to its storage from here on. */
struct np_array *np_kept(struct np_unit *u, const struct np_array *a, struct span at);
/* Folds what lies in registers beside each other: an array whose axis (ARRAY_ALL: some axis) is
 * shorter, or gone (*axis: NP_DIMS); the array itself where nothing does. */
struct np_array *np_fold_registers(struct np_unit *u, struct np_array *x, enum array_fold_kind kind,
                                   struct mpu_type from, struct mpu_type type, uint32_t *axis,
                                   struct span at);

/* ---- laps.c: numbers that grow in each lap ---- */

bool np_laps_any(const struct np_laps *l);
/* a += times * b */
void np_laps_add(struct np_laps *a, int64_t times, const struct np_laps *b);
struct np_value np_lap_value(struct np_unit *u, np_int first, const struct np_laps *laps,
                             struct span at);
/* Of a known number, too. */
struct np_range np_lap_range(const struct np_unit *u, const struct np_value *v);
bool np_is_lap_operation(enum np_operator op, const struct np_value *a, const struct np_value *b);
struct np_value np_lap_operation(struct np_unit *u, enum np_operator op, const struct np_value *a,
                                 const struct np_value *b, struct span at);
void np_set_laps(struct np_unit *u, struct move *m, enum move_form form, uint32_t d,
                 const struct np_laps *laps);
/* The number, which fits the type, as a value in lanes. */
struct np_array *np_lap_array(struct np_unit *u, const struct np_value *v, struct mpu_type type);
/* In the first walk: the loop is walked lap by lap from now on. */
void np_unroll(struct np_unit *u, const struct np_stmt *s);
/* What is brought in an epoch is there up to its end, also in those inside. */
void np_open_epoch(struct np_unit *u);
void np_close_epoch(struct np_unit *u);
bool np_epoch_is_open(const struct np_unit *u, uint32_t epoch);

/* ---- elementwise.c ---- */

/* op of arrays of one shape, or that are broadcast to one, whose types fit; into: where to, or
 * NULL: a new array.  exponent: of NP_OP_POW. */
struct np_array *np_elementwise(struct np_unit *u, enum np_operator op, uint32_t count,
                                struct np_array *const *args, struct mpu_type result,
                                uint64_t exponent, struct np_storage *into, struct span at);
/* Reports that x does not go into so many elements. */
void np_goes_not_into(struct np_unit *u, const struct np_array *x, uint32_t ndim,
                      const uint64_t *shape, struct span at);
/* A copy into one register of the storage. */
bool np_put_register(struct np_unit *u, const struct np_array *from, struct np_storage *into,
                     uint32_t element, struct span at);
uint32_t np_put_uniform(struct np_unit *u, const struct np_uniform *x, uint32_t dst,
                        struct span at);
uint32_t np_emit(struct np_unit *u, enum np_operator op, struct mpu_type operand,
                 struct mpu_type result, const uint32_t *args, uint64_t exponent, uint32_t dst,
                 struct span at);
struct np_array *np_cast(struct np_unit *u, struct np_array *a, struct mpu_type type,
                         struct span at);
bool np_broadcast(struct np_unit *u, uint32_t count, struct np_array *const *args, uint32_t *ndim,
                  uint64_t *shape, struct span at);

/* ---- operators.c: NumPy's rules of types ---- */

struct np_value np_binary(struct np_unit *u, enum np_operator op, struct np_value a,
                          struct np_value b, struct np_storage *into, struct span at);
/* True after reporting what is a Python int: of count_nonzero. */
bool np_counts_meet(struct np_unit *u, const struct np_value *v);
struct np_value np_unary(struct np_unit *u, enum np_operator op, struct np_value a, struct span at);
/* The value as an array of the type of the other one: a number that fits.  NULL after reporting. */
struct np_array *np_fitting(struct np_unit *u, const struct np_value *v, struct mpu_type type,
                            struct span at);
/* Arrays of one type, with a number among them or not; NULL after reporting. */
bool np_meet(struct np_unit *u, const char *op, struct np_value *a, struct np_value *b,
             struct np_array **x, struct np_array **y, struct span at);
/* False after reporting what is in the way of a product: types that differ, bool, x[mask]. */
bool np_factors(struct np_unit *u, const char *op, const struct np_value *a,
                const struct np_value *b, struct span at);
/* Whether two masks choose the same elements; false after reporting. */
bool np_same_mask(struct np_unit *u, const struct np_array *a, const struct np_array *b,
                  struct span at);
/* A copy, in lanes. */
struct np_array *np_fresh(struct np_unit *u, struct np_array *a, struct span at);
struct np_array *np_need_array(struct np_unit *u, const struct np_value *v, const char *who);

/* ---- index.c ---- */

struct np_value np_index(struct np_unit *u, struct np_value base, struct np_value *items,
                         uint32_t count, struct span at);
void np_store(struct np_unit *u, struct np_value base, struct np_value *items, uint32_t count,
              struct np_value v, struct span at);
/* y[mask] op= v; false: the index is no mask. */
bool np_compute_masked(struct np_unit *u, struct np_value base, struct np_value *items,
                       uint32_t count, enum np_operator op, struct np_value v, struct span at);
/* The table's elements in lanes. */
struct np_array *np_table_in_lanes(struct np_unit *u, const struct np_array *t, struct span at);

/* ---- order.c: x[mask] as a result ---- */

/* The elements of x[mask], then zeros, in an array of as many elements as x has; how many they are
 * comes to `length`, a variable without a group of type np_length_type. */
struct np_array *np_chosen(struct np_unit *u, const struct np_array *a, uint32_t length,
                           struct span at);
struct mpu_type np_length_type(uint64_t elements);

/* ---- entry.c: parameters and results ---- */

/* The value that -D gives a constant of the file. */
void np_define(struct np_unit *u, const struct np_expr *target, struct np_value *v);
/* "u8[H, W]" of a parameter; false after reporting. */
bool np_param_type(struct np_unit *u, const struct np_expr *e, struct np_port *port);
/* Evaluates all of the file into the program.  The first walk finds parameters and results. */
void np_walk(struct np_unit *u, struct compile_lowering how, struct ir_program *p);

/* ---- signature.c ---- */

void np_print_signature(struct np_unit *u, struct str *out);

#endif
