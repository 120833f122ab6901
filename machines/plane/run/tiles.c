/* SPDX-License-Identifier: MIT */
#include "machines/plane/run/plane.h"
#include "support/bits.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static void place_registers(struct plane_machine *m) {
    uint32_t slot = 0;
    for (unsigned r = 0; r < 64; r++) {
        m->reg_slot[r] = slot;
        if (m->reg_bits[r] > 0)
            slot += m->reg_bits[r] + PLANE_REGISTER_GAP;
    }
    m->c_slot = slot++;
    m->m_slot = slot++;
    m->valid_slot = slot++;
    m->slots = slot;
}

static uint32_t common_divisor(uint32_t a, uint32_t b) {
    return b ? common_divisor(b, a % b) : a;
}

/* VRFs and words of the machine; false on overflow. */
static bool count_words(struct plane_machine *m) {
    const struct target *t = m->target;
    uint64_t vrfs = (uint64_t)t->vrf_per_rfh * t->rfh_per_mpu;
    if (vrfs == 0 || t->lanes == 0 || vrfs > UINT32_MAX)
        return false;
    vrfs *= m->setup.mpus;
    if (vrfs > UINT32_MAX)
        return false;
    m->vrfs = (uint32_t)vrfs;
    m->words_per_vrf = t->lanes / 64 + (t->lanes % 64 != 0);
    m->base.grain = PLANE_TILE_WORDS / common_divisor(PLANE_TILE_WORDS, m->words_per_vrf);
    m->block_count =
        (size_t)((vrfs * m->words_per_vrf + PLANE_BLOCK_WORDS - 1) / PLANE_BLOCK_WORDS);
    return true;
}

bool plane_layout(struct plane_machine *m, struct diag *d) {
    if (!count_words(m)) {
        diag_error(d, NO_SPAN,
                   "target %s with %u MPUs has no lanes, or more VRFs than can be "
                   "numbered",
                   m->target->name, m->setup.mpus);
        return false;
    }
    place_registers(m);
    m->blocks = calloc(m->block_count ? m->block_count : 1, sizeof *m->blocks);
    if (!m->blocks)
        diag_error(d, NO_SPAN, "no memory for a machine of %u VRFs", m->vrfs);
    return m->blocks != NULL;
}

void plane_tiles_reset(struct plane_machine *m) {
    for (size_t i = 0; i < m->block_count; i++)
        atomic_store_explicit(&m->blocks[i], NULL, memory_order_relaxed);
    m->tile = NULL;
    while (m->slabs) {
        struct plane_slab *s = m->slabs;
        m->slabs = s->next;
        munmap(s->memory, s->size);
        free(s);
    }
    m->bytes = 0;
}

static void scratch_free(struct plane_scratch *s) {
    free(s->memory);
    free(s);
}

void plane_tiles_free(struct plane_machine *m) {
    if (m->blocks)
        plane_tiles_reset(m);
    free(m->blocks);
    while (m->idle) {
        struct plane_scratch *s = m->idle;
        m->idle = s->next;
        scratch_free(s);
    }
}

/* Lanes 64 * k ... of VRF v of a register (or C) as they are at start. */
static void random_word(const struct plane_machine *m, struct plane_piece at, uint64_t word,
                        unsigned reg, uint32_t slot, unsigned bits) {
    uint64_t values[64] = {0};
    uint32_t v = (uint32_t)(word / m->words_per_vrf);
    uint32_t lane = (uint32_t)(word % m->words_per_vrf) * 64;
    for (uint32_t i = 0; i < 64 && lane + i < m->target->lanes; i++)
        values[i] = state_init_value(m->setup.seed, v, reg, lane + i);
    elements_to_planes(values, 1, plane_words(at, slot), PLANE_TILE_WORDS, bits);
}

static void random_block(const struct plane_machine *m, unsigned char *block, size_t index) {
    uint64_t end = (uint64_t)m->vrfs * m->words_per_vrf;
    for (size_t w = 0; w < PLANE_BLOCK_WORDS; w++) {
        uint64_t word = (uint64_t)index * PLANE_BLOCK_WORDS + w;
        struct plane_piece at = {block + 8 * w, 1};
        if (word >= end)
            return;
        for (unsigned r = 0; r < 64; r++)
            if (m->reg_bits[r] > 0)
                random_word(m, at, word, r, m->reg_slot[r], m->reg_bits[r]);
        random_word(m, at, word, DP_INIT_C, m->c_slot, 1);
    }
}

