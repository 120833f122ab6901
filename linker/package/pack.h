/* SPDX-License-Identifier: MIT
 * The state of one package_build; for the package files of this folder. */
#ifndef LINKER_PACKAGE_PACK_H
#define LINKER_PACKAGE_PACK_H

#include "linker/package.h"

#define MAX_RFHS 4096 /* what the field rfh of an instruction can name */
#define MAX_VRFS 64   /* per RFH, on any target */

/* Elements of a VRF, as the machine has them for the registers that are used there. */
struct lanes_found {
    uint32_t *of_group; /* [groups], in the arena: the same for kin; .geometry's of one with `at` */
    uint32_t fixed;     /* of a fixed VRF */
    uint32_t most;      /* of any VRF of the program */
};

struct pack {
    const struct object *program;
    const struct target *t;
    const struct machine_library *library;
    struct diag *d;
    struct package *p;
    struct arena scratch;
    struct isa_users users; /* names of the program's user instructions */
    uint64_t *rows_used;    /* [mpu_limit]: bit r: VRF row r of the MPU is taken */
    struct lanes_found lanes;
    uint32_t mpu_limit;
    uint64_t rounds_asked; /* that the groups would need; 0 until somebody asked */
    bool beyond; /* the machine does not carry out a kernel, and each launch has an 'else' */
};

/* The span of instruction `index`. */
struct span package_pack_span(const struct pack *pack, uint32_t index);

/* Values of all sizes: bindings, then defaults, then formulas.  With diag == NULL nothing is
 * reported. False if one has none or is bound wrongly, or if an extent of a group gets a value that
 * none can have; values[i] is then unspecified. */
bool link_bind_sizes(const struct object *object, const struct size_binding *bindings, size_t count,
                     int64_t *values, struct diag *diag);
/* Whether every extent that is a size has a value that an extent can have. */
bool link_check_extents(const struct object *object, const int64_t *values, struct diag *diag);
/* Elements of all values (object_value_elements): bindings, then defaults; otherwise as sizes. */
bool link_bind_values(const struct object *object, const struct size_binding *bindings,
                      size_t count, uint64_t *elements, struct diag *diag);
void package_print_values(const struct package *package, const struct object *object,
                          struct str *out);
/* The tables of the program with what depends on sizes and values filled in, in `arena`; false if
 * something does not fit its elements (reported if diag is not NULL). */
bool package_fill_luts(const struct object *object, const int64_t *sizes, const uint64_t *values,
                       struct arena *arena, struct lut_list *out, struct diag *diag);
/* Copies the text and patches the words that depend on sizes and values; false if one does not fit
 * its field (reported if diag is not NULL). */
bool link_patch_text(const struct object *object, const int64_t *sizes, const uint64_t *values,
                     uint32_t *text, struct diag *diag);
/* RECIPE in text: the user instruction where taken[call] says so, else JUMP. */
void link_patch_calls(const struct object *object, const uint8_t *taken, uint32_t *text);
/* Which calls the target has a recipe for, into the package. */
void link_choose_calls(struct pack *pack);
/* Those without a recipe and without `else`. */
void link_refuse_calls(struct pack *pack);
/* RECIPEs of kernels that the target does not know, without an 'else'. */
void link_refuse_kernels(struct pack *pack);
/* Into the package; NULL is FINISH_DEVICE. */
void package_keep_finish(struct package *package, const struct object *object,
                         const struct package_finish *finish);
/* Where text goes on from index, behind what the host stands in for. */
uint32_t package_finish_skip(const struct object *object, const uint8_t *by_host, uint32_t index);
/* The indices of the words that depend on sizes, into the package. */
void link_list_patches(const struct object *object, struct package *package);
/* Elements of a group; 0 if they are more than OBJECT_MAX_EXTENT. */
uint64_t link_group_elements(const struct object *object, const int64_t *sizes, uint32_t group);
/* Those that lie together: of one MPU for a group per MPU, else all. */
uint64_t link_group_share(const struct object *object, const int64_t *sizes, uint32_t group);
/* Whether each array with a shape of its own has as many elements as its registers; those that have
 * not are reported if diag is not NULL. */
bool package_forms_fit(const struct object *object, const int64_t *sizes, struct diag *diag);

/* The groups that share VRFs: leader[g] is the first of those that g is like, or g itself, and
 * most[leader[g]] the share of the largest of them (may be NULL; then sizes is not used). */
void link_find_kin(const struct object *object, const int64_t *sizes, uint32_t *leader,
                   uint64_t *most);

/* Bits of a register: at least so many. */
void package_widen_register(uint8_t map[64], unsigned reg, unsigned bits);
/* The package's register map; refuses registers that have no room even without what code needs. */
void package_build_register_map(struct pack *pack);
/* What machine.rows says of the kin that takes most; its number. */
uint32_t package_most_taken(const struct machine *machine, const struct target *target,
                            const struct machine_code *code, const struct machine_program *program,
                            struct machine_rows *out);
