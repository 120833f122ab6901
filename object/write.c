/* SPDX-License-Identifier: MIT
 * struct object to ELF. */
#include "object/bytes.h"
#include "object/elf_image.h"
#include "object/layout.h"
#include "support/map.h"

#include <string.h>

struct object_writer {
    const struct object *o;
    struct elf_image image;
    uint32_t section[OBJECT_SECTION_COUNT]; /* its index in the file; 0 = absent */
    struct map names;                       /* string -> offset in .strtab */
    uint32_t *symbol;                       /* struct symbol index -> ELF symbol */
    uint32_t first_size_symbol, first_value_symbol, first_group_symbol, debug_symbol, move_symbol,
        call_symbol, lut_symbol;
    VEC(Elf64_Sym) symtab;
};

static struct str *bytes_of(struct object_writer *writer, enum object_section id) {
    return &elf_image_section(&writer->image, writer->section[id])->bytes;
}

static uint32_t intern(struct object_writer *writer, const char *name) {
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

static bool place_known(const struct place *place) {
    return place->file != NO_INDEX;
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

/* The bounds of derived sizes follow from those of others. */
static bool states_bound(const struct size_decl *decl) {
    return decl->bound != 0 && decl->op == SIZE_GIVEN;
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

/* The usual stride: 1, with offset 0. */
static bool stride_is_usual(const struct move_strides *strides, unsigned d) {
    return strides->coeff[d] == 1 && strides->offset[d].offset == 0 &&
           strides->offset[d].size_coeff == 0;
}

static bool laps_are_none(const int64_t coeff[MOVE_MAX_LAPS]) {
    static const int64_t none[MOVE_MAX_LAPS];
    return memcmp(coeff, none, sizeof none) == 0;
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
    Elf64_Sym s = {.st_name = name ? intern(writer, name) : 0,
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

static void put_place(struct str *str, const struct place *place) {
    put_u32(str, place->file);
    put_u32(str, place->line);
    put_u32(str, place->column);
}

static void put_files(struct object_writer *writer) {
    for (size_t i = 0; i < writer->o->files.len; i++)
        put_u32(bytes_of(writer, OBJECT_FILES), intern(writer, writer->o->files.data[i]));
}

static void put_sizes(struct object_writer *writer) {
    for (size_t i = 0; i < writer->o->sizes.len; i++) {
        const struct size_decl *d = &writer->o->sizes.data[i];
        uint32_t name = intern(writer, d->name);
        struct str *s = bytes_of(writer, OBJECT_SIZES);
        put_u32(s, name);
        put_u32(s, d->has_default ? SIZE_HAS_DEFAULT : 0);
        put_u64(s, d->has_default ? d->value : 0);
        put_place(s, &d->place);
        put_u32(s, 0);
    }
}

static void put_bounds(struct object_writer *writer) {
    for (size_t i = 0; i < writer->o->sizes.len; i++)
        if (states_bound(&writer->o->sizes.data[i])) {
            struct str *s = bytes_of(writer, OBJECT_BOUNDS);
            put_u32(s, (uint32_t)i);
            put_u32(s, 0);
            put_u64(s, writer->o->sizes.data[i].bound);
        }
}

static void put_derived(struct object_writer *writer) {
    for (size_t i = 0; i < writer->o->sizes.len; i++) {
        const struct size_decl *d = &writer->o->sizes.data[i];
        if (d->op == SIZE_GIVEN)
            continue;
        struct str *s = bytes_of(writer, OBJECT_DERIVED);
        put_u32(s, (uint32_t)i);
        put_u32(s, (uint32_t)d->op);
        put_u32(s, d->left.size);
        put_u32(s, d->right.size);
        put_u64(s, (uint64_t)d->left.value);
        put_u64(s, (uint64_t)d->right.value);
    }
}

static void put_value(struct object_writer *writer, const struct value_decl *decl) {
    uint32_t name = intern(writer, decl->name);
    struct str *s = bytes_of(writer, OBJECT_VALUES);
    put_u32(s, name);
    put_u8(s, (unsigned)decl->type.kind);
    put_u8(s, decl->type.bits);
    put_u8(s, decl->ndim);
    put_u8(s, decl->elements ? VALUE_HAS_DEFAULT : 0);
    for (uint32_t i = 0; i < VALUE_MAX_DIMS; i++)
        put_u32(s, i < decl->ndim ? decl->shape[i] : 0);
    put_place(s, &decl->place);
    put_u32(s, 0);
    for (uint32_t i = 0; decl->elements && i < object_value_count(decl); i++)
        put_u64(bytes_of(writer, OBJECT_DEFAULTS), decl->elements[i]);
}

static void put_lut(struct object_writer *writer, uint32_t index) {
    const struct lut_decl *t = &writer->o->luts.data[index];
    uint32_t name = intern(writer, t->name), given = object_lut_given(t);
    struct str *s = bytes_of(writer, OBJECT_LUTS);
    put_u32(s, name);
    put_u8(s, t->table.index_bits);
    put_u8(s, t->table.width);
    put_u8(s, t->element_bits);
    put_u8(s, 0);
    put_u32(s, given);
    put_u32(s, t->fill_count);
    put_place(s, &t->place);
    put_u32(s, 0);
    for (uint32_t i = 0; i < given; i++)
        put_u64(bytes_of(writer, OBJECT_LUT_DATA), t->table.entries[i]);
    for (uint32_t i = 0; i < t->fill_count; i++) {
        const struct lut_fill *f = &t->fills[i];
        s = bytes_of(writer, OBJECT_LUT_FILLS);
        put_u32(s, index);
        put_u32(s, (uint32_t)f->source);
        put_u32(s, f->first);
        put_u32(s, f->count);
        put_u32(s, f->target);
        put_u32(s, 0);
        put_u64(s, (uint64_t)f->addend);
    }
}

static const struct extent no_extent = {NO_INDEX, 0};

static void put_extent(struct str *str, const struct extent *extent) {
    put_u32(str, extent->size);
    put_u32(str, 0);
    put_u64(str, extent->size == NO_INDEX ? extent->value : 0);
}

static void put_group(struct object_writer *writer, const struct group *group) {
    uint32_t name = intern(writer, group->name);
    struct str *s = bytes_of(writer, OBJECT_GROUPS);
    put_u32(s, name);
    put_u32(s, group->ndim | (group->per_mpu ? GROUP_PER_MPU : 0));
    for (uint32_t i = 0; i < GROUP_MAX_DIMS; i++)
        put_extent(s, i < group->ndim ? &group->extent[i] : &no_extent);
    put_u32(s, group->like);
    put_u32(s, group->at_rfh);
    put_u32(s, group->at_vrf);
    put_place(s, &group->place);
}

static void put_variable(struct object_writer *writer, const struct variable *variable) {
    uint32_t name = intern(writer, variable->name);
    struct str *s = bytes_of(writer, OBJECT_VARS);
    put_u32(s, name);
    put_u8(s, variable->direction);
    put_u8(s, (unsigned)variable->type.kind);
    put_u8(s, variable->type.bits);
    put_u8(s, variable->has_k ? VAR_HAS_K : 0);
    put_u32(s, variable->count);
    put_u32(s, variable->group);
    put_u32(s, variable->reg);
    put_place(s, &variable->place);
}

static void put_form(struct str *str, uint32_t variable, const struct array_form *form) {
    put_u32(str, variable);
    put_u8(str, (unsigned)form->type.kind);
    put_u8(str, form->type.bits);
    put_u8(str, (unsigned)form->order);
    put_u8(str, form->shaped);
    put_u32(str, form->ndim);
    put_u32(str, 0);
    for (uint32_t i = 0; i < FORM_MAX_DIMS; i++)
        put_extent(str, i < form->ndim ? &form->shape[i] : &no_extent);
}

static void put_forms(struct object_writer *writer) {
    for (uint32_t i = 0; i < writer->o->vars.len; i++)
        if (!object_form_plain(&writer->o->vars.data[i].form))
            put_form(bytes_of(writer, OBJECT_FORMS), i, &writer->o->vars.data[i].form);
}

static void put_data(struct str *str, const struct data_record *record) {
    put_u32(str, record->variable);
    put_u32(str, 0);
    put_u64(str, record->count);
    for (uint64_t i = 0; i < record->count; i++)
        put_u64(str, record->values[i]);
}

static void put_length(struct str *str, const struct length_record *record) {
    put_u32(str, record->variable);
    put_u32(str, record->length);
}

static void put_constant(struct object_writer *writer, const struct constant_record *record) {
    uint32_t array = intern(writer, record->array), constant = intern(writer, record->constant);
    struct str *s = bytes_of(writer, OBJECT_CONSTANTS);
    put_u32(s, array);
    put_u32(s, record->dimension);
    put_u32(s, constant);
}

static void put_number(struct str *str, const struct number_record *record) {
    put_u32(str, record->index);
    put_u32(str, 0);
    put_extent(str, &record->every);
    put_extent(str, &record->below);
}

static void put_finish(struct str *str, const struct finish_record *record) {
    put_u32(str, record->variable);
    put_u32(str, record->element);
    put_u8(str, (unsigned)record->kind);
    put_u8(str, record->reg);
    put_u8(str, (unsigned)record->type.kind);
    put_u8(str, record->type.bits);
    put_u32(str, record->group);
    put_u32(str, record->first);
    put_u32(str, record->last);
    put_place(str, &record->place);
    put_u32(str, 0);
}

static void put_debug(struct object_writer *writer, const struct debug_record *record) {
    uint32_t text = intern(writer, record->text);
    struct str *s = bytes_of(writer, OBJECT_DEBUGS);
    bool has_register = object_debug_has_register(record->kind);
    put_u32(s, text);
    put_u8(s, (unsigned)record->kind);
    put_u8(s, has_register ? record->reg : 0);
    put_u8(s, has_register ? (unsigned)record->type.kind : 0);
    put_u8(s, has_register ? record->type.bits : 0);
}

static void put_bound(struct str *str, int64_t offset, uint32_t size, int64_t size_coeff) {
    put_u64(str, (uint64_t)offset);
    put_u32(str, size);
    put_u32(str, 0);
    put_u64(str, (uint64_t)size_coeff);
}

static void put_move_head(struct object_writer *writer, const struct move *move) {
    uint32_t name = intern(writer, move->name);
    struct str *s = bytes_of(writer, OBJECT_MOVES);
    put_u32(s, name);
    put_u32(s, move->dst_group);
    put_u32(s, move->src_group);
    put_u8(s, move->dst_reg);
    put_u8(s, move->src_reg);
    put_u8(s, move->dst_count);
    put_u8(s, move->src_count);
    put_u8(s, (move->dst_has_k ? MOVE_DST_HAS_K : 0) | (move->src_has_k ? MOVE_SRC_HAS_K : 0));
    put_u8(s, move->width);
    put_u8(s, move->bounded);
    put_u8(s, (unsigned)move->outside);
    put_place(s, &move->place);
    put_u64(s, move->fill);
}

static void put_move(struct object_writer *writer, const struct move *move) {
    put_move_head(writer, move);
    struct str *s = bytes_of(writer, OBJECT_MOVES);
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        put_bound(s, move->first[d].offset, move->first[d].size, move->first[d].size_coeff);
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        put_bound(s, move->last[d].offset, move->last[d].size, move->last[d].size_coeff);
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++) {
        for (unsigned k = 0; k < MOVE_MAX_DIMS; k++)
            put_u64(s, (uint64_t)move->source[d].coeff[k]);
        put_bound(s, move->source[d].offset, move->source[d].size, move->source[d].size_coeff);
    }
}

static void put_scope(struct object_writer *writer, enum scope_record_kind kind, size_t index,
                      const struct group_scope *scope) {
    for (uint32_t i = 0; i < scope->count; i++) {
        struct str *s = bytes_of(writer, OBJECT_SCOPES);
        put_u32(s, kind);
        put_u32(s, (uint32_t)index);
        put_u32(s, scope->groups[i]);
    }
}

static void put_scopes(struct object_writer *writer) {
    for (size_t i = 0; i < writer->o->vars.len; i++)
        put_scope(writer, SCOPE_OF_VARIABLE, i, &writer->o->vars.data[i].scope);
    for (size_t i = 0; i < writer->o->moves.len; i++)
        put_scope(writer, SCOPE_OF_MOVE, i, &writer->o->moves.data[i].scope);
}

static void put_indices(struct object_writer *writer) {
    struct str *s;
    for (size_t i = 0; i < writer->o->moves.len; i++) {
        const struct move_index *x = &writer->o->moves.data[i].index;
        if (x->kind == INDEX_NONE)
            continue;
        s = bytes_of(writer, OBJECT_INDICES);
        put_u32(s, (uint32_t)i);
        put_u8(s, (unsigned)x->kind);
        put_u8(s, x->coordinate);
        put_u8(s, x->reg);
        put_u8(s, x->follows ? INDEX_FOLLOWS : 0);
        put_u8(s, (unsigned)x->type.kind);
        put_u8(s, x->type.bits);
        put_u8(s, 0);
        put_u8(s, 0);
    }
}

static void put_strides(struct object_writer *writer, uint32_t move) {
    const struct move_strides *x = writer->o->moves.data[move].strides;
    for (uint32_t d = 0; x && d < MOVE_MAX_DIMS; d++) {
        if (stride_is_usual(x, d))
            continue;
        struct str *s = bytes_of(writer, OBJECT_STRIDES);
        put_u32(s, move);
        put_u32(s, d);
        put_u64(s, (uint64_t)x->coeff[d]);
        put_bound(s, x->offset[d].offset, x->offset[d].size, x->offset[d].size_coeff);
    }
}

static void put_laps(struct object_writer *writer, uint32_t move) {
    const struct move_laps *x = writer->o->moves.data[move].laps;
    for (unsigned f = 0; x && f < MOVE_FORMS; f++)
        for (unsigned d = 0; d < MOVE_MAX_DIMS; d++) {
            if (laps_are_none(x->coeff[f][d]))
                continue;
            struct str *s = bytes_of(writer, OBJECT_LAPS);
            put_u32(s, move);
            put_u32(s, f | d << 8);
            for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
                put_u64(s, (uint64_t)x->coeff[f][d][n]);
        }
}

/* Padded to four bytes, so that the next record begins where its numbers may. */
static void put_recipe(struct object_writer *writer, const struct user_file *file) {
    uint32_t name = intern(writer, file->name);
    struct str *s = bytes_of(writer, OBJECT_RECIPES);
    put_u32(s, name);
    put_u32(s, (uint32_t)file->size);
    str_append_n(s, file->text, file->size);
    while (s->len % 4)
        put_u8(s, 0);
}

static void put_buffer(struct object_writer *writer, const struct buffer_decl *buffer) {
    static const struct extent none = {NO_INDEX, 0};
    uint32_t name = intern(writer, buffer->name);
    struct str *s = bytes_of(writer, OBJECT_BUFFERS);
    put_u32(s, name);
    put_u8(s, buffer->direction);
    put_u8(s, (unsigned)buffer->type.kind);
    put_u8(s, buffer->type.bits);
    put_u8(s, 0);
    put_u32(s, buffer->ndim);
    put_place(s, &buffer->place);
    put_u64(s, 0);
    for (uint32_t i = 0; i < FORM_MAX_DIMS; i++)
        put_extent(s, i < buffer->ndim ? &buffer->shape[i] : &none);
}

/* Texts are padded to eight bytes, where words may begin. */
static void put_kernel_text(struct object_writer *writer, const void *bytes, size_t size) {
    struct str *text = bytes_of(writer, OBJECT_KERNEL_TEXT);
    str_append_n(text, bytes, size);
    while (text->len % 8)
        put_u8(text, 0);
}

static void put_module(struct object_writer *writer, const struct module_decl *module) {
    uint32_t name = intern(writer, module->name), form = intern(writer, module->form);
    struct str *s = bytes_of(writer, OBJECT_MODULES);
    put_u32(s, name);
    put_u32(s, form);
    put_u32(s, module->words ? KERNEL_HAS_WORDS : 0);
    put_u32(s, module->first_line);
    put_u64(s, module->size);
    put_place(s, &module->place);
    put_u32(s, 0);
    put_kernel_text(writer, module->bytes, module->size);
}

static void put_kernel(struct object_writer *writer, const struct kernel_decl *kernel) {
    uint32_t name = intern(writer, kernel->name), form = intern(writer, kernel->form);
    uint32_t entry = kernel->entry ? intern(writer, kernel->entry) : 0;
    struct str *s = bytes_of(writer, OBJECT_KERNELS);
    put_u32(s, name);
    put_u32(s, form);
    put_u32(s, (kernel->words ? KERNEL_HAS_WORDS : 0) | (kernel->entry ? KERNEL_IN_MODULE : 0));
    put_u32(s, kernel->parameter_count);
    put_u64(s, kernel->entry ? kernel->module : kernel->size);
    put_u32(s, kernel->otherwise == NO_INDEX ? NO_INDEX : writer->symbol[kernel->otherwise]);
    put_place(s, &kernel->place);
    put_u32(s, kernel->first_line);
    put_u32(s, entry);
    if (!kernel->entry)
        put_kernel_text(writer, kernel->bytes, kernel->size);
}

static unsigned log2_of(unsigned power) {
    unsigned log = 0;
    while (power >> (log + 1))
        log++;
    return log;
}

static void put_parameters(struct object_writer *writer, uint32_t kernel) {
    const struct kernel_decl *k = &writer->o->kernels.data[kernel];
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        const struct kernel_parameter *p = &k->parameters[i];
        uint32_t name = intern(writer, p->name);
        struct str *s = bytes_of(writer, OBJECT_PARAMETERS);
        put_u32(s, kernel);
        put_u32(s, name);
        put_u8(s, (unsigned)p->kind);
        put_u8(s, p->kind == PARAMETER_BYTES ? log2_of(p->align) : (unsigned)p->type.kind);
        put_u8(s, p->kind == PARAMETER_BYTES ? p->bytes & 0xffu : p->type.bits);
        put_u8(s, p->kind == PARAMETER_BYTES ? p->bytes >> 8 : 0);
    }
}

static void put_call(struct object_writer *writer, uint32_t call) {
    const struct recipe_call *c = &writer->o->calls.data[call];
    const struct kernel_decl *k = object_call_kernel(writer->o, c);
    struct str *s = bytes_of(writer, OBJECT_CALLS);
    put_u32(s, c->word);
    put_u32(s, c->otherwise == NO_INDEX ? NO_INDEX : writer->symbol[c->otherwise]);
    for (uint32_t i = 0; k && i < k->parameter_count; i++) {
        s = bytes_of(writer, OBJECT_ARGUMENTS);
        put_u32(s, call);
        put_u32(s, c->arguments[i].buffer);
        put_u32(s, c->arguments[i].size);
        put_u32(s, 0);
        put_u64(s, c->arguments[i].number);
        if (c->arguments[i].bytes)
            str_append_n(bytes_of(writer, OBJECT_ARGUMENT_BYTES),
                         (const char *)c->arguments[i].bytes, k->parameters[i].bytes);
    }
    if (!c->geometry)
        return;
    s = bytes_of(writer, OBJECT_LAUNCHES);
    put_u32(s, call);
    put_u32(s, 0);
    for (uint32_t i = 0; i < LAUNCH_EXTENTS; i++)
        put_extent(s, &c->geometry->extent[i]);
}

static void put_passed(struct str *str, const struct passed_register *list, uint32_t count) {
    static const struct passed_register none;
    for (uint32_t i = 0; i < SIGNATURE_MAX_REGISTERS; i++) {
        const struct passed_register *p = i < count ? &list[i] : &none;
        put_u8(str, p->reg);
        put_u8(str, (unsigned)p->type.kind);
        put_u8(str, p->type.bits);
        put_u8(str, 0);
    }
}

static void put_signature(struct object_writer *writer, const struct sub_signature *signature) {
    uint32_t name = intern(writer, signature->name);
    struct str *s = bytes_of(writer, OBJECT_SIGNATURES);
    put_u32(s, name);
    put_place(s, &signature->place);
    put_u64(s, signature->writes);
    put_u32(s, signature->in_count);
    put_u32(s, signature->out_count);
    put_passed(s, signature->in, signature->in_count);
    put_passed(s, signature->out, signature->out_count);
}

static void put_entry(struct object_writer *writer, const struct entry *entry) {
    struct str *s = bytes_of(writer, OBJECT_ENTRY);
    put_u32(s, entry->first_mpu);
    put_u32(s, entry->mpu_count);
    put_u32(s, entry->symbol == NO_INDEX ? NO_INDEX : writer->symbol[entry->symbol]);
}

/* In the order of ELF symbols, so that writing what was read gives the same bytes. */
static void put_symbol_places(struct object_writer *writer, bool global) {
    for (size_t i = 0; i < writer->o->symbols.len; i++) {
        const struct symbol *y = &writer->o->symbols.data[i];
        if (y->global != global || !place_known(&y->place))
            continue;
        put_u32(bytes_of(writer, OBJECT_PLACES), writer->symbol[i]);
        put_place(bytes_of(writer, OBJECT_PLACES), &y->place);
    }
}

static void put_records(struct object_writer *writer) {
    const struct object *o = writer->o;
    put_files(writer);
    put_sizes(writer);
    put_bounds(writer);
    put_derived(writer);
    for (size_t i = 0; i < o->values.len; i++)
        put_value(writer, &o->values.data[i]);
    for (uint32_t i = 0; i < o->luts.len; i++)
        put_lut(writer, i);
    for (size_t i = 0; i < o->groups.len; i++)
        put_group(writer, &o->groups.data[i]);
    for (size_t i = 0; i < o->vars.len; i++)
        put_variable(writer, &o->vars.data[i]);
    put_forms(writer);
    for (size_t i = 0; i < o->data.len; i++)
        put_data(bytes_of(writer, OBJECT_DATA), &o->data.data[i]);
    for (size_t i = 0; i < o->lengths.len; i++)
        put_length(bytes_of(writer, OBJECT_LENGTHS), &o->lengths.data[i]);
    for (size_t i = 0; i < o->constants.len; i++)
        put_constant(writer, &o->constants.data[i]);
    for (size_t i = 0; i < o->finishes.len; i++)
        put_finish(bytes_of(writer, OBJECT_FINISHES), &o->finishes.data[i]);
    for (size_t i = 0; i < o->numbers.len; i++)
        put_number(bytes_of(writer, OBJECT_NUMBERS), &o->numbers.data[i]);
    for (size_t i = 0; i < o->debugs.len; i++)
        put_debug(writer, &o->debugs.data[i]);
    for (uint32_t i = 0; i < o->moves.len; i++) {
        put_move(writer, &o->moves.data[i]);
        put_strides(writer, i);
        put_laps(writer, i);
    }
    put_scopes(writer);
    put_indices(writer);
    for (size_t i = 0; i < o->recipes.len; i++)
        put_recipe(writer, &o->recipes.data[i]);
    for (size_t i = 0; i < o->buffers.len; i++)
        put_buffer(writer, &o->buffers.data[i]);
    for (size_t i = 0; i < o->modules.len; i++)
        put_module(writer, &o->modules.data[i]);
    for (uint32_t i = 0; i < o->kernels.len; i++) {
        put_kernel(writer, &o->kernels.data[i]);
        put_parameters(writer, i);
    }
    for (uint32_t i = 0; i < o->calls.len; i++)
        put_call(writer, i);
    for (size_t i = 0; i < o->signatures.len; i++)
        put_signature(writer, &o->signatures.data[i]);
    for (size_t i = 0; i < o->entries.len; i++)
        put_entry(writer, &o->entries.data[i]);
    put_symbol_places(writer, false);
    put_symbol_places(writer, true);
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

void object_write(const struct object *object, struct str *out) {
    struct object_writer w = {.o = object};
    add_sections(&w);
    put_note(&w);
    put_text(&w);
    put_symbols(&w);
    put_relocs(&w);
    put_records(&w);
    if (w.section[OBJECT_LINE])
        elf_line_table_write(object, bytes_of(&w, OBJECT_LINE));
    put_packages(&w);
    elf_image_write(&w.image, object->linked ? ET_EXEC : ET_REL, OBJECT_E_MACHINE, out);
    elf_image_free(&w.image);
    map_free(&w.names);
    vec_free(&w.symtab);
    free(w.symbol);
}
