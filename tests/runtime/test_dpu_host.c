/* SPDX-License-Identifier: MIT
 * Host programs of DPUs: what mpu/dpu.h does, what it refuses and how, and the log. */
#include "machines/core/dpu/dpu.h"
#include "runtime/include/mpu/dpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <malloc.h>
#include <string.h>

static char said[512]; /* the last message */
static void keep(const char *text) {
    snprintf(said, sizeof said, "%s", text);
}
static struct str assembled(const char *text) {
    struct str file = {0};
    struct diag *d = diag_new(NULL, NULL);
    struct dpu_program *p = dpu_assemble("test.s", text, strlen(text), d);
    if (!p)
        fail_msg("%s", diag_first(d));
    dpu_program_write(p, &file);
    dpu_program_free(p);
    diag_free(d);
    return file;
}
static struct dpu_set_t loaded(uint32_t count, const char *text) {
    struct dpu_set_t set;
    struct str file = assembled(text);
    assert_int_equal(mpu_dpu_alloc(count, NULL, NULL, &set, keep), DPU_OK);
    assert_int_equal(mpu_dpu_load_bytes(set, file.text, file.len, NULL, keep), DPU_OK);
    str_free(&file);
    return set;
}
/* Doubles a word, and has room in MRAM. */
static const char doubles[] = ".data\n x: .word 5, 6\n .size x, 8\n .mram\n m: .space 64\n"
                              " .size m, 64\n__sys_used_mram_end:\n.text\n lw r0, zero, x\n"
                              " add r0, r0, r0\n sw zero, x, r0\nend: stop true, end\n";
static void expect(dpu_error_t found, dpu_error_t code, const char *text) {
    assert_int_equal(found, code);
    if (!strstr(said, text))
        fail_msg("'%s' is not in '%s'", text, said);
}

