/* SPDX-License-Identifier: MIT
 * Instructions of the prototype that want scratch, without any.
 *
 * Words of more than 32 bits leave no room above them, and where all 64 registers are named and
 * wanted there is none to borrow.  But what an instruction overwrites has room: bits of its
 * operands that it must not lose lie beside the result meanwhile.  BFLIP of the whole and then of
 * the low part brings what lies in the upper part down; the upper part is mirrored then.  Comments
 * show a register's parts, the highest first; ~p is p mirrored. */
#include "ezpim/erc/translate.h"

#include <string.h>

/* Operands a, b, c of the item, the width of a word and of the instruction, half of that one. */
struct in_place {
    struct translator *t;
    unsigned a, b, c;
    unsigned word, narrow, half;
};

static void put_constant(const struct in_place *p, enum isa_op op, unsigned width, unsigned from,
                         unsigned constant, unsigned to) {
    erc_put_insn(p->t, &(struct insn){.op = op,
                                      .width = (uint8_t)width,
                                      .rs = (uint8_t)from,
                                      .rd = (uint8_t)to,
                                      .imm = (int32_t)constant});
}

static void shift_up(const struct in_place *p, unsigned width, unsigned reg, unsigned count) {
    put_constant(p, OP_SHLI, width, reg, count, reg);
}

static void shift_down(const struct in_place *p, unsigned width, unsigned reg, unsigned count) {
    put_constant(p, OP_SHRI, width, reg, count, reg);
}

static void keep_low(const struct in_place *p, unsigned width, unsigned reg, unsigned bits) {
    put_constant(p, OP_ZEXT, width, reg, bits, reg);
}

static void move(const struct in_place *p, unsigned width, unsigned from, unsigned to) {
    erc_put(p->t, OP_MOV, width, from, 0, to);
}

static void mirror(const struct in_place *p, unsigned width, unsigned reg) {
    erc_put(p->t, OP_BFLIP, width, reg, 0, reg);
}

static void swap(const struct in_place *p, unsigned width, unsigned left, unsigned right) {
    erc_put(p->t, OP_XOR, width, left, right, left);
    erc_put(p->t, OP_XOR, width, left, right, right);
    erc_put(p->t, OP_XOR, width, left, right, left);
}

/* The low byte goes to the one above, too; the sum of both, if that one holds something. */
static void add_to_next_byte(const struct in_place *p, unsigned reg) {
    put_constant(p, OP_MULI, 16, 0, 257, reg);
}

static void multiply(const struct in_place *p, unsigned left, unsigned right, unsigned to) {
    erc_put(p->t, OP_MUL, p->narrow, left, right, to);
}

static void square(const struct in_place *p) {
    put_constant(p, OP_ZEXT, p->narrow, p->a, p->half, p->c);
    multiply(p, p->c, p->c, p->c);
}

/* The product of c and `other`, which stays, goes to c. */
static void multiply_onto(const struct in_place *p, unsigned other) {
    unsigned n = p->narrow, c = p->c;
    shift_up(p, 2 * n, c, n);
    move(p, n, other, c); /* c: c other */
    mirror(p, 2 * n, c);
    mirror(p, n, c); /* ~other c */
    keep_low(p, n, c, p->half);
    keep_low(p, n, other, p->half);
    multiply(p, c, other, other);
    mirror(p, 2 * n, c); /* .. other */
    swap(p, n, other, c);
}

static void put_mul(const struct in_place *p) {
    if (p->a == p->b)
        square(p);
    else if (p->c == p->b)
        multiply_onto(p, p->a);
    else {
        if (p->c != p->a)
            move(p, p->word, p->a, p->c);
        multiply_onto(p, p->b);
    }
    /* Twice 32 bits may have been more than a word. */
    keep_low(p, erc_container(p->t), p->c, p->narrow);
}

/* c += a * b, none of which is another one. */
static void add_product(const struct in_place *p) {
    unsigned c = p->c;
    shift_up(p, 16, c, 8);
    move(p, 8, p->b, c);
    shift_up(p, 24, c, 8);
    move(p, 8, p->a, c); /* c b a */
    mirror(p, 24, c);
    mirror(p, 8, c); /* ~a ~b c */
    keep_low(p, 8, p->a, p->half);
    keep_low(p, 8, p->b, p->half);
    erc_put(p->t, OP_MAC, 8, p->a, p->b, c);
    mirror(p, 8, c);
    mirror(p, 24, c); /* sum b a */
    move(p, 8, c, p->a);
    shift_down(p, 24, c, 8);
    move(p, 8, c, p->b);
    shift_down(p, 24, c, 8);
}

static void add_square(const struct in_place *p) {
    unsigned c = p->c;
    shift_up(p, 16, c, 8);
    move(p, 8, p->a, c); /* c a */
    mirror(p, 16, c);
    mirror(p, 8, c); /* ~a c */
    keep_low(p, 8, p->a, p->half);
    erc_put(p->t, OP_MAC, 8, p->a, p->a, c);
    mirror(p, 8, c);
    mirror(p, 16, c); /* sum a */
    move(p, 8, c, p->a);
    shift_down(p, 16, c, 8);
}

