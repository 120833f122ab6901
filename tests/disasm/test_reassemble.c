/* SPDX-License-Identifier: MIT
 * A disassembly assembles to the same bytes: random programs, linked ones, and the examples. */
#include "tests/linker/sources.h"

#include "disasm/disasm.h"
#include "ezpim/driver.h"
#include "support/bits.h"

#include <glob.h>

struct maker {
    struct str s;
    uint64_t seed;
    uint32_t groups, sizes, moves, labels, subs;
    uint32_t values;
    uint32_t dims[5]; /* of each group */
    uint32_t buffers, kernels;
    uint32_t parameters[3]; /* of each kernel */
    bool wide;              /* whether sizes' constants stand in the text */
};

static uint32_t pick(struct maker *m, uint32_t n) {
    return (uint32_t)(splitmix64(&m->seed) % n);
}

/* A formula of sizes, of so many operations at most; `bare`: sizes by their names. */
static void make_formula(struct maker *m, uint32_t depth, bool bare) {
    static const char *const between[] = {" + ", " - ", " * ", " / ", ", ", ", "};
    static const char *const before[] = {"(", "(", "(", "(", "min(", "max("};
    uint32_t op = pick(m, 6);
    if (depth == 0) {
        str_printf(&m->s, bare ? "n%u" : "size(n%u)", pick(m, m->sizes));
        return;
    }
    str_append(&m->s, before[op]);
    make_formula(m, depth - 1, bare);
    str_append(&m->s, between[op]);
    if (pick(m, 2))
        make_formula(m, pick(m, depth), bare);
    else
        str_printf(&m->s, "%u", 1 + pick(m, 1000));
    str_char(&m->s, ')');
}

static void make_sizes(struct maker *m) {
    m->sizes = pick(m, 4);
    for (uint32_t i = 0; i < m->sizes; i++) {
        str_printf(&m->s, " .size n%u", i);
        if (pick(m, 2))
            str_printf(&m->s, " = %u", 1 + pick(m, 100000));
        str_char(&m->s, '\n');
    }
    for (uint32_t i = 0, n = m->sizes ? pick(m, 3) : 0; i < n; i++) {
        str_printf(&m->s, " .size d%u = ", i);
        make_formula(m, 1 + pick(m, 3), true);
        str_char(&m->s, '\n');
    }
}

static void make_values(struct maker *m) {
    m->values = pick(m, 3);
    for (uint32_t i = 0; i < m->values; i++) {
        uint32_t count = 1 + pick(m, 12), bits = 9 + pick(m, 30);
        str_printf(&m->s, " .value k%u: %s%u[%u, 2]", i, pick(m, 2) ? "i" : "u", bits, count);
        for (uint32_t e = 0, n = pick(m, 2) ? 2 * count : 0; e < n; e++)
            str_printf(&m->s, "%s%u", e ? ", " : " = ", pick(m, 3) ? pick(m, 255) : 7);
        str_char(&m->s, '\n');
    }
}

static void make_groups(struct maker *m) {
    m->groups = pick(m, 5);
    for (uint32_t i = 0; i < m->groups; i++) {
        str_printf(&m->s, " .group g%u[", i);
        m->dims[i] = 1 + pick(m, 3);
        for (uint32_t k = 0; k < m->dims[i]; k++) {
            str_append(&m->s, k && m->sizes ? ", " : "");
            if (m->sizes && pick(m, 2))
                make_formula(m, pick(m, 3), true);
            else if (m->sizes)
                str_printf(&m->s, "%u", 1 + pick(m, 30));
            else
                str_printf(&m->s, "%s%u", k ? ", " : "", 1 + pick(m, 30));
        }
        str_char(&m->s, ']');
        if (i && pick(m, 3) == 0)
            str_printf(&m->s, " like g%u", pick(m, i));
        else if (pick(m, 4) == 0)
            str_printf(&m->s, " at RFH%u.VRF%u", pick(m, 8), pick(m, 64));
        str_char(&m->s, '\n');
    }
}

