/* SPDX-License-Identifier: MIT
 * Strict against golden: random runs of every instruction that a target has a recipe for, at random
 * widths, masked and unmasked, with operands aliased, on parts of several MPUs and on VRFs of
 * several shapes; then that the comparison sees what it should see. */
#include "hand.h"
#include "isa-spec/product.h"
#include "machines/plane/run/plane.h"
#include "support/bits.h"
#include "support/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define REGS 6 /* few, so that operands alias and results meet again */
#ifdef MPU_SANITIZED
#define ROUNDS 2
#else
#define ROUNDS 8
#endif

struct fixture {
    struct target *target;
    struct recipe_set *recipes;
    struct diag *diag;
    uint64_t seed;
    enum isa_op ops[OP_COUNT];
    unsigned op_count;
};

static uint64_t draw(struct fixture *f, uint64_t n) {
    return splitmix64(&f->seed) % n;
}

static int open_fixture(struct fixture *f, const char *target) {
    *f = (struct fixture){.diag = diag_new(NULL, NULL), .seed = 2024};
    f->target = target_open(target, NULL, 0, f->diag);
    f->recipes = f->target ? recipe_set_open(f->target, f->diag) : NULL;
    if (!f->recipes) {
        print_error("%s\n", diag_first(f->diag) ? diag_first(f->diag) : "no recipes");
        return -1;
    }
    for (enum isa_op op = 0; op < OP_COUNT; op++)
        if (isa_info(op)->golden && recipe_exists(f->recipes, op))
            f->ops[f->op_count++] = op;
    return 0;
}

static int set_up(void **state) {
    static struct fixture f;
    *state = &f;
    return open_fixture(&f, "racer");
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    recipe_set_free(f->recipes);
    target_free(f->target);
    diag_free(f->diag);
    return 0;
}

/* --- random instructions --- */

/* Legal words only: whatever the ISA refuses is drawn again. */
static struct insn random_insn(struct fixture *f, enum isa_op op) {
    for (;;) {
        const struct isa_info *info = isa_info(op);
        struct insn i = {.op = op}, decoded;
        uint32_t word;
        if (info->flags & ISA_WIDTH)
            i.width = (uint8_t)(draw(f, 3) ? 1 + draw(f, 64) : 1 + draw(f, 9));
        for (unsigned k = 0; k < info->operand_count; k++)
            switch ((enum operand_role)info->operands[k]) {
            case ROLE_RS:
                i.rs = (uint8_t)draw(f, REGS);
                break;
            case ROLE_RT:
                i.rt = (uint8_t)draw(f, REGS);
                break;
            case ROLE_RD:
                i.rd = (uint8_t)draw(f, REGS);
                break;
            case ROLE_COUNT:
                i.imm = (int32_t)draw(f, 64);
                break;
            case ROLE_SRCWIDTH:
                i.imm = 1 + (int32_t)draw(f, i.width);
                break;
            case ROLE_IMM:
                i.imm = (int32_t)draw(f, 4096) - 2048;
                break;
            default:
                break;
            }
        if (isa_encode(&i, &word) != ISA_OK || isa_decode(word, &decoded) != ISA_OK)
            continue;
        if (!isa_has_shape(op))
            return decoded;
        decoded.width = (uint8_t)(1 + draw(f, 64));
        if (isa_product_pick(decoded.width, (unsigned)draw(f, ISA_PRODUCT_PICKS), &decoded.imm))
            return decoded;
    }
}

/* Multiplication takes thousands of micro-ops; most runs do without. */
static enum isa_op random_op(struct fixture *f) {
    enum isa_op op = f->ops[draw(f, f->op_count)];
    bool dear = strstr(isa_info(op)->name, "MUL") || strstr(isa_info(op)->name, "DIV");
    return dear && draw(f, 6) ? random_op(f) : op;
}

/* --- machines --- */

struct shape {
    uint32_t lanes, vrf_per_rfh, rfh_per_mpu, mpus;
};
static const struct shape shapes[] = {{64, 8, 8, 3}, {100, 4, 3, 2}, {512, 2, 4, 2}};

