/* SPDX-License-Identifier: MIT
 * Lanes go in by put and come out by get.  Beside the machine stands what each of its lanes should
 * hold, whole registers, C, M and valid: what the ISA wants of an instruction is computed lane by
 * lane and written there, and one comparison of all that get gives then covers results, what is
 * above the width, registers that are no operands, and lanes that had no part in it. */
#include "machines/verify/matrix.h"
#include "support/bits.h"

#include <string.h>

/* Micro-ops whose code a machine keeps: a few MB.  More was no faster. */
#define MOST_PREPARED (1 << 14)

/* Lanes before and after an instruction, by register in the order of form.used; C, M and valid as 0
 * or 1.  What comes out is that of lanes where M is 1. */
struct rig_block {
    uint64_t *in[3], *out[3];
    uint64_t *c, *m, *valid;
    uint64_t *out_c, *out_m;
    uint64_t *memory;
};

static const struct {
    enum dp_what what;
    uint8_t reg, bits;
    const char *name;
} parts[RIG_PARTS] = {{DP_REGISTER, 0, 64, "r0"}, {DP_REGISTER, 1, 64, "r1"},
                      {DP_REGISTER, 2, 64, "r2"}, {DP_REGISTER, 3, 64, "r3"},
                      {DP_C, 0, 1, "C"},          {DP_M, 0, 1, "M"},
                      {DP_VALID, 0, 1, "valid"}};

/* --- opening --- */

static struct rig_block *block_new(uint64_t lanes) {
    struct rig_block *b = xcalloc(1, sizeof *b);
    uint64_t *at = b->memory = xcalloc(11 * lanes, sizeof *at);
    uint64_t **const places[] = {&b->in[0],  &b->in[1],  &b->in[2], &b->out[0],
                                 &b->out[1], &b->out[2], &b->c,     &b->m,
                                 &b->valid,  &b->out_c,  &b->out_m};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++, at += lanes)
        *places[i] = at;
    return b;
}

/* The machine, in no known state. */
static bool open_machine(struct rig *r, struct diag *d) {
    static const uint8_t bits[64] = {64, 64, 64, 64};
    struct dp_setup setup = r->machine->setup;
    setup.target = &r->target;
    setup.mpus = 1;
    setup.reg_bits = bits;
    r->prepared = 0;
    r->dp = r->machine->open(&setup, d);
    for (uint32_t v = 0; r->dp && v < r->vrfs; v++) {
        uint32_t lanes = r->target.lanes;
        struct dp_binding binding = {v, lanes, (uint64_t)v * lanes};
        r->dp->ops->bind(r->dp, &binding, 1);
    }
    return r->dp != NULL;
}

static void close_machine(struct rig *r) {
    if (r->dp)
        r->dp->ops->close(r->dp);
    r->dp = NULL;
}

bool verify_rig_open(struct rig *r, const struct verify_machine *m, struct diag *d) {
    uint32_t lanes = m->lanes ? m->lanes : RIG_CHUNK;
    *r = (struct rig){.machine = m, .target = *m->setup.target};
    r->vrfs = (uint32_t)ceil_div(RIG_LANES, lanes) + 1;
    r->pass = (uint64_t)(r->vrfs - 1) * lanes;
    r->target.lanes = lanes;
    r->target.vrf_per_rfh = r->vrfs;
    r->target.rfh_per_mpu = r->target.mpus = 1;
    if (!open_machine(r, d))
        return false;
    for (unsigned i = 0; i < RIG_PARTS; i++)
        r->want[i] = xcalloc(r->pass + lanes, sizeof *r->want[i]);
    r->block = block_new(ceil_div(r->pass, RIG_CHUNK) * RIG_CHUNK);
    return true;
}

void verify_rig_close(struct rig *r) {
    close_machine(r);
    for (unsigned i = 0; i < RIG_PARTS; i++)
        free(r->want[i]);
    if (r->block)
        free(r->block->memory);
    free(r->block);
    *r = (struct rig){0};
}

/* --- into the machine --- */

/* Lanes of one VRF, at most RIG_CHUNK. */
struct slice {
    uint32_t vrf, first, count;
};
static struct slice slice_at(const struct rig *r, uint64_t lane, uint64_t end) {
    uint32_t lanes = r->target.lanes, first = (uint32_t)(lane % lanes);
    uint64_t left = end - lane;
    uint32_t count = lanes - first < RIG_CHUNK ? lanes - first : RIG_CHUNK;
    return (struct slice){(uint32_t)(lane / lanes), first, count < left ? count : (uint32_t)left};
}

