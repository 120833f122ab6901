/* SPDX-License-Identifier: MIT
 * The table of the dialect's instructions: one line for each, in groups that belong together. */
#include "ezpim/erc/dialect.h"

#include <string.h>

#define FIXED_WIDTH(n, text)                                                                       \
    "reads " text " and is defined by the prototype for words of " #n " bits alone"
#define DIVISION                                                                                   \
    "divides 8 bits by 8 bits here; the prototype's quotient and divisor have 4 bits, and it is "  \
    "wrong beyond"
#define NOTHING_THERE "does nothing in the prototype, which has no recipe for it"
#define NO_INTERRUPTS "ships instructions to another MPU, which the prototype never runs"

const struct erc_insn erc_insns[] = {
    /* name, operands, does, fixed, flags, becomes, differs */
    {"COMPUTE", "fv", DOES_COMPUTE, 0, 0, "COMPUTE f v", NULL},
    {"COMPUTE_ALL", "v", DOES_COMPUTE_ALL, 0, 0, "COMPUTE of every RFH", NULL},
    {"COMPUTE_DONE", "", DOES_COMPUTE_DONE, 0, 0, "COMPUTE_DONE", NULL},
    {"FLUSH", "", DOES_NOTHING, 0, 0, "", NULL},
    {"LFLUSH", "", DOES_NOTHING, 0, 0, "", NULL},
    {"NOP", "n", DOES_NOP, 0, ERC_OPTIONAL, "NOP", NULL},
    {"EOF", "", DOES_EOF, 0, 0, "HALT", NULL},

    {"MOVE", "fg", DOES_MOVE, 0, 0, "MOVE f g", NULL},
    {"MOVE_DONE", "", DOES_MOVE_DONE, 0, 0, "MOVE_DONE", NULL},
    {"MEM_COPY", "vawb", DOES_COPY, 0, 0, "MEMCPY v a w b", NULL},
    {"MEM_COPY_RSHIFT", "vakwb", DOES_COPY_RSHIFT, 0, 0,
     "MEMCPY v a w x; in w: SHRI.w x k x; MOV.(w-k) x b", NULL},
    {"MEM_BCAST", "vaewb", DOES_COPY_BCAST, 0, 0, "LANE broadcast e; MEMCPY v a w b; LANE identity",
     NULL},
    {"MPI_SEND", "mfg", DOES_SEND, 0, 0, "SEND m; MOVE f g", NULL},
    {"MPI_SEND_DONE", "", DOES_SEND_DONE, 0, 0, "MOVE_DONE; SEND_DONE", NULL},
    {"MPI_RECV", "m", DOES_RECV, 0, 0, "RECV m", NULL},
    {"MPI_BARRIER", "", DOES_NOTHING, 0, 0, "",
     "is left out: MPUs learn of each other by messages alone, which come in order"},
    {"MPI_INTRP_REQ", "m", DOES_REFUSE, 0, 0, "", NO_INTERRUPTS},
    {"MPI_INTRP_REQ_DONE", "", DOES_REFUSE, 0, 0, "", NO_INTERRUPTS},
    {"MPI_INTRP_SERVE", "", DOES_REFUSE, 0, 0, "", NO_INTERRUPTS},

    {"GETMASK", "a", DOES_TEMPLATE, 0, ERC_CLEARS_T, "GETC.w a; NEG.w a a; CMPNE.1 a a",
     "reads and clears the conditional register here, not the mask"},
    {"SETMASK", "a", DOES_SETMASK, 0, ERC_CLEARS_T, "SEXT.w a 1 a; CMPNE.1 a a; SETMASK a",
     "spreads bit 0 of the register over its word and clears the conditional register; the mask "
     "follows the register from then on and outlives COMPUTE_DONE"},
    {"UNMASK", "", DOES_UNMASK, 0, 0, "UNMASK", NULL},
    {"INV_TORUS", "", DOES_TEMPLATE, 0, ERC_SETS_T, "GETC.1 x; INV.1 x x; SETC x", NULL},
    {"MSB_PRED", "a", DOES_TEMPLATE, 0, ERC_SETS_T, "SHRI.w a t x; SETC x", NULL},

    {"JUMP", "l", DOES_JUMP, 0, 0, "JUMP l", NULL},
    {"JUMP_COND", "l", DOES_JUMP_COND, 0, 0, "ANDNMASK cond; JUMP_COND l",
     "jumps here unless the conditional register is 1 in every enabled lane"},
    {"RETURN", "", DOES_RETURN, 0, 0, "RETURN", NULL},

    {"ADD", "abc", DOES_TEMPLATE, 0, ERC_TAKES_T, "ADD.w a b c", NULL},
    {"SUB", "abc", DOES_TEMPLATE, 0, ERC_TAKES_T, "SUB.w a b c", NULL},
    {"INC", "ac", DOES_TEMPLATE, 0, 0, "INC.w a c", NULL},
    {"DEC", "ac", DOES_TEMPLATE, 0, 0, "DEC.w a c", NULL},
    {"INIT0", "c", DOES_TEMPLATE, 0, 0, "INIT0.w c", NULL},
    {"INIT1", "c", DOES_TEMPLATE, 0, 0, "INIT1.w c", NULL},
    {"MUL8", "abc", DOES_TEMPLATE, 8, 0, "ZEXT.n b h x; ZEXT.n a h c; MUL.n c x c; +ZEXT.w c n c",
     FIXED_WIDTH(8, "bits 0 to 3 of its operands")},
    {"MUL16", "abc", DOES_TEMPLATE, 16, 0, "ZEXT.n b h x; ZEXT.n a h c; MUL.n c x c; +ZEXT.w c n c",
     FIXED_WIDTH(16, "bits 0 to 7 of its operands")},
    {"MUL32", "abc", DOES_TEMPLATE, 32, 0, "ZEXT.n b h x; ZEXT.n a h c; MUL.n c x c; +ZEXT.w c n c",
     FIXED_WIDTH(32, "bits 0 to 15 of its operands")},
    {"MAC8", "abc", DOES_TEMPLATE, 8, 0, "ZEXT.n a h x; ZEXT.n b h y; MAC.n x y c; +ZEXT.w c n c",
     FIXED_WIDTH(8, "bits 0 to 3 of its factors")},
    {"QDIV8", "abc", DOES_TEMPLATE, 8, ERC_SPOILS_T, "QDIV.n a b c; +ZEXT.w c n c", DIVISION},
    {"RDIV8", "abc", DOES_TEMPLATE, 8, ERC_SPOILS_T, "RDIV.n a b c; +ZEXT.w c n c", DIVISION},
    {"QRDIV8", "abc", DOES_TEMPLATE, 8, ERC_SPOILS_T | ERC_LAST_DIFFERS,
     "QRDIV.n a b c; +ZEXT.w b n b; +ZEXT.w c n c", DIVISION},
    {"POPC8", "ac", DOES_TEMPLATE, 8, ERC_IN_PLACE, "POPC.n a c; +ZEXT.w c n c", NULL},
    {"BFLIP8", "ac", DOES_TEMPLATE, 8, 0, "BFLIP.n a c; +ZEXT.w c n c", NULL},
    {"RELUv1", "ac", DOES_TEMPLATE, 0, 0, "GETC.w x; NEG.w x x; AND.w a x c", NULL},
    {"HalfADD", "abc", DOES_TEMPLATE, 0, ERC_LAST_DIFFERS, "XOR.w a b x; AND.w a b c; MOV.w x b",
     NULL},

    {"CMPEQ", "ab", DOES_TEMPLATE, 0, ERC_SETS_T, "CMPEQ.w a b", NULL},
    {"CMPLT", "ab", DOES_TEMPLATE, 0, ERC_TAKES_T | ERC_SETS_T, "CMPGT.w a b",
     "means greater-than here, and becomes CMPGT"},
    {"CMPST", "ab", DOES_TEMPLATE, 0, ERC_TAKES_T | ERC_SETS_T, "CMPLT.w a b", NULL},
    {"CMPGT", "ab", DOES_TEMPLATE, 0, ERC_SETS_T, "CMPGT.w a b", NOTHING_THERE},
    {"FUZZY", "abc", DOES_TEMPLATE, 0, ERC_SETS_T, "FUZZY.w a b c",
     "never sets the conditional register in the prototype; here it does"},
    {"CAS", "ab", DOES_TEMPLATE, 0, 0, "CAS.w a b", NOTHING_THERE},
    {"MAX", "abc", DOES_TEMPLATE, 0, 0, "MAX.w a b c", NOTHING_THERE},
    {"MIN", "abc", DOES_TEMPLATE, 0, 0, "MIN.w a b c", NOTHING_THERE},
    {"MUX", "abc", DOES_TEMPLATE, 0, 0, "MUX.w a b c", NULL},

    {"AND", "abc", DOES_TEMPLATE, 0, 0, "AND.w a b c", NULL},
    {"OR", "abc", DOES_TEMPLATE, 0, 0, "OR.w a b c", NULL},
    {"NAND", "abc", DOES_TEMPLATE, 0, 0, "NAND.w a b c", NULL},
    {"NOR", "abc", DOES_TEMPLATE, 0, 0, "NOR.w a b c", NULL},
    {"XOR", "abc", DOES_TEMPLATE, 0, 0, "XOR.w a b c", NULL},
    {"XNOR", "abc", DOES_TEMPLATE, 0, 0, "XNOR.w a b c", NULL},
    {"INV", "ac", DOES_TEMPLATE, 0, 0, "INV.w a c", NULL},
    {"DINV", "a", DOES_TEMPLATE, 0, 0, "INV.w a a", NULL},
    {"LSHIFT", "ac", DOES_TEMPLATE, 0, 0, "LSHIFT.w a c", NULL},
    {"MOV", "ac", DOES_TEMPLATE, 0, 0, "MOV.w a c", NULL},
};
const size_t erc_insn_count = sizeof erc_insns / sizeof *erc_insns;

const char *const erc_relations[RELATION_COUNT] = {
    [RELATION_GT] = ">",  [RELATION_LT] = "<",  [RELATION_EQ] = "==",
    [RELATION_GE] = ">=", [RELATION_LE] = "<=", [RELATION_NE] = "!=",
};

const struct erc_insn *erc_find(const char *name, size_t size) {
    for (size_t i = 0; i < erc_insn_count; i++)
        if (strlen(erc_insns[i].name) == size && memcmp(erc_insns[i].name, name, size) == 0)
            return &erc_insns[i];
    return NULL;
}
