/* SPDX-License-Identifier: MIT
 * Lanes go in and are compared as planes: what the ISA wants is computed lane by lane, transposed,
 * and laid beside the machine's state; one comparison of whole tiles then covers results, what is
 * above the width, registers that are no operands, C, M and valid. */
#include "machines/verify/matrix.h"
#include "support/bits.h"
#include "support/str.h"

#include <string.h>

enum { CHUNK_WORDS = 4, CHUNK = CHUNK_WORDS * 64 };
_Static_assert(PLANE_TILE_WORDS % CHUNK_WORDS == 0, "chunks do not cross tiles");
_Static_assert(RIG_WORDS % CHUNK_WORDS == 0, "blocks are whole chunks");

/* Some lanes before and after an instruction, by register in the order of form.used: first lane by
 * lane, then as planes of CHUNK_WORDS words. */
struct rig_chunk {
    uint64_t in[3][CHUNK], out[3][CHUNK];
    uint64_t c[CHUNK_WORDS], m[CHUNK_WORDS], valid[CHUNK_WORDS];
    uint64_t out_c[CHUNK_WORDS], out_m[CHUNK_WORDS];
};

/* --- opening --- */

bool rig_open(struct rig *r, const struct target *t, const struct recipe_set *s, struct diag *d) {
    static const uint8_t bits[64] = {64, 64, 64, 64};
    _Static_assert(RIG_REGISTERS == 4, "bits names them");
    r->target = *t;
    r->target.lanes = 64;
    r->target.vrf_per_rfh = RIG_WORDS;
    r->target.rfh_per_mpu = 1;
    r->set = s;
    r->want = NULL;
    r->block = NULL;
    r->library = (struct plane_library){.recipes = (struct recipe_set *)(uintptr_t)s};
    struct dp_setup setup = {
        .target = &r->target, .library = &r->library.base, .mpus = 1, .reg_bits = bits};
    r->dp = plane_open_with(&setup, plane_kernels_best(), s != NULL, d);
    if (!r->dp)
        return false;
    r->machine = plane_of(r->dp);
    r->tiles = (RIG_WORDS + PLANE_TILE_WORDS - 1) / PLANE_TILE_WORDS;
    r->want = xcalloc(r->tiles, (size_t)r->machine->slots * PLANE_STRIDE);
    r->block = xcalloc(RIG_WORDS / CHUNK_WORDS, sizeof *r->block);
    return true;
}

void rig_close(struct rig *r) {
    if (r->dp)
        r->dp->ops->close(r->dp);
    free(r->want);
    free(r->block);
    *r = (struct rig){0};
}

static size_t tile_words(const struct rig *r) {
    return (size_t)r->machine->slots * PLANE_TILE_WORDS;
}

/* Tiles are first used in their order, by rig_reset, so that each has the next words. */
static uint64_t *got_tile(struct rig *r, size_t tile) {
    size_t first = tile * PLANE_TILE_WORDS, left = RIG_WORDS - first;
    size_t words = left < PLANE_TILE_WORDS ? left : PLANE_TILE_WORDS;
    return plane_words(plane_piece(r->machine, first, words), 0);
}

void rig_reset(struct rig *r, uint64_t seed) {
    size_t n = tile_words(r);
    for (size_t k = 0; k < r->tiles; k++) {
        uint64_t *got = got_tile(r, k);
        for (size_t i = 0; i < n; i++)
            got[i] = splitmix64(&seed);
        memcpy(r->want + k * n, got, n * sizeof *got);
    }
}

/* --- what the ISA wants --- */

static void draw_chunk(const struct value_plan *p, uint64_t first, struct rig_chunk *x) {
    for (unsigned i = 0; i < CHUNK; i++) {
        uint64_t v[3];
        plan_lane(p, first + i, v);
        for (unsigned k = 0; k < 3; k++)
            x->in[k][i] = v[k];
    }
    uint64_t state = p->seed + first * 0x9e3779b97f4a7c15u + 1;
    for (unsigned i = 0; i < CHUNK_WORDS; i++) {
        x->c[i] = splitmix64(&state);
        x->valid[i] = splitmix64(&state) | splitmix64(&state);
        x->m[i] = splitmix64(&state) & x->valid[i];
    }
}