/* Once the code is there: refuses a program that needs more rows of a VRF than there are. */
void package_check_rows(struct pack *pack);

/* What a form is told of the program that launches kernels, in `arena`; without what kernels want.
 */
struct machine_launches package_launches_of(const struct object *object, const int64_t *sizes,
                                            struct arena *arena);
/* What the machine makes of them, into the package, under its sizes if it has some. */
void package_build_kernels(struct pack *pack);
/* Each launch has an 'else'. */
bool package_has_every_else(const struct object *object);
/* Some call that can be carried out launches the kernel of that number. */
bool package_calls_kernel(const struct object *object, uint32_t kernel);
/* package_modules.c: what entries share, into the package, and whether that is still so.  Where a
 * kernel is wrong, that was said, and no module is looked at. */
void package_build_modules(struct pack *pack, bool kernels_fine);
bool package_modules_fresh(const struct package *package, const struct object *object,
                           const struct machine_library *library);
/* False with *fault set: the kernel is an entry that its module's text does not have, or not
 * with these parameters. */
bool package_entry_fine(const struct object *object, const struct machine_form *form,
                        const struct kernel_decl *kernel, struct machine_kernel_fault *fault);
/* [object.text.len]: 1: an instruction that may be carried out; others stand behind an `else` of
 * kernels that the target launches, and need nothing of it.  NULL: all may. */
uint8_t *package_find_taken(const struct package *package, const struct object *object,
                            struct arena *arena);
/* Which groups need no room; the package has its text by then. */
void package_find_unplaced(struct package *package, const struct object *object);
/* Nothing that is carried out copies so: a side of the move is such a group's. */
bool package_move_unplaced(const struct package *package, const struct object *object,
                           uint32_t move);
/* Refuses launches whose geometry their form does not take, or that is none with these sizes, and
 * buffers from a byte that they do not have. */
void package_check_launches(struct pack *pack);
/* The same of a package that was read: false with why not appended (to NULL: nobody asks), which
 * names the kernel.  Target NULL: as far as no machine has a part in it. */
bool package_launches_possible(const struct package *package, const struct object *object,
                               const struct target *target, struct str *why);
/* Extent of a buffer's first dimension; 1 of one without. */
uint64_t package_buffer_rows(const struct package *package, const struct object *object,
                             uint32_t buffer);
/* How the kernels that are called want the buffers to lie, into the package; refuses a buffer that
 * two of them want in two ways, and what does not go. */
void package_lay_buffers(struct pack *pack); /* sets pack->beyond, with a warning */
/* Would it? */
bool package_layouts_beyond(const struct object *object, const int64_t *sizes,
                            const struct machine_library *library);
/* Why the buffer cannot lie so, appended; false: it can.  Whether there are units enough for its
 * rows is asked when a package is made. */
bool package_layout_problem(const struct object *object, const int64_t *sizes, uint32_t buffer,
                            const struct machine_buffer *lies, struct str *problem);
/* Refuses buffers whose slices a unit has no memory for, when it is known how many rounds share
 * them. */
void package_check_memory(struct pack *pack);
/* They lie as the kernels want it now. */
bool package_buffers_fresh(const struct package *package, const struct object *object,
                           const struct machine_library *library);
/* What launches, if there are some, leave of a larger machine's results when the program runs in
 * rounds: all.  False with why not appended, ready for a message: "buffer 'x' of kernel 'k' ...",
 * and which kernel it is. */
bool package_launches_in_rounds(const struct package *package, const struct object *object,
                                const struct kernel_decl **kernel, struct str *why);
void package_print_buffers(const struct package *package, const struct object *object,
                           const struct target *target, struct str *out);
bool package_kernels_fresh(const struct package *package, const struct object *object,
                           const struct machine_library *library);
/* Registers that kernels work on have as many bits as they need. */
void package_widen_kernels(const struct package *package, uint8_t reg_bits[64]);
/* For the pack and the package. */
void package_build_lanes(struct pack *pack);
/* The package's kin, where the machine has slots; its text is there.  Lanes of a VRF are those of
 * the groups that were placed; before that, as the machine has them for the target (NULL: they were
 * placed). */
void package_find_kin(struct package *package, const struct object *object,
                      const struct target *target, const struct machine *machine);
/* As machine_program.reached, in `arena`. */
const uint64_t *package_find_reached(const struct package *package, const struct text *text,
                                     struct arena *arena);
/* Whose kin it is: "group 'g'", "fixed VRFs"; where that is declared. */
void package_kin_text(const struct package *package, const struct object *object, uint32_t kin,
                      struct str *out);
struct span package_kin_span(const struct package *package, const struct object *object,
                             uint32_t kin, struct diag *diag);
/* True if the lanes of a package that was read are such that its machine has them. */
bool package_lanes_possible(const struct object *object, const struct package *package,
                            const struct target *target, const struct machine_library *library);

