/* SPDX-License-Identifier: MIT
 * Types, names, places; round trips of random objects through their ELF form. */
#include "support/bits.h"
#include "tests/object/random_object.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void types_as_text(void **state) {
    (void)state;
    struct lane_type t;
    char text[8];
    for (unsigned bits = 1; bits <= 64; bits++) {
        for (int kind = TYPE_UINT; kind <= TYPE_BFLOAT; kind++) {
            struct lane_type want = {(enum type_kind)kind, (uint8_t)bits};
            object_type_text(want, text);
            bool ok = object_type_parse(text, strlen(text), &t);
            assert_int_equal(ok, object_type_ok(want));
            assert_true(!ok || (t.kind == want.kind && t.bits == want.bits));
        }
    }
    assert_true(object_type_parse("bool", 4, &t));
    assert_int_equal(t.kind, TYPE_BOOL);
    assert_true(object_type_parse("bf16", 4, &t));
    assert_int_equal(t.kind, TYPE_BFLOAT);
    static const char *const wrong[] = {"",     "u",    "u0",  "u65", "i1",  "u08",
                                        "f8",   "u-1",  "u1x", "x32", "i 8", "bool8",
                                        "u999", "bf32", "b16", "f80", "bf"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(object_type_parse(wrong[i], strlen(wrong[i]), &t));
}

static void names_that_are_allowed(void **state) {
    (void)state;
    assert_true(object_name_ok("main.loop$1"));
    assert_true(object_name_ok("11"));
    assert_false(object_name_ok(""));
    assert_false(object_name_ok("a b"));
    assert_false(object_name_ok("a\n"));
    assert_false(object_name_ok("pluto-bsa"));
    assert_true(object_target_ok("pluto-bsa:ddr4"));
    assert_false(object_target_ok("a/b"));
}

static void places_of_instructions(void **state) {
    (void)state;
    struct object *o = object_new();
    uint32_t file = object_file(o, "a.s");
    assert_int_equal(object_file(o, "b.s"), 1);
    assert_int_equal(object_file(o, "a.s"), file);
    for (int i = 0; i < 10; i++)
        vec_push(&o->text, 0);
    struct line_entry first = {2, {file, 7, 1}}, second = {5, {1, 9, 3}};
    vec_push(&o->lines, first);
    vec_push(&o->lines, second);
    assert_int_equal(object_place(o, 1).file, NO_INDEX);
    assert_int_equal(object_place(o, 2).line, 7);
    assert_int_equal(object_place(o, 4).line, 7);
    assert_int_equal(object_place(o, 9).line, 9);
    assert_int_equal(object_place(o, 10).file, NO_INDEX);
    object_free(o);
}

static void assert_same_place(struct place a, struct place b) {
    assert_int_equal(a.file, b.file);
    assert_int_equal(a.line, b.line);
    assert_int_equal(a.column, b.column);
}

static void assert_same_groups(const struct object *a, const struct object *b) {
    assert_int_equal(a->groups.len, b->groups.len);
    for (size_t i = 0; i < a->groups.len; i++) {
        const struct group *x = &a->groups.data[i], *y = &b->groups.data[i];
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->ndim, y->ndim);
        assert_int_equal(x->per_mpu, y->per_mpu);
        for (uint32_t k = 0; k < x->ndim; k++) {
            assert_int_equal(x->extent[k].size, y->extent[k].size);
            assert_int_equal(x->extent[k].value, y->extent[k].value);
        }
        assert_int_equal(x->like, y->like);
        assert_int_equal(x->at_rfh, y->at_rfh);
        assert_int_equal(x->at_vrf, y->at_vrf);
        assert_same_place(x->place, y->place);
    }
}

