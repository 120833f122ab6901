/* SPDX-License-Identifier: MIT
 * Text and launch of a kernel around one form. */
#include "tests/ptx/form_kernel.h"

#include "ptx/form.h"
#include "ptx/forms.h"
#include "support/alloc.h"
#include "tests/simt/simt_launch.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK 32u
#define BASE  UINT64_C(0x10000) /* of the arrays: inputs, results, places of memory */
#define ROOM  16u               /* bytes of a place */

struct maker {
    struct form_kernel *k;
    const struct ptx_form *form;
    const char *opcode;
    struct ptx_modifiers m;
    struct str before, operands, after;
    unsigned registers;
    bool memory; /* a place is preloaded, and read afterwards */
};

static char class_of(unsigned bits) {
    return bits == 1 ? 'p' : bits == 16 ? 'h' : bits == 32 ? 'r' : 'd';
}

static unsigned register_bits(unsigned bits) {
    return bits == 8 ? 16 : bits; /* no register has 8 */
}

/* The name of a new register that gets the next word of the inputs. */
static void source(struct maker *x, unsigned bits, struct str *out) {
    unsigned n = x->registers++, wide = register_bits(bits);
    str_printf(&x->before, "\tld.global.b64 %%w, [%%in+%u];\n", 8 * x->k->sources++);
    if (bits == 1)
        str_printf(&x->before, "\tand.b64 %%w, %%w, 1;\n\tsetp.ne.u64 %%p%u, %%w, 0;\n", n);
    else if (wide == 64)
        str_printf(&x->before, "\tmov.b64 %%d%u, %%w;\n", n);
    else
        str_printf(&x->before, "\tcvt.u%u.u64 %%%c%u, %%w;\n", wide, class_of(wide), n);
    str_printf(out, "%%%c%u", class_of(wide), n);
}

static void result(struct maker *x, unsigned bits, struct str *out) {
    unsigned n = x->registers++, wide = register_bits(bits);
    if (bits == 1)
        str_printf(&x->after, "\tselp.b64 %%w, 1, 0, %%p%u;\n", n);
    else if (wide == 64)
        str_printf(&x->after, "\tmov.b64 %%w, %%d%u;\n", n);
    else
        str_printf(&x->after, "\tcvt.u64.u%u %%w, %%%c%u;\n", wide, class_of(wide), n);
    str_printf(&x->after, "\tst.global.b64 [%%out+%u], %%w;\n", 8 * x->k->results++);
    str_printf(out, "%%%c%u", class_of(wide), n);
}

static const char *space_text(const struct maker *x) {
    return x->m.space == PTX_GENERIC ? "global" : ptx_space_name((enum ptx_space)x->m.space);
}

/* What is loaded is what the inputs are; constants are the module's. */
static void memory(struct maker *x) {
    const char *space = space_text(x);
    x->memory = true;
    if (x->m.space == PTX_CONST) {
        str_append(&x->operands, "[fixed]");
        return;
    }
    for (unsigned i = 0; i < ROOM; i += 8) {
        struct str word = {0};
        source(x, 64, &word);
        str_printf(&x->before, "\tst.%s.b64 [%%place+%u], %s;\n", space, i, str_text(&word));
        str_printf(&x->after, "\tld.%s.b64 %%w, [%%place+%u];\n", space, i);
        str_printf(&x->after, "\tst.global.b64 [%%out+%u], %%w;\n", 8 * x->k->results++);
        str_free(&word);
    }
    str_append(&x->operands, "[%place]");
}

static void vector(struct maker *x, bool is_result) {
    unsigned bits = ptx_type_bits((enum ptx_type)x->m.type[0]);
    str_append(&x->operands, x->m.vector > 1 ? "{" : "");
    for (unsigned i = 0; i < x->m.vector; i++) {
        str_append(&x->operands, i ? ", " : "");
        if (is_result)
            result(x, bits, &x->operands);
        else
            source(x, bits, &x->operands);
    }
    str_append(&x->operands, x->m.vector > 1 ? "}" : "");
}

static bool is_together(enum ptx_op op) {
    return op == PTX_OP_VOTE || op == PTX_OP_SHFL || op == PTX_OP_MATCH || op == PTX_OP_REDUX;
}

