/* SPDX-License-Identifier: MIT
 * The keys that plane machines have beside those of all kinds. */
#include "recipe/technology/read_plane.h"

#include <string.h>

#define SEARCH_STEPS 40000 /* unless the file says otherwise */

#define AT(member) ((ptrdiff_t)offsetof(struct plane_target, member))

static const struct target_key_spec keys[] = {
    {"bit_pipelined", KEY_BOOL, NEED_NONE, 0, 0, 0, AT(bit_pipelined), NULL,
     "sections work at once; a micro-op is forwarded from section to section"},
    {"partitioned", KEY_BOOL, NEED_NONE, 0, 0, 0, AT(partitioned), NULL,
     "micro-ops join any sections; those of one kind in sections apart are one word"},
    {"search_steps", KEY_U32, NEED_NONE, 1, 1u << 20, 1, AT(search_steps), NULL,
     "states that a search for sequences of micro-ops looks at before it gives up"},
    {"array.sections", KEY_U32, NEED_ALL, 1, 64, 1, AT(sections), NULL,
     "bit j of a register lies in section j mod this"},
    {"array.rows", KEY_U32, NEED_ALL, 1, 65536, 1, AT(rows), NULL,
     "rows of a section, each a bit of every lane"},

    {"rows", KEY_OPEN, NEED_ALL, 0, 0, 0, -1, NULL, "classes of rows"},
    {"groups", KEY_OPEN, NEED_NONE, 0, 0, 0, -1, NULL, "rows that are activated together"},
    {"ops", KEY_OPEN, NEED_ALL, 0, 0, 0, -1, NULL, "micro-ops"},

    {"mask", KEY_BLOCK, NEED_ALL, 0, 0, 0, -1, NULL, "how M is applied"},
    {"mask.by", KEY_CHOICE, NEED_ALL, 0, 0, 0, AT(mask_by), "gate latch select",
     "gate: lines of the array, free; latch: one that predicates; select: results are merged"},
    {"mask.ops", KEY_U64, NEED_NONE, 0, 0, 1, -1, NULL, "micro-ops per masked write"},
    {"mask.latch", KEY_TEXT, NEED_NONE, 0, 0, 0, -1, NULL, "by: latch: the one that predicates"},
    {"mask.and", KEY_TEXT, NEED_NONE, 0, 0, 0, -1, NULL, "by: latch: ands the mask into it"},
    {"mask.load", KEY_TEXT, NEED_NONE, 0, 0, 0, -1, NULL, "by: latch: loads the mask into it"},

    {"clocks.issue_cycles", KEY_U64, NEED_NONE, 0, 1u << 20, 1, AT(issue_cycles), NULL,
     "datapath cycles from an instruction's issue to its first micro-op"},
    {"clocks.pipeline", KEY_CHOICE, NEED_NONE, 0, 0, 0, -1, "together turns",
     "bit_pipelined: sections work at once, or one waits until the other is done"},
};

const struct plane_target technology_no_target = {.energy_parts = 1};

/* Sections that take turns are those of a machine that is not pipelined: one micro-op follows the
 * other. */
static void fill_turns(struct target_text *text, struct target *target) {
    const struct yaml_node *n = target_find(text->root, "clocks.pipeline");
    if (n && strcmp(n->text, "turns") == 0)
        plane_own(target)->bit_pipelined = false;
}

/* Sections are joined at will, or each waits for its neighbour. */
static bool check_sections(struct target_text *text, const struct target *target) {
    const struct yaml_node *n = target_find(text->root, "partitioned");
    if (!n || !plane_target(target)->partitioned || !plane_target(target)->bit_pipelined)
        return true;
    diag_error(text->diag, n->key_at,
               "partitioned: the sections of a target that is 'bit_pipelined' are not joined");
    return false;
}

static bool fill(struct target_text *text, struct target *target) {
    if (!check_sections(text, target))
        return false;
    if (!plane_target(target)->search_steps)
        plane_own(target)->search_steps = SEARCH_STEPS;
    if (!target->move_bits) /* a row of all sections */
        target->move_bits = plane_target(target)->sections;
    fill_turns(text, target);
    return technology_rows_fill(text, target) && technology_groups_fill(text, target) &&
           technology_ops_fill(text, target) && technology_mask_fill(text, target);
}

const struct target_kind technology_target_kind = {
    .name = "plane",
    .costs = true,
    .ariths = ARITH_BIT(ARITH_FLUSH) | ARITH_BIT(ARITH_COMPAT) | ARITH_BIT(ARITH_SERIAL),
    .common = "targets/common/plane.yaml",
    .keys = keys,
    .key_count = sizeof keys / sizeof *keys,
    .own_size = sizeof(struct plane_target),
    .fill = fill,
};
