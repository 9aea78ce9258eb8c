// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The distribution of durations, such as the latencies of frames, in memory that does not grow
/// with their number.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nnburst::stream {

using std::chrono::nanoseconds;

/// The duration of what did not end, for instance the latency of a frame without an output.
inline constexpr nanoseconds kEndless = nanoseconds::max();

/// Counts of durations in buckets. Below 512 ns each nanosecond has a bucket. Above, a bucket is at
/// most 1/256 as wide as its durations, all of which count as its middle, so quantiles are off by
/// 0.2 % at most. Durations above 73 minutes count as 73 minutes, except kEndless. Takes 70 KB,
/// which the constructor allocates. One thread adds; any thread may read meanwhile.
class Histogram {
  public:
    Histogram();

    void add(nanoseconds duration) noexcept;
    /// Adds the counts of `other`. On the thread that adds.
    void add(const Histogram& other) noexcept;

    [[nodiscard]] std::uint64_t count() const noexcept;
    /// The smallest duration that at least `fraction` (0 to 1) of all durations do not exceed
    /// (nearest rank), which may be kEndless; zero if there are none.
    [[nodiscard]] nanoseconds quantile(double fraction) const noexcept;

    /// A bucket that is not empty.
    struct Bucket {
        nanoseconds begin{};
        nanoseconds end{};  ///< the first duration after it
        std::uint64_t count = 0;
    };
    /// All buckets that are not empty, in ascending order, without endless durations.
    [[nodiscard]] std::vector<Bucket> buckets() const;

  private:
    std::vector<std::atomic<std::uint64_t>> counts_;  ///< the last one: of endless durations
};

/// A histogram, with mean, deviation and extremes computed exactly; these and the first and the
/// last duration are without endless ones. Not thread-safe, except histogram().
class Distribution {
  public:
    void add(nanoseconds duration) noexcept;
    /// Adds another distribution, as if its durations came after those of this one.
    void add(const Distribution& other) noexcept;

    [[nodiscard]] const Histogram& histogram() const noexcept { return histogram_; }
    /// Of all durations.
    [[nodiscard]] std::uint64_t count() const noexcept { return count_ + endless_; }
    [[nodiscard]] std::uint64_t finiteCount() const noexcept { return count_; }
    [[nodiscard]] nanoseconds first() const noexcept { return first_; }
    [[nodiscard]] nanoseconds last() const noexcept { return last_; }
    [[nodiscard]] nanoseconds min() const noexcept { return min_; }
    [[nodiscard]] nanoseconds max() const noexcept { return max_; }
    /// In nanoseconds; the deviation is that of the population.
    [[nodiscard]] double mean() const noexcept { return mean_; }
    [[nodiscard]] double standardDeviation() const noexcept;
    /// The quantile of the histogram, clamped to the extremes unless it is kEndless.
    [[nodiscard]] nanoseconds quantile(double fraction) const noexcept;
    /// The median, or the longest finite duration if the median is kEndless.
    [[nodiscard]] nanoseconds finiteMedian() const noexcept {
        return std::min(quantile(0.5), max_);
    }

  private:
    Histogram histogram_;
    std::uint64_t count_ = 0;  ///< without endless durations
    std::uint64_t endless_ = 0;
    nanoseconds first_{};
    nanoseconds last_{};
    nanoseconds min_{};
    nanoseconds max_{};
    double mean_ = 0;
    double squares_ = 0;  ///< of the differences from the mean
};

/// The quantities of a distribution that are printed, in microseconds. All zero without durations.
/// Percentiles may be infinite, and if all durations are endless, all quantities are.
struct Summary {
    std::uint64_t count = 0;
    double first = 0;
    double last = 0;
    double min = 0;
    double max = 0;
    double mean = 0;
    double standardDeviation = 0;
    double p50 = 0;
    double p90 = 0;
    double p99 = 0;
    double p999 = 0;
};

[[nodiscard]] Summary summarise(const Distribution& distribution);

/// Whether `count` durations are enough to show a quantile: at least one of them must lie above it.
[[nodiscard]] constexpr bool canShow(std::uint64_t count, double fraction) noexcept {
    return static_cast<double>(count) * (1 - fraction) >= 1 - 1e-9;
}

/// The percentiles of a summary, without those that so few durations cannot show.
struct ShownPercentiles {
    std::optional<double> p90;
    std::optional<double> p99;
    std::optional<double> p999;
};

[[nodiscard]] ShownPercentiles shownPercentiles(const Summary& summary);

}  // namespace nnburst::stream
