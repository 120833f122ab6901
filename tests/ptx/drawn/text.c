/* SPDX-License-Identifier: MIT
 * Random kernels as PTX. */
#include "tests/ptx/drawn/drawn.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct writer {
    const struct drawn *drawn;
    const struct drawn_function *function;
    bool kernel;
    struct str *out, behind; /* parts that stand behind the function's end */
    unsigned labels;
    struct {
        unsigned next, end; /* labels */
    } loops[DRAWN_LOOPS];
    unsigned depth;
    unsigned last; /* label before the function's end */
};

static void write_block(struct writer *w, const struct drawn_block *block);

static const char *bits_text(char class) {
    return class == 'f' ? "f32" : class == 'g' ? "f64" : class == 'd' ? "b64" : "b32";
}

static void write_number(struct writer *w, char class, uint64_t value) {
    if (class == 'f')
        str_printf(w->out, "0f%08" PRIX64, value);
    else if (class == 'g')
        str_printf(w->out, "0d%016" PRIX64, value);
    else if (class == 'r')
        str_printf(w->out, "%" PRId32, (int32_t)(uint32_t)value);
    else
        str_printf(w->out, "%" PRId64, (int64_t)value);
}

static void write_source(struct writer *w, char class, const struct drawn_source *s) {
    if (s->number)
        write_number(w, class, s->value);
    else
        str_printf(w->out, "%%%c%u", class, (unsigned)s->reg);
}

static void write_guard(struct writer *w, const struct drawn_statement *s) {
    str_append(w->out, "\t");
    if (s->guarded)
        str_printf(w->out, "@%s%%p%u ", s->guard_not ? "!" : "", (unsigned)s->guard);
}

static void write_vector(struct writer *w, char class, unsigned reg, unsigned count) {
    str_append(w->out, "{");
    for (unsigned i = 0; i < count; i++)
        str_printf(w->out, "%s%%%c%u", i ? ", " : "", class, (reg + i) % DRAWN_REGISTERS);
    str_append(w->out, "}");
}

static void write_label(struct writer *w, unsigned label) {
    str_printf(w->out, "$L%u:\n", label);
}

/* ---- instructions ---- */

static void write_compute(struct writer *w, const struct drawn_statement *s) {
    const struct drawn_op *op = &drawn_ops[s->op];
    const char *at = op->text;
    bool whole = strchr(at, '$') != NULL;
    if (!whole || !strchr(at, ';'))
        write_guard(w, s);
    else
        str_append(w->out, "\t");
    if (!whole) {
        str_printf(w->out, "%s %%%c%u", at, s->class, (unsigned)s->dst);
        for (unsigned i = 0; op->sources[i]; i++) {
            str_append(w->out, ", ");
            write_source(w, op->sources[i], &s->src[i]);
        }
    }
    for (; whole && *at; at++)
        if (*at != '$')
            str_char(w->out, *at);
        else if (*++at == '0')
            str_printf(w->out, "%%%c%u", s->class, (unsigned)s->dst);
        else
            write_source(w, op->sources[*at - '1'], &s->src[*at - '1']);
    str_append(w->out, ";\n");
}

