/* SPDX-License-Identifier: MIT */
#include "tests/erc/programs.h"

#include "support/bits.h"
#include "tests/erc/machine.h"

#include <string.h>

/* 0 .. DATA-1 are worked on; masks are among them and beside them.  Each depth of blocks has its
 * registers, or in some programs all have the same; the depth of subroutines is the last. */
enum { DATA = 10, FIRST_MASKING = 7, MASKING = 5, COUNTER = 16, AROUND = 22, BLOCKS = 32, T = 30 };
/* Of full programs: masks are none of the data, and each `elif` has a register. */
enum { ELIFS = 44, FULL_MASKS = 52 };
enum { DEEPEST = 3, SUBS = 2 };

struct writer {
    struct str *out;
    uint64_t state;
    unsigned labels, depth;
    bool same_registers, in_sub;
    bool straight; /* neither in a loop nor in a subroutine: copies may stand here */
    bool full;
    /* Of full programs. */
    unsigned blocks; /* around */
    bool masked;
};

static unsigned below(struct writer *w, unsigned n) {
    return (unsigned)(splitmix64(&w->state) % n);
}

static unsigned block_register(const struct writer *w, unsigned which) {
    unsigned depth = w->in_sub ? DEEPEST : w->same_registers ? 0 : w->depth;
    return BLOCKS + 3 * depth + which;
}

static unsigned data(struct writer *w) {
    return below(w, DATA);
}

/* Without a mask, in a subroutine, there is no room to invert T. */
static bool may_stand(const struct writer *w, const struct operation *o) {
    return !w->full || strcmp(o->name, "INV_TORUS") != 0 || w->blocks || !w->in_sub || w->masked;
}

static const struct operation *draw_operation(struct writer *w) {
    const struct operation *o;
    do
        o = &operations[below(w, operation_count)];
    while (!may_stand(w, o));
    return o;
}

static void write_insn(struct writer *w) {
    const struct operation *o = draw_operation(w);
    unsigned operand[3] = {data(w), data(w), data(w)};
    /* The last two of QRDIV8 and HalfADD must differ. */
    if (operand[1] == operand[2])
        operand[2] = (operand[1] + 1) % DATA;
    /* Now and then the mask of the block around takes the condition. */
    if (strcmp(o->name, "GETMASK") == 0 && w->depth && !(w->full && w->in_sub) &&
        below(w, 3) == 0) {
        w->depth--;
        operand[0] = block_register(w, 1);
        w->depth++;
    }
    str_append(w->out, o->name);
    for (unsigned k = 0; o->operands[k]; k++)
        str_printf(w->out, " %u", operand[k]);
    str_char(w->out, '\n');
}

static void write_list(struct writer *w, unsigned count);

static void write_part(struct writer *w) {
    w->depth++;
    write_list(w, 1 + below(w, 4));
    w->depth--;
}

static void write_condition(struct writer *w) {
    str_printf(w->out, "<-(%u %s %u)\n", data(w), relation_names[below(w, 6)], data(w));
}

static unsigned elif_register(const struct writer *w, unsigned k) {
    return w->full && (w->in_sub || !w->same_registers)
               ? ELIFS + 2 * (w->in_sub ? DEEPEST : w->depth) + k - 1
               : block_register(w, 2);
}

static void write_if(struct writer *w) {
    unsigned gm = block_register(w, 0), m = block_register(w, 1);
    w->blocks++;
    str_printf(w->out, "if %u,%u", gm, m);
    write_condition(w);
    write_part(w);
    for (unsigned k = below(w, 3); k > 0; k--) {
        str_printf(w->out, "elif %u", elif_register(w, k));
        write_condition(w);
        write_part(w);
    }
    if (below(w, 2)) {
        str_append(w->out, "else\n");
        write_part(w);
    }
    str_append(w->out, "endif\n");
    w->blocks--;
}

static unsigned counter(const struct writer *w) {
    return COUNTER + w->depth + (w->in_sub ? 3 : 0);
}

static void write_while(struct writer *w) {
    unsigned c = counter(w);
    bool straight = w->straight;
    w->straight = false;
    w->blocks++;
    str_printf(w->out, "AND %u %u %u\nwhile %u,%u<-(%u %s %u)\nDEC %u %u\n", data(w), PROGRAM_THREE,
               c, block_register(w, 1), block_register(w, 0), c,
               below(w, 2) ? ">" : "!=", PROGRAM_ZERO, c, c);
    write_part(w);
    str_append(w->out, "endwhile\n");
    w->straight = straight;
    w->blocks--;
}

