/* SPDX-License-Identifier: MIT
 * The structure of linked text: ensembles with header and footer, REPEATs, subroutines.
 *
 * Only what is wrong on every path is an error here.  What depends on who calls (a header inside
 * an ensemble, a vector instruction outside one) stops the program when it happens, as docs/isa
 * says. */
#include "linker/flow.h"
#include "linker/link.h"
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

struct span link_flow_span(const struct flow_check *f, uint32_t index) {
    return link_text_span(f->o, index, f->d);
}

void link_flow_error(const struct flow_check *f, uint32_t index, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag_verror(f->d, link_flow_span(f, index), format, args);
    va_end(args);
    link_note_where(f->o, index, f->d);
}

static uint32_t ensemble_of(const struct flow_walk *w) {
    return w->part == COMPUTE_BODY || w->part == MOVE_BODY ? w->header + 1 : 0;
}

static uint32_t repeats_in(const struct flow_walk *w, uint32_t ensemble) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->depth; i++)
        n += w->repeats[i].ensemble == ensemble;
    return n;
}

static void open_repeat(struct flow_check *f, struct flow_walk *w, uint32_t i) {
    uint32_t ensemble = ensemble_of(w);
    if (repeats_in(w, ensemble) == REPEAT_DEPTH) {
        link_flow_error(f, i, "REPEAT at instruction %" PRIu32 " is nested more than %d deep", i,
                        REPEAT_DEPTH);
        return;
    }
    w->repeats[w->depth].index = i;
    w->repeats[w->depth++].ensemble = ensemble;
}

static void close_repeat(struct flow_check *f, struct flow_walk *w, uint32_t i) {
    if (w->depth && w->repeats[w->depth - 1].ensemble == ensemble_of(w)) {
        w->depth--;
        return;
    }
    link_flow_error(f, i, "REPEAT_END at instruction %" PRIu32 " has no REPEAT in the same %s", i,
                    ensemble_of(w) ? "ensemble" : "text");
}

/* At the end of an ensemble or of a walk: what is still open there. */
static void drop_repeats(struct flow_check *f, struct flow_walk *w, uint32_t ensemble,
                         const char *end) {
    while (w->depth && w->repeats[w->depth - 1].ensemble == ensemble) {
        uint32_t index = w->repeats[--w->depth].index;
        link_flow_error(f, index,
                        "REPEAT at instruction %" PRIu32 " has no REPEAT_END before the end of %s",
                        index, end);
    }
}

static bool is_compute_header(enum mpu_op op) {
    return op == OP_COMPUTE || op == OP_COMPUTEG;
}

/* Headers end at the first other instruction. */
static void enter(struct flow_walk *w, enum mpu_op op, uint32_t i) {
    if (w->part == TOP && (is_compute_header(op) || op == OP_MOVE)) {
        w->part = op == OP_MOVE ? MOVE_HEADER : COMPUTE_HEADER;
        w->header = i;
    } else if (w->part == COMPUTE_HEADER && !is_compute_header(op)) {
        w->part = COMPUTE_BODY;
    } else if (w->part == MOVE_HEADER && op != OP_MOVE) {
        w->part = MOVE_BODY;
    }
}

/* The wrong footer ends the ensemble too: one mistake, one message. */
static void footer(struct flow_check *f, struct flow_walk *w, enum mpu_op op, uint32_t i) {
    bool compute = op == OP_COMPUTE_DONE;
    enum text_part part = w->part;
    if (part != TOP)
        drop_repeats(f, w, w->header + 1, "the ensemble");
    w->part = TOP;
    if (part == (compute ? COMPUTE_BODY : MOVE_BODY))
        return;
    link_flow_error(f, i, "%s at instruction %" PRIu32 " ends no %s ensemble", isa_info(op)->name,
                    i, compute ? "compute" : "transfer");
    if (part != TOP)
        diag_note(f->d, link_flow_span(f, w->header),
                  "the ensemble around it begins here and ends with %s",
                  compute ? "MOVE_DONE" : "COMPUTE_DONE");
}

/* What the word itself says of VRFs must fit the program's geometry. */
static void check_geometry(struct flow_check *f, const struct insn *insn, uint32_t i) {
    const struct geometry *g = &f->o->geometry;
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
        link_flow_error(f, i, "RFH%" PRIu32 " does not exist: .geometry has rfhs=%u, RFH0 to RFH%u",
                        rfh, (unsigned)g->rfhs, g->rfhs - 1u);
    if (vrf >= g->vrfs)
        link_flow_error(f, i, "VRF%" PRIu32 " does not exist: .geometry has vrfs=%u, VRF0 to VRF%u",
                        vrf, (unsigned)g->vrfs, g->vrfs - 1u);
}

/* REPEATs around a GMOVE whose laps its move counts. */
static void check_laps(struct flow_check *f, const struct flow_walk *w, uint32_t move, uint32_t i) {
    const struct move *m = &f->o->moves.data[move];
    uint32_t needed = object_move_repeats(m), there = repeats_in(w, 0);
    if (needed <= there)
        return;
    link_flow_error(f, i,
                    "GMOVE %s at instruction %" PRIu32 " counts the laps of %" PRIu32
                    " REPEAT%s around it, and there %s %" PRIu32,
                    m->name, i, needed, needed == 1 ? "" : "s", there == 1 ? "is" : "are", there);
}