static void word(struct maker *x, bool last) {
    if (x->form->op == PTX_OP_BAR)
        str_append(&x->operands, x->m.mode == PTX_ARRIVE && last ? "32" : "0");
    else if (is_together(x->form->op) && last)
        str_append(&x->operands, "0xffffffff");
    else
        source(x, 32, &x->operands);
}

static void add_operand(struct maker *x, char letter, bool first, bool last) {
    unsigned bits = ptx_type_bits((enum ptx_type)x->m.type[0]);
    unsigned second = ptx_type_bits((enum ptx_type)x->m.type[1]);
    struct str *out = &x->operands;
    switch (letter) {
    case 'd':
    case 'x':
        result(x, bits, out);
        break;
    case 'w':
        result(x, 2 * bits, out);
        break;
    case '2':
        result(x, 32, out);
        break;
    case 'q':
        result(x, 1, out);
        if (x->form->op == PTX_OP_SETP) {
            str_char(out, '|');
            result(x, 1, out);
        }
        break;
    case 'e':
        result(x, bits, out);
        str_char(out, '|');
        result(x, 1, out);
        break;
    case 'a':
        source(x, bits, out);
        break;
    case 'b':
    case 'y':
        source(x, second, out);
        break;
    case 'W':
        source(x, 2 * bits, out);
        break;
    case '8':
        source(x, 64, out);
        break;
    case 'u':
        word(x, last);
        break;
    case 'p':
        source(x, 1, out);
        break;
    case 'm':
        memory(x);
        break;
    case 'v':
    case 's':
        vector(x, letter == 'v');
        break;
    case 't':
        if (first)
            result(x, bits, out);
        else
            source(x, bits, out);
        break;
    default: /* 'l' */
        str_append(out, "THERE");
    }
}

static void make_call(struct maker *x) {
    str_append(&x->before, "\t{\n\t.param .b32 a;\n\t.param .b32 r;\n");
    struct str given = {0}, got = {0};
    source(x, 32, &given);
    result(x, 32, &got);
    str_printf(&x->before, "\tst.param.b32 [a+0], %s;\n\t%s (r), next, (a);\n", str_text(&given),
               x->opcode);
    str_printf(&x->before, "\tld.param.b32 %s, [r+0];\n\t}\n", str_text(&got));
    str_free(&given);
    str_free(&got);
}

static void make_operands(struct maker *x) {
    bool first = true;
    for (const char *l = x->form->operands; *l && *l != '?'; l++) {
        str_append(&x->operands, first ? " " : ", ");
        add_operand(x, *l, first, l[1] == '\0' || l[1] == '?');
        first = false;
    }
}

static bool ends(enum ptx_op op) {
    return op == PTX_OP_RET || op == PTX_OP_EXIT || op == PTX_OP_TRAP;
}

static void write_text(struct maker *x) {
    struct str *t = &x->k->text;
    str_append(t, ".version 7.0\n.target sm_75\n.address_size 64\n"
                  ".const .align 16 .b8 fixed[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};\n"
                  ".func (.param .b32 r) next(.param .b32 a)\n{\n\t.reg .b32 %r;\n"
                  "\tld.param.b32 %r, [a];\n\tadd.s32 %r, %r, 1;\n\tst.param.b32 [r+0], %r;\n"
                  "\tret;\n}\n"
                  ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 places)\n{\n"
                  "\t.reg .b64 %in, %out, %place, %w, %n;\n\t.reg .b32 %t, %b;\n"
                  "\t.reg .pred %p<40>;\n\t.reg .b16 %h<40>;\n\t.reg .b32 %r<40>;\n"
                  "\t.reg .b64 %d<40>;\n\t.shared .align 16 .b8 shared[512];\n"
                  "\t.local .align 16 .b8 own[16];\n\t.param .align 16 .b8 passed[16];\n"
                  "\tmov.u32 %t, %tid.x;\n\tmov.u32 %b, %ctaid.x;\n\tmad.lo.s32 %t, %b, 32, %t;\n");
    str_printf(t,
               "\tld.param.u64 %%in, [in];\n\tmul.wide.u32 %%n, %%t, %u;\n"
               "\tadd.s64 %%in, %%in, %%n;\n",
               8 * x->k->sources);
    str_printf(t,
               "\tld.param.u64 %%out, [out];\n\tmul.wide.u32 %%n, %%t, %u;\n"
               "\tadd.s64 %%out, %%out, %%n;\n",
               8 * x->k->results);
    const char *base = x->m.space == PTX_SHARED  ? "mov.u64 %place, shared"
                       : x->m.space == PTX_LOCAL ? "mov.u64 %place, own"
                       : x->m.space == PTX_PARAM ? "mov.u64 %place, passed"
                                                 : "ld.param.u64 %place, [places]";
    bool each = x->m.space == PTX_GLOBAL || x->m.space == PTX_GENERIC;
    str_printf(t, "\t%s;\n", base);
    if (each || x->m.space == PTX_SHARED)
        str_printf(t, "\tmul.wide.u32 %%n, %%%s, 16;\n\tadd.s64 %%place, %%place, %%n;\n",
                   each ? "t" : "tid.x");
    str_append(t, str_text(&x->before));
    if (ends(x->form->op)) /* what ends a thread is not what ends this one */
        str_printf(t, "\tsetp.gt.u32 %%p39, %%t, 0xfffffff0;\n\t@%%p39 %s;\n", x->opcode);
    else if (x->form->op != PTX_OP_CALL)
        str_printf(t, "\t%s%s;\nTHERE:\n", x->opcode, str_text(&x->operands));
    str_append(t, str_text(&x->after));
    str_append(t, "\tret;\n}\n");
}

