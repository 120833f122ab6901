/* SPDX-License-Identifier: MIT
 * Memory of planes by tiles, allocated when first used; scratch is shared, for nothing stays in it
 * between instructions. */
#include "support/alloc.h"
#include "machines/plane/run/translate.h"
#include "support/bits.h"
#include "support/common_divisor.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static void place_bits(struct plane_machine *machine) {
    machine->c_slot = PLANE_NAME_C;
    machine->m_slot = PLANE_NAME_M;
    machine->valid_slot = PLANE_NAME_VALID;
    machine->first_slot = PLANE_NAME_FIRST;
    machine->slots = machine->first_slot + machine->setup.bits;
}

static void place_registers(struct plane_machine *machine) {
    uint32_t slot = 0;
    if (machine->setup.bits) {
        place_bits(machine);
        return;
    }
    for (unsigned r = 0; r < 64; r++) {
        machine->reg_slot[r] = slot;
        if (machine->reg_bits[r] > 0)
            slot += machine->reg_bits[r] + PLANE_REGISTER_GAP;
    }
    machine->c_slot = slot++;
    machine->m_slot = slot++;
    machine->valid_slot = slot++;
    machine->slots = slot;
}

/* VRFs and words of the machine; false on overflow. */
static bool count_words(struct plane_machine *machine) {
    const struct target *t = machine->target;
    uint64_t vrfs = (uint64_t)t->vrf_per_rfh * t->rfh_per_mpu;
    if (vrfs == 0 || t->lanes == 0 || vrfs > UINT32_MAX)
        return false;
    vrfs *= machine->setup.mpus;
    if (vrfs > UINT32_MAX)
        return false;
    machine->vrfs = (uint32_t)vrfs;
    machine->words_per_vrf = t->lanes / 64 + (t->lanes % 64 != 0);
    machine->base.grain =
        PLANE_TILE_WORDS / (uint32_t)common_divisor(PLANE_TILE_WORDS, machine->words_per_vrf);
    machine->block_count =
        (size_t)((vrfs * machine->words_per_vrf + PLANE_BLOCK_WORDS - 1) / PLANE_BLOCK_WORDS);
    return true;
}

bool plane_layout(struct plane_machine *machine, struct diag *diag) {
    if (!count_words(machine)) {
        diag_error(diag, NO_SPAN,
                   "target %s with %u MPUs has no lanes, or more VRFs than can be "
                   "numbered",
                   machine->target->name, machine->setup.mpus);
        return false;
    }
    place_registers(machine);
    machine->blocks =
        calloc(machine->block_count ? machine->block_count : 1, sizeof *machine->blocks);
    if (!machine->blocks)
        diag_error(diag, NO_SPAN, "no memory for a machine of %u VRFs", machine->vrfs);
    return machine->blocks != NULL;
}

void plane_tiles_reset(struct plane_machine *machine) {
    for (size_t i = 0; i < machine->block_count; i++)
        atomic_store_explicit(&machine->blocks[i], NULL, memory_order_relaxed);
    machine->tile = NULL;
    while (machine->slabs) {
        struct plane_slab *s = machine->slabs;
        machine->slabs = s->next;
        munmap(s->memory, s->size);
        free(s);
    }
    machine->bytes = 0;
}

static void scratch_free(struct plane_scratch *scratch) {
    free(scratch->memory);
    free(scratch->steps);
    free(scratch);
}

void plane_tiles_free(struct plane_machine *machine) {
    if (machine->blocks)
        plane_tiles_reset(machine);
    free(machine->blocks);
    while (machine->idle) {
        struct plane_scratch *s = machine->idle;
        machine->idle = s->next;
        scratch_free(s);
    }
}

