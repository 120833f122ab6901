/* SPDX-License-Identifier: MIT
 * struct object to ELF: its sections, text, symbols and relocations. */
#include "object/write.h"

uint32_t object_write_name(struct object_writer *writer, const char *name) {
    const uint64_t *known = map_get(&writer->names, name);
    if (known)
        return (uint32_t)*known;
    struct str *s = bytes_of(writer, OBJECT_STRTAB);
    uint32_t offset = (uint32_t)s->len;
    str_append_n(s, name, strlen(name) + 1);
    map_put(&writer->names, name, offset);
    return offset;
}

static void add_section(struct object_writer *writer, enum object_section id, uint32_t type,
                        uint32_t align) {
    writer->section[id] = elf_image_add(&writer->image, object_section_layout[id].name, type);
    Elf64_Shdr *h = &elf_image_section(&writer->image, writer->section[id])->header;
    h->sh_addralign = align;
    h->sh_entsize = object_section_layout[id].record;
}

static void add_records(struct object_writer *writer, enum object_section id, size_t count,
                        uint32_t align) {
    if (count == 0)
        return;
    add_section(writer, id, SHT_PROGBITS, align);
    elf_image_section(&writer->image, writer->section[id])->header.sh_link =
        writer->section[OBJECT_STRTAB];
}

static size_t known_symbol_places(const struct object *object) {
    size_t n = 0;
    for (size_t i = 0; i < object->symbols.len; i++)
        n += place_known(&object->symbols.data[i].place);
    return n;
}

static void add_program_sections(struct object_writer *writer) {
    add_section(writer, OBJECT_NOTE, SHT_NOTE, 4);
    add_section(writer, OBJECT_TEXT, SHT_PROGBITS, 4);
    Elf64_Shdr *text = &elf_image_section(&writer->image, writer->section[OBJECT_TEXT])->header;
    text->sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    text->sh_entsize = 0;
    add_section(writer, OBJECT_STRTAB, SHT_STRTAB, 1);
    str_char(bytes_of(writer, OBJECT_STRTAB), '\0');
    add_section(writer, OBJECT_SYMTAB, SHT_SYMTAB, 8);
    elf_image_section(&writer->image, writer->section[OBJECT_SYMTAB])->header.sh_link =
        writer->section[OBJECT_STRTAB];
    if (writer->o->relocs.len == 0)
        return;
    add_section(writer, OBJECT_RELA, SHT_RELA, 8);
    Elf64_Shdr *rela = &elf_image_section(&writer->image, writer->section[OBJECT_RELA])->header;
    rela->sh_flags = SHF_INFO_LINK;
    rela->sh_link = writer->section[OBJECT_SYMTAB];
    rela->sh_info = writer->section[OBJECT_TEXT];
}

static size_t bounded_sizes(const struct object *object) {
    size_t n = 0;
    for (size_t i = 0; i < object->sizes.len; i++)
        n += states_bound(&object->sizes.data[i]);
    return n;
}

static size_t derived_sizes(const struct object *object) {
    size_t n = 0;
    for (size_t i = 0; i < object->sizes.len; i++)
        n += object->sizes.data[i].op != SIZE_GIVEN;
    return n;
}

static size_t formed_variables(const struct object *object) {
    size_t n = 0;
    for (size_t i = 0; i < object->vars.len; i++)
        n += !object_form_plain(&object->vars.data[i].form);
    return n;
}

static size_t scoped_groups(const struct object *object) {
    size_t n = 0;
    for (size_t i = 0; i < object->vars.len; i++)
        n += object->vars.data[i].scope.count;
    for (size_t i = 0; i < object->moves.len; i++)
        n += object->moves.data[i].scope.count;
    return n;
}

static size_t indexed_moves(const struct object *object) {
    size_t n = 0;
    for (size_t i = 0; i < object->moves.len; i++)
        n += object->moves.data[i].index.kind != INDEX_NONE;
    return n;
}

