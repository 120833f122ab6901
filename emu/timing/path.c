/* SPDX-License-Identifier: MIT */
#include "emu/timing/path.h"

#include <string.h>

void timing_path_add(struct path_record *r, enum step_kind kind, uint32_t at, uint64_t count) {
    struct step s = {kind, at, count};
    vec_push(&r->steps, s);
}

/* Its place, or loops.len.  Loops at work are near the end. */
static size_t find_loop(const struct path_record *r, uint32_t head) {
    for (size_t i = r->loops.len; i-- > 0;)
        if (r->loops.data[i].head == head)
            return i;
    return r->loops.len;
}

/* No STEP_AGAIN among steps from .. end - 1 reaches back to before them. */
static bool stands_alone(const struct path_record *r, uint32_t from, uint32_t end) {
    for (uint32_t i = from; i < end; i++)
        if (r->steps.data[i].kind == STEP_AGAIN && r->steps.data[i].at > i - from)
            return false;
    return true;
}

/* The lap just recorded is as the one before it, which it follows: whatever the program meant, the
 * two may be told once. */
static bool same_lap(const struct path_record *r, const struct path_loop *l, uint32_t end) {
    uint32_t last_end = l->again == NO_LAP ? l->lap : l->again;
    return l->last != NO_LAP && last_end - l->last == end - l->lap &&
           memcmp(&r->steps.data[l->last], &r->steps.data[l->lap],
                  (end - l->lap) * sizeof *r->steps.data) == 0 &&
           stands_alone(r, l->lap, end);
}

/* The steps from `lap` on are gone, and the loops whose laps began among them. */
static void drop_lap(struct path_record *r, uint32_t lap) {
    r->steps.len = lap;
    while (vec_last(&r->loops).lap > lap)
        r->loops.len--;
}

static void count_lap(struct path_record *r, struct path_loop *l) {
    drop_lap(r, l->lap);
    if (l->again == NO_LAP) {
        l->again = l->lap;
        timing_path_add(r, STEP_AGAIN, l->lap - l->last, 0);
        l->lap++;
    }
    r->steps.data[l->again].count++;
}

/* Its lap is the one that began last. */
static void move_to_end(struct path_record *r, size_t i) {
    struct path_loop l = r->loops.data[i], *at = &r->loops.data[i];
    memmove(at, at + 1, (r->loops.len - 1 - i) * sizeof *at);
    r->loops.data[r->loops.len - 1] = l;
}

void timing_path_back(struct path_record *r, uint32_t head) {
    size_t i = find_loop(r, head);
    uint32_t end = (uint32_t)r->steps.len;
    if (i == r->loops.len) {
        vec_push(&r->loops, ((struct path_loop){head, end, NO_LAP, NO_LAP}));
        return;
    }
    struct path_loop *l = &r->loops.data[i];
    if (end == l->lap)
        return;
    if (same_lap(r, l, end)) {
        count_lap(r, l);
    } else {
        l->last = l->lap;
        l->lap = end;
        l->again = NO_LAP;
    }
    move_to_end(r, i);
}

void timing_path_record_free(struct path_record *r) {
    vec_free(&r->steps);
    vec_free(&r->loops);
}

uint32_t timing_path_number(struct map *paths, struct path_record *r) {
    const char *key = r->steps.len ? (const char *)r->steps.data : "";
    uint32_t number = map_number(paths, key, r->steps.len * sizeof *r->steps.data);
    r->steps.len = r->loops.len = 0;
    return number;
}

const struct step *timing_path_steps(const struct map *paths, uint32_t path, uint32_t *count) {
    const struct map_entry *e = &paths->entries[path];
    *count = (uint32_t)(e->key_len / sizeof(struct step));
    return (const struct step *)(const void *)e->key;
}
