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

static unsigned part_bits(const struct rig *rig, unsigned part) {
    bool narrow = rig->machine->slot && parts[part].what == DP_REGISTER;
    return narrow ? rig->machine->slot : parts[part].bits;
}

/* The machine, in no known state. */
static bool open_machine(struct rig *rig, struct diag *diag) {
    uint8_t bits[64] = {0};
    for (unsigned r = 0; r < RIG_REGISTERS; r++)
        bits[r] = (uint8_t)part_bits(rig, r);
    struct dp_setup setup = rig->machine->setup;
    setup.target = &rig->target;
    setup.mpus = 1;
    setup.reg_bits = bits;
    rig->prepared = 0;
    rig->dp = rig->machine->open(&setup, diag);
    for (uint32_t v = 0; rig->dp && v < rig->vrfs; v++) {
        uint32_t lanes = rig->target.lanes;
        struct dp_binding binding = {v, lanes, (uint64_t)v * lanes, 0};
        const struct vrf_range one = {v, 1};
        struct dp_cost unasked = {0};
        if (rig->dp->tables.establishes)
            rig->dp->ops->establish(rig->dp, (struct vrf_set){&one, 1}, 0, &unasked);
        rig->dp->ops->bind(rig->dp, &binding, 1);
    }
    return rig->dp != NULL;
}

static void close_machine(struct rig *rig) {
    if (rig->dp)
        rig->dp->ops->close(rig->dp);
    rig->dp = NULL;
}

bool verify_rig_open(struct rig *rig, const struct verify_machine *machine, struct diag *diag) {
    uint32_t lanes = machine->lanes ? machine->lanes : RIG_CHUNK;
    *rig = (struct rig){.machine = machine, .target = *machine->setup.target};
    rig->vrfs = (uint32_t)ceil_div(RIG_LANES, lanes) + 1;
    rig->pass = (uint64_t)(rig->vrfs - 1) * lanes;
    rig->target.lanes = lanes;
    rig->target.vrf_per_rfh = rig->vrfs;
    rig->target.rfh_per_mpu = rig->target.mpus = 1;
    if (!open_machine(rig, diag))
        return false;
    for (unsigned i = 0; i < RIG_PARTS; i++)
        rig->want[i] = xcalloc(rig->pass + lanes, sizeof *rig->want[i]);
    rig->block = block_new(ceil_div(rig->pass, RIG_CHUNK) * RIG_CHUNK);
    return true;
}

void verify_rig_close(struct rig *rig) {
    close_machine(rig);
    for (unsigned i = 0; i < RIG_PARTS; i++)
        free(rig->want[i]);
    if (rig->block)
        free(rig->block->memory);
    free(rig->block);
    arena_free(&rig->tables);
    *rig = (struct rig){0};
}

/* --- into the machine --- */

/* Lanes of one VRF, at most RIG_CHUNK. */
struct slice {
    uint32_t vrf, first, count;
};
static struct slice slice_at(const struct rig *rig, uint64_t lane, uint64_t end) {
    uint32_t lanes = rig->target.lanes, first = (uint32_t)(lane % lanes);
    uint64_t left = end - lane;
    uint32_t count = lanes - first < RIG_CHUNK ? lanes - first : RIG_CHUNK;
    return (struct slice){(uint32_t)(lane / lanes), first, count < left ? count : (uint32_t)left};
}

/* The first `lanes` lanes: bits 0 .. w-1 of one part of them. */
static void put_values(struct rig *rig, unsigned part, unsigned w, uint64_t lanes,
                       const uint64_t *values) {
    uint64_t keep = ~low_bits(w), *want = rig->want[part];
    for (uint64_t at = 0; at < lanes;) {
        struct slice s = slice_at(rig, at, lanes);
        rig->dp->ops->put(rig->dp, s.vrf, parts[part].what, parts[part].reg, w, s.first, s.count,
                          values + at);
        for (uint64_t i = at; i < at + s.count; i++)
            want[i] = (want[i] & keep) | (values[i] & ~keep);
        at += s.count;
    }
}

/* All that the machine should hold. */
static void put_all(struct rig *rig) {
    for (unsigned i = 0; i < RIG_PARTS; i++)
        put_values(rig, i, part_bits(rig, i), rig->pass + rig->target.lanes, rig->want[i]);
}

