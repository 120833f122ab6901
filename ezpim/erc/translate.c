/* SPDX-License-Identifier: MIT
 * The flat list to instructions. */
#include "ezpim/erc/translate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void erc_put_insn(struct translator *t, const struct insn *insn) {
    uint32_t flags = isa_info(insn->op)->flags;
    if (flags & WRITES_RS)
        t->written |= UINT64_C(1) << insn->rs;
    if (flags & WRITES_RT)
        t->written |= UINT64_C(1) << insn->rt;
    if (flags & WRITES_RD)
        t->written |= UINT64_C(1) << insn->rd;
    if (t->b)
        builder_emit(t->b, insn);
}

void erc_put(struct translator *t, enum mpu_op op, unsigned width, unsigned rs, unsigned rt,
             unsigned rd) {
    struct insn i = {.op = op, .rs = (uint8_t)rs, .rt = (uint8_t)rt, .rd = (uint8_t)rd};
    i.width = isa_info(op)->flags & ISA_WIDTH ? (uint8_t)width : 0;
    erc_put_insn(t, &i);
}

void erc_put_plain(struct translator *t, enum mpu_op op) {
    erc_put_insn(t, &(struct insn){.op = op});
}

uint32_t erc_new_label(struct translator *t) {
    return t->b ? builder_label(t->b, NULL) : 0;
}

void erc_put_label(struct translator *t, uint32_t label) {
    if (t->b)
        builder_bind(t->b, label);
}

void erc_put_jump(struct translator *t, enum mpu_op op, uint32_t label) {
    if (t->b)
        builder_jump(t->b, op, label);
}

void erc_translate_error(struct translator *t, const char *format, ...) {
    char text[400];
    va_list args;
    if (!t->b)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    erc_error(t->u, t->u->lines.data[t->item->line].first, "%s", text);
}

void erc_translate_warn(struct translator *t, const char *format, ...) {
    char text[400];
    va_list args;
    if (!t->b)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    erc_warn(t->u, t->item->line, "%s", text);
}

uint8_t erc_scratch(struct translator *t, unsigned which) {
    while (t->scratch.len <= which)
        vec_push(&t->scratch, -1);
    int8_t *reg = &t->scratch.data[which];
    for (int8_t r = 63; *reg < 0 && r >= 0; r--)
        if (!(t->taken >> r & 1))
            *reg = r;
    if (*reg < 0) {
        erc_translate_error(t, "this needs a register that the program does not name, and it names "
                               "all 64");
        return 0;
    }
    t->taken |= UINT64_C(1) << *reg;
    return (uint8_t)*reg;
}

/* Once for each instruction of the dialect. */
static void say_difference(struct translator *t) {
    const struct erc_insn *insn = t->item->insn;
    bool *said = &t->said[insn - erc_insns];
    if (!t->b || !insn->differs || *said)
        return;
    *said = true;
    diag_warning(t->u->diag, W_DIALECT, erc_line_span(t->u, t->item->line), "%s %s", insn->name,
                 insn->differs);
    if (insn->fixed && insn->fixed != t->u->width)
        diag_note(t->u->diag, NO_SPAN,
                  "words have %u bits here; '--width %u' is what it is made for", t->u->width,
                  (unsigned)insn->fixed);
}

static void say_situation(struct translator *t) {
    const struct erc_insn *insn = t->item->insn;
    if ((insn->flags & ERC_TAKES_T) && t->stale)
        erc_translate_warn(
            t,
            "%s: the prototype takes the conditional register as %s, and line %u may "
            "have left it at 1",
            insn->name, insn->flags & ERC_SETS_T ? "answer for equal numbers" : "carry",
            (unsigned)t->stale);
    if ((insn->flags & ERC_IN_PLACE) && t->item->operand[0] == t->item->operand[1])
        erc_translate_warn(t, "%s in place gives 0 in the prototype", insn->name);
}

static void follow_t(struct translator *t) {
    uint8_t flags = t->item->insn->flags;
    if (flags & (ERC_SETS_T | ERC_SPOILS_T))
        t->stale = line_number(t);
    if (flags & ERC_CLEARS_T)
        t->stale = 0;
}

static void translate_template(struct translator *t) {
    if (!erc_enter(t))
        return;
    say_situation(t);
    erc_put_template(t, t->item->insn, t->item->operand);
    erc_mask_follow(t);
    follow_t(t);
    if (strcmp(t->item->insn->name, "GETMASK") == 0)
        t->fresh = (uint8_t)(t->item->operand[0] + 1);
}

static void translate_eof(struct translator *t) {
    erc_settle(t);
    erc_leave(t);
    erc_end_transfer(t);
    erc_deactivate(t);
    t->in_sub = t->behind_label = false;
    t->region = 0;
    erc_put_plain(t, OP_HALT);
    t->dead = true;
}

static void translate_refused(struct translator *t) {
    erc_translate_error(t, "%s is not translated: it %s", t->item->insn->name,
                        t->item->insn->differs);
}

static void translate_insn(struct translator *t) {
    enum erc_does does = t->item->insn->does;
    uint8_t fresh = t->fresh;
    if (does != DOES_REFUSE)
        say_difference(t);
    t->fresh = 0;
    switch (does) {
    case DOES_TEMPLATE:
        translate_template(t);
        break;
    case DOES_COMPUTE:
    case DOES_COMPUTE_ALL:
    case DOES_COMPUTE_DONE:
        erc_translate_compute(t);
        break;
    case DOES_MOVE:
    case DOES_MOVE_DONE:
    case DOES_COPY:
    case DOES_COPY_RSHIFT:
    case DOES_COPY_BCAST:
    case DOES_SEND:
    case DOES_SEND_DONE:
    case DOES_RECV:
        erc_translate_transfer(t);
        break;
    case DOES_JUMP:
    case DOES_JUMP_COND:
        erc_translate_jump(t);
        break;
    case DOES_RETURN:
        erc_translate_return(t);
        break;
    case DOES_EOF:
        translate_eof(t);
        break;
    case DOES_SETMASK:
        t->fresh = fresh;
        erc_translate_setmask(t);
        t->fresh = 0;
        break;
    case DOES_UNMASK:
        erc_translate_unmask(t);
        break;
    case DOES_NOTHING:
        t->fresh = fresh;
        break;
    case DOES_NOP:
        erc_put_plain(t, OP_NOP);
        break;
    case DOES_REFUSE:
        translate_refused(t);
        break;
    }
}

