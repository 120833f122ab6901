/* SPDX-License-Identifier: MIT
 * A DPU and golden side by side. */
#include "tests/core/dpu_rig.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint64_t rig_random(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t x = *seed;
    x ^= x >> 33;
    x *= UINT64_C(0xff51afd7ed558ccd);
    return x ^ x >> 29;
}
uint64_t rig_number(uint64_t *seed, unsigned bits) {
    uint64_t r = rig_random(seed), x = rig_random(seed);
    switch (r % 8) {
    case 0:
        return (r >> 8) % 4 & low_bits(bits);
    case 1:
        return (0 - (r >> 8) % 4) & low_bits(bits);
    case 2:
        return ((UINT64_C(1) << (r >> 8) % bits) - (r >> 20) % 2) & low_bits(bits);
    case 3:
        return x & low_bits(1 + (unsigned)((r >> 8) % bits));
    case 4:
        return (r >> 8) % 70 & low_bits(bits);
    default:
        return x & low_bits(bits);
    }
}

static unsigned bytes_of(const struct rig *r, unsigned array) {
    return array < 64 ? scalar_bytes(r->bits[array]) : 1;
}

void rig_open(struct rig *r, const uint8_t *bits, uint32_t elements, uint32_t tasklets,
              uint64_t *seed) {
    *r = (struct rig){.state.elements = elements};
    memcpy(r->bits, bits, sizeof r->bits);
    uint32_t at = 4096;
    for (unsigned a = 0; a < SCALAR_ARRAYS; a++) {
        if (a < 64 && !bits[a])
            continue;
        uint64_t *v = r->state.values[a] = xcalloc(elements, sizeof *v);
        for (uint32_t i = 0; i < elements; i++)
            v[i] = a == SCALAR_VALID ? rig_random(seed) % 8 != 0
                   : a >= 64         ? rig_random(seed) & 1
                                     : rig_number(seed, bits[a]);
        r->loop.base[a] = at;
        at += dpu_loop_round(elements) * bytes_of(r, a) + 64;
    }
    r->loop.far_base = at;
    for (uint32_t i = 0; i < elements; i++)
        r->state.values[SCALAR_M][i] &= r->state.values[SCALAR_VALID][i];
    r->loop.elements = elements;
    r->loop.tasklets = tasklets;
    r->loop.wram_first = 16384;
    r->loop.wram_bytes = 49152;
    r->loop.iram_words = DPU_IRAM_WORDS;
    r->loop.tables = r->table_at;
}
void rig_close(struct rig *r) {
    for (unsigned a = 0; a < SCALAR_ARRAYS; a++)
        free(r->state.values[a]);
    str_free(&r->text);
}

/* ---- golden: the functions of isa-spec/, as target golden calls them ---- */

void rig_golden(struct rig_state *s, const struct insn *x, uint32_t i, bool masked) {
    const struct isa_info *info = isa_info(x->op);
    unsigned w = x->width ? x->width : 64, source = x->width ? isa_source_bits(x) : w,
             second = x->width ? isa_operand_bits(x, ROLE_RT) : w;
    uint64_t **v = s->values;
    if (masked && !v[SCALAR_M][i])
        return;
    struct golden_lane l = {.rs = v[x->rs] ? v[x->rs][i] & low_bits(source) : 0,
                            .rt = v[x->rt] ? v[x->rt][i] & low_bits(second) : 0,
                            .rd = v[x->rd] ? v[x->rd][i] & low_bits(w) : 0,
                            .c = v[SCALAR_C][i],
                            .m = v[SCALAR_M][i],
                            .valid = v[SCALAR_VALID][i],
                            .w = w,
                            .imm = x->imm,
                            .lut = x->table,
                            .flush = s->flush};
    info->golden(&l);
    const struct {
        uint32_t flag;
        uint8_t reg;
        uint64_t value;
    } writes[] = {{WRITES_RD, x->rd, l.rd}, {WRITES_RS, x->rs, l.rs}, {WRITES_RT, x->rt, l.rt}};
    for (unsigned k = 0; k < 3; k++)
        if (info->flags & writes[k].flag)
            v[writes[k].reg][i] =
                (v[writes[k].reg][i] & ~low_bits(w)) | (writes[k].value & low_bits(w));
    if (info->flags & WRITES_C)
        v[SCALAR_C][i] = l.c;
    if (info->flags & WRITES_M)
        v[SCALAR_M][i] = l.m;
}
static void golden_run(struct rig *r, const struct insn *insns, size_t count, bool masked) {
    for (size_t k = 0; k < count; k++) {
        uint32_t flags = isa_info(insns[k].op)->flags;
        for (uint32_t i = 0; i < r->state.elements; i++)
            rig_golden(&r->state, &insns[k], i, masked && !(flags & ISA_UNMASKED));
        masked = (masked || (flags & ISA_PREDICATE_ON)) && !(flags & ISA_PREDICATE_OFF);
    }
}

