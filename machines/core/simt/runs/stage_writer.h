/* SPDX-License-Identifier: MIT
 * PTX of a stage kernel while it is written: between stage_text.c, stage_arrays.c, stage_memory.c,
 * stage_gather.c and stage_loops.c. */
#ifndef MACHINES_CORE_SIMT_RUNS_STAGE_WRITER_H
#define MACHINES_CORE_SIMT_RUNS_STAGE_WRITER_H

#include "machines/core/simt/runs/run_values.h"
#include "machines/core/simt/runs/stage_words.h"

/* Constants among which an index chooses one by one, and by halves of words; elements of an
 * accumulator with `combine` that are stored one by one, and in a loop; bytes of a thread's
 * arrays. */
#define SIMT_STAGE_MOST_CHOSEN 64u
#define SIMT_STAGE_MOST_PACKED 4096u
#define SIMT_STAGE_FEW_PARTS   256u
#define SIMT_STAGE_MOST_PARTS  65536u
#define SIMT_STAGE_MOST_ROOM   65536u

/* What is there of an array of the IR. */
struct simt_stage_place {
    uint32_t base; /* %d: address of the row's first element, or of the first of all; 0: none */
    uint32_t cell; /* %d: 8 bytes of a loop; 0: none */
    uint32_t room; /* SCALAR_ROOM: bytes of the thread's memory before it */
};
struct simt_stage_writer {
    struct simt_values x;
    const struct stage_kernel *kernel;
    struct scalar_stage *s;
    enum simt_stage_part part;       /* SIMT_STAGE_COUNT or SIMT_STAGE_ROWS */
    struct simt_stage_place *places; /* [arrays] */
    struct simt_stage_scratch scratches[SIMT_STAGE_SCRATCHES];
    uint32_t scratch_count;
    VEC(struct simt_made *)
    outer;               /* of each loop around: [values], what was there in front of it */
    uint32_t room_bytes; /* of a thread's memory */
    uint32_t labels;     /* so far */
    struct str *what;
    uint32_t *line;
};

static inline const struct scalar_value *simt_stage_value_at(const struct simt_stage_writer *w,
                                                             scalar_id id) {
    return scalar_at(w->x.body, id);
}
static inline const struct scalar_stage_array *
simt_stage_array_at(const struct simt_stage_writer *w, uint32_t array) {
    return &w->s->arrays.data[array];
}
/* Always false; the first that is said counts. */
bool simt_stage_refuse(struct simt_stage_writer *w, uint32_t line, const char *what);
/* "u32" and the like: of memory. */
const char *simt_stage_type(unsigned bytes, bool sign);

/* Begins an entry of so many parameters of 8 bytes. */
void simt_stage_head(const char *name, uint32_t parameters, struct str *out);

/* ---- stage_arrays.c ---- */

bool simt_stage_open_arrays(struct simt_stage_writer *w);
/* An accumulator whose elements are less than words has words for them. */
bool simt_stage_in_words(const struct simt_stage_writer *w, const struct scalar_stage_array *a);

/* ---- stage_memory.c ---- */

/* The array that an address of FETCH or PUT lies in; NO_INDEX: none is known. */
uint32_t simt_stage_root(const struct simt_stage_writer *w, scalar_id address);
bool simt_stage_load(struct simt_stage_writer *w, scalar_id id);
bool simt_stage_lookup(struct simt_stage_writer *w, scalar_id id);
bool simt_stage_fetch(struct simt_stage_writer *w, scalar_id id);
bool simt_stage_address(struct simt_stage_writer *w, scalar_id id);
bool simt_stage_store(struct simt_stage_writer *w, scalar_id id);
bool simt_stage_put(struct simt_stage_writer *w, scalar_id id);
void simt_stage_stop(struct simt_stage_writer *w, scalar_id id);

/* ---- stage_gather.c ---- */

/* The stage that a parameter is one of. */
const struct stage_stage *simt_stage_of(const struct stage_kernel *kernel,
                                        const struct stage_param *param);
/* The value comes to the element of an accumulator, or to the word for it, at an address, "%d5+8",
 * where %p `mask` is 1 (0: always). */
bool simt_stage_gather(struct simt_stage_writer *w, const struct stage_param *acc, const char *at,
                       uint32_t mask, scalar_id value);

/* ---- stage_loops.c ---- */

void simt_stage_put_cell(struct simt_stage_writer *w, uint32_t array, unsigned bytes,
                         const char *from);
void simt_stage_cell(struct simt_stage_writer *w, scalar_id id);
void simt_stage_begin_loop(struct simt_stage_writer *w, scalar_id id);
void simt_stage_end_loop(struct simt_stage_writer *w, scalar_id id);

#endif