static void sets_and_ranks(void **state) {
    (void)state;
    struct dpu_set_t set, rank, dpu;
    uint32_t ranks = 0, count = 0, n, i;
    assert_int_equal(dpu_alloc(130, NULL, &set), DPU_OK);
    assert_int_equal(dpu_get_nr_ranks(set, &n), DPU_OK);
    assert_int_equal(n, 3);
    DPU_RANK_FOREACH(set, rank) {
        dpu_get_nr_dpus(rank, &n);
        assert_int_equal(n, ranks < 2 ? 64 : 2);
        DPU_FOREACH(rank, dpu, i)
        count += dpu.first == 64 * ranks + i;
        ranks++;
    }
    assert_int_equal(ranks, 3);
    assert_int_equal(count, 130);
    /* Far behind the last. */
    assert_false(mpu_dpu_part(set, true, UINT32_MAX / MPU_DPU_RANK + 1, &dpu));
    assert_false(mpu_dpu_part(rank, false, UINT32_MAX, &dpu));
    expect(mpu_dpu_free(rank, keep), DPU_ERR_INVALID_DPU_SET, "all together");
    assert_int_equal(dpu_free(set), DPU_OK);
    expect(mpu_dpu_alloc(2561, NULL, NULL, &set, keep), DPU_ERR_ALLOCATION, "the machine has 2560");
    expect(mpu_dpu_alloc(0, NULL, NULL, &set, keep), DPU_ERR_ALLOCATION, "0 DPUs");
    expect(mpu_dpu_alloc(1, "mhz=0", NULL, &set, keep), DPU_ERR_INVALID_PROFILE, "'mhz'");
    expect(mpu_dpu_alloc(1, "speed=3", NULL, &set, keep), DPU_ERR_INVALID_PROFILE, "no 'speed'");
    expect(mpu_dpu_alloc(1, NULL, "mhz", &set, keep), DPU_ERR_INVALID_PROFILE, "no name=value");
    expect(mpu_dpu_alloc(1, "link=fast", NULL, &set, keep), DPU_ERR_INVALID_PROFILE, "'fast'");
    expect(mpu_dpu_alloc(1, "threads=257", NULL, &set, keep), DPU_ERR_INVALID_PROFILE, "'257'");
    expect(mpu_dpu_alloc(1, "stats=", NULL, &set, keep), DPU_ERR_INVALID_PROFILE, "'stats'");
    expect(mpu_dpu_alloc(1, "target=nobody", NULL, &set, keep), DPU_ERR_INVALID_PROFILE,
           "no target is called 'nobody'");
    expect(mpu_dpu_alloc(1, "dpu.tasklets=25", NULL, &set, keep), DPU_ERR_INVALID_PROFILE,
           "outside 1 .. 24");
    expect(mpu_dpu_alloc(1, "dpu.speed=25", NULL, &set, keep), DPU_ERR_INVALID_PROFILE,
           "'dpu.speed'");
    expect(mpu_dpu_alloc(513, "machine.mpus=1", NULL, &set, keep), DPU_ERR_ALLOCATION,
           "the machine has 512");
    assert_int_equal(mpu_dpu_alloc(DPU_ALLOCATE_ALL, "machine.mpus=6", NULL, &set, keep), DPU_OK);
    assert_int_equal(set.count, 3072);
    dpu_free(set);
    assert_int_equal(mpu_dpu_alloc(1, "backend=simulator,link=recalled", "threads=1", &set, keep),
                     DPU_OK);
    dpu_free(set);
}
static void transfers(void **state) {
    (void)state;
    struct dpu_set_t set = loaded(3, doubles), dpu;
    uint32_t words[3][2] = {{1, 10}, {2, 20}, {3, 30}}, i;
    uint64_t wide[8] = {0};
    struct dpu_symbol_t x, m, end;
    mpu_dpu_times took;
    DPU_FOREACH(set, dpu, i)
    assert_int_equal(dpu_prepare_xfer(dpu, words[i]), DPU_OK);
    assert_int_equal(dpu_push_xfer(set, DPU_XFER_TO_DPU, "x", 0, 8, DPU_XFER_NO_RESET), DPU_OK);
    assert_int_equal(dpu_launch(set, DPU_SYNCHRONOUS), DPU_OK);
    assert_int_equal(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "x", 0, 8, DPU_XFER_DEFAULT), DPU_OK);
    for (i = 0; i < 3; i++) {
        assert_int_equal(words[i][0], 2 * (i + 1));
        assert_int_equal(words[i][1], 10 * (i + 1));
    }
    /* 150 us a launch, four instructions of one tasklet; rates of 3 DPUs. */
    mpu_dpu_time(set, &took);
    assert_int_equal(took.launches, 1);
    assert_int_equal(took.launch_ps, 150000000);
    assert_in_range(took.kernel_ps, 34 * 2857, 34 * 2858);
    assert_int_equal(took.to_dpu_bytes, 24);
    assert_int_equal(took.from_dpu_bytes, 24);
    assert_true(took.from_dpu_ps > 3 * took.to_dpu_ps);
    /* What was prepared is gone: nothing is moved. */
    words[0][0] = 77;
    assert_int_equal(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "x", 0, 8, DPU_XFER_DEFAULT), DPU_OK);
    assert_int_equal(words[0][0], 77);
    assert_int_equal(mpu_dpu_symbol_of(set, "x", &x, keep), DPU_OK);
    assert_int_equal(mpu_dpu_symbol_of(set, "m", &m, keep), DPU_OK);
    assert_int_equal(mpu_dpu_symbol_of(set, DPU_MRAM_HEAP_POINTER_NAME, &end, keep), DPU_OK);
    expect(mpu_dpu_symbol_of(set, "y", &m, keep), DPU_ERR_UNKNOWN_SYMBOL, "no symbol 'y'");
    expect(mpu_dpu_copy_to(set, x, 4, wide, 8, keep), DPU_ERR_INVALID_SYMBOL_ACCESS, "which has 8");
    expect(mpu_dpu_copy_to(set, x, 0, wide, 3, keep), DPU_ERR_INVALID_WRAM_ACCESS, "of 4");
    expect(mpu_dpu_copy_to(set, m, 0, wide, 12, keep), DPU_ERR_INVALID_MRAM_ACCESS, "of 8");
    expect(mpu_dpu_copy_to(set, end, 64 << 20, wide, 64, keep), DPU_ERR_INVALID_MRAM_ACCESS,
           "beyond MRAM");
    expect(mpu_dpu_copy_from(set, m, 0, wide, 64, keep), DPU_ERR_INVALID_DPU_SET, "one DPU");
    expect(mpu_dpu_push(set, (dpu_xfer_t)7, m, 0, 8, 0, keep), DPU_ERR_INVALID_MEMORY_TRANSFER,
           "no transfer 7");
    expect(mpu_dpu_copy_to(set, x, 12, wide, 0, keep), DPU_ERR_INVALID_SYMBOL_ACCESS, "beyond");
    expect(mpu_dpu_copy_to(set, (struct dpu_symbol_t){DPU_AT_TEXT, 0}, 0, wide, 8, keep),
           DPU_ERR_INVALID_SYMBOL_ACCESS, "no memory that the host can reach");
    expect(mpu_dpu_refuse("dpu_push_sg_xfer", keep), DPU_ERR_INTERNAL, "dpu_push_sg_xfer");
    assert_int_equal(dpu_push_sg_xfer(set, DPU_XFER_TO_DPU, "m", 0, 8, NULL, DPU_XFER_DEFAULT),
                     DPU_ERR_INTERNAL);
    assert_int_equal(dpu_callback(set, NULL, NULL, 0), DPU_ERR_INTERNAL);
    dpu_free(set);
}
static void launches(void **state) {
    (void)state;
    struct dpu_set_t set, dpu;
    struct str bad;
    mpu_dpu_times took;
    bool done, fault;
    assert_int_equal(dpu_alloc(2, NULL, &set), DPU_OK);
    expect(mpu_dpu_launch(set, DPU_SYNCHRONOUS, keep), DPU_ERR_INVALID_DPU_SET,
           "no program is loaded into DPU 0");
    expect(mpu_dpu_load(set, "/nowhere/at/all", NULL, keep), DPU_ERR_ELF_NO_SUCH_FILE, "nowhere");
    expect(mpu_dpu_load_bytes(set, "\177ELF", 4, NULL, keep), DPU_ERR_ELF_INVALID_FILE, "program");
    bad = assembled("lw r0, zero, 3\nend: stop true, end\n");
    mpu_dpu_part(set, false, 1, &dpu);
    assert_int_equal(mpu_dpu_load_bytes(dpu, bad.text, bad.len, NULL, keep), DPU_OK);
    expect(mpu_dpu_launch(set, DPU_SYNCHRONOUS, keep), DPU_ERR_INVALID_DPU_SET, "DPU 0");
    expect(mpu_dpu_launch(dpu, DPU_SYNCHRONOUS, keep), DPU_ERR_DPU_FAULT,
           "'program', DPU 1, tasklet 0 at instruction 0");
    assert_int_equal(mpu_dpu_launch(dpu, DPU_ASYNCHRONOUS, keep), DPU_OK);
    assert_int_equal(dpu_status(dpu, &done, &fault), DPU_OK);
    assert_true(done && fault);
    expect(mpu_dpu_sync(set, NULL, keep), DPU_ERR_DPU_FAULT, "no multiple of 4");
    expect(mpu_dpu_launch(dpu, (dpu_launch_policy_t)9, keep), DPU_ERR_INVALID_LAUNCH_POLICY, "9");
    str_free(&bad);
    dpu_free(set);
    /* Code that loops for ever. */
    bad = assembled("loop: jump loop\n");
    assert_int_equal(dpu_alloc(1, "watchdog=1000000", &set), DPU_OK);
    assert_int_equal(mpu_dpu_load_bytes(set, bad.text, bad.len, NULL, keep), DPU_OK);
    expect(mpu_dpu_launch(set, DPU_SYNCHRONOUS, keep), DPU_ERR_DPU_FAULT,
           "still running after 1000000");
    /* What it did until then is counted, and took its time. */
    mpu_dpu_time(set, &took);
    assert_int_equal(took.instructions, 1000000);
    assert_in_range(took.kernel_ps, (11000000 - 11) * UINT64_C(2857), 11000000 * UINT64_C(2857));
    str_free(&bad);
    dpu_free(set);
    /* A tasklet that there is not. */
    set = loaded(1, "move r0, 24\n boot r0, 0\nend: stop true, end\n");
    expect(mpu_dpu_launch(set, DPU_SYNCHRONOUS, keep), DPU_ERR_DPU_FAULT, "no tasklet 24");
    dpu_free(set);
}

