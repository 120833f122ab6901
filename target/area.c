/* SPDX-License-Identifier: MIT
 * Area of an MPU, and how many of them an area holds. */
#include "target/load.h"

#include "support/str.h"

#include <string.h>

struct target_area target_area(const struct target *target) {
    uint64_t vrfs = target_vrfs_per_mpu(target);
    struct target_area a = {.arrays = target->arrays_um2, .scratch = target->scratch_um2};
    if (!a.arrays && !__builtin_mul_overflow(target->array_um2, vrfs, &a.arrays))
        a.scratch = 0; /* the file says what its own arrays take, with all of their rows */
    a.front_end = target->control == CONTROL_MPU ? target->front_end_um2 : 0;
    a.front_end_known = a.front_end || target->control != CONTROL_MPU;
    a.known = a.arrays && a.front_end_known;
    a.total = a.arrays + a.front_end;
    return a;
}

/* --- machine.mpus: iso:400mm2 --- */

static const char iso[] = "iso:";

/* A number of the tree that the schema has not looked at yet; 0 where there is none. */
static uint64_t number_at(const struct target_text *text, const char *path) {
    const struct yaml_node *n = target_find(text->root, path);
    uint64_t value;
    bool fine = n && n->kind == NODE_SCALAR && number_parse_u64(n->text, strlen(n->text), &value);
    return fine ? value : 0;
}

/* A host stands in the place of the front end. */
static bool is_host(const struct target_text *text) {
    const struct yaml_node *n = target_find(text->root, "control.front_end");
    return n && n->kind == NODE_SCALAR && strcmp(n->text, "mpu") != 0;
}

/* As target_area has it; wide, for the numbers have not been checked. */
__extension__ typedef unsigned __int128 area128;
static area128 mpu_um2(const struct target_text *text) {
    area128 arrays = number_at(text, "area.arrays_um2");
    if (!arrays)
        arrays = (area128)number_at(text, "array.area_um2") *
                 ((area128)number_at(text, "machine.vrf_per_rfh") *
                  number_at(text, "machine.rfh_per_mpu"));
    if (!arrays)
        return 0;
    return arrays + (is_host(text) ? 0 : number_at(text, "front_end.area_um2"));
}

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

bool target_area_mpus(struct target_text *text) {
    struct yaml_node *n = target_find(text->root, "machine.mpus");
    if (!n || n->kind != NODE_SCALAR || strncmp(n->text, iso, sizeof iso - 1) != 0)
        return true;
    uint64_t um2 = parse_area(n->text + sizeof iso - 1);
    area128 each = mpu_um2(text);
    if (!um2)
        target_error(text, n, "machine.mpus", "expected an area behind iso:, as in iso:400mm2");
    else if (!each)
        target_error(text, n, "machine.mpus",
                     "the target does not say what its arrays take (area.arrays_um2)");
    else if (um2 < each)
        target_error(text, n, "machine.mpus", "one MPU takes more than that");
    if (!um2 || !each || um2 < each)
        return false;
    n->origin = arena_printf(text->arena, "as many as %s holds", n->text + sizeof iso - 1);
    n->text = arena_printf(text->arena, "%llu", (unsigned long long)(um2 / each));
    n->exact = false;
    return true;
}
