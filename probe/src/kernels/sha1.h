#pragma once
#include <string>

#include "../kernel.h"

// SHA-1 (FIPS 180-4) of 16 bytes a thread, then again and again of the digest: bound by integer operations.
struct Sha1 {
    static constexpr const char* name = "sha1";
    static constexpr int threads = 256;
    static constexpr int rounds = 32;
    using Shared = Nothing;
    using Local = Nothing;
    struct Args {
        const std::uint32_t* messages;
        std::uint32_t* digests;
        unsigned count;
    };

    static Args prepare(Memory& memory, double scale) {
        const unsigned count = scaled(1 << 20, scale, threads);
        Random random(13);
        auto* messages = memory.holding(random.words(std::size_t(count) * 4));
        return {messages, memory.room<std::uint32_t>(std::size_t(count) * 5), count};
    }
    static unsigned tasks(const Args& args) { return args.count / threads; }
    HD static int phases(const Args&) { return 1; }
    HD static std::uint32_t turned(std::uint32_t x, int by) { return x << by | x >> (32 - by); }

    // Digest of a message of `length` words (at most 13), in one block.
    HD static void hash(const std::uint32_t* message, int length, std::uint32_t* digest) {
        std::uint32_t w[16];
        for (int i = 0; i < 16; ++i) w[i] = i < length ? message[i] : i == length ? 0x80000000u : 0;
        w[15] = 32 * length;
        const std::uint32_t start[5] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
        std::uint32_t a = start[0], b = start[1], c = start[2], d = start[3], e = start[4];
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
        for (int t = 0; t < 80; ++t) {
            if (t >= 16)
                w[t & 15] = turned(w[(t - 3) & 15] ^ w[(t - 8) & 15] ^ w[(t - 14) & 15] ^ w[t & 15], 1);
            std::uint32_t f, k;
            if (t < 20) {
                f = d ^ (b & (c ^ d));
                k = 0x5a827999u;
            } else if (t < 40) {
                f = b ^ c ^ d;
                k = 0x6ed9eba1u;
            } else if (t < 60) {
                f = (b & c) | (d & (b | c));
                k = 0x8f1bbcdcu;
            } else {
                f = b ^ c ^ d;
                k = 0xca62c1d6u;
            }
            const std::uint32_t next = turned(a, 5) + f + e + k + w[t & 15];
            e = d;
            d = c;
            c = turned(b, 30);
            b = a;
            a = next;
        }
        digest[0] = start[0] + a;
        digest[1] = start[1] + b;
        digest[2] = start[2] + c;
        digest[3] = start[3] + d;
        digest[4] = start[4] + e;
    }
    HD static void phase(const Args& args, unsigned task, int thread, int, Shared&, Local&) {
        const std::size_t own = std::size_t(task) * threads + thread;
        std::uint32_t digest[5];
        hash(args.messages + 4 * own, 4, digest);
        for (int i = 1; i < rounds; ++i) hash(digest, 5, digest);
        for (int i = 0; i < 5; ++i) args.digests[5 * own + i] = digest[i];
    }
    // About thirteen operations a step of the compression.
    static Work work(const Args& args) { return {0, 13.0 * 80 * rounds * args.count, 36.0 * args.count}; }

    // SHA-1 by the letter of the standard, on bytes.
    static std::vector<unsigned char> reference(std::vector<unsigned char> message) {
        const std::uint64_t length = message.size() * 8;
        message.push_back(0x80);
        while (message.size() % 64 != 56) message.push_back(0);
        for (int shift = 56; shift >= 0; shift -= 8) message.push_back(static_cast<unsigned char>(length >> shift));
        std::uint32_t h[5] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
        for (std::size_t block = 0; block < message.size(); block += 64) {
            std::vector<std::uint32_t> w(80);
            for (int t = 0; t < 16; ++t)
                for (int k = 0; k < 4; ++k) w[t] = w[t] << 8 | message[block + 4 * t + k];
            for (int t = 16; t < 80; ++t) w[t] = turned(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
            std::uint32_t v[5] = {h[0], h[1], h[2], h[3], h[4]};
            for (int t = 0; t < 80; ++t) {
                const std::uint32_t b = v[1], c = v[2], d = v[3];
                const std::uint32_t f[4] = {(b & c) ^ (~b & d), b ^ c ^ d, (b & c) ^ (b & d) ^ (c & d), b ^ c ^ d};
                const std::uint32_t k[4] = {0x5a827999u, 0x6ed9eba1u, 0x8f1bbcdcu, 0xca62c1d6u};
                const std::uint32_t first = turned(v[0], 5) + f[t / 20] + v[4] + k[t / 20] + w[t];
                for (int i = 4; i > 0; --i) v[i] = v[i - 1];
                v[2] = turned(v[2], 30);
                v[0] = first;
            }
            for (int i = 0; i < 5; ++i) h[i] += v[i];
        }
        std::vector<unsigned char> digest;
        for (std::uint32_t word : h)
            for (int shift = 24; shift >= 0; shift -= 8) digest.push_back(static_cast<unsigned char>(word >> shift));
        return digest;
    }
    // Against the reference, for a sample of threads; the reference against the standard's own example.
    static double error(const Args& args, Memory& memory) {
        const std::vector<unsigned char> abc = {0xa9, 0x99, 0x3e, 0x36, 0x47, 0x06, 0x81, 0x6a, 0xba, 0x3e,
                                                0x25, 0x71, 0x78, 0x50, 0xc2, 0x6c, 0x9c, 0xd0, 0xd8, 0x9d};
        bool equal = reference({'a', 'b', 'c'}) == abc;
        const auto messages = memory.values(args.messages, std::size_t(args.count) * 4);
        const auto digests = memory.values(args.digests, std::size_t(args.count) * 5);
        const unsigned stride = args.count > 4096 ? args.count / 4096 | 1 : 1;
        for (std::size_t i = 0; i < args.count; i += stride) {
            std::vector<unsigned char> bytes;
            for (int k = 0; k < 16; ++k) bytes.push_back(static_cast<unsigned char>(messages[4 * i + k / 4] >> (24 - k % 4 * 8)));
            for (int round = 0; round < rounds; ++round) bytes = reference(bytes);
            for (int k = 0; k < 20; ++k)
                equal &= bytes[k] == static_cast<unsigned char>(digests[5 * i + k / 4] >> (24 - k % 4 * 8));
        }
        return deviation(equal);
    }
};
