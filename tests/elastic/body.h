/* SPDX-License-Identifier: MIT
 * One batch of a body, instruction by instruction (docs/control-path.md, "A batch in time"). */
#ifndef TESTS_ELASTIC_BODY_H
#define TESTS_ELASTIC_BODY_H

#include "object/text.h"
#include "tests/elastic/recipes.h"
#include "tests/elastic/schedule.h"

#define REF_RANGES 16
/* An instruction of a body that was carried out. */
struct ref_insn {
    uint32_t index;
    bool masked;
    uint32_t vrfs; /* a jump on masks: VRFs that are switched on */
    bool answered; /* a jump on masks: the machine was asked, and answered in answer_ps */
    uint64_t answer_ps;
    uint64_t copy_ps; /* INDEX: of its transfer */
    /* Ranges of VRFs that it was carried out for one by one, and what the machine took to be told
     * of each; 0: it is told of none. */
    uint32_t ranges;
    uint64_t select_ps[REF_RANGES];
};
struct ref_body {
    VEC(struct ref_insn) insns;
    bool masked; /* what the next instruction is */
};

/* What is told of a program and of its machine. */
struct ref_program {
    const struct target *target;
    const struct text *text;
    const struct machine_code *code; /* NULL: recipes are always there */
    const struct recipe_set *recipes;
    uint32_t lanes, issue_queue;
    struct uop_list *lists; /* [2 * text.len]: micro-ops, plain and masked, as the table has them */
    bool *listed;           /* [2 * text.len] */
};
void ref_program_open(struct ref_program *p);
void ref_program_close(struct ref_program *p);

/* The playback buffer of an ensemble. */
struct ref_entry {
    uint64_t used; /* text index + 1; 0: empty */
    uint64_t issued_ps;
};
struct ref_playback {
    struct ref_entry *entries; /* [target.playback_entries] */
};

/* Front-end cycles by what they were for. */
struct ref_cycles {
    uint64_t fetch, decode, recipe, compute, evaluate, schedule;
};

struct ref_batch_time {
    uint64_t ps;
    bool fetched;
    uint64_t fetched_ps; /* the end of the last fetch */
};
/* False: some instruction's micro-ops have no order. */
bool ref_body_play(struct ref_program *p, const struct ref_body *body,
                   struct ref_playback *playback, struct ref_recipes *recipes,
                   struct ref_port *port, uint64_t begin_ps, struct ref_cycles *cycles,
                   struct ref_batch_time *out);

#endif
