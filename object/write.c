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
        call_symbol;
    VEC(Elf64_Sym) symtab;
};

static struct str *bytes_of(struct object_writer *w, enum object_section id) {
    return &elf_image_section(&w->image, w->section[id])->bytes;
}

static uint32_t intern(struct object_writer *w, const char *name) {
    const uint64_t *known = map_get(&w->names, name);
    if (known)
        return (uint32_t)*known;
    struct str *s = bytes_of(w, OBJECT_STRTAB);
    uint32_t offset = (uint32_t)s->len;
    str_append_n(s, name, strlen(name) + 1);
    map_put(&w->names, name, offset);
    return offset;
}

static void add_section(struct object_writer *w, enum object_section id, uint32_t type,
                        uint32_t align) {
    w->section[id] = elf_image_add(&w->image, object_section_layout[id].name, type);
    Elf64_Shdr *h = &elf_image_section(&w->image, w->section[id])->header;
    h->sh_addralign = align;
    h->sh_entsize = object_section_layout[id].record;
}

static void add_records(struct object_writer *w, enum object_section id, size_t count,
                        uint32_t align) {
    if (count == 0)
        return;
    add_section(w, id, SHT_PROGBITS, align);
    elf_image_section(&w->image, w->section[id])->header.sh_link = w->section[OBJECT_STRTAB];
}

static bool place_known(const struct place *p) {
    return p->file != NO_INDEX;
}

static size_t known_symbol_places(const struct object *o) {
    size_t n = 0;
    for (size_t i = 0; i < o->symbols.len; i++)
        n += place_known(&o->symbols.data[i].place);
    return n;
}

static void add_program_sections(struct object_writer *w) {
    add_section(w, OBJECT_NOTE, SHT_NOTE, 4);
    add_section(w, OBJECT_TEXT, SHT_PROGBITS, 4);
    Elf64_Shdr *text = &elf_image_section(&w->image, w->section[OBJECT_TEXT])->header;
    text->sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    text->sh_entsize = 0;
    add_section(w, OBJECT_STRTAB, SHT_STRTAB, 1);
    str_char(bytes_of(w, OBJECT_STRTAB), '\0');
    add_section(w, OBJECT_SYMTAB, SHT_SYMTAB, 8);
    elf_image_section(&w->image, w->section[OBJECT_SYMTAB])->header.sh_link =
        w->section[OBJECT_STRTAB];
    if (w->o->relocs.len == 0)
        return;
    add_section(w, OBJECT_RELA, SHT_RELA, 8);
    Elf64_Shdr *rela = &elf_image_section(&w->image, w->section[OBJECT_RELA])->header;
    rela->sh_flags = SHF_INFO_LINK;
    rela->sh_link = w->section[OBJECT_SYMTAB];
    rela->sh_info = w->section[OBJECT_TEXT];
}

/* The bounds of derived sizes follow from those of others. */
static bool states_bound(const struct size_decl *s) {
    return s->bound != 0 && s->op == SIZE_GIVEN;
}

static size_t bounded_sizes(const struct object *o) {
    size_t n = 0;
    for (size_t i = 0; i < o->sizes.len; i++)
        n += states_bound(&o->sizes.data[i]);
    return n;
}

static size_t derived_sizes(const struct object *o) {
    size_t n = 0;
    for (size_t i = 0; i < o->sizes.len; i++)
        n += o->sizes.data[i].op != SIZE_GIVEN;
    return n;
}

static size_t formed_variables(const struct object *o) {
    size_t n = 0;
    for (size_t i = 0; i < o->vars.len; i++)
        n += !object_form_plain(&o->vars.data[i].form);
    return n;
}

static size_t scoped_groups(const struct object *o) {
    size_t n = 0;
    for (size_t i = 0; i < o->vars.len; i++)
        n += o->vars.data[i].scope.count;
    for (size_t i = 0; i < o->moves.len; i++)
        n += o->moves.data[i].scope.count;
    return n;
}

static size_t indexed_moves(const struct object *o) {
    size_t n = 0;
    for (size_t i = 0; i < o->moves.len; i++)
        n += o->moves.data[i].index.kind != INDEX_NONE;
    return n;
}

static size_t default_elements(const struct object *o) {
    size_t n = 0;
    for (size_t i = 0; i < o->values.len; i++)
        n += o->values.data[i].elements ? object_value_count(&o->values.data[i]) : 0;
    return n;
}