/* A sum of numbers, coordinates c0 to c<dims - 1> and a size. */
static void make_sum(struct maker *m, uint32_t dims) {
    uint32_t terms = 1 + pick(m, 3), size = m->sizes ? pick(m, m->sizes) : 0;
    for (uint32_t t = 0; t < terms; t++) {
        str_append(&m->s, t ? pick(m, 2) ? " - " : " + " : pick(m, 3) ? "" : "-");
        if (dims && pick(m, 2))
            str_printf(&m->s, "%u * c%u", pick(m, 4), pick(m, dims));
        else if (m->sizes && pick(m, 2))
            str_printf(&m->s, "size(n%u) * (%u - 3)", size, pick(m, 9));
        else if (m->sizes && pick(m, 2))
            make_formula(m, pick(m, 3), true);
        else
            str_printf(&m->s, "%u", pick(m, 1000));
    }
}

/* "@g1 r3", "@g1 r3 .. r6", "r3"; returns the coordinates. */
static uint32_t make_side(struct maker *m, uint32_t first) {
    uint32_t group = m->groups ? pick(m, m->groups + 1) : 0, dims = 0, reg = first + pick(m, 20);
    if (group < m->groups) {
        str_printf(&m->s, "@g%u ", group);
        dims = m->dims[group];
    }
    str_printf(&m->s, "r%u", reg);
    if (pick(m, 3) == 0) {
        str_printf(&m->s, " .. r%u", reg + pick(m, 9));
        dims++;
    }
    return dims;
}

/* "x[i, k[i]]" in one direction or the other, of two groups of one dimension made for it. */
static void make_indexed(struct maker *m, uint32_t number) {
    static const char *const gathers[] = {"", " wrap", " clip", " else 1"};
    bool array = pick(m, 2), scatter = pick(m, 2);
    const char *range = pick(m, 2) ? ": 1 .. 3" : "";
    const char *type = pick(m, 2) ? "u9" : "i3";
    struct str far = {0}, near = {0};
    uint32_t a = pick(m, 60), k = pick(m, 60), b = pick(m, 60);
    if (array) {
        str_printf(&far, "@xa r%u .. r%u[@xb r%u .. r%u: %s[p, q], q]", a, a + 2, k, k + 2, type);
        str_printf(&near, "@xb r%u .. r%u[p%s, q]", b, b + 2, range);
    } else {
        str_printf(&far, "@xa r%u[@xb r%u: %s[p]]", a, k, type);
        str_printf(&near, "@xb r%u[p%s]", b, range);
    }
    str_printf(&m->s, " .move m%u u7 %s = %s%s\n", number, str_text(scatter ? &far : &near),
               str_text(scatter ? &near : &far), gathers[pick(m, scatter ? 3 : 4)]);
    str_free(&far);
    str_free(&near);
}

static void make_moves(struct maker *m) {
    static const char *const outsides[] = {"", " keep", " wrap", " else 1", " else -1"};
    m->moves = pick(m, 4);
    str_append(&m->s, m->moves ? " .group xa[9]\n .group xb[4]\n" : "");
    for (uint32_t i = 0; i < m->moves; i++) {
        if (pick(m, 4) == 0) {
            make_indexed(m, i);
            continue;
        }
        str_printf(&m->s, " .move %s%u u%u ", pick(m, 2) ? "m" : "$M", i, 1 + pick(m, 64));
        uint32_t dst = make_side(m, 0);
        for (uint32_t d = 0; d < dst; d++) {
            str_printf(&m->s, "%sc%u", d ? ", " : "[", d);
            if (pick(m, 3) == 0) {
                str_append(&m->s, ": ");
                make_sum(m, 0);
                str_append(&m->s, " .. ");
                make_sum(m, 0);
            }
        }
        str_append(&m->s, dst ? "] = " : " = ");
        uint32_t src = make_side(m, 30);
        for (uint32_t d = 0; d < src; d++) {
            str_append(&m->s, d ? ", " : "[");
            make_sum(m, dst);
        }
        str_printf(&m->s, "%s%s\n", src ? "]" : "", outsides[pick(m, 5)]);
    }
}

