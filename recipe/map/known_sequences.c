/* SPDX-License-Identifier: MIT
 * Sequences for the built-in targets, so that no start of a tool has to search for them.  The build
 * searches for all of them (tools/sequence-gen) whenever a target or the search has changed. */
#include "recipe/map/derive.h"

#include <string.h>

#include "known_sequences.inc"

static void unpack(const struct known_sequences *known, const struct derived *derived,
                   const struct known_template *from, struct step_template *to) {
    *to = (struct step_template){.step_count = from->step_count,
                                 .out = from->out,
                                 .stays = from->stays,
                                 .touched = from->touched};
    for (unsigned i = 0; i < from->step_count; i++)
        to->steps[i] = derived->uses[known->steps[from->first_step + i]];
}

static void unpack_group(struct arena *arena, const struct known_sequences *known,
                         const struct derived *derived, const struct known_group *from,
                         struct template_group *to) {
    struct step_template *list = ARENA_ARRAY(arena, from->count, struct step_template);
    for (unsigned i = 0; i < from->count; i++)
        unpack(known, derived, &known->templates[from->first_template + i], &list[i]);
    *to = (struct template_group){.truth = from->truth,
                                  .nsrc = from->nsrc,
                                  .cost = from->cost,
                                  .stay_cost = from->stay_cost,
                                  .list = list,
                                  .count = from->count};
}

static const struct known_sequences *find(const char *key) {
    for (size_t i = 0; i < sizeof all_sequences / sizeof all_sequences[0]; i++)
        if (strcmp(all_sequences[i].key, key) == 0)
            return &all_sequences[i];
    return NULL;
}

bool mapping_derive_recall(struct arena *arena, const struct target *target, struct derived *out) {
    char key[SEQUENCE_KEY];
    mapping_sequence_key(target, out, key);
    const struct known_sequences *known = find(key);
    if (!known)
        return false;
    struct template_group *groups =
        ARENA_ARRAY(arena, known->group_count + 1, struct template_group);
    for (unsigned i = 0; i < known->group_count; i++)
        unpack_group(arena, known, out, &known->groups[i], &groups[i]);
    out->groups = groups;
    out->group_count = known->group_count;
    return true;
}