/* Lanes 64 * k ... of VRF v of a register (or C) as they are at start. */
static void random_word(const struct plane_machine *machine, struct plane_piece at, uint64_t word,
                        unsigned reg, uint32_t slot, unsigned bits) {
    uint64_t values[64] = {0};
    uint32_t v = (uint32_t)(word / machine->words_per_vrf);
    uint32_t lane = (uint32_t)(word % machine->words_per_vrf) * 64;
    for (uint32_t i = 0; i < 64 && lane + i < machine->target->lanes; i++)
        values[i] = state_init_value(machine->setup.seed, v, reg, lane + i);
    elements_to_planes(values, 1, plane_words(at, slot), PLANE_TILE_WORDS, bits);
}

static void random_block(const struct plane_machine *machine, unsigned char *block, size_t index) {
    uint64_t end = (uint64_t)machine->vrfs * machine->words_per_vrf;
    for (size_t w = 0; w < PLANE_BLOCK_WORDS; w++) {
        uint64_t word = (uint64_t)index * PLANE_BLOCK_WORDS + w;
        struct plane_piece at = {block + 8 * w, 1};
        if (word >= end)
            return;
        for (unsigned r = 0; r < 64; r++)
            if (machine->reg_bits[r] > 0)
                random_word(machine, at, word, r, machine->reg_slot[r], machine->reg_bits[r]);
        random_word(machine, at, word, DP_INIT_C, machine->c_slot, 1);
    }
}

static void fail(struct plane_machine *machine, const char *why) {
    if (machine->base.failure)
        return;
    if (why)
        snprintf(machine->failure, sizeof machine->failure, "%s", why);
    else
        snprintf(machine->failure, sizeof machine->failure,
                 "the machine's state needs more than the limit of %llu bytes",
                 (unsigned long long)machine->setup.memory_limit);
    machine->base.failure = machine->failure;
}

#define HUGE_PAGE ((size_t)2 << 20)

/* Zeros straight from the system, at a multiple of the size of its pages; NULL if there are none.
 */
