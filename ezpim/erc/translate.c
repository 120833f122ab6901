/* SPDX-License-Identifier: MIT
 * The flat list to instructions. */
#include "ezpim/erc/translate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void erc_put_insn(struct translator *translator, const struct insn *insn) {
    uint32_t flags = isa_info(insn->op)->flags;
    if (flags & WRITES_RS)
        translator->written |= UINT64_C(1) << insn->rs;
    if (flags & WRITES_RT)
        translator->written |= UINT64_C(1) << insn->rt;
    if (flags & WRITES_RD)
        translator->written |= UINT64_C(1) << insn->rd;
    if (++translator->made == ERC_MAX_TEXT)
        erc_translate_error(
            translator,
            "with all headers and pairs of RFHs the program comes to 2^22 instructions here");
    if (translator->b && translator->made < ERC_MAX_TEXT)
        builder_emit(translator->b, insn);
}

void erc_put(struct translator *translator, enum isa_op op, unsigned width, unsigned rs,
             unsigned rt, unsigned rd) {
    struct insn i = {.op = op, .rs = (uint8_t)rs, .rt = (uint8_t)rt, .rd = (uint8_t)rd};
    i.width = isa_info(op)->flags & ISA_WIDTH ? (uint8_t)width : 0;
    erc_put_insn(translator, &i);
}

void erc_put_plain(struct translator *translator, enum isa_op op) {
    erc_put_insn(translator, &(struct insn){.op = op});
}

uint32_t erc_new_label(struct translator *translator) {
    return translator->b ? builder_label(translator->b, NULL) : 0;
}

void erc_put_label(struct translator *translator, uint32_t label) {
    if (translator->b)
        builder_bind(translator->b, label);
}

void erc_put_jump(struct translator *translator, enum isa_op op, uint32_t label) {
    if (translator->b)
        builder_jump(translator->b, op, label);
}

void erc_translate_error(struct translator *translator, const char *format, ...) {
    char text[400];
    va_list args;
    if (!translator->b)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    erc_error(translator->u, translator->u->lines.data[translator->item->line].first, "%s", text);
}

void erc_translate_warn(struct translator *translator, const char *format, ...) {
    char text[400];
    va_list args;
    if (!translator->b)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    erc_warn(translator->u, translator->item->line, "%s", text);
}

/* Once for each instruction of the dialect. */
static void say_difference(struct translator *translator) {
    const struct erc_insn *insn = translator->item->insn;
    bool *said = &translator->said[insn - erc_insns];
    if (!translator->b || !insn->differs || *said)
        return;
    *said = true;
    diag_warning(translator->u->diag, W_DIALECT,
                 erc_line_span(translator->u, translator->item->line), "%s %s", insn->name,
                 insn->differs);
    if (insn->fixed && insn->fixed != translator->u->width)
        diag_note(translator->u->diag, NO_SPAN,
                  "words have %u bits here; '--width %u' is what it is made for",
                  translator->u->width, (unsigned)insn->fixed);
}

static void say_stale(struct translator *translator, enum erc_taken taken, const char *who) {
    static const char *const as[TAKEN_COUNT] = {"carry", "answer for equal numbers"};
    uint32_t lines = translator->stale_lines_before[taken];
    char rest[64] = "";
    if (lines > 1)
        snprintf(rest, sizeof rest, "; so it is in %u more line%s", (unsigned)lines - 1,
                 lines == 2 ? "" : "s");
    erc_translate_warn(translator,
                       "%sthe prototype takes the conditional register as %s, and line %u may have "
                       "left it at 1%s",
                       who, as[taken], (unsigned)translator->stale, rest);
}

void erc_take_stale(struct translator *translator, enum erc_taken taken, const char *who) {
    uint8_t *takes = &translator->takes_stale[translator->item->line];
    uint8_t bit = (uint8_t)(1 << taken);
    if (!translator->stale || (*takes & bit))
        return;
    *takes |= bit;
    if (translator->stale_lines[taken]++ == 0)
        say_stale(translator, taken, who);
}

static void say_situation(struct translator *translator) {
    const struct erc_insn *insn = translator->item->insn;
    char who[32];
    snprintf(who, sizeof who, "%s: ", insn->name);
    if (insn->flags & ERC_TAKES_T)
        erc_take_stale(translator, insn->flags & ERC_SETS_T ? TAKEN_AS_ANSWER : TAKEN_AS_CARRY,
                       who);
    bool in_place = (insn->flags & ERC_IN_PLACE) &&
                    translator->item->operand[0] == translator->item->operand[1];
    if (in_place && !translator->said_in_place)
        erc_translate_warn(translator, "%s in place gives 0 in the prototype", insn->name);
    translator->said_in_place |= in_place;
}

