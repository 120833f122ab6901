/* SPDX-License-Identifier: MIT
 * The strict engine: every micro-op in order, on every word of the set. */
#include "machines/plane/run/native_patterns.h"
#include "machines/plane/run/insn_forms.h"
#include "machines/plane/run/words_out.h"

#include <stdlib.h>
#include <string.h>

static void plane_close(struct datapath *dp) {
    struct plane_machine *m = plane_of(dp);
    plane_codes_free(m);
    plane_patterns_free(m);
    plane_launch_close(m);
    plane_write_close(m);
    plane_sent_close(m);
    plane_tiles_free(m);
    recipe_timeline_close(m->timeline);
    hash_table_free(&m->lists);
    free(m->kinds);
    dtc_free(m->dtc);
    machine_library_close(m->own_library);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

static bool check_target(const struct target *target, struct diag *diag) {
    if (target->kind != &technology_target_kind) {
        diag_error(diag, NO_SPAN, "target %s is not a plane machine", target->name);
        return false;
    }
    return true;
}

static const char *const part_names[PLANE_PARTS] = {
    [OPCLASS_LOGIC] = "logic", [OPCLASS_COPY] = "copy", [OPCLASS_CROSSING] = "crossing"};

static const char *const side_names[PLANE_SIDES] = {[SIDE_CROSSBARS] = "CROSSBARS",
                                                    [SIDE_ROWS] = "ROWS",
                                                    [SIDE_READ] = "READ",
                                                    [SIDE_WRITE] = "WRITE",
                                                    [SIDE_MOVE] = "MOVE"};
static const char *const counter_names[PLANE_SIDES] = {[SIDE_CROSSBARS] = "crossbar_range_words",
                                                       [SIDE_ROWS] = "row_range_words",
                                                       [SIDE_READ] = "read_words",
                                                       [SIDE_WRITE] = "write_words",
                                                       [SIDE_MOVE] = "move_words"};

/* Kinds behind those of the file.  Cells take energy: those of a lane in reads, writes and moves;
 * ranges take none. */
static void declare_sides(struct plane_machine *machine) {
    struct dp_tables *t = &machine->base.tables;
    const struct target *target = machine->target;
    uint64_t lane_fj = sat_mul(target->move_bits, target->network_fj_per_bit);
    for (uint32_t side = 0; side < PLANE_SIDES; side++) {
        bool range = side == SIDE_CROSSBARS || side == SIDE_ROWS;
        machine->kinds[t->kind_count] = (struct dp_kind){side_names[side], t->kind_count,
                                                         OPCLASS_CROSSING, range ? 0 : lane_fj};
        t->kind_count++;
    }
    t->counters = counter_names;
    t->counter_count = PLANE_SIDES;
    t->selects = t->answers = true;
    machine->selected = xcalloc((size_t)machine->setup.mpus + 1, sizeof *machine->selected);
    plane_select_all(machine);
}

/* Micro-ops of a command count together, in the part of its class, or of logic where its variants
 * differ. */
static void declare_tables(struct plane_machine *machine) {
    const struct plane_target *p = plane_target(machine->target);
    machine->kinds = xcalloc((size_t)p->op_count + PLANE_SIDES, sizeof *machine->kinds);
    for (uint32_t k = 0; k < p->op_count; k++) {
        const struct target_op *op = &p->ops[k];
        machine->kinds[k] = (struct dp_kind){op->name, op->first_variant, op->class,
                                             plane_op_fj(machine->target, op)};
    }
    machine->base.tables = (struct dp_tables){.kinds = machine->kinds,
                                              .kind_count = p->op_count,
                                              .parts = part_names,
                                              .part_count = PLANE_PARTS,
                                              .lanes = true};
    if (machine->target->network == NETWORK_HTREE)
        declare_sides(machine);
}

static bool set_up(struct plane_machine *machine, bool recipes, struct diag *diag) {
    if (!check_target(machine->target, diag) || !plane_layout(machine, diag))
        return false;
    declare_tables(machine);
    plane_launch_open(machine);
    machine->timeline = recipe_timeline_open(machine->target);
    const struct machine_library *l = machine->setup.library;
    if (recipes && !l)
        l = machine->own_library = machine_library_open(machine->target, NULL, 0, diag);
    machine->recipes = recipes && l ? plane_recipes(l) : NULL;
    machine->forms = machine->recipes ? plane_forms_of(l) : NULL;
    return !recipes || machine->recipes;
}

struct datapath *plane_open_with(const struct dp_setup *setup, const struct plane_kernels *kernels,
                                 bool recipes, struct diag *diag) {
    struct plane_machine *m = xcalloc(1, sizeof *m);
    m->base.ops = &plane_strict_ops;
    m->base.has_cells = true;
    m->setup = *setup;
    m->target = setup->target;
    m->compose_at = UINT64_MAX;
    m->pattern_room = PLANE_PATTERN_BYTES;
    m->compose_room = PLANE_COMPOSE_BYTES;
    m->step_room = PLANE_STEP_BYTES;
    m->form_room = PLANE_OWN_FORM_BYTES;
    plane_choice_begin(&m->choice, kernels);
    for (unsigned r = 0; r < 64; r++)
        m->reg_bits[r] = setup->bits ? 0 : setup->reg_bits[r] < 64 ? setup->reg_bits[r] : 64;
    m->setup.reg_bits = m->reg_bits;
    pthread_mutex_init(&m->lock, NULL);
    if (set_up(m, recipes, diag))
        return &m->base;
    plane_close(&m->base);
    return NULL;
}

/* MPU_COMPOSE_AT of the environment, for tests, which changes nothing but time; false after
 * reporting. */
static bool read_compose_at(uint64_t *words, struct diag *diag) {
    const char *text = getenv("MPU_COMPOSE_AT");
    *words = PLANE_COMPOSE_AT;
    if (!text || number_parse_u64(text, strlen(text), words))
        return true;
    diag_error(diag, NO_SPAN, "MPU_COMPOSE_AT in the environment is '%s', not a number of words",
               text);
    return false;
}

/* MPU_CODE of the environment, for tests, likewise: vectors of code, at most what the processor
 * has; none: composed steps; base: these on the kernels that all processors of its kind have. */
static bool read_vectors(unsigned *vectors, const struct plane_kernels **kernels,
                         struct diag *diag) {
    static const char *const names[] = {"none", "avx2", "avx512"};
    const char *text = getenv("MPU_CODE");
    unsigned most = plane_code_vectors();
    size_t count;
    *vectors = most;
    *kernels = NULL;
    if (!text)
        return true;
    if (strcmp(text, "base") == 0) {
        *vectors = PLANE_VECTORS_NONE;
        *kernels = plane_kernels_all(&count)[0];
        return true;
    }
    for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(text, names[k]) == 0) {
            *vectors = k < most ? k : most;
            return true;
        }
    diag_error(diag, NO_SPAN, "MPU_CODE in the environment is '%s', not base, none, avx2 or avx512",
               text);
    return false;
}

