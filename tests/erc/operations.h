/* SPDX-License-Identifier: MIT
 * The instructions of the imported dialect that work on lanes, and what they do to one, from the
 * prototype's description; nothing of the importer's. */
#ifndef TESTS_ERC_OPERATIONS_H
#define TESTS_ERC_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct operation {
    const char *name, *operands; /* letters a b c, in the order of the text */
};
extern const struct operation operations[];
extern const unsigned operation_count;

/* `operand` by letter, words of `width` bits, which may be the same; *condition is T.  All but
 * GETMASK. */
void operation_run(const struct operation *o, unsigned width, bool *condition,
                   uint64_t *const operand[3]);

/* > < == >= <= != */
extern const char *const relation_names[6];
bool relation_holds(unsigned relation, uint64_t a, uint64_t b);

#endif
