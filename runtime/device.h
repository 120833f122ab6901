/* SPDX-License-Identifier: MIT
 * Vectors on a device, inside: values, where they lie, and the programs that make them
 * (docs/arrays.md).
 *
 * A vector names a value.  A value is recorded (a node of the graph that waits), or its elements
 * are in the VRFs of a slab, or on the host, or all zeros, or it failed.  What a value is never
 * changes, but for a put into one that nobody else knows. */
#ifndef RUNTIME_DEVICE_H
#define RUNTIME_DEVICE_H

#include "emu/control/control.h"
#include "emu/report/report.h"
#include "runtime/public.h"
#include "target/host.h"

#include "ezpim/array/operations.h"
#include "ezpim/ir/ir.h"

struct arrays;

/* ---- places ---- */

/* Which bits of the lanes of some VRFs are taken. */
struct device_bank {
    const struct machine_room *room;
    uint32_t refs;   /* slabs */
    uint64_t *taken; /* [device.bits]: a bit each */
    uint32_t rows;   /* rows that they are on the machine, of the section that has most */
    uint32_t leaves; /* device_value.c, while VRFs are looked for */
};

/* VRFs for vectors of one length, or for so many elements of them at a time, in lanes of one slot.
 */
struct device_slab {
    uint64_t n;      /* elements of the vectors */
    unsigned slot;   /* 64 of machines without slots */
    uint64_t chunk;  /* elements that it has room for in one bit: n, or fewer */
    uint32_t chunks; /* how often that is taken for a vector */
    uint32_t *rows;  /* [row_count]: struct group_rows */
    uint32_t row_count;
    bool shares; /* rows and bank of another slab */
    /* No vectors lie in it: what is sorted goes there and comes back. */
    bool apart;
    enum group_place place; /* of one that is apart, with `mpus` as package_place has them */
    uint32_t mpus;
    struct device_bank *bank;
    uint32_t values; /* that lie in it */
    bool held;       /* by the program at work: it stays, whether or not values lie in it yet */
    uint64_t number; /* of where it lies: programs are known by it */
};

/* ---- values ---- */

enum value_state { VALUE_RECORDED, VALUE_PLACED, VALUE_ZERO, VALUE_ON_HOST, VALUE_FAILED };

/* An operand: a value, or (v NULL) a scalar. */
struct value_operand {
    struct device_value *v;
    uint64_t bits;
};

/* A program whose subroutines are called; the device's copy. */
struct device_library {
    char sha256[65];
    struct object *object;
    struct device_library *next; /* the one that was called before */
};
/* A subroutine that is called: one for each name of a library. */
struct device_sub {
    const struct device_library *library;
    const struct sub_signature *signature;
    struct device_sub *next;
};

/* What makes a recorded value. */
enum node_kind {
    NODE_APPLY,
    NODE_MOVE,
    NODE_FOLD,
    NODE_SCAN,
    NODE_TAKE,
    NODE_SORT,
    NODE_MATMUL,
    NODE_KINDS
};
/* Where one that is not APPLY is carried out: on the machine, on it in part and then on the host,
 * on the host. */
enum node_way { WAY_MACHINE, WAY_PARTIAL, WAY_HOST, WAYS };
struct device_node {
    enum node_kind kind;
    mpu_op op;                    /* APPLY, FOLD, SCAN; MPU_OPS: a call, of */
    const struct device_sub *sub; /* this */
    struct lane_type type;        /* of the operation */
    uint32_t count;
    /* MOVE */
    uint32_t ndim;
    mpu_dim dims[MPU_MOVE_DIMS];
    int64_t offset;
    bool wrap;
    uint64_t fill;
    /* FOLD, SCAN, SORT: by `segment` elements that lie `stride` apart: a vector is a shape of so
     * many x segment x stride elements, row by row */
    uint64_t segment, stride;
    /* FOLD: of so many elements from `first` on, by segments of them; their stride is 1 */
    bool ranged;
    uint64_t first, length;
    /* MATMUL: rows x inner elements by inner x columns; not both rows and columns are 1 */
    uint64_t rows, inner, columns;
    /* TAKE */
    uint64_t *table; /* [table_count]: patterns */
    uint64_t table_count;
    uint32_t label;                  /* of device.labels: that it was recorded under */
    struct value_operand operands[]; /* [count] */
};

