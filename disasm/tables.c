/* SPDX-License-Identifier: MIT
 * -t, -r and -x: the tables of an object. */
#include "disasm/dump.h"

#include <inttypes.h>

void disasm_program(struct dump *dump) {
    const struct object *o = dump->o;
    str_printf(dump->out, "\nISA version %d, sets", OBJECT_ISA_VERSION);
    for (unsigned s = 0; s < SET_COUNT; s++)
        if (o->sets >> s & 1)
            str_printf(dump->out, " %s", isa_set_name((enum isa_set)s));
    str_printf(dump->out,
               "\ngeometry of fixed VRFs: lanes=%" PRIu32 " vrfs=%" PRIu32 " rfhs=%" PRIu32 "\n",
               o->geometry.lanes, o->geometry.vrfs, o->geometry.rfhs);
    if (o->geometry.grid_dims) {
        str_append(dump->out, "grid of MPUs: ");
        disasm_grid_text(&o->geometry, dump->out);
        str_char(dump->out, '\n');
    }
    str_printf(dump->out, "default width %u, %zu instructions\n", o->default_width, o->text.len);
}

/* l or g, then what llvm-objdump shows: F for a function. */
void disasm_symbols(struct dump *dump) {
    str_append(dump->out, "\nSYMBOL TABLE:\n");
    for (size_t i = 0; i < dump->o->symbols.len; i++) {
        const struct symbol *s = &dump->o->symbols.data[i];
        const char *section = !s->defined ? "*UND*" : s->kind == SYMBOL_ABS ? "*ABS*" : ".text";
        str_printf(dump->out, "%08" PRId64 " %c     %c %-5s %08" PRIu32 " %s\n", s->value,
                   !s->defined ? ' '
                   : s->global ? 'g'
                               : 'l',
                   s->kind == SYMBOL_SUB ? 'F' : ' ', section, s->length, s->name);
    }
}

void disasm_relocs(struct dump *dump) {
    struct str type = {0};
    str_append(dump->out, "\nRELOCATION RECORDS FOR [.text]:\nINDEX    TYPE             VALUE\n");
    for (size_t i = 0; i < dump->o->relocs.len; i++) {
        const struct reloc *r = &dump->o->relocs.data[i];
        str_clear(&type);
        disasm_reloc_type_name(r, &type);
        str_printf(dump->out, "%08" PRIu32 " %-16s ", r->index, str_text(&type));
        disasm_reloc_target(dump->o, r, dump->out);
        str_char(dump->out, '\n');
    }
    str_free(&type);
}

static void dump_sizes(struct dump *dump) {
    if (dump->o->sizes.len)
        str_append(dump->out, "\nSIZES:\n");
    for (uint32_t i = 0; i < dump->o->sizes.len; i++) {
        str_printf(dump->out, "%4" PRIu32 " ", i);
        object_size_text(dump->o, i, dump->out);
        str_char(dump->out, '\n');
    }
}

static void dump_values(struct dump *dump) {
    if (dump->o->values.len)
        str_append(dump->out, "\nVALUES:\n");
    for (size_t i = 0; i < dump->o->values.len; i++) {
        str_printf(dump->out, "%4zu ", i);
        object_value_text(&dump->o->values.data[i], dump->out);
        str_char(dump->out, '\n');
    }
}

/* The first elements of a table; `mpu-objdump -R` writes all. */
static void dump_luts(struct dump *dump) {
    enum { SHOWN = 8 };
    if (dump->o->luts.len)
        str_append(dump->out, "\nTABLES:\n");
    for (size_t i = 0; i < dump->o->luts.len; i++) {
        const struct lut_decl *t = &dump->o->luts.data[i];
        uint32_t given = object_lut_given(t);
        str_printf(dump->out, "%4zu %s k=%u width=%u", i, t->name, t->table.index_bits,
                   t->table.width);
        for (uint32_t k = 0; k < given && k < SHOWN; k++) {
            str_append(dump->out, k ? ", " : " = ");
            object_lut_entry_text(dump->o, t, k, dump->out);
        }
        if (given > SHOWN)
            str_printf(dump->out, " and %" PRIu32 " more", given - SHOWN);
        str_char(dump->out, '\n');
    }
}

static void dump_products(struct dump *dump) {
    if (dump->o->products.len)
        str_append(dump->out, "\nPRODUCTS:\n");
    for (size_t i = 0; i < dump->o->products.len; i++) {
        str_printf(dump->out, "%4zu ", i);
        object_product_text(&dump->o->products.data[i], dump->out);
        str_char(dump->out, '\n');
    }
}