static void assert_same_variables(const struct object *a, const struct object *b) {
    assert_int_equal(a->vars.len, b->vars.len);
    for (size_t i = 0; i < a->vars.len; i++) {
        const struct variable *x = &a->vars.data[i], *y = &b->vars.data[i];
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->direction, y->direction);
        assert_int_equal(x->type.kind, y->type.kind);
        assert_int_equal(x->type.bits, y->type.bits);
        assert_int_equal(x->count, y->count);
        assert_int_equal(x->has_k, y->has_k);
        assert_int_equal(x->group, y->group);
        assert_int_equal(x->reg, y->reg);
        assert_true(object_form_same(&x->form, &y->form));
        assert_true(object_scope_same(&x->scope, &y->scope));
        assert_same_place(x->place, y->place);
    }
    assert_int_equal(a->data.len, b->data.len);
    for (size_t i = 0; i < a->data.len; i++) {
        const struct data_record *x = &a->data.data[i], *y = &b->data.data[i];
        assert_int_equal(x->variable, y->variable);
        assert_int_equal(x->count, y->count);
        assert_memory_equal(x->values, y->values, x->count * sizeof *x->values);
    }
    assert_int_equal(a->finishes.len, b->finishes.len);
    for (size_t i = 0; i < a->finishes.len; i++) {
        const struct finish_record *x = &a->finishes.data[i], *y = &b->finishes.data[i];
        struct str p = {0}, q = {0};
        object_finish_text(a, x, &p);
        object_finish_text(b, y, &q);
        assert_string_equal(p.text, q.text);
        assert_int_equal(x->variable, y->variable);
        assert_int_equal(x->element, y->element);
        assert_int_equal(x->first, y->first);
        assert_int_equal(x->last, y->last);
        assert_same_place(x->place, y->place);
        str_free(&p);
        str_free(&q);
    }
    assert_int_equal(a->constants.len, b->constants.len);
    for (size_t i = 0; i < a->constants.len; i++) {
        assert_string_equal(a->constants.data[i].array, b->constants.data[i].array);
        assert_int_equal(a->constants.data[i].dimension, b->constants.data[i].dimension);
        assert_string_equal(a->constants.data[i].constant, b->constants.data[i].constant);
    }
    assert_int_equal(a->lengths.len, b->lengths.len);
    for (size_t i = 0; i < a->lengths.len; i++) {
        assert_int_equal(a->lengths.data[i].variable, b->lengths.data[i].variable);
        assert_int_equal(a->lengths.data[i].length, b->lengths.data[i].length);
    }
}

static void assert_same_signatures(const struct object *a, const struct object *b) {
    assert_int_equal(a->signatures.len, b->signatures.len);
    for (size_t i = 0; i < a->signatures.len; i++) {
        struct str x = {0}, y = {0};
        object_signature_text(&a->signatures.data[i], &x);
        object_signature_text(&b->signatures.data[i], &y);
        assert_string_equal(x.text, y.text);
        assert_true(a->signatures.data[i].writes == b->signatures.data[i].writes);
        assert_same_place(a->signatures.data[i].place, b->signatures.data[i].place);
        str_free(&x);
        str_free(&y);
    }
}

static void assert_same_program(const struct object *a, const struct object *b) {
    assert_same_signatures(a, b);
    assert_int_equal(a->linked, b->linked);
    assert_int_equal(a->default_width, b->default_width);
    assert_int_equal(a->sets, b->sets);
    assert_memory_equal(&a->geometry, &b->geometry, sizeof a->geometry);
    assert_int_equal(a->text.len, b->text.len);
    if (a->text.len)
        assert_memory_equal(a->text.data, b->text.data, a->text.len * 4);
    assert_int_equal(!a->source, !b->source);
    if (a->source)
        assert_string_equal(a->source, b->source);
    assert_int_equal(a->files.len, b->files.len);
    for (size_t i = 0; i < a->files.len; i++)
        assert_string_equal(a->files.data[i], b->files.data[i]);
    for (uint32_t i = 0; i < a->text.len; i++)
        assert_same_place(object_place(a, i), object_place(b, i));
}

static void assert_same_bound(const struct move_bound *x, const struct move_bound *y) {
    assert_int_equal(x->offset, y->offset);
    assert_int_equal(x->size, y->size);
    assert_int_equal(x->size_coeff, y->size_coeff);
}

static void assert_same_affine(const struct move_affine *x, const struct move_affine *y) {
    assert_memory_equal(x->coeff, y->coeff, sizeof x->coeff);
    assert_int_equal(x->offset, y->offset);
    assert_int_equal(x->size, y->size);
    assert_int_equal(x->size_coeff, y->size_coeff);
}

