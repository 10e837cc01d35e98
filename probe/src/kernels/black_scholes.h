#pragma once
#include "../kernel.h"

// Prices of European calls and puts (Black and Scholes 1973), the normal distribution by the polynomial of Abramowitz
// and Stegun 26.2.17.
struct BlackScholes {
    static constexpr const char* name = "black_scholes";
    static constexpr int threads = 256;
    static constexpr unsigned of_thread = 4;
    static constexpr unsigned options = of_thread * threads;
    static constexpr float rate = 0.02f, volatility = 0.3f;
    using Shared = Nothing;
    using Local = Nothing;
    struct Args {
        const float* price;
        const float* strike;
        const float* years;
        float* call;
        float* put;
        unsigned count;
    };

    static Args prepare(Memory& memory, double scale) {
        const unsigned count = scaled(1 << 24, scale, options);
        Random random(5);
        auto* price = memory.holding(random.floats(count, 5, 30));
        auto* strike = memory.holding(random.floats(count, 1, 100));
        auto* years = memory.holding(random.floats(count, 0.25f, 10));
        return {price, strike, years, memory.room<float>(count), memory.room<float>(count), count};
    }
    static unsigned tasks(const Args& args) { return args.count / options; }
    HD static int phases(const Args&) { return 1; }
    HD static float normal(float d) {
        const float k = 1 / (1 + 0.2316419f * fabsf(d));
        const float series =
            k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
        const float tail = 0.39894228040143267794f * expf(-0.5f * d * d) * series;
        return d > 0 ? 1 - tail : tail;
    }
    HD static void phase(const Args& args, unsigned task, int thread, int, Shared&, Local&) {
        for (unsigned i = task * options + thread; i < (task + 1) * options; i += threads) {
            const float spread = volatility * sqrtf(args.years[i]);
            const float d1 =
                (logf(args.price[i] / args.strike[i]) + (rate + 0.5f * volatility * volatility) * args.years[i]) / spread;
            const float discounted = args.strike[i] * expf(-rate * args.years[i]);
            const float n1 = normal(d1), n2 = normal(d1 - spread);
            args.call[i] = args.price[i] * n1 - discounted * n2;
            args.put[i] = discounted * (1 - n2) - args.price[i] * (1 - n1);
        }
    }
    // Operations as written above; square root, logarithm and exponential count as ten each.
    static Work work(const Args& args) { return {100.0 * args.count, 0, 20.0 * args.count}; }
    static double error(const Args& args, Memory& memory) {
        const auto price = memory.values(args.price, args.count), strike = memory.values(args.strike, args.count);
        const auto years = memory.values(args.years, args.count), call = memory.values(args.call, args.count);
        const auto put = memory.values(args.put, args.count);
        const auto exact = [](double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); };
        double worst = 0;
        for (unsigned i = 0; i < args.count; ++i) {
            const double spread = double(volatility) * std::sqrt(double(years[i]));
            const double drift = (double(rate) + 0.5 * double(volatility) * volatility) * years[i];
            const double d1 = (std::log(double(price[i]) / strike[i]) + drift) / spread;
            const double discounted = strike[i] * std::exp(-double(rate) * years[i]);
            const double wanted = price[i] * exact(d1) - discounted * exact(d1 - spread);
            worst = std::fmax(worst, deviation(call[i], wanted, 1e-4));
            // Parity of put and call.
            worst = std::fmax(worst, deviation(put[i], wanted - price[i] + discounted, 1e-4));
        }
        return worst;
    }
};
