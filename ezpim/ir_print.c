/* SPDX-License-Identifier: MIT
 * The intermediate form as text. */
#include "ezpim/ir_touched.h"

#include <inttypes.h>

struct printer {
    const struct ir_program *program;
    const struct diag *diag;
    struct str *out;
};

static void print_type(struct printer *p, struct mpu_type t) {
    char text[8];
    object_type_text(t, text);
    str_append(p->out, text);
}

static void print_vreg(struct printer *p, const struct ir_code *code, uint32_t v) {
    if (code->vregs.data[v].name)
        ir_append_name(&code->vregs.data[v], p->out);
    else
        str_printf(p->out, "%%%" PRIu32, v);
}

static void print_place(struct printer *p, struct span at) {
    uint32_t line, column;
    diag_position(p->diag, at, &line, &column);
    str_printf(p->out, "  ; %" PRIu32 ":%" PRIu32 "\n", line, column);
}

static void indent(struct printer *p, unsigned depth) {
    for (unsigned i = 0; i < depth; i++)
        str_append(p->out, "    ");
}

static void print_machine(struct printer *p, const struct ir_code *code, const struct ir_insn *i) {
    const struct isa_info *info = isa_info((enum mpu_op)i->machine);
    str_append(p->out, info->name);
    if (info->flags & ISA_WIDTH)
        str_printf(p->out, ".%u", i->width);
    for (unsigned k = 0; k < info->operand_count; k++) {
        str_char(p->out, ' ');
        switch ((enum operand_role)info->operands[k]) {
        case ROLE_RS:
            print_vreg(p, code, i->a);
            break;
        case ROLE_RT:
            print_vreg(p, code, i->b);
            break;
        case ROLE_RD:
            print_vreg(p, code, i->dst);
            break;
        case ROLE_COND:
            str_append(p->out, "cond");
            break;
        default:
            str_printf(p->out, "%" PRId64, (int64_t)i->imm);
            break;
        }
    }
}

static void print_operation(struct printer *p, const struct ir_code *code,
                            const struct ir_insn *i) {
    const uint32_t operands[] = {i->a, i->b, i->c};
    print_vreg(p, code, i->dst);
    str_char(p->out, ':');
    print_type(p, code->vregs.data[i->dst].type);
    str_printf(p->out, " = %s.", ir_op_name(i->op));
    print_type(p, i->type);
    for (unsigned k = 0; k < 3; k++)
        if (operands[k] != IR_NONE) {
            str_char(p->out, ' ');
            print_vreg(p, code, operands[k]);
        }
    if (i->op == IR_WIDEN) {
        str_append(p->out, " from ");
        print_type(p, i->from);
    }
    if (i->op == IR_SIZE)
        str_printf(p->out, " %s", p->program->sizes.data[i->size].name);
    if (i->op == IR_VALUE)
        str_printf(p->out, " %s", p->program->values.data[i->size].name);
    if (i->op == IR_VALUE && p->program->values.data[i->size].ndim)
        str_printf(p->out, "[%" PRIu64 "]", i->imm);
    if (i->op == IR_CONST || ((i->op == IR_SHL || i->op == IR_SHR) && i->b == IR_NONE))
        str_printf(p->out, " %" PRIu64, i->imm);
}

static void print_mark(struct printer *p, const struct ir_code *code, const struct ir_insn *i) {
    bool names = i->op == IR_EXIT || i->op == IR_TEST || i->op == IR_BLOCK || i->op == IR_LOOP;
    str_append(p->out, ir_op_name(i->op));
    if (i->op == IR_REPEAT && i->size == IR_NONE)
        str_printf(p->out, " %" PRIu64, i->imm);
    else if (i->op == IR_REPEAT)
        str_printf(p->out, " %s", p->program->sizes.data[i->size].name);
    if (i->op == IR_ASSERT || i->op == IR_PRINT)
        str_printf(p->out, " \"%s\"", p->program->debugs.data[i->imm].text);
    else if (names)
        str_printf(p->out, " .%" PRIu32, i->region);
    if (i->op == IR_CALL)
        str_printf(p->out, " %s", i->call->sub->name);
    if (i->a != IR_NONE) {
        str_append(p->out, i->op == IR_TEST && i->imm ? " not " : " ");
        print_vreg(p, code, i->a);
    }
}

/* A mark that closes or divides stands as far left as the one that opened. */
static unsigned depth_of(const struct ir_code *code, const struct ir_insn *i, uint32_t region) {
    unsigned depth = 0;
    bool outside = i->op == IR_END || i->op == IR_ELSE || i->op == IR_NEXT || i->op == IR_ENTER;
    for (uint32_t r = region; r != 0; r = code->regions.data[r].parent)
        depth++;
    return outside && depth ? depth - 1 : depth;
}

static void print_code(struct printer *p, const struct ir_code *code, unsigned depth) {
    uint32_t region = 0;
    for (size_t i = 0; i < code->insns.len; i++) {
        const struct ir_insn *insn = &code->insns.data[i];
        indent(p, depth + depth_of(code, insn, region));
        region = ir_region_behind(code, insn, region);
        if (insn->op >= IR_ASSERT)
            print_mark(p, code, insn);
        else if (insn->op == IR_MACHINE)
            print_machine(p, code, insn);
        else
            print_operation(p, code, insn);
        print_place(p, insn->at);
    }
}