/* Where the access goes; %a, %t are changed. */
static void write_address(struct writer *w, const struct drawn_statement *s, struct str *to) {
    unsigned bytes = drawn_types[s->op].bytes * s->vector, offset = 0;
    static const char *const bases[] = {"%in", "%own", "%mine", "%local", "%table"};
    static const unsigned sizes[] = {DRAWN_INPUT_BYTES, 0, 0, DRAWN_LOCAL_BYTES, DRAWN_TABLE_BYTES};
    const char *base = bases[s->space];
    if (sizes[s->space]) {
        str_printf(w->out,
                   "\tand.b32 %%t, %%r%u, %u;\n\tcvt.u64.u32 %%a, %%t;\n\tadd.s64 %%a, %%a, %s;\n",
                   (unsigned)s->src[1].reg, sizes[s->space] - bytes, base);
        base = "%a";
    }
    if (s->space == DRAWN_INPUT)
        offset = s->number * bytes;
    else if (s->space == DRAWN_OWN)
        offset = 8 * (bytes > 8 ? s->number & 6 : s->number);
    else if (s->space == DRAWN_SHARED)
        offset = s->number * bytes % DRAWN_SHARED_BYTES;
    if (s->generic && (s->space == DRAWN_SHARED || s->space == DRAWN_LOCAL)) {
        str_printf(w->out, "\tcvta.%s.u64 %%a, %s;\n",
                   s->space == DRAWN_SHARED ? "shared" : "local", base);
        base = "%a";
    }
    str_printf(to, offset ? "[%s+%u]" : "[%s]", base, offset);
}

static const char *space_text(const struct drawn_statement *s) {
    static const char *const names[] = {".global", ".global", ".shared", ".local", ".const"};
    if (s->generic && s->space != DRAWN_TABLE)
        return "";
    return s->space == DRAWN_INPUT && s->number & 1 ? ".global.nc" : names[s->space];
}

static void write_access(struct writer *w, const struct drawn_statement *s) {
    bool store = s->kind == DRAWN_STORE;
    struct str address = {0};
    write_address(w, s, &address);
    write_guard(w, s);
    str_printf(w->out, "%s%s", store ? "st" : "ld", space_text(s));
    if (s->vector > 1)
        str_printf(w->out, ".v%u", (unsigned)s->vector);
    str_printf(w->out, ".%s ", drawn_types[s->op].text);
    if (store)
        str_printf(w->out, "%s, ", str_text(&address));
    if (s->vector > 1)
        write_vector(w, s->class, store ? s->src[0].reg : s->dst, s->vector);
    else if (store)
        write_source(w, s->class, &s->src[0]);
    else
        str_printf(w->out, "%%%c%u", s->class, (unsigned)s->dst);
    if (!store)
        str_printf(w->out, ", %s", str_text(&address));
    str_append(w->out, ";\n");
    str_free(&address);
}

static void write_atomic(struct writer *w, const struct drawn_statement *s) {
    const struct drawn_atomic *a = &drawn_atomics[s->op];
    bool shared = s->space == DRAWN_SHARED, red = s->turned && strncmp(a->text, "exch", 4) != 0;
    str_printf(w->out, "\tand.b32 %%t, %%r%u, 3;\n\tmul.wide.u32 %%a, %%t, 8;\n",
               (unsigned)s->src[1].reg);
    str_printf(w->out, "\tadd.s64 %%a, %%a, %s;\n", shared ? "%counts" : "%sums");
    if (s->generic && shared)
        str_append(w->out, "\tcvta.shared.u64 %a, %a;\n");
    write_guard(w, s);
    str_printf(w->out, "%s%s.%s ", red ? "red" : "atom",
               s->generic ? ""
               : shared   ? ".shared"
                          : ".global",
               a->text);
    if (!red)
        str_printf(w->out, "%%x%c, ", s->class);
    str_printf(w->out, "[%%a+%u], ", 32u * s->op);
    write_source(w, s->class, &s->src[0]);
    str_append(w->out, ";\n");
}

static void write_exchange(struct writer *w, const struct drawn_statement *s) {
    str_printf(w->out,
               "\tst.shared.b32 [%%passing], %%r%u;\n\tbar.sync 0;\n\tadd.u32 %%t, %%tl, %u;\n"
               "\trem.u32 %%t, %%t, %u;\n\tmul.wide.u32 %%a, %%t, 4;\n\tmov.u64 %%w, dynamic;\n"
               "\tadd.s64 %%a, %%a, %%w;\n\tld.shared.b32 %%r%u, [%%a];\n\tbar.sync 0;\n",
               (unsigned)s->src[0].reg, (unsigned)s->number, (unsigned)w->drawn->threads,
               (unsigned)s->dst);
}

