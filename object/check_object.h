/* SPDX-License-Identifier: MIT
 * The two halves of object_check. */
#ifndef OBJECT_CHECK_OBJECT_H
#define OBJECT_CHECK_OBJECT_H

#include "object/layout.h"
#include "support/map.h"

struct check {
    const struct object *o;
    struct diag *d;
    struct span at;
    bool ok;
};

/* Reports one error; later ones are dropped. */
void object_check_fail(struct check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Text, relocations, line table. */
void object_check_text(struct check *check);

/* Reductions that the host may finish; after the text. */
void object_check_finishes(struct check *check);

/* What INDEXes count; after the text. */
void object_check_numbers(struct check *check);

/* Buffers and kernels; the arguments of a call of a kernel. */
void object_check_kernels(struct check *check);
void object_check_arguments(struct check *check, size_t call);

/* Moves. */
void object_check_moves(struct check *check);
/* Names of one table are different. */
void object_check_unique(struct check *check, struct map *seen, const char *what, const char *name);
void object_check_place(struct check *check, const char *what, const char *name,
                        const struct place *place);

/* The groups in whose VRFs something lies that is of `group` or of none. */
void object_check_scope(struct check *check, const char *what, const char *name, uint32_t group,
                        const struct group_scope *scope);

#endif
