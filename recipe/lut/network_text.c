/* SPDX-License-Identifier: MIT
 * Parts of a network that share no gate are carried out each where its inputs and outputs are
 * nearest; what must come from other positions is moved there by carries, and so are its results.
 * An output that is an input is moved, and one that stays where it is is a lap of a loop. */
#include "recipe/lut/network_text.h"

#include "recipe/lut/schedule.h"

#include <stdio.h>

#define MOST_BITS 64
/* Statements that the mapping sees at a time: it takes a time that grows with their square. */
#define SEGMENT_STATEMENTS 16

/* Gates that read one another, and what they are read by. */
struct lut_part {
    uint64_t inputs, outputs; /* bits */
    unsigned position;
    uint32_t gates;
    unsigned direct; /* 1 + the input that is read as it comes in, or 0 */
};

struct lut_writer {
    const struct lut_network *n;
    const struct lut_bounds *bounds;
    struct lut_written *written;
    struct str *out;
    uint32_t *leader; /* by node: one of those that it shares gates with */
    VEC(struct lut_part) parts;
    uint32_t *part_of;         /* by leader: 1 + index of its part */
    uint64_t wires[MOST_BITS]; /* by input: outputs that are this input, or its inverse */
    uint32_t name_base;
    unsigned open; /* statements since `at` */
    bool failed;
};

static bool is_gate(const struct lut_writer *writer, uint32_t node) {
    return lut_gate_args(writer->n->nodes.data[node].gate) > 0;
}

static uint64_t bit(unsigned index) {
    return (uint64_t)1 << index;
}

/* --- parts --- */

static uint32_t leader_of(const struct lut_writer *writer, uint32_t node) {
    while (writer->leader[node] != node)
        node = writer->leader[node] = writer->leader[writer->leader[node]];
    return node;
}

static struct lut_part *part_of(struct lut_writer *writer, uint32_t node) {
    uint32_t *at = &writer->part_of[leader_of(writer, node)];
    if (!*at) {
        struct lut_part part = {0};
        vec_push(&writer->parts, part);
        *at = (uint32_t)writer->parts.len;
    }
    return &writer->parts.data[*at - 1];
}

static void join_parts(struct lut_writer *writer, const bool *needed) {
    for (uint32_t i = 0; i < writer->n->nodes.len; i++)
        writer->leader[i] = i;
    for (uint32_t i = 0; i < writer->n->nodes.len; i++) {
        const struct lut_node *g = &writer->n->nodes.data[i];
        for (unsigned k = 0; needed[i] && k < lut_gate_args(g->gate); k++)
            if (is_gate(writer, g->args[k] >> 1))
                writer->leader[leader_of(writer, g->args[k] >> 1)] = leader_of(writer, i);
    }
}

static void fill_parts(struct lut_writer *writer, const bool *needed) {
    for (uint32_t i = 0; i < writer->n->nodes.len; i++) {
        const struct lut_node *g = &writer->n->nodes.data[i];
        if (!needed[i] || !is_gate(writer, i))
            continue;
        struct lut_part *part = part_of(writer, i);
        part->gates++;
        for (unsigned k = 0; k < lut_gate_args(g->gate); k++)
            if (!is_gate(writer, g->args[k] >> 1))
                part->inputs |= bit((g->args[k] >> 1) - 1);
    }
    for (unsigned i = 0; i < writer->n->outputs; i++) {
        uint32_t node = writer->n->out[i] >> 1;
        if (is_gate(writer, node))
            part_of(writer, node)->outputs |= bit(i);
        else if (node)
            writer->wires[node - 1] |= bit(i);
    }
}

/* Moves between neighbours, and copies where they end. */
static unsigned distance(uint64_t bits, unsigned position) {
    unsigned sum = 0;
    for (; bits; bits &= bits - 1) {
        unsigned at = (unsigned)__builtin_ctzll(bits);
        sum += at > position ? at - position : position - at;
        sum += at != position;
    }
    return sum;
}

static void place_part(const struct lut_writer *writer, struct lut_part *part) {
    uint64_t bits = part->inputs | part->outputs;
    unsigned least = UINT32_MAX;
    for (; bits; bits &= bits - 1) {
        unsigned at = (unsigned)__builtin_ctzll(bits);
        unsigned sum = distance(part->inputs, at) + distance(part->outputs, at);
        if (sum < least) {
            least = sum;
            part->position = at;
        }
    }
    /* A single bit that comes in is read where it arrives, if nothing leaves. */
    uint64_t moved = part->inputs & ~bit(part->position);
    if (writer->bounds->sections && part->outputs == bit(part->position) &&
        __builtin_popcountll(moved) == 1 && part->gates <= 2)
        part->direct = 1 + (unsigned)__builtin_ctzll(moved);
}

