/* SPDX-License-Identifier: MIT
 * A package: all that depends on the target, for one program and one binding of its sizes
 * (docs/formats.md, section .mpu.pkg.<target>). */
#ifndef LINKER_PACKAGE_H
#define LINKER_PACKAGE_H

#include "object/object.h"
#include "linker/package/buffer_layout.h"
#include "machines/machine.h"

#define PACKAGE_VERSION 10

/* A value that a name of the program has at link time: a size, or all elements of a link-time value
 * (struct value_decl). */
struct size_binding {
    const char *name;
    uint64_t value;
    const uint64_t *elements; /* NULL: a size */
};

/* Which MPUs the rows of groups lie in (docs/linking.md, "Places"). */
enum group_place {
    PLACE_PACKED, /* row after row, MPU after MPU */
    PLACE_SPREAD, /* over all MPUs */
    PLACE_AUTO,   /* asked for alone: what takes less time */
    PLACES,
};
/* Who finishes reductions that the host may finish (struct finish_record). */
enum finish_choice {
    FINISH_AUTO,   /* asked for alone: whoever takes less time */
    FINISH_DEVICE, /* everything in place */
    FINISH_HOST,
    FINISH_CHOICES,
};
struct package_finish {
    enum finish_choice asked;
    const uint8_t *by_host; /* [object.finishes.len]: 1 by the host, 0 in place; NULL: all in place.
                               The same for those of one range */
};
/* VRF rows that a group has: ascending, numbered MPU * VRFs of an RFH + row. */
struct group_rows {
    const uint32_t *rows; /* [count] */
    uint32_t count;
    uint8_t slot; /* lanes are at least so wide */
};
struct package_place {
    /* [object.groups.len]: where groups lie, all of them in one round, for who places vectors;
     * NULL: as follows.  Such a package is not written. */
    const struct group_rows *given;
    enum group_place asked;
    enum group_place chosen; /* packed or spread */
    uint32_t mpus;           /* of spread: over so many MPUs; 0: all that the chip has */
    /* How auto chose: with so many laps of each loop that depends on data (0: there is none), and
     * by the beginning of a program that is too long to be counted whole. */
    uint32_t laps;
    bool in_part;
    /* No kernel is launched, but what stands behind its 'else' called, for engines that carry out
     * none.  Such a package is not written. */
    bool otherwise;
};

/* Elements first .. first + count - 1 of a group lie in lanes 0 .. count - 1 of one VRF. */
struct placement {
    uint32_t group;
    uint32_t mpu, rfh, vrf; /* physical */
    uint64_t first;
    uint32_t count;
};

/* A fixed VRF of the text and where it lies. */
struct fixed_vrf {
    uint32_t rfh, vrf;   /* logical, as in COMPUTE and MOVE/MEMCPY */
    uint32_t mpu_offset; /* added to the image's MPU when an RFH was split off */
    uint32_t phys_rfh, phys_vrf;
};

/* A piece of a move: destination and source elements of groups (or registers) that advance together
 * along nested axes, the outermost first. */
#define MOVE_MAX_AXES (2 * MOVE_MAX_DIMS) /* a coordinate and its repetitions round a wrap */
struct move_axis {
    uint64_t count;
    int64_t dst, src;         /* elements from one step to the next */
    int32_t dst_reg, src_reg; /* registers */
};
struct move_piece {
    bool fill;         /* a constant is written; there is no source */
    uint64_t dst, src; /* first elements; 0 on a side that has no group */
    uint32_t dst_reg, src_reg;
    uint32_t axes;
    struct move_axis axis[MOVE_MAX_AXES];
};
struct move_plan {
    const struct move_piece *pieces;
    size_t piece_count;
};

/* One lane map of what a move comes to on the machine.  Step i < count takes lane
 * src_lane + i * src_step of the source register to lane dst_lane + i * dst_step.  VRFs are
 * numbered as the datapath does: mpu * VRFs of an MPU + vrf * RFHs of an MPU + rfh. */
struct move_copy {
    uint32_t dst_vrf, src_vrf;
    uint32_t dst_lane, src_lane, count;
    int32_t dst_step, src_step;
    uint8_t dst_reg, src_reg;
    bool fill;
};
/* What the data-transfer controller of an MPU does for a move into it.  Its buffer holds a part of
 * the destination registers at a time; a part counts the registers that it reads or those that it
 * writes, whichever are more, each at the price of a MEMCPY.  On a network that serves RFHs at once
 * there is a part for each RFH. */