static void dump_groups(struct dump *dump) {
    if (dump->o->groups.len)
        str_append(dump->out, "\nGROUPS:\n");
    for (size_t i = 0; i < dump->o->groups.len; i++) {
        str_printf(dump->out, "%4zu ", i);
        disasm_group_text(dump->o, &dump->o->groups.data[i], dump->out);
        str_char(dump->out, '\n');
    }
}

/* ", [0] is N" for each dimension that is a constant of the source. */
static void dump_constants(struct dump *dump, const char *array) {
    for (uint32_t d = 0; d < FORM_MAX_DIMS; d++) {
        const char *constant = object_constant_of(dump->o, array, d);
        if (constant)
            str_printf(dump->out, ", [%u] is %s", (unsigned)d, constant);
    }
}

static void dump_variables(struct dump *dump) {
    if (dump->o->vars.len)
        str_append(dump->out, "\nVARIABLES:\n");
    for (size_t i = 0; i < dump->o->vars.len; i++) {
        str_printf(dump->out, "%4zu %-5s ", i,
                   object_direction_text(dump->o->vars.data[i].direction));
        disasm_variable_text(dump->o, &dump->o->vars.data[i], dump->out);
        uint32_t length = object_length_of(dump->o, (uint32_t)i);
        if (length != NO_INDEX)
            str_printf(dump->out, ", the first %s", dump->o->vars.data[length].name);
        dump_constants(dump, dump->o->vars.data[i].name);
        str_char(dump->out, '\n');
    }
}

static void dump_moves(struct dump *dump) {
    if (dump->o->moves.len)
        str_append(dump->out, "\nMOVES:\n");
    for (size_t i = 0; i < dump->o->moves.len; i++) {
        str_printf(dump->out, "%4zu ", i);
        disasm_move_text(dump->o, &dump->o->moves.data[i], dump->out);
        str_char(dump->out, '\n');
    }
}

static void dump_data(struct dump *dump) {
    if (dump->o->data.len)
        str_append(dump->out, "\nINITIAL DATA:\n");
    for (size_t i = 0; i < dump->o->data.len; i++)
        str_printf(dump->out, "%4zu %s: %" PRIu64 " elements\n", i,
                   dump->o->vars.data[dump->o->data.data[i].variable].name,
                   dump->o->data.data[i].count);
}

static void dump_finishes(struct dump *dump) {
    if (dump->o->finishes.len)
        str_append(dump->out, "\nREDUCTIONS THAT THE HOST MAY FINISH:\n");
    for (size_t i = 0; i < dump->o->finishes.len; i++) {
        const struct finish_record *r = &dump->o->finishes.data[i];
        str_printf(dump->out, "%4zu ", i);
        object_finish_text(dump->o, r, dump->out);
        str_printf(dump->out, ", instead of instructions %" PRIu32 " to %" PRIu32 "\n", r->first,
                   r->last - 1);
    }
}

static void dump_debugs(struct dump *dump) {
    if (dump->o->debugs.len)
        str_append(dump->out, "\nDEBUG RECORDS:\n");
    for (size_t i = 0; i < dump->o->debugs.len; i++) {
        const struct debug_record *r = &dump->o->debugs.data[i];
        char type[8];
        str_printf(dump->out, "%4zu %-6s ", i, object_debug_word(r->kind));
        str_quote(dump->out, r->text);
        if (object_debug_has_register(r->kind)) {
            object_type_text(r->type, type);
            str_printf(dump->out, " r%u: %s", r->reg, type);
        }
        str_char(dump->out, '\n');
    }
}

static void dump_recipes(struct dump *dump) {
    const char *names[ISA_USERS];
    size_t count = isa_users_names(&dump->names.users, names);
    if (dump->o->recipes.len)
        str_append(dump->out, "\nRECIPE FILES:\n");
    for (size_t i = 0; i < dump->o->recipes.len; i++)
        str_printf(dump->out, "%4zu %s: %zu bytes\n", i, dump->o->recipes.data[i].name,
                   dump->o->recipes.data[i].size);
    if (count)
        str_append(dump->out, "\nUSER INSTRUCTIONS:\n");
    for (unsigned op = OP_USER_C0; count && op <= OP_USER_FF; op++)
        if (dump->names.users.by_opcode[op - OP_USER_C0].name)
            str_printf(dump->out, "0x%02X %s\n", isa_info((enum isa_op)op)->opcode,
                       isa_users_name(&dump->names.users, (enum isa_op)op));
}

