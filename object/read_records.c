/* SPDX-License-Identifier: MIT
 * The note and the .mpu.* sections: fields as they stand, strings and lengths checked; what the
 * numbers may be is object_check's. */
#include "object/bytes.h"
#include "object/read.h"

#include <string.h>

void object_read_note(struct object_reader *reader) {
    const struct section_view *s = &reader->section[OBJECT_NOTE];
    const unsigned char *b = s->bytes;
    struct object *o = reader->o;
    if (s->size >= 12 && get_u32(b + 8) == 1) {
        object_read_fail(reader, s->offset,
                         "the file is of an older version of the format; make it anew");
        return;
    }
    if (s->size != 12 + sizeof NOTE_OWNER + 4 * NOTE_WORDS || get_u32(b) != sizeof NOTE_OWNER ||
        get_u32(b + 4) != 4 * NOTE_WORDS || get_u32(b + 8) != NOTE_TYPE_PROGRAM ||
        memcmp(b + 12, NOTE_OWNER, sizeof NOTE_OWNER) != 0) {
        object_read_fail(reader, s->offset, ".note.mpu is not one note of a program");
        return;
    }
    b += 12 + sizeof NOTE_OWNER;
    if (get_u32(b) != OBJECT_ISA_VERSION)
        object_read_fail(reader, s->offset,
                         "the program is for version %u of the ISA; this is version %d",
                         (unsigned)get_u32(b), OBJECT_ISA_VERSION);
    o->sets = get_u32(b + 4);
    o->geometry = (struct geometry){.lanes = get_u32(b + 8),
                                    .vrfs = get_u32(b + 12),
                                    .rfhs = get_u32(b + 16),
                                    .grid = {get_u32(b + 24), get_u32(b + 28)}};
    o->geometry.grid_dims = o->geometry.grid[1] ? 2 : o->geometry.grid[0] ? 1 : 0;
    if (get_u32(b + 20) > 64)
        object_read_fail(reader, s->offset, "the default width is %u", (unsigned)get_u32(b + 20));
    o->default_width = (uint8_t)get_u32(b + 20);
}

static void read_files(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_FILES);
    for (size_t i = 0; i < count && reader->ok; i++)
        vec_push(&reader->o->files,
                 object_read_name(reader, get_u32(object_read_record(reader, OBJECT_FILES, i)),
                                  offset_of(reader, OBJECT_FILES, i)));
}

static void read_sizes(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_SIZES);
    for (size_t i = 0; i < count && reader->ok; i++) {
        const unsigned char *b = object_read_record(reader, OBJECT_SIZES, i);
        uint32_t flags = get_u32(b + 4);
        struct size_decl s = {
            .name = object_read_name(reader, get_u32(b), offset_of(reader, OBJECT_SIZES, i)),
            .has_default = (flags & SIZE_HAS_DEFAULT) != 0,
            .value = get_u64(b + 8),
            .place = get_place(b + 16)};
        if ((flags & ~(uint32_t)SIZE_HAS_DEFAULT) || get_u32(b + 28) || (!s.has_default && s.value))
            object_read_fail(reader, offset_of(reader, OBJECT_SIZES, i),
                             "a size has unknown flags");
        vec_push(&reader->o->sizes, s);
    }
}

/* In the order of their sizes, each at most once. */
static void read_bounds(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_BOUNDS), next = 0;
    for (size_t i = 0; i < count && reader->ok; i++) {
        const unsigned char *b = object_read_record(reader, OBJECT_BOUNDS, i);
        uint32_t size = get_u32(b);
        uint64_t bound = get_u64(b + 8);
        if (size < next || size >= reader->o->sizes.len || get_u32(b + 4) || bound == 0 ||
            reader->o->sizes.data[size].op != SIZE_GIVEN) {
            object_read_fail(reader, offset_of(reader, OBJECT_BOUNDS, i),
                             "a bound is of no size, or of none here");
            return;
        }
        reader->o->sizes.data[size].bound = bound;
        next = (size_t)size + 1;
    }
}