static void find_parts(struct lut_writer *writer) {
    bool *needed = lut_needed(writer->n);
    join_parts(writer, needed);
    fill_parts(writer, needed);
    for (size_t i = 0; i < writer->parts.len; i++)
        place_part(writer, &writer->parts.data[i]);
    free(needed);
}

/* --- statements --- */

static void close_at(struct lut_writer *writer) {
    if (writer->open)
        str_append(writer->out, "  }\n");
    writer->open = 0;
}

/* Before a statement at the position. */
static void open_at(struct lut_writer *writer, unsigned position) {
    if (writer->open == SEGMENT_STATEMENTS)
        close_at(writer);
    if (!writer->open)
        str_printf(writer->out, "  at %u {\n", position);
    writer->open++;
}

/* Hands carry c on from position `from` to `to`; where it begins it is the text `first`. */
static void write_moves(struct lut_writer *writer, const char *carry, const char *first,
                        unsigned from, unsigned to) {
    unsigned last = from < to ? to - 1 : to + 1, second = from < to ? from + 1 : from - 1;
    if (first)
        str_printf(writer->out, "  at %u { %s = %s }\n", from, carry, first);
    else
        second = from;
    if (first ? from != last : from != to)
        str_printf(writer->out, "  for j in %u %s %u { %s = %s }\n", second,
                   from < to ? ".." : "downto", last, carry, carry);
}

/* Of the carry that takes an input up, or down. */
static char carry_letter(unsigned input, unsigned position) {
    return position > input ? 'u' : 'v';
}

static void write_input(const struct lut_part *part, unsigned input, struct str *out) {
    if (part->position == input)
        str_printf(out, "a[%u]", input);
    else if (part->direct)
        str_printf(out, "%c%u", carry_letter(input, part->position), input);
    else
        str_printf(out, "x%u_%u", input, part->position);
}

static void write_edge(const struct lut_writer *writer, const struct lut_part *part, uint32_t edge,
                       uint32_t name) {
    if (edge & 1)
        str_char(writer->out, '!');
    if (is_gate(writer, edge >> 1))
        str_printf(writer->out, "t%u", writer->name_base + name);
    else
        write_input(part, (edge >> 1) - 1, writer->out);
}

static void write_gate(struct lut_writer *writer, const struct lut_part *part,
                       const struct lut_step *step) {
    static const char *const between[LUT_GATES] = {"", "", " & ", " ^ ", ", "};
    const struct lut_node *g = &writer->n->nodes.data[step->node];
    open_at(writer, part->position);
    str_printf(writer->out, "    t%u = %s", writer->name_base + step->name,
               g->gate == LUT_MUX ? "mux(" : "");
    for (unsigned k = 0; k < lut_gate_args(g->gate); k++) {
        str_append(writer->out, k ? between[g->gate] : "");
        write_edge(writer, part, g->args[k], step->args[k]);
    }
    str_append(writer->out, g->gate == LUT_MUX ? ")\n" : "\n");
}

static void write_output(struct lut_writer *writer, const struct lut_part *part,
                         const struct lut_step *step) {
    const char *inverted = writer->n->out[step->output] & 1 ? "!" : "";
    uint32_t name = writer->name_base + step->name;
    if (step->output == part->position) {
        open_at(writer, part->position);
        str_printf(writer->out, "    d[%u] = %st%u\n", step->output, inverted, name);
        return;
    }
    struct str carry = {0}, first = {0};
    close_at(writer);
    str_printf(&carry, "y%u", step->output);
    str_printf(&first, "%st%u", inverted, name);
    str_printf(writer->out, "  carry %s%s\n", step->output < part->position ? "down " : "",
               str_text(&carry));
    write_moves(writer, str_text(&carry), str_text(&first), part->position, step->output);
    str_printf(writer->out, "  at %u { d[%u] = %s }\n", step->output, step->output,
               str_text(&carry));
    str_free(&carry);
    str_free(&first);
}

static bool schedule_part(struct lut_writer *writer, const struct lut_part *part,
                          struct lut_schedule *schedule) {
    uint32_t outputs[MOST_BITS], moved = 0;
    size_t count = 0;
    for (unsigned i = 0; i < writer->n->outputs; i++)
        if (part->outputs >> i & 1)
            outputs[count++] = i;
    if (writer->bounds->sections && !part->direct)
        moved = (uint32_t)__builtin_popcountll(part->inputs & ~bit(part->position));
    if (writer->bounds->rows <= moved)
        return false;
    return lut_schedule_make(writer->n, outputs, count, writer->bounds->rows - moved,
                             writer->bounds->names, writer->bounds->gates, schedule);
}

