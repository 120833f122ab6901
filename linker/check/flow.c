/* SPDX-License-Identifier: MIT
 * The structure of linked text: ensembles with header and footer, REPEATs, subroutines.
 *
 * Only what is wrong on every path is an error here.  What depends on who calls (a header inside
 * an ensemble, a vector instruction outside one) stops the program when it happens, as docs/isa
 * says. */
#include "linker/check/flow.h"
#include "linker/join/link.h"
#include "linker/where.h"

#include <inttypes.h>

#define REPEAT_DEPTH 4 /* REPEATs at top level, and in a body */

enum text_part { TOP, COMPUTE_HEADER, COMPUTE_BODY, MOVE_HEADER, MOVE_BODY };

/* The walk through one subroutine, or through all text that is in none. */
struct flow_walk {
    enum text_part part;
    uint32_t header; /* first header of the ensemble */
    struct {
        uint32_t index, ensemble;
    } repeats[2 * REPEAT_DEPTH];
    uint32_t depth;
    struct message_walk message;
};

struct text_range {
    uint32_t first, end, symbol;
};

struct span link_flow_span(const struct flow_check *flow, uint32_t index) {
    return link_text_span(flow->o, index, flow->d);
}

void link_flow_error(const struct flow_check *flow, uint32_t index, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag_verror(flow->d, link_flow_span(flow, index), format, args);
    va_end(args);
    link_note_where(flow->o, index, flow->d);
}

static uint32_t ensemble_of(const struct flow_walk *walk) {
    return walk->part == COMPUTE_BODY || walk->part == MOVE_BODY ? walk->header + 1 : 0;
}

static uint32_t repeats_in(const struct flow_walk *walk, uint32_t ensemble) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < walk->depth; i++)
        n += walk->repeats[i].ensemble == ensemble;
    return n;
}

static void open_repeat(struct flow_check *flow, struct flow_walk *walk, uint32_t index) {
    uint32_t ensemble = ensemble_of(walk);
    if (repeats_in(walk, ensemble) == REPEAT_DEPTH) {
        link_flow_error(flow, index,
                        "REPEAT at instruction %" PRIu32 " is nested more than %d deep", index,
                        REPEAT_DEPTH);
        return;
    }
    walk->repeats[walk->depth].index = index;
    walk->repeats[walk->depth++].ensemble = ensemble;
}

static void close_repeat(struct flow_check *flow, struct flow_walk *walk, uint32_t index) {
    if (walk->depth && walk->repeats[walk->depth - 1].ensemble == ensemble_of(walk)) {
        walk->depth--;
        return;
    }
    link_flow_error(flow, index,
                    "REPEAT_END at instruction %" PRIu32 " has no REPEAT in the same %s", index,
                    ensemble_of(walk) ? "ensemble" : "text");
}

/* At the end of an ensemble or of a walk: what is still open there. */
static void drop_repeats(struct flow_check *flow, struct flow_walk *walk, uint32_t ensemble,
                         const char *end) {
    while (walk->depth && walk->repeats[walk->depth - 1].ensemble == ensemble) {
        uint32_t index = walk->repeats[--walk->depth].index;
        link_flow_error(flow, index,
                        "REPEAT at instruction %" PRIu32 " has no REPEAT_END before the end of %s",
                        index, end);
    }
}

static bool is_compute_header(enum isa_op op) {
    return op == OP_COMPUTE || op == OP_COMPUTEG;
}

/* Headers end at the first other instruction. */
static void enter(struct flow_walk *walk, enum isa_op op, uint32_t index) {
    if (walk->part == TOP && (is_compute_header(op) || op == OP_MOVE)) {
        walk->part = op == OP_MOVE ? MOVE_HEADER : COMPUTE_HEADER;
        walk->header = index;
    } else if (walk->part == COMPUTE_HEADER && !is_compute_header(op)) {
        walk->part = COMPUTE_BODY;
    } else if (walk->part == MOVE_HEADER && op != OP_MOVE) {
        walk->part = MOVE_BODY;
    }
}