/* Logical fixed VRFs that headers, MEMCPYs and groups with `at` name: bit v of used[h]. */
void package_find_fixed(const struct object *object, const int64_t *sizes, uint64_t used[MAX_RFHS]);
/* VRFs of a group with `at`, in order; false if they run past the geometry. */
bool package_fixed_group_vrf(const struct object *object, const struct group *group, uint64_t index,
                             uint32_t *rfh, uint32_t *vrf);
void package_build_fixed_map(struct pack *pack);
/* The entry of a logical VRF, or NULL. */
const struct fixed_vrf *package_find_fixed_vrf(const struct package *package, uint32_t rfh,
                                               uint32_t vrf);

/* The first thing for which a program cannot run in rounds, a slice of its groups at a time: an
 * instruction of the text that looks at more than one element or works on fixed VRFs, or a group
 * that is fixed at a place (the other is NO_INDEX).  Text that the host stands in for (as
 * package_finish.by_host has it) is passed over.  False if there is none. */
struct rounds_obstacle {
    uint32_t index, group;
};
bool package_rounds_obstacle(const struct object *object, const uint8_t *by_host,
                             struct rounds_obstacle *out);
/* What is launched has numbers of 32 bits for the units of all rounds. */
bool package_too_many_units(const struct pack *pack, uint64_t rounds);
/* Behind the refusal of a group that is too large: why rounds do not help. */
void package_note_rounds(const struct pack *pack);
/* VRF rows that kin of groups needs: in all, or in each MPU of the image. */
struct row_demand {
    uint64_t rows;
    bool per_mpu;
};
/* The least number of rounds in which the free rows do for a slice, in whole rows, of each of them;
 * 0 if there is none. */
uint64_t package_fewest_rounds(const struct pack *pack, const struct row_demand *demands,
                               size_t count);
/* True if such rows are free in MPUs of the image or, as far as `mpus` goes, behind it. */
bool package_rows_fit(const struct pack *pack, uint32_t mpus, const struct row_demand *demands,
                      size_t count);
/* Rounds that all elements need under these slices. */
uint64_t package_count_rounds(const struct object *object, const int64_t *sizes,
                              const uint64_t *slices);

/* A kin of groups that is not fixed: `elements` (in each MPU, if it is per MPU) in VRFs that can
 * hold `most`. */
struct spread_kin {
    uint64_t elements;
    uint32_t most;
    bool per_mpu;
    uint32_t lanes; /* elements of a VRF when all are spread evenly */
};
/* In the order in which they are placed. */
void package_spread_evenly(const struct pack *pack, struct spread_kin *kin, size_t count);

/* How many rows, of those that are free in each of `mpus` MPUs, a kin of `rows` rows takes there
 * when it is spread over all of them: as few in each as there can be.  False if there are not so
 * many. */
bool package_spread_rows(const uint8_t *free, uint32_t mpus, uint64_t rows, uint8_t *taken);

/* True if MPUs of the image start at different places, so that none may join them. */
bool package_starts_apart(const struct pack *pack);
void package_build_placements(struct pack *pack);

/* The pieces of a move under these sizes in a lap (laps[0] of the innermost REPEAT, and so on; of
 * no interest to a move without laps), in `arena`.  False with a problem appended ("its range
 * ..."). */
bool package_move_plan(const struct object *object, const int64_t *sizes, uint32_t move,
                       const uint64_t *laps, struct arena *arena, struct move_plan *out,
                       struct str *problem);
/* Whether its range stays inside of the destination then; likewise. */
bool package_move_range_fits(const struct object *object, const int64_t *sizes, uint32_t move,
                             const uint64_t *laps, struct str *problem);
/* The plans of all moves into the package; refuses those that cannot be carried out. */
void package_build_moves(struct pack *pack);
/* Refuses GMOVEs whose move leaves the destination in some lap of the REPEATs around them. */
void link_check_steps(struct pack *pack);
void package_print_moves(const struct package *package, const struct object *program,
                         const struct target *target, struct str *out);

/* Instructions that the target or this release cannot run. */
void package_refuse_instructions(struct pack *pack);
/* Those whose recipe does not fit the target, from the text with its sizes filled in. */
void package_refuse_unfit(struct pack *pack);
/* Those whose recipes did not come with the tools, in every form that the text has (likewise). */
void package_try_forms(struct pack *pack);
/* (opcode, width) of all vector instructions, in order, into the package's arena. */
void package_list_uses(struct package *package, const struct object *object, const uint32_t *text,
                       size_t count);

/* What the machine is told of a program; the text lives in `arena`. */
struct machine_program package_program_of(const struct package *package, struct text *text,
                                          const struct isa_users *users, struct arena *arena);
/* What the machine executes for the text. */
void package_build_code(struct pack *pack);
/* Makes code that was read ready; false if it does not serve every instruction of the text. */
bool package_ready_code(const struct package *package, const struct machine_library *library);

#endif
