/* SPDX-License-Identifier: MIT
 * Rounds: a program with more elements than the chip has lanes runs several times, each time with
 * the next slice of every group (docs/linking.md, "Rounds").
 *
 * That gives what a larger chip would give if no element ever meets another one, and if nothing is
 * done more than once that is not done to an element.  Whatever could break this is refused by its
 * instruction, wherever it stands in the text: GMOVE, messages and JUMP_ANY look at several
 * elements, and an ensemble over fixed VRFs would run in every round. */
#include "linker/package/pack.h"
#include "linker/where.h"
#include "support/bits.h"
#include "support/saturate.h"

#include <inttypes.h>

static bool is_obstacle(enum isa_op op) {
    switch (op) {
    case OP_GMOVE:
    case OP_SEND:
    case OP_RECV:
    case OP_JUMP_ANY:
    case OP_COMPUTE:
    case OP_MOVE:
        return true;
    default:
        return false;
    }
}

bool package_rounds_obstacle(const struct object *object, const uint8_t *by_host,
                             struct rounds_obstacle *out) {
    struct insn insn;
    *out = (struct rounds_obstacle){NO_INDEX, NO_INDEX};
    for (uint32_t i = 0; i < object->text.len; i++)
        if (isa_decode(object->text.data[i], &insn) == ISA_OK && is_obstacle(insn.op) &&
            package_finish_skip(object, by_host, i) == i) {
            out->index = i;
            return true;
        }
    for (uint32_t g = 0; g < object->groups.len; g++)
        if (object->groups.data[g].at_rfh != NO_INDEX) {
            out->group = g;
            return true;
        }
    return false;
}

static const char *why_not(enum isa_op op) {
    switch (op) {
    case OP_COMPUTE:
    case OP_MOVE:
        return "works on fixed VRFs, and would do so in every round";
    case OP_JUMP_ANY:
        return "asks about all elements at once";
    default:
        return "exchanges elements, which may be of different rounds";
    }
}

bool package_too_many_units(const struct pack *pack, uint64_t rounds) {
    uint64_t units = (uint64_t)pack->t->mpus * target_vrfs_per_mpu(pack->t);
    return pack->p->launches && sat_mul(units, rounds) > UINT32_MAX;
}

void package_note_rounds(const struct pack *pack) {
    const struct object *o = pack->program;
    struct rounds_obstacle obstacle;
    struct insn insn;
    struct str why = {0};
    const struct kernel_decl *kernel;
    bool launches = !package_launches_in_rounds(pack->p, o, &kernel, &why);
    if (launches)
        diag_note(pack->d, object_span(o, kernel->place, pack->d),
                  "the program cannot run in rounds, with a slice of its elements at a time: %s",
                  str_text(&why));
    str_free(&why);
    if (launches)
        return;
    if (package_too_many_units(pack, pack->rounds_asked)) {
        diag_note(pack->d, NO_SPAN,
                  "kernels cannot be launched in %" PRIu64
                  " rounds, which have more than 2^32 units together",
                  pack->rounds_asked);
        return;
    }
    if (!package_rounds_obstacle(o, pack->p->finish.by_host, &obstacle)) {
        diag_note(pack->d, NO_SPAN,
                  "rounds do not help: there is not a free VRF row for each group at once");
    } else if (obstacle.group != NO_INDEX) {
        const struct group *g = &o->groups.data[obstacle.group];
        diag_note(pack->d, object_span(o, g->place, pack->d),
                  "the program cannot run in rounds, with a slice of its elements at a time: group "
                  "'%s' is fixed at a place",
                  g->name);
    } else if (isa_decode(o->text.data[obstacle.index], &insn) == ISA_OK) {
        const char *move = insn.op == OP_GMOVE ? o->moves.data[insn.imm].name : "";
        diag_note(pack->d, package_pack_span(pack, obstacle.index),
                  "the program cannot run in rounds, with a slice of its elements at a time: "
                  "%s%s%s (instruction %" PRIu32 ") %s",
                  isa_info(insn.op)->name, *move ? " " : "", move, obstacle.index,
                  why_not(insn.op));
        link_note_where(o, obstacle.index, pack->d);
    }
}

/* ---- how many ---- */

/* Free rows of the MPUs from image_first on, and the first of them that may have one. */
struct free_rows {
    uint8_t *rows; /* [count] */
    uint32_t count, first;
};

