/* SPDX-License-Identifier: MIT
 * Room for arrays on the host: what would not fit is refused before it is asked for. */
#include "runtime/room.h"

#include "support/memory.h"
#include "support/saturate.h"

/* So little is not looked at. */
static const uint64_t always = (uint64_t)16 << 20;

uint64_t room_limit(void) {
    return memory_limit() / 4 * 3;
}

bool room_for(const char *what, uint64_t bytes, uint64_t held, struct diag *diag) {
    if (sat_add(bytes, held) <= always)
        return true;
    uint64_t limit = room_limit();
    if (sat_add(bytes, held) <= limit)
        return true;
    if (bytes == UINT64_MAX)
        diag_error(diag, NO_SPAN, "%s: 2^64 bytes or more; a run may take %llu on this host", what,
                   (unsigned long long)limit);
    else if (held)
        diag_error(diag, NO_SPAN,
                   "%s: %llu bytes beside %llu of other data; a run may take %llu on this host",
                   what, (unsigned long long)bytes, (unsigned long long)held,
                   (unsigned long long)limit);
    else
        diag_error(diag, NO_SPAN, "%s: %llu bytes; a run may take %llu on this host", what,
                   (unsigned long long)bytes, (unsigned long long)limit);
    diag_note(diag, NO_SPAN, "that is three quarters of the memory that this process may have");
    return false;
}

bool room_for_array(const char *name, unsigned bits, uint32_t ndim, const uint64_t *shape,
                    uint64_t held, struct diag *diag) {
    uint64_t bytes = bits / 8u;
    char what[80];
    for (uint32_t i = 0; i < ndim; i++)
        bytes = sat_mul(bytes, shape[i]);
    snprintf(what, sizeof what, "the array of '%.60s'", name);
    return room_for(what, bytes, held, diag);
}