static void write_barrier(struct writer *w, const struct drawn_statement *s) {
    static const char *const names[] = {"popc.u32", "and.pred", "or.pred"};
    if (s->kind == DRAWN_BARRIER)
        str_printf(w->out, "\t%s %u;\n", s->op ? "bar.sync" : "barrier.sync.aligned",
                   (unsigned)s->number);
    else
        str_printf(w->out, "\tbar.red.%s %%%c%u, %u, %%p%u;\n", names[s->op], s->class,
                   (unsigned)s->dst, (unsigned)s->number, (unsigned)s->src[0].reg);
}

static void write_among_lanes(struct writer *w, const struct drawn_statement *s) {
    static const char *const shuffles[] = {"up", "down", "bfly", "idx"};
    static const char *const votes[] = {"ballot.b32", "all.pred", "any.pred", "uni.pred"};
    static const char *const sums[] = {"add.s32", "min.s32", "max.u32",
                                       "and.b32", "or.b32",  "xor.b32"};
    if (s->generic)
        str_printf(w->out, "\tmov.u32 %%t, %d;\n", (int)(int32_t)s->mask);
    if (s->kind == DRAWN_SHUFFLE)
        str_printf(w->out, "\tshfl.sync.%s.b32 %%r%u", shuffles[s->op], (unsigned)s->dst);
    else if (s->kind == DRAWN_VOTE)
        str_printf(w->out, "\tvote.sync.%s %%%c%u", votes[s->op], s->class, (unsigned)s->dst);
    else if (s->kind == DRAWN_MATCH)
        str_printf(w->out, "\tmatch.any.sync.b32 %%r%u", (unsigned)s->dst);
    else
        str_printf(w->out, "\tredux.sync.%s %%r%u", sums[s->op], (unsigned)s->dst);
    if (s->kind == DRAWN_SHUFFLE && s->has_second)
        str_printf(w->out, "|%%p%u", (unsigned)s->second);
    str_printf(w->out, ", %s%%%c%u", s->kind == DRAWN_VOTE && s->negated ? "!" : "",
               s->kind == DRAWN_VOTE ? 'p' : 'r', (unsigned)s->src[0].reg);
    for (unsigned i = 1; i < 3 && s->kind == DRAWN_SHUFFLE; i++) {
        str_append(w->out, ", ");
        write_source(w, 'r', &s->src[i]);
    }
    if (s->generic)
        str_append(w->out, ", %t;\n");
    else
        str_printf(w->out, ", 0x%08x;\n", (unsigned)s->mask);
}

/* ---- control ---- */

/* The part, and behind it a jump. */
static void write_behind(struct writer *w, unsigned label, const struct drawn_block *part,
                         unsigned back) {
    struct str own = {0}, *out = w->out;
    w->out = &own;
    write_label(w, label);
    write_block(w, part);
    str_printf(&own, "\tbra $L%u;\n", back);
    w->out = out;
    str_append(&w->behind, str_text(&own));
    str_free(&own);
}

static void write_if(struct writer *w, const struct drawn_statement *s) {
    unsigned other = w->labels++, end = w->labels++;
    char predicate[16] = "%q";
    if (s->condition == DRAWN_BY_LANE)
        str_printf(w->out, "\tand.b32 %%t, %%lane, %u;\n\tsetp.ne.u32 %%q, %%t, 0;\n",
                   1u << s->number);
    else if (s->condition == DRAWN_BY_BLOCK)
        str_printf(w->out, "\tand.b32 %%t, %%block, 1;\n\tsetp.eq.u32 %%q, %%t, %u;\n",
                   (unsigned)s->number);
    else
        snprintf(predicate, sizeof predicate, "%%p%u", (unsigned)s->src[0].reg);
    bool not = s->negated != !s->turned;
    str_printf(w->out, "\t@%s%s bra $L%u;\n", not ? "!" : "", predicate, other);
    if (s->turned) {
        if (s->part[1])
            write_block(w, s->part[1]);
        write_label(w, end);
        if (s->part[0])
            write_behind(w, other, s->part[0], end);
        else
            write_behind(w, other, &(const struct drawn_block){{NULL, 0, 0}}, end);
        return;
    }
    if (s->part[0])
        write_block(w, s->part[0]);
    if (s->part[1])
        str_printf(w->out, "\tbra%s $L%u;\n", s->number & 1 ? ".uni" : "", end);
    write_label(w, other);
    if (s->part[1]) {
        write_block(w, s->part[1]);
        write_label(w, end);
    }
}