static void fail(struct plane_machine *m, const char *why) {
    if (m->base.failure)
        return;
    if (why)
        snprintf(m->failure, sizeof m->failure, "%s", why);
    else
        snprintf(m->failure, sizeof m->failure,
                 "the machine's state needs more than the limit of %llu bytes",
                 (unsigned long long)m->setup.memory_limit);
    m->base.failure = m->failure;
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
static struct plane_slab *slab_new(const struct plane_machine *m, size_t tile) {
    bool first = m->slabs == NULL;
    size_t size = first ? tile : (8 * tile + 2 * HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    struct plane_slab *s = xcalloc(1, sizeof *s);
    s->memory = first ? map_zeros(size) : map_huge_zeros(size);
    s->size = size;
    if (!s->memory) {
        free(s);
        return NULL;
    }
    s->next = m->slabs;
    return s;
}

/* Zeros for one tile, or NULL. */
static unsigned char *cut_tile(struct plane_machine *m, size_t tile) {
    if (!m->slabs || m->slabs->size - m->slabs->used < tile) {
        struct plane_slab *s = slab_new(m, tile);
        if (!s)
            return NULL;
        m->slabs = s;
    }
    unsigned char *at = m->slabs->memory + m->slabs->used;
    m->slabs->used += tile;
    return at;
}

/* A tile of zeros, or NULL.  The caller holds the lock, here and below. */
static unsigned char *make_tile(struct plane_machine *m) {
    size_t bytes = (size_t)m->slots * PLANE_STRIDE;
    uint64_t limit = m->setup.memory_limit;
    if (limit > 0 && (m->bytes > limit || bytes > limit - m->bytes)) {
        fail(m, NULL);
        return NULL;
    }
    unsigned char *tile = cut_tile(m, bytes);
    if (!tile) {
        fail(m, "no memory left for the machine's state");
        return NULL;
    }
    m->bytes += bytes;
    return tile;
}

static unsigned char *make_block(struct plane_machine *m, size_t index) {
    if (!m->tile || m->tile_blocks == PLANE_TILE_WORDS / PLANE_BLOCK_WORDS) {
        m->tile = make_tile(m);
        m->tile_blocks = 0;
    }
    if (!m->tile)
        return NULL;
    unsigned char *block = m->tile + (size_t)8 * PLANE_BLOCK_WORDS * m->tile_blocks++;
    if (m->setup.init == DP_INIT_RANDOM)
        random_block(m, block, index);
    return block;
}

static unsigned char *first_use(struct plane_machine *m, size_t index) {
    pthread_mutex_lock(&m->lock);
    unsigned char *block = plane_peek(m, index);
    if (!block) {
        block = make_block(m, index);
        atomic_store_explicit(&m->blocks[index], block, memory_order_release);
    }
    pthread_mutex_unlock(&m->lock);
    return block;
}

unsigned char *plane_block(struct plane_machine *m, size_t index) {
    unsigned char *block = plane_peek(m, index);
    return block ? block : first_use(m, index);
}

/* Blocks that lie one behind the other are in the same tile: behind its last one its second plane
 * begins, where no block does. */
struct plane_piece plane_piece(struct plane_machine *m, uint64_t word, uint64_t words) {
    size_t index = (size_t)(word / PLANE_BLOCK_WORDS), in_block = word % PLANE_BLOCK_WORDS;
    unsigned char *block = plane_block(m, index), *end = block;
    uint64_t have = PLANE_BLOCK_WORDS - in_block;
    for (; have < words; have += PLANE_BLOCK_WORDS) {
        end += (size_t)8 * PLANE_BLOCK_WORDS;
        if (!block || plane_block(m, ++index) != end)
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

struct plane_scratch *plane_scratch_take(struct plane_machine *m, uint32_t slots) {
    pthread_mutex_lock(&m->lock);
    struct plane_scratch *s = m->idle;
    if (s)
        m->idle = s->next;
    pthread_mutex_unlock(&m->lock);
    if (s && s->slots < slots) {
        scratch_free(s);
        s = NULL;
    }
    return s ? s : scratch_new(slots);
}

void plane_scratch_give(struct plane_machine *m, struct plane_scratch *s) {
    pthread_mutex_lock(&m->lock);
    s->next = m->idle;
    m->idle = s;
    pthread_mutex_unlock(&m->lock);
}