static struct datapath *open_shape(struct fixture *f, struct target *t, const struct shape *s,
                                   const struct datapath_ops *ops) {
    static uint8_t bits[64];
    memset(bits, 64, REGS);
    *t = *f->target;
    t->lanes = s->lanes;
    t->vrf_per_rfh = s->vrf_per_rfh;
    t->rfh_per_mpu = s->rfh_per_mpu;
    t->mpus = s->mpus;
    struct dp_setup setup = {.target = t,
                             .mpus = s->mpus,
                             .reg_bits = bits,
                             .init = DP_INIT_RANDOM,
                             .seed = splitmix64(&f->seed)};
    struct datapath *dp = ops->open(&setup, f->diag);
    if (!dp)
        fail_msg("%s", diag_first(f->diag));
    return dp;
}

static void bind_all(struct fixture *f, struct datapath *dp, const struct shape *s) {
    for (uint32_t v = 0; v < s->vrf_per_rfh * s->rfh_per_mpu * s->mpus; v++) {
        struct dp_binding b = {.vrf = v, .valid_lanes = s->lanes};
        if (draw(f, 3) == 0)
            b.valid_lanes = (uint32_t)draw(f, s->lanes + 1);
        dp->ops->bind(dp, &b, 1);
    }
}

/* Two ranges that do not touch. */
static struct vrf_set random_set(struct fixture *f, uint32_t vrfs, struct vrf_range *ranges) {
    uint32_t middle = 1 + (uint32_t)draw(f, vrfs - 2);
    ranges[0].first = (uint32_t)draw(f, middle);
    ranges[0].count = 1 + (uint32_t)draw(f, middle - ranges[0].first);
    ranges[1].first = middle + 1;
    ranges[1].count = 1 + (uint32_t)draw(f, vrfs - middle - 1);
    if (ranges[0].first + ranges[0].count > middle)
        ranges[0].count = middle - ranges[0].first;
    return (struct vrf_set){ranges, ranges[0].count > 0 ? 2 : 0};
}

static void expect_same(struct datapath *dp, const struct insn *insns, size_t count, bool masked) {
    struct str what = {0};
    if (check_differs(dp, &what)) {
        for (size_t i = 0; i < count; i++) {
            str_char(&what, '\n');
            isa_format_insn(&insns[i], NULL, &what);
        }
        fail_msg("%s\n(%s)", str_text(&what), masked ? "masked at entry" : "not masked at entry");
    }
    str_free(&what);
}

/* One run of 1 to 6 instructions on a random set, every bit compared. */
static void random_run(struct fixture *f, struct datapath *dp, const struct shape *s,
                       enum isa_op first) {
    struct insn insns[6] = {random_insn(f, first)};
    struct dp_run run = {insns, 1 + draw(f, 6), draw(f, 2), 0};
    struct vrf_range ranges[2];
    uint8_t bits[256];
    uint32_t vrfs = s->vrf_per_rfh * s->rfh_per_mpu * s->mpus;
    for (size_t i = 1; i < run.count; i++)
        insns[i] = random_insn(f, random_op(f));
    struct vrf_set set = random_set(f, vrfs, ranges);
    bind_all(f, dp, s);
    struct dp_code *code = dp->ops->prepare(dp, &run, f->diag);
    if (!code)
        fail_msg("%s", diag_first(f->diag));
    dp->ops->execute(dp, code, set, (struct dp_moment){1000, 0}, NULL);
    dp->ops->any(dp, DP_ANY_M, set, bits, NULL);
    dp->ops->any(dp, DP_ANY_M_AND_NOT_C, set, bits, NULL);
    expect_same(dp, insns, run.count, run.masked);
}

static void every_recipe(void **state) {
    struct fixture *f = *state;
    assert_true(f->op_count > 30);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        struct target t;
        struct datapath *dp = open_shape(f, &t, &shapes[k], &check_ops);
        for (unsigned i = 0; i < f->op_count * ROUNDS; i++)
            random_run(f, dp, &shapes[k], f->ops[i % f->op_count]);
        dp->ops->close(dp);
    }
}

