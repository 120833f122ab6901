// For each tasklet that waits the one behind it, of barriers and semaphores.
        .section .bss.wait_queue
        .globl  __wait_queue
__wait_queue: .space 24
