/* SPDX-License-Identifier: MIT
 * Of vector instructions the ISA says what they write; of all others what has changed is what they
 * wrote. */
#include "emu/observe/values.h"

#include "linker/package/element_place.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <inttypes.h>
#include <stdlib.h>

enum { REGISTERS = 64 };

/* An element while a step is carried out. */
struct spot_state {
    struct value_spot spot;
    struct element_lane at;
    bool here;      /* this round has it */
    bool takes;     /* the step is about its VRF, and its lane is enabled or need not be */
    uint64_t *held; /* [REGISTERS] before the step, where the step is no vector instruction */
};

struct value_log {
    const struct text_names *names;
    const struct target *target;
    struct datapath *dp;
    const struct package *const *here;
    struct file_stream *out;
    struct spot_state *spots;
    uint32_t count;
    struct str line, part;
};

static uint64_t read_lane(struct value_log *values, const struct spot_state *spot,
                          enum dp_what what, unsigned reg) {
    uint64_t value = 0;
    values->dp->ops->get(values->dp, spot->at.vrf, what, reg, spot->at.lane, 1, &value);
    return value;
}

/* In the round at work. */
static void find_spots(struct value_log *values) {
    for (uint32_t i = 0; i < values->count; i++) {
        struct spot_state *s = &values->spots[i];
        s->at = (struct element_lane){s->spot.vrf, (uint32_t)s->spot.number};
        s->here = s->spot.group == NO_INDEX ||
                  package_find_element(*values->here, values->target, s->spot.group, s->spot.number,
                                       &s->at);
    }
}

static bool has_vrf(struct vrf_set set, uint32_t vrf) {
    for (size_t i = 0; i < set.count; i++)
        if (vrf >= set.ranges[i].first && vrf - set.ranges[i].first < set.ranges[i].count)
            return true;
    return false;
}

static bool names_writes(const struct watched_insn *insn, const struct insn *decoded) {
    return insn->step->in_body && (insn->step->executes || decoded->op == OP_INDEX);
}

/* The instruction at the watched place; false for what is none. */
static bool decode(const struct value_log *values, const struct watched_insn *insn,
                   struct insn *out) {
    return object_decode(values->names->program, values->names->package->text[insn->index], out) ==
           ISA_OK;
}

static void begin(void *context, const struct watched_insn *insn) {
    struct value_log *v = context;
    struct insn decoded;
    find_spots(v);
    bool known = decode(v, insn, &decoded) && names_writes(insn, &decoded);
    for (uint32_t i = 0; i < v->count; i++) {
        struct spot_state *s = &v->spots[i];
        s->takes = s->here && (!insn->step->in_body || has_vrf(insn->step->vrfs, s->at.vrf));
        if (s->takes && known)
            s->takes = decoded.op == OP_INDEX || (insn_flags(&decoded) & ISA_UNMASKED) ||
                       read_lane(v, s, DP_M, 0);
        for (unsigned r = 0; s->takes && !known && r < REGISTERS; r++)
            s->held[r] = v->names->package->reg_bits[r] ? read_lane(v, s, DP_REGISTER, r) : 0;
    }
}

/* ---- lines ---- */

static bool is_of(const struct variable *variable, const struct value_spot *spot, unsigned reg) {
    return reg >= variable->reg && reg - variable->reg < variable->count &&
           (spot->group == NO_INDEX || variable->group == spot->group ||
            (variable->group == NO_INDEX && object_scope_has(&variable->scope, spot->group)));
}

/* What the instruction leaves in a register, where no variable says it. */
static struct lane_type result_type(const struct insn *insn) {
    struct ieee_format format = isa_result_format(insn);
    enum type_kind kind = !format.exponent_bits                            ? TYPE_UINT
                          : format.exponent_bits == 8 && insn->width == 16 ? TYPE_BFLOAT
                                                                           : TYPE_FLOAT;
    return (struct lane_type){kind, insn->width};
}

/* "r3 y = -102 (0x9a)": the variables whose register it is; the number is of the first one's type
 * if that is as wide, else of `type`. */
static void put_register(struct value_log *values, const struct spot_state *spot, unsigned reg,
                         struct lane_type type, uint64_t value) {
    const struct object *o = values->names->program;
    const struct variable *first = NULL;
    str_printf(&values->part, "r%u", reg);
    for (size_t i = 0; i < o->vars.len; i++) {
        const struct variable *x = &o->vars.data[i];
        if (!is_of(x, &spot->spot, reg))
            continue;
        first = first ? first : x;
        str_printf(&values->part, " %s", x->name);
        if (x->has_k)
            str_printf(&values->part, "[%u]", reg - x->reg);
    }
    value &= low_bits(type.bits);
    str_append(&values->part, " = ");
    object_pattern_text(first && first->type.bits == type.bits ? first->type : type, value,
                        &values->part);
    str_printf(&values->part, " (0x%" PRIx64 ")", value);
}

