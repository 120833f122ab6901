/* SPDX-License-Identifier: MIT
 * The typed intermediate form that front ends lower to.  A program is a list of nodes in program
 * order; a compute node holds straight-line code over virtual registers that live in one
 * ensemble.  A virtual register may be written several times, as under a mask it must be.
 *
 * Structured nodes (repeat) hold nodes of their own.  Inside an ensemble control flow is structured
 * too, and written as marks in the list: each opens, divides or closes a region, or says which
 * lanes leave it.  What leaves a region comes back at its end, so that no pass ever sees a mask:
 * selection makes the masks (ezpim/code/mask.c). */
#ifndef EZPIM_IR_IR_H
#define EZPIM_IR_IR_H

#include "object/object.h"
#include "support/arena.h"
#include "support/diag.h"
#include "support/str.h"
#include "support/vec.h"

#define IR_NONE      UINT32_MAX
#define IR_REGISTERS 64

/* X(ID, "name", operands a b c, unsigned form, signed form): the instructions that carry the
 * operation out; their golden functions define it.  Comparisons give a bool, others the type.
 * Floating point has operations of its own (their forms: IEEE 754's binary formats, bfloat16), so
 * that no pass takes them for those of integers: x + 0 is not x, !(x < y) is not y <= x.
 * FSIGN and FZERO give an unsigned 0 or 1 of as many bits. */
#define IR_OPERATIONS(X)                                                                           \
    X(ADD, "add", 2, OP_ADD, OP_ADD)                                                               \
    X(SUB, "sub", 2, OP_SUB, OP_SUB)                                                               \
    X(MUL, "mul", 2, OP_MUL, OP_MUL)                                                               \
    X(DIV, "div", 2, OP_QDIV, OP_SDIV)                                                             \
    X(REM, "rem", 2, OP_RDIV, OP_SREM)                                                             \
    X(FLOORDIV, "floordiv", 2, OP_QDIV, OP_FLDIV)                                                  \
    X(FLOORMOD, "floormod", 2, OP_RDIV, OP_FLMOD)                                                  \
    X(SHL, "shl", 2, OP_SHL, OP_SHL)                                                               \
    X(SHR, "shr", 2, OP_SHR, OP_SAR)                                                               \
    X(AND, "and", 2, OP_AND, OP_AND)                                                               \
    X(OR, "or", 2, OP_OR, OP_OR)                                                                   \
    X(XOR, "xor", 2, OP_XOR, OP_XOR)                                                               \
    X(NOT, "not", 1, OP_INV, OP_INV)                                                               \
    X(NEG, "neg", 1, OP_NEG, OP_NEG)                                                               \
    X(MIN, "min", 2, OP_MIN, OP_MINS)                                                              \
    X(MAX, "max", 2, OP_MAX, OP_MAXS)                                                              \
    X(EQ, "eq", 2, OP_CMPEQ, OP_CMPEQ)                                                             \
    X(NE, "ne", 2, OP_CMPNE, OP_CMPNE)                                                             \
    X(LT, "lt", 2, OP_CMPLT, OP_CMPLTS)                                                            \
    X(LE, "le", 2, OP_CMPLE, OP_CMPLES)                                                            \
    X(GT, "gt", 2, OP_CMPGT, OP_CMPGTS)                                                            \
    X(GE, "ge", 2, OP_CMPGE, OP_CMPGES)                                                            \
    X(SELECT, "select", 3, OP_SEL, OP_SEL) /* a ? b : c; a is a bool */                            \
    X(FADD, "fadd", 2, OP_FADD, OP_BFADD)                                                          \
    X(FSUB, "fsub", 2, OP_FSUB, OP_BFSUB)                                                          \
    X(FMUL, "fmul", 2, OP_FMUL, OP_BFMUL)                                                          \
    X(FDIV, "fdiv", 2, OP_FDIV, OP_BFDIV)                                                          \
    X(FMIN, "fmin", 2, OP_FMIN, OP_BFMIN)                                                          \
    X(FMAX, "fmax", 2, OP_FMAX, OP_BFMAX)                                                          \
    X(FSQRT, "fsqrt", 1, OP_FSQRT, OP_BFSQRT)                                                      \
    X(FNEG, "fneg", 1, OP_FNEG, OP_BFNEG)                                                          \
    X(FABS, "fabs", 1, OP_FABS, OP_BFABS)                                                          \
    X(FSIGN, "fsign", 1, OP_FSIGN, OP_BFSIGN)                                                      \
    X(FZERO, "fzero", 1, OP_FZERO, OP_BFZERO)                                                      \
    X(FEQ, "feq", 2, OP_FCMPEQ, OP_BFCMPEQ)                                                        \
    X(FLT, "flt", 2, OP_FCMPLT, OP_BFCMPLT)                                                        \
    X(FLE, "fle", 2, OP_FCMPLE, OP_BFCMPLE)                                                        \
    X(FUN, "fun", 2, OP_FCMPUN, OP_BFCMPUN) /* a or b is not a number */

