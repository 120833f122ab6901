// SPDX-License-Identifier: MIT
// Random calls of PIMeval's interface, beside the same on arrays of the host (pim_model.h): all
// types, layouts, lengths, ranges, scalars on both sides of the type, views with inverted bits,
// operands that are one object, and calls that are refused, which write nothing.  A run is a device
// with a few objects and a hundred calls.
// test_pimeval_random SEED RUNS TARGET
#include "tests/draws.h"
#include "tests/pimeval/pim_objects.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#if defined(MPU_SANITIZED) && defined(__SANITIZE_ADDRESS__)
extern "C" void __lsan_do_leak_check(void);
#endif

using namespace drawn;

static bool run(uint64_t number, const char *target) {
    seed(number);
    trouble.clear();
    setenv("MPU_TARGET", target, 1);
    const bool rows = below(2);
    if (pimCreateDevice(rows ? PIM_DEVICE_BANK_LEVEL : PIM_FUNCTIONAL, 1, 2, 4, 1024, 8192) !=
        PIM_OK)
        return false;
    make_objects(rows);
    for (step = 0; step < 100 && trouble.empty(); step++)
        call_something();
    for (const Object &o : objects)
        check(o, 0, 0);
    status_is("DeleteDevice", pimDeleteDevice(), true);
    if (!trouble.empty())
        std::fprintf(stderr, "%s, seed %" PRIu64 ": %s\n", target, number, trouble.c_str());
    return trouble.empty();
}

int main(int argc, char **argv) {
    // Machines on which a call takes long get fewer.
    static const struct {
        const char *target;
        unsigned share;
    } machines[] = {{"racer", 4}, {"mimdram", 2}, {"duality-cache", 4}, {"pypim", 1}};
    bool well = true;
    uint64_t number = 1;
    const unsigned long runs = argc == 4 ? std::strtoul(argv[2], nullptr, 0) : 0;
    for (unsigned long i = 0; i < runs; i++)
        well &= run(std::strtoull(argv[1], nullptr, 0) + i, argv[3]);
    for (const auto &machine : machines)
        for (unsigned i = 0; argc != 4 && i < draws(DRAWS_PIMEVAL_RUNS) * machine.share; i++)
            well &= run(number++, machine.target);
    std::fflush(stdout);
#if defined(MPU_SANITIZED) && defined(__SANITIZE_ADDRESS__)
    __lsan_do_leak_check();
#endif
    std::_Exit(!well); // calls were refused, so that returning would be a failure
}