/* Why values failed, which have it in common. */
struct device_fault {
    uint64_t refs;
    mpu_result code;
    char *text;
};

struct device_value {
    mpu_device *device;
    uint64_t refs; /* vectors, and operands of nodes */
    uint64_t held; /* vectors among them */
    struct lane_type type;
    uint64_t n;
    enum value_state state;
    struct device_node *node;   /* RECORDED */
    unsigned slot;              /* RECORDED, in a segment: of that */
    size_t at;                  /* RECORDED: its place in device.recorded */
    struct device_slab *slab;   /* PLACED */
    uint32_t *first;            /* PLACED: [slab.chunks]: bit 0 of a lane's element */
    unsigned char *host;        /* ON_HOST: its elements */
    bool waits;                 /* ON_HOST: a put, which is charged when it is carried out */
    uint32_t label;             /* of the put */
    struct device_fault *fault; /* FAILED */
    /* PLACED: the list of those, by their last use. */
    struct device_value *newer, *older;
    uint32_t mark; /* its number in the segment at work, + 1; 0: none */
    bool pinned;   /* of the program at work: it stays where it is */
};

struct mpu_vector {
    uint64_t refs;
    mpu_device *device; /* NULL: it was closed */
    struct device_value *value;
    struct lane_type type;
    uint64_t n;
    mpu_vector *next, *before;
};

/* ---- programs ---- */

/* A program's groups in the order in which they are declared: that of the inputs; of the output of
 * a graph that is apart; of a product the right matrix, and blocks of products. */
enum device_group { AT_INPUT, AT_RESULT, AT_RIGHT, AT_BLOCKS, DEVICE_GROUPS };
/* Of a sort, whose output lies where its input does: where it is carried out. */
enum { AT_ELSEWHERE = AT_RESULT };

/* What a segment of the graph is, whatever vectors it is about. */
enum graph_operand_kind { OPERAND_INPUT, OPERAND_NODE, OPERAND_SCALAR, OPERAND_BAKED };
struct graph_operand {
    enum graph_operand_kind kind;
    uint32_t index; /* of the inputs, nodes, scalars */
    struct lane_type type;
    uint64_t bits; /* BAKED */
};
struct graph_node {
    mpu_op op;                    /* MPU_OPS: a call, of */
    const struct device_sub *sub; /* this */
    struct lane_type type, result;
    uint32_t count;
    struct graph_operand operands[SIGNATURE_MAX_REGISTERS];
    bool output;
};
struct graph_scalar {
    struct lane_type type;
    uint64_t bits;
};
struct device_graph {
    uint64_t n; /* of a chunk */
    unsigned slot;
    /* NULL: the nodes; else this one alone, on its operands, with one output. */
    const struct device_node *alone;
    struct lane_type result;
    uint64_t result_n;
    bool apart; /* the output has a group of its own: it may lie in another slab */
    /* FOLD, MATMUL: groups beside the input's whose VRFs are the first ones of that. */
    bool within[DEVICE_GROUPS];
    uint64_t lanes;       /* that a sort has on other VRFs; 0: it is carried out in place */
    uint64_t block_lanes; /* MATMUL: device_product_lanes */
    uint64_t segment;     /* FOLD, SCAN, SORT: the node's; of a FOLD that, or a part of it */
    VEC(struct graph_node) nodes;
    VEC(struct lane_type) inputs;
    VEC(struct graph_scalar) scalars;
    uint32_t outputs;
};

/* Where the groups lie; NULL: there is no such group. */
struct device_place {
    struct device_slab *slabs[DEVICE_GROUPS];
};
/* The banks of a place, each once. */
struct device_banks {
    struct device_bank *items[DEVICE_GROUPS];
    uint32_t count;
};

