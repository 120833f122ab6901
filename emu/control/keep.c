/* SPDX-License-Identifier: MIT
 * What outlives a control path. */
#include "emu/control/state.h"
#include "support/alloc.h"

#include <stdlib.h>

struct control_keep {
    struct control_codes codes;
};

struct control_keep *control_keep_new(void) {
    return xcalloc(1, sizeof(struct control_keep));
}

struct control_codes *control_keep_codes(struct control_keep *keep) {
    return &keep->codes;
}

void control_keep_free(struct control_keep *keep, struct datapath *dp) {
    if (!keep)
        return;
    for (size_t i = 0; i < keep->codes.by_words.len; i++) {
        const struct shared_code *x =
            (const struct shared_code *)(uintptr_t)keep->codes.by_words.entries[i].value;
        dp->ops->forget(dp, x->code);
    }
    map_free(&keep->codes.by_words);
    arena_free(&keep->codes.memory);
    free(keep);
}