static void check_gmove(struct flow_check *f, const struct flow_walk *w, uint32_t move,
                        uint32_t i) {
    const struct object *o = f->o;
    if (w->part != TOP)
        link_flow_error(f, i,
                        "GMOVE at instruction %" PRIu32
                        " stands inside an ensemble; arrays are moved at top level",
                        i);
    else if (w->message.open && move < o->moves.len && o->moves.data[move].index.kind)
        link_flow_error(
            f, i,
            "move '%s' at instruction %" PRIu32
            " has an index, and so cannot be what a SEND sends: where its elements go is not "
            "known before it is carried out",
            o->moves.data[move].name, i);
    else if (move < o->moves.len)
        check_laps(f, w, move, i);
}

static void step(struct flow_check *f, struct flow_walk *w, uint32_t i) {
    struct insn insn;
    if (isa_decode(f->o->text.data[i], &insn) != ISA_OK)
        return;
    check_geometry(f, &insn, i);
    enter(w, insn.op, i);
    link_message_step(f, &w->message, insn.op, w->part == TOP, i);
    if (insn.op == OP_GMOVE)
        check_gmove(f, w, (uint32_t)insn.imm, i);
    if (insn.op == OP_REPEAT_END)
        f->at[i].repeat = w->depth ? w->repeats[w->depth - 1].index + 1 : 0;
    if (insn.op == OP_REPEAT_END)
        close_repeat(f, w, i);
    else if (w->depth)
        f->at[i].repeat = w->repeats[w->depth - 1].index + 1;
    f->at[i].ensemble = ensemble_of(w);
    if (insn.op == OP_REPEAT)
        open_repeat(f, w, i);
    if (insn.op == OP_COMPUTE_DONE || insn.op == OP_MOVE_DONE)
        footer(f, w, insn.op, i);
}

static void finish(struct flow_check *f, struct flow_walk *w, const char *end) {
    if (w->part != TOP) {
        bool compute = w->part == COMPUTE_HEADER || w->part == COMPUTE_BODY;
        link_flow_error(f, w->header,
                        "the %s ensemble that begins at instruction %" PRIu32
                        " has no %s before the end of %s",
                        compute ? "compute" : "transfer", w->header,
                        compute ? "COMPUTE_DONE" : "MOVE_DONE", end);
        drop_repeats(f, w, w->header + 1, end);
    }
    drop_repeats(f, w, 0, end);
    link_message_end(f, &w->message, end);
}

static int by_first(const void *a, const void *b) {
    const struct text_range *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

/* Names of the same range are one subroutine; other overlaps are errors. */
static size_t find_subroutines(struct flow_check *f, struct text_range *ranges) {
    const struct object *o = f->o;
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
            diag_error(f->d, object_span(o, o->symbols.data[ranges[i].symbol].place, f->d),
                       "subroutines '%s' and '%s' overlap", o->symbols.data[last->symbol].name,
                       o->symbols.data[ranges[i].symbol].name);
            continue;
        }
        ranges[kept++] = ranges[i];
    }
    return kept;
}

static void walk_subroutine(struct flow_check *f, const struct text_range *r) {
    struct flow_walk w = {0};
    for (uint32_t i = r->first; i < r->end && !diag_full(f->d); i++) {
        f->at[i].subroutine = r->symbol;
        step(f, &w, i);
    }
    finish(f, &w, "the subroutine");
}

static void walk_text(struct flow_check *f, const struct text_range *ranges, size_t count) {
    struct flow_walk w = {0};
    uint32_t i = 0;
    for (size_t k = 0; k <= count; k++) {
        uint32_t end = k < count ? ranges[k].first : (uint32_t)f->o->text.len;
        for (; i < end && !diag_full(f->d); i++)
            step(f, &w, i);
        if (k < count) {
            walk_subroutine(f, &ranges[k]);
            i = ranges[k].end;
        }
    }
    finish(f, &w, "the text");
}

void link_check_flow(const struct object *o, struct diag *d) {
    struct arena arena = {0};
    struct flow_check f = {.o = o, .d = d};
    uint32_t before = diag_errors(d);
    f.at = ARENA_ARRAY(&arena, o->text.len + 1, struct standing);
    for (size_t i = 0; i <= o->text.len; i++)
        f.at[i].subroutine = NO_INDEX;
    struct text_range *ranges = ARENA_ARRAY(&arena, o->symbols.len, struct text_range);
    size_t count = find_subroutines(&f, ranges);
    if (diag_errors(d) == before)
        walk_text(&f, ranges, count);
    if (diag_errors(d) == before)
        link_check_jumps(&f);
    if (diag_errors(d) == before)
        link_check_finish_text(&f);
    if (diag_errors(d) == before)
        link_check_partners(&f);
    arena_free(&arena);
}