static uint64_t field_in(const struct form *f, const struct rig_chunk *x, unsigned field,
                         unsigned i) {
    return f->index[field] == NO_FIELD ? 0 : x->in[f->index[field]][i];
}

static struct golden_lane lane_in(const struct form *f, const struct rig_chunk *x, unsigned i) {
    return (struct golden_lane){.rs = field_in(f, x, 0, i) & low_bits(f->rs_width),
                                .rt = field_in(f, x, 1, i),
                                .rd = field_in(f, x, 2, i),
                                .c = x->c[i / 64] >> i % 64 & 1,
                                .m = x->m[i / 64] >> i % 64 & 1,
                                .valid = x->valid[i / 64] >> i % 64 & 1,
                                .w = f->w,
                                .imm = f->insn.imm};
}

static void lane_out(const struct form *f, struct rig_chunk *x, unsigned i,
                     const struct golden_lane *g) {
    uint32_t flags = f->info->flags;
    if (flags & WRITES_RS)
        x->out[f->index[0]][i] = g->rs;
    if (flags & WRITES_RT)
        x->out[f->index[1]][i] = g->rt;
    if (flags & WRITES_RD)
        x->out[f->index[2]][i] = g->rd;
    x->out_c[i / 64] |= (uint64_t)g->c << i % 64;
    x->out_m[i / 64] |= (uint64_t)g->m << i % 64;
}

/* Also where M is 0: the mask is applied to whole planes. */
static void golden_chunk(const struct rig *r, const struct form *f, struct rig_chunk *x) {
    memset(x->out_c, 0, sizeof x->out_c);
    memset(x->out_m, 0, sizeof x->out_m);
    for (unsigned i = 0; i < CHUNK; i++) {
        struct golden_lane g = lane_in(f, x, i);
        if (f->info->golden)
            f->info->golden(&g);
        else
            recipe_golden(r->set, f->insn.op, &g);
        lane_out(f, x, i, &g);
    }
}

static void to_planes(uint64_t *lanes, unsigned w) {
    uint64_t planes[CHUNK];
    elements_to_planes(lanes, CHUNK_WORDS, planes, CHUNK_WORDS, w);
    memcpy(lanes, planes, (size_t)w * CHUNK_WORDS * sizeof *planes);
}

/* The fields that the instruction writes. */
static bool writes_field(const struct form *f, unsigned field) {
    static const uint32_t writes[3] = {WRITES_RS, WRITES_RT, WRITES_RD};
    return f->info->flags & writes[field];
}

/* Two fields may be one register. */
static void chunk_to_planes(const struct form *f, struct rig_chunk *x) {
    bool written[3] = {false};
    for (unsigned field = 0; field < 3; field++)
        if (writes_field(f, field))
            written[f->index[field]] = true;
    for (unsigned k = 0; k < f->used_count; k++) {
        to_planes(x->in[k], f->w);
        if (written[k])
            to_planes(x->out[k], f->w);
    }
}

/* What goes in and what should come out does not depend on the masking. */
static void draw_block(struct rig *r, const struct form *f, const struct value_plan *p,
                       uint64_t first, size_t words) {
    for (size_t i = 0; i < words / CHUNK_WORDS; i++) {
        draw_chunk(p, first + i * CHUNK, &r->block[i]);
        golden_chunk(r, f, &r->block[i]);
        chunk_to_planes(f, &r->block[i]);
    }
}

/* --- into the machine --- */

/* One chunk's place in a tile, in the machine and in what is wanted. */
struct chunk_place {
    const struct rig *rig;
    uint64_t *got, *want; /* word of slot 0 */
};

