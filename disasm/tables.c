/* SPDX-License-Identifier: MIT
 * -t, -r and -x: the tables of an object. */
#include "disasm/dump.h"

#include <inttypes.h>

void disasm_program(struct dump *x) {
    const struct object *o = x->o;
    str_printf(x->out, "\nISA version %d, sets", OBJECT_ISA_VERSION);
    for (unsigned s = 0; s < SET_COUNT; s++)
        if (o->sets >> s & 1)
            str_printf(x->out, " %s", isa_set_name((enum isa_set)s));
    str_printf(x->out,
               "\ngeometry of fixed VRFs: lanes=%" PRIu32 " vrfs=%" PRIu32 " rfhs=%" PRIu32 "\n",
               o->geometry.lanes, o->geometry.vrfs, o->geometry.rfhs);
    if (o->geometry.grid_dims) {
        str_append(x->out, "grid of MPUs: ");
        disasm_grid_text(&o->geometry, x->out);
        str_char(x->out, '\n');
    }
    str_printf(x->out, "default width %u, %zu instructions\n", o->default_width, o->text.len);
}

/* l or g, then what llvm-objdump shows: F for a function. */
void disasm_symbols(struct dump *x) {
    str_append(x->out, "\nSYMBOL TABLE:\n");
    for (size_t i = 0; i < x->o->symbols.len; i++) {
        const struct symbol *s = &x->o->symbols.data[i];
        const char *section = !s->defined ? "*UND*" : s->kind == SYMBOL_ABS ? "*ABS*" : ".text";
        str_printf(x->out, "%08" PRId64 " %c     %c %-5s %08" PRIu32 " %s\n", s->value,
                   !s->defined ? ' '
                   : s->global ? 'g'
                               : 'l',
                   s->kind == SYMBOL_SUB ? 'F' : ' ', section, s->length, s->name);
    }
}

void disasm_relocs(struct dump *x) {
    struct str type = {0};
    str_append(x->out, "\nRELOCATION RECORDS FOR [.text]:\nINDEX    TYPE             VALUE\n");
    for (size_t i = 0; i < x->o->relocs.len; i++) {
        const struct reloc *r = &x->o->relocs.data[i];
        str_clear(&type);
        disasm_reloc_type_name(r, &type);
        str_printf(x->out, "%08" PRIu32 " %-16s ", r->index, str_text(&type));
        disasm_reloc_target(x->o, r, x->out);
        str_char(x->out, '\n');
    }
    str_free(&type);
}

static void dump_sizes(struct dump *x) {
    if (x->o->sizes.len)
        str_append(x->out, "\nSIZES:\n");
    for (uint32_t i = 0; i < x->o->sizes.len; i++) {
        str_printf(x->out, "%4" PRIu32 " ", i);
        object_size_text(x->o, i, x->out);
        str_char(x->out, '\n');
    }
}

static void dump_values(struct dump *x) {
    if (x->o->values.len)
        str_append(x->out, "\nVALUES:\n");
    for (size_t i = 0; i < x->o->values.len; i++) {
        str_printf(x->out, "%4zu ", i);
        object_value_text(&x->o->values.data[i], x->out);
        str_char(x->out, '\n');
    }
}

static void dump_groups(struct dump *x) {
    if (x->o->groups.len)
        str_append(x->out, "\nGROUPS:\n");
    for (size_t i = 0; i < x->o->groups.len; i++) {
        str_printf(x->out, "%4zu ", i);
        disasm_group_text(x->o, &x->o->groups.data[i], x->out);
        str_char(x->out, '\n');
    }
}

/* ", [0] is N" for each dimension that is a constant of the source. */
static void dump_constants(struct dump *x, const char *array) {
    for (uint32_t d = 0; d < FORM_MAX_DIMS; d++) {
        const char *constant = object_constant_of(x->o, array, d);
        if (constant)
            str_printf(x->out, ", [%u] is %s", (unsigned)d, constant);
    }
}

static void dump_variables(struct dump *x) {
    if (x->o->vars.len)
        str_append(x->out, "\nVARIABLES:\n");
    for (size_t i = 0; i < x->o->vars.len; i++) {
        str_printf(x->out, "%4zu %-5s ", i, object_direction_text(x->o->vars.data[i].direction));
        disasm_variable_text(x->o, &x->o->vars.data[i], x->out);
        uint32_t length = object_length_of(x->o, (uint32_t)i);
        if (length != NO_INDEX)
            str_printf(x->out, ", the first %s", x->o->vars.data[length].name);
        dump_constants(x, x->o->vars.data[i].name);
        str_char(x->out, '\n');
    }
}