enum ir_op {
#define X(id, name, operands, plain, with_sign) IR_##id,
    IR_OPERATIONS(X)
#undef X
        IR_OPERATION_COUNT,
    IR_CONST = IR_OPERATION_COUNT, /* dst = imm */
    IR_SIZE,                       /* dst = the size number `size` + imm */
    IR_VALUE,  /* dst = element imm of the link-time value number `size`, whose type it has */
    IR_COPY,   /* dst = low bits of a */
    IR_WIDEN,  /* dst = a, extended by the sign of `from` */
    IR_CVT,    /* dst = a, of type `from`, by the conversion imm (enum isa_conversion) */
    IR_LOOKUP, /* dst = the entry of table number imm that the low bits of a name, as many as `from`
                  has; dst has at least as many */
    IR_MACHINE, /* the instruction `machine`: a rs, b rt, dst rd, imm */
    IR_SHOW,    /* a is shown when the next ASSERT fails; imm: of ir_program.debugs */
    IR_ASSERT,  /* stops where a is 0; imm likewise */
    IR_PRINT,   /* prints a; imm likewise */
    IR_ENABLE,  /* the lanes with a are enabled, in region 0, up to the end of the code */
    IR_CALL,    /* the subroutine call->sub, with what its registers hold */
    /* Marks; `region` says of which region. */
    IR_BLOCK,  /* opens it; lanes may leave it */
    IR_IF,     /* opens it: lanes with a */
    IR_ELSE,   /* of IF: the others; a again */
    IR_LOOP,   /* opens it: over and over, as long as a lane is in it */
    IR_REPEAT, /* opens it: as often as `size` (or, IR_NONE, imm) says */
    IR_NEXT,   /* of LOOP and REPEAT: behind the body; what follows is its step */
    IR_ENTER,  /* of LOOP, behind NEXT: the first lap begins here */
    IR_TEST,   /* of BLOCK and LOOP: lanes without a (with it, if imm) leave it */
    IR_EXIT,   /* lanes leave it, whatever regions are open in it; nothing follows up to the end
                  (ELSE, NEXT) of the region that this stands in */
    IR_END,    /* closes it */
};
static inline bool ir_is_mark(uint8_t op) {
    return op >= IR_BLOCK;
}

/* A subroutine is a body of its own that runs under the mask of its caller.  What goes in and out
 * lies in registers that are known once its body has some. */
struct ir_sub {
    const char *name;
    struct span at;
    struct ir_code *code;
    uint32_t *in, *out; /* [in_count], [out_count]: virtual registers of its code */
    uint32_t in_count, out_count;
    /* When its code has registers: those of in and out, and all that it and what it calls writes.
     */
    uint8_t *in_registers, *out_registers;
    uint64_t writes;
    uint32_t depth; /* calls inside one another, this one included */
    /* It stands in another object: its code is empty but for the types of in and out, and its
     * registers are given. */
    bool external;
    bool exported;    /* other objects call it: what goes in and out is pinned in its code */
    bool done, masks; /* has registers; changes the mask on its way */
    /* What a call is where the target has a recipe: this instruction on the operands; 0: a call. */
    enum isa_op instead_of;
    uint8_t width;
};

/* in and out are pinned virtual registers of the caller, in the order of the subroutine's. */
struct ir_call {
    struct ir_sub *sub;
    uint32_t *in, *out;
};

struct ir_insn {
    uint8_t op;                  /* enum ir_op */
    bool partial;                /* writes fewer bits than the registers that it writes have */
    bool kept;                   /* IR_MACHINE: stays as it is, wherever its values go */
    uint8_t width;               /* IR_MACHINE */
    uint16_t machine;            /* IR_MACHINE: enum isa_op */
    struct lane_type type, from; /* of the operation; of a (WIDEN, CVT, LOOKUP) */
    uint32_t dst, a, b, c;       /* virtual registers or IR_NONE; SHL, SHR without b: by imm */
    uint32_t size;               /* IR_SIZE, IR_REPEAT; IR_VALUE: the link-time value */
    uint32_t region;             /* marks */
    const struct ir_call *call;  /* IR_CALL */
    const struct lut_decl *lut;  /* IR_LOOKUP: the table */
    uint64_t imm;                /* a pattern of type.bits bits; IR_MACHINE: the immediate,
                                    of INDEX a numbering (element_numbers.h) */
    struct span at;
};