/* The first `lanes` lanes: bits 0 .. w-1 of one part of them. */
static void put_values(struct rig *r, unsigned part, unsigned w, uint64_t lanes,
                       const uint64_t *values) {
    uint64_t keep = ~low_bits(w), *want = r->want[part];
    for (uint64_t at = 0; at < lanes;) {
        struct slice s = slice_at(r, at, lanes);
        r->dp->ops->put(r->dp, s.vrf, parts[part].what, parts[part].reg, w, s.first, s.count,
                        values + at);
        for (uint64_t i = at; i < at + s.count; i++)
            want[i] = (want[i] & keep) | (values[i] & ~keep);
        at += s.count;
    }
}

/* All that the machine should hold. */
static void put_all(struct rig *r) {
    for (unsigned i = 0; i < RIG_PARTS; i++)
        put_values(r, i, parts[i].bits, r->pass + r->target.lanes, r->want[i]);
}

void verify_rig_reset(struct rig *r, uint64_t seed) {
    for (unsigned i = 0; i < RIG_PARTS; i++)
        for (uint64_t lane = 0; lane < r->pass + r->target.lanes; lane++)
            r->want[i][lane] = splitmix64(&seed) & low_bits(parts[i].bits);
    put_all(r);
}

/* --- code --- */

bool verify_rig_make_room(struct rig *r, struct diag *d) {
    if (r->prepared < MOST_PREPARED)
        return true;
    close_machine(r);
    if (!open_machine(r, d))
        return false;
    put_all(r);
    return true;
}

uint64_t verify_rig_micro_ops(const struct rig *r, const struct dp_code *code) {
    struct dp_description about;
    r->dp->ops->describe(r->dp, code, &about);
    return about.micro_ops;
}

/* What a form needs without any micro-op counts as much as FORM micro-ops. */
struct dp_code *verify_rig_prepare(struct rig *r, const struct insn *insn, bool masked,
                                   struct diag *d) {
    enum { FORM = 64 };
    const struct dp_run run = {insn, 1, masked};
    struct dp_code *code = r->dp->ops->prepare(r->dp, &run, d);
    r->prepared += code ? FORM + verify_rig_micro_ops(r, code) : 0;
    return code;
}

/* --- what the ISA wants --- */

/* C, M and valid of 64 lanes are drawn at once. */
static void draw_bits(uint64_t *state, struct rig_block *b, uint64_t at) {
    uint64_t c = splitmix64(state);
    uint64_t valid = splitmix64(state);
    valid |= splitmix64(state);
    uint64_t m = splitmix64(state) & valid;
    for (unsigned i = 0; i < 64; i++) {
        b->c[at + i] = c >> i & 1;
        b->m[at + i] = m >> i & 1;
        b->valid[at + i] = valid >> i & 1;
    }
}

/* RIG_CHUNK lanes of the plan, from `first` on, to those of the block from `at` on. */
static void draw_chunk(const struct value_plan *p, uint64_t first, struct rig_block *b,
                       uint64_t at) {
    for (unsigned i = 0; i < RIG_CHUNK; i++) {
        uint64_t v[3];
        verify_plan_lane(p, first + i, v);
        for (unsigned k = 0; k < 3; k++)
            b->in[k][at + i] = v[k];
    }
    uint64_t state = p->seed + first * 0x9e3779b97f4a7c15u + 1;
    for (unsigned i = 0; i < RIG_CHUNK; i += 64)
        draw_bits(&state, b, at + i);
}

static uint64_t field_in(const struct insn_form *f, const struct rig_block *b, unsigned field,
                         uint64_t i) {
    return f->index[field] == NO_FIELD ? 0 : b->in[f->index[field]][i];
}

static struct golden_lane lane_in(const struct insn_form *f, const struct rig_block *b,
                                  uint64_t i) {
    return (struct golden_lane){.rs = field_in(f, b, 0, i) & low_bits(f->rs_width),
                                .rt = field_in(f, b, 1, i),
                                .rd = field_in(f, b, 2, i),
                                .c = b->c[i],
                                .m = b->m[i],
                                .valid = b->valid[i],
                                .w = f->w,
                                .imm = f->insn.imm};
}

