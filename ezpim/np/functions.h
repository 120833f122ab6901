/* SPDX-License-Identifier: MIT
 * NumPy's functions, each for the table in functions.c. */
#ifndef EZPIM_NP_FUNCTIONS_H
#define EZPIM_NP_FUNCTIONS_H

#include "ezpim/np/unit.h"

/* Whether an argument stands in the call, be it None. */
bool np_is_written(const struct np_args *args, uint32_t index);
/* False after reporting that parameter `index` was not given. */
bool np_given(struct np_unit *unit, const struct np_args *args, uint32_t index, const char *name);
/* `call` of a function of NumPy, or of a method. */
struct np_value np_call_numpy(struct np_unit *unit, const struct np_value *value,
                              const struct np_expr *call);

/* element.c */
np_handler np_where, np_extreme, np_of_one, np_logical, np_square, np_select, np_clip, np_astype;
/* `np.int32(e)`. */
struct np_value np_make_scalar(struct np_unit *unit, struct lane_type type,
                               const struct np_value *value, struct span at);
/* create.c */
np_handler np_same, np_full, np_same_like, np_full_like, np_arange, np_array_of, np_from_bytes,
    np_info, np_copy;
/* arrange.c */
np_handler np_reshape, np_ravel, np_copy_flat, np_transpose, np_broadcast_to, np_stack,
    np_concatenate, np_roll, np_flip, np_take;
struct np_value np_transposed(struct np_unit *unit, const struct array_ref *ref, struct span at);
/* composed.c */
enum { NP_HSTACK, NP_VSTACK, NP_DSTACK, NP_COLUMNS };
np_handler np_diff, np_outer, np_side_by_side, np_pad;
/* reduce.c */
np_handler np_sum, np_prod, np_mean, np_most, np_truths, np_count_nonzero, np_number_of;
/* dtype=, the third parameter, of sums, which NumPy makes wide of its own accord. */
bool np_sum_type(struct np_unit *unit, const struct np_args *args, const struct array_ref *ref,
                 struct lane_type *type);
/* What is summed up at that type: the elements, cast or (*from) as they are. */
struct array_ref *np_summands(struct np_unit *unit, struct array_ref *ref, struct lane_type type,
                              struct lane_type *from, struct span at);
/* scan_sort.c, product.c */
np_handler np_cumsum, np_sort, np_dot, np_matmul;

/* An axis of so many, counted from the end too; false after reporting. */
bool np_axis(struct np_unit *unit, const struct np_value *value, uint32_t ndim, uint32_t *axis);
/* A bit for each of one or several, or (None) of all. */
bool np_axes(struct np_unit *unit, const struct np_value *value, uint32_t ndim, uint32_t *axes);
/* A number or a tuple of them, each from 1 on. */
bool np_shape(struct np_unit *unit, const struct np_value *value, uint32_t *ndim, uint64_t *shape,
              struct span at);

#endif