static void put_words(const struct chunk_place *p, uint32_t slot, const uint64_t *words) {
    memcpy(p->got + (size_t)slot * PLANE_TILE_WORDS, words, CHUNK_WORDS * sizeof *words);
    memcpy(p->want + (size_t)slot * PLANE_TILE_WORDS, words, CHUNK_WORDS * sizeof *words);
}

/* `words` where M is 1 or the instruction is not predicated. */
static void want_words(const struct chunk_place *p, const struct form *f, const struct rig_chunk *x,
                       uint32_t slot, const uint64_t *words) {
    uint64_t *want = p->want + (size_t)slot * PLANE_TILE_WORDS;
    for (unsigned i = 0; i < CHUNK_WORDS; i++) {
        uint64_t change = form_is_predicated(f) ? x->m[i] : UINT64_MAX;
        want[i] = (want[i] & ~change) | (words[i] & change);
    }
}

static void put_chunk(const struct chunk_place *p, const struct form *f,
                      const struct rig_chunk *x) {
    const struct plane_machine *m = p->rig->machine;
    for (unsigned k = 0; k < f->used_count; k++)
        for (unsigned j = 0; j < f->w; j++)
            put_words(p, m->reg_slot[f->used[k]] + j, x->in[k] + (size_t)j * CHUNK_WORDS);
    put_words(p, m->c_slot, x->c);
    put_words(p, m->m_slot, x->m);
    put_words(p, m->valid_slot, x->valid);
}

static void want_chunk(const struct chunk_place *p, const struct form *f,
                       const struct rig_chunk *x) {
    uint32_t flags = f->info->flags;
    for (unsigned field = 0; field < 3; field++) {
        unsigned k = f->index[field];
        for (unsigned j = 0; writes_field(f, field) && j < f->w; j++)
            want_words(p, f, x, p->rig->machine->reg_slot[f->used[k]] + j,
                       x->out[k] + (size_t)j * CHUNK_WORDS);
    }
    if (flags & WRITES_C)
        want_words(p, f, x, p->rig->machine->c_slot, x->out_c);
    if (flags & WRITES_M)
        want_words(p, f, x, p->rig->machine->m_slot, x->out_m);
}

static void fill(struct rig *r, const struct form *f, size_t words) {
    for (size_t word = 0; word < words; word += CHUNK_WORDS) {
        size_t tile = word / PLANE_TILE_WORDS, at = word % PLANE_TILE_WORDS;
        struct chunk_place to = {r, got_tile(r, tile) + at, r->want + tile * tile_words(r) + at};
        put_chunk(&to, f, &r->block[word / CHUNK_WORDS]);
        want_chunk(&to, f, &r->block[word / CHUNK_WORDS]);
    }
}

/* --- and out --- */

/* The lowest lane of a tile in which some plane differs. */
static size_t first_difference(const struct rig *r, const uint64_t *got, const uint64_t *want) {
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < tile_words(r); i++) {
        uint64_t x = got[i] ^ want[i];
        size_t lane = i % PLANE_TILE_WORDS * 64 + (x ? (size_t)__builtin_ctzll(x) : 0);
        if (x && lane < best)
            best = lane;
    }
    return best;
}

/* One lane of a tile. */
struct lane_at {
    const struct plane_machine *m;
    const uint64_t *tile;
    size_t lane;
};

static uint64_t lane_bit(const struct lane_at *x, uint32_t slot) {
    return x->tile[(size_t)slot * PLANE_TILE_WORDS + x->lane / 64] >> (x->lane % 64) & 1;
}

static uint64_t lane_register(const struct lane_at *x, unsigned reg) {
    uint64_t v = 0;
    for (unsigned j = 0; j < 64; j++)
        v |= lane_bit(x, x->m->reg_slot[reg] + j) << j;
    return v;
}

static void print_register(struct str *out, unsigned reg, uint64_t v) {
    str_printf(out, " r%u = 0x%llx", reg, (unsigned long long)v);
}