static void write_switch(struct writer *w, const struct drawn_statement *s) {
    unsigned first = w->labels;
    w->labels += 5;
    str_printf(w->out, "\tand.b32 %%t, %%r%u, 3;\n", (unsigned)s->src[0].reg);
    for (unsigned i = 0; i < 4; i++)
        if (s->part[i])
            str_printf(w->out, "\tsetp.eq.u32 %%q, %%t, %u;\n\t@%%q bra $L%u;\n", i, first + i);
    str_printf(w->out, "\tbra $L%u;\n", first + 4);
    for (unsigned i = 0; i < 4; i++) {
        if (!s->part[i])
            continue;
        write_label(w, first + i);
        write_block(w, s->part[i]);
        if (!s->falls[i])
            str_printf(w->out, "\tbra $L%u;\n", first + 4);
    }
    write_label(w, first + 4);
}

static void write_loop(struct writer *w, const struct drawn_statement *s) {
    unsigned top = w->labels++, next = w->labels++, end = w->labels++, n = s->number;
    w->loops[w->depth].next = next;
    w->loops[w->depth++].end = end;
    if (s->src[0].number)
        str_printf(w->out, "\tmov.u32 %%b%u, %u;\n", n, (unsigned)s->src[0].value);
    else
        str_printf(w->out, "\tand.b32 %%b%u, %%r%u, 3;\n", n, (unsigned)s->src[0].reg);
    str_printf(w->out, "\tmov.u32 %%c%u, 0;\n", n);
    write_label(w, top);
    if (!s->down)
        str_printf(w->out, "\tsetp.ge.u32 %%q, %%c%u, %%b%u;\n\t@%%q bra $L%u;\n", n, n, end);
    write_block(w, s->part[0]);
    write_label(w, next);
    str_printf(w->out, "\tadd.s32 %%c%u, %%c%u, 1;\n", n, n);
    if (s->down)
        str_printf(w->out, "\tsetp.lt.u32 %%q, %%c%u, %%b%u;\n\t@%%q bra $L%u;\n", n, n, top);
    else
        str_printf(w->out, "\tbra $L%u;\n", top);
    write_label(w, end);
    w->depth--;
}

static void write_leave(struct writer *w, const struct drawn_statement *s) {
    unsigned loop = w->depth - 1 - s->number;
    write_guard(w, s);
    str_printf(w->out, "bra $L%u;\n",
               s->kind == DRAWN_BREAK ? w->loops[loop].end : w->loops[loop].next);
}

static void write_result(struct writer *w) {
    char c = w->function->result;
    if (!w->kernel)
        str_printf(w->out, "\tst.param.%s [result], %%%c0;\n", bits_text(c), c);
}

static void write_return(struct writer *w, const struct drawn_statement *s) {
    if (s->op == 0 || (w->kernel && s->op == 2)) {
        unsigned label = w->labels++;
        if (w->kernel) {
            write_guard(w, s);
            str_append(w->out, s->op ? "exit;\n" : "ret;\n");
            return;
        }
        str_printf(w->out, "\t@%s%%p%u bra $L%u;\n", s->guard_not ? "" : "!", (unsigned)s->guard,
                   label);
        write_result(w);
        str_append(w->out, "\tret;\n");
        write_label(w, label);
        return;
    }
    write_guard(w, s);
    str_printf(w->out, "bra $L%u;\n", w->last);
}

