/* SPDX-License-Identifier: MIT
 * A pipeline of DaPPA (docs/dappa.md): stages are added one by one and checked; what they become is
 * programs in ezpim with `stage` kernels, one for each segment, behind which results have to be
 * brought together.  Nothing is carried out here. */
#ifndef PIPELINE_PIPELINE_H
#define PIPELINE_PIPELINE_H

#include "pipeline/lambda.h"
#include "pipeline/plan.h"

enum pipeline_pattern {
    PIPELINE_MAP,
    PIPELINE_FILTER,
    PIPELINE_REDUCE,
    PIPELINE_WINDOW,
    PIPELINE_GROUP,
    PIPELINE_WINDOW_GROUP,
    PIPELINE_WINDOW_FILTER,
    PIPELINE_GROUP_FILTER,
    PIPELINE_WINDOW_GROUP_FILTER,
    PIPELINE_PATTERNS
};
enum pipeline_role {
    PIPELINE_INPUT,
    PIPELINE_OUTPUT,
    PIPELINE_INOUT,
    PIPELINE_SCALAR, /* all units see all of its elements */
    PIPELINE_REDUCE_OUT,
    PIPELINE_ROLES
};
/* pipeline_argument.elements: nobody has given it any yet. */
#define PIPELINE_NO_ELEMENTS UINT64_MAX
/* Elements of a scalar, of an accumulator, at most. */
#define PIPELINE_MAX_SCALAR 65536u
#define PIPELINE_MAX_STAGES 256u

/* What is asked for: an argument, and a stage. */
struct pipeline_argument {
    enum pipeline_role role;
    struct lane_type type; /* of 8, 16, 32 or 64 bits, or bool */
    void *key;             /* whose array it is: each array has its own, and its data lie there */
    uint64_t elements;     /* 0: of a scalar 1, of others it is not said */
    const void *tail;      /* of an input of windows: what goes on behind its end; NULL: zeros */
    uint64_t tail_elements;
    const char *name; /* for messages; NULL: its number is */
};
struct pipeline_request {
    enum pipeline_pattern pattern;
    const char *function;
    const struct pipeline_argument *arguments; /* [count] */
    size_t count;
    uint32_t overlap, group; /* elements beyond a unit; elements of a group; 0: none */
    const char *combine;     /* `[](T *into, T *other) { .. }`; NULL */
    const char *init;        /* what combine leaves as it is, a constant; NULL: 0 */
    const char *file;        /* where it is written; NULL: nobody knows */
    uint32_t line;
};

/* A number of elements, from that of another. */
enum pipeline_length_kind { PIPELINE_ALL, PIPELINE_UNITS, PIPELINE_KEPT, PIPELINE_GIVEN };
struct pipeline_length {
    enum pipeline_length_kind kind;
    uint32_t of;    /* PIPELINE_UNITS, PIPELINE_KEPT: at most so many */
    uint64_t value; /* PIPELINE_UNITS: each is so many of those; PIPELINE_GIVEN: all */
};

enum pipeline_use { PIPELINE_ELEMENTS, PIPELINE_WHOLE, PIPELINE_RESULT };
/* An array, as one stage has made it: a stage that makes it anew makes another. */
struct pipeline_array {
    void *key;
    enum pipeline_use use;
    struct lane_type type;
    uint32_t length;   /* index into lengths, of elements */
    uint64_t elements; /* of others, and as its owner said, 0: nothing */
    uint32_t maker;    /* stage; NO_INDEX: its owner has written it */
    uint32_t changed;  /* the last stage that changes or makes it; NO_INDEX */
    uint32_t source;   /* the array of an earlier segment whose data it begins with; NO_INDEX */
    bool kept;         /* a filter's */
    bool fetched;
};

struct pipeline_bound {
    enum pipeline_role role;
    uint32_t array;   /* INOUT of a filter: what goes in */
    const char *name; /* as the body has it; NULL: it does not */
    const void *tail;
};
struct pipeline_stage {
    enum pipeline_pattern pattern;
    struct pipeline_bound *arguments; /* [count] */
    size_t count;
    uint32_t made; /* array of what a filter keeps; NO_INDEX of others */
    uint32_t overlap, group, segment;
    const char *body, *combine, *other, *init; /* combine: NULL without */
    const char *place;                         /* "stage 2 (a.cc:10)" */
};

struct pipeline {
    struct arena arena;
    uint64_t length;
    bool full;                           /* what one pipeline cannot do becomes another segment */
    bool every_one;                      /* a kernel for each stage */
    VEC(struct pipeline_length) lengths; /* 0: PIPELINE_ALL */
    VEC(struct pipeline_array) arrays;
    VEC(struct pipeline_stage) stages;
    VEC(uint32_t) bases;  /* of segments: their elements, index into lengths */
    struct str constants; /* of all functions, as kernels declare them, a line each */
};