static void dump_buffers(struct dump *dump) {
    if (dump->o->buffers.len)
        str_append(dump->out, "\nBUFFERS:\n");
    for (size_t i = 0; i < dump->o->buffers.len; i++) {
        str_printf(dump->out, "%4zu ", i);
        object_buffer_text(dump->o, &dump->o->buffers.data[i], dump->out);
        str_char(dump->out, '\n');
    }
}

static void dump_amount(bool words, size_t size, struct str *out) {
    if (words)
        str_printf(out, ": %zu words\n", size / 8);
    else
        str_printf(out, ": %zu bytes\n", size);
}

static void dump_modules(struct dump *dump) {
    if (dump->o->modules.len)
        str_append(dump->out, "\nMODULES:\n");
    for (size_t i = 0; i < dump->o->modules.len; i++) {
        const struct module_decl *m = &dump->o->modules.data[i];
        str_printf(dump->out, "%4zu ", i);
        object_module_text(m, dump->out);
        dump_amount(m->words, m->size, dump->out);
    }
}

static void dump_kernels(struct dump *dump) {
    if (dump->o->kernels.len)
        str_append(dump->out, "\nKERNELS:\n");
    for (size_t i = 0; i < dump->o->kernels.len; i++) {
        const struct kernel_decl *k = &dump->o->kernels.data[i];
        str_printf(dump->out, "%4zu ", i);
        object_kernel_text(dump->o, k, dump->out);
        if (k->entry)
            str_char(dump->out, '\n');
        else
            dump_amount(k->words, k->size, dump->out);
    }
}

static void dump_calls(struct dump *dump) {
    if (dump->o->calls.len)
        str_append(dump->out, "\nCALLS:\n");
    for (uint32_t i = 0; i < dump->o->calls.len; i++) {
        str_printf(dump->out, "%4" PRIu32 " ", i);
        disasm_call_text(&dump->names, i, dump->out);
        str_char(dump->out, '\n');
    }
}

static void dump_signatures(struct dump *dump) {
    if (dump->o->signatures.len)
        str_append(dump->out, "\nSIGNATURES:\n");
    for (size_t i = 0; i < dump->o->signatures.len; i++) {
        str_printf(dump->out, "%4zu ", i);
        object_signature_text(&dump->o->signatures.data[i], dump->out);
        str_char(dump->out, '\n');
    }
}

static void dump_entries(struct dump *dump) {
    if (dump->o->entries.len)
        str_append(dump->out, "\nENTRIES:\n");
    for (size_t i = 0; i < dump->o->entries.len; i++) {
        const struct entry *e = &dump->o->entries.data[i];
        str_printf(dump->out, "MPU%" PRIu32 " .. MPU%" PRIu32 " at %s\n", e->first_mpu,
                   e->first_mpu + e->mpu_count - 1,
                   e->symbol == NO_INDEX ? "main, else 0" : dump->o->symbols.data[e->symbol].name);
    }
}

static void dump_packages(struct dump *dump) {
    if (dump->o->packages.len)
        str_append(dump->out, "\nPACKAGES:\n");
    for (size_t i = 0; i < dump->o->packages.len; i++)
        str_printf(dump->out, "%s: %zu bytes\n", dump->o->packages.data[i].target,
                   dump->o->packages.data[i].size);
}

/* For machines without room for the first; what they have in a lane --target T shows. */
static void dump_own_texts(struct dump *dump) {
    if (dump->o->own_texts.len)
        str_append(dump->out, "\nTEXTS OF THEIR OWN:\n");
    for (size_t i = 0; i < dump->o->own_texts.len; i++)
        str_printf(dump->out, "%s: %zu instructions, %zu variables\n",
                   dump->o->own_texts.data[i].machines,
                   dump->o->own_texts.data[i].program->text.len,
                   dump->o->own_texts.data[i].program->vars.len);
}

void disasm_records(struct dump *dump) {
    dump_sizes(dump);
    dump_values(dump);
    dump_luts(dump);
    dump_products(dump);
    dump_groups(dump);
    dump_variables(dump);
    dump_data(dump);
    dump_moves(dump);
    dump_finishes(dump);
    dump_debugs(dump);
    dump_recipes(dump);
    dump_buffers(dump);
    dump_modules(dump);
    dump_kernels(dump);
    dump_calls(dump);
    dump_signatures(dump);
    dump_entries(dump);
    dump_packages(dump);
    dump_own_texts(dump);
}