/* Arrays that destroy what they read, with masks by select and by latch. */
static void other_targets(void **state) {
    static const char *const names[] = {"mimdram", "duality-cache"};
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct fixture f, *open = &f;
        struct target t;
        assert_int_equal(open_fixture(&f, names[n]), 0);
        struct datapath *dp = open_shape(&f, &t, &shapes[0], &check_ops);
        for (unsigned i = 0; i < f.op_count; i++)
            random_run(&f, dp, &shapes[0], f.ops[i]);
        dp->ops->close(dp);
        tear_down((void **)&open);
    }
}

/* --- one program after another --- */

enum { LANE_BITS = 700 };

/* Registers of 9 to 64 bits, here and there. */
static void move_registers(struct fixture *f, struct datapath *dp) {
    uint8_t bits[64] = {0};
    uint32_t first[64] = {0}, at = 0;
    for (unsigned r = 0; r < REGS; r++) {
        first[r] = at + (uint32_t)draw(f, 40);
        bits[r] = (uint8_t)(9 + draw(f, 56));
        at = first[r] + bits[r];
    }
    assert_true(at <= LANE_BITS);
    dp->ops->remap(dp, &(struct dp_map){.bits = bits, .first = first});
}

/* Of no more bits than any register has. */
static struct insn narrow_insn(struct fixture *f) {
    struct insn insn;
    do
        insn = random_insn(f, f->ops[draw(f, f->op_count)]);
    while (insn.width == 0 || insn.width > 9);
    return insn;
}

/* What a register or C holds that nothing was written to since registers moved, or where lanes
 * had no element, is not the program's; both sides have the same there all the same. */
static void used_rows(void **state) {
    struct fixture *f = *state;
    struct dp_setup setup = {.target = f->target, .mpus = 1, .bits = LANE_BITS};
    struct datapath *dp = check_ops.open(&setup, f->diag);
    struct vrf_range range = {0, 1};
    assert_non_null(dp);
    for (unsigned i = 0; i < 20 * ROUNDS; i++) {
        const uint64_t value = splitmix64(&f->seed);
        const struct insn insns[] = {narrow_insn(f), narrow_insn(f)};
        const struct dp_run run = {insns, 2, false, 0};
        const struct dp_binding b = {.vrf = 0, .valid_lanes = 1 + (uint32_t)draw(f, 64)};
        move_registers(f, dp);
        struct dp_code *code = dp->ops->prepare(dp, &run, f->diag);
        assert_non_null(code);
        dp->ops->put(dp, 0, DP_REGISTER, (unsigned)draw(f, REGS), 64, (uint32_t)draw(f, 64), 1,
                     &value);
        dp->ops->bind(dp, &b, 1);
        dp->ops->execute(dp, code, (struct vrf_set){&range, 1}, (struct dp_moment){0}, NULL);
        expect_same(dp, insns, 2, false);
    }
    dp->ops->close(dp);
}

/* --- cost --- */

/* The clock moves with every run, as that of strict; counts are those of strict. */
static void costs(void **state) {
    struct fixture *f = *state;
    struct target t;
    struct datapath *dp = open_shape(f, &t, &shapes[0], &check_ops);
    struct insn add = {.op = OP_ADD, .width = 32, .rs = 0, .rt = 1, .rd = 2};
    struct dp_run run = {&add, 1, false, 0};
    struct dp_code *code = dp->ops->prepare(dp, &run, f->diag);
    struct dp_description about;
    struct dp_times times = {0};
    struct dp_issue issue = {.after_ps = target_issue_ps(&t)};
    dp->ops->describe(dp, code, &about);
    for (unsigned i = 0; i < 2; i++) {
        dp->ops->follow(dp, code, &about, &issue, &times);
        issue.clock = times.clock;
        if (i == 0)
            assert_int_equal(times.done_ps, about.latency_ps);
        else
            assert_in_range(times.done_ps, about.latency_ps + 1, 2 * about.latency_ps);
    }
    uint64_t sum = 0, energy = 0;
    for (unsigned k = 0; k < dp->tables.kind_count; k++)
        sum += about.uops[k];
    for (unsigned k = 0; k < dp->tables.part_count; k++)
        energy += about.energy_fj[k];
    assert_int_equal(sum, about.micro_ops);
    assert_int_equal(sum, about.insn_micro_ops[0]);
    assert_int_equal(energy, about.insn_energy_fj[0]);
    dp->ops->close(dp);
}

