#pragma once
#include "../kernel.h"

// Sums of pieces of an array, each by a tree in shared memory.
struct Reduction {
    static constexpr const char* name = "reduction";
    static constexpr int threads = 256;
    static constexpr unsigned of_thread = 16, elements = of_thread * threads;
    struct Shared {
        float sums[threads];
    };
    using Local = Nothing;
    struct Args {
        const float* values;
        float* sums;
        unsigned count;
    };

    static Args prepare(Memory& memory, double scale) {
        const unsigned count = scaled(1 << 26, scale, elements);
        Random random(10);
        auto* values = memory.holding(random.floats(count, 0, 1));
        return {values, memory.room<float>(count / elements), count};
    }
    static unsigned tasks(const Args& args) { return args.count / elements; }
    // Loads, eight halvings, the result.
    HD static int phases(const Args&) { return 10; }
    HD static void phase(const Args& args, unsigned task, int thread, int phase, Shared& shared, Local&) {
        if (phase == 0) {
            float sum = 0;
            for (unsigned i = task * elements + thread; i < (task + 1) * elements; i += threads) sum += args.values[i];
            shared.sums[thread] = sum;
        } else if (phase < 9) {
            const int half = threads >> phase;
            if (thread < half) shared.sums[thread] += shared.sums[thread + half];
        } else if (thread == 0) {
            args.sums[task] = shared.sums[0];
        }
    }
    static Work work(const Args& args) { return {double(args.count), 0, 4.0 * (args.count + args.count / elements)}; }
    static double error(const Args& args, Memory& memory) {
        const auto values = memory.values(args.values, args.count);
        const auto sums = memory.values(args.sums, args.count / elements);
        double worst = 0;
        for (std::size_t piece = 0; piece < sums.size(); ++piece) {
            double wanted = 0;
            for (unsigned i = 0; i < elements; ++i) wanted += values[piece * elements + i];
            worst = std::fmax(worst, deviation(sums[piece], wanted, 1e-2));
        }
        return worst;
    }
};
