/* SPDX-License-Identifier: MIT
 * Folds into outputs, which the host may carry out instead (docs/linking.md, "Reductions that the
 * host finishes"). */
#ifndef EZPIM_ARRAY_FINISH_H
#define EZPIM_ARRAY_FINISH_H

#include "ezpim/array/fold.h"

struct array_finish {
    struct ir_node *node, **outer; /* node NULL: the host cannot do this */
};
/* A register of an output without a group, and where the elements are from which it is made: of a
 * fold of keys these may be the numbers of floating point, which the text makes keys of. */
struct array_output {
    uint32_t variable, element;
    struct array_value from;
};
/* When elements have their values, in front of array_folds_run: from here to array_finish_close is
 * what the host may do instead.  It has to bring the result of item i, extended to the type of
 * outputs[i], there.  Folds that are to be finished are begun as `held`. */
struct array_finish array_finish_open(struct ir_builder *builder, const struct array_folds *folds,
                                      const struct array_output *outputs, struct span at);
void array_finish_close(struct ir_builder *builder, const struct array_finish *finish);

#endif
