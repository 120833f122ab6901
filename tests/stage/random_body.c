/* SPDX-License-Identifier: MIT
 * All indices are below the number of elements, all loops end. */
#include "tests/stage/random_body.h"
#include "stage/stage.h"
#include "support/bits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 64, MOST_TEXT = 6000 };

struct name {
    char text[8];
    struct lane_type type;
    unsigned count; /* elements; 0: it is a number */
    bool changes;   /* a body may write it */
};
struct writer {
    uint64_t *seed;
    struct str *out;
    struct name names[MOST_NAMES];
    unsigned count, made;
    bool in_loop;
    const char *leaves; /* "return", of a filter with the beginning of its value; NULL: none does */
};

static unsigned below(struct writer *w, unsigned n) {
    return (unsigned)(splitmix64(w->seed) % n);
}
static bool once_in(struct writer *w, unsigned n) {
    return below(w, n) == 0;
}
static const struct lane_type truth = {TYPE_BOOL, 1}, word = {TYPE_UINT, 32};

/* Of buffers, which NumPy's arrays have; and of bodies. */
static struct lane_type plain_type(struct writer *w) {
    if (once_in(w, 8))
        return (struct lane_type){TYPE_FLOAT, 32};
    return (struct lane_type){once_in(w, 2) ? TYPE_INT : TYPE_UINT, (uint8_t)(8u << below(w, 4))};
}
static struct lane_type any_type(struct writer *w) {
    switch (below(w, 8)) {
    case 0:
        return truth;
    case 1:
        return once_in(w, 2) ? (struct lane_type){TYPE_FLOAT, 16}
                             : (struct lane_type){TYPE_BFLOAT, 16};
    case 2:
        return (struct lane_type){once_in(w, 2) ? TYPE_INT : TYPE_UINT,
                                  (uint8_t)(2 + below(w, 63))};
    default:
        return plain_type(w);
    }
}
static void put(struct writer *w, const char *text) {
    str_append(w->out, text);
}
static void put_type(struct writer *w, struct lane_type t) {
    char text[8];
    object_type_text(t, text);
    put(w, text);
}

static void expression(struct writer *w, struct lane_type t, unsigned depth);

/* ---- leaves ---- */

static void index_below(struct writer *w, unsigned count, unsigned depth) {
    if (count == 1 || once_in(w, 3)) {
        str_printf(w->out, "%u", below(w, count));
        return;
    }
    put(w, "(");
    expression(w, word, depth);
    str_printf(w->out, " %% %u)", count);
}
static void literal(struct writer *w, struct lane_type t) {
    static const char *const reals[] = {"0.0", "1.0", "-1.5", "0.1", "-0.0", "65504.0", "1e-5"};
    put(w, "(");
    put_type(w, t);
    put(w, ")");
    if (object_type_is_float(t))
        put(w, reals[below(w, sizeof reals / sizeof *reals)]);
    else if (once_in(w, 4))
        str_printf(w->out, "%" PRIu64, splitmix64(w->seed) >> (1 + below(w, 62)));
    else
        str_printf(w->out, "(%d)", (int)below(w, 40) - 20);
}
/* What of type `from` follows becomes one of type t, by words or by an operation; what comes behind
 * it. */
static const char *begin_cast(struct writer *w, struct lane_type from, struct lane_type t) {
    const bool same = from.kind == t.kind && from.bits == t.bits;
    put(w, "(");
    if (t.kind == TYPE_BOOL && object_type_is_float(from))
        return " > 1)";
    if (from.kind == TYPE_BOOL && object_type_is_float(t)) {
        put_type(w, t);
        put(w, "((i8)(");
        return ")))";
    }
    if (!same) {
        put_type(w, t);
        put(w, "(");
    }
    return same ? ")" : "))";
}
static void leaf(struct writer *w, struct lane_type t, unsigned depth) {
    if (once_in(w, 5)) {
        literal(w, t);
        return;
    }
    const struct name n = w->names[below(w, w->count)];
    /* Most are infinite there. */
    if (stage_is_integer(t) && stage_is_integer(n.type) && once_in(w, 12)) {
        put_type(w, t);
        put(w, "((f16)(");
        leaf(w, n.type, 0);
        put(w, ") * (f16)65504.0)");
        return;
    }
    const char *end = begin_cast(w, n.type, t);
    put(w, n.text);
    if (n.count) {
        put(w, "[");
        index_below(w, n.count, depth ? depth - 1 : 0);
        put(w, "]");
    }
    put(w, end);
}

/* ---- expressions ---- */

