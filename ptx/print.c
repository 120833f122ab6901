/* SPDX-License-Identifier: MIT
 * A module as text. */
#include "ptx/ptx.h"

#include <string.h>

struct printer {
    const struct ptx_module *module;
    const struct ptx_function *function;
    struct str *out;
};

static const char *name_of(const struct printer *p, const struct ptx_operand *o) {
    switch (o->kind) {
    case PTX_REGISTER:
        return p->function->registers.data[o->index].name;
    case PTX_SPECIAL:
        return ptx_special_name((enum ptx_special)o->index);
    case PTX_VARIABLE:
        return p->module->variables.data[o->index].name;
    case PTX_FUNCTION:
        return p->module->functions.data[o->index].name;
    case PTX_LABEL:
        return p->function->labels.data[o->index].name;
    case PTX_NUMBER:
    case PTX_VECTOR:
    case PTX_NOTHING:
        break;
    }
    return "_";
}

static void print_number(const struct printer *p, const struct ptx_operand *o) {
    str_printf(p->out, "%s%s", o->minus ? "-" : "", o->text);
}

static void print_simple(const struct printer *p, const struct ptx_operand *o) {
    if (o->kind == PTX_NUMBER) {
        print_number(p, o);
        return;
    }
    str_append(p->out, name_of(p, o));
    if (o->text) {
        str_char(p->out, '+');
        print_number(p, o);
    }
}

static void print_vector(const struct printer *p, const struct ptx_operand *o) {
    str_char(p->out, '{');
    for (uint32_t i = 0; i < o->part_count; i++) {
        str_append(p->out, i ? ", " : "");
        print_simple(p, &o->parts[i]);
    }
    str_char(p->out, '}');
}

static void print_operand(const struct printer *p, const struct ptx_operand *o) {
    str_append(p->out, o->address ? "[" : o->negated ? "!" : "");
    if (o->kind == PTX_VECTOR)
        print_vector(p, o);
    else
        print_simple(p, o);
    if (o->second == PTX_SINK)
        str_append(p->out, "|_");
    else if (o->second != PTX_NONE)
        str_printf(p->out, "|%s", p->function->registers.data[o->second].name);
    str_append(p->out, o->address ? "]" : "");
}

static void print_list(const struct printer *p, const struct ptx_operand *o, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        str_append(p->out, i ? ", " : "");
        print_operand(p, &o[i]);
    }
}

static void print_call(const struct printer *p, const struct ptx_insn *insn) {
    uint32_t results = insn->result_count;
    if (insn->has_results) {
        str_char(p->out, '(');
        print_list(p, insn->operands, results);
        str_append(p->out, "), ");
    }
    print_operand(p, &insn->operands[results]);
    if (insn->has_arguments) {
        str_append(p->out, ", (");
        print_list(p, insn->operands + results + 1, insn->operand_count - results - 1);
        str_char(p->out, ')');
    }
}

static void print_insn(const struct printer *p, const struct ptx_insn *insn) {
    str_char(p->out, '\t');
    if (insn->guard != PTX_NONE)
        str_printf(p->out, "@%s%s ", insn->guard_not ? "!" : "",
                   p->function->registers.data[insn->guard].name);
    str_append(p->out, insn->name);
    str_append(p->out, insn->operand_count ? " " : "");
    if (insn->form->op == PTX_OP_CALL)
        print_call(p, insn);
    else
        print_list(p, insn->operands, insn->operand_count);
    str_append(p->out, ";\n");
}

static void print_item(const struct printer *p, const struct ptx_item *item) {
    switch (item->kind) {
    case PTX_ITEM_INSN:
        print_insn(p, &p->function->insns.data[item->index]);
        break;
    case PTX_ITEM_LABEL:
        str_printf(p->out, "%s:\n", p->function->labels.data[item->index].name);
        break;
    case PTX_ITEM_OPEN:
        str_append(p->out, "\t{\n");
        break;
    case PTX_ITEM_CLOSE:
        str_append(p->out, "\t}\n");
        break;
    case PTX_ITEM_TEXT:
        str_printf(p->out, "\t%s\n", item->text);
        break;
    case PTX_ITEM_FUNCTION:
        break;
    }
}

static void print_function(struct printer *p, const struct ptx_function *f) {
    p->function = f;
    str_printf(p->out, "%s%s\n", f->head, f->has_body ? "\n{" : ";");
    if (!f->has_body)
        return;
    for (size_t i = 0; i < f->items.len; i++)
        print_item(p, &f->items.data[i]);
    str_append(p->out, "}\n");
}

void ptx_print(const struct ptx_module *module, struct str *out) {
    struct printer p = {module, NULL, out};
    for (size_t i = 0; i < module->items.len; i++) {
        const struct ptx_item *item = &module->items.data[i];
        if (item->kind == PTX_ITEM_FUNCTION)
            print_function(&p, &module->functions.data[item->index]);
        else
            str_printf(out, "%s\n", item->text);
    }
}
