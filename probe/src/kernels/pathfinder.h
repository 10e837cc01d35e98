#pragma once
#include "../kernel.h"

// Cheapest paths through a grid, twenty rows at a time: a block has a strip of columns and a halo that shrinks by one
// column on either side with each row.
struct Pathfinder {
    static constexpr const char* name = "pathfinder";
    static constexpr int threads = 256;
    static constexpr unsigned rows = 20, strip = threads - 2 * rows;
    static constexpr std::int32_t wall = 1 << 28;
    struct Shared {
        std::int32_t cost[2][threads];
    };
    using Local = Nothing;
    struct Args {
        const std::int32_t* grid;
        const std::int32_t* before;
        std::int32_t* after;
        unsigned columns;
    };

    static Args prepare(Memory& memory, double scale) {
        const unsigned columns = scaled(3e6, scale, strip);
        Random random(8);
        std::vector<std::int32_t> grid(std::size_t(columns) * rows), before(columns);
        for (auto& cell : grid) cell = random.index(10);
        for (auto& cost : before) cost = random.index(1000);
        auto* cells = memory.holding(grid);
        auto* costs = memory.holding(before);
        return {cells, costs, memory.room<std::int32_t>(columns), columns};
    }
    static unsigned tasks(const Args& args) { return args.columns / strip; }
    HD static int phases(const Args&) { return rows + 2; }
    HD static std::int32_t least(std::int32_t a, std::int32_t b) { return a < b ? a : b; }
    HD static void phase(const Args& args, unsigned task, int thread, int phase, Shared& shared, Local&) {
        // Outside the grid there is a wall.
        const long column = long(task) * strip + thread - long(rows);
        const bool inside = column >= 0 && column < long(args.columns);
        if (phase == 0) {
            shared.cost[0][thread] = inside ? args.before[column] : wall;
        } else if (phase <= int(rows)) {
            const std::int32_t* from = shared.cost[(phase - 1) % 2];
            const std::int32_t cell = inside ? args.grid[std::size_t(phase - 1) * args.columns + column] : wall;
            const std::int32_t left = thread ? from[thread - 1] : wall;
            const std::int32_t right = thread + 1 < threads ? from[thread + 1] : wall;
            shared.cost[phase % 2][thread] = least(wall, cell + least(from[thread], least(left, right)));
        } else if (thread >= int(rows) && thread < threads - int(rows)) {
            args.after[column] = shared.cost[rows % 2][thread];
        }
    }
    static Work work(const Args& args) {
        const double tasks_ = args.columns / strip, cells = tasks_ * threads * rows;
        return {0, 4 * cells, 4 * (cells + tasks_ * threads + args.columns)};
    }
    static double error(const Args& args, Memory& memory) {
        const long columns = args.columns;
        const auto grid = memory.values(args.grid, std::size_t(columns) * rows);
        const auto after = memory.values(args.after, columns);
        auto cost = memory.values(args.before, columns);
        for (unsigned row = 0; row < rows; ++row) {
            const auto above = cost;
            for (long j = 0; j < columns; ++j) {
                std::int32_t best = above[j];
                if (j > 0 && above[j - 1] < best) best = above[j - 1];
                if (j + 1 < columns && above[j + 1] < best) best = above[j + 1];
                cost[j] = best + grid[std::size_t(row) * columns + j];
            }
        }
        return deviation(cost == after);
    }
};
