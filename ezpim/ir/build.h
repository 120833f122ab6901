/* SPDX-License-Identifier: MIT
 * Making programs in the intermediate form: what front ends and the arrays below them (array/)
 * build with.  Nodes are appended where `end` points; instructions to the ensemble at hand.
 * Variables are named by their index and have no registers here. */
#ifndef EZPIM_IR_BUILD_H
#define EZPIM_IR_BUILD_H

#include "ezpim/ir/ir.h"
#include "support/map.h"

struct ir_builder {
    struct ir_program *p;
    struct ir_node **end; /* where the next node goes; NULL: nowhere */
    struct ir_node *last; /* the last node */
    struct ir_code *code; /* of the ensemble at hand */
    uint32_t group;       /* of the ensemble at hand; IR_NONE: the body of a subroutine */
    uint32_t repeats;     /* REPEATs around the next node */
    bool joins, own;  /* ensembles in a row over one group are one; nodes are of some MPUs only */
    struct map moves; /* records to their numbers, */
    struct map steps; /* and those of strides and laps to where they are kept */
    VEC(uint32_t)
    vregs; /* of each variable's registers in the body `stamps` says, see ir_element */
    VEC(uint64_t) hidden;    /* by what hidden variables are told apart, of the last ones of all: */
    size_t known_behind;     /* there were so many variables then */
    VEC(uint32_t) first;     /* [variables]: of its registers in vregs; IR_NONE: not met yet */
    VEC(uint32_t) stamps;    /* [variables] */
    uint32_t stamp;          /* of the body at hand, from 1 */
    const struct diag *diag; /* that knows lines and columns of places */
    /* The value of a subroutine of the library, of a file of it, on virtual registers; in dst, or
     * (IR_NONE) in a new one.  NULL: the front end's own calls know them. */
    uint32_t (*function)(struct ir_builder *builder, const char *file, const char *name,
                         const uint32_t *values, uint32_t dst, struct span at);
    const struct span *call; /* of `function` at hand: in place of places in the library; or NULL */
    void *library;           /* what `function` keeps between its calls; NULL: nothing yet */
    void (*free_library)(void *library);
};
void ir_builder_free(struct ir_builder *builder);

/* ---- declarations ---- */

/* The coordinates of a group: those of the array of MPUs, if it is per MPU, then its own. */
uint32_t ir_group_dims(const struct ir_program *program, uint32_t group);
/* How far coordinate `dim` goes. */
struct extent ir_group_extent(const struct ir_program *program, uint32_t group, uint32_t dim);
/* `left` op `right`: worked out here, or, where one is a size, when the program is packaged. */
struct extent ir_extent(struct ir_builder *builder, enum size_op op, struct extent left,
                        struct extent right);
/* The least and the most that it can be. */
struct size_range ir_extent_range(const struct ir_program *program, struct extent extent);
/* The place that groups share whose elements may lie in the same VRFs: a number of a group, or
 * UINT16_MAX for all groups with a place of their own. */
uint32_t ir_group_place(const struct ir_program *program, uint32_t group);
/* The group that it is `like`, or itself: element e lies in the same lane of groups that have one.
 */
uint32_t ir_group_root(const struct ir_program *program, uint32_t group);
/* A group of the compiler on the VRFs of `base` with other extents: one that is there already, or a
 * new one, "base$1". */
uint32_t ir_group_like(struct ir_builder *builder, uint32_t base, uint32_t ndim,
                       const struct extent *extents);

/* A variable that the program does not see: one for each group (IR_NONE: without a group), type,
 * count and use.  It holds nothing between the uses of one and the same statement, so that whoever
 * needs one that is not in use at the time may take it. */
uint32_t ir_hidden(struct ir_builder *builder, uint32_t group, struct lane_type type,
                   uint32_t count, unsigned use);

/* A hidden variable of its own. */
uint32_t ir_local(struct ir_builder *builder, uint32_t group, struct lane_type type,
                  uint32_t count);

/* ---- nodes ---- */

struct ir_node *ir_append(struct ir_builder *builder, enum ir_node_kind kind, struct span at);
/* What is appended from here on goes into a list of its own, *first, up to ir_close_list with what
 * this returns. */
