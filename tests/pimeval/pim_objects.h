/* SPDX-License-Identifier: MIT
 * For the random calls of PIMeval's interface: numbers and objects that are drawn, each beside what
 * it has to hold. */
#ifndef TESTS_PIMEVAL_PIM_OBJECTS_H
#define TESTS_PIMEVAL_PIM_OBJECTS_H

#include "tests/pimeval/pim_model.h"

#include <string>

namespace drawn {

struct Object {
    PimObjId id;
    unsigned group;
    int original; // of a view: where in `objects` what it shows is; else -1
    model::Values values;
};
extern std::vector<Object> objects;
extern std::string trouble; /* the first that was found; empty: none */
extern unsigned long step;  /* the number of the call */

void seed(uint64_t number);
uint64_t draw();
uint64_t below(uint64_t bound);

/* What is wrong, by a format of a text and two numbers. */
void wrong(const char *format, const char *what, uint64_t got, uint64_t want);
void status_is(const char *call, PimStatus got, bool well);

/* Values at the ends of the type, small ones, and any. */
uint64_t element(PimDataType type);
/* Of all 64 bits: numbers of the type, beside it, and those that a C++ int becomes. */
uint64_t scalar_for(PimDataType type);

/* What a call reads of an object, and leaves in it. */
model::Values value_of(const Object &o);
void assign(Object &o, const model::Values &v);
extern Object *written; /* what was assigned last; or NULL */

Object &any();
/* Mostly one that is associated; mostly one of that type, too, so that most calls work. */
Object &beside(const Object &o);
Object &beside_of(const Object &o, PimDataType type);

/* Copies in: any range; integers that any order of additions gives the same sum of. */
void fill(Object &o);
void fill_whole(Object &o);
/* Copies out and compares; end 0: all. */
void check(const Object &o, uint64_t begin, uint64_t end);

/* A new set of objects on a new device: in rows, or in columns. */
void make_objects(bool rows);
/* Some call (pim_calls.cc). */
void call_something();

} // namespace drawn

#endif