/* Each lap counts, by ones from below, in the lanes that are asked, so that it ends whatever masks
 * do in it, in words of any width. */
static void write_loop(struct writer *w) {
    unsigned c = counter(w), label = w->labels++;
    bool straight = w->straight;
    w->straight = false;
    str_printf(w->out, "INIT0 %u\n.loop%u:\n", c, label);
    write_part(w);
    str_printf(w->out,
               "LSHIFT %u %u\nINC %u %u\nGETMASK %u\nCMPLT %u %u\nLFLUSH\nJUMP_COND .loop%u\n", c,
               c, c, c, T, c, PROGRAM_TWO, label);
    w->straight = straight;
}

/* Not in a subroutine, where what leads to RETURN is called. */
static void write_skip(struct writer *w) {
    unsigned label = w->labels++;
    bool straight = w->straight;
    w->straight = false;
    str_printf(w->out, "JUMP skip%u\n", label);
    write_list(w, 1 + below(w, 2));
    str_printf(w->out, "skip%u:\n", label);
    w->straight = straight;
}

/* What the text alone decides. */
static void write_full_masks(struct writer *w) {
    unsigned m = FULL_MASKS + below(w, MASKING), draw = below(w, 4);
    if (!w->straight || w->blocks)
        return;
    w->masked = draw > 0;
    if (draw == 1)
        str_printf(w->out, "CMPST %u %u\nINV_TORUS\nGETMASK %u\n", data(w), data(w), m);
    if (w->masked)
        str_printf(w->out, "SETMASK %u\n", m);
    else
        str_append(w->out, "UNMASK\n");
}

static void write_masks(struct writer *w) {
    switch (below(w, 3)) {
    case 0:
        str_append(w->out, "UNMASK\n");
        break;
    case 1:
        str_printf(w->out, "CMPEQ %u %u\nINV_TORUS\nGETMASK %u\n", data(w), data(w),
                   FIRST_MASKING + below(w, MASKING));
        break;
    default:
        str_printf(w->out, "SETMASK %u\n", FIRST_MASKING + below(w, MASKING));
        break;
    }
}

static void write_copies(struct writer *w) {
    for (unsigned k = 1 + below(w, 2); k > 0; k--)
        str_printf(w->out, "MOVE %u %u\n", below(w, MACHINE_RFHS), below(w, MACHINE_RFHS));
    unsigned v = below(w, MACHINE_ROWS), to = below(w, MACHINE_ROWS), a = data(w),
             b = below(w, w->full ? DATA : FIRST_MASKING + MASKING), draw = below(w, 6);
    if (draw < 4)
        str_printf(w->out, "MEM_COPY %u %u %u %u\n", v, a, to, b);
    else
        str_printf(w->out, "%s %u %u %u %u %u\n", draw == 4 ? "MEM_COPY_RSHIFT" : "MEM_BCAST", v, a,
                   below(w, 9), to, b);
    str_append(w->out, "MOVE_DONE\n");
}

static void write_node(struct writer *w) {
    unsigned draw = below(w, 30);
    bool blocks = w->in_sub ? w->depth == 0 : w->depth < DEEPEST;
    bool jumps = !w->in_sub && (!w->full || !w->blocks);
    if (draw < 3 && blocks)
        write_if(w);
    else if (draw == 3 && blocks)
        write_while(w);
    else if (draw == 4 && blocks)
        write_loop(w);
    else if (draw == 5 && jumps)
        write_skip(w);
    else if (draw < 10 && w->full)
        write_full_masks(w);
    else if (draw < 10)
        write_masks(w);
    else if (draw == 10 && jumps && !w->masked)
        str_printf(w->out, "JUMP sub%u\n", below(w, SUBS));
    else if (draw == 11 && w->straight)
        write_copies(w);
    else
        write_insn(w);
}

static void write_list(struct writer *w, unsigned count) {
    while (count-- > 0)
        write_node(w);
}