struct device_program {
    char key[65]; /* SHA-256 of what it is known by */
    /* What statistics depend on; it stays as long as the program is one of those used last, whether
     * or not the host still has what follows. */
    uint64_t *scalars;  /* [scalar_count]: what the text has */
    uint64_t *made_for; /* [scalar_count]: what its recipes were made for */
    uint32_t scalar_count;
    bool loaded; /* the text went over the link */
    /* What the host made for it; object NULL: nothing now. */
    struct object *object;
    struct package *package;
    struct control_keep *keep;
    struct arena arena;
    struct arena moves;       /* what it moves this time */
    uint64_t bytes;           /* of these, about, but for the code in `keep` */
    uint32_t inputs, outputs; /* the object's variables are these, in this order */
    uint32_t scratch;         /* rows that instructions need beside those of registers */
    struct device_program *newer, *older;
};

/* Keys that were seen of late, and a number for each: the last DEVICE_MEMO and as many more at
 * most.  What was not asked for so long is forgotten. */
struct device_memo {
    struct map young, old;
};

/* What the device has done; all of it adds up. */
struct device_counts {
    uint64_t flushes, operations, dropped, runs, programs, hits;
    uint64_t launches, launch_ps; /* flushes that ran programs */
    uint64_t loads, text_words, patched_words, table_bytes, load_ps, load_fj;
    struct control_established established; /* its VRFs are not counted */
    uint64_t spills, restores, slab_copies;
    uint64_t alone[NODE_KINDS][WAYS]; /* how often, and where */
    struct control_stats kernel;      /* sums; what is no sum is 0 */
    uint64_t kernel_ps;               /* of launched kernels, without what starts them */
    uint64_t *uops, *energy_fj;       /* [kinds], [parts] of the machine */
    uint64_t *counters;               /* [its counters] */
    struct report_host host;
};

/* What labels divide among them: figures of the totals. */
struct device_bill {
    uint64_t time_ps, energy_fj;  /* total.time_ps, total.energy_fj */
    uint64_t end_ps, end_fj;      /* total.end_to_end_.. */
    uint64_t bytes_in, bytes_out; /* host.bytes_.. */
};
struct device_label {
    uint64_t calls, operations;
    struct device_bill bill;
    uint64_t flushed; /* of the operations: by the flush at work */
};
/* What the nodes of a program at work took of it: [count] each.  Subroutines are those nodes' that
 * call; what is nobody's (of ensembles) is left out. */
struct device_shares {
    uint64_t *time_ps, *energy_fj;
    const uint8_t *calls;
    uint32_t count;
    uint64_t called_ps, called_fj;
};

struct mpu_device {
    const mpu_target *handle;
    const struct target *target;
    const struct machine_library *library;
    mpu_messages *messages;
    mpu_config config;
    struct dp_setup setup;
    struct control_config control_config;
    const struct datapath_ops *ops;
    struct datapath *dp;
    bool golden, costs_known, spills;
    const char *engine_name; /* of the engine that is at work, or is checked */
    bool vectors_there;      /* the machine keeps vectors */
    bool has_memory;         /* for buffers */
    bool launches;    /* it has memory and launches kernels, and keeps no vectors beside them */
    bool broken;      /* memory ran out in a call (PUBLIC_ENTRY_OF) */
    bool told_copies; /* -Wmoves was given */
    enum group_place place;    /* that was asked for */
    enum finish_choice finish; /* of folds */

    const struct machine *machine;
    struct machine_room rooms[65]; /* by the bits of slots that there are; 64 alone without slots */
    unsigned needs_slot; /* of the program that was asked for last: it needs wider lanes; or 0 */
    uint32_t bits;       /* of a lane that the host keeps */
    uint64_t *row_used;  /* [target.mpus]: bit r: a slab has VRF row r of the MPU */
    VEC(struct device_slab *) slabs;
    uint64_t slab_numbers;

    mpu_vector *vectors;
    mpu_buffer *buffers;
    mpu_module *modules;
    uint64_t kernel_launches;            /* since it was opened */
    VEC(struct device_value *) recorded; /* in their order; NULL where one went */
    size_t waiting;                      /* how many are there */
    uint64_t put_bytes;                  /* of puts that wait */
    bool flushing;
    struct device_value *newest, *oldest; /* placed ones */