static void put_line(struct value_log *values, const struct watched_insn *insn,
                     const struct spot_state *spot) {
    str_printf(&values->line, "%8" PRIu64 " ", insn->number);
    if (insn->step->time_known)
        str_printf(&values->line, "%12" PRIu64 " ", insn->step->time_ps);
    else
        str_printf(&values->line, "%12s ", "-");
    str_printf(&values->line, "%-10s %-28s ", spot->spot.name, str_text(&values->part));
    str_clear(&values->part);
    observe_text_insn(values->names, insn->index, &values->part);
    str_printf(&values->line, "%-28s ", str_text(&values->part));
    str_clear(&values->part);
    observe_text_place(values->names, insn->index, &values->line);
    while (values->line.len && values->line.text[values->line.len - 1] == ' ')
        values->line.len--;
    str_char(&values->line, '\n');
    file_stream_write(values->out, values->line.text, values->line.len);
    str_clear(&values->line);
}

static void tell_written(struct value_log *values, const struct watched_insn *insn,
                         const struct insn *decoded, const struct spot_state *spot) {
    uint32_t flags = insn_flags(decoded);
    const struct {
        uint32_t flag;
        unsigned reg;
    } fields[] = {{WRITES_RS, decoded->rs}, {WRITES_RT, decoded->rt}, {WRITES_RD, decoded->rd}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (flags & fields[i].flag) {
            put_register(values, spot, fields[i].reg, result_type(decoded),
                         read_lane(values, spot, DP_REGISTER, fields[i].reg));
            put_line(values, insn, spot);
        }
    if (flags & WRITES_C) {
        str_printf(&values->part, "C = %" PRIu64, read_lane(values, spot, DP_C, 0));
        put_line(values, insn, spot);
    }
    if (flags & WRITES_M) {
        str_printf(&values->part, "M = %" PRIu64, read_lane(values, spot, DP_M, 0));
        put_line(values, insn, spot);
    }
}

static void tell_changed(struct value_log *values, const struct watched_insn *insn,
                         const struct spot_state *spot) {
    for (unsigned r = 0; r < REGISTERS; r++) {
        unsigned bits = values->names->package->reg_bits[r];
        uint64_t now = bits ? read_lane(values, spot, DP_REGISTER, r) : 0;
        if (!bits || now == spot->held[r])
            continue;
        put_register(values, spot, r, (struct lane_type){TYPE_UINT, (uint8_t)bits}, now);
        put_line(values, insn, spot);
    }
}

static void end(void *context, const struct watched_insn *insn) {
    struct value_log *v = context;
    struct insn decoded;
    bool known = decode(v, insn, &decoded) && names_writes(insn, &decoded);
    for (uint32_t i = 0; i < v->count; i++)
        if (v->spots[i].takes && known)
            tell_written(v, insn, &decoded, &v->spots[i]);
        else if (v->spots[i].takes)
            tell_changed(v, insn, &v->spots[i]);
}

struct value_log *observe_values_new(const struct text_names *names, const struct target *target,
                                     struct datapath *dp, const struct package *const *here,
                                     const struct value_spot *spots, uint32_t count,
                                     struct file_stream *out) {
    struct value_log *v = xcalloc(1, sizeof *v);
    *v = (struct value_log){.names = names,
                            .target = target,
                            .dp = dp,
                            .here = here,
                            .out = out,
                            .spots = xcalloc((size_t)count + 1, sizeof *v->spots),
                            .count = count};
    for (uint32_t i = 0; i < count; i++) {
        v->spots[i].spot = spots[i];
        v->spots[i].spot.name = xstrdup(spots[i].name);
        v->spots[i].held = xcalloc(REGISTERS, sizeof *v->spots[i].held);
    }
    return v;
}

struct listener observe_values_listener(struct value_log *values) {
    return (struct listener){.begin = begin, .end = end, .context = values};
}

void observe_values_free(struct value_log *values) {
    if (!values)
        return;
    for (uint32_t i = 0; i < values->count; i++) {
        free((char *)(uintptr_t)values->spots[i].spot.name);
        free(values->spots[i].held);
    }
    free(values->spots);
    str_free(&values->line);
    str_free(&values->part);
    free(values);
}
