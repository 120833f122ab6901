/* SPDX-License-Identifier: MIT
 * Finds the run half of a kind by its name. */
#include "machines/datapath.h"

#include <string.h>

const struct datapath_ops *datapath_find(const char *kind, const char *engine) {
    const struct datapath_kind *k = datapath_kinds;
    const struct datapath_ops *usual = NULL;
    while (k->kind && strcmp(k->kind, kind) != 0)
        k++;
    if (k->kind && (!engine || strcmp(engine, "fused") == 0))
        usual = k->engines[0];
    for (size_t i = 0; engine && k->kind && k->engines[i]; i++)
        if (strcmp(k->engines[i]->name, engine) == 0)
            return k->engines[i];
    return usual;
}

const struct datapath_ops *datapath_engine(const struct target_kind *kind, const char *engine) {
    const struct datapath_ops *usual = datapath_find(kind->name, NULL);
    bool known = strcmp(engine, "strict") == 0 || strcmp(engine, "fused") == 0;
    if (strcmp(engine, "golden") == 0 || (usual == &golden_ops && known))
        return &golden_ops;
    return datapath_find(kind->name, engine);
}
