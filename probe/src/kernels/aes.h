#pragma once
#include "../kernel.h"

// AES-128 (FIPS 197) in counter mode, four blocks a thread, its table of combined substitution and column mixing in shared
// memory.
struct Aes {
    static constexpr const char* name = "aes";
    static constexpr int threads = 256;
    static constexpr unsigned of_thread = 4, blocks = of_thread * threads;
    static constexpr int rounds = 10;
    struct Shared {
        std::uint32_t table[256];
        std::uint32_t key[4 * (rounds + 1)];
    };
    using Local = Nothing;
    struct Args {
        const std::uint32_t* table;
        const std::uint32_t* key;
        const std::uint32_t* plain;
        std::uint32_t* cipher;
        unsigned count;
    };

    static unsigned char doubled(unsigned char x) {
        return static_cast<unsigned char>((x << 1) ^ (x & 0x80 ? 0x1b : 0));
    }
    static unsigned char times(unsigned char x, unsigned char y) {
        unsigned char product = 0;
        for (; y; y >>= 1, x = doubled(x))
            if (y & 1) product ^= x;
        return product;
    }
    // The substitution, from its definition: the inverse in GF(2^8), then an affine map.
    static std::vector<unsigned char> substitution() {
        std::vector<unsigned char> box(256);
        for (int x = 0; x < 256; ++x) {
            unsigned char inverse = 0;
            for (int y = 1; y < 256 && x; ++y)
                if (times(static_cast<unsigned char>(x), static_cast<unsigned char>(y)) == 1)
                    inverse = static_cast<unsigned char>(y);
            unsigned char mapped = 0x63;
            for (int i = 0; i < 5; ++i) mapped ^= static_cast<unsigned char>(inverse << i | inverse >> (8 - i));
            box[x] = mapped;
        }
        return box;
    }
    static std::vector<std::uint32_t> expanded(const unsigned char* key) {
        const auto box = substitution();
        std::vector<std::uint32_t> words(4 * (rounds + 1));
        unsigned char power = 1;
        for (int i = 0; i < int(words.size()); ++i) {
            if (i < 4) {
                for (int k = 0; k < 4; ++k) words[i] = words[i] << 8 | key[4 * i + k];
                continue;
            }
            std::uint32_t word = words[i - 1];
            if (i % 4 == 0) {
                word = word << 8 | word >> 24;
                word = std::uint32_t(box[word >> 24]) << 24 | std::uint32_t(box[word >> 16 & 255]) << 16 |
                       std::uint32_t(box[word >> 8 & 255]) << 8 | box[word & 255];
                word ^= std::uint32_t(power) << 24;
                power = doubled(power);
            }
            words[i] = words[i - 4] ^ word;
        }
        return words;
    }

    static Args prepare(Memory& memory, double scale) {
        const unsigned count = scaled(1 << 22, scale, blocks);
        const auto box = substitution();
        std::vector<std::uint32_t> table(256);
        for (int x = 0; x < 256; ++x) {
            const unsigned char s = box[x];
            table[x] = std::uint32_t(times(s, 2)) << 24 | std::uint32_t(s) << 16 | std::uint32_t(s) << 8 | times(s, 3);
        }
        Random random(14);
        unsigned char key[16];
        for (auto& byte : key) byte = static_cast<unsigned char>(random.word());
        auto* tables = memory.holding(table);
        auto* keys = memory.holding(expanded(key));
        auto* plain = memory.holding(random.words(std::size_t(count) * 4));
        return {tables, keys, plain, memory.room<std::uint32_t>(std::size_t(count) * 4), count};
    }
    static unsigned tasks(const Args& args) { return args.count / blocks; }
    HD static int phases(const Args&) { return 2; }
    HD static std::uint32_t turned(std::uint32_t x, int by) { return x >> by | x << (32 - by); }

