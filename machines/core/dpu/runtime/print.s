// vprintf(r0, r1): writes format r0 and its arguments, which lie from r1 on, into the log that
// dpu_log_read prints: 4 bytes each, 8 bytes aligned for %l.. and floating point (which is float64).
// The log is a ring in MRAM of STDOUT_BUFFER_SIZE bytes, a multiple of 8.
        .ifndef STDOUT_BUFFER_SIZE
        .set    STDOUT_BUFFER_SIZE, 65536
        .endif
        .text
        .globl  vprintf
        .type   vprintf, @function
vprintf:
        move    r13, r23
        move    r12, r0
        move    r11, r1
        acquire zero, __log_bit, nz, .
        move    r10, 0                          // bytes in __log_word
        move    r9, r12
// First the format, in which each piece of text is %s.
.L__log_format:
        lbu     r0, r9, 0
        jz      r0, .L__log_values
        jneq    r0, '%', .L__log_text
        lbu     r1, r9, 1
        jeq     r1, '%', .L__log_text
.L__log_copy:
        call    r23, .L__log_put
        add     r9, r9, 1
        lbu     r0, r9, 0
        jz      r0, .L__log_values
        jltu    r0, 'A', .L__log_copy
        jeq     r0, 'l', .L__log_copy
        call    r23, .L__log_put
        add     r9, r9, 1
        jump    .L__log_format
.L__log_text:
        move    r0, '%'
        call    r23, .L__log_put
        move    r0, 's'
        call    r23, .L__log_put
.L__log_skip:
        lbu     r0, r9, 0
        jz      r0, .L__log_values
        jneq    r0, '%', .L__log_skip_one
        lbu     r1, r9, 1
        jneq    r1, '%', .L__log_format
        add     r9, r9, 1
.L__log_skip_one:
        add     r9, r9, 1
        jump    .L__log_skip
// Then what stands in its place.
.L__log_values:
        move    r0, 0
        call    r23, .L__log_put
        move    r9, r12
.L__log_next:
        lbu     r0, r9, 0
        jz      r0, .L__log_fill
        jneq    r0, '%', .L__log_piece
        lbu     r1, r9, 1
        jeq     r1, '%', .L__log_piece
        move    r8, 0
.L__log_letter:
        add     r9, r9, 1
        lbu     r0, r9, 0
        jz      r0, .L__log_fill
        jltu    r0, 'A', .L__log_letter
        jneq    r0, 'l', .L__log_kind
        move    r8, 1
        jump    .L__log_letter
.L__log_kind:
        add     r9, r9, 1
        jeq     r0, 's', .L__log_string
        jeq     r0, 'c', .L__log_character
        or      r0, r0, 32
        jltu    r0, 'e', .L__log_number
        jleu    r0, 'g', .L__log_long
.L__log_number:
        jnz     r8, .L__log_long
        move    r7, 4
        jump    .L__log_bytes
.L__log_long:
        add     r11, r11, 7
        and     r11, r11, -8
        move    r7, 8
.L__log_bytes:
        lbu     r0, r11, 0
        call    r23, .L__log_put
        add     r11, r11, 1
        add     r7, r7, -1, nz, .L__log_bytes
        jump    .L__log_next
.L__log_character:
        lbu     r0, r11, 0
        call    r23, .L__log_put
        add     r11, r11, 4
        jump    .L__log_next
.L__log_string:
        lw      r6, r11, 0
        add     r11, r11, 4
.L__log_string_byte:
        lbu     r0, r6, 0
        call    r23, .L__log_put
        add     r6, r6, 1
        jnz     r0, .L__log_string_byte
        jump    .L__log_next
.L__log_piece:
        lbu     r0, r9, 0
        jz      r0, .L__log_piece_end
        jneq    r0, '%', .L__log_piece_byte
        lbu     r1, r9, 1
        jneq    r1, '%', .L__log_piece_end
        add     r9, r9, 1
.L__log_piece_byte:
        call    r23, .L__log_put
        add     r9, r9, 1
        jump    .L__log_piece
.L__log_piece_end:
        move    r0, 0
        call    r23, .L__log_put
        jump    .L__log_next
// A message is a multiple of 8 bytes.
.L__log_fill:
        jz      r10, .L__log_end
        move    r0, 0
        call    r23, .L__log_put
        jump    .L__log_fill
.L__log_end:
        release zero, __log_bit, nz, . + 1
        jump    r13
// The byte in r0, which stays; r1 to r3 do not.
.L__log_put:
        sb      r10, __log_word, r0
        add     r10, r10, 1
        jneq    r10, 8, .L__log_put_end
        move    r10, 0
        lw      r1, zero, __stdout_buffer_state
        move    r2, __stdout_buffer
        add     r2, r2, r1
        move    r3, __log_word
        sdma    r3, r2, 0
        add     r1, r1, 8
        lw      r2, zero, __stdout_buffer_size
        jltu    r1, r2, .L__log_put_on
        move    r1, 1
        sw      zero, __stdout_buffer_state + 4, r1
        move    r1, 0
.L__log_put_on:
        sw      zero, __stdout_buffer_state, r1
.L__log_put_end:
        jump    r23
        .section .data.stdout
        .balign 8
        .globl  __stdout_buffer, __stdout_buffer_size, __stdout_buffer_state
__stdout_buffer_state: .word 0, 0
__stdout_buffer_size: .word STDOUT_BUFFER_SIZE
        .section .bss.stdout
        .balign 8
__log_word: .space 8
        .section .mram.noinit
        .balign 8
__stdout_buffer: .space STDOUT_BUFFER_SIZE
        .section .atomic
__log_bit: .space 1