struct ir_node **ir_open_list(struct ir_builder *builder, struct ir_node **first);
void ir_close_list(struct ir_builder *builder, struct ir_node **outer);
/* REPEATs in each other, as the ISA has them. */
enum { IR_MOST_REPEATS = 4 };
/* A REPEAT around what is appended up to ir_close_repeat. */
struct ir_repeat {
    struct ir_node *node, **outer;
};
struct ir_repeat ir_open_repeat(struct ir_builder *builder, struct extent count, struct span at);
void ir_close_repeat(struct ir_builder *builder, const struct ir_repeat *repeat);
/* A new body: no variable has a virtual register in it yet. */
void ir_begin_body(struct ir_builder *builder, struct ir_code *code, uint32_t group);
/* The node's code, empty, over a group. */
void ir_begin_code(struct ir_builder *builder, struct ir_node *node, uint32_t group);
/* An ensemble over the group: a new one, or the last one where that is over the same group. */
void ir_begin_ensemble(struct ir_builder *builder, uint32_t group, struct span at);

/* ---- moves ---- */

/* A move between variables: width, counts, and every source coordinate the destination's of the
 * same number, as far as both have it; what has no source keeps its value. */
struct ir_move ir_plain_move(const struct ir_program *program, uint32_t to, uint32_t from);
/* The same by the coordinates of other groups (struct ir_move), or IR_NONE. */
struct ir_move ir_view_move(const struct ir_program *program, uint32_t to, uint32_t to_view,
                            uint32_t from, uint32_t from_view);
/* Destinations with first <= coordinate dim < last alone. */
void ir_move_bound(struct ir_move *move, uint32_t dim, struct move_bound first,
                   struct move_bound last);
/* Source coordinate `dim` is coeff * the destination's coordinate `of` + offset. */
void ir_move_source(struct ir_move *move, uint32_t dim, uint32_t of, int64_t coeff, int64_t offset);
/* True if both, of nodes of one program, do the same. */
bool ir_move_same(const struct ir_move *left, const struct ir_move *right);
/* The node.  Equal moves are one record, also in the texts of other MPUs: that is how they know
 * that they wait for each other. */
struct ir_node *ir_put_move(struct ir_builder *builder, const struct ir_move *move, struct span at);

/* ---- instructions ---- */

/* The virtual register of a variable's element in the body at hand. */
uint32_t ir_element(struct ir_builder *builder, uint32_t variable, uint32_t element);
void ir_put(struct ir_builder *builder, struct ir_insn insn);
/* dst = op(a, b, c) or with imm; operands that it has not are IR_NONE.  dst IR_NONE: a new
 * virtual register.  Returns dst. */
uint32_t ir_operation(struct ir_builder *builder, enum ir_op op, struct lane_type type,
                      uint32_t dst, uint32_t a, uint32_t b_operand, uint32_t c, uint64_t imm,
                      struct span at);
/* The pattern in dst, or (IR_NONE) in a new virtual register. */
uint32_t ir_constant(struct ir_builder *builder, struct lane_type type, uint64_t pattern,
                     uint32_t dst, struct span at);
/* The instruction at the width of the type, on a (or IR_NONE), for what has no operation of its
 * own.
 */
uint32_t ir_machine(struct ir_builder *builder, enum isa_op op, struct lane_type type, uint32_t dst,
                    uint32_t a, struct span at);
/* Element number `element` of the link-time value number `link`, of that type. */
uint32_t ir_link_value(struct ir_builder *builder, struct lane_type type, uint32_t link,
                       uint64_t element, uint32_t dst, struct span at);
/* a, of type `from`, as `to` has it, in dst or a new virtual register: integers are extended or
 * cut; numbers become floating-point ones rounded once, to nearest even; floating-point numbers
 * become integers toward zero, the nearest there is where they are out of range and 0 where they
 * are no number; to bool: whether it is not 0. */
uint32_t ir_convert(struct ir_builder *builder, uint32_t a, struct lane_type from,
                    struct lane_type to, uint32_t dst, struct span at);
/* A number or size + more at that width, in dst or in a new virtual register. */
uint32_t ir_extent_value(struct ir_builder *builder, struct lane_type type, struct extent extent,
                         int64_t more, uint32_t dst, struct span at);

/* The entry of a table, which is kept if no other one is the same; `type` has at least as many bits
 * as its entries and its index. */
uint32_t ir_lookup(struct ir_builder *builder, const struct lut_decl *table, struct lane_type type,
                   uint32_t index, uint32_t dst, struct span at);
/* The number of each element in the group of the ensemble. */
uint32_t ir_lane_index(struct ir_builder *builder, struct lane_type type, uint32_t dst,
                       struct span at);

/* Where something was written, as objects have it. */
struct place ir_place(const struct ir_builder *builder, struct span at);

#endif