static void print_extent(struct printer *p, struct extent x) {
    if (x.size == NO_INDEX)
        str_printf(p->out, "%" PRIu64, x.value);
    else
        str_append(p->out, p->program->sizes.data[x.size].name);
}

static void print_nodes(struct printer *p, const struct ir_node *n, unsigned depth);

static void print_inner(struct printer *p, const struct ir_node *n, unsigned depth) {
    if (n->code)
        print_code(p, n->code, depth + 1);
    if (n->kind == IR_NODE_IF || n->kind == IR_NODE_WHILE) {
        indent(p, depth);
        str_append(p->out, n->opposite ? "do when none\n" : "do when some\n");
    }
    print_nodes(p, n->body, depth + 1);
    if (n->otherwise) {
        indent(p, depth);
        str_append(p->out, "else\n");
        print_nodes(p, n->otherwise, depth + 1);
    }
}

static void print_head(struct printer *p, const struct ir_node *n) {
    static const char *const words[] = {
        [IR_NODE_COMPUTE] = "compute", [IR_NODE_REPEAT] = "repeat", [IR_NODE_IF] = "if",
        [IR_NODE_WHILE] = "while",     [IR_NODE_MOVE] = "move",     [IR_NODE_MARK] = "mark",
        [IR_NODE_FINISH] = "finish",   [IR_NODE_SYNC] = "sync",     [IR_NODE_BARRIER] = "barrier",
        [IR_NODE_SEND] = "send",       [IR_NODE_RECV] = "recv"};
    str_append(p->out, words[n->kind]);
    str_char(p->out, ' ');
    if (n->code)
        str_append(p->out, p->program->groups.data[n->group].name);
    else if (n->kind == IR_NODE_REPEAT)
        print_extent(p, n->count);
    else if (n->kind == IR_NODE_MARK)
        str_printf(p->out, "\"%s\"", p->program->debugs.data[n->debug].text);
    else if (n->kind == IR_NODE_RECV)
        str_printf(p->out, "mpu %u", n->mpu);
    else if (n->kind == IR_NODE_SEND)
        str_printf(p->out, "mpu %u r%u <- r%u", n->mpu,
                   p->program->moves.data[n->move].record.dst_reg,
                   p->program->moves.data[n->move].record.src_reg);
    else if (n->kind == IR_NODE_MOVE)
        str_printf(p->out, "r%u <- r%u", p->program->moves.data[n->move].record.dst_reg,
                   p->program->moves.data[n->move].record.src_reg);
}

static void print_nodes(struct printer *p, const struct ir_node *n, unsigned depth) {
    for (; n; n = n->next) {
        indent(p, depth);
        print_head(p, n);
        print_place(p, n->at);
        print_inner(p, n, depth);
    }
}

static void print_variable(struct printer *p, const struct variable *v) {
    str_printf(p->out, "%s %s: ", v->direction ? object_direction_text(v->direction) : "var",
               v->name);
    print_type(p, object_variable_array_type(v));
    if (v->has_k)
        str_printf(p->out, "[%" PRIu32 "]", v->count);
    if (v->form.type.bits && !object_type_holds(v->type, v->form.type)) {
        str_append(p->out, " as ");
        print_type(p, v->type);
    }
    if (v->group != NO_INDEX)
        str_printf(p->out, " @ %s", p->program->groups.data[v->group].name);
    str_printf(p->out, " in r%u\n", v->reg);
}

void ir_print(const struct ir_program *program, const struct diag *d, struct str *out) {
    struct printer p = {program, d, out};
    for (size_t i = 0; i < program->sizes.len; i++)
        str_printf(out, "size %s\n", program->sizes.data[i].name);
    for (size_t i = 0; i < program->values.len; i++) {
        str_append(out, "host ");
        object_value_text(&program->values.data[i], out);
        str_char(out, '\n');
    }
    for (size_t i = 0; i < program->groups.len; i++) {
        const struct group *g = &program->groups.data[i];
        str_printf(out, "group %s[", g->name);
        for (uint32_t k = 0; k < g->ndim; k++) {
            str_append(out, k ? ", " : "");
            print_extent(&p, g->extent[k]);
        }
        str_append(out, "]\n");
    }
    for (size_t i = 0; i < program->variables.len; i++)
        if (!program->variables.data[i].hidden)
            print_variable(&p, &program->variables.data[i].decl);
    for (size_t i = 0; i < program->subs.len; i++) {
        str_printf(out, "sub %s", program->subs.data[i]->name);
        print_place(&p, program->subs.data[i]->at);
        print_code(&p, program->subs.data[i]->code, 1);
    }
    for (size_t i = 0; i < program->images.len; i++) {
        if (program->images.len > 1)
            str_printf(out, "mpus %u .. %u\n", program->images.data[i].first_mpu,
                       program->images.data[i].first_mpu + program->images.data[i].mpu_count);
        print_nodes(&p, program->images.data[i].nodes, 0);
    }
}