static void write_headers(struct writer *w) {
    if (w->full) {
        str_append(w->out, "COMPUTE 0 0\nCOMPUTE 1 1\nCOMPUTE 2 1\n");
        return;
    }
    if (below(w, 5) == 0)
        str_printf(w->out, "COMPUTE_ALL %u\n", below(w, MACHINE_ROWS));
    for (unsigned k = 1 + below(w, 3); k > 0; k--)
        str_printf(w->out, "COMPUTE %u %u\n", below(w, MACHINE_RFHS), below(w, MACHINE_ROWS));
}

static void write_ensemble(struct writer *w) {
    write_headers(w);
    w->straight = true;
    write_list(w, 2 + below(w, 5));
    if (below(w, 5) == 0) {
        write_headers(w);
        write_list(w, 1 + below(w, 3));
    }
    w->straight = false;
    str_append(w->out, "COMPUTE_DONE\n");
}

/* The VRF that is asked at the end counts in all its lanes. */
static void write_around(struct writer *w) {
    unsigned label = w->labels++, row = below(w, MACHINE_ROWS);
    str_printf(w->out, "COMPUTE 1 %u\nUNMASK\nINIT0 %u\nCOMPUTE_DONE\naround%u:\n", row, AROUND,
               label);
    write_ensemble(w);
    str_printf(w->out, "COMPUTE 1 %u\nUNMASK\nGETMASK %u\nINC %u %u\nCMPLT %u %u\n", row, T, AROUND,
               AROUND, AROUND, PROGRAM_TWO);
    if (below(w, 2))
        str_printf(w->out, "SETMASK %u\nCMPEQ %u %u\n", FIRST_MASKING + MASKING, AROUND, AROUND);
    str_printf(w->out, "COMPUTE_DONE\nJUMP_COND around%u\n", label);
}

static void write_top(struct writer *w) {
    unsigned draw = below(w, 24), label = w->labels;
    if (w->full && draw < 3) {
        write_ensemble(w);
    } else if (draw == 0) {
        write_around(w);
    } else if (draw == 1) {
        str_append(w->out, "JUMP subtop\n");
    } else if (draw == 2) {
        w->labels++;
        str_printf(w->out, "JUMP over%u\n", label);
        write_ensemble(w);
        str_printf(w->out, "over%u:\n", label);
    } else if (draw < 6) {
        write_copies(w);
    } else {
        write_ensemble(w);
    }
}

/* Every register has its place in the machine, T is 0, and its register, whatever it was, too. */
static void write_begin(struct writer *w, unsigned named) {
    for (unsigned v = 0; v < MACHINE_ROWS; v++) {
        str_printf(w->out, "COMPUTE_ALL %u\n", v);
        for (unsigned k = 0; k < named && v == 0; k++)
            str_printf(w->out, "MOV %u %u\n", k, k);
        str_printf(w->out, "MOV 0 0\nGETMASK %u\nGETMASK %u\nCOMPUTE_DONE\n", T, T);
    }
}

static void write_end(struct writer *w) {
    for (unsigned v = 0; v < MACHINE_ROWS; v++)
        str_printf(w->out, "COMPUTE_ALL %u\nUNMASK\nGETMASK %u\nCOMPUTE_DONE\n", v, T);
    str_append(w->out, "EOF\n");
    w->in_sub = true;
    for (unsigned k = 0; k < SUBS; k++) {
        str_printf(w->out, "sub%u:\n", k);
        write_list(w, 1 + below(w, 4));
        str_append(w->out, "RETURN\n");
    }
    w->in_sub = false;
    if (w->full)
        return;
    str_append(w->out, "subtop:\n");
    write_ensemble(w);
    str_append(w->out, "RETURN\n");
}

void program_random(uint64_t seed, unsigned named, struct str *out) {
    struct writer w = {.out = out, .state = seed};
    w.same_registers = below(&w, 5) == 0;
    write_begin(&w, named);
    for (unsigned k = 4 + below(&w, 6); k > 0; k--)
        write_top(&w);
    write_end(&w);
}

void program_full(uint64_t seed, struct str *out) {
    struct writer w = {.out = out, .state = seed, .full = true};
    w.same_registers = below(&w, 3) == 0;
    write_begin(&w, MACHINE_REGISTERS);
    for (unsigned k = 4 + below(&w, 6); k > 0; k--)
        write_top(&w);
    write_headers(&w);
    str_append(w.out, "UNMASK\nCOMPUTE_DONE\n");
    w.masked = false;
    write_end(&w);
}