/* ---- the DPU ---- */

static void put(struct rig *r, struct dpu_core *core) {
    for (unsigned a = 0; a < SCALAR_ARRAYS; a++)
        for (uint32_t i = 0; r->state.values[a] && i < r->state.elements; i++)
            dpu_core_mram_put(core, r->loop.base[a] + i * bytes_of(r, a), &r->state.values[a][i],
                              bytes_of(r, a));
    for (uint32_t t = 0; t < r->lut_count; t++)
        for (uint32_t k = 0; k < 1u << r->luts[t].index_bits; k++) {
            unsigned bytes = scalar_bytes(r->luts[t].width);
            if (r->far[t])
                dpu_core_mram_put(core, r->loop.far_base + r->table_at[t] + k * bytes,
                                  &r->luts[t].entries[k], bytes);
            else
                dpu_core_wram_put(core, r->table_at[t] + k * bytes, &r->luts[t].entries[k], bytes);
        }
}
static void put_arguments(const struct rig *r, struct dpu_core *core) {
    uint32_t words[DPU_LOOP_ARGUMENTS];
    dpu_loop_arguments(r->state.elements, r->loop.tasklets, r->about.block, r->about.unrolled,
                       r->loop.base, r->loop.far_base, words);
    if (r->loop.arguments)
        dpu_core_wram_put(core, r->loop.arguments, words, sizeof words);
}
static bool compare(const struct rig *r, const struct dpu_core *core, struct str *what) {
    for (unsigned a = 0; a < SCALAR_ARRAYS; a++) {
        if (!r->state.values[a])
            continue;
        unsigned bytes = bytes_of(r, a), bits = a < 64 ? r->bits[a] : 8;
        if ((a < 64 && r->loop.run.dead >> a & 1) || (a == SCALAR_C && r->loop.run.dead_c) ||
            (a == SCALAR_M && r->loop.run.dead_m))
            continue;
        for (uint32_t i = 0; i < r->state.elements; i++) {
            uint64_t got = 0, want = r->state.values[a][i];
            dpu_core_mram_get(core, r->loop.base[a] + i * bytes, &got, bytes);
            if ((got ^ want) & low_bits(bits)) {
                str_printf(what, "array %u, element %" PRIu32 ": %#" PRIx64 ", golden %#" PRIx64, a,
                           i, got & low_bits(bits), want);
                return false;
            }
        }
        /* Nothing behind the last block. */
        uint64_t behind = 0;
        dpu_core_mram_get(core, r->loop.base[a] + dpu_loop_round(r->state.elements) * bytes,
                          &behind, 8);
        if (behind) {
            str_printf(what, "array %u is written behind its end", a);
            return false;
        }
    }
    return true;
}
static bool carry_out(struct rig *r, const struct insn *insns, size_t count, bool masked,
                      struct str *what) {
    struct diag *d = diag_new(NULL, NULL);
    struct dpu_program *p = dpu_assemble("run.s", str_text(&r->text), r->text.len, d);
    struct dpu_core *core = p ? dpu_core_new(&DPU_TIME_MEASURED) : NULL;
    bool fine = p != NULL;
    if (!p)
        str_printf(what, "%s", diag_first(d));
    if (p && p->words.len != r->about.words) {
        str_printf(what, "%zu words, counted %" PRIu32, p->words.len, r->about.words);
        fine = false;
    }
    if (fine) {
        dpu_core_load(core, p);
        put(r, core);
        put_arguments(r, core);
        fine = dpu_core_run(core, 100000000);
        if (!fine)
            dpu_core_explain(core, p, what);
        dpu_core_counters(core, &r->counters);
    }
    if (fine) {
        golden_run(r, insns, count, masked);
        fine = compare(r, core, what);
    }
    if (core)
        dpu_core_free(core);
    dpu_program_free(p);
    diag_free(d);
    return fine;
}

bool rig_run(struct rig *r, const struct insn *insns, size_t count, bool masked, struct str *what) {
    uint64_t which = 0;
    r->loop.run.insns = insns;
    r->loop.run.count = count;
    r->loop.run.masked = masked;
    r->loop.run.reg_bits = r->bits;
    r->loop.run.flush = r->state.flush;
    r->loop.run.far = r->far;
    if (r->loop.run.all_valid)
        for (uint32_t i = 0; i < r->state.elements; i++)
            r->state.values[SCALAR_VALID][i] = 1;
    str_clear(&r->text);
    enum dpu_loop_trouble trouble = dpu_loop_text(&r->loop, &r->text, &r->about, &which);
    if (trouble) {
        str_printf(what, "trouble %d, %" PRIu64, trouble, which);
        return false;
    }
    return carry_out(r, insns, count, masked, what);
}

void rig_print(const struct insn *insns, size_t count, struct str *out) {
    for (size_t i = 0; i < count; i++) {
        str_append(out, "\n    ");
        isa_format_insn(&insns[i], NULL, out);
    }
}