/* --- the comparison itself --- */

/* The same technology with the function of one gate inverted, once the recipes are made, of which
 * other forms are prepared: strict works with other gates than the recipes mean. */
struct broken {
    struct target target;
    struct plane_target planes;
    struct target_op ops[PLANE_MAX_OPS];
    struct datapath *dp;
};

static void open_broken(struct fixture *f, struct broken *b, const char *gate,
                        const struct insn *insns, size_t count) {
    const struct dp_run run = {insns, count, true, 0};
    static const uint8_t bits[64] = {8, 8, 8};
    b->target = *f->target;
    b->planes = *plane_target(f->target);
    b->target.own = &b->planes;
    struct dp_setup setup = {
        .target = &b->target, .mpus = 2, .reg_bits = bits, .init = DP_INIT_RANDOM, .seed = 3};
    b->dp = check_ops.open(&setup, f->diag);
    assert_non_null(b->dp);
    assert_non_null(b->dp->ops->prepare(b->dp, &run, f->diag));
    memcpy(b->ops, plane_target(&b->target)->ops,
           plane_target(&b->target)->op_count * sizeof *b->ops);
    for (uint32_t k = 0; k < plane_target(&b->target)->op_count; k++)
        if (strcmp(b->ops[k].name, gate) == 0)
            b->ops[k].truth[0] = ~b->ops[k].truth[0];
    b->planes.ops = b->ops;
}

static void run_on(struct fixture *f, struct datapath *dp, const struct insn *insns, size_t count,
                   struct vrf_range range) {
    struct dp_run run = {insns, count, false, 0};
    struct dp_code *code = dp->ops->prepare(dp, &run, f->diag);
    assert_non_null(code);
    dp->ops->execute(dp, code, (struct vrf_set){&range, 1}, (struct dp_moment){0}, NULL);
}

static void sees_a_wrong_gate(void **state) {
    struct fixture *f = *state;
    struct broken x;
    struct insn add = {.op = OP_ADD, .width = 8, .rs = 0, .rt = 1, .rd = 2};
    struct dp_binding b = {.vrf = 514, .valid_lanes = 10};
    struct str what = {0};
    open_broken(f, &x, "NOR", &add, 1);
    x.dp->ops->bind(x.dp, &b, 1);
    assert_false(check_differs(x.dp, &what));
    x.dp->ops->bind(x.dp, &b, 1);
    run_on(f, x.dp, &add, 1, (struct vrf_range){514, 1});
    assert_true(check_differs(x.dp, &what));
    assert_non_null(strstr(str_text(&what), "MPU1 RFH2 VRF0 lane 0, r2: 0x"));
    assert_non_null(strstr(str_text(&what), " on golden"));
    assert_false(check_differs(x.dp, &what)); /* nothing was bound since */
    str_free(&what);
    x.dp->ops->close(x.dp);
}

/* r0 == r0 in every lane, so that the mask is set everywhere, but not with that gate inverted. */
static void sees_a_wrong_mask(void **state) {
    struct fixture *f = *state;
    struct broken x;
    struct insn insns[2] = {{.op = OP_CMPEQ, .width = 8, .rs = 0, .rt = 0},
                            {.op = OP_SETMASK_COND}};
    struct dp_binding b = {.vrf = 9, .valid_lanes = 64};
    struct vrf_range range = {9, 1};
    struct str what = {0};
    uint8_t bit;
    open_broken(f, &x, "SETM", insns, 2);
    x.dp->ops->bind(x.dp, &b, 1);
    run_on(f, x.dp, insns, 2, range);
    x.dp->ops->any(x.dp, DP_ANY_M, (struct vrf_set){&range, 1}, &bit, NULL);
    assert_int_equal(bit, 0);
    assert_true(check_differs(x.dp, &what));
    assert_string_equal(str_text(&what), "MPU0 RFH1 VRF1: a lane with M is not there on strict, "
                                         "there on golden");
    str_free(&what);
    x.dp->ops->close(x.dp);
}