/* ---- stages.c ---- */
void pipeline_init(struct pipeline *pipeline, uint64_t length);
void pipeline_free(struct pipeline *pipeline);
/* Adds a stage; false, with nothing added, after reporting. */
bool pipeline_add(struct pipeline *pipeline, const struct pipeline_request *request,
                  struct diag *diag);
/* From now on functions know `name`, a number, the text in C of `value`.  False after reporting. */
bool pipeline_constant(struct pipeline *pipeline, const char *name, struct lane_type type,
                       const char *value, struct diag *diag);
/* The latest array of the key that a stage makes or changes; NO_INDEX. */
uint32_t pipeline_find_made(const struct pipeline *pipeline, const void *key);
/* That array is wanted; false, after reporting, where there is none. */
bool pipeline_fetch(struct pipeline *pipeline, const void *key, struct diag *diag);
static inline bool pipeline_filters(enum pipeline_pattern pattern) {
    return pattern == PIPELINE_FILTER || pattern >= PIPELINE_WINDOW_FILTER;
}
static inline bool pipeline_windows(enum pipeline_pattern pattern) {
    return pattern == PIPELINE_WINDOW || pattern == PIPELINE_WINDOW_GROUP ||
           pattern == PIPELINE_WINDOW_FILTER || pattern == PIPELINE_WINDOW_GROUP_FILTER;
}
static inline bool pipeline_groups(enum pipeline_pattern pattern) {
    return pattern == PIPELINE_GROUP || pattern == PIPELINE_WINDOW_GROUP ||
           pattern == PIPELINE_GROUP_FILTER || pattern == PIPELINE_WINDOW_GROUP_FILTER;
}
/* "window+filter". */
const char *pipeline_pattern_name(enum pipeline_pattern pattern);

/* ---- segments.c: what a segment works on ---- */
/* An array of a segment: whether it comes in, and whether its data are wanted behind it. */
struct pipeline_traffic {
    uint32_t array;
    bool in, out;
    bool crosses; /* from one kernel to another */
};
/* Whether it has memory: what one kernel makes and uses up has none. */
static inline bool pipeline_lies(const struct pipeline_traffic *traffic) {
    return traffic->in || traffic->out || traffic->crosses;
}
struct pipeline_segment {
    uint32_t number, base;                /* base: index into lengths */
    VEC(struct pipeline_traffic) traffic; /* each array that it names, once */
    VEC(uint32_t) kernels;                /* first stage of each, and the end */
    bool together; /* windows see what the segment makes: it is carried out in one part */
};
void pipeline_segment_read(const struct pipeline *pipeline, uint32_t number,
                           struct pipeline_segment *out);
void pipeline_segment_free(struct pipeline_segment *segment);
/* The host's name of an array in a segment's program, of what comes behind its end, of how many
 * were kept. */
void pipeline_array_name(uint32_t array, char out[24]);
void pipeline_tail_name(uint32_t stage, uint32_t argument, char out[32]);
void pipeline_count_name(uint32_t array, char out[24]);
/* Elements of the base for one of the length; of PIPELINE_KEPT one that is kept. */
uint64_t pipeline_divide(const struct pipeline *pipeline, uint32_t length, uint32_t base);
/* Whether the elements of the argument go in. */
static inline bool pipeline_has_elements(const struct pipeline_bound *argument) {
    return argument->role == PIPELINE_INPUT || argument->role == PIPELINE_INOUT;
}
/* Of what goes into the stage. */
uint32_t pipeline_stage_length(const struct pipeline *pipeline, const struct pipeline_stage *stage);
/* What the counts need to know: items of a stage in WRAM (stage NO_INDEX: of the arrays of the
 * segment that lie in MRAM), [room for each]; returns how many. */
size_t pipeline_items(const struct pipeline *pipeline, const struct pipeline_segment *segment,
                      uint32_t stage, struct pipeline_item *items);
/* Elements of the base of which the stage makes one group: with those of groups before it, 2^40 at
 * most; 1: it has none. */
uint64_t pipeline_stage_group(const struct pipeline *pipeline,
                              const struct pipeline_segment *segment, uint32_t stage);
/* Elements of the base that stay together: a multiple of what is one group of any stage. */
uint64_t pipeline_segment_group(const struct pipeline *pipeline,
                                const struct pipeline_segment *segment);

/* ---- programs.c: texts ---- */
/* The segment in ezpim, with size n, elements of its base; with `units`, size u is how many of the
 * machine's work. */
void pipeline_program(const struct pipeline *pipeline, const struct pipeline_segment *segment,
                      bool units, struct str *out);
/* The kernel of one stage by itself, to check it: the stage is read, and mistakes reported. */
bool pipeline_check_stage(const struct pipeline *pipeline, uint32_t stage, struct diag *diag);
/* A program in ezpim that puts what a part of a reduce with `combine` has left, buffer mpu_part, to
 * what is there, buffer mpu_into. */
void pipeline_combine_program(const struct pipeline *pipeline, uint32_t stage, struct str *out);

#endif