/* The wrong footer ends the ensemble too: one mistake, one message. */
static void footer(struct flow_check *flow, struct flow_walk *walk, enum isa_op op,
                   uint32_t index) {
    bool compute = op == OP_COMPUTE_DONE;
    enum text_part part = walk->part;
    if (part != TOP)
        drop_repeats(flow, walk, walk->header + 1, "the ensemble");
    walk->part = TOP;
    if (part == (compute ? COMPUTE_BODY : MOVE_BODY))
        return;
    link_flow_error(flow, index, "%s at instruction %" PRIu32 " ends no %s ensemble",
                    isa_info(op)->name, index, compute ? "compute" : "transfer");
    if (part != TOP)
        diag_note(flow->d, link_flow_span(flow, walk->header),
                  "the ensemble around it begins here and ends with %s",
                  compute ? "MOVE_DONE" : "COMPUTE_DONE");
}

/* What the word itself says of VRFs must fit the program's geometry. */
static void check_geometry(struct flow_check *flow, const struct insn *insn, uint32_t index) {
    const struct geometry *g = &flow->o->geometry;
    uint32_t rfh = insn->rfh, vrf = insn->vrf;
    if (insn->op == OP_MOVE) {
        rfh = insn->vrf > insn->rfh ? insn->vrf : insn->rfh;
        vrf = 0;
    } else if (isa_info(insn->op)->format == FORMAT_M) {
        rfh = 0;
        vrf = insn->vrf_src > insn->vrf_dst ? insn->vrf_src : insn->vrf_dst;
    } else if (insn->op != OP_COMPUTE) {
        return;
    }
    if (rfh >= g->rfhs)
        link_flow_error(flow, index,
                        "RFH%" PRIu32 " does not exist: .geometry has rfhs=%u, RFH0 to RFH%u", rfh,
                        (unsigned)g->rfhs, g->rfhs - 1u);
    if (vrf >= g->vrfs)
        link_flow_error(flow, index,
                        "VRF%" PRIu32 " does not exist: .geometry has vrfs=%u, VRF0 to VRF%u", vrf,
                        (unsigned)g->vrfs, g->vrfs - 1u);
}

/* REPEATs around a GMOVE whose laps its move counts. */
static void check_laps(struct flow_check *flow, const struct flow_walk *walk, uint32_t move,
                       uint32_t index) {
    const struct move *m = &flow->o->moves.data[move];
    uint32_t needed = object_move_repeats(m), there = repeats_in(walk, 0);
    if (needed <= there)
        return;
    link_flow_error(flow, index,
                    "GMOVE %s at instruction %" PRIu32 " counts the iterations of %" PRIu32
                    " REPEAT%s around it, and there %s %" PRIu32,
                    m->name, index, needed, needed == 1 ? "" : "s", there == 1 ? "is" : "are",
                    there);
}

static void check_gmove(struct flow_check *flow, const struct flow_walk *walk, uint32_t move,
                        uint32_t index) {
    const struct object *o = flow->o;
    if (walk->part != TOP)
        link_flow_error(flow, index,
                        "GMOVE at instruction %" PRIu32
                        " stands inside an ensemble; arrays are moved at top level",
                        index);
    else if (walk->message.open && move < o->moves.len && o->moves.data[move].index.kind)
        link_flow_error(
            flow, index,
            "move '%s' at instruction %" PRIu32
            " has an index, and so cannot be what a SEND sends: where its elements go is not "
            "known before it is carried out",
            o->moves.data[move].name, index);
    else if (move < o->moves.len)
        check_laps(flow, walk, move, index);
}

static void step(struct flow_check *flow, struct flow_walk *walk, uint32_t index) {
    struct insn insn;
    if (isa_decode(flow->o->text.data[index], &insn) != ISA_OK)
        return;
    check_geometry(flow, &insn, index);
    enter(walk, insn.op, index);
    link_message_step(flow, &walk->message, insn.op, walk->part == TOP, index);
    if (insn.op == OP_GMOVE)
        check_gmove(flow, walk, (uint32_t)insn.imm, index);
    if (insn.op == OP_REPEAT_END)
        flow->at[index].repeat = walk->depth ? walk->repeats[walk->depth - 1].index + 1 : 0;
    if (insn.op == OP_REPEAT_END)
        close_repeat(flow, walk, index);
    else if (walk->depth)
        flow->at[index].repeat = walk->repeats[walk->depth - 1].index + 1;
    flow->at[index].ensemble = ensemble_of(walk);
    if (insn.op == OP_REPEAT)
        open_repeat(flow, walk, index);
    if (insn.op == OP_COMPUTE_DONE || insn.op == OP_MOVE_DONE)
        footer(flow, walk, insn.op, index);
}