void verify_rig_reset(struct rig *rig, uint64_t seed) {
    for (unsigned i = 0; i < RIG_PARTS; i++)
        for (uint64_t lane = 0; lane < rig->pass + rig->target.lanes; lane++)
            rig->want[i][lane] = splitmix64(&seed) & low_bits(part_bits(rig, i));
    put_all(rig);
}

/* --- code --- */

bool verify_rig_make_room(struct rig *rig, struct diag *diag) {
    if (rig->prepared < MOST_PREPARED)
        return true;
    close_machine(rig);
    if (!open_machine(rig, diag))
        return false;
    put_all(rig);
    return true;
}

uint64_t verify_rig_micro_ops(const struct rig *rig, const struct dp_code *code) {
    struct dp_description about;
    rig->dp->ops->describe(rig->dp, code, &about);
    return about.micro_ops;
}

/* What a form needs without any micro-op counts as much as FORM micro-ops. */
struct dp_code *verify_rig_prepare(struct rig *rig, const struct insn *insn, bool masked,
                                   struct diag *diag) {
    enum { FORM = 64 };
    const struct dp_run run = {insn, 1, masked, 0};
    struct dp_code *code = rig->dp->ops->prepare(rig->dp, &run, diag);
    rig->prepared += code ? FORM + verify_rig_micro_ops(rig, code) : 0;
    return code;
}

/* --- what the ISA wants --- */

/* C, M and valid of 64 lanes are drawn at once. */
static void draw_bits(uint64_t *state, struct rig_block *block, uint64_t at) {
    uint64_t c = splitmix64(state);
    uint64_t valid = splitmix64(state);
    valid |= splitmix64(state);
    uint64_t m = splitmix64(state) & valid;
    for (unsigned i = 0; i < 64; i++) {
        block->c[at + i] = c >> i & 1;
        block->m[at + i] = m >> i & 1;
        block->valid[at + i] = valid >> i & 1;
    }
}

/* RIG_CHUNK lanes of the plan, from `first` on, to those of the block from `at` on. */
static void draw_chunk(const struct value_plan *plan, uint64_t first, struct rig_block *block,
                       uint64_t at) {
    for (unsigned i = 0; i < RIG_CHUNK; i++) {
        uint64_t v[3];
        verify_plan_lane(plan, first + i, v);
        for (unsigned k = 0; k < 3; k++)
            block->in[k][at + i] = v[k];
    }
    uint64_t state = plan->seed + first * 0x9e3779b97f4a7c15u + 1;
    for (unsigned i = 0; i < RIG_CHUNK; i += 64)
        draw_bits(&state, block, at + i);
}

static uint64_t field_in(const struct insn_form *form, const struct rig_block *block,
                         unsigned field, uint64_t index) {
    return form->index[field] == NO_FIELD ? 0 : block->in[form->index[field]][index];
}

static struct golden_lane lane_in(const struct insn_form *form, const struct rig_block *block,
                                  uint64_t index) {
    return (struct golden_lane){.rs = field_in(form, block, 0, index) & low_bits(form->rs_width),
                                .rt = field_in(form, block, 1, index) & low_bits(form->rt_width),
                                .rd = field_in(form, block, 2, index),
                                .c = block->c[index],
                                .m = block->m[index],
                                .valid = block->valid[index],
                                .w = form->w,
                                .imm = form->insn.imm,
                                .lut = form->insn.table};
}

static void lane_out(const struct insn_form *form, struct rig_block *block, uint64_t index,
                     const struct golden_lane *lane) {
    uint32_t flags = form->info->flags;
    if (flags & WRITES_RS)
        block->out[form->index[0]][index] = lane->rs;
    if (flags & WRITES_RT)
        block->out[form->index[1]][index] = lane->rt;
    if (flags & WRITES_RD)
        block->out[form->index[2]][index] = lane->rd;
    block->out_c[index] = lane->c;
    block->out_m[index] = lane->m;
}

static void golden_block(const struct rig *rig, const struct insn_form *form, uint64_t lanes) {
    struct rig_block *b = rig->block;
    for (uint64_t i = 0; i < lanes; i++) {
        struct golden_lane g = lane_in(form, b, i);
        if (rig->machine->golden)
            rig->machine->golden(rig->machine->context, form->insn.op, &g);
        else
            form->info->golden(&g);
        lane_out(form, b, i, &g);
    }
}