/* What differs between two states of a lane, as the first one has it. */
static void print_differences(const struct lane_at *x, const struct lane_at *other,
                              struct str *out) {
    const struct plane_machine *m = x->m;
    const struct {
        const char *name;
        uint32_t slot;
    } bits[] = {{"C", m->c_slot}, {"M", m->m_slot}, {"valid", m->valid_slot}};
    for (unsigned r = 0; r < RIG_REGISTERS; r++)
        if (lane_register(x, r) != lane_register(other, r))
            print_register(out, r, lane_register(x, r));
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        if (lane_bit(x, bits[i].slot) != lane_bit(other, bits[i].slot))
            str_printf(out, " %s = %d", bits[i].name, (int)lane_bit(x, bits[i].slot));
}

/* The operands as they were drawn; bits above the width are those that should still be there. */
static void print_before(const struct form *f, const struct value_plan *p, uint64_t lane,
                         const struct lane_at *want, struct str *out) {
    struct rig_chunk x;
    unsigned i = (unsigned)(lane % CHUNK);
    draw_chunk(p, lane - i, &x);
    for (unsigned k = 0; k < f->used_count; k++)
        print_register(out, f->used[k],
                       (lane_register(want, f->used[k]) & ~low_bits(f->w)) | x.in[k][i]);
    str_printf(out, " C = %d M = %d valid = %d", (int)(x.c[i / 64] >> i % 64 & 1),
               (int)(x.m[i / 64] >> i % 64 & 1), (int)(x.valid[i / 64] >> i % 64 & 1));
}

/* `first` is the lane that the tiles begin with. */
static bool report(const struct rig *r, const struct form *f, const struct value_plan *p,
                   uint64_t first, const uint64_t *found, const uint64_t *want_tile,
                   struct diag *d) {
    size_t in_tile = first_difference(r, found, want_tile);
    uint64_t lane = first + in_tile;
    struct lane_at got = {r->machine, found, in_tile};
    struct lane_at want = {r->machine, want_tile, in_tile};
    struct str text = {0};
    form_print(f, &text);
    str_printf(&text, ": lane %llu: before", (unsigned long long)lane);
    print_before(f, p, lane, &want, &text);
    str_append(&text, "; got");
    print_differences(&got, &want, &text);
    str_append(&text, "; expected");
    print_differences(&want, &got, &text);
    diag_error(d, NO_SPAN, "%s", str_text(&text));
    str_free(&text);
    return false;
}

static bool compare(struct rig *r, const struct form *f, const struct value_plan *p, uint64_t first,
                    size_t words, struct diag *d) {
    size_t n = tile_words(r);
    for (size_t k = 0; k * PLANE_TILE_WORDS < words; k++) {
        const uint64_t *got = got_tile(r, k), *want = r->want + k * n;
        if (memcmp(got, want, n * sizeof *got) != 0)
            return report(r, f, p, first + k * PLANE_TILE_WORDS * 64, got, want, d);
    }
    return true;
}

bool rig_try(struct rig *r, const struct rig_trial *trials, unsigned count,
             const struct value_plan *p, uint64_t lanes, struct diag *d) {
    for (uint64_t done = 0; done < lanes; done += RIG_LANES) {
        uint64_t here = lanes - done < RIG_LANES ? lanes - done : RIG_LANES;
        size_t words = (size_t)((here + CHUNK - 1) / CHUNK) * CHUNK_WORDS;
        struct vrf_range range = {0, (uint32_t)words};
        draw_block(r, trials[0].form, p, done, words);
        for (unsigned i = 0; i < count; i++) {
            fill(r, trials[i].form, words);
            r->dp->ops->execute(r->dp, trials[i].code, (struct vrf_set){&range, 1}, 0, NULL);
            if (!compare(r, trials[i].form, p, done, words, d))
                return false;
        }
    }
    return true;
}
