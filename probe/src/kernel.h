// What a kernel of the probe is, and how it runs without a GPU.
//
// A kernel's work is cut into tasks; one block of threads does a task, in phases with a barrier after each. A task reads
// nothing that a task writes, and what it writes no other writes, or only with the same value. So doing it again, or beside
// any other, changes nothing: a launch can be repeated without end as the neighbour of another. A kernel is a struct with
//
//   name                    its name in the tables
//   threads                 threads of a block
//   Args                    sizes and arrays, as passed to the GPU
//   Shared                  what the threads of a block share
//   Local                   what a thread keeps from one phase to the next
//   prepare(memory, scale)  a seeded problem; `scale` 1 is for a large card
//   tasks(args)             number of tasks
//   phases(args)            number of phases of a task
//   phase(args, task, thread, phase, shared, local)
//   work(args)              operations and bytes of a whole launch, counted from the algorithm
//   error(args, memory)     largest deviation of its output from a reference computed here in another way, over what
//                           is tolerated: above 1 is wrong
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "memory.h"
#include "random.h"

struct Nothing {};

// Operations (floating-point, or integer where the kernel has no others) and bytes to and from memory, each array once
// a task that needs it.
struct Work {
    double flop = 0;
    double integer_ops = 0;
    double bytes = 0;
};

inline unsigned scaled(double full, double scale, unsigned multiple) {
    const double wanted = std::ceil(full * scale / multiple);
    return static_cast<unsigned>(wanted < 1 ? 1 : wanted) * multiple;
}

// |value - wanted| over tolerance; infinite for what is no number.
inline double deviation(double value, double wanted, double tolerance) {
    const double off = std::fabs(value - wanted) / tolerance;
    return off == off ? off : std::numeric_limits<double>::infinity();
}

inline double deviation(bool equal) { return equal ? 0 : std::numeric_limits<double>::infinity(); }

// Adds to a count in shared memory; threads of a block on the host take turns.
HD inline void count_one(unsigned& counter) {
#ifdef __CUDA_ARCH__
    atomicAdd(&counter, 1u);
#else
    ++counter;
#endif
}

// One task on the host: every thread up to the barrier, then the next phase.
template <class K>
void run_on_host(const typename K::Args& args, unsigned task) {
    typename K::Shared shared{};
    std::vector<typename K::Local> locals(K::threads);
    for (int phase = 0; phase < K::phases(args); ++phase)
        for (int thread = 0; thread < K::threads; ++thread)
            K::phase(args, task, thread, phase, shared, locals[thread]);
}
