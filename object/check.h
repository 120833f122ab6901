/* SPDX-License-Identifier: MIT
 * The two halves of object_check. */
#ifndef OBJECT_CHECK_H
#define OBJECT_CHECK_H

#include "object/layout.h"
#include "support/map.h"

struct check {
    const struct object *o;
    struct diag *d;
    struct span at;
    bool ok;
};

/* Reports one error; later ones are dropped. */
void check_fail(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Text, relocations, line table. */
void check_text(struct check *c);

/* Reductions that the host may finish; after the text. */
void check_finishes(struct check *c);

/* Moves. */
void check_moves(struct check *c);
/* Names of one table are different. */
void check_unique(struct check *c, struct map *seen, const char *what, const char *name);
void check_place(struct check *c, const char *what, const char *name, const struct place *p);

/* The groups in whose VRFs something lies that is of `group` or of none. */
void check_scope(struct check *c, const char *what, const char *name, uint32_t group,
                 const struct group_scope *s);

/* A number or a size. */
bool extent_ok(const struct object *o, const struct extent *e);

#endif
