#pragma once
#include "../kernel.h"

// One step of Gaussian elimination: from every row below the pivot its multiple of the pivot's row is taken.
struct Gaussian {
    static constexpr const char* name = "gaussian";
    static constexpr int threads = 256;
    struct Shared {
        float factor;
    };
    using Local = Nothing;
    struct Args {
        const float* matrix;
        float* eliminated;
        unsigned side;
        unsigned pivot;
    };

    static Args prepare(Memory& memory, double scale) {
        const unsigned side = scaled(4096, std::sqrt(scale), 64);
        Random random(6);
        auto values = random.floats(std::size_t(side) * side, -1, 1);
        for (std::size_t i = 0; i < side; ++i) values[i * side + i] += 4;
        auto* matrix = memory.holding(values);
        return {matrix, memory.room<float>(std::size_t(side) * side), side, side / 64};
    }
    // A task is a row.
    static unsigned tasks(const Args& args) { return args.side; }
    HD static int phases(const Args&) { return 2; }
    HD static void phase(const Args& args, unsigned task, int thread, int phase, Shared& shared, Local&) {
        const float* row = args.matrix + std::size_t(task) * args.side;
        const float* top = args.matrix + std::size_t(args.pivot) * args.side;
        if (phase == 0) {
            if (thread == 0) shared.factor = task > args.pivot ? row[args.pivot] / top[args.pivot] : 0;
        } else {
            float* out = args.eliminated + std::size_t(task) * args.side;
            for (unsigned j = thread; j < args.side; j += threads) out[j] = row[j] - shared.factor * top[j];
        }
    }
    static Work work(const Args& args) {
        const double cells = double(args.side) * args.side;
        return {2 * cells, 0, 12 * cells};
    }
    static double error(const Args& args, Memory& memory) {
        const std::size_t side = args.side, p = args.pivot;
        const auto from = memory.values(args.matrix, side * side), to = memory.values(args.eliminated, side * side);
        double worst = 0;
        for (std::size_t i = 0; i < side; ++i)
            for (std::size_t j = 0; j < side; ++j) {
                const double taken = i > p ? double(from[i * side + p]) * from[p * side + j] / from[p * side + p] : 0;
                worst = std::fmax(worst, deviation(to[i * side + j], from[i * side + j] - taken, 1e-5));
                if (i > p && j == p) worst = std::fmax(worst, deviation(to[i * side + j], 0, 1e-5));
            }
        return worst;
    }
};