/* Each rank has a program of its own; all are launched at once, which is one launch. */
static const char triples[] = ".data\n x: .word 5, 6\n .size x, 8\n .mram\n m: .space 64\n"
                              " .size m, 64\n.text\n lw r0, zero, x\n lsl_add r0, r0, r0, 1\n"
                              " sw zero, x, r0\nend: stop true, end\n";
static uint32_t word_of(struct dpu_set_t set, uint32_t number, const char *name) {
    struct dpu_set_t dpu;
    uint32_t value = 0;
    assert_true(mpu_dpu_part(set, false, number, &dpu));
    assert_int_equal(dpu_copy_from(dpu, name, 0, &value, sizeof value), DPU_OK);
    return value;
}
static void programs_of_ranks(void **state) {
    struct dpu_set_t set = loaded(130, doubles), rank;
    struct str file = assembled(triples);
    struct dpu_program_t *first;
    struct dpu_symbol_t x;
    mpu_dpu_times took;
    uint64_t mark = 0x1122334455667788;
    (void)state;
    assert_true(mpu_dpu_part(set, true, 1, &rank));
    assert_int_equal(mpu_dpu_load_bytes(rank, file.text, file.len, &first, keep), DPU_OK);
    expect(mpu_dpu_symbol_of(set, "x", &x, keep), DPU_ERR_DIFFERENT_DPU_PROGRAMS, "0 and 64");
    assert_int_equal(dpu_launch(set, DPU_ASYNCHRONOUS), DPU_OK);
    assert_int_equal(dpu_sync(set), DPU_OK);
    assert_int_equal(word_of(set, 0, "x"), 10);
    assert_int_equal(word_of(set, 63, "x"), 10);
    assert_int_equal(word_of(set, 64, "x"), 15);
    assert_int_equal(word_of(set, 127, "x"), 15);
    assert_int_equal(word_of(set, 129, "x"), 10);
    mpu_dpu_time(set, &took);
    assert_int_equal(took.launches, 1);
    assert_int_equal(took.launch_ps, 150000000);
    assert_in_range(took.kernel_ps, 34 * 2857, 34 * 2858);
    assert_int_equal(took.instructions, 130 * 4);
    assert_int_equal(dpu_launch(rank, DPU_SYNCHRONOUS), DPU_OK);
    assert_int_equal(word_of(set, 64, "x"), 45);
    assert_int_equal(word_of(set, 128, "x"), 10);
    /* Loaded again, WRAM is as in the file, and MRAM stays that no section of it has. */
    assert_int_equal(mpu_dpu_symbol(first, "m", &x, keep), DPU_OK);
    x = (struct dpu_symbol_t){x.address + 1024, 0};
    assert_int_equal(dpu_copy_to_symbol(rank, x, 0, &mark, sizeof mark), DPU_OK);
    assert_int_equal(mpu_dpu_load_bytes(set, file.text, file.len, NULL, keep), DPU_OK);
    assert_int_equal(word_of(set, 64, "x"), 5);
    mark = 0;
    assert_true(mpu_dpu_part(set, false, 100, &rank));
    assert_int_equal(dpu_copy_from_symbol(rank, x, 0, &mark, sizeof mark), DPU_OK);
    assert_true(mark == 0x1122334455667788);
    str_free(&file);
    dpu_free(set);
}