static size_t default_elements(const struct object *object) {
    size_t n = 0;
    for (size_t i = 0; i < object->values.len; i++)
        n += object->values.data[i].elements ? object_value_count(&object->values.data[i]) : 0;
    return n;
}

static size_t lut_elements(const struct object *object) {
    size_t n = 0;
    for (size_t i = 0; i < object->luts.len; i++)
        n += object_lut_given(&object->luts.data[i]);
    return n;
}

static size_t lut_fills(const struct object *object) {
    size_t n = 0;
    for (size_t i = 0; i < object->luts.len; i++)
        n += object->luts.data[i].fill_count;
    return n;
}

static size_t strided_coordinates(const struct object *object) {
    size_t n = 0;
    for (size_t i = 0; i < object->moves.len; i++)
        for (unsigned d = 0; object->moves.data[i].strides && d < MOVE_MAX_DIMS; d++)
            n += !stride_is_usual(object->moves.data[i].strides, d);
    return n;
}

/* Moves whose laps are not there have none that add something. */
static size_t stepped_moves(const struct object *object) {
    size_t n = 0;
    for (size_t i = 0; i < object->moves.len; i++)
        n += object->moves.data[i].laps != NULL;
    return n;
}

static size_t kernel_texts(const struct object *object) {
    size_t n = object->modules.len;
    for (size_t i = 0; i < object->kernels.len; i++)
        n += !object->kernels.data[i].entry;
    return n;
}

static size_t kernel_parameters(const struct object *object) {
    size_t n = 0;
    for (size_t i = 0; i < object->kernels.len; i++)
        n += object->kernels.data[i].parameter_count;
    return n;
}

static size_t kernel_arguments(const struct object *object) {
    size_t n = 0;
    for (size_t i = 0; i < object->calls.len; i++) {
        const struct kernel_decl *k = object_call_kernel(object, &object->calls.data[i]);
        n += k ? k->parameter_count : 0;
    }
    return n;
}

static size_t argument_bytes(const struct object *object) {
    size_t n = 0;
    for (size_t i = 0; i < object->calls.len; i++) {
        const struct kernel_decl *k = object_call_kernel(object, &object->calls.data[i]);
        for (uint32_t p = 0; k && p < k->parameter_count; p++)
            n += k->parameters[p].bytes;
    }
    return n;
}

static size_t launches_with_geometry(const struct object *object) {
    size_t n = 0;
    for (size_t i = 0; i < object->calls.len; i++)
        n += object->calls.data[i].geometry != NULL;
    return n;
}

