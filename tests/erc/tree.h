/* SPDX-License-Identifier: MIT
 * Random programs of the imported dialect as trees, their text, and what they do to one lane.
 *
 * A lane takes its own way through the tree, so this shares nothing with the translation, which
 * follows masks through a list. */
#ifndef TESTS_ERC_TREE_H
#define TESTS_ERC_TREE_H

#include "support/arena.h"
#include "support/str.h"
#include "tests/erc/operations.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum node_kind {
    NODE_INSN,    /* operation, operands */
    NODE_IF,      /* parts: conditions and bodies; the last may be an else */
    NODE_WHILE,   /* body, at most three laps; DEC of its counter comes first */
    NODE_LOOP,    /* body, `laps` times, by JUMP_COND */
    NODE_CALL,    /* of a subroutine */
    NODE_SETMASK, /* these three at the top alone */
    NODE_UNMASK,
    NODE_PAUSE, /* COMPUTE_DONE and COMPUTE */
};

struct node {
    enum node_kind kind;
    struct node *next;
    unsigned operation, operand[3]; /* of an IF and WHILE: gm, m */
    unsigned number;                /* of a label; the subroutine of a call; laps */
    unsigned depth;
    struct part *parts; /* of WHILE and LOOP: one */
};
struct part {
    struct part *next;
    bool is_else;
    unsigned relation, a, b;
    struct node *body;
};

/* Registers 0 .. TREE_DATA - 1 are what programs work on. */
enum { TREE_DATA = 10, TREE_SUBS = 2 };

struct tree {
    struct arena arena;
    uint64_t state; /* of the generator */
    unsigned width, labels;
    struct node *main, *subs[TREE_SUBS];
    struct node *dropped, **dropped_at;
};

void tree_random(struct tree *t, uint64_t seed, unsigned width);
void tree_text(const struct tree *t, struct str *out);
/* What the program makes of a lane's data registers; data[TREE_DATA] is T at the end. */
void tree_run(const struct tree *t, uint64_t data[TREE_DATA + 1]);

/* Leaves out node number `index` in program order; false if there is none.  Undo brings the latest
 * one back. */
bool tree_drop(struct tree *t, unsigned index);
void tree_undo(struct tree *t);

#endif
