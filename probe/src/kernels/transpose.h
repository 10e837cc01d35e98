#pragma once
#include "../kernel.h"

// Transpose of a square matrix by tiles of 32 x 32 through shared memory, a column of padding against bank conflicts.
struct Transpose {
    static constexpr const char* name = "transpose";
    static constexpr int threads = 256;
    static constexpr unsigned tile = 32;
    struct Shared {
        float cells[tile][tile + 1];
    };
    using Local = Nothing;
    struct Args {
        const float* matrix;
        float* transposed;
        unsigned side;
    };

    static Args prepare(Memory& memory, double scale) {
        const unsigned side = scaled(6144, std::sqrt(scale), tile);
        Random random(3);
        auto* matrix = memory.holding(random.floats(std::size_t(side) * side, -1, 1));
        return {matrix, memory.room<float>(std::size_t(side) * side), side};
    }
    static unsigned tasks(const Args& args) { return (args.side / tile) * (args.side / tile); }
    HD static int phases(const Args&) { return 2; }
    HD static void phase(const Args& args, unsigned task, int thread, int phase, Shared& shared, Local&) {
        const unsigned across = args.side / tile;
        const unsigned row = task / across * tile, column = task % across * tile;
        const unsigned x = thread % tile;
        for (unsigned y = thread / tile; y < tile; y += threads / tile) {
            if (phase == 0)
                shared.cells[y][x] = args.matrix[std::size_t(row + y) * args.side + column + x];
            else
                args.transposed[std::size_t(column + y) * args.side + row + x] = shared.cells[x][y];
        }
    }
    static Work work(const Args& args) { return {0, 0, 8.0 * args.side * args.side}; }
    static double error(const Args& args, Memory& memory) {
        const std::size_t side = args.side;
        const auto from = memory.values(args.matrix, side * side), to = memory.values(args.transposed, side * side);
        bool equal = true;
        for (std::size_t i = 0; i < side; ++i)
            for (std::size_t j = 0; j < side; ++j) equal &= from[i * side + j] == to[j * side + i];
        return deviation(equal);
    }
};
