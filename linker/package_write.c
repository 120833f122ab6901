/* SPDX-License-Identifier: MIT
 * A package to bytes. */
#include "linker/package_format.h"
#include "linker/pack.h"
#include "object/bytes.h"
#include "support/file.h"

#include <string.h>

static void put_sizes(const struct package *p, size_t count, struct str *s) {
    put_u32(s, (uint32_t)count);
    for (size_t i = 0; i < count; i++)
        put_u64(s, (uint64_t)p->sizes[i]);
}

static void put_values(const struct package *p, struct str *s) {
    put_u32(s, (uint32_t)p->value_count);
    for (size_t i = 0; i < p->value_count; i++)
        put_u64(s, p->values[i]);
}

static void put_group_lanes(const struct package *p, struct str *s) {
    put_u32(s, p->group_count);
    for (uint32_t g = 0; g < p->group_count; g++)
        put_u32(s, p->group_lanes[g]);
}

static void put_rounds(const struct package *p, struct str *s) {
    uint32_t groups = p->slices ? p->group_count : 0;
    put_u64(s, p->rounds);
    put_u32(s, groups);
    for (uint32_t g = 0; g < groups; g++)
        put_u64(s, p->slices[g]);
}

static void put_finish(const struct package *p, struct str *s) {
    put_u32(s, p->finish.asked);
    put_u32(s, (uint32_t)p->finish_count);
    str_append_n(s, (const char *)p->finish.by_host, p->finish_count);
}

static void put_place(const struct package *p, struct str *s) {
    const uint32_t words[] = {p->place.asked, p->place.chosen, p->place.mpus, p->place.laps,
                              p->place.in_part};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        put_u32(s, words[i]);
}

static void put_text(const char *text, size_t size, struct str *s) {
    put_u32(s, (uint32_t)size);
    str_append_n(s, text, size);
}

static void put_code(const struct package *p, struct str *s) {
    const struct machine *m = p->code->machine;
    struct str code = {0};
    m->write(p->code, &code);
    put_text(m->kind->name, strlen(m->kind->name), s);
    put_u32(s, m->code_version);
    put_text(str_text(&code), code.len, s);
    str_free(&code);
}

static void put_patches(const struct package *p, struct str *s) {
    put_u32(s, (uint32_t)p->patch_count);
    for (size_t i = 0; i < p->patch_count; i++) {
        put_u32(s, p->patches[i]);
        put_u32(s, p->text[p->patches[i]]);
    }
}

static void put_piece(const struct move_piece *x, struct str *s) {
    put_u32(s, x->fill);
    put_u32(s, x->axes);
    put_u64(s, x->dst);
    put_u64(s, x->src);
    put_u32(s, x->dst_reg);
    put_u32(s, x->src_reg);
    for (uint32_t i = 0; i < x->axes; i++) {
        put_u64(s, x->axis[i].count);
        put_u64(s, (uint64_t)x->axis[i].dst);
        put_u64(s, (uint64_t)x->axis[i].src);
        put_u32(s, (uint32_t)x->axis[i].dst_reg);
        put_u32(s, (uint32_t)x->axis[i].src_reg);
    }
}

static void put_moves(const struct package *p, struct str *s) {
    put_u32(s, (uint32_t)p->plan_count);
    for (size_t i = 0; i < p->plan_count; i++) {
        put_u32(s, (uint32_t)p->plans[i].piece_count);
        for (size_t k = 0; k < p->plans[i].piece_count; k++)
            put_piece(&p->plans[i].pieces[k], s);
    }
}

static void put_fixed(const struct package *p, struct str *s) {
    put_u32(s, (uint32_t)p->fixed_count);
    for (size_t i = 0; i < p->fixed_count; i++) {
        const struct fixed_vrf *f = &p->fixed[i];
        const uint32_t words[] = {f->rfh, f->vrf, f->mpu_offset, f->phys_rfh, f->phys_vrf};
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            put_u32(s, words[w]);
    }
}

/* True if b lies in the VRF behind a's `vrfs`-th and goes on with its elements. */
static bool joins(const struct package *p, const struct vrf_run *a, const struct placement *b) {
    uint64_t at = (uint64_t)a->vrf * p->rfh_per_mpu + a->rfh + a->vrfs;
    return a->group == b->group && a->mpu == b->mpu && b->first == a->first + a->count &&
           a->count == (uint64_t)a->vrfs * a->lanes && b->count <= a->lanes &&
           at == (uint64_t)b->vrf * p->rfh_per_mpu + b->rfh;
}

static void put_run(const struct vrf_run *r, struct str *s) {
    const uint32_t words[] = {r->group, r->mpu, r->rfh, r->vrf, r->vrfs, r->lanes};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        put_u32(s, words[w]);
    put_u64(s, r->first);
    put_u64(s, r->count);
}

static uint32_t put_runs_only(const struct package *p, struct str *s) {
    uint32_t n = 0;
    struct vrf_run run = {0};
    for (size_t i = 0; i < p->placement_count; i++) {
        const struct placement *b = &p->placements[i];
        if (n && joins(p, &run, b)) {
            run.vrfs++;
            run.count += b->count;
            continue;
        }
        if (n)
            put_run(&run, s);
        run = (struct vrf_run){b->group, b->mpu, b->rfh, b->vrf, 1, b->count, b->first, b->count};
        n++;
    }
    if (n)
        put_run(&run, s);
    return n;
}

static void put_runs(const struct package *p, struct str *s) {
    struct str runs = {0};
    uint32_t n = put_runs_only(p, &runs);
    put_u32(s, n);
    str_append_n(s, str_text(&runs), runs.len);
    str_free(&runs);
}

static void put_payload(const struct package *p, struct str *s) {
    const uint32_t words[] = {p->lanes, p->vrf_per_rfh, p->rfh_per_mpu,
                              p->mpus,  p->image_first, p->image_count};
    put_u32(s, (uint32_t)strlen(p->target));
    str_append(s, p->target);
    str_append_n(s, p->target_hash, 64);
    str_append_n(s, p->program_hash, 64);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        put_u32(s, words[i]);
    put_sizes(p, p->size_count, s);
    put_values(p, s);
    put_group_lanes(p, s);
    put_finish(p, s);
    put_rounds(p, s);
    put_place(p, s);
    put_u32(s, (uint32_t)p->call_count);
    str_append_n(s, (const char *)p->calls, p->call_count);
    str_append_n(s, (const char *)p->reg_bits, sizeof p->reg_bits);
    put_code(p, s);
    put_patches(p, s);
    put_fixed(p, s);
    put_moves(p, s);
    put_runs(p, s);
}

void package_write(const struct package *p, struct str *out) {
    struct str payload = {0};
    char digest[65];
    put_payload(p, &payload);
    sha256_hex(payload.text, payload.len, digest);
    put_u32(out, PACKAGE_MAGIC);
    put_u32(out, PACKAGE_VERSION);
    str_append_n(out, digest, PACKAGE_DIGEST);
    str_append_n(out, payload.text, payload.len);
    str_free(&payload);
}