static void translate_end(struct translator *t) {
    if (t->active.len)
        erc_translate_warn(t, "the ensemble has no COMPUTE_DONE; it ends with the text");
    erc_settle(t);
    erc_leave(t);
    erc_end_transfer(t);
    if (t->entries[t->u->items.len - 1].reached)
        erc_bind_label(t, (uint32_t)t->u->items.len - 1);
    erc_put_plain(t, OP_HALT);
}

static void set_place(struct translator *t) {
    uint32_t line, column;
    if (!t->b || t->u->lines.len == 0)
        return;
    struct span at = erc_line_span(t->u, t->item->line);
    builder_span(t->b, at);
    diag_position(t->u->diag, at, &line, &column);
    builder_place(t->b, diag_source_name(t->u->diag, at.source), line, column);
}

static void note_written(struct translator *t, uint64_t registers) {
    for (size_t i = 0; i < t->frames.len; i++)
        t->frames.data[i].written |= registers;
    if (t->in_sub)
        t->subs_write |= registers;
}

static void translate_item(struct translator *t, uint32_t index) {
    t->item = &t->u->items.data[index];
    t->written = 0;
    set_place(t);
    /* In .rc any line may be jumped to. */
    if (t->item->kind == ITEM_LABEL || (t->item->kind != ITEM_END && t->entries[index].reached))
        erc_translate_label(t);
    switch ((enum item_kind)t->item->kind) {
    case ITEM_LABEL:
        break;
    case ITEM_INSN:
        translate_insn(t);
        break;
    case ITEM_END:
        translate_end(t);
        break;
    default:
        t->fresh = 0;
        erc_translate_block(t);
        break;
    }
    note_written(t, t->written);
}

static void begin(struct translator *t) {
    t->entries_changed = false;
    t->mask = (struct mask_state){MASK_NONE, 0};
    t->stale = 0;
    t->fresh = 0;
    t->dead = t->behind_label = t->in_sub = t->open = t->moving = t->said_nested = false;
    t->region = t->regions = t->epoch = t->sub_set = t->sub_sets = 0;
    t->transfer = TRANSFER_NONE;
    t->active.len = t->last.len = t->waiting.len = t->pairs.len = t->frames.len = t->scratch.len =
        0;
    t->taken = t->u->used;
    t->masked = 0;
    t->list++;
    memset(t->masks, 0, (size_t)t->u->rfhs * 64 * sizeof *t->masks);
}

static void pass(struct translator *t) {
    begin(t);
    for (uint32_t i = 0; i < t->u->items.len && !(t->b && diag_full(t->u->diag)); i++)
        translate_item(t, i);
}

/* Few programs need more than three passes; what takes many is taken as unknown. */
enum { MOST_PASSES = 20 };

static void search_entries(struct translator *t) {
    bool subs_mask;
    uint64_t subs_write;
    int passes = 0;
    do {
        subs_mask = t->subs_mask;
        subs_write = t->subs_write;
        t->give_in = ++passes > MOST_PASSES;
        pass(t);
    } while (t->entries_changed || subs_mask != t->subs_mask || subs_write != t->subs_write);
}

/* A register is a word, also where no instruction works on all of it. */
static void declare_registers(struct translator *t) {
    for (unsigned r = 0; r < 64; r++) {
        char name[4];
        snprintf(name, sizeof name, "r%u", r);
        struct variable v = {.name = name,
                             .type = {TYPE_UINT, (uint8_t)t->u->width},
                             .count = 1,
                             .group = NO_INDEX,
                             .reg = (uint8_t)r,
                             .place = {NO_INDEX, 0, 0}};
        if (t->u->used >> r & 1)
            builder_variable(t->b, &v);
    }
}

static void start_object(struct translator *t) {
    const struct erc_options *options = t->u->options;
    struct object *o = builder_object(t->b);
    o->debug_lines = options->debug;
    o->geometry.rfhs = t->u->rfhs;
    o->default_width = (uint8_t)t->u->width;
    declare_registers(t);
    if (!options->has_mpu)
        return;
    uint32_t entry = builder_label(t->b, NULL);
    builder_entry(t->b, options->mpu, 1, entry);
    builder_bind(t->b, entry);
}

struct object *erc_translate(struct erc_unit *u) {
    struct translator t = {.u = u};
    t.entries = xcalloc(u->items.len, sizeof *t.entries);
    t.masks = xcalloc((size_t)u->rfhs * 64, sizeof *t.masks);
    t.named = xcalloc((size_t)u->rfhs * 64, sizeof *t.named);
    t.said = xcalloc(erc_insn_count, sizeof *t.said);
    erc_survey_jumps(&t);
    search_entries(&t);
    t.b = builder_new(u->diag);
    start_object(&t);
    pass(&t);
    struct object *o = builder_finish(t.b);
    vec_free(&t.active);
    vec_free(&t.last);
    vec_free(&t.waiting);
    vec_free(&t.pairs);
    vec_free(&t.frames);
    vec_free(&t.scratch);
    free(t.entries);
    free(t.masks);
    free(t.named);
    free(t.said);
    return o;
}