struct move_charge {
    uint32_t mpu;
    uint64_t registers; /* all together */
    uint64_t in_a_row;  /* of those that cannot go at the same time */
    /* Registers of indices that are read besides; 0 where they are as wide as the data and are
     * counted above. */
    uint64_t index_registers, index_in_a_row;
};
/* Elements that go from one MPU to another: one message. */
struct move_crossing {
    uint32_t from, to;
    uint64_t elements;
};
struct move_work {
    size_t piece_count; /* of the plan that it comes from */
    uint64_t copy_count;
    const struct move_copy *copies; /* package_move_next_part gives them, kept or made anew */
    struct move_walk *walk;
    const struct move_charge *charges; /* ascending by MPU, those that get something */
    size_t charge_count;
    const struct move_crossing *crossings; /* ascending by `from`, then `to` */
    size_t crossing_count;
    const uint32_t *mpus; /* ascending: those that give or get something */
    size_t mpu_count;
    bool maps_lanes; /* some lane changes its place, or comes from another MPU, or is filled */
};
/* Copies of a move into some of the VRFs of each MPU, ascending by destination within each; MPUs
 * ascend from part to part. */
struct move_part {
    const struct move_copy *copies; /* [count] */
    size_t count;
    const struct copy_key *keys; /* the linker's own */
    struct part_room *room;      /* likewise */
};
/* The next part of all copies; it is all zeros before the first.  False behind the last one, which
 * frees the part. */
bool package_move_next_part(const struct move_work *work, struct move_part *part);
void package_move_part_free(struct move_part *part);

/* A vector instruction at a width, as the text uses it. */
struct recipe_use {
    uint8_t opcode, width; /* width 0: the instruction has none */
};

/* Instructions in the store of one MPU: 2 MB (MPU paper, section VI-A) of 4 bytes. */
#define PACKAGE_STORE_WORDS 524288

/* VRFs of the largest machine that can be modelled: what placement lists in memory allow. */
#define PACKAGE_MAX_VRFS ((uint64_t)1 << 24)

/* A kernel as the target launches it; zeroed where it launches none, or nobody calls it. */
struct package_kernel {
    const void *code; /* [size] */
    size_t size;
    const uint32_t *lines; /* [line_count]: lines of its text, from 1, by where it may stop */
    uint32_t line_count;
    uint8_t reg_bits[64]; /* of registers that it works on */
    uint32_t mpus;        /* in so many MPUs */
};

/* What the entries of a module share, at first; size 0: nothing, or none of them is launched. */
struct package_module {
    const void *data; /* [size] */
    size_t size;
    const uint64_t
        *addresses; /* [address_count]: places of words that get the data's address added */
    size_t address_count;
};
/* The data as they are at that address; appended. */
void package_module_bytes(const struct package_module *module, uint64_t address, struct str *out);