static struct datapath *fused_open(const struct dp_setup *setup, struct diag *diag) {
    uint64_t compose_at;
    unsigned vectors;
    const struct plane_kernels *kernels;
    struct datapath *dp =
        read_compose_at(&compose_at, diag) && read_vectors(&vectors, &kernels, diag)
            ? plane_open_with(setup, kernels, true, diag)
            : NULL;
    if (dp) {
        dp->ops = &plane_fused_ops;
        plane_of(dp)->vectors = vectors;
        dp->makes_code = true;
        dp->code_bits = vectors == PLANE_VECTORS_NONE ? 0 : 128u << vectors;
        plane_of(dp)->compose_at = compose_at;
        plane_of(dp)->whole_at = sat_mul(compose_at, PLANE_WHOLE_AFTER);
    }
    return dp;
}

static struct datapath *plane_open(const struct dp_setup *setup, struct diag *diag) {
    return plane_open_with(setup, NULL, true, diag);
}

/* What the engines share. */
#define PLANE_OPS                                                                                  \
    .close = plane_close, .prepare = plane_prepare, .remap = plane_remap, .forget = plane_forget,  \
    .describe = plane_describe, .bind = plane_bind, .execute = plane_execute,                      \
    .follow = plane_follow, .pass = plane_pass, .clock_memory = plane_clock_memory,                \
    .any = plane_any, .select = plane_select, .selected = plane_selected, .lanes = plane_lanes,    \
    .copy = plane_copy, .get = plane_get, .put = plane_put, .counters = plane_counters,            \
    .put_elements = plane_put_elements, .get_elements = plane_get_elements,                        \
    .observe = plane_observe, .write = plane_write, .write_end = plane_write_end,                  \
    .format = plane_format, .cell_text = plane_cell_text, .snapshot = plane_snapshot,              \
    .mem_alloc = plane_mem_alloc, .mem_free = plane_mem_free, .mem_put = plane_mem_put,            \
    .mem_get = plane_mem_get, .launch = plane_launch

const struct datapath_ops plane_strict_ops = {.name = "strict", .open = plane_open, PLANE_OPS};
const struct datapath_ops plane_fused_ops = {.name = "fused", .open = fused_open, PLANE_OPS};