    struct device_library *libraries;
    struct device_sub *subs;
    struct timing_tables *tables; /* what recipe tables of MPUs hold */
    struct device_memo recipes;   /* keys of recipes that the host has sent (machine_part) */
    struct device_memo ways;      /* SHA-256 of what folds are known by, to enum node_way; of sorts
                                     to where they are carried out */
    struct device_memo shapes;    /* SHA-256 of graphs whose numbers have programs of their own, and
                                     of what they are but for these, to how many came */
    struct device_memo places;    /* SHA-256 of where slabs lie, to their numbers */
    struct map programs;          /* keys to struct device_program * */
    uint64_t most_bytes;          /* that programs, their code and libraries may take */
    struct device_program *latest, *longest_unused;
    size_t program_count;

    struct device_counts counts;

    VEC(struct device_label) labels; /* number 0: what has none; empty: nothing was labelled yet */
    struct map label_numbers;        /* of their names */
    uint32_t label;                  /* the one that is set */
    struct device_bill billed;       /* what labels have had of the counts */
    struct device_shares *shares;    /* of the program at work; NULL: they are not asked for */
};

/* Of a row of VRFs, which slabs are made of: one in each RFH of an MPU. */
static inline uint64_t device_row_lanes(const mpu_device *device, unsigned slot) {
    return (uint64_t)device->rooms[slot].lanes * device->target->rfh_per_mpu;
}

/* In lanes of which slot such an element lies on its own. */
static inline unsigned device_type_slot(const mpu_device *device, struct lane_type type) {
    return machine_slot_of(device->machine, type.bits);
}

/* Where vectors lie.  They do not change their places when programs come, so that auto cannot count
 * what a program takes: what exchanges nothing is never slower when it is spread. */
static inline enum group_place device_vectors_place(const mpu_device *device) {
    return device->place == PLACE_PACKED ? PLACE_PACKED : PLACE_SPREAD;
}

/* PUBLIC_ENTRY_OF for what changes the device of a vector, which may have none any more. */
#define DEVICE_ENTRY(device, error, ...)                                                           \
    if ((device) && (device)->broken) {                                                            \
        public_no_memory(error);                                                                   \
        return __VA_ARGS__;                                                                        \
    }                                                                                              \
    PUBLIC_ENTRY_WITH(device_lose(device), error, __VA_ARGS__)
void device_lose(mpu_device *device);

enum {
    DEVICE_MOST_RECORDED = 4096,
    DEVICE_MOST_PROGRAMS = 256,
    DEVICE_SEGMENT = 64,
    DEVICE_MOST_VARIANTS = 16, /* of a graph, by numbers that have programs of their own */
    DEVICE_MEMO = 1 << 15
};
#define DEVICE_CACHE_BYTES ((uint64_t)128 << 20) /* unless configured */
#define DEVICE_PUT_BYTES   ((uint64_t)64 << 20)  /* of puts that wait, at most */

static inline struct lane_type device_type(mpu_vtype type) {
    return (struct lane_type){(enum type_kind)type.kind, type.bits};
}

/* ---- device_ops.c ---- */
/* The same operation in the table of all of them; below ARRAY_PUBLIC_OPS. */
enum array_op device_array_op(mpu_op op);
/* Its line there; NULL: there is none. */
const struct array_op_info *device_op(mpu_op op);
struct lane_type device_node_operand_type(const struct device_node *node, uint32_t operand);
/* ARGMIN, ARGMAX. */
static inline bool device_gives_place(mpu_op op) {
    return op == MPU_OP_ARGMIN || op == MPU_OP_ARGMAX;
}
/* True if programs are made for this very scalar; plain: if they have to be. */
bool device_bakes(mpu_op op, struct lane_type type, uint32_t operand, uint64_t bits, bool plain);

/* ---- device_memo.c ---- */
/* The number of a key; false: it is not there. */
bool device_memo_get(struct device_memo *memo, const char *key, size_t size, uint64_t *value);
/* True if the key is new. */
bool device_memo_put(struct device_memo *memo, const char *key, size_t size, uint64_t value);
void device_memo_free(struct device_memo *memo);

/* ---- device_call.c ---- */
/* Lets libraries go that were not called for longest, until the rest takes so many bytes at most;
 * nothing is recorded. */
void device_libraries_trim(mpu_device *device, uint64_t most);
void device_libraries_free(mpu_device *device);

/* ---- device_record.c ---- */
/* A node that moves the elements from `first` on, and its value, which is recorded: `count` of
 * them. */