/* Hosts load in a loop, one program or two by turns, with or without asking for their handles:
 * memory does not grow with the number of loads. */
static void loads_in_a_loop(void **state) {
    struct dpu_set_t set = loaded(2, doubles);
    struct str files[2] = {assembled(doubles), assembled(triples)};
    struct dpu_program_t *program = NULL;
    struct dpu_symbol_t x;
    size_t before = 0;
    (void)state;
    for (uint32_t i = 0; i < 1200; i++) {
        struct str *file = &files[i / 3 % 2];
        assert_int_equal(
            mpu_dpu_load_bytes(set, file->text, file->len, i % 2 ? &program : NULL, keep), DPU_OK);
        if (i % 2) {
            assert_int_equal(mpu_dpu_symbol(program, "x", &x, keep), DPU_OK);
            assert_int_equal(dpu_launch(set, DPU_SYNCHRONOUS), DPU_OK);
            assert_int_equal(word_of(set, 1, "x"), file == &files[0] ? 10 : 15);
        }
        if (i == 600) /* what is kept has its size by then */
            before = mallinfo2().uordblks;
    }
    assert_in_range(mallinfo2().uordblks, 0, before + 20000);
    str_free(&files[0]);
    str_free(&files[1]);
    dpu_free(set);
}

/* Clocks, launches and the link are the target's. */
static void figures_of_targets(void **state) {
    static const struct {
        const char *profile;
        uint32_t dpus;
        uint64_t period_ps, launch_ps, to, from, all; /* bytes a second */
    } cases[] = {
        {NULL, 1, 2857, 150000000, 560000000, 109000000, 560000000},
        {NULL, 4, 2857, 150000000, 1610000000, 415000000, 1610000000},
        {NULL, 8, 2857, 150000000, 1932666552, 559754410, 1932666552},
        {NULL, 16, 2857, 150000000, 2320000000, 755000000, 2320000000},
        {NULL, 64, 2857, 150000000, 3850000000, 1600000000, 3850000000},
        {NULL, 128, 2857, 150000000, 3850000000, 1600000000, 3850000000},
        {"link=recalled", 64, 2857, 150000000, 6680000000, 4740000000, 16880000000},
        {"link=recalled", 1, 2857, 150000000, 330000000, 120000000, 330000000},
        {"target=upmem-dappa", 64, 2222, 150000000, 3850000000, 1600000000, 3850000000},
        {"mhz=500", 1, 2000, 150000000, 560000000, 109000000, 560000000},
        {"control.launch_ps=7,clocks.datapath_ps=3000", 1, 3000, 7, 560000000, 109000000,
         560000000},
    };
    static uint64_t words[128][8];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dpu_set_t set, dpu;
        struct str file = assembled(doubles);
        mpu_dpu_times took, next;
        uint32_t n;
        const uint64_t moved = UINT64_C(1000000000000) * 64 * cases[i].dpus;
        assert_int_equal(mpu_dpu_alloc(cases[i].dpus, cases[i].profile, NULL, &set, keep), DPU_OK);
        assert_int_equal(mpu_dpu_load_bytes(set, file.text, file.len, NULL, keep), DPU_OK);
        str_free(&file);
        DPU_FOREACH(set, dpu, n)
        dpu_prepare_xfer(dpu, words[n]);
        assert_int_equal(dpu_push_xfer(set, DPU_XFER_TO_DPU, "m", 0, 64, DPU_XFER_NO_RESET),
                         DPU_OK);
        assert_int_equal(dpu_launch(set, DPU_SYNCHRONOUS), DPU_OK);
        assert_int_equal(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "m", 0, 64, DPU_XFER_DEFAULT),
                         DPU_OK);
        mpu_dpu_time(set, &took);
        assert_int_equal(took.kernel_ps, 34 * cases[i].period_ps);
        assert_int_equal(took.launch_ps, cases[i].launch_ps);
        assert_int_equal(took.to_dpu_ps, (moved - 1) / cases[i].to + 1);
        assert_int_equal(took.from_dpu_ps, (moved - 1) / cases[i].from + 1);
        assert_int_equal(dpu_broadcast_to(set, "m", 0, words[0], 64, DPU_XFER_DEFAULT), DPU_OK);
        mpu_dpu_time(set, &next);
        assert_int_equal(next.to_dpu_ps - took.to_dpu_ps, (moved - 1) / cases[i].all + 1);
        dpu_free(set);
    }
}
/* Messages as the runtime of UPMEM's SDK leaves them, the last in a ring that has gone round. */
static void logs(void **state) {
    (void)state;
    static const char fresh[] =
        ".data\n__stdout_buffer_size: .word 64\n.balign 8\n"
        "__stdout_buffer_state: .word 40, 0\n.mram\n__stdout_buffer:\n"
        " .ascii \"%s%-4d%s%lx%c\"\n .byte 0\n .asciz \"a \"\n .byte 254, 255, 255, 255\n"
        " .asciz \"| \"\n .byte 1, 0, 0, 0, 2, 0, 0, 0\n .ascii \"!\"\n"
        ".balign 8\n .space 24\n.text\nend: stop true, end\n";
    struct dpu_set_t set = loaded(1, fresh);
    char *text = NULL;
    assert_int_equal(mpu_dpu_log(set, &text, keep), DPU_OK);
    assert_string_equal(text, "a -2  | 200000001!");
    mpu_string_free(text);
    dpu_free(set);
    set = loaded(1, ".data\n__stdout_buffer_size: .word 16\n.balign 8\n"
                    "__stdout_buffer_state: .word 8, 1\n.mram\n__stdout_buffer:\n"
                    " .ascii \"%s\"\n .byte 0\n .ascii \"new\"\n .byte 0, 0\n"
                    " .ascii \"%s\"\n .byte 0\n .ascii \"old\"\n .byte 10, 0\n"
                    ".text\nend: stop true, end\n");
    assert_int_equal(mpu_dpu_log(set, &text, keep), DPU_OK);
    assert_string_equal(text, "old\nnew");
    mpu_string_free(text);
    dpu_free(set);
    /* The oldest message is cut: what follows it is there, and the loss is said. */
    set = loaded(1, ".data\n__stdout_buffer_size: .word 40\n.balign 8\n"
                    "__stdout_buffer_state: .word 8, 1\n.mram\n__stdout_buffer:\n"
                    " .ascii \"%s\"\n .byte 0\n .ascii \"new\"\n .byte 0, 0\n"
                    " .ascii \"cut off\"\n .byte 0\n .byte 5, 0, 0, 0, 9, 9, 9, 9\n"
                    " .ascii \"%s%x\"\n .byte 0\n .asciz \"old\"\n .word 0xab\n .balign 8\n"
                    ".text\nend: stop true, end\n");
    assert_int_equal(mpu_dpu_log(set, &text, keep), DPU_OK);
    assert_string_equal(text, "oldabnew");
    assert_non_null(strstr(said, "DPU 0 went round its 40 bytes: what was printed before is lost, "
                                 "and 16 bytes of a message that is cut"));
    mpu_string_free(text);
    dpu_free(set);
    set = loaded(1, doubles);
    expect(mpu_dpu_log(set, &text, keep), DPU_ERR_LOG_CONTEXT_MISSING, "prints nothing");
    dpu_free(set);
    set = loaded(1, ".data\n__stdout_buffer_size: .word 16\n.balign 8\n"
                    "__stdout_buffer_state: .word 8, 0\n.mram\n__stdout_buffer:\n"
                    " .ascii \"%d%y\"\n.space 12\n.text\nend: stop true, end\n");
    text = NULL;
    expect(mpu_dpu_log(set, &text, keep), DPU_ERR_LOG_FORMAT, "cannot be read");
    mpu_string_free(text);
    dpu_free(set);
    /* A width of a gigabyte; one of three digits and a precision are fine. */
    static const char *const widths[] = {"%999999999d", "%.99999d", "%123.4d"};
    for (unsigned i = 0; i < 3; i++) {
        char source[400];
        snprintf(source, sizeof source,
                 ".data\n__stdout_buffer_size: .word 24\n.balign 8\n"
                 "__stdout_buffer_state: .word 16, 0\n.mram\n__stdout_buffer:\n"
                 " .asciz \"%s\"\n .word 7\n.space 20\n.text\nend: stop true, end\n",
                 widths[i]);
        set = loaded(1, source);
        text = NULL;
        if (i < 2)
            expect(mpu_dpu_log(set, &text, keep), DPU_ERR_LOG_FORMAT, "cannot be read");
        else
            assert_int_equal(mpu_dpu_log(set, &text, keep), DPU_OK);
        assert_true(i < 2 || (strlen(text) == 123 && strcmp(text + 119, "0007") == 0));
        mpu_string_free(text);
        dpu_free(set);
    }
}
/* A file within the program; this one is none of a DPU. */
DPU_INCBIN(this_text, __FILE__)
static void files_within_the_program(void **state) {
    (void)state;
    struct dpu_set_t set;
    struct dpu_program_t *program = NULL;
    struct dpu_symbol_t x;
    struct str file = assembled(doubles);
    struct dpu_incbin_t whole = {(uint8_t *)file.text, file.len, "doubles"};
    assert_int_equal(dpu_alloc(1, "nrDpusPerCI=8,disableSafeChecks=true", &set), DPU_OK);
    int wrong = 0;
    DPU_CHECK(dpu_load_from_incbin(set, &this_text, NULL), wrong++);
    assert_int_equal(wrong, 1);
    DPU_CHECK(dpu_load_from_incbin(set, &whole, &program), wrong++);
    DPU_CHECK(dpu_get_symbol(program, "x", &x), wrong++);
    assert_int_equal(wrong, 1);
    assert_int_equal(x.size, 8);
    dpu_free(set);
    str_free(&file);
    assert_string_equal(this_text.path, __FILE__);
    FILE *f = fopen(__FILE__, "rb");
    char *bytes = malloc(this_text.size + 1);
    assert_true(f && bytes);
    assert_int_equal(fread(bytes, 1, this_text.size + 1, f), this_text.size);
    assert_memory_equal(bytes, this_text.buffer, this_text.size);
    free(bytes);
    fclose(f);
}
/* Each code has a text of its own. */
static void codes(void **state) {
    (void)state;
    for (int i = 0; i <= DPU_ERR_LOG_BUFFER_TOO_SMALL; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(dpu_error_to_string((dpu_error_t)i),
                                    dpu_error_to_string((dpu_error_t)j));
    assert_string_equal(dpu_error_to_string((dpu_error_t)1000), "unknown error");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sets_and_ranks),
                                       cmocka_unit_test(transfers),
                                       cmocka_unit_test(launches),
                                       cmocka_unit_test(programs_of_ranks),
                                       cmocka_unit_test(loads_in_a_loop),
                                       cmocka_unit_test(figures_of_targets),
                                       cmocka_unit_test(logs),
                                       cmocka_unit_test(files_within_the_program),
                                       cmocka_unit_test(codes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