static void dump_moves(struct dump *x) {
    if (x->o->moves.len)
        str_append(x->out, "\nMOVES:\n");
    for (size_t i = 0; i < x->o->moves.len; i++) {
        str_printf(x->out, "%4zu ", i);
        disasm_move_text(x->o, &x->o->moves.data[i], x->out);
        str_char(x->out, '\n');
    }
}

static void dump_data(struct dump *x) {
    if (x->o->data.len)
        str_append(x->out, "\nINITIAL DATA:\n");
    for (size_t i = 0; i < x->o->data.len; i++)
        str_printf(x->out, "%4zu %s: %" PRIu64 " elements\n", i,
                   x->o->vars.data[x->o->data.data[i].variable].name, x->o->data.data[i].count);
}

static void dump_finishes(struct dump *x) {
    if (x->o->finishes.len)
        str_append(x->out, "\nREDUCTIONS THAT THE HOST MAY FINISH:\n");
    for (size_t i = 0; i < x->o->finishes.len; i++) {
        const struct finish_record *r = &x->o->finishes.data[i];
        str_printf(x->out, "%4zu ", i);
        object_finish_text(x->o, r, x->out);
        str_printf(x->out, ", instead of instructions %" PRIu32 " to %" PRIu32 "\n", r->first,
                   r->last - 1);
    }
}

static void dump_debugs(struct dump *x) {
    static const char *const kinds[] = {"MARK", "PRINT", "ASSERT"};
    if (x->o->debugs.len)
        str_append(x->out, "\nDEBUG RECORDS:\n");
    for (size_t i = 0; i < x->o->debugs.len; i++) {
        const struct debug_record *r = &x->o->debugs.data[i];
        char type[8];
        str_printf(x->out, "%4zu %-6s ", i, kinds[r->kind]);
        str_quote(x->out, r->text);
        if (r->kind == DEBUG_PRINT) {
            object_type_text(r->type, type);
            str_printf(x->out, " r%u: %s", r->reg, type);
        }
        str_char(x->out, '\n');
    }
}

static void dump_recipes(struct dump *x) {
    const char *names[ISA_USERS];
    size_t count = isa_users_names(&x->names.users, names);
    if (x->o->recipes.len)
        str_append(x->out, "\nRECIPE FILES:\n");
    for (size_t i = 0; i < x->o->recipes.len; i++)
        str_printf(x->out, "%4zu %s: %zu bytes\n", i, x->o->recipes.data[i].name,
                   x->o->recipes.data[i].size);
    if (count)
        str_append(x->out, "\nUSER INSTRUCTIONS:\n");
    for (unsigned op = OP_USER_C0; count && op <= OP_USER_FF; op++)
        if (x->names.users.by_opcode[op - OP_USER_C0].name)
            str_printf(x->out, "0x%02X %s\n", isa_info((enum mpu_op)op)->opcode,
                       isa_users_name(&x->names.users, (enum mpu_op)op));
}

static void dump_calls(struct dump *x) {
    if (x->o->calls.len)
        str_append(x->out, "\nCALLS:\n");
    for (uint32_t i = 0; i < x->o->calls.len; i++) {
        str_printf(x->out, "%4" PRIu32 " ", i);
        disasm_call_text(&x->names, i, x->out);
        str_char(x->out, '\n');
    }
}

static void dump_signatures(struct dump *x) {
    if (x->o->signatures.len)
        str_append(x->out, "\nSIGNATURES:\n");
    for (size_t i = 0; i < x->o->signatures.len; i++) {
        str_printf(x->out, "%4zu ", i);
        object_signature_text(&x->o->signatures.data[i], x->out);
        str_char(x->out, '\n');
    }
}

static void dump_entries(struct dump *x) {
    if (x->o->entries.len)
        str_append(x->out, "\nENTRIES:\n");
    for (size_t i = 0; i < x->o->entries.len; i++) {
        const struct entry *e = &x->o->entries.data[i];
        str_printf(x->out, "MPU%" PRIu32 " .. MPU%" PRIu32 " at %s\n", e->first_mpu,
                   e->first_mpu + e->mpu_count - 1,
                   e->symbol == NO_INDEX ? "main, else 0" : x->o->symbols.data[e->symbol].name);
    }
}

static void dump_packages(struct dump *x) {
    if (x->o->packages.len)
        str_append(x->out, "\nPACKAGES:\n");
    for (size_t i = 0; i < x->o->packages.len; i++)
        str_printf(x->out, "%s: %zu bytes\n", x->o->packages.data[i].target,
                   x->o->packages.data[i].size);
}

void disasm_records(struct dump *x) {
    dump_sizes(x);
    dump_values(x);
    dump_groups(x);
    dump_variables(x);
    dump_data(x);
    dump_moves(x);
    dump_finishes(x);
    dump_debugs(x);
    dump_recipes(x);
    dump_calls(x);
    dump_signatures(x);
    dump_entries(x);
    dump_packages(x);
}
