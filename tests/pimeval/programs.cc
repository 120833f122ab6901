// SPDX-License-Identifier: MIT
// programs [NAME...]: small programs on PIMeval's interface, all or these, on the machine that
// MPU_TARGET names.
#include "programs.h"

#include <cstring>

static bool wanted(const char *name, int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (!std::strcmp(argv[i], name))
            return true;
    return argc == 1;
}

int main(int argc, char **argv) {
    unsigned run = 0, failed = 0;
    for (const std::vector<Program> *list : {&programs_numbers, &programs_bits, &programs_places})
        for (const Program &program : *list) {
            if (!wanted(program.name, argc, argv))
                continue;
            // As programs ask for it, each for itself: 4 ranks of 128 banks.
            const bool well = pimCreateDevice(PIM_FUNCTIONAL, 4, 128, 32, 1024, 8192) == PIM_OK &&
                              program.run() && pimDeleteDevice() == PIM_OK;
            run++;
            failed += !well;
            std::printf("%s: %s\n", program.name, well ? "right" : "WRONG");
        }
    std::printf("%u programs, %u wrong\n", run, failed);
    return failed || !run;
}