struct device_value *device_record_part(struct device_value *source, uint64_t first,
                                        uint64_t count);
/* Records a call of operands that were checked; or NULL. */
mpu_vector *device_record_call(mpu_device *device, const struct device_sub *sub, uint64_t n,
                               const mpu_operand *operands, uint32_t count, mpu_error **error);

/* ---- device_slab.c ---- */
/* So many bits of a lane in one piece; UINT32_MAX: there are none. */
uint32_t device_bank_take(const mpu_device *device, struct device_bank *bank, unsigned bits);
void device_bank_give(struct device_bank *bank, uint32_t first, unsigned bits);
struct device_banks device_place_banks(const struct device_place *place);
/* One of that length and slot, the one that has most rows free; NULL: there is none. */
struct device_slab *device_slab_there(const mpu_device *device, uint64_t n, unsigned slot);
/* The same bits of all of them. */
uint32_t device_banks_take(const mpu_device *device, const struct device_banks *banks,
                           unsigned bits);
void device_banks_give(const struct device_banks *banks, uint32_t first, unsigned bits);
/* Of a piece of `from` bits the first `to` stay taken. */
void device_bank_shrink(struct device_bank *bank, uint32_t first, unsigned from, unsigned to);
/* True if vectors, each in one piece, of so many rows altogether have room. */
bool device_bank_has(const struct device_bank *bank, uint64_t rows);
/* A new slab for vectors of n elements; NULL: there are no VRFs for it. */
struct device_slab *device_slab_new(mpu_device *device, uint64_t n, unsigned slot);
/* VRF rows that one needs; 0: its chunks have no room, however many there are. */
uint64_t device_slab_rows(const mpu_device *device, uint64_t n, unsigned slot);
/* VRF rows that no slab has. */
uint64_t device_free_rows(const mpu_device *device);
/* One that is apart, at a place as packages have them: of all that are new, or there already. */
struct device_slab *device_slab_apart(mpu_device *device, uint64_t n, unsigned slot,
                                      enum group_place place, uint32_t mpus);
/* Gives the VRFs of slabs back in which no values lie and that no program holds. */
void device_slabs_trim(mpu_device *device);
void device_slab_free(mpu_device *device, struct device_slab *slab);
/* Visits the elements first .. first + count - 1 of a slab's vectors chunk by chunk, in each VRF
 * row by VRF row: `x` is filled in but for register, bits, bytes and data; `at` is the number of
 * the first element. */
typedef void device_visit(void *context, const struct device_slab *slab, uint32_t chunk,
                          uint32_t vrf, uint32_t lane, uint64_t at, uint64_t count);
void device_slab_walk(const mpu_device *device, const struct device_slab *slab, uint64_t first,
                      uint64_t count, device_visit *visit, void *context);

/* ---- device_value.c ---- */
struct device_value *device_value_new(mpu_device *device, struct lane_type type, uint64_t n,
                                      enum value_state state);
void device_value_drop(struct device_value *value);
/* Bits of its elements' lanes in the slab, which has room; it is placed then, with anything in it.
 */
void device_value_place(struct device_value *value, struct device_slab *slab);
/* A recorded value, which a program made: `first` is handed over. */
void device_value_settle(struct device_value *value, struct device_slab *slab, uint32_t *first);
void device_fault_drop(struct device_fault *fault);
/* It is recorded no more: the node and what it reads are dropped when the value has its place. */
struct device_node *device_take_node(struct device_value *value);
void device_drop_node(struct device_node *node);
/* Used now: of all placed values, it will be spilled last. */
void device_value_touch(struct device_value *value);
/* Its lanes are free; it lies nowhere. */
void device_value_unplace(struct device_value *value);
/* A slab with room for so many rows and, pieces of `bits`, beside what is pinned; others go to the
 * host for it.  `want`: one to be taken if it can be.  NULL after reporting. */
struct device_slab *device_find_room(mpu_device *device, uint64_t n, unsigned slot, uint64_t rows,
                                     struct device_slab *want, struct diag *diag);
