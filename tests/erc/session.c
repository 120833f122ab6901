/* SPDX-License-Identifier: MIT */
#include "tests/erc/session.h"

#include "tests/erc/import.h"

#include <stdio.h>

enum { LANES = 64 };

static void place(char name[32], unsigned vrf, unsigned reg) {
    snprintf(name, 32, "RFH%u.VRF%u.r%u", vrf / MACHINE_ROWS, vrf % MACHINE_ROWS, reg);
}

void session_put(mpu_session *s, const struct machine *machine, unsigned named) {
    char name[32];
    uint64_t values[LANES];
    for (unsigned v = 0; v < MACHINE_VRFS; v++)
        for (unsigned k = 0; k < named; k++) {
            for (unsigned i = 0; i < LANES; i++)
                values[i] = machine->vrfs[v].r[k][i % MACHINE_LANES];
            place(name, v, k);
            import_put(s, name, values, LANES);
        }
}

static bool same_register(mpu_session *s, const char *name, const uint64_t *want, struct str *why) {
    uint64_t got[LANES];
    import_get(s, name, got, LANES);
    for (unsigned i = 0; i < LANES; i++)
        if (got[i] != want[i % MACHINE_LANES]) {
            str_clear(why);
            str_printf(why, "%s[%u] is %llx, not %llx", name, i, (unsigned long long)got[i],
                       (unsigned long long)want[i % MACHINE_LANES]);
            return false;
        }
    return true;
}

bool session_same(mpu_session *s, const struct machine *machine, unsigned named, struct str *why) {
    char name[32];
    for (unsigned v = 0; v < MACHINE_VRFS; v++)
        for (unsigned k = 0; k < named; k++) {
            place(name, v, k);
            if (!same_register(s, name, machine->vrfs[v].r[k], why))
                return false;
        }
    return true;
}
