/* SPDX-License-Identifier: MIT
 * A kernel while it is compiled.  It is *evaluated*: all extents are known, so statements are
 * walked as Python would, and what happens to arrays is put down in the intermediate form.  The
 * first walk checks; the passes below ask for others, which find no more mistakes. */
#ifndef EZPIM_NP_UNIT_H
#define EZPIM_NP_UNIT_H

#include "ezpim/np/value.h"
#include "support/map.h"

struct np_binding {
    const char *name;
    struct np_value value;
};

/* How a known `break` or `continue` leaves the statements of a loop. */
enum np_leaving { NP_STAYS, NP_BREAKS, NP_CONTINUES };

/* Names of a call of a function. */
struct np_frame {
    struct np_frame *caller;
    struct np_frame *outer;         /* that the function was defined in; NULL: the file's */
    uint64_t serial;                /* of the calls so far; 0: the file */
    const struct np_stmt *function; /* NULL: the file */
    VEC(struct np_binding) names;
    struct map numbers; /* of names[0..numbered), where there are many; one may be gone since */
    size_t numbered;
    bool returned;
    enum np_leaving left;
    uint32_t around; /* loops */
    uint32_t loops;  /* that are open and not walked lap by lap */
    struct np_value result;
};

enum np_place { NP_PLACE_LANES, NP_PLACE_HOST, NP_PLACE_SCALAR };

/* A parameter or result of the entry. */
struct np_port {
    struct array_port own;
    enum np_place place;
    uint32_t serial; /* of a result, the storage that is it */
    bool chosen;     /* of a result: x[mask], of which `length` counts elements */
    uint32_t length; /* its variable */
    bool changed;    /* of a parameter */
    /* Of a parameter: the constant that an extent is alone, or NULL. */
    const char *extents[ARRAY_DIMS];
    struct array_storage *storage;
    const struct np_expr
        *value; /* of a parameter without dimension, where no input is given; or NULL */
};

/* A storage, and the loop before of which the laps say whether another name stands for it. */
struct np_entangled {
    const struct array_storage *storage;
    const struct np_stmt *loop;
};

enum np_layout { NP_LAYOUT_LANES, NP_LAYOUT_REGISTERS, NP_LAYOUT_SPLIT };

/* `# layout: name = ..` */
struct np_wish {
    const char *name;
    struct span at, name_at, number_at;
    enum np_layout layout;
    uint64_t number; /* of registers, split */
    bool used;
};

/* A line of which NumPy 1.24 makes another type. */
struct np_promotion {
    struct span at;
    const char *text;
};

struct np_unit {
    struct arena arena;
    struct diag *diag;
    const char *text, *numpy; /* the file's name of the module */
    size_t size;
    uint32_t source;
    const struct ez_options *options;
    struct np_module *module;
    const struct np_stmt *entry;
    VEC(struct np_port) params;
    VEC(struct np_port) results;
    VEC(struct np_wish) wishes;
    VEC(struct np_promotion) promotions;
    VEC(const struct np_stmt *) unrolled; /* loops that are walked lap by lap */
    struct arrays arrays;

    /* Of the walk at hand. */
    bool checks;   /* the first one */
    bool separate; /* statements are ensembles of their own */
    struct np_frame *frame, file;
    const char *function;           /* of NumPy, which stands for an operator; or NULL */
    const struct np_stmt *computed; /* the statement with an operator and `=` at hand */
    VEC(struct np_entangled) entangled;
    uint32_t depth;                 /* of calls */
    uint64_t calls;                 /* so far */
    uint32_t fresh;                 /* serial of the first array that the expression at hand made,
                                       outside of calls and comprehensions: texts that are the
                                       same mean the same there */
    uint32_t evaluations;           /* in each other: of expressions, and of those they call */
    uint32_t laps;                  /* loops around whose laps depend on data */
    const struct np_stmt *repeated; /* the innermost loop that is repeated */
    np_int copies; /* laps that are walked of the loops around, inside of that one */
    bool again;    /* a loop must be walked lap by lap: the walk begins anew */
    size_t counted, counted_codes; /* instructions, of so many codes */
    size_t walked;                 /* laps of loops that are walked */
    uint32_t errors_before;
};

/* ---- messages ---- */

