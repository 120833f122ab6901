/* SPDX-License-Identifier: MIT
 * Words to bits and back. */
#include "machines/plane/link/host_words.h"

#include <inttypes.h>

/* Widths of the publication's fields. */
enum { CROSSBAR_BITS = 16, ROW_BITS = 10, REGISTER_BITS = 5, PARTITION_BITS = 5, DATA_BITS = 32 };
enum { KIND_BITS = 2, FLAG_BITS = 1, GATE_BITS = 2, WORD_BITS = 64 };

/* Kinds as bits 1:0 have them; the flag in bit 2 tells two apart. */
enum { CODE_MASK, CODE_ACCESS, CODE_LOGIC, CODE_MOVE };

/* Bits that numbers below `count` take, at least `least`. */
static uint8_t bits_for(uint32_t count, uint8_t least) {
    uint8_t bits = least;
    while (bits < 32 && count > UINT32_C(1) << bits)
        bits++;
    return bits;
}

static unsigned gate_word_bits(const struct plane_crossbar *crossbar) {
    return KIND_BITS + FLAG_BITS + GATE_BITS +
           3 * (unsigned)(crossbar->register_bits + crossbar->partition_bits) +
           2 * (unsigned)crossbar->partition_bits;
}

/* The longest of all kinds. */
static unsigned word_bits(const struct plane_crossbar *x) {
    const unsigned head = KIND_BITS + FLAG_BITS;
    const unsigned lengths[] = {
        head + 3u * x->crossbar_bits,
        head + 3u * x->row_bits,
        head + (unsigned)x->register_bits + x->data_bits,
        gate_word_bits(x),
        head + GATE_BITS + 2u * x->row_bits + x->register_bits,
        KIND_BITS + 2u * ((unsigned)x->row_bits + x->register_bits) + x->crossbar_bits,
    };
    unsigned most = 0;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        most = lengths[i] > most ? lengths[i] : most;
    return most;
}

bool plane_crossbar_of(const struct target *target, struct plane_crossbar *out, struct str *why) {
    const struct plane_target *p = plane_target(target);
    uint64_t crossbars = (uint64_t)target->vrf_per_rfh * target->rfh_per_mpu * target->mpus;
    if (!p->partitioned) {
        str_printf(why, "target '%s' has no partitions that can be joined", target->name);
        return false;
    }
    if (crossbars == 0 || crossbars > UINT32_MAX || p->sections > 64) {
        str_printf(why, "target '%s' has %" PRIu64 " crossbars of %" PRIu32 " partitions",
                   target->name, crossbars, p->sections);
        return false;
    }
    *out = (struct plane_crossbar){(uint32_t)crossbars,
                                   target->lanes,
                                   p->rows,
                                   p->sections,
                                   bits_for((uint32_t)crossbars, CROSSBAR_BITS),
                                   bits_for(target->lanes, ROW_BITS),
                                   bits_for(p->rows, REGISTER_BITS),
                                   bits_for(p->sections, PARTITION_BITS),
                                   p->sections > DATA_BITS ? (uint8_t)p->sections : DATA_BITS};
    if (word_bits(out) <= WORD_BITS)
        return true;
    str_printf(why, "words for target '%s' would take %u bits, and have %d", target->name,
               word_bits(out), WORD_BITS);
    return false;
}

/* ---- fields, from the lowest bit on ---- */

struct packer {
    uint64_t bits;
    unsigned at;
};