static void write_call(struct writer *w, const struct drawn_statement *s) {
    const struct drawn_function *f = &w->drawn->function[s->number];
    str_append(w->out, "\t{\n");
    for (unsigned i = 0; i < f->parameters; i++) {
        str_printf(w->out, "\t.param .b%u a%u;\n\tst.param.%s [a%u+0], ",
                   drawn_bits(f->parameter[i]), i, bits_text(f->parameter[i]), i);
        write_source(w, f->parameter[i], &s->src[i]);
        str_append(w->out, ";\n");
    }
    str_printf(w->out, "\t.param .b%u r;\n\tcall.uni (r), f%u", drawn_bits(f->result),
               (unsigned)s->number);
    for (unsigned i = 0; i < f->parameters; i++)
        str_printf(w->out, "%sa%u", i ? ", " : ", (", i);
    str_printf(w->out, "%s;\n\tld.param.%s %%%c%u, [r+0];\n\t}\n", f->parameters ? ")" : "",
               bits_text(f->result), f->result, (unsigned)s->dst);
}

static void write_statement(struct writer *w, const struct drawn_statement *s) {
    switch (s->kind) {
    case DRAWN_COMPUTE:
        write_compute(w, s);
        break;
    case DRAWN_IF:
        write_if(w, s);
        break;
    case DRAWN_SWITCH:
        write_switch(w, s);
        break;
    case DRAWN_LOOP:
        write_loop(w, s);
        break;
    case DRAWN_COUNTER:
        str_printf(w->out, "\tmov.u32 %%r%u, %%c%u;\n", (unsigned)s->dst, (unsigned)s->number);
        break;
    case DRAWN_BREAK:
    case DRAWN_CONTINUE:
        write_leave(w, s);
        break;
    case DRAWN_RETURN:
        write_return(w, s);
        break;
    case DRAWN_CALL:
        write_call(w, s);
        break;
    case DRAWN_LOAD:
    case DRAWN_STORE:
        write_access(w, s);
        break;
    case DRAWN_ATOMIC:
        write_atomic(w, s);
        break;
    case DRAWN_EXCHANGE:
        write_exchange(w, s);
        break;
    case DRAWN_BARRIER:
    case DRAWN_BARRIER_REDUCE:
        write_barrier(w, s);
        break;
    case DRAWN_SHUFFLE:
    case DRAWN_VOTE:
    case DRAWN_MATCH:
    case DRAWN_REDUX:
        write_among_lanes(w, s);
        break;
    }
}

static void write_block(struct writer *w, const struct drawn_block *block) {
    for (size_t i = 0; i < block->list.len; i++)
        write_statement(w, &block->list.data[i]);
}

/* ---- functions ---- */

static void write_registers(struct writer *w) {
    static const char *const types[] = {"pred", "b16", "b32", "b64", "f32", "f64"};
    for (unsigned c = 0; c < DRAWN_CLASS_COUNT; c++)
        str_printf(w->out, "\t.reg .%s %%%c<%u>;\n", types[c], DRAWN_CLASSES[c], DRAWN_REGISTERS);
    str_printf(w->out,
               "\t.reg .b32 %%c<%u>;\n\t.reg .b32 %%b<%u>;\n\t.reg .pred %%q;\n\t.reg .b16 %%s;\n"
               "\t.reg .b32 %%t, %%tl, %%gt, %%lane, %%block, %%xr;\n\t.reg .f32 %%xf;\n"
               "\t.reg .b64 %%a, %%w, %%in, %%own, %%mine, %%local, %%table, %%sums, %%counts, "
               "%%passing, %%xd;\n",
               DRAWN_LOOPS, DRAWN_LOOPS);
    str_append(
        w->out,
        "\tmov.u32 %r0, %ctaid.z;\n\tmov.u32 %r1, %nctaid.y;\n\tmov.u32 %r2, %ctaid.y;\n"
        "\tmad.lo.s32 %r0, %r0, %r1, %r2;\n\tmov.u32 %r1, %nctaid.x;\n\tmov.u32 %r2, %ctaid.x;\n"
        "\tmad.lo.s32 %block, %r0, %r1, %r2;\n\tmov.u32 %lane, %laneid;\n");
    for (unsigned c = 0; c < DRAWN_CLASS_COUNT; c++)
        for (unsigned i = 0; i < DRAWN_REGISTERS; i++) {
            char class = DRAWN_CLASSES[c];
            str_printf(w->out, "\tmov.%s %%%c%u, ", types[c], class, i);
            write_number(w, class, drawn_initial(class, i));
            str_append(w->out, ";\n");
        }
    str_append(w->out, "\tmov.u64 %table, table;\n");
}