static void lane_out(const struct insn_form *f, struct rig_block *b, uint64_t i,
                     const struct golden_lane *g) {
    uint32_t flags = f->info->flags;
    if (flags & WRITES_RS)
        b->out[f->index[0]][i] = g->rs;
    if (flags & WRITES_RT)
        b->out[f->index[1]][i] = g->rt;
    if (flags & WRITES_RD)
        b->out[f->index[2]][i] = g->rd;
    b->out_c[i] = g->c;
    b->out_m[i] = g->m;
}

static void golden_block(const struct rig *r, const struct insn_form *f, uint64_t lanes) {
    struct rig_block *b = r->block;
    for (uint64_t i = 0; i < lanes; i++) {
        struct golden_lane g = lane_in(f, b, i);
        if (f->info->golden)
            f->info->golden(&g);
        else
            r->machine->golden(r->machine->context, f->insn.op, &g);
        lane_out(f, b, i, &g);
    }
}

/* What goes in and what should come out does not depend on the masking. */
static void draw_block(struct rig *r, const struct insn_form *f, const struct value_plan *p,
                       uint64_t first, uint64_t lanes) {
    for (uint64_t at = 0; at < lanes; at += RIG_CHUNK)
        draw_chunk(p, first + at, r->block, at);
    golden_block(r, f, lanes);
}

/* True if the instruction writes the k-th register that it uses.  Two fields may be one register.
 */
static bool writes_register(const struct insn_form *f, unsigned k) {
    static const uint32_t writes[3] = {WRITES_RS, WRITES_RT, WRITES_RD};
    for (unsigned field = 0; field < 3; field++)
        if (f->info->flags & writes[field] && f->index[field] == k)
            return true;
    return false;
}

/* What goes in; `again` after a trial of the same lanes, which left all that is not written. */
static void fill(struct rig *r, const struct insn_form *f, uint64_t lanes, bool again) {
    const struct rig_block *b = r->block;
    uint32_t flags = f->info->flags;
    for (unsigned k = 0; k < f->used_count; k++)
        if (!again || writes_register(f, k))
            put_values(r, f->used[k], f->w, lanes, b->in[k]);
    if (!again || flags & WRITES_C)
        put_values(r, RIG_C, 1, lanes, b->c);
    if (!again || flags & WRITES_M)
        put_values(r, RIG_M, 1, lanes, b->m);
    if (!again)
        put_values(r, RIG_VALID, 1, lanes, b->valid);
}

/* Bits 0 .. w-1 of `values`, where M is 1 or the instruction is not predicated. */
static void want_values(struct rig *r, const struct insn_form *f, unsigned part, unsigned w,
                        uint64_t lanes, const uint64_t *values) {
    const uint64_t *m = r->block->m;
    uint64_t *want = r->want[part], any = form_is_predicated(f) ? 0 : UINT64_MAX, low = low_bits(w);
    for (uint64_t i = 0; i < lanes; i++) {
        uint64_t change = (any | (0 - m[i])) & low;
        want[i] = (want[i] & ~change) | (values[i] & change);
    }
}

static void want_results(struct rig *r, const struct insn_form *f, uint64_t lanes) {
    const struct rig_block *b = r->block;
    for (unsigned k = 0; k < f->used_count; k++)
        if (writes_register(f, k))
            want_values(r, f, f->used[k], f->w, lanes, b->out[k]);
    if (f->info->flags & WRITES_C)
        want_values(r, f, RIG_C, 1, lanes, b->out_c);
    if (f->info->flags & WRITES_M)
        want_values(r, f, RIG_M, 1, lanes, b->out_m);
}

/* --- and out --- */

static void get_values(struct rig *r, unsigned part, struct slice s, uint64_t *values) {
    r->dp->ops->get(r->dp, s.vrf, parts[part].what, parts[part].reg, s.first, s.count, values);
}

/* True if all of a slice that begins with `lane` is as it should be; else *lane is the first one
 * that is not. */
static bool slice_fits(struct rig *r, struct slice s, uint64_t *lane) {
    uint64_t got[RIG_CHUNK];
    uint32_t fits = s.count;
    for (unsigned part = 0; part < RIG_PARTS; part++) {
        const uint64_t *want = r->want[part] + *lane;
        get_values(r, part, s, got);
        if (memcmp(got, want, fits * sizeof *got) == 0)
            continue;
        for (fits = 0; got[fits] == want[fits];)
            fits++;
    }
    *lane += fits;
    return fits == s.count;
}

/* Compares lanes *lane .. end-1; *lane is then the first one that differs. */
static bool lanes_fit(struct rig *r, uint64_t *lane, uint64_t end) {
    while (*lane < end)
        if (!slice_fits(r, slice_at(r, *lane, end), lane))
            return false;
    return true;
}