static void count_free(const struct pack *pack, struct free_rows *rows) {
    uint64_t all = low_bits(pack->t->vrf_per_rfh);
    rows->first = 0;
    for (uint32_t m = 0; m < rows->count; m++)
        rows->rows[m] =
            (uint8_t)__builtin_popcountll(all & ~pack->rows_used[pack->p->image_first + m]);
}

/* False if there are not so many. */
static bool take_spanning(struct free_rows *free_rows, uint64_t rows) {
    while (rows && free_rows->first < free_rows->count) {
        uint8_t *here = &free_rows->rows[free_rows->first];
        uint8_t taken = rows < *here ? (uint8_t)rows : *here;
        *here = (uint8_t)(*here - taken);
        rows -= taken;
        free_rows->first += rows != 0;
    }
    return rows == 0;
}

static bool take_in_each(struct free_rows *free_rows, uint32_t mpus, uint64_t rows) {
    for (uint32_t m = 0; m < mpus; m++) {
        if (rows > free_rows->rows[m])
            return false;
        free_rows->rows[m] = (uint8_t)(free_rows->rows[m] - rows);
    }
    return true;
}

/* As the groups are placed, one after the other. */
static bool slices_fit(const struct pack *pack, struct free_rows *free_rows,
                       const struct row_demand *demands, size_t count, uint64_t rounds) {
    count_free(pack, free_rows);
    for (size_t i = 0; i < count; i++) {
        uint64_t rows = ceil_div(demands[i].rows, rounds);
        if (!(demands[i].per_mpu ? take_in_each(free_rows, pack->p->image_count, rows)
                                 : take_spanning(free_rows, rows)))
            return false;
    }
    return true;
}

bool package_rows_fit(const struct pack *pack, uint32_t mpus, const struct row_demand *demands,
                      size_t count) {
    struct free_rows f = {.count = mpus};
    f.rows = xcalloc((size_t)f.count + 1, 1);
    bool fit = slices_fit(pack, &f, demands, count, 1);
    free(f.rows);
    return fit;
}

/* More rounds never need more rows of any MPU, so the least number is found by halving. */
uint64_t package_fewest_rounds(const struct pack *pack, const struct row_demand *demands,
                               size_t count) {
    uint64_t low = 1, high = 1;
    struct free_rows f = {.count = pack->mpu_limit - pack->p->image_first};
    f.rows = xcalloc((size_t)f.count + 1, 1);
    for (size_t i = 0; i < count; i++)
        high = demands[i].rows > high ? demands[i].rows : high;
    if (slices_fit(pack, &f, demands, count, 1))
        high = 1;
    else if (!slices_fit(pack, &f, demands, count, high))
        high = low = 0;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (slices_fit(pack, &f, demands, count, middle))
            high = middle;
        else
            low = middle + 1;
    }
    free(f.rows);
    return high;
}

uint64_t package_count_rounds(const struct object *object, const int64_t *sizes,
                              const uint64_t *slices) {
    uint64_t most = 1;
    for (uint32_t g = 0; g < object->groups.len; g++) {
        uint64_t rounds = ceil_div(link_group_share(object, sizes, g), slices[g]);
        most = rounds > most ? rounds : most;
    }
    return most;
}

/* ---- the placements of a round ---- */

/* Moves a placement of the first round on to round r; false if nothing of the group is left for
 * it. */
static bool move_on(struct placement *placement, uint64_t share, uint64_t slice, uint64_t r) {
    uint64_t in_copy = placement->first % share, all = ceil_div(share, slice);
    if (r >= all || in_copy >= share - r * slice)
        return false;
    uint64_t left = share - r * slice - in_copy;
    placement->first += r * slice;
    placement->count = left < placement->count ? (uint32_t)left : placement->count;
    return true;
}

struct package package_round(const struct package *package, const struct object *program,
                             uint64_t r, struct arena *arena) {
    struct package view = *package;
    if (r == 0 || !package->slices)
        return view;
    view.placements = ARENA_ARRAY(arena, package->placement_count, struct placement);
    view.placement_count = 0;
    for (size_t i = 0; i < package->placement_count; i++) {
        struct placement x = package->placements[i];
        uint64_t share = link_group_share(program, package->sizes, x.group);
        if (move_on(&x, share, package->slices[x.group], r))
            view.placements[view.placement_count++] = x;
    }
    return view;
}