/* In the order of their sizes, each at most once. */
static void read_derived(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_DERIVED), next = 0;
    for (size_t i = 0; i < count && reader->ok; i++) {
        const unsigned char *b = object_read_record(reader, OBJECT_DERIVED, i);
        uint32_t size = get_u32(b), op = get_u32(b + 4);
        if (size < next || size >= reader->o->sizes.len || op == SIZE_GIVEN || op > DERIVE_MAX) {
            object_read_fail(reader, offset_of(reader, OBJECT_DERIVED, i),
                             "a formula is of no size, or of none here");
            return;
        }
        struct size_decl *s = &reader->o->sizes.data[size];
        s->op = (enum size_op)op;
        s->left = (struct size_operand){get_u32(b + 8), (int64_t)get_u64(b + 16)};
        s->right = (struct size_operand){get_u32(b + 12), (int64_t)get_u64(b + 24)};
        next = (size_t)size + 1;
    }
}

/* Ranges, of which the file has only those of given sizes. */
static void derive_sizes(struct object_reader *reader) {
    for (size_t i = 0; i < reader->o->sizes.len && reader->ok; i++) {
        struct size_decl *s = &reader->o->sizes.data[i];
        if (s->op == SIZE_GIVEN)
            continue;
        if (!object_size_formula_ok(s, (uint32_t)i))
            object_read_fail(
                reader, reader->section[OBJECT_DERIVED].offset,
                "size '%s' is derived from what is not before it, beyond 2^40 or without sizes",
                s->name);
        else
            object_size_derive(reader->o->sizes.data, s);
    }
}

/* Elements *next and on of .mpu.defaults. */
static void read_default(struct object_reader *reader, struct value_decl *decl, size_t *next,
                         size_t offset) {
    size_t count = object_value_count(decl),
           left = object_read_count(reader, OBJECT_DEFAULTS) - *next;
    if (!reader->ok || count > left) {
        object_read_fail(reader, offset, "a value has more elements than .mpu.defaults");
        return;
    }
    uint64_t *elements = ARENA_ARRAY(&reader->o->arena, count, uint64_t);
    for (size_t i = 0; i < count; i++)
        elements[i] = get_u64(object_read_record(reader, OBJECT_DEFAULTS, (*next)++));
    decl->elements = elements;
}

static struct value_decl read_value(struct object_reader *reader, size_t index, size_t *next) {
    const unsigned char *b = object_read_record(reader, OBJECT_VALUES, index);
    size_t offset = offset_of(reader, OBJECT_VALUES, index);
    struct value_decl v = {.name = object_read_name(reader, get_u32(b), offset),
                           .type = {(enum type_kind)b[4], b[5]},
                           .ndim = b[6],
                           .shape = {get_u32(b + 8), get_u32(b + 12)},
                           .place = get_place(b + 16)};
    bool unused = (v.ndim < 1 && v.shape[0]) || (v.ndim < 2 && v.shape[1]);
    const char *problem = object_value_problem(&v);
    if ((b[7] & ~VALUE_HAS_DEFAULT) || get_u32(b + 28) || unused)
        object_read_fail(reader, offset,
                         "a value has unknown flags, or extents that it does not use");
    else if (problem)
        object_read_fail(reader, offset, "value '%s' %s", v.name, problem);
    else if (b[7])
        read_default(reader, &v, next, offset);
    return v;
}

static void read_values(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_VALUES), next = 0;
    for (size_t i = 0; i < count && reader->ok; i++)
        vec_push(&reader->o->values, read_value(reader, i, &next));
    if (reader->ok && next != object_read_count(reader, OBJECT_DEFAULTS))
        object_read_fail(reader, reader->section[OBJECT_DEFAULTS].offset,
                         ".mpu.defaults has elements of no value");
}