bool form_kernel_make(const char *opcode, struct form_kernel *out, struct str *what) {
    struct maker x = {.k = out, .opcode = opcode};
    *out = (struct form_kernel){.sources = 0};
    x.form = ptx_form_find(opcode, strlen(opcode), &x.m, what);
    if (x.form && x.form->op == PTX_OP_CALL)
        make_call(&x);
    else if (x.form)
        make_operands(&x);
    if (x.form)
        write_text(&x);
    str_free(&x.before);
    str_free(&x.operands);
    str_free(&x.after);
    return x.form != NULL;
}

void form_kernel_free(struct form_kernel *kernel) {
    str_free(&kernel->text);
}

/* ---- launches ---- */

struct arrays {
    unsigned char *bytes;
    uint64_t size;
};

static unsigned char *at(void *context, uint64_t address, uint64_t size, uint32_t access,
                         uint64_t thread, uint32_t line) {
    const struct arrays *a = context;
    (void)access, (void)thread, (void)line;
    return address >= BASE && address - BASE <= a->size && size <= a->size - (address - BASE)
               ? a->bytes + (address - BASE)
               : NULL;
}

bool form_kernel_run(const struct form_kernel *kernel, const uint64_t *in, uint64_t *out,
                     uint32_t threads, struct portable_fault *fault) {
    const struct kernel_decl decl = {
        .name = "k", .form = "ptx", .bytes = kernel->text.text, .size = kernel->text.len};
    struct portable_kernel *k = ptx_portable.read(&decl, fault);
    size_t ins = (size_t)threads * kernel->sources * 8,
           outs = (size_t)threads * kernel->results * 8;
    struct arrays a = {.size = ins + outs + 256 + (size_t)threads * ROOM};
    uint64_t places = (ins + outs + 15) / 16 * 16;
    const uint64_t parameters[3] = {BASE, BASE + ins, BASE + places};
    if (!k)
        return false;
    a.bytes = xcalloc(1, (size_t)a.size + 8);
    if (ins)
        memcpy(a.bytes, in, ins);
    const struct portable_launch launch = {.parameters = (const unsigned char *)parameters,
                                           .parameter_bytes = sizeof parameters,
                                           .shared = BASE + places + (uint64_t)threads * ROOM,
                                           .grid = {threads / BLOCK, 1, 1},
                                           .block = {BLOCK, 1, 1},
                                           .at = at,
                                           .context = &a};
    const struct simt_region region = {BASE, a.size, a.bytes};
    const struct simt_how how = {.rows = kernel->rows};
    bool fine = kernel->simt
                    ? simt_launch_text(decl.bytes, decl.size, &launch, &region, 1, &how, fault)
                    : ptx_portable.run(k, &launch, fault);
    if (fine && outs)
        memcpy(out, a.bytes + ins, outs);
    free(a.bytes);
    ptx_portable.free(k);
    return fine;
}
