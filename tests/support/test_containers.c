/* SPDX-License-Identifier: MIT */
#include "support/alloc.h"
#include "support/arena.h"
#include "support/bits.h"
#include "support/hash_table.h"
#include "support/map.h"
#include "support/str.h"
#include "support/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static void arena_memory_is_zeroed_aligned_and_disjoint(void **state) {
    (void)state;
    struct arena a = {0};
    uint64_t seed = 1;
    unsigned char *previous = NULL;
    size_t previous_size = 0;
    for (int i = 0; i < 5000; i++) {
        size_t size = splitmix64(&seed) % (i % 100 ? 200 : 100000);
        unsigned char *p = arena_alloc(&a, size);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 16, 0);
        for (size_t b = 0; b < size; b++)
            assert_int_equal(p[b], 0);
        memset(p, 0xff, size);
        if (previous_size)
            assert_true(p >= previous + previous_size || p + size <= previous);
        previous = p;
        previous_size = size;
    }
    arena_free(&a);
    assert_null(a.blocks);
}

static void arena_strings(void **state) {
    (void)state;
    struct arena a = {0};
    assert_string_equal(arena_strdup(&a, "abc"), "abc");
    assert_string_equal(arena_strndup(&a, "abcdef", 4), "abcd");
    assert_string_equal(arena_strndup(&a, "ab", 10), "ab");
    assert_string_equal(arena_printf(&a, "%d-%s", 7, "x"), "7-x");
    assert_string_equal(arena_printf(&a, "%0127d", 5) + 120, "0000005");
    assert_string_equal(arena_printf(&a, "%0128d", 5) + 120, "00000005");
    assert_string_equal(arena_name(&a, "$M", 0), "$M0");
    assert_string_equal(arena_name(&a, "", UINT64_MAX), "18446744073709551615");
    char *big = arena_printf(&a, "%070000d", 5);
    assert_int_equal(strlen(big), 70000);
    arena_free(&a);
}