static void make_variables(struct maker *m) {
    static const char *const directions[] = {"in", "out", "inout", "local"};
    for (uint32_t i = 0, n = pick(m, 5); i < n; i++) {
        bool is_signed = pick(m, 2);
        uint32_t bits = 2 + pick(m, 63), k = 1 + pick(m, 3);
        str_printf(&m->s, " .var %s v%u: %c%u", directions[pick(m, 4)], i, is_signed ? 'i' : 'u',
                   bits);
        if (pick(m, 2))
            str_printf(&m->s, "[%u]", k);
        else
            k = 1;
        bool grouped = m->groups && pick(m, 2);
        if (grouped)
            str_printf(&m->s, " @g%u", pick(m, m->groups));
        str_printf(&m->s, " = r%u\n", pick(m, 60));
        if (!grouped && pick(m, 2)) {
            str_printf(&m->s, " .data v%u = ", i);
            for (uint32_t e = 0; e < k; e++)
                str_printf(&m->s, "%s%s%u", e ? ", " : "", is_signed && pick(m, 2) ? "-" : "",
                           pick(m, 2));
            str_char(&m->s, '\n');
        }
    }
}

static const char *const buffer_types[] = {"u32", "i7", "f32", "u64"};

/* Number i has type i of these. */
static void make_buffers(struct maker *m) {
    static const char *const directions[] = {"in ", "out ", "inout ", "local ", ""};
    m->buffers = pick(m, 5);
    for (uint32_t i = 0; i < m->buffers; i++) {
        str_printf(&m->s, " .buffer %sb%u: %s", directions[pick(m, 5)], i, buffer_types[i]);
        for (uint32_t k = 0, dims = pick(m, 4); k < dims; k++) {
            str_append(&m->s, k ? ", " : "[");
            if (m->sizes && pick(m, 2))
                make_formula(m, pick(m, 3), true);
            else
                str_printf(&m->s, "%u", 1 + pick(m, 9));
            str_append(&m->s, k + 1 == dims ? "]" : "");
        }
        str_char(&m->s, '\n');
    }
}

/* Parameter k is a buffer of the type of number k, where there is one, and behind these a number.
 * What the texts say is up to the machine. */
static void make_kernels(struct maker *m, const char *sub) {
    m->kernels = pick(m, 4);
    for (uint32_t i = 0; i < m->kernels; i++) {
        bool words = pick(m, 2), in_place = !words && pick(m, 2);
        m->parameters[i] = pick(m, m->buffers + 2);
        str_printf(&m->s, " .kernel q%u %s(", i, pick(m, 2) ? "core" : "pypim");
        for (uint32_t k = 0; k < m->parameters[i]; k++)
            str_printf(&m->s, "%sp%u: %s%s", k ? ", " : "", k,
                       k < m->buffers ? buffer_types[k] : "i64", k < m->buffers ? "[]" : "");
        str_char(&m->s, ')');
        if (pick(m, 2))
            str_printf(&m->s, " else %s", sub);
        str_append(&m->s, words ? " words" : "");
        if (in_place) {
            str_printf(&m->s, " = \"one %u\", \"\\x07\\\"two\\\\\"\n", pick(m, 9));
            continue;
        }
        for (uint32_t k = 0, n = 1 + pick(m, 3); k < n; k++)
            str_printf(&m->s, words ? "\n 0x%llx, 7" : "\n  lap: add x1 %llu ; \" \\",
                       (unsigned long long)splitmix64(&m->seed));
        str_append(&m->s, "\n .endkernel\n");
    }
}

/* A number, or a formula of sizes. */
static void make_extent(struct maker *m) {
    if (m->sizes && pick(m, 2))
        make_formula(m, pick(m, 3), true);
    else
        str_printf(&m->s, "%u", 1 + pick(m, 300));
}

/* One, or a list of up to three. */
static void make_dims(struct maker *m) {
    if (pick(m, 2)) {
        make_extent(m);
        return;
    }
    for (uint32_t i = 0, n = 1 + pick(m, 3); i < n; i++) {
        str_append(&m->s, i ? ", " : "[");
        make_extent(m);
    }
    str_char(&m->s, ']');
}

static void make_geometry(struct maker *m) {
    uint32_t parts = pick(m, 4); /* grid, block, bytes */
    for (uint32_t i = 0; i < parts; i++) {
        str_append(&m->s, i ? ", " : "<<<");
        if (i < 2)
            make_dims(m);
        else
            make_extent(m);
    }
    str_append(&m->s, parts ? ">>>" : "");
}