static void assert_same_move(const struct move *x, const struct move *y) {
    assert_string_equal(x->name, y->name);
    assert_int_equal(x->dst_group, y->dst_group);
    assert_true(object_scope_same(&x->scope, &y->scope));
    assert_int_equal(x->src_group, y->src_group);
    assert_int_equal(x->dst_reg, y->dst_reg);
    assert_int_equal(x->src_reg, y->src_reg);
    assert_int_equal(x->dst_count, y->dst_count);
    assert_int_equal(x->src_count, y->src_count);
    assert_int_equal(x->dst_has_k, y->dst_has_k);
    assert_int_equal(x->src_has_k, y->src_has_k);
    assert_int_equal(x->width, y->width);
    assert_int_equal(x->bounded, y->bounded);
    assert_int_equal(x->outside, y->outside);
    assert_true(x->fill == y->fill);
    assert_int_equal(x->index.kind, y->index.kind);
    assert_int_equal(x->index.coordinate, y->index.coordinate);
    assert_int_equal(x->index.reg, y->index.reg);
    assert_int_equal(x->index.follows, y->index.follows);
    assert_int_equal(x->index.type.kind, y->index.type.kind);
    assert_int_equal(x->index.type.bits, y->index.type.bits);
    assert_same_place(x->place, y->place);
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++) {
        assert_same_bound(&x->first[d], &y->first[d]);
        assert_same_bound(&x->last[d], &y->last[d]);
        assert_same_affine(&x->source[d], &y->source[d]);
    }
    assert_true(object_move_same_strides(x, y));
    assert_true(object_move_same_laps(x, y));
}

static void assert_same_moves(const struct object *a, const struct object *b) {
    assert_int_equal(a->moves.len, b->moves.len);
    for (size_t i = 0; i < a->moves.len; i++)
        assert_same_move(&a->moves.data[i], &b->moves.data[i]);
}

static void assert_same_tables(const struct object *a, const struct object *b) {
    assert_int_equal(a->sizes.len, b->sizes.len);
    for (size_t i = 0; i < a->sizes.len; i++) {
        const struct size_decl *x = &a->sizes.data[i], *y = &b->sizes.data[i];
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->has_default, y->has_default);
        assert_int_equal(x->value, y->value);
        assert_int_equal(x->bound, y->bound);
        assert_same_place(x->place, y->place);
    }
    assert_int_equal(a->debugs.len, b->debugs.len);
    for (size_t i = 0; i < a->debugs.len; i++) {
        const struct debug_record *x = &a->debugs.data[i], *y = &b->debugs.data[i];
        assert_int_equal(x->kind, y->kind);
        assert_string_equal(x->text, y->text);
        assert_int_equal(x->reg, y->reg);
    }
    assert_int_equal(a->recipes.len, b->recipes.len);
    for (size_t i = 0; i < a->recipes.len; i++) {
        assert_string_equal(a->recipes.data[i].name, b->recipes.data[i].name);
        assert_int_equal(a->recipes.data[i].size, b->recipes.data[i].size);
        assert_string_equal(a->recipes.data[i].text, b->recipes.data[i].text);
    }
    assert_int_equal(a->calls.len, b->calls.len);
    for (size_t i = 0; i < a->calls.len; i++) {
        const struct recipe_call *x = &a->calls.data[i], *y = &b->calls.data[i];
        assert_int_equal(x->word, y->word);
        assert_int_equal(x->otherwise == NO_INDEX, y->otherwise == NO_INDEX);
        if (x->otherwise != NO_INDEX)
            assert_string_equal(a->symbols.data[x->otherwise].name,
                                b->symbols.data[y->otherwise].name);
    }
    assert_same_moves(a, b);
    assert_int_equal(a->packages.len, b->packages.len);
    for (size_t i = 0; i < a->packages.len; i++) {
        const struct package_blob *x = &a->packages.data[i], *y = &b->packages.data[i];
        assert_string_equal(x->target, y->target);
        assert_int_equal(x->size, y->size);
        assert_memory_equal(x->bytes, y->bytes, x->size);
    }
}