static void print_part(struct str *out, unsigned part, uint64_t v) {
    if (part < RIG_REGISTERS)
        str_printf(out, " %s = 0x%llx", parts[part].name, (unsigned long long)v);
    else
        str_printf(out, " %s = %d", parts[part].name, (int)v);
}

/* What differs, as it came out and as it should have. */
static void print_difference(struct rig *r, uint64_t lane, struct str *out) {
    uint64_t got[RIG_PARTS];
    for (unsigned i = 0; i < RIG_PARTS; i++)
        get_values(r, i, slice_at(r, lane, lane + 1), &got[i]);
    str_append(out, " got");
    for (unsigned i = 0; i < RIG_PARTS; i++)
        if (got[i] != r->want[i][lane])
            print_part(out, i, got[i]);
    str_append(out, "; expected");
    for (unsigned i = 0; i < RIG_PARTS; i++)
        if (got[i] != r->want[i][lane])
            print_part(out, i, r->want[i][lane]);
}

/* The operands as they went in; bits above the width are those that should still be there. */
static void print_before(const struct rig *r, const struct insn_form *f, uint64_t lane,
                         struct str *out) {
    const struct rig_block *b = r->block;
    for (unsigned k = 0; k < f->used_count; k++)
        print_part(out, f->used[k], (r->want[f->used[k]][lane] & ~low_bits(f->w)) | b->in[k][lane]);
    print_part(out, RIG_C, b->c[lane]);
    print_part(out, RIG_M, b->m[lane]);
    print_part(out, RIG_VALID, b->valid[lane]);
}

/* Ends and reports the message that `text` begins with. */
static bool report(struct rig *r, uint64_t lane, struct str *text, struct diag *d) {
    print_difference(r, lane, text);
    diag_error(d, NO_SPAN, "%s", str_text(text));
    str_free(text);
    return false;
}

/* Of the block's lanes, which are those of the plan from `first` on, and of the VRF behind them. */
static bool compare(struct rig *r, const struct insn_form *f, uint64_t first, uint64_t lanes,
                    struct diag *d) {
    struct str text = {0};
    uint64_t lane = 0;
    if (lanes_fit(r, &lane, lanes + r->target.lanes))
        return true;
    verify_form_print(f, &text);
    if (lane >= lanes) {
        str_printf(&text, ": VRF %llu, which has no part in it:",
                   (unsigned long long)(lane / r->target.lanes));
        return report(r, lane, &text, d);
    }
    str_printf(&text, ": lane %llu: before", (unsigned long long)(first + lane));
    print_before(r, f, lane, &text);
    str_append(&text, ";");
    return report(r, lane, &text, d);
}

bool verify_rig_compare_all(struct rig *r, enum mpu_op op, struct diag *d) {
    struct str text = {0};
    uint64_t lane = 0;
    if (lanes_fit(r, &lane, r->pass + r->target.lanes))
        return true;
    str_printf(&text, "%s: VRF %llu, which had no part in it:", isa_info(op)->name,
               (unsigned long long)(lane / r->target.lanes));
    return report(r, lane, &text, d);
}

/* Those that work on the next lanes of `left`: whole chunks, so that few operands meet many C, M
 * and valid. */
static uint32_t vrfs_for(const struct rig *r, uint64_t left) {
    uint64_t lanes = left < r->pass ? ceil_div(left, RIG_CHUNK) * RIG_CHUNK : r->pass;
    return (uint32_t)ceil_div(lanes < r->pass ? lanes : r->pass, r->target.lanes);
}

bool verify_rig_try(struct rig *r, const struct rig_trial *trials, unsigned count,
                    const struct value_plan *p, uint64_t lanes, struct diag *d) {
    for (uint64_t done = 0; done < lanes; done += r->pass) {
        struct vrf_range range = {0, vrfs_for(r, lanes - done)};
        uint64_t here = (uint64_t)range.count * r->target.lanes;
        draw_block(r, trials[0].form, p, done, here);
        for (unsigned i = 0; i < count; i++) {
            fill(r, trials[i].form, here, i > 0);
            r->dp->ops->execute(r->dp, trials[i].code, (struct vrf_set){&range, 1}, 0, NULL);
            want_results(r, trials[i].form, here);
            if (!compare(r, trials[i].form, done, here, d))
                return false;
        }
    }
    return true;
}