/* What the kernel's registers hold besides, and addresses. */
static void begin_kernel(struct writer *w) {
    str_append(w->out,
               "\t.local .align 8 .b8 kept[64];\n\t.shared .align 16 .b8 each[4096];\n"
               "\t.shared .align 8 .b8 counted[384];\n"
               "\tmov.u32 %r0, %tid.z;\n\tmov.u32 %r1, %ntid.y;\n\tmov.u32 %r2, %tid.y;\n"
               "\tmad.lo.s32 %r0, %r0, %r1, %r2;\n\tmov.u32 %r1, %ntid.x;\n\tmov.u32 %r2, %tid.x;\n"
               "\tmad.lo.s32 %tl, %r0, %r1, %r2;\n");
    str_printf(w->out, "\tmad.lo.s32 %%gt, %%block, %u, %%tl;\n", (unsigned)w->drawn->threads);
    str_append(
        w->out,
        "\tld.param.u64 %in, [input];\n\tld.param.u64 %own, [own];\n\tcvta.to.global.u64 %own, %own;\n"
        "\tmul.wide.u32 %a, %gt, 128;\n\tadd.s64 %own, %own, %a;\n\tld.param.u64 %sums, [sums];\n"
        "\tmov.u64 %mine, each;\n\tmul.wide.u32 %a, %tl, 16;\n\tadd.s64 %mine, %mine, %a;\n"
        "\tmov.u64 %passing, dynamic;\n\tmul.wide.u32 %a, %tl, 4;\n"
        "\tadd.s64 %passing, %passing, %a;\n\tmov.u64 %local, kept;\n\tmov.u64 %counts, counted;\n"
        "\tmov.u32 %r0, %tl;\n\tmov.u32 %r1, %gt;\n\tmov.u32 %r2, %lane;\n"
        "\tld.param.u32 %r3, [n];\n\tld.param.u32 %r4, [passed+4];\n\tmov.b64 %w, passed;\n"
        "\tld.param.u32 %r5, [%w+8];\n\tcvt.rn.f32.u32 %f0, %tl;\n\tcvt.rn.f64.u32 %g0, %gt;\n"
        "\tmul.wide.u32 %d0, %gt, -1640531527;\n\tcvt.u16.u32 %h0, %tl;\n"
        "\tsetp.lt.u32 %p0, %lane, 13;\n");
}

/* All registers of a class into one word. */
static void fold_class(struct writer *w, char class) {
    static const char *const words[] = {"\tselp.b32 %xr, 1, 0, %p#;\n", "\tcvt.u32.u16 %xr, %h#;\n",
                                        "\tmov.u32 %xr, %r#;\n",        "\tmov.u64 %xd, %d#;\n",
                                        "\tmov.b32 %xr, %f#;\n",        "\tmov.b64 %xd, %g#;\n"};
    bool wide = drawn_bits(class) == 64;
    str_append(w->out, wide ? "\tmov.u64 %w, 0;\n" : "\tmov.u32 %t, 0;\n");
    for (char i = '0'; i < '0' + DRAWN_REGISTERS; i++) {
        for (const char *at = words[strchr(DRAWN_CLASSES, class) - DRAWN_CLASSES]; *at; at++)
            str_char(w->out, *at == '#' ? i : *at);
        str_append(w->out,
                   wide ? "\tmad.lo.s64 %w, %w, 31, %xd;\n" : "\tmad.lo.s32 %t, %t, 31, %xr;\n");
    }
}