static void read_extents(struct object_reader *reader, const unsigned char *bytes,
                         struct group *group, size_t offset) {
    for (uint32_t i = 0; i < GROUP_MAX_DIMS; i++, bytes += 16) {
        group->extent[i] = (struct extent){get_u32(bytes), get_u64(bytes + 8)};
        bool unused = i >= group->ndim || group->extent[i].size != NO_INDEX;
        if (get_u32(bytes + 4) || (unused && group->extent[i].value) ||
            (i >= group->ndim && group->extent[i].size != NO_INDEX))
            object_read_fail(reader, offset, "a group has more extents than dimensions");
    }
}

static void read_groups(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_GROUPS);
    for (size_t i = 0; i < count && reader->ok; i++) {
        const unsigned char *b = object_read_record(reader, OBJECT_GROUPS, i);
        size_t offset = offset_of(reader, OBJECT_GROUPS, i);
        struct group g = {.name = object_read_name(reader, get_u32(b), offset),
                          .ndim = get_u32(b + 4) & ~GROUP_PER_MPU,
                          .per_mpu = (get_u32(b + 4) & GROUP_PER_MPU) != 0,
                          .like = get_u32(b + 56),
                          .at_rfh = get_u32(b + 60),
                          .at_vrf = get_u32(b + 64),
                          .place = get_place(b + 68)};
        read_extents(reader, b + 8, &g, offset);
        vec_push(&reader->o->groups, g);
    }
}

static void read_variables(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_VARS);
    for (size_t i = 0; i < count && reader->ok; i++) {
        const unsigned char *b = object_read_record(reader, OBJECT_VARS, i);
        struct variable v = {
            .name = object_read_name(reader, get_u32(b), offset_of(reader, OBJECT_VARS, i)),
            .direction = b[4],
            .type = {(enum type_kind)b[5], b[6]},
            .has_k = (b[7] & VAR_HAS_K) != 0,
            .count = get_u32(b + 8),
            .group = get_u32(b + 12),
            .reg = b[16],
            .place = get_place(b + 20)};
        if ((b[7] & ~VAR_HAS_K) || get_u32(b + 16) > 63)
            object_read_fail(reader, offset_of(reader, OBJECT_VARS, i),
                             "a variable has unknown flags or no "
                             "register");
        vec_push(&reader->o->vars, v);
    }
}

/* One record of .mpu.data at `at`; returns its length, 0 after an error. */
static size_t read_data_record(struct object_reader *reader, size_t at) {
    const struct section_view *s = &reader->section[OBJECT_DATA];
    const unsigned char *b = s->bytes + at;
    size_t left = s->size - at;
    uint64_t count = left >= 16 ? get_u64(b + 8) : 0;
    if (left < 16 || count > left / 8 - 2 || get_u32(b + 4) != 0) {
        object_read_fail(reader, s->offset + at, "a data record goes beyond .mpu.data");
        return 0;
    }
    uint64_t *values = ARENA_ARRAY(&reader->o->arena, (size_t)count + 1, uint64_t);
    for (uint64_t i = 0; i < count; i++)
        values[i] = get_u64(b + 16 + 8 * i);
    struct data_record d = {get_u32(b), count, values};
    vec_push(&reader->o->data, d);
    return 16 + 8 * (size_t)count;
}

static void read_data(struct object_reader *reader) {
    for (size_t at = 0; reader->ok && at < reader->section[OBJECT_DATA].size;)
        at += read_data_record(reader, at);
}

static void read_lengths(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_LENGTHS);
    for (size_t i = 0; i < count && reader->ok; i++) {
        const unsigned char *b = object_read_record(reader, OBJECT_LENGTHS, i);
        struct length_record x = {get_u32(b), get_u32(b + 4)};
        vec_push(&reader->o->lengths, x);
    }
}

static void read_constants(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_CONSTANTS);
    for (size_t i = 0; i < count && reader->ok; i++) {
        const unsigned char *b = object_read_record(reader, OBJECT_CONSTANTS, i);
        size_t offset = offset_of(reader, OBJECT_CONSTANTS, i);
        struct constant_record x = {object_read_name(reader, get_u32(b), offset), get_u32(b + 4),
                                    object_read_name(reader, get_u32(b + 8), offset)};
        vec_push(&reader->o->constants, x);
    }
}