static unsigned char *map_zeros(size_t size) {
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* The same at a multiple of HUGE_PAGE, in such pages where the system has them. */
static unsigned char *map_huge_zeros(size_t size) {
    unsigned char *p = map_zeros(size + HUGE_PAGE);
    if (!p)
        return NULL;
    size_t before = (HUGE_PAGE - (uintptr_t)p % HUGE_PAGE) % HUGE_PAGE;
    if (before)
        munmap(p, before);
    if (before < HUGE_PAGE)
        munmap(p + before + size, HUGE_PAGE - before);
#ifdef MADV_HUGEPAGE
    madvise(p + before, size, MADV_HUGEPAGE);
#endif
    return p + before;
}

/* A machine of one tile takes no more than that; the next tiles share slabs of eight tiles or
 * more in huge pages, as addresses of a large state would not all fit into the processor's table of
 * small pages. */
static struct plane_slab *slab_new(const struct plane_machine *machine, size_t tile) {
    /* Of a machine for many programs, or for kernels of words, which name its columns themselves,
     * most planes are never touched, and take no memory; a huge page has all planes of a tile. */
    bool small = machine->slabs == NULL || machine->setup.bits || machine->setup.kernels;
    size_t size = small ? tile : (8 * tile + 2 * HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    struct plane_slab *s = xcalloc(1, sizeof *s);
    s->memory = small ? map_zeros(size) : map_huge_zeros(size);
    s->size = size;
    if (!s->memory) {
        free(s);
        return NULL;
    }
    s->next = machine->slabs;
    return s;
}

/* Zeros for one tile, or NULL. */
static unsigned char *cut_tile(struct plane_machine *machine, size_t tile) {
    if (!machine->slabs || machine->slabs->size - machine->slabs->used < tile) {
        struct plane_slab *s = slab_new(machine, tile);
        if (!s)
            return NULL;
        machine->slabs = s;
    }
    unsigned char *at = machine->slabs->memory + machine->slabs->used;
    machine->slabs->used += tile;
    return at;
}

/* A tile of zeros, or NULL.  The caller holds the lock, here and below. */
static unsigned char *make_tile(struct plane_machine *machine) {
    size_t bytes = (size_t)machine->slots * PLANE_STRIDE;
    uint64_t limit = machine->setup.memory_limit;
    if (limit > 0 && (machine->bytes > limit || bytes > limit - machine->bytes)) {
        fail(machine, NULL);
        return NULL;
    }
    unsigned char *tile = cut_tile(machine, bytes);
    if (!tile) {
        fail(machine, "no memory left for the machine's state");
        return NULL;
    }
    machine->bytes += bytes;
    return tile;
}

static unsigned char *make_block(struct plane_machine *machine, size_t index) {
    if (!machine->tile || machine->tile_blocks == PLANE_TILE_WORDS / PLANE_BLOCK_WORDS) {
        machine->tile = make_tile(machine);
        machine->tile_blocks = 0;
    }
    if (!machine->tile)
        return NULL;
    unsigned char *block = machine->tile + (size_t)8 * PLANE_BLOCK_WORDS * machine->tile_blocks++;
    if (machine->setup.init == DP_INIT_RANDOM)
        random_block(machine, block, index);
    return block;
}

static unsigned char *first_use(struct plane_machine *machine, size_t index) {
    struct alloc_lock lock;
    alloc_lock(&lock, &machine->lock);
    unsigned char *block = plane_peek(machine, index);
    if (!block) {
        block = make_block(machine, index);
        atomic_store_explicit(&machine->blocks[index], block, memory_order_release);
    }
    alloc_unlock(&lock);
    return block;
}

unsigned char *plane_block(struct plane_machine *machine, size_t index) {
    unsigned char *block = plane_peek(machine, index);
    return block ? block : first_use(machine, index);
}

/* Blocks that lie one behind the other are in the same tile: behind its last one its second plane
 * begins, where no block does. */
struct plane_piece plane_piece(struct plane_machine *machine, uint64_t word, uint64_t words) {
    size_t index = (size_t)(word / PLANE_BLOCK_WORDS), in_block = word % PLANE_BLOCK_WORDS;
    unsigned char *block = plane_block(machine, index), *end = block;
    uint64_t have = PLANE_BLOCK_WORDS - in_block;
    for (; have < words; have += PLANE_BLOCK_WORDS) {
        end += (size_t)8 * PLANE_BLOCK_WORDS;
        if (!block || plane_block(machine, ++index) != end)
            break;
    }
    return (struct plane_piece){block ? block + 8 * in_block : NULL,
                                (size_t)(words < have ? words : have)};
}

static struct plane_scratch *scratch_new(uint32_t slots) {
    struct plane_scratch *s = xcalloc(1, sizeof *s);
    s->slots = slots;
    /* One line in front: base[1] of a frame points one byte before the planes. */
    s->memory = xmalloc((size_t)slots * PLANE_STRIDE + 128);
    s->planes = (unsigned char *)(((uintptr_t)s->memory + 127) & ~(uintptr_t)63);
    memset(s->planes + SLOT_ZERO * PLANE_STRIDE, 0, PLANE_STRIDE);
    memset(s->planes + SLOT_ONE * PLANE_STRIDE, 0xff, PLANE_STRIDE);
    return s;
}

struct plane_scratch *plane_scratch_take(struct plane_machine *machine, uint32_t slots) {
    pthread_mutex_lock(&machine->lock);
    struct plane_scratch *s = machine->idle;
    if (s)
        machine->idle = s->next;
    pthread_mutex_unlock(&machine->lock);
    if (s && s->slots < slots) {
        scratch_free(s);
        s = NULL;
    }
    return s ? s : scratch_new(slots);
}

void plane_scratch_give(struct plane_machine *machine, struct plane_scratch *scratch) {
    pthread_mutex_lock(&machine->lock);
    scratch->next = machine->idle;
    machine->idle = scratch;
    pthread_mutex_unlock(&machine->lock);
}