static void make_units(struct maker *m) {
    if (pick(m, 2))
        return;
    str_append(&m->s, " units ");
    make_extent(m);
    if (pick(m, 3) == 0)
        return;
    str_append(&m->s, " from ");
    if (pick(m, 4))
        make_extent(m);
    else
        str_char(&m->s, '0');
}

static void make_launch(struct maker *m) {
    uint32_t kernel = pick(m, m->kernels);
    str_printf(&m->s, " %s q%u", pick(m, 2) ? "RECIPE" : ".launch", kernel);
    make_geometry(m);
    str_char(&m->s, '(');
    for (uint32_t k = 0; k < m->parameters[kernel]; k++) {
        str_append(&m->s, k ? ", " : "");
        if (k < m->buffers)
            str_printf(&m->s, "b%u", k);
        else if (m->sizes && pick(m, 2))
            make_formula(m, pick(m, 3), true);
        else
            str_printf(&m->s, "%d", (int)pick(m, 2000) - 1000);
    }
    str_char(&m->s, ')');
    make_units(m);
    str_char(&m->s, '\n');
}

/* Always three records, one of a kind. */
static void make_records(struct maker *m) {
    str_printf(
        &m->s,
        " .mark \"region %u\"\n .print \"x\\x07\\\"\\\\\xc3\xa9\", r%u: i%u\n .assert \"\"\n",
        pick(m, 9), pick(m, 64), 2 + pick(m, 63));
}

enum { TABLES = 3 };

/* Always as many, the last two with what is known later if there is a value or a size. */
static void make_tables(struct maker *m) {
    str_printf(&m->s, " .lut t0 k=%u width=%u = 0, 1, dup(%u, 1)\n", 4 + pick(m, 5),
               1 + pick(m, 64), 1 + pick(m, 9));
    str_append(&m->s, " .lut t1 k=3 width=40 = 1, -1");
    for (uint32_t i = 0; m->sizes && i < pick(m, 5); i++)
        str_printf(&m->s, ", size(n%u)+%u", pick(m, m->sizes), pick(m, 3));
    str_printf(&m->s, "\n .lut t2 k=%u width=64\n", 1 + pick(m, 16));
}

/* A vector instruction with random legal fields, as the formatter writes it. */
static void make_vector(struct maker *m) {
    struct insn i;
    for (;;) {
        uint32_t word = (uint32_t)splitmix64(&m->seed);
        if (isa_decode(word, &i) == ISA_OK && (isa_info(i.op)->flags & ISA_VECTOR) &&
            !isa_has_shape(i.op))
            break;
    }
    str_char(&m->s, ' ');
    if (isa_has_table(i.op)) {
        i.lut %= TABLES;
        i.width = (uint8_t)(1 + pick(m, 64));
    }
    isa_format_insn(&i, NULL, &m->s);
    str_char(&m->s, '\n');
}

static void make_body(struct maker *m, const char *prefix) {
    uint32_t loops = pick(m, 3);
    for (uint32_t i = 0; i < loops; i++) {
        str_printf(&m->s, "%s.l%u:\n", prefix, i);
        make_vector(m);
        if (pick(m, 2))
            str_printf(&m->s, " %s %u\n", pick(m, 2) ? "MARK" : "MARK", 0u);
        if (pick(m, 2))
            str_append(&m->s, " PRINT 1\n ASSERT 2\n");
        str_printf(&m->s, " JUMP_COND %s.l%u%s\n", prefix, i, pick(m, 3) ? "" : "+1");
    }
    if (m->values && pick(m, 2))
        str_printf(&m->s, " LI.40 value(k%u[0, %u]) r%u\n", pick(m, m->values), pick(m, 2),
                   pick(m, 64));
    if (m->sizes && pick(m, 2))
        str_printf(&m->s, " LI.30 size(n%u)-%u r%u\n", pick(m, m->sizes), pick(m, 5), pick(m, 64));
    for (uint32_t i = 0, n = pick(m, 6); i < n; i++)
        make_vector(m);
}

