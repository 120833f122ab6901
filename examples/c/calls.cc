/* SPDX-License-Identifier: MIT
 * An eager interface of one's own in C++11, whose calls know what they cost: a Grey code and back.
 * c++ -std=c++11 calls.cc $(pkg-config --cflags --libs mpu) && ./a.out mimdram */
#include <mpu/mpu.h>

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(mpu_error *e) {
    const std::string text = e ? mpu_error_text(e) : "no memory";
    mpu_error_free(e);
    throw std::runtime_error(text);
}

/* A vector, which is given back at its end. */
class Words {
  public:
    explicit Words(mpu_vector *made, mpu_error *e) : v(made) {
        if (!v)
            fail(e);
    }
    Words(const Words &other) : v(mpu_vector_retain(other.v)) {}
    Words &operator=(const Words &other) {
        mpu_vector *before = v;
        v = mpu_vector_retain(other.v);
        mpu_vector_release(before);
        return *this;
    }
    ~Words() { mpu_vector_release(v); }
    mpu_operand operand() const { return {v, 0}; }
    mpu_vector *v;
};

class Machine {
  public:
    explicit Machine(const char *target) : e(nullptr), t(mpu_target_open(target, nullptr, &e)) {
        d = t ? mpu_device_open(t, nullptr, &e) : nullptr;
        if (!d)
            fail(e);
    }
    Machine(const Machine &) = delete;
    Machine &operator=(const Machine &) = delete;
    ~Machine() {
        mpu_device_close(d);
        mpu_target_close(t);
    }

    Words put(const std::vector<std::uint32_t> &x) {
        mpu_device_label(d, "put");
        Words w(mpu_vector_new(d, type(), x.size(), &e), e);
        if (mpu_vector_put(w.v, 0, x.size(), x.data(), &e) != MPU_OK)
            fail(e);
        return w;
    }
    std::vector<std::uint32_t> get(const Words &w) {
        mpu_device_label(d, "get");
        std::vector<std::uint32_t> x(mpu_vector_length(w.v));
        if (mpu_vector_get(w.v, 0, x.size(), x.data(), &e) != MPU_OK)
            fail(e);
        return x;
    }
    Words exclusive_or(const Words &a, const Words &b) {
        mpu_device_label(d, "exclusive or");
        const mpu_operand both[] = {a.operand(), b.operand()};
        return apply(MPU_OP_XOR, a, both);
    }
    Words shifted(const Words &a, unsigned count) {
        mpu_device_label(d, "shift");
        const mpu_operand both[] = {a.operand(), {nullptr, count}};
        return apply(MPU_OP_SHR, a, both);
    }
    std::string statistics() {
        char *text = mpu_device_stats(d, "text", &e);
        const std::string copy = text ? text : "";
        mpu_string_free(text);
        return copy;
    }

  private:
    static mpu_vtype type() { return {MPU_KIND_UINT, 32}; }
    Words apply(mpu_op op, const Words &a, const mpu_operand *operands) {
        mpu_vector *z = mpu_apply(d, op, type(), mpu_vector_length(a.v), operands, 2, &e);
        return Words(z, e);
    }

    mpu_error *e;
    mpu_target *t;
    mpu_device *d;
};

} // namespace

int main(int argc, char **argv) {
    try {
        Machine machine(argc > 1 ? argv[1] : "racer");
        std::vector<std::uint32_t> x(10000);
        for (std::size_t i = 0; i < x.size(); i++)
            x[i] = static_cast<std::uint32_t>(2654435761u * i);
        const Words plain = machine.put(x);
        Words back = machine.exclusive_or(plain, machine.shifted(plain, 1)); /* Grey's code */
        for (unsigned k = 1; k < 32; k *= 2)
            back = machine.exclusive_or(back, machine.shifted(back, k));
        const bool same = machine.get(back) == x;
        std::printf("%s\n%s", same ? "the same" : "other words", machine.statistics().c_str());
        return !same;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