/* Region 0 is the whole body. */
struct ir_region {
    uint8_t op;      /* the mark that opens it; IR_BLOCK for region 0 */
    uint32_t parent; /* IR_NONE for region 0 */
    struct span at;
};

/* A variable of the program, or (hidden) one of the compiler, which is not in the object; those
 * that are not hidden come first.  decl.reg is known when variables have registers. */
struct ir_variable {
    struct variable decl;
    bool hidden;
    bool lasting; /* hidden: as a variable of the program that is not seen from outside */
    bool chained; /* hidden: written in a REPEAT that may be left out; behind it what the REPEAT
                     wrote is read, if it was not left out, and nothing older */
    uint16_t use; /* hidden ones of one group and type: what for (build.h) */
    uint32_t spilled_to; /* -fspill: it stands for this one, whose elements lie in VRFs of their
                            own; or IR_NONE */
    bool is_home;        /* another stands for it */
    bool given;          /* it has registers, as far as ir_registers_give came */
    bool stays;          /* -fspill leaves it where it is */
    struct span at;
};

/* A move between variables; the record's groups and registers follow from them when they have
 * registers. */
struct ir_move {
    struct move record;
    uint32_t to,
        to_element; /* the first register that is written; 0 but for those without a group */
    uint32_t from;
    /* The groups by whose coordinates the move names elements: on the VRFs of the variables' own
     * groups, with at least as many elements; IR_NONE: the variables' own groups. */
    uint32_t to_view, from_view;
    /* Of a record with an index, else 0: the variable that holds it, which lies beside the near
     * side, and its register, or the first of those that follow. */
    uint32_t index, index_element;
};

/* A virtual register.  One with a fixed register is a variable whose value outlives the
 * ensemble, unless it dies here; all others die with it.  Outside of its home nobody reads it,
 * unless home is region 0 and it is a variable: so what is written in its home replaces it in every
 * lane that matters, and what is written in a region inside leaves it as it is in the other lanes.
 */
struct ir_vreg {
    struct lane_type type;
    uint32_t home;     /* region */
    int8_t fixed;      /* register, or -1: none, or none yet (registers.h) */
    uint32_t variable; /* of ir_program.variables, or IR_NONE */
    uint32_t element;  /* of the variable: which of its registers */
    uint8_t clean;     /* a variable that has zeros above its bits up to this one; or 0 */
    bool dies;         /* a variable that nobody reads behind the body: its register is free then */
    bool pinned;      /* fixed, to pass something to or from a subroutine: dies with the ensemble */
    bool given;       /* of a subroutine: it has a value at the beginning of the body */
    bool result;      /* of a subroutine: its value is read behind the body */
    bool indexed;     /* messages write the element behind the name: "x[2]" */
    const char *name; /* "x"; NULL: temporary */
    struct span at;   /* where it was declared or made */
};

struct ir_code {
    VEC(struct ir_insn) insns;
    VEC(struct ir_vreg) vregs;
    VEC(struct ir_region) regions;
    VEC(const struct ir_call *) calls;
    bool is_sub;       /* the body of a subroutine: nothing is known of the mask around it */
    uint32_t group;    /* over which it runs; IR_NONE: a subroutine */
    uint32_t region;   /* while the list is made: the region at its end */
    uint64_t reserved; /* registers of variables, in this ensemble or elsewhere: bit r */
};

enum ir_node_kind {
    IR_NODE_COMPUTE,
    IR_NODE_REPEAT,
    IR_NODE_IF,    /* code, then body if some lane is enabled at its end, else otherwise */
    IR_NODE_WHILE, /* code, then body, over and over, while some lane is enabled at its end */
    IR_NODE_MOVE,
    IR_NODE_MARK,
    IR_NODE_SYNC,
    IR_NODE_FINISH,  /* body folds elements into outputs, or the host does (struct finish_record) */
    IR_NODE_SEND,    /* what the move takes to the MPU, as a message */
    IR_NODE_RECV,    /* the oldest message from the MPU */
    IR_NODE_BARRIER, /* no MPU goes on before all are here */
    IR_NODE_LAUNCH   /* a kernel, or, where the target carries out none, otherwise */
};