static void two(struct writer *w, struct lane_type t, const char *op, struct lane_type second,
                unsigned depth) {
    const bool call = op[0] == 'm';
    str_printf(w->out, "%s(", call ? op : "");
    expression(w, t, depth);
    str_printf(w->out, " %s ", call ? "," : op);
    expression(w, second, depth);
    put(w, ")");
}
static void truth_of(struct writer *w, unsigned depth) {
    static const char *const orders[] = {"<", "<=", ">", ">=", "==", "!="};
    static const char *const joins[] = {"&&", "||", "&", "|", "^", "=="};
    struct lane_type t = any_type(w);
    if (once_in(w, 2)) {
        t = t.kind == TYPE_BOOL ? word : t;
        two(w, t, orders[below(w, 6)], t, depth);
    } else if (once_in(w, 4)) {
        put(w, "(!");
        expression(w, truth, depth);
        put(w, ")");
    } else {
        two(w, truth, joins[below(w, 6)], truth, depth);
    }
}
static void expression(struct writer *w, struct lane_type t, unsigned depth) {
    static const char *const ints[] = {"+", "-", "*", "/", "%", "&", "|", "^", "min", "max"};
    static const char *const reals[] = {"+", "-", "*", "min", "max"};
    const bool real = object_type_is_float(t);
    if (!depth || w->out->len > MOST_TEXT || once_in(w, 6)) {
        leaf(w, t, depth);
        return;
    }
    const unsigned kind = below(w, 8);
    depth--;
    if (kind == 0) {
        put(w, "(");
        expression(w, truth, depth);
        put(w, " ? ");
        expression(w, t, depth);
        put(w, " : ");
        expression(w, t, depth);
        put(w, ")");
    } else if (kind == 1) {
        const struct lane_type from = any_type(w);
        const char *end = begin_cast(w, from, t);
        expression(w, from, depth);
        put(w, end);
    } else if (t.kind == TYPE_BOOL) {
        truth_of(w, depth);
    } else if (kind == 2) {
        put(w, once_in(w, 2) ? "abs(" : real || once_in(w, 2) ? "(-" : "(~");
        expression(w, t, depth);
        put(w, ")");
    } else if (kind == 3 && !real) {
        two(w, t, once_in(w, 2) ? "<<" : ">>", (struct lane_type){TYPE_UINT, 8}, depth);
    } else {
        two(w, t, real ? reals[below(w, 5)] : ints[below(w, 10)], t, depth);
    }
}

/* ---- statements ---- */

static struct name *new_name(struct writer *w, char first, struct lane_type t, unsigned count) {
    struct name *n = &w->names[w->count];
    *n = (struct name){.type = t, .count = count, .changes = true};
    snprintf(n->text, sizeof n->text, "%c%u", first, w->made++);
    return n;
}
static void declaration(struct writer *w) {
    const unsigned count = once_in(w, 3) ? 1u << below(w, 4) : 0;
    const struct name *n = new_name(w, count ? 't' : 'v', any_type(w), count);
    put_type(w, n->type);
    str_printf(w->out, " %s", n->text);
    if (count)
        str_printf(w->out, "[%u]", count);
    if (!count || once_in(w, 2)) {
        put(w, count ? " = {" : " = ");
        expression(w, n->type, count ? 1 : 3);
        put(w, count ? "}" : "");
    }
    put(w, ";\n");
    w->count++;
}
static void assignment(struct writer *w) {
    struct name n = {.count = 0};
    for (unsigned tries = 0; tries < 8 && !n.changes; tries++)
        n = w->names[below(w, w->count)];
    if (!n.changes)
        return;
    put(w, n.text);
    if (n.count) {
        put(w, "[");
        index_below(w, n.count, 2);
        put(w, "]");
    }
    put(w, n.type.kind != TYPE_BOOL && once_in(w, 3) ? " += " : " = ");
    expression(w, n.type, 3);
    put(w, ";\n");
}

static void block(struct writer *w, unsigned depth);

static void loop(struct writer *w, unsigned depth) {
    const bool outer = w->in_loop;
    struct name *n = new_name(w, 'k', (struct lane_type){TYPE_INT, 32}, 0);
    n->changes = false;
    str_printf(w->out, "for (i32 %s = 0; %s < ", n->text, n->text);
    if (once_in(w, 3)) {
        put(w, "(i32)(");
        expression(w, word, 1);
        put(w, " % 5)");
    } else {
        str_printf(w->out, "%u", 1 + below(w, 4));
    }
    w->count++;
    if (once_in(w, 4)) {
        put(w, " && ");
        expression(w, truth, 1);
    }
    str_printf(w->out, "; %s++) {\n", w->names[w->count - 1].text);
    w->in_loop = true;
    block(w, depth);
    w->in_loop = outer;
    w->count--;
    put(w, "}\n");
}
static void leave(struct writer *w) {
    const char *how = w->in_loop && once_in(w, 2)   ? "break"
                      : w->in_loop && once_in(w, 2) ? "continue"
                                                    : w->leaves;
    put(w, "if (");
    expression(w, truth, 2);
    str_printf(w->out, ") %s", how);
    if (how == w->leaves && strlen(how) > 6)
        expression(w, truth, 2);
    put(w, ";\n");
}
static void statement(struct writer *w, unsigned depth) {
    const unsigned kind = below(w, 8);
    if (kind < 2 && w->count + 8 < MOST_NAMES) {
        declaration(w);
    } else if (kind == 2 && depth) {
        put(w, "if (");
        expression(w, truth, 2);
        put(w, ") {\n");
        block(w, depth - 1);
        put(w, once_in(w, 2) ? "} else {\n" : "}\n{\n");
        block(w, depth - 1);
        put(w, "}\n");
    } else if (kind == 3 && depth) {
        loop(w, depth - 1);
    } else if (kind == 4 && once_in(w, 2)) {
        leave(w);
    } else {
        assignment(w);
    }
}
static void block(struct writer *w, unsigned depth) {
    const unsigned names = w->count;
    for (unsigned i = 1 + below(w, 4); i > 0 && w->out->len < MOST_TEXT; i--)
        statement(w, depth);
    w->count = names;
}