/* Every section is made before any is filled, so that symbols can name them. */
static void add_sections(struct object_writer *writer) {
    const struct object *o = writer->o;
    add_program_sections(writer);
    add_records(writer, OBJECT_FILES, o->files.len, 4);
    add_records(writer, OBJECT_SIZES, o->sizes.len, 8);
    add_records(writer, OBJECT_BOUNDS, bounded_sizes(o), 8);
    add_records(writer, OBJECT_DERIVED, derived_sizes(o), 8);
    add_records(writer, OBJECT_VALUES, o->values.len, 8);
    add_records(writer, OBJECT_DEFAULTS, default_elements(o), 8);
    add_records(writer, OBJECT_LUTS, o->luts.len, 4);
    add_records(writer, OBJECT_LUT_DATA, lut_elements(o), 8);
    add_records(writer, OBJECT_LUT_FILLS, lut_fills(o), 8);
    add_records(writer, OBJECT_PRODUCTS, o->products.len, 4);
    add_records(writer, OBJECT_GROUPS, o->groups.len, 8);
    add_records(writer, OBJECT_VARS, o->vars.len, 4);
    add_records(writer, OBJECT_FORMS, formed_variables(o), 8);
    add_records(writer, OBJECT_DATA, o->data.len, 8);
    add_records(writer, OBJECT_LENGTHS, o->lengths.len, 4);
    add_records(writer, OBJECT_CONSTANTS, o->constants.len, 4);
    add_records(writer, OBJECT_FINISHES, o->finishes.len, 4);
    add_records(writer, OBJECT_NUMBERS, o->numbers.len, 8);
    add_records(writer, OBJECT_DEBUGS, o->debugs.len, 4);
    add_records(writer, OBJECT_MOVES, o->moves.len, 8);
    add_records(writer, OBJECT_SCOPES, scoped_groups(o), 4);
    add_records(writer, OBJECT_INDICES, indexed_moves(o), 4);
    add_records(writer, OBJECT_STRIDES, strided_coordinates(o), 8);
    add_records(writer, OBJECT_LAPS, stepped_moves(o), 8);
    add_records(writer, OBJECT_RECIPES, o->recipes.len, 4);
    add_records(writer, OBJECT_BUFFERS, o->buffers.len, 8);
    add_records(writer, OBJECT_MODULES, o->modules.len, 8);
    add_records(writer, OBJECT_KERNELS, o->kernels.len, 8);
    add_records(writer, OBJECT_PARAMETERS, kernel_parameters(o), 4);
    add_records(writer, OBJECT_KERNEL_TEXT, kernel_texts(o), 8);
    add_records(writer, OBJECT_CALLS, o->calls.len, 4);
    add_records(writer, OBJECT_ARGUMENTS, kernel_arguments(o), 8);
    add_records(writer, OBJECT_ARGUMENT_BYTES, argument_bytes(o), 8);
    add_records(writer, OBJECT_LAUNCHES, launches_with_geometry(o), 8);
    add_records(writer, OBJECT_SIGNATURES, o->signatures.len, 8);
    add_records(writer, OBJECT_ENTRY, o->entries.len, 4);
    add_records(writer, OBJECT_PLACES, known_symbol_places(o), 4);
    if (o->debug_lines && o->lines.len && o->files.len)
        add_section(writer, OBJECT_LINE, SHT_PROGBITS, 1);
}

static void put_note(struct object_writer *writer) {
    const struct object *o = writer->o;
    struct str *s = bytes_of(writer, OBJECT_NOTE);
    const uint32_t words[NOTE_WORDS] = {
        OBJECT_ISA_VERSION, o->sets,          o->geometry.lanes,   o->geometry.vrfs,
        o->geometry.rfhs,   o->default_width, o->geometry.grid[0], o->geometry.grid[1]};
    put_u32(s, sizeof NOTE_OWNER);
    put_u32(s, sizeof words);
    put_u32(s, NOTE_TYPE_PROGRAM);
    str_append_n(s, NOTE_OWNER, sizeof NOTE_OWNER);
    for (size_t i = 0; i < NOTE_WORDS; i++)
        put_u32(s, words[i]);
}

static void put_text(struct object_writer *writer) {
    const struct object *o = writer->o;
    elf_put(bytes_of(writer, OBJECT_TEXT), ELF_T_WORD, o->text.data,
            o->text.len * sizeof(uint32_t));
}

static uint32_t add_symbol(struct object_writer *writer, const char *name, unsigned bind,
                           unsigned type, uint32_t section, uint64_t value, uint64_t size) {
    Elf64_Sym s = {.st_name = name ? object_write_name(writer, name) : 0,
                   .st_info = (unsigned char)ELF64_ST_INFO(bind, type),
                   .st_shndx = (Elf64_Half)section,
                   .st_value = value,
                   .st_size = size};
    vec_push(&writer->symtab, s);
    return (uint32_t)writer->symtab.len - 1;
}