/* What kernels work on, and they themselves; a place is made of `at` in the end. */
struct ir_buffer {
    struct buffer_decl decl;
    struct span at;
};
struct ir_module {
    struct module_decl decl;
    struct span at; /* its text */
};
struct ir_kernel {
    struct kernel_decl decl;
    struct span at; /* likewise */
};
struct ir_launch {
    uint32_t kernel;
    const struct kernel_argument *arguments;
    const struct launch_geometry *geometry; /* NULL: nothing is said */
    bool has_else;
};

/* A register of a group's variable whose elements are folded into one of an output without a
 * group. */
struct ir_finish {
    enum finish_kind kind;
    uint32_t from, from_element, to, to_element;
};

struct ir_node {
    enum ir_node_kind kind;
    struct span at;
    struct ir_node *next;
    uint32_t group;       /* of code */
    struct ir_code *code; /* IR_NODE_COMPUTE, IF, WHILE */
    bool opposite;        /* IR_NODE_IF, WHILE: when no lane is enabled */
    bool body_first;      /* IR_NODE_WHILE: body, then code */
    struct extent count;  /* IR_NODE_REPEAT */
    struct ir_node *body, *otherwise;
    uint32_t move;                    /* IR_NODE_MOVE, SEND: of ir_program.moves */
    bool idle;                        /* IR_NODE_MOVE: it can be left out */
    uint32_t mpu;                     /* IR_NODE_SEND, RECV: the partner */
    uint32_t lands;                   /* IR_NODE_RECV: the variable that gets the message */
    bool own;                         /* not all MPUs of the program come here */
    uint32_t debug;                   /* IR_NODE_MARK: of ir_program.debugs */
    uint32_t launch;                  /* IR_NODE_LAUNCH: of ir_program.launches */
    const struct ir_finish *finishes; /* IR_NODE_FINISH: [finish_count] */
    uint32_t finish_count;
};

/* What MPUs first_mpu .. first_mpu + mpu_count - 1 of the grid run. */
struct ir_image {
    struct ir_node *nodes;
    uint32_t first_mpu, mpu_count;
    bool shared; /* by all MPUs of a grid */
};

struct ir_program {
    struct arena *arena;
    struct span at; /* of what has no place of its own */
    VEC(const char *)
    files; /* of places, in the order of the object's: that of `at` is the first */
    VEC(struct ir_image) images;
    uint32_t grid_dims, grid[GRID_MAX_DIMS];
    VEC(struct ir_move) moves;
    VEC(struct ir_sub *) subs; /* a subroutine comes behind those that it calls */
    /* Declarations of the object under construction, in its order; names for printing. */
    VEC(struct size_decl) sizes;
    VEC(struct number_record) numbers; /* what INDEXes count; of no place in a text */
    VEC(struct value_decl) values;
    VEC(const struct lut_decl *) luts; /* without names, each once */
    VEC(struct group) groups;
    VEC(struct ir_variable) variables;
    uint64_t taken;  /* registers that no variable has: bit r */
    uint32_t folded; /* reductions that are folded together, at most */
    /* A register is the same row of all VRFs: variables of different places never have the same
     * one, and what an ensemble keeps in one is kept from the variables of all places. */
    bool one_place;
    VEC(struct length_record) lengths;
    VEC(struct ir_buffer) buffers;
    VEC(struct ir_module) modules;
    VEC(struct ir_kernel) kernels;
    VEC(struct ir_launch) launches;
    struct span start;               /* where the program begins */
    VEC(struct debug_record) debugs; /* the register of a PRINT is filled in when it has one */
    VEC(struct ir_code *) codes;     /* all of them; ir_free releases them */
    /* Inputs that gave registers away: the first of them, the variable that got its register, and
     * how many they are; IR_NONE: none. */
    uint32_t consumed, consumed_by, consumed_count;
};

/* The groups by whose coordinates a move names elements; NO_INDEX: none. */
static inline uint32_t ir_move_to_group(const struct ir_program *program,
                                        const struct ir_move *move) {
    return move->to_view == IR_NONE ? program->variables.data[move->to].decl.group : move->to_view;
}
static inline uint32_t ir_move_from_group(const struct ir_program *program,
                                          const struct ir_move *move) {
    return move->from_view == IR_NONE ? program->variables.data[move->from].decl.group
                                      : move->from_view;
}