static void end_kernel(struct writer *w) {
    static const char *const left[] = {"b32 %r0", "b32 %r1", "f32 %f1",
                                       "b64 %d0", "b64 %d1", "f64 %g0"};
    for (unsigned i = 0; i < DRAWN_CLASS_COUNT; i++) {
        unsigned at = 64 + 8 * i;
        if (w->drawn->folds) {
            fold_class(w, DRAWN_CLASSES[i]);
            str_printf(w->out, "\tst.global.%s [%%own+%u], %s;\n",
                       drawn_bits(DRAWN_CLASSES[i]) == 64 ? "b64" : "b32", at,
                       drawn_bits(DRAWN_CLASSES[i]) == 64 ? "%w" : "%t");
        } else {
            str_printf(w->out, "\tst.global.%.3s [%%own+%u], %s;\n", left[i], at, left[i] + 4);
        }
    }
    str_printf(w->out,
               "\tbar.sync 0;\n\trem.u32 %%t, %%tl, %d;\n\tmul.wide.u32 %%a, %%t, 8;\n"
               "\tadd.s64 %%a, %%a, %%counts;\n\tld.shared.b64 %%d0, [%%a];\n"
               "\tst.global.b64 [%%own+120], %%d0;\n",
               DRAWN_SUMS);
}

static void write_function(const struct drawn *drawn, unsigned number, struct str *out) {
    const struct drawn_function *f = &drawn->function[number];
    struct writer w = {.drawn = drawn,
                       .function = f,
                       .kernel = number == DRAWN_FUNCTIONS,
                       .out = out,
                       .labels = 1};
    if (w.kernel) {
        str_append(out, ".visible .entry k(\n\t.param .u64 input,\n\t.param .u64 own,\n"
                        "\t.param .u64 sums,\n\t.param .u32 n,\n"
                        "\t.param .align 4 .b8 passed[12]\n)\n{\n");
    } else {
        str_printf(out, ".func (.param .b%u result) f%u(", drawn_bits(f->result), number);
        for (unsigned i = 0; i < f->parameters; i++)
            str_printf(out, "%s.param .b%u a%u", i ? ", " : "", drawn_bits(f->parameter[i]), i);
        str_append(out, ")\n{\n");
    }
    write_registers(&w);
    for (unsigned i = 0; i < f->parameters; i++)
        str_printf(out, "\tld.param.%s %%%c%u, [a%u];\n", bits_text(f->parameter[i]),
                   f->parameter[i], i, i);
    if (w.kernel)
        begin_kernel(&w);
    write_block(&w, f->body);
    if (w.kernel)
        end_kernel(&w);
    write_label(&w, w.last);
    write_result(&w);
    str_append(out, "\tret;\n");
    str_append(out, str_text(&w.behind));
    str_append(out, "}\n");
    str_free(&w.behind);
}

void drawn_text(const struct drawn *drawn, struct str *out) {
    str_append(out, ".version 7.0\n.target sm_80\n.address_size 64\n"
                    ".extern .shared .align 16 .b8 dynamic[];\n.const .align 8 .b8 table[64] = {");
    for (unsigned i = 0; i < DRAWN_TABLE_BYTES; i++)
        str_printf(out, "%s%u", i ? ", " : "", (unsigned)drawn->table[i]);
    str_append(out, "};\n");
    for (unsigned i = 0; i <= DRAWN_FUNCTIONS; i++)
        write_function(drawn, i, out);
}