static uint64_t low(unsigned bits) {
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static void put(struct packer *packer, uint64_t value, unsigned bits) {
    packer->bits |= (value & low(bits)) << packer->at;
    packer->at += bits;
}

static uint64_t take(struct packer *packer, unsigned bits) {
    uint64_t value = packer->at < WORD_BITS ? packer->bits >> packer->at & low(bits) : 0;
    packer->at += bits;
    return value;
}

static void put_head(struct packer *packer, unsigned code, unsigned flag) {
    put(packer, code, KIND_BITS);
    put(packer, flag, FLAG_BITS);
}

static void put_range(struct packer *packer, const struct plane_word *word, unsigned bits) {
    put(packer, word->start, bits);
    put(packer, word->stop, bits);
    put(packer, word->step, bits);
}

static void put_gates(struct packer *packer, const struct plane_crossbar *x,
                      const struct plane_word *word) {
    put(packer, word->gate, GATE_BITS);
    for (unsigned i = 0; i < 2; i++) {
        put(packer, word->in_reg[i], x->register_bits);
        put(packer, word->in_partition[i], x->partition_bits);
    }
    put(packer, word->reg, x->register_bits);
    put(packer, word->start, x->partition_bits);
    put(packer, word->stop, x->partition_bits);
    put(packer, word->step, x->partition_bits);
}

static void put_move(struct packer *packer, const struct plane_crossbar *x,
                     const struct plane_word *word) {
    put(packer, CODE_MOVE, KIND_BITS);
    put(packer, word->in_row, x->row_bits);
    put(packer, word->in_reg[0], x->register_bits);
    put(packer, word->out_row, x->row_bits);
    put(packer, word->reg, x->register_bits);
    put(packer, word->crossbar, x->crossbar_bits);
}

uint64_t plane_word_encode(const struct plane_crossbar *crossbar, const struct plane_word *word) {
    struct packer p = {0, 0};
    switch (word->kind) {
    case WORD_CROSSBARS:
        put_head(&p, CODE_MASK, 0);
        put_range(&p, word, crossbar->crossbar_bits);
        break;
    case WORD_ROWS:
        put_head(&p, CODE_MASK, 1);
        put_range(&p, word, crossbar->row_bits);
        break;
    case WORD_READ:
        put_head(&p, CODE_ACCESS, 0);
        put(&p, word->reg, crossbar->register_bits);
        break;
    case WORD_WRITE:
        put_head(&p, CODE_ACCESS, 1);
        put(&p, word->reg, crossbar->register_bits);
        put(&p, word->data, crossbar->data_bits);
        break;
    case WORD_GATES:
        put_head(&p, CODE_LOGIC, 0);
        put_gates(&p, crossbar, word);
        break;
    case WORD_VERTICAL:
        put_head(&p, CODE_LOGIC, 1);
        put(&p, word->gate, GATE_BITS);
        put(&p, word->in_row, crossbar->row_bits);
        put(&p, word->out_row, crossbar->row_bits);
        put(&p, word->reg, crossbar->register_bits);
        break;
    case WORD_MOVE:
    case WORD_KINDS:
        put_move(&p, crossbar, word);
        break;
    }
    return p.bits;
}

bool plane_word_is_read(uint64_t bits) {
    return (bits & low(KIND_BITS + FLAG_BITS)) == CODE_ACCESS;
}

static void take_range(struct packer *packer, unsigned bits, struct plane_word *word) {
    word->start = (uint32_t)take(packer, bits);
    word->stop = (uint32_t)take(packer, bits);
    word->step = (uint32_t)take(packer, bits);
}

static void take_gates(struct packer *packer, const struct plane_crossbar *x,
                       struct plane_word *word) {
    word->gate = (enum plane_gate)take(packer, GATE_BITS);
    for (unsigned i = 0; i < 2; i++) {
        word->in_reg[i] = (uint32_t)take(packer, x->register_bits);
        word->in_partition[i] = (uint32_t)take(packer, x->partition_bits);
    }
    word->reg = (uint32_t)take(packer, x->register_bits);
    take_range(packer, x->partition_bits, word);
}

static void take_vertical(struct packer *packer, const struct plane_crossbar *x,
                          struct plane_word *word) {
    word->gate = (enum plane_gate)take(packer, GATE_BITS);
    word->in_row = (uint32_t)take(packer, x->row_bits);
    word->out_row = (uint32_t)take(packer, x->row_bits);
    word->reg = (uint32_t)take(packer, x->register_bits);
}

static void take_move(struct packer *packer, const struct plane_crossbar *x,
                      struct plane_word *word) {
    word->in_row = (uint32_t)take(packer, x->row_bits);
    word->in_reg[0] = (uint32_t)take(packer, x->register_bits);
    word->out_row = (uint32_t)take(packer, x->row_bits);
    word->reg = (uint32_t)take(packer, x->register_bits);
    word->crossbar = (uint32_t)take(packer, x->crossbar_bits);
}

bool plane_word_decode(const struct plane_crossbar *crossbar, uint64_t bits,
                       struct plane_word *word, struct str *why) {
    struct packer p = {bits, 0};
    unsigned code = (unsigned)take(&p, KIND_BITS);
    bool flag = code != CODE_MOVE && take(&p, FLAG_BITS);
    *word = (struct plane_word){.kind = WORD_MOVE};
    if (code == CODE_MASK) {
        word->kind = flag ? WORD_ROWS : WORD_CROSSBARS;
        take_range(&p, flag ? crossbar->row_bits : crossbar->crossbar_bits, word);
    } else if (code == CODE_ACCESS) {
        word->kind = flag ? WORD_WRITE : WORD_READ;
        word->reg = (uint32_t)take(&p, crossbar->register_bits);
        word->data = flag ? take(&p, crossbar->data_bits) : 0;
    } else if (code == CODE_LOGIC) {
        word->kind = flag ? WORD_VERTICAL : WORD_GATES;
        if (flag)
            take_vertical(&p, crossbar, word);
        else
            take_gates(&p, crossbar, word);
    } else {
        take_move(&p, crossbar, word);
    }
    if (p.at >= WORD_BITS || bits >> p.at == 0)
        return true;
    str_printf(why, "0x%" PRIx64 " has bits above its %u", bits, p.at);
    return false;
}
