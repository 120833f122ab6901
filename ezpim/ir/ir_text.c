/* SPDX-License-Identifier: MIT
 * The intermediate form as text. */
#include "ezpim/ir/touched.h"

#include <inttypes.h>

struct printer {
    const struct ir_program *program;
    const struct diag *diag;
    struct str *out;
};

static void print_type(struct printer *printer, struct lane_type type) {
    char text[8];
    object_type_text(type, text);
    str_append(printer->out, text);
}

static void print_vreg(struct printer *printer, const struct ir_code *code, uint32_t value) {
    if (code->vregs.data[value].name)
        ir_append_name(&code->vregs.data[value], printer->out);
    else
        str_printf(printer->out, "%%%" PRIu32, value);
}

static void print_place(struct printer *printer, struct span at) {
    uint32_t line, column;
    diag_position(printer->diag, at, &line, &column);
    str_printf(printer->out, "  ; %" PRIu32 ":%" PRIu32 "\n", line, column);
}

static void indent(struct printer *printer, unsigned depth) {
    for (unsigned i = 0; i < depth; i++)
        str_append(printer->out, "    ");
}

static void print_numbering_part(struct printer *printer, const char *word,
                                 const struct extent *extent) {
    if (extent->size != NO_INDEX)
        str_printf(printer->out, " %s %s", word, printer->program->sizes.data[extent->size].name);
    else if (extent->value)
        str_printf(printer->out, " %s %" PRIu64, word, extent->value);
}

static void print_numbering(struct printer *printer, const struct number_record *record) {
    print_numbering_part(printer, "every", &record->every);
    print_numbering_part(printer, "below", &record->below);
}

static void print_machine(struct printer *printer, const struct ir_code *code,
                          const struct ir_insn *insn) {
    const struct isa_info *info = isa_info((enum isa_op)insn->machine);
    str_append(printer->out, info->name);
    if (info->flags & ISA_WIDTH)
        str_printf(printer->out, ".%u", insn->width);
    for (unsigned k = 0; k < info->operand_count; k++) {
        str_char(printer->out, ' ');
        switch ((enum operand_role)info->operands[k]) {
        case ROLE_RS:
            print_vreg(printer, code, insn->a);
            break;
        case ROLE_RT:
            print_vreg(printer, code, insn->b);
            break;
        case ROLE_RD:
            print_vreg(printer, code, insn->dst);
            break;
        case ROLE_COND:
            str_append(printer->out, "cond");
            break;
        default:
            str_printf(printer->out, "%" PRId64, (int64_t)insn->imm);
            break;
        }
    }
    if (insn->machine == OP_INDEX && insn->imm)
        print_numbering(printer, &printer->program->numbers.data[insn->imm - 1]);
}

static void print_operation(struct printer *printer, const struct ir_code *code,
                            const struct ir_insn *insn) {
    const uint32_t operands[] = {insn->a, insn->b, insn->c};
    print_vreg(printer, code, insn->dst);
    str_char(printer->out, ':');
    print_type(printer, code->vregs.data[insn->dst].type);
    str_printf(printer->out, " = %s.", ir_op_name(insn->op));
    print_type(printer, insn->type);
    for (unsigned k = 0; k < 3; k++)
        if (operands[k] != IR_NONE) {
            str_char(printer->out, ' ');
            print_vreg(printer, code, operands[k]);
        }
    if (insn->op == IR_CVT)
        str_printf(printer->out, " %s", isa_conversion_name((unsigned)insn->imm));
    if (insn->op == IR_LOOKUP)
        str_printf(printer->out, " $T%" PRIu64, insn->imm);
    if (insn->op == IR_WIDEN) {
        str_append(printer->out, " from ");
        print_type(printer, insn->from);
    }
    if (insn->op == IR_SIZE)
        str_printf(printer->out, " %s", printer->program->sizes.data[insn->size].name);
    if (insn->op == IR_VALUE)
        str_printf(printer->out, " %s", printer->program->values.data[insn->size].name);
    if (insn->op == IR_VALUE && printer->program->values.data[insn->size].ndim)
        str_printf(printer->out, "[%" PRIu64 "]", insn->imm);
    if (insn->op == IR_CONST && object_type_is_float(insn->type)) {
        str_char(printer->out, ' ');
        object_pattern_text(insn->type, insn->imm, printer->out);
    } else if (insn->op == IR_CONST ||
               ((insn->op == IR_SHL || insn->op == IR_SHR) && insn->b == IR_NONE))
        str_printf(printer->out, " %" PRIu64, insn->imm);
}

static void print_mark(struct printer *printer, const struct ir_code *code,
                       const struct ir_insn *insn) {
    bool names =
        insn->op == IR_EXIT || insn->op == IR_TEST || insn->op == IR_BLOCK || insn->op == IR_LOOP;
    str_append(printer->out, ir_op_name(insn->op));
    if (insn->op == IR_REPEAT && insn->size == IR_NONE)
        str_printf(printer->out, " %" PRIu64, insn->imm);
    else if (insn->op == IR_REPEAT)
        str_printf(printer->out, " %s", printer->program->sizes.data[insn->size].name);
    if (insn->op >= IR_SHOW && insn->op <= IR_PRINT)
        str_printf(printer->out, " \"%s\"", printer->program->debugs.data[insn->imm].text);
    else if (names)
        str_printf(printer->out, " .%" PRIu32, insn->region);
    if (insn->op == IR_CALL)
        str_printf(printer->out, " %s", insn->call->sub->name);
    if (insn->a != IR_NONE) {
        str_append(printer->out, insn->op == IR_TEST && insn->imm ? " not " : " ");
        print_vreg(printer, code, insn->a);
    }
}

