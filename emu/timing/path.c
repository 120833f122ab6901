/* SPDX-License-Identifier: MIT
 * Steps are recorded as they come, equal laps once; paths with the same steps get the same number.
 */
#include "emu/timing/path.h"

#include <string.h>

void timing_path_add(struct path_record *record, enum step_kind kind, uint32_t at, uint64_t count) {
    struct step s = {kind, at, count};
    vec_push(&record->steps, s);
}

/* Its place, or loops.len.  Loops at work are near the end. */
static size_t find_loop(const struct path_record *record, uint32_t head) {
    for (size_t i = record->loops.len; i-- > 0;)
        if (record->loops.data[i].head == head)
            return i;
    return record->loops.len;
}

/* No STEP_AGAIN among steps from .. end - 1 reaches back to before them. */
static bool stands_alone(const struct path_record *record, uint32_t from, uint32_t end) {
    for (uint32_t i = from; i < end; i++)
        if (record->steps.data[i].kind == STEP_AGAIN && record->steps.data[i].at > i - from)
            return false;
    return true;
}

/* The lap just recorded is as the one before it, which it follows: whatever the program meant, the
 * two may be told once. */
static bool same_lap(const struct path_record *record, const struct path_loop *loop, uint32_t end) {
    uint32_t last_end = loop->again == NO_LAP ? loop->lap : loop->again;
    return loop->last != NO_LAP && last_end - loop->last == end - loop->lap &&
           memcmp(&record->steps.data[loop->last], &record->steps.data[loop->lap],
                  (end - loop->lap) * sizeof *record->steps.data) == 0 &&
           stands_alone(record, loop->lap, end);
}

/* The steps from `lap` on are gone, and the loops whose laps began among them. */
static void drop_lap(struct path_record *record, uint32_t lap) {
    record->steps.len = lap;
    while (vec_last(&record->loops).lap > lap)
        record->loops.len--;
}

static void count_lap(struct path_record *record, struct path_loop *loop) {
    drop_lap(record, loop->lap);
    if (loop->again == NO_LAP) {
        loop->again = loop->lap;
        timing_path_add(record, STEP_AGAIN, loop->lap - loop->last, 0);
        loop->lap++;
    }
    record->steps.data[loop->again].count++;
}

/* Its lap is the one that began last. */
static void move_to_end(struct path_record *record, size_t index) {
    struct path_loop l = record->loops.data[index], *at = &record->loops.data[index];
    memmove(at, at + 1, (record->loops.len - 1 - index) * sizeof *at);
    record->loops.data[record->loops.len - 1] = l;
}

void timing_path_back(struct path_record *record, uint32_t head) {
    size_t i = find_loop(record, head);
    uint32_t end = (uint32_t)record->steps.len;
    if (i == record->loops.len) {
        vec_push(&record->loops, ((struct path_loop){head, end, NO_LAP, NO_LAP}));
        return;
    }
    struct path_loop *l = &record->loops.data[i];
    if (end == l->lap)
        return;
    if (same_lap(record, l, end)) {
        count_lap(record, l);
    } else {
        l->last = l->lap;
        l->lap = end;
        l->again = NO_LAP;
    }
    move_to_end(record, i);
}

void timing_path_record_free(struct path_record *record) {
    vec_free(&record->steps);
    vec_free(&record->loops);
}

uint32_t timing_path_number(struct map *paths, struct path_record *record) {
    const char *key = record->steps.len ? (const char *)record->steps.data : "";
    uint32_t number = map_number(paths, key, record->steps.len * sizeof *record->steps.data);
    record->steps.len = record->loops.len = 0;
    return number;
}

const struct step *timing_path_steps(const struct map *paths, uint32_t path, uint32_t *count) {
    const struct map_entry *e = &paths->entries[path];
    *count = (uint32_t)(e->key_len / sizeof(struct step));
    return (const struct step *)(const void *)e->key;
}