static void read_debugs(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_DEBUGS);
    for (size_t i = 0; i < count && reader->ok; i++) {
        const unsigned char *b = object_read_record(reader, OBJECT_DEBUGS, i);
        struct debug_record d = {
            .text = object_read_name(reader, get_u32(b), offset_of(reader, OBJECT_DEBUGS, i)),
            .kind = (enum debug_kind)b[4],
            .reg = b[5],
            .type = {(enum type_kind)b[6], b[7]}};
        if (!object_debug_has_register(d.kind) && (b[5] || b[6] || b[7]))
            object_read_fail(reader, offset_of(reader, OBJECT_DEBUGS, i),
                             "a debug record has a register that "
                             "its kind does not have");
        vec_push(&reader->o->debugs, d);
    }
}

/* A bound's 24 bytes; false if the unused ones are not zero. */
static bool get_bound(const unsigned char *bytes, struct move_bound *out) {
    *out = (struct move_bound){(int64_t)get_u64(bytes), get_u32(bytes + 8),
                               (int64_t)get_u64(bytes + 16)};
    return get_u32(bytes + 12) == 0;
}

static bool get_affine(const unsigned char *bytes, struct move_affine *out) {
    struct move_bound constant;
    for (unsigned k = 0; k < MOVE_MAX_DIMS; k++)
        out->coeff[k] = (int64_t)get_u64(bytes + 8 * k);
    bool fine = get_bound(bytes + 8 * MOVE_MAX_DIMS, &constant);
    out->offset = constant.offset;
    out->size = constant.size;
    out->size_coeff = constant.size_coeff;
    return fine;
}

static bool get_move_dims(const unsigned char *bytes, struct move *move) {
    enum { BOUND = 24, AFFINE = BOUND + 8 * MOVE_MAX_DIMS };
    bool fine = true;
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++) {
        fine &= get_bound(bytes + BOUND * d, &move->first[d]);
        fine &= get_bound(bytes + BOUND * (MOVE_MAX_DIMS + d), &move->last[d]);
        fine &= get_affine(bytes + BOUND * 2 * MOVE_MAX_DIMS + AFFINE * d, &move->source[d]);
    }
    return fine;
}

static void read_moves(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_MOVES);
    for (size_t i = 0; i < count && reader->ok; i++) {
        const unsigned char *b = object_read_record(reader, OBJECT_MOVES, i);
        struct move m = {
            .name = object_read_name(reader, get_u32(b), offset_of(reader, OBJECT_MOVES, i)),
            .dst_group = get_u32(b + 4),
            .src_group = get_u32(b + 8),
            .dst_reg = b[12],
            .src_reg = b[13],
            .dst_count = b[14],
            .src_count = b[15],
            .dst_has_k = (b[16] & MOVE_DST_HAS_K) != 0,
            .src_has_k = (b[16] & MOVE_SRC_HAS_K) != 0,
            .width = b[17],
            .bounded = b[18],
            .outside = (enum move_outside)b[19],
            .place = get_place(b + 20),
            .fill = get_u64(b + 32)};
        if (!get_move_dims(b + 40, &m) || (b[16] & ~(MOVE_DST_HAS_K | MOVE_SRC_HAS_K)))
            object_read_fail(reader, offset_of(reader, OBJECT_MOVES, i),
                             "a move has unknown flags");
        vec_push(&reader->o->moves, m);
    }
}

/* In the order of their moves, each at most once. */
static void read_indices(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_INDICES), next = 0;
    for (size_t i = 0; i < count && reader->ok; i++) {
        const unsigned char *b = object_read_record(reader, OBJECT_INDICES, i);
        uint32_t move = get_u32(b);
        if (move < next || move >= reader->o->moves.len || b[4] == INDEX_NONE ||
            (b[7] & ~INDEX_FOLLOWS) || b[10] || b[11]) {
            object_read_fail(reader, offset_of(reader, OBJECT_INDICES, i),
                             "an index is of no move, or has unknown flags");
            return;
        }
        reader->o->moves.data[move].index =
            (struct move_index){.kind = (enum move_index_kind)b[4],
                                .coordinate = b[5],
                                .reg = b[6],
                                .follows = b[7] & INDEX_FOLLOWS,
                                .type = {(enum type_kind)b[8], b[9]}};
        next = (size_t)move + 1;
    }
}

