/* SPDX-License-Identifier: MIT
 * From micro-ops to steps of kernels: scratch and buffer planes renamed by
 * liveness onto few slots, functions of four and five planes cut in two. */
#ifndef MACHINES_PLANE_TRANSLATE_H
#define MACHINES_PLANE_TRANSLATE_H

#include "machines/plane/run/plane.h"
#include "support/hash_table.h"

/* Operands are 32-bit offsets, and scratch should stay in a cache. */
#define PLANE_MAX_SCRATCH 65536u

/* One executed micro-op. */
struct flat_uop {
    const struct uop *uop; /* its count is 1 */
    uint8_t last_use;      /* bit i: src[i] holds nothing of use afterwards */
    uint8_t dead;          /* bit i: nothing reads dst[i] before it is written again */
};
struct flat_list {
    struct flat_uop *data;
    size_t len, cap; /* works with vec_push and vec_free */
};

/* Renamed at every use: planes that hold nothing between instructions. */
static inline bool plane_is_local(uint32_t plane) {
    return PLANE_CLASS(plane) == PLANE_SCRATCH || PLANE_CLASS(plane) == PLANE_BUFFER;
}
/* The predicate holds back what dst[index] gets: only visible planes are held back
 * (recipe/set/uop.h).
 */
static inline bool is_predicated(const struct uop *uop, unsigned index) {
    return PLANE_CLASS(uop->predicate) != PLANE_NONE && !plane_is_local(uop->dst[index]);
}
/* The op keeps a part of what dst[index] held. */
static inline bool keeps_old(const struct target_op *op, const struct uop *uop, unsigned index) {
    return plane_op_uses_old(op, index) || is_predicated(uop, index);
}

/* From planes to 32-bit values; PLANE_MAP_NONE is what a plane has that is not there. */
#define PLANE_MAP_NONE UINT32_MAX
struct plane_map {
    HASH_TABLE(uint32_t, uint32_t) values;
};
static inline uint32_t plane_map_get(const struct plane_map *map, uint32_t plane) {
    const uint32_t *value = hash_table_get(&map->values, &plane);
    return value ? *value : PLANE_MAP_NONE;
}
static inline void plane_map_put(struct plane_map *map, uint32_t plane, uint32_t value) {
    *(uint32_t *)hash_table_put(&map->values, &plane) = value;
}
static inline void plane_map_clear(struct plane_map *map) {
    hash_table_clear(&map->values);
}
static inline void plane_map_free(struct plane_map *map) {
    hash_table_free(&map->values);
}

/* --- liveness.c --- */
/* Fills last_use and dead for the micro-ops of one instruction. */
void plane_liveness(const struct target *target, struct flat_uop *uops, size_t count,
                    struct plane_map *live);

/* --- translate.c --- */
struct step_list {
    struct plane_step *data;
    size_t len, cap; /* works with vec_push and vec_free */
};
/* Slots that steps name, of bit j of register r PLANE_NAME_SLOT(PLANE_NAME_FIRST, r, j). */
enum { PLANE_NAME_C, PLANE_NAME_M, PLANE_NAME_VALID, PLANE_NAME_FIRST };
/* Working storage for translations, zeroed at its start. */
struct run_translation {
    const struct target *target;
    struct diag *diag;
    struct step_list steps;
    uint32_t scratch_slots; /* the most in use at once */
    struct flat_list flat;
    struct plane_map map;
    struct {
        uint32_t *data;
        size_t len, cap;
    } free_slots;
};
/* Appends the steps of one instruction, which name what lies in a tile; false after reporting. */
bool plane_translate(struct run_translation *translation, const struct uop *uops, size_t count);
void plane_translation_free(struct run_translation *translation);

/* Appends the steps that write function `truth` of `inputs` planes (operands; at most 5) to dst,
 * where the plane `mask` is 1 if `masked`.  dst may be one of the operands. */
void plane_emit(struct step_list *steps, uint32_t truth, const uint32_t *operands, unsigned inputs,
                uint32_t dst, bool masked, uint32_t mask);

static inline uint32_t tile_operand(uint32_t slot) {
    return slot * PLANE_STRIDE;
}
static inline uint32_t scratch_operand(uint32_t slot) {
    return slot * PLANE_STRIDE | 1;
}

#endif