static void write_part(struct lut_writer *writer, const struct lut_part *part) {
    struct lut_schedule s = {0};
    writer->failed |= !schedule_part(writer, part, &s);
    for (size_t i = 0; i < s.steps.len && !writer->failed; i++)
        if (s.steps.data[i].output == LUT_NO_OUTPUT)
            write_gate(writer, part, &s.steps.data[i]);
        else
            write_output(writer, part, &s.steps.data[i]);
    close_at(writer);
    writer->name_base += s.names;
    writer->written->gates += s.gates;
    writer->written->again += s.again;
    writer->failed |= writer->written->gates > writer->bounds->gates;
    if (s.most_held > writer->written->most_held)
        writer->written->most_held = s.most_held;
    lut_schedule_free(&s);
}

/* --- inputs on their way --- */

static bool wants(const struct lut_writer *writer, unsigned input, unsigned position) {
    if (position < writer->n->outputs && writer->wires[input] >> position & 1)
        return true;
    for (size_t i = 0; i < writer->parts.len; i++)
        if (writer->parts.data[i].position == position && writer->parts.data[i].inputs >> input & 1)
            return true;
    return false;
}

static void arrive(struct lut_writer *writer, unsigned input, unsigned position) {
    bool kept = false;
    for (size_t i = 0; i < writer->parts.len; i++) {
        const struct lut_part *part = &writer->parts.data[i];
        if (part->position != position || !(part->inputs >> input & 1))
            continue;
        if (part->direct)
            write_part(writer, part);
        else if (!kept)
            str_printf(writer->out, "  at %u { x%u_%u = %c%u }\n", position, input, position,
                       carry_letter(input, position), input);
        kept |= !part->direct;
    }
    if (position < writer->n->outputs && writer->wires[input] >> position & 1)
        str_printf(writer->out, "  at %u { d[%u] = %s%c%u }\n", position, position,
                   writer->n->out[position] & 1 ? "!" : "", carry_letter(input, position), input);
}

/* All places above, or below, that the input is wanted at, the nearest first. */
static void move_input(struct lut_writer *writer, unsigned input, bool down) {
    int from = (int)input, step = down ? -1 : 1;
    bool begun = false;
    char carry[16], first[16];
    snprintf(carry, sizeof carry, "%c%u", down ? 'v' : 'u', input);
    snprintf(first, sizeof first, "a[%u]", input);
    for (int at = from + step; at >= 0 && at < MOST_BITS; at += step) {
        if (!wants(writer, input, (unsigned)at))
            continue;
        if (!begun)
            str_printf(writer->out, "  carry %s%s\n", down ? "down " : "", carry);
        write_moves(writer, carry, begun ? NULL : first, (unsigned)from, (unsigned)at);
        arrive(writer, input, (unsigned)at);
        begun = true;
        from = at;
    }
}

/* --- what stays where it is --- */

enum stay_kind { STAYS_NOT, STAYS_ZERO, STAYS_ONE, STAYS_INPUT, STAYS_INVERSE };

static enum stay_kind stays(const struct lut_writer *writer, unsigned output) {
    uint32_t edge = writer->n->out[output];
    if (edge <= LUT_TRUE)
        return edge == LUT_TRUE ? STAYS_ONE : STAYS_ZERO;
    if (edge >> 1 != lut_input(output) >> 1 || output >= writer->n->inputs)
        return STAYS_NOT;
    return edge & 1 ? STAYS_INVERSE : STAYS_INPUT;
}

static void write_staying(struct lut_writer *writer) {
    static const char *const values[] = {"", "0", "1", "a[j]", "!a[j]"};
    for (unsigned i = 0, end; i < writer->n->outputs; i = end) {
        enum stay_kind kind = stays(writer, i);
        for (end = i + 1; end < writer->n->outputs && stays(writer, end) == kind;)
            end++;
        if (kind != STAYS_NOT)
            str_printf(writer->out, "  for j in %u .. %u { d[j] = %s }\n", i, end - 1,
                       values[kind]);
    }
}

static void write_body(struct lut_writer *writer) {
    for (unsigned i = writer->n->inputs; i-- > 0;)
        move_input(writer, i, false);
    for (unsigned i = 0; i < writer->n->inputs; i++)
        move_input(writer, i, true);
    for (size_t i = 0; i < writer->parts.len && !writer->failed; i++) {
        const struct lut_part *part = &writer->parts.data[i];
        if (!part->direct)
            write_part(writer, part);
    }
    write_staying(writer);
}

bool lut_write(const struct lut_network *network, const struct lut_bounds *bounds, struct str *out,
               struct lut_written *written) {
    size_t size = network->nodes.len;
    struct lut_writer w = {
        .n = network,
        .bounds = bounds,
        .written = written,
        .out = out,
        .leader = xcalloc(size, sizeof(uint32_t)),
        .part_of = xcalloc(size, sizeof(uint32_t)),
    };
    *written = (struct lut_written){0};
    find_parts(&w);
    str_append(out, "recipe LUT(a) -> d   any w   generic\n{\n");
    write_body(&w);
    str_append(out, "}\n");
    free(w.leader);
    free(w.part_of);
    vec_free(&w.parts);
    return !w.failed;
}
