/* SPDX-License-Identifier: MIT
 * Which warnings are on, and which are errors: the last option that names one decides. */
#include "support/diag_state.h"

#include <string.h>

const struct warning_info diag_warning_table[WARNING_COUNT] = {
#define X(id, name, on, tools, text) [W_##id] = {name, on, tools, text},
#include "support/warnings.def"
#undef X
};

void diag_default_warnings(struct diag *diag) {
    for (int w = 0; w < WARNING_COUNT; w++)
        diag->warnings[w].on = diag_warning_table[w].on;
}

static struct warning_state *find_warning(struct diag *diag, const char *name) {
    for (int w = 0; w < WARNING_COUNT; w++)
        if (strcmp(diag_warning_table[w].name, name) == 0)
            return &diag->warnings[w];
    return NULL;
}

static bool switch_warning(struct diag *diag, const char *name, bool on) {
    struct warning_state *w = find_warning(diag, name);
    if (w)
        w->on = on;
    return w;
}

static bool set_as_error(struct diag *diag, const char *name, bool error) {
    struct warning_state *w = find_warning(diag, name);
    if (!w)
        return false;
    w->as_error = error ? AS_ERROR : AS_WARNING;
    w->on |= error;
    return true;
}

static void switch_all(struct diag *diag, bool on) {
    for (int w = 0; w < WARNING_COUNT; w++)
        diag->warnings[w].on = on;
}

/* The flag behind -W, or behind -Wno- with `on` false. */
static bool set_flag(struct diag *diag, const char *flag, bool on) {
    if (strcmp(flag, "all") == 0)
        switch_all(diag, on);
    else if (strcmp(flag, "error") == 0)
        diag->all_are_errors = on;
    else if (strncmp(flag, "error=", 6) == 0)
        return set_as_error(diag, flag + 6, on);
    else
        return switch_warning(diag, flag, on);
    return true;
}

bool diag_set_warning(struct diag *diag, const char *flag) {
    if (strncmp(flag, "no-", 3) == 0)
        return set_flag(diag, flag + 3, false);
    return set_flag(diag, flag, true);
}