static void make_ensemble(struct maker *m, uint32_t number) {
    char prefix[16];
    snprintf(prefix, sizeof prefix, "e%u", number);
    if (m->groups && pick(m, 2))
        str_printf(&m->s, " COMPUTEG @g%u\n", pick(m, m->groups));
    else
        str_printf(&m->s, " COMPUTE RFH%u VRF%u\n", pick(m, 8), pick(m, 64));
    make_body(m, prefix);
    str_append(&m->s, " COMPUTE_DONE\n");
}

static void make_text(struct maker *m, const char *other) {
    str_append(&m->s, "main:\n");
    for (uint32_t i = 0, n = pick(m, 5); i < n; i++) {
        bool loop = pick(m, 3) == 0;
        if (loop && m->sizes && pick(m, 2)) {
            str_append(&m->s, " REPEAT ");
            make_formula(m, pick(m, 3), false);
            str_char(&m->s, '\n');
        } else if (loop && m->sizes)
            str_printf(&m->s, " REPEAT size(n%u)+%u\n", pick(m, m->sizes), pick(m, 3));
        else if (loop)
            str_printf(&m->s, " REPEAT %u\n", pick(m, 100));
        make_ensemble(m, i);
        if (loop)
            str_append(&m->s, " REPEAT_END\n");
        if (pick(m, 3) == 0)
            str_printf(
                &m->s,
                " MOVE RFH%u RFH%u\n LANE shift %d\n MEMCPY.16 VRF1 r%u VRF2 r%u\n MOVE_DONE\n",
                pick(m, 8), pick(m, 8), (int)pick(m, 9) - 4, pick(m, 64), pick(m, 64));
        if (m->moves && pick(m, 2))
            str_printf(&m->s, " GMOVE %u\n", pick(m, m->moves));
        if (m->kernels && pick(m, 2))
            make_launch(m);
        if (pick(m, 3) == 0)
            str_printf(&m->s, " JUMP %s\n", other);
    }
    str_append(&m->s, " HALT\n");
}

static void make_subroutine(struct maker *m, const char *name) {
    str_printf(&m->s, " .global %s\n .sub %s\n", name, name);
    make_body(m, name);
    str_append(&m->s, " RETURN\n .endsub\n");
    if (pick(m, 2))
        str_append(&m->s, "behind:\n NOP\n");
}

/* A program that defines `own` and calls `other`. */
static struct str make_program_text(uint64_t seed, const char *own, const char *other) {
    struct maker m = {.seed = seed};
    if (pick(&m, 4) == 0)
        str_printf(&m.s, " .width %u\n", 1 + pick(&m, 64));
    make_sizes(&m);
    make_values(&m);
    make_groups(&m);
    make_variables(&m);
    make_moves(&m);
    make_tables(&m);
    make_buffers(&m);
    make_kernels(&m, own);
    make_records(&m);
    if (pick(&m, 3) == 0)
        str_printf(&m.s, " .equ %s.k, %u\n .global %s.k\n", own, pick(&m, 1000), own);
    str_printf(&m.s, " .global %s\n", other);
    make_text(&m, other);
    make_subroutine(&m, own);
    if (pick(&m, 3) == 0)
        str_printf(&m.s, " .mpu %u..%u, main\n", pick(&m, 3), 3 + pick(&m, 3));
    return m.s;
}

static struct object *assemble_as(const char *name, const struct str *text, bool debug) {
    const struct asm_options options = {.debug = debug};
    struct diag *d = diag_new(NULL, NULL);
    struct object *o = asm_assemble(name, str_text(text), text->len, &options, d);
    if (!o)
        fail_msg("%s in\n%s", diag_first(d), str_text(text));
    diag_free(d);
    return o;
}

static void assert_same_bytes(const struct object *a, const struct object *b,
                              const struct str *text) {
    struct str x = {0}, y = {0};
    object_write(a, &x);
    object_write(b, &y);
    if (x.len != y.len || memcmp(x.text, y.text, x.len) != 0)
        fail_msg("other bytes from\n%s", str_text(text));
    str_free(&x);
    str_free(&y);
}

