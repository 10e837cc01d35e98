#pragma once
#include "../kernel.h"

// C = A B in single precision: a block has 64 x 64 of C, a thread 4 x 4 of it, tiles of 16 go through shared memory.
struct Sgemm {
    static constexpr const char* name = "sgemm";
    static constexpr int threads = 256;
    static constexpr unsigned edge = 64, depth = 16, of_thread = 4;
    struct Shared {
        float a[depth][edge + 1];
        float b[depth][edge];
    };
    struct Local {
        float c[of_thread][of_thread];
    };
    struct Args {
        const float* a;
        const float* b;
        float* c;
        unsigned side;
    };

    static Args prepare(Memory& memory, double scale) {
        const unsigned side = scaled(2048, std::cbrt(scale), edge);
        Random random(4);
        auto* a = memory.holding(random.floats(std::size_t(side) * side, -1, 1));
        auto* b = memory.holding(random.floats(std::size_t(side) * side, -1, 1));
        return {a, b, memory.room<float>(std::size_t(side) * side), side};
    }
    static unsigned tasks(const Args& args) { return (args.side / edge) * (args.side / edge); }
    // Load a tile, use it, load the next; the last phase writes.
    HD static int phases(const Args& args) { return 2 * (args.side / depth) + 1; }
    HD static void phase(const Args& args, unsigned task, int thread, int phase, Shared& shared, Local& local) {
        const unsigned across = args.side / edge;
        const unsigned row = task / across * edge, column = task % across * edge;
        const unsigned y = thread / 16 * of_thread, x = thread % 16 * of_thread;
        if (phase == 0)
            for (unsigned i = 0; i < of_thread; ++i)
                for (unsigned j = 0; j < of_thread; ++j) local.c[i][j] = 0;
        if (phase == 2 * int(args.side / depth)) {
            for (unsigned i = 0; i < of_thread; ++i)
                for (unsigned j = 0; j < of_thread; ++j)
                    args.c[std::size_t(row + y + i) * args.side + column + x + j] = local.c[i][j];
        } else if (phase % 2 == 0) {
            const unsigned from = phase / 2 * depth;
            for (unsigned i = thread; i < edge * depth; i += threads) {
                shared.a[i % depth][i / depth] = args.a[std::size_t(row + i / depth) * args.side + from + i % depth];
                shared.b[i / edge][i % edge] = args.b[std::size_t(from + i / edge) * args.side + column + i % edge];
            }
        } else {
            for (unsigned k = 0; k < depth; ++k)
                for (unsigned i = 0; i < of_thread; ++i)
                    for (unsigned j = 0; j < of_thread; ++j)
                        local.c[i][j] += shared.a[k][y + i] * shared.b[k][x + j];
        }
    }
    static Work work(const Args& args) {
        const double side = args.side;
        return {2 * side * side * side, 0, 4 * (2 * side * side * (side / edge) + side * side)};
    }
    // Freivalds: C r against A (B r) for random r of signs, in double precision.
    static double error(const Args& args, Memory& memory) {
        const std::size_t side = args.side;
        const auto a = memory.values(args.a, side * side), b = memory.values(args.b, side * side);
        const auto c = memory.values(args.c, side * side);
        Random random(104);
        double worst = 0;
        for (int round = 0; round < 8; ++round) {
            std::vector<double> r(side), br(side), abr(side), cr(side);
            for (double& sign : r) sign = random.word() & 1 ? 1 : -1;
            for (std::size_t i = 0; i < side; ++i)
                for (std::size_t j = 0; j < side; ++j) br[i] += b[i * side + j] * r[j];
            for (std::size_t i = 0; i < side; ++i)
                for (std::size_t j = 0; j < side; ++j) {
                    abr[i] += a[i * side + j] * br[j];
                    cr[i] += c[i * side + j] * r[j];
                }
            // Rounding of `side` additions of numbers up to 1, `side` of them added up again.
            for (std::size_t i = 0; i < side; ++i) worst = std::fmax(worst, deviation(cr[i], abr[i], 1e-6 * side));
        }
        return worst;
    }
};