/* The usual stride: 1, with offset 0. */
static bool stride_is_usual(const struct move_strides *s, unsigned d) {
    return s->coeff[d] == 1 && s->offset[d].offset == 0 && s->offset[d].size_coeff == 0;
}

static bool laps_are_none(const int64_t coeff[MOVE_MAX_LAPS]) {
    static const int64_t none[MOVE_MAX_LAPS];
    return memcmp(coeff, none, sizeof none) == 0;
}

static size_t strided_coordinates(const struct object *o) {
    size_t n = 0;
    for (size_t i = 0; i < o->moves.len; i++)
        for (unsigned d = 0; o->moves.data[i].strides && d < MOVE_MAX_DIMS; d++)
            n += !stride_is_usual(o->moves.data[i].strides, d);
    return n;
}

/* Moves whose laps are not there have none that add something. */
static size_t stepped_moves(const struct object *o) {
    size_t n = 0;
    for (size_t i = 0; i < o->moves.len; i++)
        n += o->moves.data[i].laps != NULL;
    return n;
}

/* Every section is made before any is filled, so that symbols can name them. */
static void add_sections(struct object_writer *w) {
    const struct object *o = w->o;
    add_program_sections(w);
    add_records(w, OBJECT_FILES, o->files.len, 4);
    add_records(w, OBJECT_SIZES, o->sizes.len, 8);
    add_records(w, OBJECT_BOUNDS, bounded_sizes(o), 8);
    add_records(w, OBJECT_DERIVED, derived_sizes(o), 8);
    add_records(w, OBJECT_VALUES, o->values.len, 8);
    add_records(w, OBJECT_DEFAULTS, default_elements(o), 8);
    add_records(w, OBJECT_GROUPS, o->groups.len, 8);
    add_records(w, OBJECT_VARS, o->vars.len, 4);
    add_records(w, OBJECT_FORMS, formed_variables(o), 8);
    add_records(w, OBJECT_DATA, o->data.len, 8);
    add_records(w, OBJECT_LENGTHS, o->lengths.len, 4);
    add_records(w, OBJECT_CONSTANTS, o->constants.len, 4);
    add_records(w, OBJECT_FINISHES, o->finishes.len, 4);
    add_records(w, OBJECT_DEBUGS, o->debugs.len, 4);
    add_records(w, OBJECT_MOVES, o->moves.len, 8);
    add_records(w, OBJECT_SCOPES, scoped_groups(o), 4);
    add_records(w, OBJECT_INDICES, indexed_moves(o), 4);
    add_records(w, OBJECT_STRIDES, strided_coordinates(o), 8);
    add_records(w, OBJECT_LAPS, stepped_moves(o), 8);
    add_records(w, OBJECT_RECIPES, o->recipes.len, 4);
    add_records(w, OBJECT_CALLS, o->calls.len, 4);
    add_records(w, OBJECT_SIGNATURES, o->signatures.len, 8);
    add_records(w, OBJECT_ENTRY, o->entries.len, 4);
    add_records(w, OBJECT_PLACES, known_symbol_places(o), 4);
    if (o->debug_lines && o->lines.len && o->files.len)
        add_section(w, OBJECT_LINE, SHT_PROGBITS, 1);
}