/* Its elements go to the host. */
void device_value_to_host(struct device_value *value);
uint32_t device_type_bytes(struct lane_type type);
/* It lies on the host until a program reads it: a put of all of it. */
void device_value_wait(struct device_value *value, const void *data);
/* A put waits no more. */
void device_value_wait_ends(struct device_value *value);
/* Reads or writes a range of a placed value, and charges it. */
void device_transfer(struct device_value *value, uint64_t first, uint64_t count, void *data,
                     bool put);

/* ---- device_vector.c ---- */
/* A vector with that value, whose reference is handed over. */
mpu_vector *device_vector_of(mpu_device *device, struct device_value *value);
/* Tells an error, device NULL: without a sink; returns the code. */
mpu_result device_refuse(mpu_device *device, mpu_error **error, mpu_result code, const char *format,
                         ...) __attribute__((format(printf, 4, 5)));
mpu_result device_refuse_failed(mpu_device *device, mpu_error **error,
                                const struct device_value *value);
/* False after refusing. */
bool device_type_check(mpu_device *device, mpu_vtype type, uint64_t n, mpu_error **error);

/* ---- device_flush.c ---- */
mpu_result device_flush(mpu_device *device, struct diag *diag);

/* ---- device_alone.c ---- */
/* The slot in which a node is carried out: the narrowest that some operand lies in and that has
 * room for all of its types; if there is none, that of the widest type. */
unsigned device_node_slot(const struct device_value *value);
/* Carries out a node that is not NODE_APPLY, whose operands are there: on the machine, or on the
 * host where that is cheaper, or the machine cannot. */
mpu_result device_run_alone(struct device_value *value, struct diag *diag);

/* It lies in the slab, which has room for it. */
void device_value_bring(struct device_value *value, struct device_slab *slab);

/* ---- device_move.c ---- */
/* The pieces of a move of a source of so many elements between the registers of the record, in
 * `arena`; false: they are too many. */
bool device_move_plan(const struct device_node *node, uint64_t source, const struct move *record,
                      struct arena *arena, struct move_plan *plan);

/* ---- device_product.c ---- */
/* Elements that blocks of products take, where rows of VRFs have so many lanes; 0: they have room
 * where the result lies. */
uint64_t device_product_lanes(const struct device_node *node, uint64_t row_lanes);
/* The groups of a product, in the order of enum device_group. */
void device_declare_product(const struct device_graph *graph, struct arrays *arrays);
void device_lower_product(const struct device_graph *graph, struct arrays *arrays);
/* On the host, in the order of additions that the machine has. */
void device_product_on_host(const struct device_node *node, const uint64_t *left,
                            const uint64_t *right, uint64_t *result);

/* ---- device_lower_alone.c ---- */
/* Of the first number of a range among n elements, and of how many these are. */
struct lane_type device_range_type(uint64_t n);
/* Makes the nodes of a graph that is one alone: its inputs are the first variables, then comes its
 * output. */
void device_lower_alone(const struct device_graph *graph, struct arrays *arrays);

/* ---- device_host.c ---- */
/* left op right of the node, as its program has it. */
uint64_t device_combine(mpu_op op, struct lane_type type, uint64_t left, uint64_t right);
/* Neighbours in pairs, then pairs of these; the last one of an odd number as it is.  `x` is spent.
 */
uint64_t device_fold_pairs(mpu_op op, struct lane_type type, uint64_t *x, uint64_t n);
/* Folds what a program has folded in part: `from` has the partial results. */
mpu_result device_fold_partials(struct device_value *value, struct device_value *partials,
                                struct diag *diag);
/* Elements of the source that a node is about. */
static inline uint64_t device_node_length(const struct device_node *node, uint64_t source) {
    return node->ranged ? node->length : source;
}
/* The time of the host's link for so many elements, one way. */
uint64_t device_link_ps(const mpu_device *device, uint64_t elements, struct lane_type type,
                        const struct device_slab *slab, bool put);
/* Carries out a node that is not NODE_APPLY on the host: what it reads is got, what it makes is
 * put.
 */
mpu_result device_run_on_host(struct device_value *value, struct diag *diag);