/* ---- stages ---- */

static void see(struct writer *w, const char *text, struct lane_type t, bool changes) {
    struct name *n = &w->names[w->count++];
    *n = (struct name){.type = t, .count = 1, .changes = changes};
    snprintf(n->text, sizeof n->text, "%s", text);
}
static void end_stage(struct writer *w) {
    put(w, "}\n");
    w->count = 2;
    w->leaves = "return";
}
/* y is made of what x had before another map changes it. */
static void stages_behind_each_other(struct writer *w, const struct lane_type *types) {
    put(w, "array t: ");
    put_type(w, types[0]);
    put(w, ";\nmap (in x, out t) {\n");
    see(w, "x", types[0], false);
    see(w, "t", types[0], true);
    if (once_in(w, 2))
        put(w, "t[0] = x[0];\n");
    else
        block(w, 2);
    end_stage(w);
    put(w, "map (inout x) {\n");
    if (once_in(w, 2)) {
        see(w, "x", types[0], true);
        block(w, 2);
    } else {
        put(w, "x[0] = ");
        literal(w, types[0]);
        put(w, ";\n");
    }
    end_stage(w);
    put(w, "map (in t, in z, out y) {\n");
    see(w, "t", types[0], false);
    see(w, "z", types[2], false);
    see(w, "y", types[1], true);
    block(w, 2);
    put(w, "y[0] = ");
    if (once_in(w, 2)) {
        expression(w, types[1], 3);
    } else { /* less of it */
        const struct lane_type less = {TYPE_UINT, (uint8_t)(8u << below(w, 3))};
        const char *end = begin_cast(w, less, types[1]);
        put_type(w, less);
        str_printf(w->out, "(t[0])%s", end);
    }
    put(w, ";\n");
    end_stage(w);
}
/* y is an element that was read before it was changed, where that is asked for. */
static void change_behind(struct writer *w, struct lane_type y) {
    const struct lane_type t = any_type(w);
    put_type(w, t);
    put(w, " e[4] = {");
    expression(w, t, 1);
    put(w, "};\nu32 i = ");
    expression(w, word, 1);
    put(w, " % 4;\n");
    put_type(w, t);
    put(w, " old = e[i];\ne[i] = ");
    literal(w, t);
    put(w, ";\ny[0] = ");
    const char *end = begin_cast(w, t, y);
    expression(w, truth, 1);
    put(w, " ? old : ");
    literal(w, t);
    str_printf(w->out, "%s;\n", end);
}
static void one_stage(struct writer *w, const struct lane_type *types) {
    const unsigned pattern = below(w, 4);
    put(w, pattern == 0 ? "filter (in x, in z, out y) {\n" : "map (in x, in z, out y) {\n");
    see(w, "x", types[0], false);
    see(w, "z", types[2], false);
    see(w, "y", types[1], true);
    if (pattern == 0)
        w->leaves = "return ";
    block(w, 3);
    block(w, 3);
    if (once_in(w, 2))
        change_behind(w, types[1]);
    if (pattern == 0) {
        put(w, "return ");
        expression(w, truth, 3);
        put(w, ";\n");
    }
    end_stage(w);
}

void random_bodies(struct launched *x, uint64_t seed, uint64_t *a, uint64_t *n) {
    static const char *const names[] = {"x", "y", "z"};
    static const unsigned lengths[] = {1, 7, 16, 40};
    struct writer w = {.seed = &seed, .out = &x->text, .leaves = "return"};
    struct lane_type types[3], number = {TYPE_INT, 16};
    *a = (uint64_t)below(&w, 2000);
    *n = lengths[below(&w, 4)];
    launched_number(x, "a", number, *a);
    launched_number(x, "n", word, *n);
    see(&w, "a", number, false);
    see(&w, "n", word, false);
    w.names[0].count = w.names[1].count = 0;
    for (unsigned i = 0; i < 3; i++) {
        types[i] = plain_type(&w);
        launched_buffer(x, names[i], types[i], *n);
        for (uint64_t e = 0; e < *n; e++) {
            const uint64_t v = splitmix64(&seed) >> (once_in(&w, 2) ? below(&w, 63) : 0);
            launched_put(x, 2 + i, e, v & low_bits(types[i].bits));
        }
    }
    put(&w, "length n;\n");
    if (once_in(&w, 3))
        stages_behind_each_other(&w, types);
    else
        one_stage(&w, types);
}