static void put_note(struct object_writer *w) {
    const struct object *o = w->o;
    struct str *s = bytes_of(w, OBJECT_NOTE);
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

static void put_text(struct object_writer *w) {
    const struct object *o = w->o;
    elf_put(bytes_of(w, OBJECT_TEXT), ELF_T_WORD, o->text.data, o->text.len * sizeof(uint32_t));
}

static uint32_t add_symbol(struct object_writer *w, const char *name, unsigned bind, unsigned type,
                           uint32_t section, uint64_t value, uint64_t size) {
    Elf64_Sym s = {.st_name = name ? intern(w, name) : 0,
                   .st_info = (unsigned char)ELF64_ST_INFO(bind, type),
                   .st_shndx = (Elf64_Half)section,
                   .st_value = value,
                   .st_size = size};
    vec_push(&w->symtab, s);
    return (uint32_t)w->symtab.len - 1;
}

static void add_program_symbol(struct object_writer *w, size_t i) {
    const struct symbol *s = &w->o->symbols.data[i];
    unsigned type = s->kind == SYMBOL_SUB ? STT_FUNC : STT_NOTYPE;
    uint32_t section = !s->defined             ? SHN_UNDEF
                       : s->kind == SYMBOL_ABS ? SHN_ABS
                                               : w->section[OBJECT_TEXT];
    uint64_t scale = s->kind == SYMBOL_ABS ? 1 : sizeof(uint32_t);
    w->symbol[i] = add_symbol(w, s->name, s->global ? STB_GLOBAL : STB_LOCAL, type, section,
                              s->defined ? (uint64_t)s->value * scale : 0,
                              (uint64_t)s->length * sizeof(uint32_t));
}

static void add_program_symbols(struct object_writer *w, bool global) {
    for (size_t i = 0; i < w->o->symbols.len; i++)
        if (w->o->symbols.data[i].global == global)
            add_program_symbol(w, i);
}

static void add_record_symbols(struct object_writer *w) {
    const struct object *o = w->o;
    w->first_size_symbol = (uint32_t)w->symtab.len;
    for (size_t i = 0; i < o->sizes.len; i++)
        add_symbol(w, o->sizes.data[i].name, STB_LOCAL, STT_OBJECT, w->section[OBJECT_SIZES],
                   i * object_section_layout[OBJECT_SIZES].record,
                   object_section_layout[OBJECT_SIZES].record);
    w->first_value_symbol = (uint32_t)w->symtab.len;
    for (size_t i = 0; i < o->values.len; i++)
        add_symbol(w, o->values.data[i].name, STB_LOCAL, STT_OBJECT, w->section[OBJECT_VALUES],
                   i * object_section_layout[OBJECT_VALUES].record,
                   object_section_layout[OBJECT_VALUES].record);
    w->first_group_symbol = (uint32_t)w->symtab.len;
    for (size_t i = 0; i < o->groups.len; i++)
        add_symbol(w, o->groups.data[i].name, STB_LOCAL, STT_OBJECT, w->section[OBJECT_GROUPS],
                   i * object_section_layout[OBJECT_GROUPS].record,
                   object_section_layout[OBJECT_GROUPS].record);
}

/* ELF wants local symbols before global ones. */
static void put_symbols(struct object_writer *w) {
    const struct object *o = w->o;
    w->symbol = xcalloc(o->symbols.len + 1, sizeof *w->symbol);
    add_symbol(w, NULL, STB_LOCAL, STT_NOTYPE, SHN_UNDEF, 0, 0);
    if (o->source)
        add_symbol(w, o->source, STB_LOCAL, STT_FILE, SHN_ABS, 0, 0);
    if (o->debugs.len)
        w->debug_symbol =
            add_symbol(w, NULL, STB_LOCAL, STT_SECTION, w->section[OBJECT_DEBUGS], 0, 0);
    if (o->moves.len)
        w->move_symbol =
            add_symbol(w, NULL, STB_LOCAL, STT_SECTION, w->section[OBJECT_MOVES], 0, 0);
    if (o->calls.len)
        w->call_symbol =
            add_symbol(w, NULL, STB_LOCAL, STT_SECTION, w->section[OBJECT_CALLS], 0, 0);
    add_record_symbols(w);
    add_program_symbols(w, false);
    struct elf_section *s = elf_image_section(&w->image, w->section[OBJECT_SYMTAB]);
    s->header.sh_info = (Elf64_Word)w->symtab.len;
    add_program_symbols(w, true);
    elf_put(bytes_of(w, OBJECT_SYMTAB), ELF_T_SYM, w->symtab.data,
            w->symtab.len * sizeof(Elf64_Sym));
}

/* Debug records, moves and calls have no symbol: their relocations name the section, and the
 * addend is the record's place in it. */
static Elf64_Rela elf_rela(const struct object_writer *w, const struct reloc *r) {
    Elf64_Rela e = {.r_offset = (uint64_t)r->index * sizeof(uint32_t), .r_addend = r->addend};
    uint32_t symbol;
    switch (r->type) {
    case RELOC_J24:
        symbol = w->symbol[r->target];
        break;
    case RELOC_GROUP:
        symbol = w->first_group_symbol + r->target;
        break;
    case RELOC_DEBUG:
        symbol = w->debug_symbol;
        e.r_addend = (int64_t)r->target * object_section_layout[OBJECT_DEBUGS].record;
        break;
    case RELOC_MOVE:
        symbol = w->move_symbol;
        e.r_addend = (int64_t)r->target * object_section_layout[OBJECT_MOVES].record;
        break;
    case RELOC_CALL:
        symbol = w->call_symbol;
        e.r_addend = (int64_t)r->target * object_section_layout[OBJECT_CALLS].record;
        break;
    case RELOC_VALUE12:
        symbol = w->first_value_symbol + r->target;
        break;
    default:
        symbol = w->first_size_symbol + r->target;
        break;
    }
    e.r_info = ELF64_R_INFO((uint64_t)symbol, elf_reloc_type(r));
    return e;
}

static void put_relocs(struct object_writer *w) {
    if (!w->section[OBJECT_RELA])
        return;
    size_t n = w->o->relocs.len;
    Elf64_Rela *list = xcalloc(n, sizeof *list);
    for (size_t i = 0; i < n; i++)
        list[i] = elf_rela(w, &w->o->relocs.data[i]);
    elf_put(bytes_of(w, OBJECT_RELA), ELF_T_RELA, list, n * sizeof *list);
    free(list);
}

static void put_place(struct str *s, const struct place *p) {
    put_u32(s, p->file);
    put_u32(s, p->line);
    put_u32(s, p->column);
}

static void put_files(struct object_writer *w) {
    for (size_t i = 0; i < w->o->files.len; i++)
        put_u32(bytes_of(w, OBJECT_FILES), intern(w, w->o->files.data[i]));
}

static void put_sizes(struct object_writer *w) {
    for (size_t i = 0; i < w->o->sizes.len; i++) {
        const struct size_decl *d = &w->o->sizes.data[i];
        uint32_t name = intern(w, d->name);
        struct str *s = bytes_of(w, OBJECT_SIZES);
        put_u32(s, name);
        put_u32(s, d->has_default ? SIZE_HAS_DEFAULT : 0);
        put_u64(s, d->has_default ? d->value : 0);
        put_place(s, &d->place);
        put_u32(s, 0);
    }
}

static void put_bounds(struct object_writer *w) {
    for (size_t i = 0; i < w->o->sizes.len; i++)
        if (states_bound(&w->o->sizes.data[i])) {
            struct str *s = bytes_of(w, OBJECT_BOUNDS);
            put_u32(s, (uint32_t)i);
            put_u32(s, 0);
            put_u64(s, w->o->sizes.data[i].bound);
        }
}

static void put_derived(struct object_writer *w) {
    for (size_t i = 0; i < w->o->sizes.len; i++) {
        const struct size_decl *d = &w->o->sizes.data[i];
        if (d->op == SIZE_GIVEN)
            continue;
        struct str *s = bytes_of(w, OBJECT_DERIVED);
        put_u32(s, (uint32_t)i);
        put_u32(s, (uint32_t)d->op);
        put_u32(s, d->left.size);
        put_u32(s, d->right.size);
        put_u64(s, (uint64_t)d->left.value);
        put_u64(s, (uint64_t)d->right.value);
    }
}

static void put_value(struct object_writer *w, const struct value_decl *v) {
    uint32_t name = intern(w, v->name);
    struct str *s = bytes_of(w, OBJECT_VALUES);
    put_u32(s, name);
    put_u8(s, (unsigned)v->type.kind);
    put_u8(s, v->type.bits);
    put_u8(s, v->ndim);
    put_u8(s, v->elements ? VALUE_HAS_DEFAULT : 0);
    for (uint32_t i = 0; i < VALUE_MAX_DIMS; i++)
        put_u32(s, i < v->ndim ? v->shape[i] : 0);
    put_place(s, &v->place);
    put_u32(s, 0);
    for (uint32_t i = 0; v->elements && i < object_value_count(v); i++)
        put_u64(bytes_of(w, OBJECT_DEFAULTS), v->elements[i]);
}

static const struct extent no_extent = {NO_INDEX, 0};

static void put_extent(struct str *s, const struct extent *e) {
    put_u32(s, e->size);
    put_u32(s, 0);
    put_u64(s, e->size == NO_INDEX ? e->value : 0);
}

static void put_group(struct object_writer *w, const struct group *g) {
    uint32_t name = intern(w, g->name);
    struct str *s = bytes_of(w, OBJECT_GROUPS);
    put_u32(s, name);
    put_u32(s, g->ndim | (g->per_mpu ? GROUP_PER_MPU : 0));
    for (uint32_t i = 0; i < GROUP_MAX_DIMS; i++)
        put_extent(s, i < g->ndim ? &g->extent[i] : &no_extent);
    put_u32(s, g->like);
    put_u32(s, g->at_rfh);
    put_u32(s, g->at_vrf);
    put_place(s, &g->place);
}

static void put_variable(struct object_writer *w, const struct variable *v) {
    uint32_t name = intern(w, v->name);
    struct str *s = bytes_of(w, OBJECT_VARS);
    put_u32(s, name);
    put_u8(s, v->direction);
    put_u8(s, (unsigned)v->type.kind);
    put_u8(s, v->type.bits);
    put_u8(s, v->has_k ? VAR_HAS_K : 0);
    put_u32(s, v->count);
    put_u32(s, v->group);
    put_u32(s, v->reg);
    put_place(s, &v->place);
}

static void put_form(struct str *s, uint32_t variable, const struct array_form *f) {
    put_u32(s, variable);
    put_u8(s, (unsigned)f->type.kind);
    put_u8(s, f->type.bits);
    put_u8(s, (unsigned)f->order);
    put_u8(s, f->shaped);
    put_u32(s, f->ndim);
    put_u32(s, 0);
    for (uint32_t i = 0; i < FORM_MAX_DIMS; i++)
        put_extent(s, i < f->ndim ? &f->shape[i] : &no_extent);
}

static void put_forms(struct object_writer *w) {
    for (uint32_t i = 0; i < w->o->vars.len; i++)
        if (!object_form_plain(&w->o->vars.data[i].form))
            put_form(bytes_of(w, OBJECT_FORMS), i, &w->o->vars.data[i].form);
}

static void put_data(struct str *s, const struct data_record *r) {
    put_u32(s, r->variable);
    put_u32(s, 0);
    put_u64(s, r->count);
    for (uint64_t i = 0; i < r->count; i++)
        put_u64(s, r->values[i]);
}

static void put_length(struct str *s, const struct length_record *r) {
    put_u32(s, r->variable);
    put_u32(s, r->length);
}

static void put_constant(struct object_writer *w, const struct constant_record *r) {
    uint32_t array = intern(w, r->array), constant = intern(w, r->constant);
    struct str *s = bytes_of(w, OBJECT_CONSTANTS);
    put_u32(s, array);
    put_u32(s, r->dimension);
    put_u32(s, constant);
}

static void put_finish(struct str *s, const struct finish_record *r) {
    put_u32(s, r->variable);
    put_u32(s, r->element);
    put_u8(s, (unsigned)r->kind);
    put_u8(s, r->reg);
    put_u8(s, (unsigned)r->type.kind);
    put_u8(s, r->type.bits);
    put_u32(s, r->group);
    put_u32(s, r->first);
    put_u32(s, r->last);
    put_place(s, &r->place);
    put_u32(s, 0);
}

static void put_debug(struct object_writer *w, const struct debug_record *r) {
    uint32_t text = intern(w, r->text);
    struct str *s = bytes_of(w, OBJECT_DEBUGS);
    bool print = r->kind == DEBUG_PRINT;
    put_u32(s, text);
    put_u8(s, (unsigned)r->kind);
    put_u8(s, print ? r->reg : 0);
    put_u8(s, print ? (unsigned)r->type.kind : 0);
    put_u8(s, print ? r->type.bits : 0);
}

static void put_bound(struct str *s, int64_t offset, uint32_t size, int64_t size_coeff) {
    put_u64(s, (uint64_t)offset);
    put_u32(s, size);
    put_u32(s, 0);
    put_u64(s, (uint64_t)size_coeff);
}

static void put_move_head(struct object_writer *w, const struct move *m) {
    uint32_t name = intern(w, m->name);
    struct str *s = bytes_of(w, OBJECT_MOVES);
    put_u32(s, name);
    put_u32(s, m->dst_group);
    put_u32(s, m->src_group);
    put_u8(s, m->dst_reg);
    put_u8(s, m->src_reg);
    put_u8(s, m->dst_count);
    put_u8(s, m->src_count);
    put_u8(s, (m->dst_has_k ? MOVE_DST_HAS_K : 0) | (m->src_has_k ? MOVE_SRC_HAS_K : 0));
    put_u8(s, m->width);
    put_u8(s, m->bounded);
    put_u8(s, (unsigned)m->outside);
    put_place(s, &m->place);
    put_u64(s, m->fill);
}

static void put_move(struct object_writer *w, const struct move *m) {
    put_move_head(w, m);
    struct str *s = bytes_of(w, OBJECT_MOVES);
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        put_bound(s, m->first[d].offset, m->first[d].size, m->first[d].size_coeff);
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        put_bound(s, m->last[d].offset, m->last[d].size, m->last[d].size_coeff);
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++) {
        for (unsigned k = 0; k < MOVE_MAX_DIMS; k++)
            put_u64(s, (uint64_t)m->source[d].coeff[k]);
        put_bound(s, m->source[d].offset, m->source[d].size, m->source[d].size_coeff);
    }
}