/* In the order of moves and coordinates, each at most once, none of them the usual one. */
static void read_strides(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_STRIDES);
    uint64_t next = 0;
    for (size_t i = 0; i < count && reader->ok; i++) {
        const unsigned char *b = object_read_record(reader, OBJECT_STRIDES, i);
        uint32_t move = get_u32(b), d = get_u32(b + 4);
        uint64_t key = (uint64_t)move * MOVE_MAX_DIMS + d;
        struct move_bound offset;
        bool fine = get_bound(b + 16, &offset);
        int64_t coeff = (int64_t)get_u64(b + 8);
        bool usual = coeff == 1 && offset.offset == 0 && offset.size_coeff == 0;
        if (!fine || usual || move >= reader->o->moves.len || d >= MOVE_MAX_DIMS || key < next ||
            (offset.size_coeff == 0) != (offset.size == NO_INDEX)) {
            object_read_fail(reader, offset_of(reader, OBJECT_STRIDES, i),
                             "a stride is of no move, or says nothing");
            return;
        }
        object_move_set_stride(&reader->o->moves.data[move], d, coeff, &offset, &reader->o->arena);
        next = key + 1;
    }
}

/* Likewise, in the order of moves, forms and coordinates. */
static void read_laps(struct object_reader *reader) {
    static const int64_t none[MOVE_MAX_LAPS];
    size_t count = object_read_count(reader, OBJECT_LAPS);
    uint64_t next = 0;
    for (size_t i = 0; i < count && reader->ok; i++) {
        const unsigned char *b = object_read_record(reader, OBJECT_LAPS, i);
        uint32_t move = get_u32(b), form = b[4], d = b[5];
        uint64_t key = ((uint64_t)move * MOVE_FORMS + form) * MOVE_MAX_DIMS + d;
        int64_t coeff[MOVE_MAX_LAPS];
        for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
            coeff[n] = (int64_t)get_u64(b + 8 + 8 * n);
        if (move >= reader->o->moves.len || form >= MOVE_FORMS || d >= MOVE_MAX_DIMS || b[6] ||
            b[7] || key < next || memcmp(coeff, none, sizeof none) == 0) {
            object_read_fail(reader, offset_of(reader, OBJECT_LAPS, i),
                             "laps are of no move, or add nothing");
            return;
        }
        object_move_set_laps(&reader->o->moves.data[move], (enum move_form)form, d, coeff,
                             &reader->o->arena);
        next = key + 1;
    }
}

/* The length of the record at `at`; 0 after an error. */
static size_t read_recipe(struct object_reader *reader, size_t at) {
    const struct section_view *s = &reader->section[OBJECT_RECIPES];
    const unsigned char *b = s->bytes + at;
    size_t left = s->size - at, size = left >= 8 ? get_u32(b + 4) : 0;
    size_t padded = (size + 3) / 4 * 4;
    if (left < 8 || size > OBJECT_MAX_RECIPE_TEXT || padded > left - 8) {
        object_read_fail(reader, s->offset + at,
                         "a recipe file is longer than its section, or than 1 MiB");
        return 0;
    }
    for (size_t i = size; i < padded; i++)
        if (b[8 + i])
            object_read_fail(reader, s->offset + at, "bytes behind a recipe file are not zero");
    struct user_file t = {object_read_name(reader, get_u32(b), s->offset + at),
                          arena_copy(&reader->o->arena, (const char *)b + 8, size), size};
    vec_push(&reader->o->recipes, t);
    return 8 + padded;
}

static void read_recipes(struct object_reader *reader) {
    for (size_t at = 0; reader->ok && at < reader->section[OBJECT_RECIPES].size;)
        at += read_recipe(reader, at);
}

