/* SPDX-License-Identifier: MIT
 * Forms of instructions with their templates, before they share sequences in one table.  They
 * depend on nothing but the recipe set, the layout and the instruction, and rolling a list into
 * loops is most of the work on a table; so a set remembers those made with it.
 *
 * No form is taken out again: what was found stays where it is until the memory is freed.  All
 * functions may be called from any thread; two that make the same get the one put in first. */
#ifndef RECIPE_TABLE_MADE_BEFORE_H
#define RECIPE_TABLE_MADE_BEFORE_H

#include "recipe/table/parts.h"

struct table_made_form {
    struct recipe_form form; /* first and count are not set */
    struct insn insn;        /* that it was made for */
    struct entry_list entries;
    struct uop_list list; /* what the entries must give for it */
};

/* The forms that serve an instruction: one, or a masked and a plain one. */
struct table_made_forms {
    const struct table_made_form *forms[2]; /* the memory's */
    unsigned count;
};

/* One list for all constants of an instruction, as far as it was looked for. */
struct table_general {
    struct table_token *tokens; /* [count]; NULL: there is none */
    size_t count;
    uint8_t shift; /* where the lowest bit of the constant goes */
};

/* Forms that are made for no immediate, with what they share; opened and checked. */
struct table_base {
    struct table_parts parts;
    struct recipe_table *table;
    _Atomic uint32_t refs;
};

/* A form without its templates, as bytes. */
struct table_form_key {
    uint8_t bytes[9];
};
struct table_form_key table_form_key(const struct recipe_form *form);

struct table_memory *table_memory_new(void);
/* NULL is allowed. */
void table_memory_free(struct table_memory *memory);
/* True if it holds 32 MiB: nothing more should be put in. */
bool table_memory_full(struct table_memory *memory);

/* True if those that are made for one constant take 8 MiB: no more of them should be put in. */
bool table_memory_has_constants(struct table_memory *memory);

/* What is known, NULL or false if nothing is; and putting in what was made, which the memory takes.
 * `asked` is the form that an instruction would have for itself. */
bool table_memory_forms(struct table_memory *memory, const struct recipe_form *asked,
                        struct table_made_forms *out);
void table_memory_put_forms(struct table_memory *memory, const struct recipe_form *asked,
                            const struct table_made_forms *forms);
const struct table_made_form *table_memory_form(struct table_memory *memory,
                                                const struct recipe_form *form);
const struct table_made_form *table_memory_put_form(struct table_memory *memory,
                                                    struct table_made_form *form);
/* `asked` without a constant. */
const struct table_general *table_memory_general(struct table_memory *memory,
                                                 const struct recipe_form *asked);
const struct table_general *table_memory_put_general(struct table_memory *memory,
                                                     const struct recipe_form *asked,
                                                     struct table_general *general);

/* One reference, the caller's. */
struct table_base *table_base_new(void);
void table_base_drop(struct table_base *base);
/* Of forms in order, by their keys one behind the other: one more reference of what was made of
 * late, or NULL.  Of those that were put in the last ones stay. */
struct table_base *table_memory_base(struct table_memory *memory, const struct str *key);
void table_memory_put_base(struct table_memory *memory, const struct str *key,
                           struct table_base *base);

#endif