/* ---- device_lower.c ---- */
/* The name of the text of which node i of a graph is line i + 1. */
#define DEVICE_LINES "graph"
/* True of numbers of elements, for which a kernel has as many bits as there are elements. */
bool device_has_narrow_result(const struct device_graph *graph);
/* The linked program; NULL after reporting, or if it has no room.  narrow: as of a kernel, whose
 * result takes fewer bits; then it may turn out that this machine has no room for it. */
struct object *device_compile(const mpu_device *device, const struct device_graph *graph,
                              bool narrow, struct diag *diag);

/* ---- device_program.c ---- */
/* The program of the graph on the slab's VRFs, from the cache or new; NULL: it cannot be made, or
 * (device.needs_slot) its registers have no room in the lanes. */
struct device_program *device_program_get(mpu_device *device, const struct device_graph *graph,
                                          const struct device_place *place, struct diag *diag);
/* Runs it with bit 0 of each variable at first[variable], others of its registers in bits that are
 * taken for it in the banks.  MPU_STOPPED and MPU_DIFFERS after reporting. */
mpu_result device_program_run(mpu_device *device, struct device_program *program,
                              const struct device_graph *graph, const struct device_place *place,
                              const uint32_t *first, struct diag *diag);
/* What its kernel takes, without carrying it out; false where that is not known. */
bool device_program_time(mpu_device *device, struct device_program *program, uint64_t *ps);
/* Rows that it needs beside those of its inputs: its outputs, what else it writes, scratch. */
uint64_t device_program_rows(const struct device_program *program, const struct machine_room *room,
                             uint32_t chunks);
/* A program that is ready for the machine, and what it needs of the host. */
struct device_work {
    const struct object *object;
    const struct package *package;
    struct control_keep *keep; /* NULL: nothing is kept */
    const uint64_t *buffers;   /* control_config.buffers */
    const uint64_t *strides;   /* control_config.strides */
    const uint64_t *modules;   /* control_config.modules */
    bool one_launch;           /* control_config.one_launch */
    uint64_t launched;         /* control_config.launched */
};
/* Its text goes over the link, and what of the recipes no program before has brought. */
void device_load(mpu_device *device, const struct package *package);
/* Runs it and counts what that took.  MPU_STOPPED and MPU_DIFFERS after reporting. */
mpu_result device_run(mpu_device *device, const struct device_work *work, struct diag *diag);
/* Bits that the program writes of an output. */
unsigned device_program_bits(const struct device_program *program, uint32_t variable);
/* What tells graphs apart, but for places; appended. */
void device_graph_key(const struct device_graph *graph, struct str *key);
/* A slab with room for a value; NULL after reporting. */
struct device_slab *device_room_for(struct device_value *value, struct diag *diag);
/* Lets go what the host made for programs that were not used for longest, until the rest takes
 * device.most_bytes at most; no program is at work. */
void device_programs_trim(mpu_device *device);
void device_programs_free(mpu_device *device);

/* ---- device_buffer.c ---- */
/* Bytes of the machine's memory on their way. */
void device_charge_memory(mpu_device *device, enum host_way way, uint64_t bytes);
/* Whether it is one of the device's; nothing of it is looked at. */
bool device_has_buffer(const mpu_device *device, const mpu_buffer *buffer);
void device_buffer_drop(mpu_buffer *buffer);

/* ---- device_stats.c ---- */
/* `program`: what ran. */
void device_count_run(mpu_device *device, const struct object *program,
                      const struct control *control);
/* The totals that labels divide. */
struct device_bill device_bill(const mpu_device *device);

/* ---- device_label.c ---- */
/* What was done since the last of these calls is the label's that is set; each of them does nothing
 * where nothing was labelled. */
void device_label_settle(mpu_device *device);
/* ... that label's. */
void device_label_charge(mpu_device *device, uint32_t label);
/* ... that of these, as many operations, by what each took of the program: device.shares. */
void device_label_divide(mpu_device *device, const uint32_t *labels, uint32_t count,
                         const struct device_shares *shares);
/* ... that of all labels, by how many of their operations this flush carried out. */
void device_label_close(mpu_device *device);
/* An operation is carried out. */
void device_label_count(mpu_device *device, uint32_t label);
/* Figures of all labels. */
void device_label_report(mpu_device *device, struct figures *figures);
void device_label_reset(mpu_device *device);
void device_labels_free(mpu_device *device);

#endif