struct package {
    struct arena arena;
    const char *target;
    char target_hash[65];  /* of the target with its overrides, and of its recipes */
    char program_hash[65]; /* of the portable sections */
    int64_t *sizes;        /* [size_count = object.sizes.len]: the values it was built for */
    size_t size_count;
    uint64_t *values; /* [value_count]: likewise, as object_value_elements has them */
    size_t value_count;
    uint8_t reg_bits[64];              /* register map: bits of each register, 0 = unused */
    uint32_t mpus;                     /* MPUs used, image and span */
    uint32_t image_first, image_count; /* MPUs that run the text because .mpu says so */
    struct placement *placements;      /* of the first round; ascending by group, then first */
    size_t placement_count;
    struct fixed_vrf *fixed;
    size_t fixed_count;
    uint32_t *text; /* [object.text.len]: words with sizes and values filled in, RECIPE replaced */
    size_t text_count;
    struct lut_list luts;    /* the program's tables, filled in */
    const uint32_t *patches; /* ascending text indices of the words that depend on these */
    size_t patch_count;
    const struct move_plan *plans; /* [plan_count = object.moves.len]; of a move with laps empty */
    size_t plan_count;
    /* [call_count = object.calls.len]: 1: by a recipe, or launched as a kernel, 0: by its `else` */
    const uint8_t *calls;
    size_t call_count;
    bool launches; /* the kernels that are called are launched; else what is behind their `else` is
                      carried out */
    const struct package_kernel *kernels; /* [kernel_count = object.kernels.len] */
    size_t kernel_count;
    const struct package_module *modules; /* [module_count = object.modules.len] */
    size_t module_count;
    /* [object.buffers.len]: how they lie in the units of the machine; NULL: nothing is launched */
    const struct machine_buffer *buffers;
    size_t buffer_count;
    const struct recipe_use *uses; /* ascending by opcode, then width; vector instructions */
    size_t use_count;
    struct machine_code *code; /* what the machine executes for these */
    /* Kin of its VRFs, where the machine has slots: [kin_count], by the first group that has each,
     * fixed VRFs last; NULL: 0 alone.  They follow from the rest, and are not written. */
    const struct machine_kin *kins;
    uint32_t kin_count;
    const uint32_t *group_kin; /* [object.groups.len] */
    uint32_t fixed_kin;
    uint32_t lanes;                    /* most elements of a VRF, of all that the program uses */
    uint32_t vrf_per_rfh, rfh_per_mpu; /* of the target that placements are for */
    const uint32_t *group_lanes; /* [group_count]: element e of a group (of one MPU's, if it is per
                                    MPU) lies in lane e mod these of VRF e div these */
    /* How often the program runs, with a slice of its elements each time; 1 when all have room at
     * once.  slices[g], NULL for one round: elements of group g a round, of each MPU's if it is per
     * MPU; round r has those from r * slices[g] on. */
    uint64_t rounds;
    const uint8_t *taken;    /* [text_count]: package_find_taken; NULL: all may be carried out */
    const uint8_t *unplaced; /* [object.groups.len]: 1: it has no placement, and needs none */
    const uint64_t *slices;  /* [group_count = object.groups.len] */
    uint32_t group_count;
    struct package_place place;
    struct package_finish finish;
    size_t finish_count; /* object.finishes.len */
    /* Forms of recipes that did not come with the tools, which held on the values that they were
     * tried on when the package was built; 0 of one that was read. */
    uint32_t tested;
};

/* False if there is none of that name. */
bool package_finish_parse(const char *name, enum finish_choice *out);
/* The text with a jump behind each range that the host stands in for. */
void package_patch_finishes(const struct object *object, const struct package_finish *finish,
                            uint32_t *text);
/* Bytes of an element of the record, as the host gets it: 1, 2, 4 or 8. */
uint32_t package_finish_bytes(const struct finish_record *record);

/* "auto", "packed", "spread". */
const char *package_place_name(enum group_place place);
/* False if there is none of that name. */
bool package_place_parse(const char *name, enum group_place *out);

/* Adds a recipe file to those that a program brings along, unless it has that text.  False after
 * reporting. */
bool link_add_recipes(struct object *program, const char *name, const char *text, size_t size,
                      struct diag *diag);
/* How wide the lanes of a group are at least because vectors lie in them; 0: as its registers are.
 */
static inline uint32_t package_given_slot(const struct package *package, uint32_t group) {
    return package->place.given ? package->place.given[group].slot : 0;
}
/* How wide the lanes of each group [object.groups.len] are at least, whatever lies there. */
void package_group_slots(const struct object *object, const struct machine *machine,
                         uint8_t *slots);
/* The kin of a group's VRFs; NO_INDEX: of fixed ones. */
static inline uint32_t package_kin(const struct package *package, uint32_t group) {
    if (!package->kins)
        return 0;
    return group == NO_INDEX ? package->fixed_kin : package->group_kin[group];
}

/* The register map: bits of each register as its widest use in the text (of the object, or with its
 * sizes filled in), variables, moves and PRINTs has it. */
void package_program_registers(const struct object *object, const uint32_t *text, uint8_t bits[64]);
/* Reports an error at the instruction where most rows of registers are in use, and what takes them;
 * unit, bits: as in struct machine_rows. */
void package_report_rows(const struct object *object, const uint32_t *text, const char *message,
                         const char *unit, uint32_t bits, struct diag *diag);

/* What the program would take of the rows of a VRF, sizes and values being what its text has for
 * them; false if nothing lies in rows there, or an instruction has no recipe. */
bool package_program_rows(const struct object *program, const struct target *target,
                          const struct machine_library *library, struct machine_rows *out);
/* What the program takes of the rows of a VRF, whose code is ready; false if nothing lies in rows.
 */
bool package_rows(const struct package *package, const struct target *target,
                  struct machine_rows *out);