static void assert_same_symbol(const struct object *a, uint32_t x, const struct object *b,
                               uint32_t y) {
    const struct symbol *p = &a->symbols.data[x], *q = &b->symbols.data[y];
    assert_string_equal(p->name, q->name);
    assert_int_equal(p->kind, q->kind);
    assert_int_equal(p->global, q->global);
    assert_int_equal(p->defined, q->defined);
    assert_int_equal(p->value, q->value);
    assert_int_equal(p->length, q->length);
    assert_same_place(p->place, q->place);
}

/* Symbols may have changed their order; what names them must name the same ones. */
static void assert_same_references(const struct object *a, const struct object *b) {
    assert_int_equal(a->symbols.len, b->symbols.len);
    for (uint32_t i = 0; i < a->symbols.len; i++)
        assert_same_symbol(a, i, b, object_find_symbol(b, a->symbols.data[i].name));
    assert_int_equal(a->relocs.len, b->relocs.len);
    for (size_t i = 0; i < a->relocs.len; i++) {
        const struct reloc *x = &a->relocs.data[i], *y = &b->relocs.data[i];
        assert_int_equal(x->index, y->index);
        assert_int_equal(x->type, y->type);
        assert_int_equal(x->piece, y->piece);
        assert_int_equal(x->addend, y->addend);
        if (x->type == RELOC_J24)
            assert_same_symbol(a, x->target, b, y->target);
        else
            assert_int_equal(x->target, y->target);
    }
    assert_int_equal(a->entries.len, b->entries.len);
    for (size_t i = 0; i < a->entries.len; i++) {
        const struct entry *x = &a->entries.data[i], *y = &b->entries.data[i];
        assert_int_equal(x->first_mpu, y->first_mpu);
        assert_int_equal(x->mpu_count, y->mpu_count);
        assert_int_equal(x->symbol == NO_INDEX, y->symbol == NO_INDEX);
        if (x->symbol != NO_INDEX)
            assert_same_symbol(a, x->symbol, b, y->symbol);
    }
}

static void round_trip(uint64_t seed) {
    struct diag *d = diag_new(NULL, NULL);
    struct object *a = random_object(seed);
    struct str first = {0}, second = {0}, again = {0};
    if (!object_check(a, d, NO_SPAN))
        fail_msg("seed %llu: %s", (unsigned long long)seed, diag_first(d));
    object_write(a, &first);
    object_write(a, &again);
    assert_int_equal(first.len, again.len);
    assert_memory_equal(first.text, again.text, first.len);
    struct object *b = object_read("a.o", first.text, first.len, d);
    if (!b)
        fail_msg("seed %llu: %s", (unsigned long long)seed, diag_first(d));
    assert_same_program(a, b);
    assert_same_tables(a, b);
    assert_same_groups(a, b);
    assert_same_variables(a, b);
    assert_same_references(a, b);
    object_write(b, &second);
    assert_int_equal(first.len, second.len);
    assert_memory_equal(first.text, second.text, first.len);
    object_free(a);
    object_free(b);
    str_free(&first);
    str_free(&second);
    str_free(&again);
    diag_free(d);
}

static void random_objects_survive(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 1500; seed++)
        round_trip(seed);
}

/* What a file does not need is not in it. */
static void empty_object_is_small(void **state) {
    (void)state;
    struct object *o = object_new();
    struct str out = {0};
    o->linked = true;
    object_write(o, &out);
    struct diag *d = diag_new(NULL, NULL);
    struct object *back = object_read("empty.mpu", out.text, out.len, d);
    assert_non_null(back);
    assert_true(back->linked);
    assert_true(out.len < 700);
    assert_int_equal(out.text[60], 6); /* e_shnum: the empty one, note, text, two tables, names */
    object_free(o);
    object_free(back);
    str_free(&out);
    diag_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_as_text),          cmocka_unit_test(names_that_are_allowed),
        cmocka_unit_test(places_of_instructions), cmocka_unit_test(random_objects_survive),
        cmocka_unit_test(empty_object_is_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