static void finish(struct flow_check *flow, struct flow_walk *walk, const char *end) {
    if (walk->part != TOP) {
        bool compute = walk->part == COMPUTE_HEADER || walk->part == COMPUTE_BODY;
        link_flow_error(flow, walk->header,
                        "the %s ensemble that begins at instruction %" PRIu32
                        " has no %s before the end of %s",
                        compute ? "compute" : "transfer", walk->header,
                        compute ? "COMPUTE_DONE" : "MOVE_DONE", end);
        drop_repeats(flow, walk, walk->header + 1, end);
    }
    drop_repeats(flow, walk, 0, end);
    link_message_end(flow, &walk->message, end);
}

static int by_first(const void *left, const void *right) {
    const struct text_range *x = left, *y = right;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

/* Names of the same range are one subroutine; other overlaps are errors. */
static size_t find_subroutines(struct flow_check *flow, struct text_range *ranges) {
    const struct object *o = flow->o;
    size_t n = 0, kept = 0;
    for (uint32_t i = 0; i < o->symbols.len; i++) {
        const struct symbol *s = &o->symbols.data[i];
        if (s->kind == SYMBOL_SUB && s->length)
            ranges[n++] =
                (struct text_range){(uint32_t)s->value, (uint32_t)s->value + s->length, i};
    }
    if (n)
        qsort(ranges, n, sizeof *ranges, by_first);
    for (size_t i = 0; i < n; i++) {
        const struct text_range *last = kept ? &ranges[kept - 1] : NULL;
        if (last && ranges[i].first == last->first && ranges[i].end == last->end)
            continue;
        if (last && ranges[i].first < last->end) {
            diag_error(flow->d, object_span(o, o->symbols.data[ranges[i].symbol].place, flow->d),
                       "subroutines '%s' and '%s' overlap", o->symbols.data[last->symbol].name,
                       o->symbols.data[ranges[i].symbol].name);
            continue;
        }
        ranges[kept++] = ranges[i];
    }
    return kept;
}

static void walk_subroutine(struct flow_check *flow, const struct text_range *range) {
    struct flow_walk w = {0};
    for (uint32_t i = range->first; i < range->end && !diag_full(flow->d); i++) {
        flow->at[i].subroutine = range->symbol;
        step(flow, &w, i);
    }
    finish(flow, &w, "the subroutine");
}

static void walk_text(struct flow_check *flow, const struct text_range *ranges, size_t count) {
    struct flow_walk w = {0};
    uint32_t i = 0;
    for (size_t k = 0; k <= count; k++) {
        uint32_t end = k < count ? ranges[k].first : (uint32_t)flow->o->text.len;
        for (; i < end && !diag_full(flow->d); i++)
            step(flow, &w, i);
        if (k < count) {
            walk_subroutine(flow, &ranges[k]);
            i = ranges[k].end;
        }
    }
    finish(flow, &w, "the text");
}

void link_check_flow(const struct object *object, struct diag *diag) {
    struct arena arena = {0};
    flow_jumps jumps = {0};
    struct flow_check f = {.o = object, .d = diag, .jumps = &jumps};
    uint32_t before = diag_errors(diag);
    f.at = ARENA_ARRAY(&arena, object->text.len + 1, struct standing);
    for (size_t i = 0; i <= object->text.len; i++)
        f.at[i].subroutine = NO_INDEX;
    struct text_range *ranges = ARENA_ARRAY(&arena, object->symbols.len, struct text_range);
    size_t count = find_subroutines(&f, ranges);
    if (diag_errors(diag) == before)
        walk_text(&f, ranges, count);
    if (diag_errors(diag) == before)
        link_check_jumps(&f);
    if (diag_errors(diag) == before)
        link_check_finish_text(&f);
    if (diag_errors(diag) == before)
        link_check_partners(&f);
    vec_free(&jumps);
    arena_free(&arena);
}