/* True if what the record does not use is zero. */
static bool get_passed(const unsigned char *bytes, struct passed_register *list, uint32_t count) {
    bool fine = true;
    for (uint32_t i = 0; i < SIGNATURE_MAX_REGISTERS; i++, bytes += 4) {
        list[i] = (struct passed_register){bytes[0], {(enum type_kind)bytes[1], bytes[2]}};
        fine &= bytes[3] == 0 && (i < count || get_u32(bytes) == 0);
    }
    return fine;
}

static void read_signatures(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_SIGNATURES);
    for (size_t i = 0; i < count && reader->ok; i++) {
        const unsigned char *b = object_read_record(reader, OBJECT_SIGNATURES, i);
        size_t offset = offset_of(reader, OBJECT_SIGNATURES, i);
        struct sub_signature s = {.name = object_read_name(reader, get_u32(b), offset),
                                  .place = get_place(b + 4),
                                  .writes = get_u64(b + 16),
                                  .in_count = get_u32(b + 24),
                                  .out_count = get_u32(b + 28)};
        bool fine = get_passed(b + 32, s.in, s.in_count);
        if (!get_passed(b + 96, s.out, s.out_count) || !fine)
            object_read_fail(reader, offset, "a signature has more registers than it counts");
        vec_push(&reader->o->signatures, s);
    }
}

void object_read_records(struct object_reader *reader) {
    read_files(reader);
    read_sizes(reader);
    read_derived(reader);
    read_bounds(reader);
    derive_sizes(reader);
    read_values(reader);
    object_read_luts(reader);
    object_read_products(reader);
    read_groups(reader);
    read_variables(reader);
    object_read_forms(reader);
    read_data(reader);
    read_lengths(reader);
    read_constants(reader);
    object_read_finishes(reader);
    object_read_numbers(reader);
    read_debugs(reader);
    read_moves(reader);
    object_read_scopes(reader);
    read_indices(reader);
    read_strides(reader);
    read_laps(reader);
    read_recipes(reader);
    read_signatures(reader);
    object_read_kernels(reader);
}

uint32_t object_read_program_symbol(struct object_reader *reader, uint32_t symbol, size_t offset) {
    if (symbol < reader->symbol_count && reader->symbol[symbol] != NO_INDEX)
        return reader->symbol[symbol];
    object_read_fail(reader, offset, "a record names a symbol that is not there");
    return NO_INDEX - 1;
}

void object_read_entries(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_ENTRY);
    for (size_t i = 0; i < count && reader->ok; i++) {
        const unsigned char *b = object_read_record(reader, OBJECT_ENTRY, i);
        struct entry e = {get_u32(b), get_u32(b + 4), get_u32(b + 8)};
        if (e.symbol != NO_INDEX)
            e.symbol =
                object_read_program_symbol(reader, e.symbol, offset_of(reader, OBJECT_ENTRY, i));
        vec_push(&reader->o->entries, e);
    }
}

void object_read_calls(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_CALLS);
    for (size_t i = 0; i < count && reader->ok; i++) {
        const unsigned char *b = object_read_record(reader, OBJECT_CALLS, i);
        struct recipe_call c = {get_u32(b), get_u32(b + 4), NULL, NULL};
        if (c.otherwise != NO_INDEX)
            c.otherwise =
                object_read_program_symbol(reader, c.otherwise, offset_of(reader, OBJECT_CALLS, i));
        vec_push(&reader->o->calls, c);
    }
}

void object_read_places(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_PLACES);
    uint32_t next = 1;
    for (size_t i = 0; i < count && reader->ok; i++) {
        const unsigned char *b = object_read_record(reader, OBJECT_PLACES, i);
        uint32_t symbol =
            object_read_program_symbol(reader, get_u32(b), offset_of(reader, OBJECT_PLACES, i));
        if (get_u32(b) < next || get_u32(b + 4) == NO_INDEX)
            object_read_fail(reader, offset_of(reader, OBJECT_PLACES, i),
                             "the symbols' places are out of order");
        if (!reader->ok)
            return;
        reader->o->symbols.data[symbol].place = get_place(b + 4);
        next = get_u32(b) + 1;
    }
}
