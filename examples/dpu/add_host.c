/* SPDX-License-Identifier: MIT
 * A host of UPMEM's SDK: adds 3 to numbers in four DPUs, with the program examples/dpu/add.s.
 *   mpu-as --syntax=dpu add.s -o add.elf; cc add_host.c -lmpu; ./a.out add.elf */
#include <mpu/dpu.h>

#define DPUS 4
#define EACH 1024
static int32_t numbers[DPUS][EACH];

int main(int argc, char **argv) {
    struct dpu_set_t set, dpu;
    uint32_t i, wrong = 0, zeros = 0;
    int32_t amount = 3, count = EACH;
    mpu_dpu_times took;
    DPU_ASSERT(dpu_alloc(DPUS, NULL, &set));
    DPU_ASSERT(dpu_load(set, argc > 1 ? argv[1] : "add.elf", NULL));
    for (int32_t n = 0; n < DPUS * EACH; n++)
        numbers[n / EACH][n % EACH] = n - 100;
    DPU_ASSERT(dpu_broadcast_to(set, "amount", 0, &amount, sizeof amount, DPU_XFER_DEFAULT));
    DPU_ASSERT(dpu_broadcast_to(set, "count", 0, &count, sizeof count, DPU_XFER_DEFAULT));
    DPU_FOREACH(set, dpu, i) {
        DPU_ASSERT(dpu_prepare_xfer(dpu, numbers[i]));
    }
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, sizeof numbers[0],
                             DPU_XFER_NO_RESET));
    DPU_ASSERT(dpu_launch(set, DPU_ASYNCHRONOUS));
    DPU_ASSERT(dpu_sync(set));
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0,
                             sizeof numbers[0], DPU_XFER_DEFAULT));
    DPU_FOREACH(set, dpu) {
        uint32_t some[8];
        DPU_ASSERT(dpu_copy_from(dpu, "zeros", 0, some, sizeof some));
        for (int t = 0; t < 8; t++)
            zeros += some[t];
    }
    for (int32_t n = 0; n < DPUS * EACH; n++)
        wrong += numbers[n / EACH][n % EACH] != n - 97;
    mpu_dpu_time(set, &took);
    printf("%s; %u became 0; %.1f us, and %.1f us for the launch\n",
           wrong ? "WRONG" : "Outputs are equal", zeros, (double)took.kernel_ps / 1e6,
           (double)took.launch_ps / 1e6);
    DPU_ASSERT(dpu_free(set));
    return wrong != 0;
}
