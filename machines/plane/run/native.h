/* SPDX-License-Identifier: MIT
 * Steps as code of x86-64, made at run time.  A column, one vector of each plane, goes through all
 * steps in registers; planes of the tile are stored as they are written, scratch only where
 * registers run out.
 *
 * Code knows planes by a base and an offset; bases come with each call, so that code of an
 * instruction serves all registers, wherever they lie. */
#ifndef MACHINES_PLANE_RUN_NATIVE_H
#define MACHINES_PLANE_RUN_NATIVE_H

#include "machines/plane/run/native_x86.h"
#include "machines/plane/run/functions.h"

/* As many registers of the processor are left to hold them. */
#define PLANE_CODE_BASES 12

/* How wide vectors are: NONE where there is no code. */
enum plane_vectors { PLANE_VECTORS_NONE, PLANE_VECTORS_AVX2, PLANE_VECTORS_AVX512 };

/* What code is called with. */
struct plane_code_call {
    unsigned char *base[PLANE_CODE_BASES];
    unsigned char *spill;
    uint64_t columns; /* at least 1 */
    uint64_t mask;    /* AVX-512: bit k of word k of each vector */
    int64_t ahead;    /* bytes to the planes that are fetched meanwhile */
};

/* Where a plane of the tile lies, and by how many bytes the column is further on than the first one
 * of the turn. */
struct plane_code_place {
    uint32_t base, offset, column;
};

/* What code is made of. */
struct plane_code_source {
    const struct plane_step *steps;
    size_t count;
    const struct plane_code_place *places; /* of the tile's slots */
    uint32_t slots;
    uint32_t
        extent[PLANE_CODE_BASES]; /* bytes from each base on that code may touch; 0: not used */
    enum plane_vectors vectors;
    /* It fetches the planes that come next into the second-level cache; and pieces are whole tiles,
     * for which code that waits for memory is made, too. */
    bool fetches, tiles;
};

/* Where the spill area's vectors begin; before them, for AVX2, there are ones and a mask. */
#define PLANE_SPILL_ONES  0
#define PLANE_SPILL_MASK  64
#define PLANE_SPILL_FIRST 128

/* An instruction in code. */
struct plane_code_bytes {
    size_t begin, end;
};

/* Code as bytes.  Zeroed at its start; may be used again. */
struct plane_emission {
    struct x86_code code;
    /* Where the functions begin: for whole columns; AVX2: for a part of one; for several columns at
     * a turn, 0: there is none. */
    size_t whole, part, several;
    uint32_t spill_bytes;
    uint32_t ops;     /* instructions on vectors */
    uint32_t touched; /* planes of the tile */
    bool waits;       /* it does so little with each plane that memory is what it waits for */
    bool bad;         /* an access outside of what may be touched, or too much of something */
    VEC(struct plane_code_bytes) stores; /* those that go to planes of the tile */
};

/* --- native_lower.c --- */
/* Operations of a code: `to` = function of variables; truth as in struct plane_cut.  AVX2: of two
 * variables AND, OR, XOR, ~first & second; of one itself or its opposite; constants. */
struct code_op {
    uint32_t to, from[3];
    uint8_t truth, count;
    bool dead;
    /* Index of the next operation that reads it before it is written again; CODE_NEVER. */
    uint32_t to_next, from_next[3];
};
#define CODE_NEVER UINT32_MAX
struct code_ops {
    VEC(struct code_op) list;
    uint32_t variables;    /* the tile's slots first */
    VEC(uint32_t) touched; /* those of the tile, once each, as they are used */
};
/* How many slots of the tile and of scratch, those of constants among them, steps name at most. */
void plane_code_slots(const struct plane_code_source *source, uint32_t *slots, uint32_t *scratch);
/* False: a step names a plane that is none of the tile's. */
bool plane_code_lower(const struct plane_code_source *source, struct code_ops *ops);

/* --- native_columns.c --- */
/* The steps of several columns side by side; the caller frees what it points to.  Code that does
 * little with each plane goes over all columns of a tile at a turn, plane by plane: memory is
 * faster then. */
struct plane_code_source plane_code_columns(const struct plane_code_source *source,
                                            unsigned columns);
void plane_code_columns_free(struct plane_code_source *columns);

/* --- native_emit.c --- */
/* False: bad. */
bool plane_code_emit(const struct plane_code_source *source, struct plane_emission *emission);
void plane_emission_free(struct plane_emission *emission);

/* --- native_pages.c --- */
/* Code in pages that are not writable any more. */
struct plane_routine {
    void (*whole)(const struct plane_code_call *call);
    void (*part)(const struct plane_code_call *call);    /* AVX2 */
    void (*several)(const struct plane_code_call *call); /* NULL: there is none */
    enum plane_vectors vectors;
    uint32_t spill_bytes, ops;
    void *pages;
    size_t size; /* of the pages */
};
/* NULL where the system gives no such pages. */
struct plane_routine *plane_routine_make(const struct plane_emission *emission,
                                         enum plane_vectors vectors);
void plane_routine_free(struct plane_routine *code);
/* The widest that the processor and the system have. */
enum plane_vectors plane_code_vectors(void);
/* Writes what code finds in front of its spill area, which stays there. */
void plane_spill_begin(unsigned char *spill);
/* Runs over `words` of each plane from the bases on; call->spill has the code's bytes. */
void plane_routine_run(const struct plane_routine *code, struct plane_code_call *call,
                       size_t words);

#endif
