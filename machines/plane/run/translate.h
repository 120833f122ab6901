/* SPDX-License-Identifier: MIT
 * From micro-ops to steps of kernels: strides unrolled, scratch and buffer planes renamed by
 * liveness onto few slots, functions of four and five planes cut in two. */
#ifndef MACHINES_PLANE_TRANSLATE_H
#define MACHINES_PLANE_TRANSLATE_H

#include "machines/plane/run/plane.h"

/* One executed micro-op: strides applied. */
struct flat_uop {
    const struct uop *uop; /* its count is 1 */
    uint8_t last_use;      /* bit i: src[i] holds nothing of use afterwards */
    uint8_t dead;          /* bit i: nothing reads dst[i] before it is written again */
};
struct flat_list {
    struct flat_uop *data;
    size_t len, cap; /* works with vec_push and vec_free */
};

/* A micro-op of a list with its i-th stride applied; count is then 1. */
struct uop plane_uop_at(const struct uop *u, uint32_t i);

/* Renamed at every use: planes that hold nothing between instructions. */
static inline bool plane_is_local(uint32_t plane) {
    return PLANE_CLASS(plane) == PLANE_SCRATCH || PLANE_CLASS(plane) == PLANE_BUFFER;
}
/* The predicate holds back what dst[k] gets: only visible planes are held back (recipe/uop.h). */
static inline bool is_predicated(const struct uop *u, unsigned k) {
    return PLANE_CLASS(u->predicate) != PLANE_NONE && !plane_is_local(u->dst[k]);
}
/* The op keeps a part of what dst[k] held. */
static inline bool keeps_old(const struct target_op *op, const struct uop *u, unsigned k) {
    return op->reads_old || is_predicated(u, k);
}

/* --- liveness.c --- */
/* From plane numbers to 32-bit values; open addressing. */
#define PLANE_MAP_NONE UINT32_MAX
struct plane_map_slot {
    uint32_t plane, value; /* PLANE_MAP_NONE: free */
};
struct plane_map {
    struct plane_map_slot *slots;
    size_t size, used; /* size is 0 or a power of two */
    unsigned shift;    /* size is 1 << (32 - shift) */
};
/* The plane's slot, or the one where it belongs; the map is not empty.  The upper bits of the
 * product depend on every bit of the plane: its section and its row. */
static inline struct plane_map_slot *plane_map_find(const struct plane_map *map, uint32_t plane) {
    size_t i = (plane * 0x9e3779b9u) >> map->shift;
    while (map->slots[i].plane != plane && map->slots[i].plane != PLANE_MAP_NONE)
        i = (i + 1) & (map->size - 1);
    return &map->slots[i];
}
static inline uint32_t plane_map_get(const struct plane_map *map, uint32_t plane) {
    return map->size ? plane_map_find(map, plane)->value : PLANE_MAP_NONE;
}
void plane_map_put(struct plane_map *map, uint32_t plane, uint32_t value);
void plane_map_clear(struct plane_map *map);
void plane_map_free(struct plane_map *map);

/* Fills last_use and dead for the micro-ops of one instruction. */
void plane_liveness(const struct target *t, struct flat_uop *uops, size_t count,
                    struct plane_map *live);

/* --- translate.c --- */
struct step_list {
    struct plane_step *data;
    size_t len, cap; /* works with vec_push and vec_free */
};
/* Working storage for the translation of a run, zeroed at its start. */
struct run_translation {
    const struct plane_machine *machine;
    struct diag *diag;
    struct step_list steps;
    uint32_t scratch_slots; /* the most in use at once */
    struct flat_list flat;
    struct uop_list strided; /* what micro-ops with a count become; flat points into it */
    struct plane_map map;
    struct {
        uint32_t *data;
        size_t len, cap;
    } free_slots;
};
/* Appends the steps of one instruction; false after reporting. */
bool plane_translate(struct run_translation *t, const struct uop *uops, size_t count);
void plane_translation_free(struct run_translation *t);

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