/* A mark that closes or divides stands as far left as the one that opened. */
static unsigned depth_of(const struct ir_code *code, const struct ir_insn *insn, uint32_t region) {
    unsigned depth = 0;
    bool outside =
        insn->op == IR_END || insn->op == IR_ELSE || insn->op == IR_NEXT || insn->op == IR_ENTER;
    for (uint32_t r = region; r != 0; r = code->regions.data[r].parent)
        depth++;
    return outside && depth ? depth - 1 : depth;
}

static void print_code(struct printer *printer, const struct ir_code *code, unsigned depth) {
    uint32_t region = 0;
    for (size_t i = 0; i < code->insns.len; i++) {
        const struct ir_insn *insn = &code->insns.data[i];
        indent(printer, depth + depth_of(code, insn, region));
        region = ir_region_behind(code, insn, region);
        if (insn->op >= IR_SHOW)
            print_mark(printer, code, insn);
        else if (insn->op == IR_MACHINE)
            print_machine(printer, code, insn);
        else
            print_operation(printer, code, insn);
        print_place(printer, insn->at);
    }
}

static void print_extent(struct printer *printer, struct extent extent) {
    if (extent.size == NO_INDEX)
        str_printf(printer->out, "%" PRIu64, extent.value);
    else
        str_append(printer->out, printer->program->sizes.data[extent.size].name);
}

static void print_nodes(struct printer *printer, const struct ir_node *node, unsigned depth);

static void print_inner(struct printer *printer, const struct ir_node *node, unsigned depth) {
    if (node->code)
        print_code(printer, node->code, depth + 1);
    if (node->kind == IR_NODE_IF || node->kind == IR_NODE_WHILE) {
        indent(printer, depth);
        str_append(printer->out, node->opposite ? "do when none\n" : "do when some\n");
    }
    print_nodes(printer, node->body, depth + 1);
    if (node->otherwise) {
        indent(printer, depth);
        str_append(printer->out, "else\n");
        print_nodes(printer, node->otherwise, depth + 1);
    }
}

static void print_head(struct printer *printer, const struct ir_node *node) {
    static const char *const words[] = {
        [IR_NODE_COMPUTE] = "compute", [IR_NODE_REPEAT] = "repeat", [IR_NODE_IF] = "if",
        [IR_NODE_WHILE] = "while",     [IR_NODE_MOVE] = "move",     [IR_NODE_MARK] = "mark",
        [IR_NODE_FINISH] = "finish",   [IR_NODE_SYNC] = "sync",     [IR_NODE_BARRIER] = "barrier",
        [IR_NODE_SEND] = "send",       [IR_NODE_RECV] = "recv",     [IR_NODE_LAUNCH] = "launch"};
    str_append(printer->out, words[node->kind]);
    str_char(printer->out, ' ');
    if (node->code)
        str_append(printer->out, printer->program->groups.data[node->group].name);
    else if (node->kind == IR_NODE_REPEAT)
        print_extent(printer, node->count);
    else if (node->kind == IR_NODE_MARK)
        str_printf(printer->out, "\"%s\"", printer->program->debugs.data[node->debug].text);
    else if (node->kind == IR_NODE_LAUNCH)
        str_append(printer->out, printer->program->kernels
                                     .data[printer->program->launches.data[node->launch].kernel]
                                     .decl.name);
    else if (node->kind == IR_NODE_RECV)
        str_printf(printer->out, "mpu %u", node->mpu);
    else if (node->kind == IR_NODE_SEND)
        str_printf(printer->out, "mpu %u r%u <- r%u", node->mpu,
                   printer->program->moves.data[node->move].record.dst_reg,
                   printer->program->moves.data[node->move].record.src_reg);
    else if (node->kind == IR_NODE_MOVE)
        str_printf(printer->out, "r%u <- r%u",
                   printer->program->moves.data[node->move].record.dst_reg,
                   printer->program->moves.data[node->move].record.src_reg);
}

static void print_nodes(struct printer *printer, const struct ir_node *node, unsigned depth) {
    for (; node; node = node->next) {
        indent(printer, depth);
        print_head(printer, node);
        print_place(printer, node->at);
        print_inner(printer, node, depth);
    }
}

static void print_variable(struct printer *printer, const struct variable *variable) {
    str_printf(printer->out,
               "%s %s: ", variable->direction ? object_direction_text(variable->direction) : "var",
               variable->name);
    print_type(printer, object_variable_array_type(variable));
    if (variable->has_k)
        str_printf(printer->out, "[%" PRIu32 "]", variable->count);
    if (variable->form.type.bits && !object_type_holds(variable->type, variable->form.type)) {
        str_append(printer->out, " as ");
        print_type(printer, variable->type);
    }
    if (variable->group != NO_INDEX)
        str_printf(printer->out, " @ %s", printer->program->groups.data[variable->group].name);
    str_printf(printer->out, " in r%u\n", variable->reg);
}

void ir_print(const struct ir_program *program, const struct diag *diag, struct str *out) {
    struct printer p = {program, diag, out};
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
