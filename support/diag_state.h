/* SPDX-License-Identifier: MIT
 * What a struct diag holds; for the diag*.c files alone. */
#ifndef SUPPORT_DIAG_STATE_H
#define SUPPORT_DIAG_STATE_H

#include "support/arena.h"
#include "support/diag.h"
#include "support/map.h"
#include "support/vec.h"

struct diag_text {
    char *name;
    char *text; /* NULL: only the name is known, and perhaps line and column */
    size_t size;
    uint32_t line, column;     /* without text: what messages show, 0 = not shown */
    VEC(uint32_t) line_starts; /* byte offsets; built when first asked for */
};

enum as_error { AS_GENERAL, AS_ERROR, AS_WARNING }; /* -Werror, -Werror=name, -Wno-error=name */

struct warning_state {
    bool on;
    enum as_error as_error;
};

/* The message that waits for its notes. */
struct pending {
    bool active;
    bool dropping; /* the latest message was suppressed, and so are its notes */
    struct message message;
    struct arena arena; /* its texts */
    VEC(struct message) notes;
    VEC(struct fixit) fixits;
};

struct diag {
    diag_consumer *consumer;
    void *context;
    VEC(struct diag_text *) sources; /* source number n is element n - 1 */
    struct map lines;                /* names known to diag_line, to source numbers */
    struct warning_state warnings[WARNING_COUNT];
    bool all_are_errors;
    uint32_t max_errors, error_count, warning_count;
    bool hushed;
    uint32_t errors_before, warnings_before; /* it was */
    char *first;
    bool once;
    struct map said;     /* with `once`: warnings, and where they are */
    VEC(uint32_t) quiet; /* sources of which no warning is said */
    struct pending pending;
};

void diag_free_sources(struct diag *diag);
void diag_default_warnings(struct diag *diag);

#endif