static void add_program_symbol(struct object_writer *writer, size_t index) {
    const struct symbol *s = &writer->o->symbols.data[index];
    unsigned type = s->kind == SYMBOL_SUB ? STT_FUNC : STT_NOTYPE;
    uint32_t section = !s->defined             ? SHN_UNDEF
                       : s->kind == SYMBOL_ABS ? SHN_ABS
                                               : writer->section[OBJECT_TEXT];
    uint64_t scale = s->kind == SYMBOL_ABS ? 1 : sizeof(uint32_t);
    writer->symbol[index] = add_symbol(writer, s->name, s->global ? STB_GLOBAL : STB_LOCAL, type,
                                       section, s->defined ? (uint64_t)s->value * scale : 0,
                                       (uint64_t)s->length * sizeof(uint32_t));
}

static void add_program_symbols(struct object_writer *writer, bool global) {
    for (size_t i = 0; i < writer->o->symbols.len; i++)
        if (writer->o->symbols.data[i].global == global)
            add_program_symbol(writer, i);
}

static void add_record_symbols(struct object_writer *writer) {
    const struct object *o = writer->o;
    writer->first_size_symbol = (uint32_t)writer->symtab.len;
    for (size_t i = 0; i < o->sizes.len; i++)
        add_symbol(writer, o->sizes.data[i].name, STB_LOCAL, STT_OBJECT,
                   writer->section[OBJECT_SIZES], i * object_section_layout[OBJECT_SIZES].record,
                   object_section_layout[OBJECT_SIZES].record);
    writer->first_value_symbol = (uint32_t)writer->symtab.len;
    for (size_t i = 0; i < o->values.len; i++)
        add_symbol(writer, o->values.data[i].name, STB_LOCAL, STT_OBJECT,
                   writer->section[OBJECT_VALUES], i * object_section_layout[OBJECT_VALUES].record,
                   object_section_layout[OBJECT_VALUES].record);
    writer->first_group_symbol = (uint32_t)writer->symtab.len;
    for (size_t i = 0; i < o->groups.len; i++)
        add_symbol(writer, o->groups.data[i].name, STB_LOCAL, STT_OBJECT,
                   writer->section[OBJECT_GROUPS], i * object_section_layout[OBJECT_GROUPS].record,
                   object_section_layout[OBJECT_GROUPS].record);
}

/* ELF wants local symbols before global ones. */
static void put_symbols(struct object_writer *writer) {
    const struct object *o = writer->o;
    writer->symbol = xcalloc(o->symbols.len + 1, sizeof *writer->symbol);
    add_symbol(writer, NULL, STB_LOCAL, STT_NOTYPE, SHN_UNDEF, 0, 0);
    if (o->source)
        add_symbol(writer, o->source, STB_LOCAL, STT_FILE, SHN_ABS, 0, 0);
    if (o->debugs.len)
        writer->debug_symbol =
            add_symbol(writer, NULL, STB_LOCAL, STT_SECTION, writer->section[OBJECT_DEBUGS], 0, 0);
    if (o->moves.len)
        writer->move_symbol =
            add_symbol(writer, NULL, STB_LOCAL, STT_SECTION, writer->section[OBJECT_MOVES], 0, 0);
    if (o->calls.len)
        writer->call_symbol =
            add_symbol(writer, NULL, STB_LOCAL, STT_SECTION, writer->section[OBJECT_CALLS], 0, 0);
    if (o->luts.len)
        writer->lut_symbol =
            add_symbol(writer, NULL, STB_LOCAL, STT_SECTION, writer->section[OBJECT_LUTS], 0, 0);
    add_record_symbols(writer);
    add_program_symbols(writer, false);
    struct elf_section *s = elf_image_section(&writer->image, writer->section[OBJECT_SYMTAB]);
    s->header.sh_info = (Elf64_Word)writer->symtab.len;
    add_program_symbols(writer, true);
    elf_put(bytes_of(writer, OBJECT_SYMTAB), ELF_T_SYM, writer->symtab.data,
            writer->symtab.len * sizeof(Elf64_Sym));
}

/* Debug records, moves, calls and tables have no symbol: their relocations name the section, and
 * the addend is the record's place in it. */