/* What goes in and what should come out does not depend on the masking. */
static void draw_block(struct rig *rig, const struct insn_form *form, const struct value_plan *plan,
                       uint64_t first, uint64_t lanes) {
    for (uint64_t at = 0; at < lanes; at += RIG_CHUNK)
        draw_chunk(plan, first + at, rig->block, at);
    golden_block(rig, form, lanes);
}

/* True if the instruction writes the k-th register that it uses.  Two fields may be one register.
 */
static bool writes_register(const struct insn_form *form, unsigned index) {
    static const uint32_t writes[3] = {WRITES_RS, WRITES_RT, WRITES_RD};
    for (unsigned field = 0; field < 3; field++)
        if (form->info->flags & writes[field] && form->index[field] == index)
            return true;
    return false;
}

/* As many bits as the values of the k-th register that it uses have. */
static unsigned bits_of(const struct insn_form *form, unsigned index) {
    unsigned bits = form->w;
    if (form->index[0] == index && form->rs_width > bits)
        bits = form->rs_width;
    if (form->index[1] == index && form->rt_width > bits)
        bits = form->rt_width;
    return bits;
}

/* What goes in; `again` after a trial of the same lanes, which left all that is not written. */
static void fill(struct rig *rig, const struct insn_form *form, uint64_t lanes, bool again) {
    const struct rig_block *b = rig->block;
    uint32_t flags = form->info->flags;
    for (unsigned k = 0; k < form->used_count; k++)
        if (!again || writes_register(form, k))
            put_values(rig, form->used[k], bits_of(form, k), lanes, b->in[k]);
    if (!again || flags & WRITES_C)
        put_values(rig, RIG_C, 1, lanes, b->c);
    if (!again || flags & WRITES_M)
        put_values(rig, RIG_M, 1, lanes, b->m);
    if (!again)
        put_values(rig, RIG_VALID, 1, lanes, b->valid);
}

/* Bits 0 .. w-1 of `values`, where M is 1 or the instruction is not predicated. */
static void want_values(struct rig *rig, const struct insn_form *form, unsigned part, unsigned w,
                        uint64_t lanes, const uint64_t *values) {
    const uint64_t *m = rig->block->m;
    uint64_t *want = rig->want[part], any = form_is_predicated(form) ? 0 : UINT64_MAX,
             low = low_bits(w);
    for (uint64_t i = 0; i < lanes; i++) {
        uint64_t change = (any | (0 - m[i])) & low;
        want[i] = (want[i] & ~change) | (values[i] & change);
    }
}

static void want_results(struct rig *rig, const struct insn_form *form, uint64_t lanes) {
    const struct rig_block *b = rig->block;
    for (unsigned k = 0; k < form->used_count; k++)
        if (writes_register(form, k))
            want_values(rig, form, form->used[k], form->w, lanes, b->out[k]);
    if (form->info->flags & WRITES_C)
        want_values(rig, form, RIG_C, 1, lanes, b->out_c);
    if (form->info->flags & WRITES_M)
        want_values(rig, form, RIG_M, 1, lanes, b->out_m);
}

/* --- and out --- */

static void get_values(struct rig *rig, unsigned part, struct slice slice, uint64_t *values) {
    rig->dp->ops->get(rig->dp, slice.vrf, parts[part].what, parts[part].reg, slice.first,
                      slice.count, values);
}

/* True if all of a slice that begins with `lane` is as it should be; else *lane is the first one
 * that is not. */
static bool slice_fits(struct rig *rig, struct slice slice, uint64_t *lane) {
    uint64_t got[RIG_CHUNK];
    uint32_t fits = slice.count;
    for (unsigned part = 0; part < RIG_PARTS; part++) {
        const uint64_t *want = rig->want[part] + *lane;
        get_values(rig, part, slice, got);
        if (memcmp(got, want, fits * sizeof *got) == 0)
            continue;
        for (fits = 0; got[fits] == want[fits];)
            fits++;
    }
    *lane += fits;
    return fits == slice.count;
}

/* Compares lanes *lane .. end-1; *lane is then the first one that differs. */
static bool lanes_fit(struct rig *rig, uint64_t *lane, uint64_t end) {
    while (*lane < end)
        if (!slice_fits(rig, slice_at(rig, *lane, end), lane))
            return false;
    return true;
}