/* c += c * other. */
static void add_own_product(const struct in_place *p, unsigned other) {
    unsigned c = p->c;
    keep_low(p, 16, c, 8);
    add_to_next_byte(p, c); /* c c */
    shift_up(p, 24, c, 8);
    move(p, 8, other, c); /* c c other */
    mirror(p, 24, c);
    mirror(p, 8, c); /* ~other ~c c */
    keep_low(p, 8, c, p->half);
    keep_low(p, 8, other, p->half);
    multiply(p, c, other, other);
    mirror(p, 24, c); /* .. c other */
    swap(p, 8, other, c);
    add_to_next_byte(p, c);
    shift_down(p, 16, c, 8);
}

static void add_own_square(const struct in_place *p) {
    keep_low(p, 16, p->c, 8);
    add_to_next_byte(p, p->c); /* c c */
    keep_low(p, 8, p->c, p->half);
    multiply(p, p->c, p->c, p->c);
    add_to_next_byte(p, p->c);
    shift_down(p, 16, p->c, 8);
}

static void put_mac(const struct in_place *p) {
    if (p->a == p->b && p->a == p->c)
        add_own_square(p);
    else if (p->a == p->b)
        add_square(p);
    else if (p->c == p->a || p->c == p->b)
        add_own_product(p, p->c == p->a ? p->b : p->a);
    else
        add_product(p);
    keep_low(p, p->word, p->c, p->narrow);
}

/* Of a and the sum, a AND b is a without the sum's bits. */
static void put_half_add(const struct in_place *p) {
    if (p->c != p->a)
        erc_put(p->t, OP_AND, p->word, p->a, p->b, p->c);
    erc_put(p->t, OP_XOR, p->word, p->a, p->b, p->b);
    if (p->c == p->a) {
        erc_put(p->t, OP_INV, p->word, p->a, 0, p->a);
        erc_put(p->t, OP_NOR, p->word, p->a, p->b, p->a);
    }
}

static void put_top_bit(const struct in_place *p) {
    mirror(p, p->word, p->a);
    erc_put(p->t, OP_SETC, 0, p->a, 0, 0);
    mirror(p, p->word, p->a);
}

/* In place, the lanes that become 0 are those of a mask. */
static void put_relu(const struct in_place *p) {
    if (p->a == p->c) {
        erc_put_plain(p->t, OP_ANDNMASK);
        erc_put(p->t, OP_INIT0, p->word, 0, 0, p->c);
        erc_mask_restore(p->t, p->t->mask);
        return;
    }
    erc_put(p->t, OP_GETC, p->word, 0, 0, p->c);
    erc_put(p->t, OP_NEG, p->word, p->c, 0, p->c);
    erc_put(p->t, OP_AND, p->word, p->a, p->c, p->c);
}

/* The opposite of the comparison just before, OP_COUNT if the item there is none, or jumps lead
 * here. */
static enum isa_op opposite_before(const struct translator *t) {
    size_t at = (size_t)(t->item - t->u->items.data);
    const struct erc_item *before = at ? t->item - 1 : NULL;
    if (!before || before->kind != ITEM_INSN || t->entries[at].reached)
        return OP_COUNT;
    const char *name = before->insn->name;
    return strcmp(name, "CMPEQ") == 0   ? OP_CMPNE
           : strcmp(name, "CMPST") == 0 ? OP_CMPGE
           : strcmp(name, "CMPLT") == 0 ? OP_CMPLE
           : strcmp(name, "CMPGT") == 0 ? OP_CMPLE
                                        : OP_COUNT;
}

/* A comparison is made again; else bit 0 of the mask's register, which is 1 in enabled lanes. */
static bool put_inversion(const struct in_place *p) {
    struct translator *t = p->t;
    enum isa_op again = opposite_before(t);
    if (again != OP_COUNT) {
        erc_put(t, again, p->word, (unsigned)t->item[-1].operand[0],
                (unsigned)t->item[-1].operand[1], 0);
        return true;
    }
    if (!t->mask.registers && !t->mask.none)
        return true; /* nothing comes here */
    if (!t->mask.registers || erc_mask_open(t->mask))
        return false;
    unsigned m = (unsigned)__builtin_ctzll(t->mask.registers);
    erc_put(t, OP_GETC, 1, 0, 0, m);
    erc_put(t, OP_INV, 1, m, 0, m);
    erc_put(t, OP_SETC, 0, m, 0, 0);
    erc_put(t, OP_INIT1, 1, 0, 0, m);
    return true;
}

static bool put(const struct in_place *p, const char *name) {
    if (strncmp(name, "MUL", 3) == 0)
        put_mul(p);
    else if (strcmp(name, "MAC8") == 0)
        put_mac(p);
    else if (strcmp(name, "HalfADD") == 0)
        put_half_add(p);
    else if (strcmp(name, "MSB_PRED") == 0)
        put_top_bit(p);
    else if (strcmp(name, "RELUv1") == 0)
        put_relu(p);
    else
        return strcmp(name, "INV_TORUS") == 0 && put_inversion(p);
    return true;
}

bool erc_put_in_place(struct translator *translator) {
    const struct erc_item *item = translator->item;
    const struct erc_insn *insn = item->insn;
    const char *c = strchr(insn->operands, 'c');
    struct in_place p = {.t = translator,
                         .a = (unsigned)item->operand[0],
                         .b = (unsigned)item->operand[1],
                         .c = c ? (unsigned)item->operand[c - insn->operands] : 0,
                         .word = translator->u->width,
                         .narrow = insn->fixed,
                         .half = insn->fixed / 2u};
    uint64_t written = translator->written;
    bool done = put(&p, insn->name);
    /* Others are what they were. */
    translator->written = written | erc_item_writes(translator, item);
    return done;
}