/* Whether the target carries out the kernels that are called; if there are some and it does not,
 * why not is appended (why: NULL, nobody asks). */
bool link_kernels_launch(const struct object *object, const struct target *target, struct str *why);
/* The kernel that call number `call` names; NULL of a user instruction. */
const struct kernel_decl *package_call_kernel(const struct object *object, size_t call);
/* MPUs that kernels work in, from the first on: those of their registers, or all. */
uint32_t package_kernel_mpus(const struct package *package, const struct object *object,
                             const struct target *target);
/* What an extent of a launch is with the package's sizes; 0: it is not said. */
int64_t package_launch_extent(const struct package *package, const struct extent *extent);
/* The extents of a launch as numbers, of which some are said. */
struct launch_values {
    bool said[LAUNCH_EXTENTS];
    int64_t value[LAUNCH_EXTENTS]; /* 0 where it is not said */
};
/* Whether the kernel, which the target launches, can be launched so; without a target, as far as
 * none has a part in it.  False with why not appended; *extent: which one has a wrong value, or
 * LAUNCH_EXTENTS. */
bool package_launch_fine(const struct target *target, const struct kernel_decl *kernel,
                         const struct launch_values *values, unsigned *extent, struct str *why);
/* A launch of the kernel is work of the whole machine. */
bool package_kernel_whole(const struct package *package, const struct object *object,
                          uint32_t kernel, const struct target *target);
/* Which bytes of a buffer lie in which unit. */
struct package_layout package_buffer_layout(const struct package *package,
                                            const struct object *object,
                                            const struct target *target, uint32_t buffer);
/* mpu-objdump --recipes: the program's buffers that do not lie flat, and its kernels as the target
 * launches them; appended. */
void package_print_kernels(const struct package *package, const struct object *object,
                           const struct machine_library *library, struct str *out);

/* The text of the program that the target gets: the first with room for its registers there, or the
 * program itself where none has. */
struct object *package_text_on(struct object *program, const struct target *target,
                               const struct machine_library *library);

/* How a target carries out one program: the built-in library, or one with the files that the
 * program brings along. */
struct program_library {
    const struct machine_library *library;
    struct machine_library *own; /* the same where the program brings files; else NULL */
};
/* `built_in` is kept by the caller at least as long.  False after reporting what is wrong with the
 * program's files; nothing is to be closed then. */
bool package_library_open(const struct object *program, const struct target *target,
                          const struct machine_library *built_in, struct program_library *out,
                          struct diag *diag);
void package_library_close(struct program_library *library);

/* Builds the package, with groups packed: sizes (every size bound, else reported by name),
 * placement of groups over as many MPUs as they need, register map, fixed VRFs, patched words;
 * refuses by name, with the source place, every instruction that the target has no recipe for and
 * every capacity that is exceeded (demand against capacity); the machine's code, ready for target,
 * which the caller keeps as long as the package.  NULL after reporting. */
struct package *package_build(const struct object *program, const struct target *target,
                              const struct machine_library *library,
                              const struct size_binding *sizes, size_t size_count,
                              struct diag *diag);
/* The same with groups at another place, and with reductions that the host finishes (NULL: none),
 * which the package says of itself.  What auto comes to is decided by emu/place. */
struct package *package_build_at(const struct object *program, const struct target *target,
                                 const struct machine_library *library,
                                 const struct size_binding *sizes, size_t size_count,
                                 const struct package_place *place,
                                 const struct package_finish *finish, struct diag *diag);
/* Whether the code has all that the text names without a mask, as link-time values are now: on some
 * machines what an instruction takes depends on its constant. */
bool package_code_serves(const struct package *package);
/* Makes the code of such a text anew, ready for the library's target; false after reporting. */
bool package_remake_code(struct package *package, const struct machine_library *library,
                         struct diag *diag);
/* Fills the text in for other link-time values; lookup tables must not depend on them.  False if
 * one does not fit its type. */
bool package_rebind(struct package *package, const struct object *program,
                    const struct size_binding *values, size_t count);
void package_free(struct package *package);
/* Bytes of the section, appended. */
void package_write(const struct package *package, struct str *out);
/* Reads and checks; NULL if it does not fit `program` or is damaged (reported as an error), or if
 * it is of another version of the format (-Wstale-package: to be built anew). */
struct package *package_read(const struct object *program, const void *bytes, size_t size,
                             struct diag *diag);