static void print_part(struct str *out, unsigned part, uint64_t value) {
    if (part < RIG_REGISTERS)
        str_printf(out, " %s = 0x%llx", parts[part].name, (unsigned long long)value);
    else
        str_printf(out, " %s = %d", parts[part].name, (int)value);
}

/* What differs, as it came out and as it should have. */
static void print_difference(struct rig *rig, uint64_t lane, struct str *out) {
    uint64_t got[RIG_PARTS];
    for (unsigned i = 0; i < RIG_PARTS; i++)
        get_values(rig, i, slice_at(rig, lane, lane + 1), &got[i]);
    str_append(out, " got");
    for (unsigned i = 0; i < RIG_PARTS; i++)
        if (got[i] != rig->want[i][lane])
            print_part(out, i, got[i]);
    str_append(out, "; expected");
    for (unsigned i = 0; i < RIG_PARTS; i++)
        if (got[i] != rig->want[i][lane])
            print_part(out, i, rig->want[i][lane]);
}

/* The operands as they went in; bits above the width are those that should still be there. */
static void print_before(const struct rig *rig, const struct insn_form *form, uint64_t lane,
                         struct str *out) {
    const struct rig_block *b = rig->block;
    for (unsigned k = 0; k < form->used_count; k++)
        print_part(out, form->used[k],
                   (rig->want[form->used[k]][lane] & ~low_bits(form->w)) | b->in[k][lane]);
    print_part(out, RIG_C, b->c[lane]);
    print_part(out, RIG_M, b->m[lane]);
    print_part(out, RIG_VALID, b->valid[lane]);
}

/* Ends and reports the message that `text` begins with. */
static bool report(struct rig *rig, uint64_t lane, struct str *text, struct diag *diag) {
    print_difference(rig, lane, text);
    diag_error(diag, NO_SPAN, "%s", str_text(text));
    str_free(text);
    return false;
}

/* Of the block's lanes, which are those of the plan from `first` on, and of the VRF behind them. */
static bool compare(struct rig *rig, const struct insn_form *form, uint64_t first, uint64_t lanes,
                    struct diag *diag) {
    struct str text = {0};
    uint64_t lane = 0;
    if (lanes_fit(rig, &lane, lanes + rig->target.lanes))
        return true;
    verify_form_print(form, &text);
    if (lane >= lanes) {
        str_printf(&text, ": VRF %llu, which has no part in it:",
                   (unsigned long long)(lane / rig->target.lanes));
        return report(rig, lane, &text, diag);
    }
    str_printf(&text, ": lane %llu: before", (unsigned long long)(first + lane));
    print_before(rig, form, lane, &text);
    str_append(&text, ";");
    return report(rig, lane, &text, diag);
}

bool verify_rig_compare_all(struct rig *rig, enum isa_op op, struct diag *diag) {
    struct str text = {0};
    uint64_t lane = 0;
    if (lanes_fit(rig, &lane, rig->pass + rig->target.lanes))
        return true;
    str_printf(&text, "%s: VRF %llu, which had no part in it:", isa_info(op)->name,
               (unsigned long long)(lane / rig->target.lanes));
    return report(rig, lane, &text, diag);
}

/* Those that work on the next lanes of `left`: whole chunks, so that few operands meet many C, M
 * and valid. */
static uint32_t vrfs_for(const struct rig *rig, uint64_t left) {
    uint64_t lanes = left < rig->pass ? ceil_div(left, RIG_CHUNK) * RIG_CHUNK : rig->pass;
    return (uint32_t)ceil_div(lanes < rig->pass ? lanes : rig->pass, rig->target.lanes);
}

bool verify_rig_try(struct rig *rig, const struct rig_trial *trials, unsigned count,
                    const struct value_plan *plan, uint64_t lanes, struct diag *diag) {
    for (uint64_t done = 0; done < lanes; done += rig->pass) {
        struct vrf_range range = {0, vrfs_for(rig, lanes - done)};
        uint64_t here = (uint64_t)range.count * rig->target.lanes;
        draw_block(rig, trials[0].form, plan, done, here);
        for (unsigned i = 0; i < count; i++) {
            fill(rig, trials[i].form, here, i > 0);
            rig->dp->ops->execute(rig->dp, trials[i].code, (struct vrf_set){&range, 1},
                                  (struct dp_moment){0}, NULL);
            want_results(rig, trials[i].form, here);
            if (!compare(rig, trials[i].form, done, here, diag))
                return false;
        }
    }
    return true;
}
