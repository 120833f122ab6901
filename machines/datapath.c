/* SPDX-License-Identifier: MIT
 * Finds the run half of a kind by its name. */
#include "machines/datapath.h"

#include <string.h>

const struct datapath_ops *datapath_find(const char *kind, const char *engine) {
    const struct datapath_kind *k = datapath_kinds;
    while (k->kind && strcmp(k->kind, kind) != 0)
        k++;
    for (size_t i = 0; k->kind && k->engines[i]; i++)
        if (!engine || strcmp(k->engines[i]->name, engine) == 0)
            return k->engines[i];
    return k->kind && strcmp(engine, "fused") == 0 ? k->engines[0] : NULL;
}

const struct datapath_ops *datapath_engine(const struct target_kind *kind, const char *engine) {
    const struct datapath_ops *usual = datapath_find(kind->name, NULL);
    bool known = strcmp(engine, "strict") == 0 || strcmp(engine, "fused") == 0;
    if (strcmp(engine, "golden") == 0 || (usual == &golden_ops && known))
        return &golden_ops;
    return datapath_find(kind->name, engine);
}