/* Puts the package's bytes into the program, in place of an older one for the same target. */
void package_attach(struct object *program, const struct package *package);
/* True if package may be used for this program, target, library and sizes as it is; its code is
 * then ready for target.  Whether its place is the one that is asked for, package.place.asked says.
 */
bool package_fresh(const struct package *package, const struct object *program,
                   const struct target *target, const struct machine_library *library,
                   const struct size_binding *sizes, size_t size_count);
/* It was made for this target and library. */
bool package_same_target(const struct package *package, const struct target *target,
                         const struct machine_library *library);
/* Of a package for them that is not fresh: true if it has another code of a kernel than the machine
 * makes of its text; appended is of which, and where. */
bool package_kernel_differs(const struct package *package, const struct object *object,
                            const struct machine_library *library, struct str *out);
/* The most rows that an MPU has of any group, as the placements lie. */
uint32_t package_most_rows(const struct package *package);
/* mpu-objdump --recipes: what the package's code, which is ready, holds; appended. */
void package_print_code(const struct package *package, const struct machine_library *library,
                        struct str *out);
/* --print-capacity and -Map: text for people. */
void package_print_capacity(const struct package *package, const struct object *program,
                            const struct target *target, struct str *out);
void package_print_map(const struct package *package, const struct object *program,
                       const struct target *target, struct str *out);

/* The copies of a move in a lap (laps[0] of the innermost REPEAT, and so on; NULL: in the first),
 * and what they cost on target; everything lives in `arena`.  False with *problem set, in `arena`
 * too, when it cannot be. */
bool package_move_work(const struct package *package, const struct object *program, uint32_t move,
                       const uint64_t *laps, const struct target *target, struct arena *arena,
                       struct move_work *out, const char **problem);

/* How many copies of a move are kept; those of a larger one are made anew each time, so that `part`
 * elements of the destination, or those of one VRF, are a part. */
struct move_limits {
    size_t kept;
    uint64_t part;
};
#define MOVE_KEPT ((size_t)1 << 19)
#define MOVE_PART ((uint64_t)1 << 17)
/* package_move_work with other limits than these, for tests: only what the host does depends on
 * them. */
bool package_move_work_within(const struct package *package, const struct object *program,
                              uint32_t move, const uint64_t *laps, const struct target *target,
                              const struct move_limits *limits, struct arena *arena,
                              struct move_work *out, const char **problem);

/* Of a move with an index: what indices hold.  values[i]: bits of register `reg` in lane first + i
 * of a VRF, numbered as in move_copy. */
struct move_indices {
    void *context;
    void (*read)(void *context, uint32_t vrf, unsigned reg, uint32_t first, uint32_t count,
                 uint64_t *values);
};
/* The same for a move with an index and the indices at hand; package_move_work takes every index to
 * name the place of its own lane.  The MPUs are the same whatever the indices: those that hold
 * elements of either side. */
bool package_move_indexed(const struct package *package, const struct object *program,
                          uint32_t move, const uint64_t *laps, const struct target *target,
                          const struct move_indices *indices, struct arena *arena,
                          struct move_work *out, const char **problem);

/* Each form that the package's text has, once: an instruction with its width, its constant and
 * which of its registers are one, under a mask or not, as bodies can come to it; `index` is the
 * first one that has it.  Stops at false. */
typedef bool package_form_visit(void *context, const struct insn *insn, bool masked,
                                uint32_t index);
void package_each_form(const struct package *package, package_form_visit *visit, void *context);
/* Proves each form that a recipe of the program's own makes, as far as a solver is there and
 * decides it soon, and warns once of the rest (-Wunproved) with the command that proves it.  False
 * after reporting one that is refuted. */
bool package_prove_forms(const struct object *program, const struct package *package,
                         const struct machine_library *library, struct diag *diag);

/* The package as round r < rounds sees it: the same but for the placements, which then are those of
 * the round's elements and live in `arena`. */
struct package package_round(const struct package *package, const struct object *program,
                             uint64_t r, struct arena *arena);

/* Elements of a group under the package's sizes. */
uint64_t package_group_elements(const struct package *package, const struct object *program,
                                uint32_t group);

/* Line `line` of the kernel's text, or of its head (0); column 0: not known. */
struct span package_kernel_span(const struct object *object, const struct kernel_decl *kernel,
                                uint32_t line, uint32_t column, struct diag *diag);

#endif
