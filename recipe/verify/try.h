/* SPDX-License-Identifier: MIT
 * Forms that a set has tried (recipe_try); for the files of this folder. */
#ifndef RECIPE_VERIFY_TRY_H
#define RECIPE_VERIFY_TRY_H

#include "recipe/set/set.h"

/* The same form with registers r1 .. r3, numbered in the order of the fields. */
struct insn recipe_name_registers(const struct insn *insn);

struct tried_forms;
/* Without padding, since keys are compared as bytes. */
struct tried_key {
    const struct recipe *recipe; /* LUT has one for each table */
    uint32_t op;
    int32_t imm;
    uint8_t width, alias, masked, zero[5];
};
struct tried_forms *recipe_tried_new(void);
void recipe_tried_free(struct tried_forms *tried);
/* From any thread. */
bool recipe_tried_has(struct tried_forms *tried, const struct tried_key *key);
void recipe_tried_put(struct tried_forms *tried, const struct tried_key *key);

#endif