static void follow_t(struct translator *translator) {
    uint8_t flags = translator->item->insn->flags;
    if (flags & (ERC_SETS_T | ERC_SPOILS_T))
        translator->stale = line_number(translator);
    if (flags & ERC_SETS_T)
        erc_frame_sets_t(translator);
    if (flags & ERC_CLEARS_T)
        translator->stale = 0;
}

static void translate_template(struct translator *translator) {
    if (!erc_enter(translator))
        return;
    say_situation(translator);
    uint64_t registers = erc_item_registers(translator->item);
    erc_expose(translator, registers);
    if (!erc_is_cramped(translator, translator->item->insn) || !erc_put_in_place(translator))
        erc_put_template(translator, translator->item->insn, translator->item->operand);
    erc_return_loans(translator);
    erc_hide(translator, registers);
    erc_mask_follow(translator);
    follow_t(translator);
    if (strcmp(translator->item->insn->name, "GETMASK") == 0)
        translator->fresh = (uint8_t)(translator->item->operand[0] + 1);
}

static void translate_eof(struct translator *translator) {
    erc_settle(translator);
    erc_leave(translator);
    erc_end_transfer(translator);
    erc_deactivate(translator);
    translator->in_sub = translator->behind_label = false;
    translator->region = 0;
    erc_put_epilogue(translator);
    erc_put_plain(translator, OP_HALT);
    translator->dead = true;
}

static void translate_refused(struct translator *translator) {
    erc_translate_error(translator, "%s is not translated: it %s", translator->item->insn->name,
                        translator->item->insn->differs);
}

static void translate_insn(struct translator *translator) {
    enum erc_does does = translator->item->insn->does;
    uint8_t fresh = translator->fresh;
    if (does != DOES_REFUSE)
        say_difference(translator);
    translator->fresh = 0;
    switch (does) {
    case DOES_TEMPLATE:
        translate_template(translator);
        break;
    case DOES_COMPUTE:
    case DOES_COMPUTE_ALL:
    case DOES_COMPUTE_DONE:
        erc_translate_compute(translator);
        break;
    case DOES_MOVE:
    case DOES_MOVE_DONE:
    case DOES_COPY:
    case DOES_COPY_RSHIFT:
    case DOES_COPY_BCAST:
    case DOES_SEND:
    case DOES_SEND_DONE:
    case DOES_RECV:
        erc_translate_transfer(translator);
        break;
    case DOES_JUMP:
    case DOES_JUMP_COND:
        erc_translate_jump(translator);
        break;
    case DOES_RETURN:
        erc_translate_return(translator);
        break;
    case DOES_EOF:
        translate_eof(translator);
        break;
    case DOES_SETMASK:
        translator->fresh = fresh;
        erc_translate_setmask(translator);
        translator->fresh = 0;
        break;
    case DOES_UNMASK:
        erc_translate_unmask(translator);
        break;
    case DOES_NOTHING:
        translator->fresh = fresh;
        break;
    case DOES_NOP:
        erc_put_plain(translator, OP_NOP);
        break;
    case DOES_REFUSE:
        translate_refused(translator);
        break;
    }
}

static void translate_end(struct translator *translator) {
    if (translator->active.len)
        erc_translate_warn(translator, "the ensemble has no COMPUTE_DONE; it ends with the text");
    erc_settle(translator);
    erc_leave(translator);
    erc_end_transfer(translator);
    if (translator->entries[translator->u->items.len - 1].reached)
        erc_bind_label(translator, (uint32_t)translator->u->items.len - 1);
    erc_put_epilogue(translator);
    erc_put_plain(translator, OP_HALT);
}

static void set_place(struct translator *translator) {
    uint32_t line, column;
    if (!translator->b || translator->u->lines.len == 0)
        return;
    struct span at = erc_line_span(translator->u, translator->item->line);
    builder_span(translator->b, at);
    diag_position(translator->u->diag, at, &line, &column);
    builder_place(translator->b, diag_source_name(translator->u->diag, at.source), line, column);
}

static void translate_item(struct translator *translator, uint32_t index) {
    translator->item = &translator->u->items.data[index];
    translator->written = 0;
    set_place(translator);
    erc_begin_stretch(translator, index);
    /* In .rc any line may be jumped to. */
    if (translator->item->kind == ITEM_LABEL ||
        (translator->item->kind != ITEM_END && translator->entries[index].reached))
        erc_translate_label(translator);
    switch ((enum item_kind)translator->item->kind) {
    case ITEM_LABEL:
        break;
    case ITEM_INSN:
        translate_insn(translator);
        break;
    case ITEM_END:
        translate_end(translator);
        break;
    default:
        translator->fresh = 0;
        erc_translate_block(translator);
        break;
    }
    erc_end_stretch(translator, index);
}