    HD static void encrypt(const Shared& shared, std::uint32_t* state) {
        for (int i = 0; i < 4; ++i) state[i] ^= shared.key[i];
        for (int round = 1; round <= rounds; ++round) {
            std::uint32_t next[4];
            for (int i = 0; i < 4; ++i) {
                // Column i gets its rows from the columns that the shift of rows moves to it.
                const std::uint32_t a = state[i] >> 24, b = state[(i + 1) % 4] >> 16 & 255;
                const std::uint32_t c = state[(i + 2) % 4] >> 8 & 255, d = state[(i + 3) % 4] & 255;
                if (round < rounds) {
                    next[i] = shared.table[a] ^ turned(shared.table[b], 8) ^ turned(shared.table[c], 16) ^
                              turned(shared.table[d], 24);
                } else {
                    // No mixing in the last round: the plain substitution stands in the table's middle bytes.
                    next[i] = (shared.table[a] >> 8 & 255) << 24 | (shared.table[b] >> 8 & 255) << 16 |
                              (shared.table[c] >> 8 & 255) << 8 | (shared.table[d] >> 8 & 255);
                }
                next[i] ^= shared.key[4 * round + i];
            }
            for (int i = 0; i < 4; ++i) state[i] = next[i];
        }
    }
    HD static void phase(const Args& args, unsigned task, int thread, int phase, Shared& shared, Local&) {
        if (phase == 0) {
            shared.table[thread] = args.table[thread];
            if (thread < 4 * (rounds + 1)) shared.key[thread] = args.key[thread];
        } else {
            for (unsigned i = task * blocks + thread; i < (task + 1) * blocks; i += threads) {
                std::uint32_t counter[4] = {0, 0, 0, i};
                encrypt(shared, counter);
                for (int k = 0; k < 4; ++k)
                    args.cipher[4 * std::size_t(i) + k] = args.plain[4 * std::size_t(i) + k] ^ counter[k];
            }
        }
    }
    // Sixteen look-ups a round with about five operations each.
    static Work work(const Args& args) { return {0, 80.0 * rounds * args.count, 32.0 * args.count}; }

    // One block by the letter of the standard: a state of bytes, one step after the other.
    static std::vector<unsigned char> reference(std::vector<unsigned char> state, const std::vector<std::uint32_t>& key) {
        const auto box = substitution();
        const auto add = [&](int round) {
            for (int i = 0; i < 16; ++i) state[i] ^= static_cast<unsigned char>(key[4 * round + i / 4] >> (24 - i % 4 * 8));
        };
        add(0);
        for (int round = 1; round <= rounds; ++round) {
            std::vector<unsigned char> shifted(16);
            for (int column = 0; column < 4; ++column)
                for (int row = 0; row < 4; ++row)
                    shifted[4 * column + row] = box[state[4 * ((column + row) % 4) + row]];
            state = shifted;
            for (int column = 0; column < 4 && round < rounds; ++column)
                for (int row = 0; row < 4; ++row) {
                    const unsigned char* from = &shifted[4 * column];
                    state[4 * column + row] = static_cast<unsigned char>(
                        times(from[row], 2) ^ times(from[(row + 1) % 4], 3) ^ from[(row + 2) % 4] ^ from[(row + 3) % 4]);
                }
            add(round);
        }
        return state;
    }
    // Against the reference, for a sample of blocks; the reference against the example of FIPS 197, Appendix B.
    static double error(const Args& args, Memory& memory) {
        const unsigned char key[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
                                       0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
        const std::vector<unsigned char> plain = {0x32, 0x43, 0xf6, 0xa8, 0x88, 0x5a, 0x30, 0x8d,
                                                  0x31, 0x31, 0x98, 0xa2, 0xe0, 0x37, 0x07, 0x34};
        const std::vector<unsigned char> cipher = {0x39, 0x25, 0x84, 0x1d, 0x02, 0xdc, 0x09, 0xfb,
                                                   0xdc, 0x11, 0x85, 0x97, 0x19, 0x6a, 0x0b, 0x32};
        bool equal = reference(plain, expanded(key)) == cipher;
        const auto words = memory.values(args.key, 4 * (rounds + 1));
        const auto from = memory.values(args.plain, std::size_t(args.count) * 4);
        const auto to = memory.values(args.cipher, std::size_t(args.count) * 4);
        const unsigned stride = args.count > 256 ? args.count / 256 | 1 : 1;
        for (std::size_t i = 0; i < args.count; i += stride) {
            std::vector<unsigned char> counter(16);
            for (int k = 0; k < 4; ++k) counter[12 + k] = static_cast<unsigned char>(i >> (24 - 8 * k));
            const auto pad = reference(counter, words);
            for (int k = 0; k < 16; ++k) {
                const int shift = 24 - k % 4 * 8;
                equal &= static_cast<unsigned char>(to[4 * i + k / 4] >> shift) ==
                         (static_cast<unsigned char>(from[4 * i + k / 4] >> shift) ^ pad[k]);
            }
        }
        return deviation(equal);
    }
};
