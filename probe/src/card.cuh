// The card: its SMs, and launches on some of them that are timed, alone or beside a neighbour that does not end.
#pragma once

#include <algorithm>
#include <set>

#include "team.cuh"

static __global__ void note_sm(unsigned* seen) {
    if (threadIdx.x == 0) seen[hardware_sm()] = 1;
    // Long enough that every SM gets blocks.
    for (int i = 0; i < 200; ++i) __nanosleep(500);
}

struct Span {
    int first, last;
};

// What one team is to do. `slots` caps its blocks on an SM; 0 is as many as fit.
struct Assignment {
    Problem* problem;
    Span sms;
    unsigned task_size;
    int slots;
};

struct Sample {
    float ms;
    int sms_at_work;
    unsigned least_blocks, most_blocks;  // on an SM of the team
};

class Card {
public:
    static constexpr unsigned most_numbers = 1024;

    Card() {
        require(cudaGetDevice(&device_), "finding a GPU");
        require(cudaGetDeviceProperties(&properties_, device_), "asking the GPU");
        require(cudaStreamCreateWithFlags(&own_, cudaStreamNonBlocking), "making a stream");
        require(cudaStreamCreateWithFlags(&beside_, cudaStreamNonBlocking), "making a stream");
        require(cudaStreamCreateWithFlags(&signals_, cudaStreamNonBlocking), "making a stream");
        require(cudaEventCreate(&start_), "making an event");
        require(cudaEventCreate(&end_), "making an event");
        find_sms();
        counters_ = memory_.room<Counter>(most_samples + 1);
        blocks_ = memory_.room<unsigned>((most_samples + 1) * std::size_t(sms()));
        stop_ = memory_.room<unsigned>(2);
    }
    ~Card() {
        cudaEventDestroy(start_);
        cudaEventDestroy(end_);
        for (auto stream : {own_, beside_, signals_}) cudaStreamDestroy(stream);
    }
    Card(const Card&) = delete;
    Card& operator=(const Card&) = delete;

    int sms() const { return sms_; }
    const cudaDeviceProp& properties() const { return properties_; }

    // Times of up to `repetitions` launches, after two that do not count, until `seconds` are over; beside a neighbour
    // that works before the first and until after the last, where one is given.
    std::vector<Sample> time(const Assignment& task, const Assignment* neighbour, int repetitions, double seconds) {
        if (repetitions + warm_ups > most_samples) throw std::invalid_argument("too many repetitions");
        require(cudaMemset(counters_, 0, (most_samples + 1) * sizeof(Counter)), "clearing counters");
        require(cudaMemset(blocks_, 0, (most_samples + 1) * sizeof(unsigned) * sms_), "clearing counts");
        require(cudaMemset(stop_, 0, 2 * sizeof(unsigned)), "clearing the signal");
        require(cudaDeviceSynchronize(), "waiting");
        std::vector<Sample> samples;
        {
            Running running(*this, neighbour);
            double total = 0;
            for (int i = 0; i < repetitions + warm_ups && (total < seconds || i <= warm_ups); ++i) {
                require(cudaEventRecord(start_, own_), "timing");
                start(task, i, task.problem->tasks(), stop_, own_);
                require(cudaEventRecord(end_, own_), "timing");
                require(cudaEventSynchronize(end_), task.problem->name());
                Sample sample{};
                require(cudaEventElapsedTime(&sample.ms, start_, end_), "timing");
                total += sample.ms / 1e3;
                samples.push_back(sample);
            }
        }
        for (std::size_t i = 0; i < samples.size(); ++i) account(samples[i], i, task.sms);
        samples.erase(samples.begin(), samples.begin() + warm_ups);
        return samples;
    }

private:
    static constexpr int most_samples = 256, warm_ups = 2;
    // Blocks that find themselves on another SM leave, and their places are filled again: enough have to come for all
    // places of the team to be taken.
    static constexpr unsigned launched_over_places = 4;

    // A neighbour for as long as this lasts.
    class Running {
    public:
        Running(Card& card, const Assignment* neighbour) : card_(card), runs_(neighbour != nullptr) {
            if (runs_) card_.start(*neighbour, most_samples, ~Counter(0) / 2, card_.stop_ + 1, card_.beside_);
        }
        ~Running() {
            if (!runs_) return;
            // By a copy, for which no SM is needed.
            static const unsigned now = 1;
            cudaMemcpyAsync(card_.stop_ + 1, &now, sizeof now, cudaMemcpyHostToDevice, card_.signals_);
            cudaStreamSynchronize(card_.signals_);
            cudaStreamSynchronize(card_.beside_);
        }
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;

    private:
        Card& card_;
        bool runs_;
    };

    void find_sms() {
        auto* seen = memory_.room<unsigned>(most_numbers);
        note_sm<<<properties_.multiProcessorCount * 16, 128>>>(seen);
        require(cudaDeviceSynchronize(), "looking for the SMs");
        std::vector<int> rank(most_numbers, -1);
        const auto found = memory_.values(seen, most_numbers);
        for (unsigned number = 0; number < most_numbers; ++number)
            if (found[number]) rank[number] = sms_++;
        if (sms_ != properties_.multiProcessorCount)
            throw std::runtime_error("the GPU has " + std::to_string(properties_.multiProcessorCount) + " SMs and " +
                                     std::to_string(sms_) + " of them took blocks; is another program running on it?");
        rank_ = memory_.holding(rank);
    }

    void start(const Assignment& task, int place, Counter end, const unsigned* stop, cudaStream_t stream) {
        const int fit = task.problem->blocks_of_sm();
        const bool capped = task.slots > 0 && task.slots < fit;
        const unsigned blocks = sms_ * (capped ? task.slots : fit * launched_over_places);
        const Team team{rank_, task.sms.first, task.sms.last, task.problem->tasks(), task.task_size, end,
                        counters_ + place, blocks_ + std::size_t(place) * sms_, stop};
        task.problem->launch(team, blocks, stream);
    }

    void account(Sample& sample, std::size_t place, Span span) {
        const auto blocks = memory_.values(blocks_ + place * sms_, sms_);
        for (int sm = 0; sm < sms_; ++sm)
            if (blocks[sm] && (sm < span.first || sm >= span.last))
                throw std::runtime_error("an SM outside the team has worked");
        const auto [least, most] = std::minmax_element(blocks.begin() + span.first, blocks.begin() + span.last);
        sample.least_blocks = *least;
        sample.most_blocks = *most;
        sample.sms_at_work = static_cast<int>(
            std::count_if(blocks.begin() + span.first, blocks.begin() + span.last, [](unsigned n) { return n > 0; }));
    }

    DeviceMemory memory_;
    cudaDeviceProp properties_{};
    cudaStream_t own_{}, beside_{}, signals_{};
    cudaEvent_t start_{}, end_{};
    int device_ = 0, sms_ = 0;
    int* rank_ = nullptr;
    Counter* counters_ = nullptr;
    unsigned* blocks_ = nullptr;
    unsigned* stop_ = nullptr;
};