static Elf64_Rela elf_rela(const struct object_writer *writer, const struct reloc *reloc) {
    Elf64_Rela e = {.r_offset = (uint64_t)reloc->index * sizeof(uint32_t),
                    .r_addend = reloc->addend};
    uint32_t symbol;
    switch (reloc->type) {
    case RELOC_J24:
        symbol = writer->symbol[reloc->target];
        break;
    case RELOC_GROUP:
        symbol = writer->first_group_symbol + reloc->target;
        break;
    case RELOC_DEBUG:
        symbol = writer->debug_symbol;
        e.r_addend = (int64_t)reloc->target * object_section_layout[OBJECT_DEBUGS].record;
        break;
    case RELOC_MOVE:
        symbol = writer->move_symbol;
        e.r_addend = (int64_t)reloc->target * object_section_layout[OBJECT_MOVES].record;
        break;
    case RELOC_CALL:
        symbol = writer->call_symbol;
        e.r_addend = (int64_t)reloc->target * object_section_layout[OBJECT_CALLS].record;
        break;
    case RELOC_LUT12:
        symbol = writer->lut_symbol;
        e.r_addend = (int64_t)reloc->target * object_section_layout[OBJECT_LUTS].record;
        break;
    case RELOC_VALUE12:
        symbol = writer->first_value_symbol + reloc->target;
        break;
    default:
        symbol = writer->first_size_symbol + reloc->target;
        break;
    }
    e.r_info = ELF64_R_INFO((uint64_t)symbol, elf_reloc_type(reloc));
    return e;
}

static void put_relocs(struct object_writer *writer) {
    if (!writer->section[OBJECT_RELA])
        return;
    size_t n = writer->o->relocs.len;
    Elf64_Rela *list = xcalloc(n, sizeof *list);
    for (size_t i = 0; i < n; i++)
        list[i] = elf_rela(writer, &writer->o->relocs.data[i]);
    elf_put(bytes_of(writer, OBJECT_RELA), ELF_T_RELA, list, n * sizeof *list);
    free(list);
}

static void put_packages(struct object_writer *writer) {
    for (size_t i = 0; i < writer->o->packages.len; i++) {
        const struct package_blob *p = &writer->o->packages.data[i];
        struct str name = {0};
        str_printf(&name, PACKAGE_PREFIX "%s", p->target);
        uint32_t index = elf_image_add(&writer->image, name.text, SHT_PROGBITS);
        struct elf_section *s = elf_image_section(&writer->image, index);
        s->header.sh_addralign = 8;
        str_append_n(&s->bytes, p->bytes, p->size);
        str_free(&name);
    }
}

static void put_own_texts(struct object_writer *writer) {
    for (size_t i = 0; i < writer->o->own_texts.len; i++) {
        const struct own_text *t = &writer->o->own_texts.data[i];
        struct str name = {0};
        str_printf(&name, OWN_TEXT_PREFIX "%s", t->machines);
        uint32_t index = elf_image_add(&writer->image, name.text, SHT_PROGBITS);
        struct elf_section *s = elf_image_section(&writer->image, index);
        s->header.sh_addralign = 8;
        object_write(t->program, &s->bytes);
        str_free(&name);
    }
}

void object_write(const struct object *object, struct str *out) {
    struct object_writer w = {.o = object};
    add_sections(&w);
    put_note(&w);
    put_text(&w);
    put_symbols(&w);
    put_relocs(&w);
    object_write_records(&w);
    if (w.section[OBJECT_LINE])
        elf_line_table_write(object, bytes_of(&w, OBJECT_LINE));
    put_packages(&w);
    put_own_texts(&w);
    elf_image_write(&w.image, object->linked ? ET_EXEC : ET_REL, OBJECT_E_MACHINE, out);
    elf_image_free(&w.image);
    map_free(&w.names);
    vec_free(&w.symtab);
    free(w.symbol);
}
