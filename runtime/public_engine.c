/* SPDX-License-Identifier: MIT
 * Which engine there is where a caller names none. */
#include "runtime/public.h"

#include "support/diag.h"

#include <stdlib.h>
#include <string.h>

const char *public_engine(const char *named, struct diag *diag) {
    const char *text = getenv("MPU_ENGINE");
    if (named)
        return named;
    if (!text || !*text)
        return "fused";
    if (strcmp(text, "strict") == 0 || strcmp(text, "fused") == 0)
        return text;
    diag_error(diag, NO_SPAN, "MPU_ENGINE in the environment is '%s', not strict or fused", text);
    return NULL;
}