/* Runs f in a child and returns its exit code. */
static int exit_code_of(void (*f)(void)) {
    pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        f();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void overflow_array(void) {
    struct arena a = {0};
    arena_array(&a, SIZE_MAX / 4, 8);
}

static void overflow_realloc(void) {
    xreallocarray(NULL, SIZE_MAX / 2, 3);
}

static void sizes_that_overflow_exit_with_3(void **state) {
    (void)state;
    assert_int_equal(exit_code_of(overflow_array), 3);
    assert_int_equal(exit_code_of(overflow_realloc), 3);
}

static void alloc_copies(void **state) {
    (void)state;
    char *s = xstrndup("hello", 3), *t = xstrdup("");
    assert_string_equal(s, "hel");
    assert_string_equal(t, "");
    free(s);
    free(t);
    int *zeros = xcalloc(4, sizeof *zeros);
    assert_int_equal(zeros[3], 0);
    free(zeros);
    free(xmalloc(0));
}

static void vec_grows_and_keeps_its_elements(void **state) {
    (void)state;
    VEC(uint32_t) v = {0};
    for (uint32_t i = 0; i < 10000; i++)
        vec_push(&v, i * 3);
    assert_int_equal(v.len, 10000);
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(v.data[i], i * 3);
    assert_int_equal(vec_last(&v), 9999 * 3);
    vec_clear(&v);
    assert_int_equal(v.len, 0);
    vec_reserve(&v, 50000);
    assert_true(v.cap >= 50000);
    vec_free(&v);
    assert_null(v.data);
}

static void str_appends(void **state) {
    (void)state;
    struct str s = {0};
    assert_string_equal(str_text(&s), "");
    str_append(&s, "ab");
    str_append_n(&s, "cdef", 2);
    str_char(&s, '-');
    str_printf(&s, "%03d", 7);
    assert_string_equal(s.text, "abcd-007");
    assert_int_equal(s.len, 8);
    for (int i = 0; i < 1000; i++)
        str_printf(&s, "%d,", i);
    assert_int_equal(strlen(s.text), s.len);
    str_clear(&s);
    assert_string_equal(str_text(&s), "");
    str_append_n(&s, "a\0b", 3);
    assert_int_equal(s.len, 3);
    assert_memory_equal(s.text, "a\0b", 4);
    str_free(&s);
    assert_int_equal(s.len, 0);
    for (int i = 0; i < 1000; i++) {
        char *at = str_extend(&s, 3);
        memcpy(at, "xyz", 3);
        assert_int_equal(strlen(s.text), (size_t)(3 * i + 3));
    }
    assert_int_equal(s.len, 3000);
    assert_memory_equal(s.text + 2997, "xyz", 4);
    str_free(&s);
}

static void map_finds_what_was_put(void **state) {
    (void)state;
    struct map m = {0};
    char key[32];
    assert_null(map_get(&m, "none"));
    for (unsigned i = 0; i < 20000; i++) {
        snprintf(key, sizeof key, "key%u", i * 7919);
        assert_true(map_put(&m, key, i));
    }
    assert_false(map_put(&m, "key7919", 1000000));
    assert_int_equal(m.len, 20000);
    for (unsigned i = 0; i < 20000; i++) {
        snprintf(key, sizeof key, "key%u", i * 7919);
        uint64_t *value = map_get(&m, key);
        assert_non_null(value);
        assert_int_equal(*value, i == 1 ? 1000000 : i);
        assert_string_equal(m.entries[i].key, key); /* order of insertion */
    }
    assert_int_equal(*map_add_n(&m, "key0", 4, 5), 0); /* as it was */
    assert_int_equal(*map_add_n(&m, "new", 3, 5), 5);
    assert_int_equal(map_number(&m, "newer", 5), 20001);
    assert_int_equal(map_number(&m, "newer", 5), 20001);
    assert_null(map_get(&m, "key1"));
    map_free(&m);
    assert_null(map_get(&m, "key0"));
}

static void map_keys_are_bytes(void **state) {
    (void)state;
    struct map m = {0};
    assert_true(map_put_n(&m, "a\0b", 3, 1));
    assert_true(map_put_n(&m, "a\0c", 3, 2));
    assert_true(map_put_n(&m, "a", 1, 3));
    assert_true(map_put_n(&m, "", 0, 4));
    assert_int_equal(*map_get_n(&m, "a\0b", 3), 1);
    assert_int_equal(*map_get_n(&m, "a\0c", 3), 2);
    assert_int_equal(*map_get(&m, "a"), 3);
    assert_int_equal(*map_get(&m, ""), 4);
    map_free(&m);
}

/* Keys whose differences lie in low, middle and high bits, as registers of VRFs and lanes do. */
static void table_finds_what_was_put(void **state) {
    (void)state;
    for (unsigned shift = 0; shift < 64; shift += 9) {
        HASH_TABLE(uint64_t, uint32_t) t = {0};
        uint64_t key = 5;
        assert_null(hash_table_get(&t, &key));
        for (uint32_t i = 0; i < 128; i++) {
            key = (uint64_t)i << shift | (shift > 56 ? i : 0);
            uint32_t *value = hash_table_put(&t, &key);
            assert_int_equal(*value, 0);
            *value = i + 1;
            assert_int_equal(t.table.count, i + 1);
        }
        for (uint32_t i = 0; i < 128; i++) {
            key = (uint64_t)i << shift | (shift > 56 ? i : 0);
            assert_int_equal(*(uint32_t *)hash_table_get(&t, &key), i + 1);
            assert_int_equal(*(uint32_t *)hash_table_put(&t, &key), i + 1);
        }
        key = UINT64_C(0x123456789abcdef);
        assert_null(hash_table_get(&t, &key));
        assert_int_equal(t.table.count, 128);
        hash_table_free(&t);
        assert_null(hash_table_get(&t, &key));
    }
}

static void table_keys_are_records(void **state) {
    struct key {
        uint8_t bytes[11];
    };
    (void)state;
    HASH_TABLE(struct key, uint8_t) t = {0};
    for (unsigned at = 0; at < 11; at++)
        for (unsigned byte = 1; byte < 256; byte++) {
            struct key key = {{0}};
            key.bytes[at] = (uint8_t)byte;
            *(uint8_t *)hash_table_put(&t, &key) = (uint8_t)(byte ^ at);
        }
    assert_int_equal(t.table.count, 11 * 255);
    for (unsigned at = 0; at < 11; at++) {
        struct key key = {{0}};
        key.bytes[at] = 200;
        assert_int_equal(*(uint8_t *)hash_table_get(&t, &key), 200 ^ at);
    }
    hash_table_free(&t);
}

/* What was in it before does not come back, even when rounds begin anew. */
static void table_is_cleared(void **state) {
    (void)state;
    HASH_TABLE(uint32_t, uint32_t) t = {0};
    uint32_t a = 1, b = 2;
    hash_table_clear(&t);
    assert_null(hash_table_get(&t, &a));
    *(uint32_t *)hash_table_put(&t, &a) = 10;
    size_t room = t.table.room;
    hash_table_clear(&t);
    assert_null(hash_table_get(&t, &a));
    t.table.round = UINT32_MAX;
    *(uint32_t *)hash_table_put(&t, &b) = 20;
    assert_null(hash_table_get(&t, &a));
    hash_table_clear(&t);
    assert_null(hash_table_get(&t, &a));
    assert_null(hash_table_get(&t, &b));
    assert_int_equal(*(uint32_t *)hash_table_put(&t, &b), 0);
    assert_int_equal(t.table.room, room);
    for (uint32_t i = 0; i < 100; i++)
        hash_table_put(&t, &i);
    assert_int_equal(t.table.count, 100);
    hash_table_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_memory_is_zeroed_aligned_and_disjoint),
        cmocka_unit_test(arena_strings),
        cmocka_unit_test(sizes_that_overflow_exit_with_3),
        cmocka_unit_test(alloc_copies),
        cmocka_unit_test(vec_grows_and_keeps_its_elements),
        cmocka_unit_test(str_appends),
        cmocka_unit_test(map_finds_what_was_put),
        cmocka_unit_test(map_keys_are_bytes),
        cmocka_unit_test(table_finds_what_was_put),
        cmocka_unit_test(table_keys_are_records),
        cmocka_unit_test(table_is_cleared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