/* The value of what has an error, after reporting it. */
struct np_value np_error(struct np_unit *unit, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void np_note(struct np_unit *unit, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The text of a span, in the arena. */
const char *np_source_text(struct np_unit *unit, struct span at);
/* The same where a method is called on it: in parentheses, unless it is a name or a call. */
const char *np_operand_text(struct np_unit *unit, struct span at);
/* A note that offers other text for a span, and the fix-it. */
void np_offer(struct np_unit *unit, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool np_failed(const struct np_unit *unit);

/* As diag_suggest. */
void np_suggest(struct np_unit *unit, struct span at, const char *word, const char *const *known,
                size_t count);

/* ---- values ---- */

struct np_value np_int_value(np_int v, struct span at);
struct np_value np_bool_value(bool truth, struct span at);
/* An error where the array is NULL. */
struct np_value np_array_value(struct array_ref *ref, struct span at);
struct np_value np_items_value(enum np_kind kind, struct np_value *items, uint32_t count,
                               struct span at);
/* False after reporting a number that is too large, or was (fits is false) before. */
bool np_number_fits(struct np_unit *unit, bool fits, np_int v, struct span at);
/* "an i32 array of shape (3, 4)", "the number 7". */
const char *np_value_text(struct np_unit *unit, const struct np_value *value);
/* "np.int32", as the file calls the module. */
const char *np_type_text(struct np_unit *unit, struct lane_type type);
/* "(3, 4)". */
const char *np_shape_string(struct np_unit *unit, uint32_t ndim, const uint64_t *shape);
/* False after reporting that it is no number that is known. */
bool np_static_int(struct np_unit *unit, const struct np_value *value, const char *what,
                   np_int *out);
/* One that an axis can have; false after reporting. */
bool np_extent(struct np_unit *unit, const struct np_value *value, uint64_t *out);
/* Of NumPy's types and Python's `bool`. */
bool np_dtype(struct np_unit *unit, const struct np_value *value, struct lane_type *out);

/* ---- eval.c, call.c, statement.c ---- */

struct np_value np_eval(struct np_unit *unit, const struct np_expr *expr);
/* What stands in the brackets of x[..]: a tuple alone stands for its items. */
struct np_value *np_eval_indices(struct np_unit *unit, const struct np_expr *expr, uint32_t *count);
struct np_value np_call(struct np_unit *unit, const struct np_expr *expr);
struct np_value np_attribute(struct np_unit *unit, const struct np_expr *expr);
/* The function that a `def` or `lambda` makes here. */
struct np_value np_function_value(struct np_unit *unit, const struct np_stmt *stmt);
struct np_value np_call_function(struct np_unit *unit, const struct np_value *function,
                                 const struct np_value *args, uint32_t count, struct span at);
void np_run(struct np_unit *unit, const struct np_stmt *stmt);
void np_bind(struct np_unit *unit, const char *name, struct np_value value);
struct np_value *np_find(struct np_unit *unit, const char *name);
/* Whether the function at hand has bound the name itself. */
bool np_is_own(struct np_unit *unit, const char *name);
/* What a loop or comprehension goes through: a list, a range, the rows of an array; how many, 0
 * after reporting too. */
uint32_t np_sequence(struct np_unit *unit, const struct np_value *value, struct np_value **items);
void np_assign(struct np_unit *unit, const struct np_expr *target, struct np_value value);
/* Whether it is known to be true; false after reporting where *known becomes false. */
bool np_truth(struct np_unit *unit, const struct np_value *value, bool *known);

/* ---- functions.c: functions of NumPy and Python ---- */

/* Positions of arguments are those of the function's signature; NP_NONE: not given. */
struct np_args {
    const char *name;
    struct span at;
    struct np_value *items;
    int which; /* of the function's table */
};
typedef struct np_value np_handler(struct np_unit *u, const struct np_args *a);
struct np_function {
    const char *name;
    /* Parameters in NumPy's order, blanks between; one with - in front NumPy has and kernels have
     * not; *x takes all that follow. */
    const char *signature;
    np_handler *call;
    int which; /* for functions that are alike: the operation, the value */
    enum {
        NP_PLAIN,
        NP_METHOD = 1,
        NP_MAKES = 2
    } flags; /* it is a method, too; without dimension
                it gives an array and no value */
};
const struct np_function *np_function_find(const char *name);
struct np_value np_numpy_attribute(struct np_unit *unit, const char *name, struct span at,
                                   struct span name_at);
void np_unknown_method(struct np_unit *unit, const char *name, struct span at);
struct np_value np_builtin(struct np_unit *unit, const struct np_value *value,
                           const struct np_value *args, uint32_t count, struct span at);
bool np_is_builtin(const char *name);

/* ---- arrays.c: what NumPy asks of arrays, before the layer below makes them ---- */

/* Arrays without an element, of which nothing lies anywhere. */
bool np_is_empty(const struct array_ref *ref);
struct array_ref *np_empty(struct np_unit *unit, struct lane_type type, uint32_t ndim,
                           const uint64_t *shape, struct span at);

/* False after reporting a view that is read too late. */
bool np_readable(struct np_unit *unit, const struct array_ref *ref, struct span at);
/* Reports that a view is written. */
void np_no_view(struct np_unit *unit, const struct array_ref *ref, struct span at);
/* The storage will be written: reports, once, that it may be another one or not. */
void np_check_names(struct np_unit *unit, const struct array_storage *storage, struct span at);
/* The same where that is not seen below. */
void np_touch(struct np_unit *unit, struct array_storage *storage, struct span at);
/* The loop whose laps say whether it has another name; NULL: none. */
void np_entangle(struct np_unit *unit, const struct array_storage *storage,
                 const struct np_stmt *loop);
bool np_is_entangled(struct np_unit *unit, const struct array_storage *storage);
/* Whether two masks choose the same elements; false after reporting. */
bool np_same_mask(struct np_unit *unit, const struct array_ref *left, const struct array_ref *right,
                  struct span at);
/* Reports "shapes (3,) and (4,) do not go together", by that word for them. */
void np_shapes_differ(struct np_unit *unit, const char *what, const struct array_ref *left,
                      const struct array_ref *right, struct span at);
/* Where both were made. */
void np_note_shapes(struct np_unit *unit, const struct array_ref *left,
                    const struct array_ref *right);
/* Reports that `ref` does not go into so many elements. */
void np_goes_not_into(struct np_unit *unit, const struct array_ref *ref, uint32_t ndim,
                      const uint64_t *shape, struct span at);
/* As array_common_shape; false after reporting. */
bool np_broadcast(struct np_unit *unit, uint32_t count, struct array_ref *const *args,
                  uint32_t *ndim, uint64_t *shape, struct span at);
/* As those of arrays; NULL after reporting. */
struct array_ref *np_elementwise(struct np_unit *unit, enum np_operator op, uint32_t count,
                                 struct array_ref *const *args, struct lane_type result,
                                 uint64_t exponent, struct array_storage *into, struct span at);
struct array_ref *np_cast(struct np_unit *unit, struct array_ref *ref, struct lane_type type,
                          struct span at);
struct array_ref *np_fresh(struct np_unit *unit, struct array_ref *ref, struct span at);
struct array_ref *np_reshaped(struct np_unit *unit, struct array_ref *ref, uint32_t ndim,
                              const uint64_t *shape, struct span at);
/* All elements as one line. */
struct array_ref *np_lined(struct np_unit *unit, struct array_ref *ref, struct span at);

/* ---- laps.c: numbers that grow in each lap ---- */

/* Of a known number, too. */
struct array_range np_lap_range(const struct np_unit *unit, const struct np_value *value);
bool np_is_lap_operation(enum np_operator op, const struct np_value *left,
                         const struct np_value *right);
struct np_value np_lap_operation(struct np_unit *unit, enum np_operator op,
                                 const struct np_value *left, const struct np_value *right,
                                 struct span at);
/* In the first walk: the loop is walked lap by lap from now on. */
void np_unroll(struct np_unit *unit, const struct np_stmt *stmt);

/* ---- wish.c: comments on where arrays lie ---- */

/* Reads the file's comments. */
void np_find_wishes(struct np_unit *unit);
/* A name that an array is bound to. */
void np_note_name(struct np_unit *unit, const char *name, const struct array_storage *storage);
/* Reports names that no array has. */
void np_check_wishes(struct np_unit *unit);

/* ---- operators.c: NumPy's rules of types ---- */

/* How the text calls it. */
const char *np_called(const struct np_unit *unit, enum np_operator op);
struct np_value np_binary(struct np_unit *unit, enum np_operator op, struct np_value left,
                          struct np_value right, struct array_storage *into, struct span at);
struct np_value np_unary(struct np_unit *unit, enum np_operator op, struct np_value value,
                         struct span at);
/* The same as part of a function; b: NULL where there is one operand. */
struct np_value np_apply(struct np_unit *unit, const char *function, enum np_operator op,
                         struct np_value left, const struct np_value *right, struct span at);
/* The value as an array of the type of the other one: a number that fits.  NULL after reporting. */
struct array_ref *np_fitting(struct np_unit *unit, const struct np_value *value,
                             struct lane_type type, struct span at);
/* False after reporting what is in the way of a product: types that differ, bool, x[mask]. */
bool np_factors(struct np_unit *unit, const char *op, const struct np_value *left,
                const struct np_value *right, struct span at);
struct array_ref *np_need_array(struct np_unit *unit, const struct np_value *value,
                                const char *who);
/* The same, without an element, too. */
struct array_ref *np_any_array(struct np_unit *unit, const struct np_value *value, const char *who);

/* ---- index.c ---- */

struct np_value np_index(struct np_unit *unit, struct np_value base, struct np_value *items,
                         uint32_t count, struct span at);
void np_store(struct np_unit *unit, struct np_value base, struct np_value *items, uint32_t count,
              struct np_value value, struct span at);
/* base[mask] op= value; false: the index is no mask. */
bool np_compute_masked(struct np_unit *unit, struct np_value base, struct np_value *items,
                       uint32_t count, enum np_operator op, struct np_value value, struct span at);
/* The table's elements in lanes. */
struct array_ref *np_table_in_lanes(struct np_unit *unit, const struct array_ref *t,
                                    struct span at);

/* ---- entry.c: parameters and results ---- */

/* The value that -D gives a constant of the file. */
void np_define(struct np_unit *unit, const struct np_expr *target, struct np_value *given);
/* Not one for readers alone: `np.ndarray`, `int`, `list[int]`. */
bool np_is_param_type(const struct np_expr *expr);
/* "u8[H, W]" of a parameter; false after reporting. */
bool np_param_type(struct np_unit *unit, const struct np_expr *expr, struct np_port *port);
/* Evaluates all of the file into the program.  The first walk finds parameters and results. */
void np_walk(struct np_unit *unit, struct compile_lowering how, struct ir_program *program);

/* ---- signature_json.c ---- */

void np_print_signature(struct np_unit *unit, struct str *out);

#endif