/* The text is assembled under another name and without -g: it brings its own places. */
static void assert_reassembles(const struct object *o) {
    struct str text = {0};
    disasm_reassemble(o, &text);
    struct object *again = assemble_as("again.s", &text, false);
    if (!o->linked) {
        assert_same_bytes(o, again, &text);
    } else {
        struct diag *d = diag_new(NULL, NULL);
        const struct object *inputs[] = {again};
        struct object *linked = link_objects(inputs, 1, NULL, d);
        if (!linked)
            fail_msg("%s in\n%s", diag_first(d), str_text(&text));
        assert_same_bytes(o, linked, &text);
        object_free(linked);
        diag_free(d);
    }
    object_free(again);
    str_free(&text);
}

static void random_objects(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 600; seed++) {
        struct str text = make_program_text(seed, "own", "other");
        struct object *o = assemble_as("a.s", &text, seed % 2);
        assert_reassembles(o);
        object_free(o);
        str_free(&text);
    }
}

/* Declarations of the two may contradict one another: then there is no program to look at. */
static void random_programs(void **state) {
    (void)state;
    unsigned linked = 0;
    for (uint64_t seed = 1; seed <= 600; seed++) {
        struct str a = make_program_text(seed, "f", "g"), b = {0};
        str_printf(&b,
                   " .mark \"b\"\nmain: MARK 0\n HALT\n .global f, g\n .sub g\n%s JUMP f\n RETURN\n"
                   " .endsub\nmain2: NOP\n",
                   seed % 3 ? " COMPUTE RFH0 VRF0\nx: NOP\n GOTO x\n COMPUTE_DONE\n" : "");
        struct object *x = assemble_as("a.s", &a, seed % 2),
                      *y = assemble_as("b.s", &b, seed % 4 < 2);
        const struct object *inputs[] = {x, y};
        const struct link_options options = {.gc_sections = seed % 5 == 0,
                                             .entry = seed % 7 ? NULL : "main2"};
        struct diag *d = diag_new(NULL, NULL);
        struct object *o = link_objects(inputs, 2, &options, d);
        if (!o)
            fail_msg("%s in\n%s", diag_first(d), str_text(&a));
        assert_reassembles(o);
        linked++;
        object_free(o);
        object_free(x);
        object_free(y);
        diag_free(d);
        str_free(&a);
        str_free(&b);
    }
    assert_int_equal(linked, 600);
}

/* Fig. 6 sends a message to an MPU that it does not have alone: linked with its partner. */
static struct object *link_example(const char *path, struct object *o, struct diag *d) {
    const struct driver_options options = {.as = {.debug = true}};
    const char *partner = MPU_SOURCE_DIR "/examples/fig6-partner.s";
    const struct object *inputs[] = {o, o};
    bool unreadable, whole = !strstr(path, "/fig6.s");
    struct object *first = whole ? NULL : driver_load(partner, &options, d, &unreadable);
    if (first)
        inputs[0] = first;
    struct object *linked = link_objects(inputs, whole ? 1 : 2, NULL, d);
    object_free(first);
    return linked;
}

/* Whatever lies in examples/, compiled as the tools compile it, and linked. */
static void examples(void **state) {
    (void)state;
    glob_t found;
    assert_int_equal(glob(MPU_SOURCE_DIR "/examples/*.ez", 0, NULL, &found), 0);
    assert_int_equal(glob(MPU_SOURCE_DIR "/examples/*.s", GLOB_APPEND, NULL, &found), 0);
    assert_true(found.gl_pathc >= 5);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const struct driver_options options = {.ez = {.optimize = 1, .debug = true},
                                               .as = {.debug = true}};
        struct diag *d = diag_new(NULL, NULL);
        bool unreadable;
        struct object *o = driver_load(found.gl_pathv[i], &options, d, &unreadable);
        if (!o)
            fail_msg("%s", diag_first(d));
        assert_reassembles(o);
        struct object *linked = link_example(found.gl_pathv[i], o, d);
        if (!linked)
            fail_msg("%s", diag_first(d));
        assert_reassembles(linked);
        object_free(linked);
        object_free(o);
        diag_free(d);
    }
    globfree(&found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_objects),
        cmocka_unit_test(random_programs),
        cmocka_unit_test(examples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
