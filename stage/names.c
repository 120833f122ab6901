/* SPDX-License-Identifier: MIT
 * Names of bodies. */
#include "stage/checker.h"

#include "support/vec.h"

#include <string.h>

bool stage_wrong(struct stage_checker *c, struct span at, const char *format, ...) {
    va_list args;
    c->failed = true;
    va_start(args, format);
    diag_verror(c->diag, at, format, args);
    va_end(args);
    return false;
}

struct stage_name *stage_declare(struct stage_checker *c, enum stage_name_kind kind,
                                 const char *text, struct span at, struct lane_type type) {
    for (struct stage_name *n = c->scope; n != c->blocks; n = n->next)
        if (strcmp(n->text, text) == 0) {
            stage_wrong(c, at, "'%s' is declared twice", text);
            return NULL;
        }
    struct stage_name *n = ARENA_NEW(c->arena, struct stage_name);
    *n = (struct stage_name){
        .kind = kind, .text = text, .at = at, .type = type, .count = 1, .next = c->scope};
    c->scope = n;
    return n;
}

struct stage_name *stage_find(struct stage_checker *c, const char *text, struct span at) {
    VEC(const char *) names = {0};
    for (struct stage_name *n = c->scope; n; n = n->next)
        if (strcmp(n->text, text) == 0)
            return n;
    for (struct stage_name *n = c->scope; n; n = n->next)
        vec_push(&names, n->text);
    stage_wrong(c, at, "nothing is called '%s' here", text);
    diag_suggest(c->diag, at, text, names.data, names.len);
    vec_free(&names);
    return NULL;
}

bool stage_take_slots(struct stage_checker *c, struct span at, uint64_t count, uint32_t *slot) {
    *slot = (uint32_t)c->slots;
    c->slots += count;
    return c->slots <= 2 * STAGE_MAX_SLOTS ||
           stage_wrong(c, at, "a body has more than %d numbers", 2 * STAGE_MAX_SLOTS);
}