void ir_free(struct ir_program *program);
struct ir_code *ir_code_new(struct ir_program *program);
/* What messages call a virtual register that has a name. */
void ir_append_name(const struct ir_vreg *vreg, struct str *out);
/* Its home is the region that is open. */
uint32_t ir_vreg(struct ir_code *code, struct lane_type type, const char *name, struct span at);
/* True if somebody may read it behind the body. */
static inline bool ir_outlives(const struct ir_vreg *vreg) {
    return (vreg->fixed >= 0 && !vreg->pinned && !vreg->dies) || vreg->result;
}
/* Appends the mark that opens a new region, and gives its number. */
uint32_t ir_open(struct ir_code *code, enum ir_op op, uint32_t a, struct span at);
/* Appends ELSE, NEXT, ENTER, TEST, EXIT or END of a region. */
void ir_mark(struct ir_code *code, enum ir_op op, uint32_t region, uint32_t a, struct span at);
/* True if `inner` is `outer` or lies in it. */
bool ir_region_within(const struct ir_code *code, uint32_t inner, uint32_t outer);

const char *ir_op_name(enum ir_op op);
unsigned ir_op_operands(enum ir_op op);
enum isa_op ir_op_machine(enum ir_op op, struct lane_type type);
bool ir_op_compares(enum ir_op op);
struct lane_type ir_result_type(const struct ir_insn *insn);

static inline bool ir_same_type(struct lane_type left, struct lane_type right) {
    return left.kind == right.kind && left.bits == right.bits;
}

/* Values are patterns of their type's bits.  Carries out op by the ISA's golden functions. */
uint64_t ir_fold(enum ir_op op, struct lane_type type, uint64_t left, uint64_t right, uint64_t c);
uint64_t ir_widen(uint64_t a, struct lane_type from, struct lane_type to);
/* IR_CVT. */
uint64_t ir_cvt(uint64_t a, uint64_t conversion, struct lane_type from, struct lane_type to);

typedef void ir_visitor(void *context, uint32_t *vreg, bool writes);
/* Of a call or an instruction by its name. */
void ir_visit_special(struct ir_insn *insn, ir_visitor *visit, void *context);

static inline __attribute__((always_inline)) void ir_visit_one(uint32_t *vreg, bool writes,
                                                               ir_visitor *visit, void *context) {
    if (*vreg != IR_NONE)
        visit(context, vreg, writes);
}

/* Calls visit for each virtual register that the instruction reads, then for each it writes.  All
 * passes do little else: here, so that each visits without a call. */
static inline __attribute__((always_inline)) void ir_visit(struct ir_insn *insn, ir_visitor *visit,
                                                           void *context) {
    if (insn->op == IR_CALL || insn->op == IR_MACHINE) {
        ir_visit_special(insn, visit, context);
        return;
    }
    ir_visit_one(&insn->a, false, visit, context);
    ir_visit_one(&insn->b, false, visit, context);
    ir_visit_one(&insn->c, false, visit, context);
    ir_visit_one(&insn->dst, true, visit, context);
}

/* WIDEN, CVT and LOOKUP read a as `from`, others as `type`. */
static inline bool ir_reads_from(uint8_t op) {
    return op == IR_WIDEN || op == IR_CVT || op == IR_LOOKUP;
}
/* True if the instruction may be left out when nobody reads what it writes. */
bool ir_is_pure(const struct ir_insn *insn);

/* Constant folding, strength reduction, reuse of values, removal of what is not used.  A value is
 * reused up to `reach` instructions after it was made or used last: the longer values are kept,
 * the more registers are needed.  products: MULP may stand for a product of fewer bits. */
#define IR_REACH_ALL UINT32_MAX
void ir_optimize(struct ir_code *code, int level, bool products, uint32_t reach);

struct ir_options {
    int level;       /* 0..2 */
    unsigned effort; /* 0: values are kept as long as registers allow; 1: for a while; 2: not; 3:
                        and widths have registers apart */
    bool debug;      /* the line table is written with the object, which always knows its lines */
    bool roomy;      /* rows are no matter (struct register_widths) */
    bool products;   /* MULP may be chosen */
    bool quiet;      /* too few registers are not reported */
    uint32_t
        must; /* bit i: the i-th of rows_left must have room, or there is no code; 0: anywhere */
};

/* Text for --emit=ir. */
void ir_print(const struct ir_program *p, const struct diag *diag, struct str *out);

#endif
