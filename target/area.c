/* SPDX-License-Identifier: MIT
 * Area of an MPU, and how many of them an area holds. */
#include "target/load.h"

#include "support/str.h"

#include <string.h>

struct target_area target_area(const struct target *target) {
    uint64_t vrfs = target_vrfs_per_mpu(target);
    struct target_area a = {.arrays = target->arrays_um2, .scratch = target->scratch_um2};
    if (target->kind && target->kind->area)
        a.arrays = target->kind->area(target);
    if (!a.arrays && !__builtin_mul_overflow(target->array_um2, vrfs, &a.arrays))
        a.scratch = 0; /* the file says what its own arrays take, with all of their rows */
    a.front_end = target->control == CONTROL_MPU ? target->front_end_um2 : 0;
    a.front_end_known = a.front_end || target->control != CONTROL_MPU;
    a.known = a.arrays && a.front_end_known;
    a.total = a.arrays + a.front_end;
    return a;
}

/* --- machine.mpus: iso:400mm2 --- */

/* "400mm2", "4cm2", "400000000um2" in um2; 0 if it is none of these, or too much. */
static uint64_t parse_area(const char *text) {
    static const struct {
        const char *unit;
        uint64_t um2;
    } units[] = {{"um2", 1}, {"mm2", 1000000}, {"cm2", 100000000}};
    size_t digits = strspn(text, "0123456789");
    uint64_t value;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(text + digits, units[i].unit) == 0 && number_parse_u64(text, digits, &value) &&
            !__builtin_mul_overflow(value, units[i].um2, &value))
            return value;
    return 0;
}

bool target_area_begin(struct target_text *text, struct target_iso *iso) {
    static const char prefix[] = "iso:";
    struct yaml_node *n = target_find(text->root, "machine.mpus");
    *iso = (struct target_iso){0};
    if (!n || n->kind != NODE_SCALAR || strncmp(n->text, prefix, sizeof prefix - 1) != 0)
        return true;
    *iso = (struct target_iso){n, n->text + sizeof prefix - 1, parse_area(n->text + 4)};
    if (!iso->um2) {
        target_error(text, n, "machine.mpus", "expected an area behind iso:, as in iso:400mm2");
        return false;
    }
    n->text = "1";
    return true;
}

bool target_area_mpus(struct target_text *text, struct target *target,
                      const struct target_iso *iso) {
    struct yaml_node *n = iso->node;
    struct target_area each = target_area(target);
    if (!n)
        return true;
    n->text = arena_printf(text->arena, "iso:%s", iso->area);
    if (!each.arrays || iso->um2 < each.total) {
        target_error(text, n, "machine.mpus",
                     each.arrays
                         ? "one MPU takes more than that"
                         : "the target does not say what its arrays take (area.arrays_um2)");
        return false;
    }
    n->origin = arena_printf(text->arena, "as many as %s holds", iso->area);
    n->text = arena_printf(text->arena, "%llu", (unsigned long long)(iso->um2 / each.total));
    n->exact = false;
    uint64_t count;
    if (!target_number(text, n, "machine.mpus", 1, TARGET_MAX_MPUS, &count))
        return false;
    target->mpus = (uint32_t)count;
    return true;
}