static void sees_invalid_lanes_as_empty(void **state) {
    struct fixture *f = *state;
    struct target t;
    struct datapath *dp = open_shape(f, &t, &shapes[2], &check_ops);
    struct insn insns[2] = {random_insn(f, f->ops[0]), random_insn(f, f->ops[1])};
    struct dp_run run = {insns, 2, false, 0};
    struct dp_code *code = dp->ops->prepare(dp, &run, f->diag);
    struct dp_binding b = {.vrf = 1, .valid_lanes = 0};
    struct vrf_range range = {1, 1};
    uint8_t bit = 1;
    dp->ops->bind(dp, &b, 1);
    dp->ops->execute(dp, code, (struct vrf_set){&range, 1}, (struct dp_moment){0}, NULL);
    dp->ops->any(dp, DP_ANY_M, (struct vrf_set){&range, 1}, &bit, NULL);
    assert_int_equal(bit, 0);
    expect_same(dp, insns, 2, false);
    dp->ops->close(dp);
}

/* Values, copies and snapshots pass through to both sides. */
static void passes_state_on(void **state) {
    struct fixture *f = *state;
    struct target t;
    struct datapath *dp = open_shape(f, &t, &shapes[1], &check_ops);
    uint64_t values[100], got[100];
    struct str block = {0};
    struct dp_cost cost = {0};
    struct dp_binding b[2] = {{.vrf = 2, .valid_lanes = 100}, {.vrf = 20, .valid_lanes = 99}};
    const struct dp_copy c = {.src_vrf = 2, .dst_vrf = 20, .src_reg = 1, .dst_reg = 3, .width = 16};
    for (unsigned i = 0; i < 100; i++)
        values[i] = splitmix64(&f->seed);
    dp->ops->bind(dp, b, 2);
    dp->ops->put(dp, 2, DP_REGISTER, 1, 64, 0, 100, values);
    hand_copy(dp, &c, &cost);
    assert_true(cost.known);
    assert_true(dp->ops->snapshot(dp, false, &block));
    dp->ops->get(dp, 20, DP_REGISTER, 3, 0, 100, got);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(got[i] & 0xffff, values[i] & 0xffff);
    memset(values, 0, sizeof values);
    dp->ops->put(dp, 20, DP_REGISTER, 3, 64, 0, 100, values);
    assert_true(dp->ops->snapshot(dp, true, &block));
    assert_int_equal(block.len, 0);
    dp->ops->get(dp, 20, DP_REGISTER, 3, 0, 100, values);
    assert_memory_equal(values, got, sizeof got);
    expect_same(dp, NULL, 0, false);
    str_free(&block);
    dp->ops->close(dp);
}

/* Both refuse what is no instruction of lanes, or has no recipe. */
static void refuses(void **state) {
    struct fixture *f = *state;
    static const struct datapath_ops *const all[] = {&plane_strict_ops, &golden_ops, &check_ops};
    for (unsigned k = 0; k < 3; k++) {
        struct target t;
        struct diag *d = diag_new(NULL, NULL);
        struct datapath *dp = open_shape(f, &t, &shapes[0], all[k]);
        struct insn jump = {.op = OP_JUMP};
        struct dp_run run = {&jump, 1, false, 0};
        assert_null(dp->ops->prepare(dp, &run, d));
        assert_non_null(diag_first(d));
        dp->ops->close(dp);
        diag_free(d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_recipe),
        cmocka_unit_test(other_targets),
        cmocka_unit_test(used_rows),
        cmocka_unit_test(costs),
        cmocka_unit_test(sees_a_wrong_gate),
        cmocka_unit_test(sees_a_wrong_mask),
        cmocka_unit_test(sees_invalid_lanes_as_empty),
        cmocka_unit_test(passes_state_on),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
