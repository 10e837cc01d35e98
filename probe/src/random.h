// Seeded inputs: SplitMix64 (Steele, Lea and Flood 2014), the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t word() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }

    // In [least, most).
    float between(float least, float most) {
        return least + (most - least) * static_cast<float>(word() >> 40) * 0x1p-24f;
    }

    // In 0 .. below - 1.
    std::uint32_t index(std::uint32_t below) { return static_cast<std::uint32_t>((word() >> 32) * below >> 32); }

    std::vector<float> floats(std::size_t count, float least, float most) {
        std::vector<float> values(count);
        for (float& value : values) value = between(least, most);
        return values;
    }

    std::vector<std::uint32_t> words(std::size_t count) {
        std::vector<std::uint32_t> values(count);
        for (auto& value : values) value = static_cast<std::uint32_t>(word());
        return values;
    }

private:
    std::uint64_t state_;
};