static void begin(struct translator *translator) {
    translator->entries_changed = false;
    translator->made = 0;
    translator->stretch = 0;
    translator->stretches_grew = false;
    translator->mask = ERC_NO_MASK;
    translator->stale = 0;
    translator->fresh = 0;
    translator->dead = translator->behind_label = translator->in_sub = translator->open =
        translator->moving = translator->said_nested = translator->said_in_place =
            translator->said_no_lanes = translator->said_no_copies = false;
    translator->region = translator->regions = translator->epoch = translator->sub_set =
        translator->sub_sets = 0;
    translator->transfer = TRANSFER_NONE;
    translator->active.len = translator->last.len = translator->waiting.len =
        translator->pairs.len = translator->frames.len = translator->scratch.len = 0;
    translator->taken = translator->u->used;
    translator->saved_at = NO_INDEX;
    translator->displacing = translator->said_followed = 0;
    translator->masked = 0;
    translator->list++;
    memset(translator->takes_stale, 0, translator->u->lines.len);
    memcpy(translator->stale_lines_before, translator->stale_lines, sizeof translator->stale_lines);
    memset(translator->stale_lines, 0, sizeof translator->stale_lines);
    for (size_t i = 0; i < (size_t)translator->u->rfhs * 64; i++)
        translator->masks[i] = ERC_NO_MASK;
}

static void pass(struct translator *translator) {
    begin(translator);
    translator->item = &translator->u->items.data[0];
    erc_put_prologue(translator);
    for (uint32_t i = 0; i < translator->u->items.len && translator->made < ERC_MAX_TEXT &&
                         !(translator->b && diag_full(translator->u->diag));
         i++)
        translate_item(translator, i);
}

/* Few programs need more than three passes; what takes many is taken as unknown. */
enum { MOST_PASSES = 20 };

/* Ends: masks, pointers and displaced registers grow alone from one pass to the next. */
static void search_entries(struct translator *translator) {
    bool pointers, loose, again;
    uint64_t displaced;
    struct mask_state returned;
    int passes = 0;
    do {
        pointers = translator->pointers;
        loose = translator->loose;
        displaced = translator->displaced;
        returned = translator->returned;
        translator->give_in = ++passes > MOST_PASSES;
        pass(translator);
        translator->displaced |= translator->displacing;
        again = translator->entries_changed || translator->stretches_grew ||
                pointers != translator->pointers || loose != translator->loose ||
                displaced != translator->displaced ||
                !erc_mask_same(returned, translator->returned);
    } while (again);
}

/* A register is a word, also where no instruction works on all of it. */
static void declare_registers(struct translator *translator) {
    for (unsigned r = 0; r < 64; r++) {
        char name[4];
        snprintf(name, sizeof name, "r%u", r);
        struct variable v = {.name = name,
                             .type = {TYPE_UINT, (uint8_t)translator->u->width},
                             .count = 1,
                             .group = NO_INDEX,
                             .reg = (uint8_t)r,
                             .place = {NO_INDEX, 0, 0}};
        if (translator->u->used >> r & 1)
            builder_variable(translator->b, &v);
    }
}

static void start_object(struct translator *translator) {
    const struct erc_options *options = translator->u->options;
    struct object *o = builder_object(translator->b);
    o->debug_lines = options->debug;
    o->geometry.rfhs = translator->u->rfhs;
    o->default_width = (uint8_t)translator->u->width;
    declare_registers(translator);
    if (!options->has_mpu)
        return;
    uint32_t entry = builder_label(translator->b, NULL);
    builder_entry(translator->b, options->mpu, 1, entry);
    builder_bind(translator->b, entry);
}

struct object *erc_translate(struct erc_unit *unit) {
    struct translator t = {.u = unit};
    t.entries = xcalloc(unit->items.len, sizeof *t.entries);
    t.masks = xcalloc((size_t)unit->rfhs * 64, sizeof *t.masks);
    t.named = xcalloc((size_t)unit->rfhs * 64, sizeof *t.named);
    t.vrfs = xcalloc((size_t)unit->rfhs * 64, sizeof *t.vrfs);
    t.live = xcalloc(unit->items.len, sizeof *t.live);
    t.loses_lanes = xcalloc(unit->items.len, sizeof *t.loses_lanes);
    t.access = xcalloc(erc_insn_count, sizeof *t.access);
    t.said = xcalloc(erc_insn_count, sizeof *t.said);
    t.takes_stale = xcalloc(unit->lines.len + 1, 1);
    erc_survey_jumps(&t);
    erc_survey_registers(&t);
    search_entries(&t);
    t.b = builder_new(unit->diag);
    start_object(&t);
    pass(&t);
    struct object *o = builder_finish(t.b);
    vec_free(&t.active);
    vec_free(&t.last);
    vec_free(&t.waiting);
    vec_free(&t.pairs);
    vec_free(&t.frames);
    vec_free(&t.scratch);
    vec_free(&t.stretches);
    free(t.entries);
    free(t.masks);
    free(t.named);
    free(t.vrfs);
    free(t.live);
    free(t.loses_lanes);
    free(t.access);
    free(t.said);
    free(t.takes_stale);
    return o;
}
