/* SPDX-License-Identifier: MIT
 * Between the files that write stages: where things lie (homes.c), what a body sees (seen.c), what
 * is made of all lanes (made.c, reduced.c). */
#ifndef EZPIM_STAGE_PLANNER_H
#define EZPIM_STAGE_PLANNER_H

#include "ezpim/stage/writer.h"

/* Where elements of a length lie. */
struct stage_home {
    const char *group;
    const char *count; /* how many there are, a formula; of KEPT unused */
    const char *keeps; /* of KEPT: the variable that says which; else NULL */
    bool constant;     /* the count is `number` */
    uint64_t number;
    bool exact; /* each element of the group is one */
};
/* Where an array is between stages; NULL: nowhere yet. */
struct stage_array_place {
    const char *name; /* a variable of its length's group */
};
struct stage_planner {
    struct stage_writer w;
    struct stage_home *homes; /* [length_count] */
    struct stage_array_place *arrays;
};

/* ---- homes.c ---- */
const char *stage_type_text(struct stage_planner *p, struct lane_type type);
const char *stage_value_text(struct stage_planner *p, struct lane_type type, uint64_t value);
struct str *stage_out_of(struct stage_planner *p);
/* A variable of a group, or without one (NULL); registers 0: of one value. */
const char *stage_variable(struct stage_planner *p, const char *what, struct lane_type type,
                           uint32_t registers, const char *group);
struct stage_stand_in *stage_stand_in_of(const struct stage_planner *p, uint32_t array);
void stage_place_lengths(struct stage_planner *p);
/* Whether the lane has an element of that length; empty: all have. */
const char *stage_is_there(struct stage_planner *p, uint32_t length);

/* ---- seen.c ---- */
bool stage_lies_there(const struct stage_planner *p, uint32_t array, const char *group);
const char *stage_elements_of(struct stage_planner *p, uint32_t array);
const char *stage_zero_of(struct stage_planner *p, struct lane_type type);
struct stage_place stage_see(struct stage_planner *p, const struct stage_stage *s,
                             const struct stage_param *q);
/* compute g { if (there) { body } } */
void stage_put_compute(struct stage_planner *p, const struct stage_stage *s);

/* ---- made.c ---- */
void stage_end_map(struct stage_planner *p, const struct stage_stage *s);
void stage_end_filter(struct stage_planner *p, const struct stage_stage *s);

/* ---- reduced.c ---- */
void stage_put_reduce(struct stage_planner *p, const struct stage_stage *s);

#endif