static void put_scope(struct object_writer *w, enum scope_record_kind kind, size_t index,
                      const struct group_scope *x) {
    for (uint32_t i = 0; i < x->count; i++) {
        struct str *s = bytes_of(w, OBJECT_SCOPES);
        put_u32(s, kind);
        put_u32(s, (uint32_t)index);
        put_u32(s, x->groups[i]);
    }
}

static void put_scopes(struct object_writer *w) {
    for (size_t i = 0; i < w->o->vars.len; i++)
        put_scope(w, SCOPE_OF_VARIABLE, i, &w->o->vars.data[i].scope);
    for (size_t i = 0; i < w->o->moves.len; i++)
        put_scope(w, SCOPE_OF_MOVE, i, &w->o->moves.data[i].scope);
}

static void put_indices(struct object_writer *w) {
    struct str *s;
    for (size_t i = 0; i < w->o->moves.len; i++) {
        const struct move_index *x = &w->o->moves.data[i].index;
        if (x->kind == INDEX_NONE)
            continue;
        s = bytes_of(w, OBJECT_INDICES);
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

static void put_strides(struct object_writer *w, uint32_t move) {
    const struct move_strides *x = w->o->moves.data[move].strides;
    for (uint32_t d = 0; x && d < MOVE_MAX_DIMS; d++) {
        if (stride_is_usual(x, d))
            continue;
        struct str *s = bytes_of(w, OBJECT_STRIDES);
        put_u32(s, move);
        put_u32(s, d);
        put_u64(s, (uint64_t)x->coeff[d]);
        put_bound(s, x->offset[d].offset, x->offset[d].size, x->offset[d].size_coeff);
    }
}

static void put_laps(struct object_writer *w, uint32_t move) {
    const struct move_laps *x = w->o->moves.data[move].laps;
    for (unsigned f = 0; x && f < MOVE_FORMS; f++)
        for (unsigned d = 0; d < MOVE_MAX_DIMS; d++) {
            if (laps_are_none(x->coeff[f][d]))
                continue;
            struct str *s = bytes_of(w, OBJECT_LAPS);
            put_u32(s, move);
            put_u32(s, f | d << 8);
            for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
                put_u64(s, (uint64_t)x->coeff[f][d][n]);
        }
}

/* Padded to four bytes, so that the next record begins where its numbers may. */
static void put_recipe(struct object_writer *w, const struct user_file *t) {
    uint32_t name = intern(w, t->name);
    struct str *s = bytes_of(w, OBJECT_RECIPES);
    put_u32(s, name);
    put_u32(s, (uint32_t)t->size);
    str_append_n(s, t->text, t->size);
    while (s->len % 4)
        put_u8(s, 0);
}

static void put_call(struct object_writer *w, const struct recipe_call *c) {
    struct str *s = bytes_of(w, OBJECT_CALLS);
    put_u32(s, c->word);
    put_u32(s, c->otherwise == NO_INDEX ? NO_INDEX : w->symbol[c->otherwise]);
}

static void put_passed(struct str *s, const struct passed_register *list, uint32_t count) {
    static const struct passed_register none;
    for (uint32_t i = 0; i < SIGNATURE_MAX_REGISTERS; i++) {
        const struct passed_register *p = i < count ? &list[i] : &none;
        put_u8(s, p->reg);
        put_u8(s, (unsigned)p->type.kind);
        put_u8(s, p->type.bits);
        put_u8(s, 0);
    }
}

static void put_signature(struct object_writer *w, const struct sub_signature *g) {
    uint32_t name = intern(w, g->name);
    struct str *s = bytes_of(w, OBJECT_SIGNATURES);
    put_u32(s, name);
    put_place(s, &g->place);
    put_u64(s, g->writes);
    put_u32(s, g->in_count);
    put_u32(s, g->out_count);
    put_passed(s, g->in, g->in_count);
    put_passed(s, g->out, g->out_count);
}

static void put_entry(struct object_writer *w, const struct entry *e) {
    struct str *s = bytes_of(w, OBJECT_ENTRY);
    put_u32(s, e->first_mpu);
    put_u32(s, e->mpu_count);
    put_u32(s, e->symbol == NO_INDEX ? NO_INDEX : w->symbol[e->symbol]);
}

/* In the order of ELF symbols, so that writing what was read gives the same bytes. */
static void put_symbol_places(struct object_writer *w, bool global) {
    for (size_t i = 0; i < w->o->symbols.len; i++) {
        const struct symbol *y = &w->o->symbols.data[i];
        if (y->global != global || !place_known(&y->place))
            continue;
        put_u32(bytes_of(w, OBJECT_PLACES), w->symbol[i]);
        put_place(bytes_of(w, OBJECT_PLACES), &y->place);
    }
}

static void put_records(struct object_writer *w) {
    const struct object *o = w->o;
    put_files(w);
    put_sizes(w);
    put_bounds(w);
    put_derived(w);
    for (size_t i = 0; i < o->values.len; i++)
        put_value(w, &o->values.data[i]);
    for (size_t i = 0; i < o->groups.len; i++)
        put_group(w, &o->groups.data[i]);
    for (size_t i = 0; i < o->vars.len; i++)
        put_variable(w, &o->vars.data[i]);
    put_forms(w);
    for (size_t i = 0; i < o->data.len; i++)
        put_data(bytes_of(w, OBJECT_DATA), &o->data.data[i]);
    for (size_t i = 0; i < o->lengths.len; i++)
        put_length(bytes_of(w, OBJECT_LENGTHS), &o->lengths.data[i]);
    for (size_t i = 0; i < o->constants.len; i++)
        put_constant(w, &o->constants.data[i]);
    for (size_t i = 0; i < o->finishes.len; i++)
        put_finish(bytes_of(w, OBJECT_FINISHES), &o->finishes.data[i]);
    for (size_t i = 0; i < o->debugs.len; i++)
        put_debug(w, &o->debugs.data[i]);
    for (uint32_t i = 0; i < o->moves.len; i++) {
        put_move(w, &o->moves.data[i]);
        put_strides(w, i);
        put_laps(w, i);
    }
    put_scopes(w);
    put_indices(w);
    for (size_t i = 0; i < o->recipes.len; i++)
        put_recipe(w, &o->recipes.data[i]);
    for (size_t i = 0; i < o->calls.len; i++)
        put_call(w, &o->calls.data[i]);
    for (size_t i = 0; i < o->signatures.len; i++)
        put_signature(w, &o->signatures.data[i]);
    for (size_t i = 0; i < o->entries.len; i++)
        put_entry(w, &o->entries.data[i]);
    put_symbol_places(w, false);
    put_symbol_places(w, true);
}

static void put_packages(struct object_writer *w) {
    for (size_t i = 0; i < w->o->packages.len; i++) {
        const struct package_blob *p = &w->o->packages.data[i];
        struct str name = {0};
        str_printf(&name, PACKAGE_PREFIX "%s", p->target);
        uint32_t index = elf_image_add(&w->image, name.text, SHT_PROGBITS);
        struct elf_section *s = elf_image_section(&w->image, index);
        s->header.sh_addralign = 8;
        str_append_n(&s->bytes, p->bytes, p->size);
        str_free(&name);
    }
}

void object_write(const struct object *o, struct str *out) {
    struct object_writer w = {.o = o};
    add_sections(&w);
    put_note(&w);
    put_text(&w);
    put_symbols(&w);
    put_relocs(&w);
    put_records(&w);
    if (w.section[OBJECT_LINE])
        elf_line_table_write(o, bytes_of(&w, OBJECT_LINE));
    put_packages(&w);
    elf_image_write(&w.image, o->linked ? ET_EXEC : ET_REL, OBJECT_E_MACHINE, out);
    elf_image_free(&w.image);
    map_free(&w.names);
    vec_free(&w.symtab);
    free(w.symbol);
}
