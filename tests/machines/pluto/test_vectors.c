/* SPDX-License-Identifier: MIT
 * Vectors that stay in rows of pLUTo's three designs: random graphs against the host. */
#include "../slot/slot_graphs.h"
#include "tests/draws.h"
#include "tests/runtime/random_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- random graphs ---- */

/* From a few VRFs of few rows, where vectors go to the host, to all that there are. */
static const char *const machines[][SLOT_GRAPH_SETTINGS] = {
    {NULL},
    {"machine.mpus=3", "pluto.rows=160", NULL},
    {"machine.mpus=1", "machine.rfh_per_mpu=1", "machine.vrf_per_rfh=2", "pluto.row_bits=512",
     "array.lanes=8", NULL},
    {"machine.mpus=2", "machine.rfh_per_mpu=2", "pluto.row_bits=64", "array.lanes=1", NULL},
    {"machine.mpus=1", "machine.vrf_per_rfh=1", "pluto.row_bits=128", "array.lanes=2",
     "pluto.rows=120", "pluto.logic=table2", NULL},
};

static void random_graphs(void **state) {
    static const char *const designs[] = {"pluto-bsa", "pluto-gsa", "pluto-gmc"};
    const unsigned count = draws(DRAWS_MACHINES_PLUTO_GRAPHS);
    uint64_t copies = 0, spills = 0;
    (void)state;
    for (unsigned k = 0; k < 3; k++) {
        struct slot_graphs g = {designs[k], machines, sizeof machines / sizeof *machines,
                                (count + 2 - k) / 3, 5000 + 2000 * k, 0, 0};
        slot_graphs_play(&g);
        copies += g.copies;
        spills += g.spills;
    }
    assert_true(copies > count / 8);
    assert_true(spills > count / 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
