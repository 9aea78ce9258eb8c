// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/distribution.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "support/latency.h"

namespace nnburst::stream {

namespace {

/// Buckets of each power of two: a bucket's width is 1/256 of the power at most.
constexpr unsigned kPrecisionBits = 8;
constexpr std::uint64_t kBucketsOfPower = std::uint64_t{1} << kPrecisionBits;
/// Durations below have buckets of one nanosecond.
constexpr std::uint64_t kExactBelow = 2 * kBucketsOfPower;
constexpr unsigned kLargestBits = 42;
constexpr std::uint64_t kLargest = (std::uint64_t{1} << kLargestBits) - 1;
constexpr std::size_t kBuckets =
    kExactBelow + (kLargestBits - kPrecisionBits - 1) * kBucketsOfPower;
constexpr std::size_t kEndlessBucket = kBuckets;

std::size_t bucketOf(nanoseconds duration) noexcept {
    if (duration == kEndless) {
        return kEndlessBucket;
    }
    const std::uint64_t value =
        std::min(static_cast<std::uint64_t>(std::max(duration, nanoseconds(0)).count()), kLargest);
    if (value < kExactBelow) {
        return value;
    }
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - kPrecisionBits - 1;
    return kExactBelow + (shift - 1) * kBucketsOfPower + (value >> shift) - kBucketsOfPower;
}

/// The first duration of a bucket, or the end of the last one.
nanoseconds beginOf(std::size_t bucket) noexcept {
    if (bucket < kExactBelow) {
        return nanoseconds(bucket);
    }
    const std::uint64_t above = bucket - kExactBelow;
    const std::uint64_t shift = above / kBucketsOfPower + 1;
    return nanoseconds((kBucketsOfPower + above % kBucketsOfPower) << shift);
}

/// Only one thread writes, so that adding needs no locked instruction.
void increase(std::atomic<std::uint64_t>& cell, std::uint64_t by) noexcept {
    cell.store(cell.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

}  // namespace

Histogram::Histogram() : counts_(kBuckets + 1) {}

void Histogram::add(nanoseconds duration) noexcept {
    increase(counts_[bucketOf(duration)], 1);
}

void Histogram::add(const Histogram& other) noexcept {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        increase(counts_[i], other.counts_[i].load(std::memory_order_relaxed));
    }
}

std::uint64_t Histogram::count() const noexcept {
    std::uint64_t count = 0;
    for (const auto& cell : counts_) {
        count += cell.load(std::memory_order_relaxed);
    }
    return count;
}

nanoseconds Histogram::quantile(double fraction) const noexcept {
    const std::uint64_t all = count();
    if (all == 0) {
        return nanoseconds(0);
    }
    const double exactRank = std::ceil(fraction * static_cast<double>(all));
    const std::uint64_t rank = std::clamp<std::uint64_t>(
        exactRank > 1 ? static_cast<std::uint64_t>(exactRank) : 1, 1, all);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
        seen += counts_[i].load(std::memory_order_relaxed);
        if (seen >= rank) {
            return i < kExactBelow ? beginOf(i) : (beginOf(i) + beginOf(i + 1)) / 2;
        }
    }
    return kEndless;
}

std::vector<Histogram::Bucket> Histogram::buckets() const {
    std::vector<Bucket> buckets;
    for (std::size_t i = 0; i < kBuckets; ++i) {
        const std::uint64_t count = counts_[i].load(std::memory_order_relaxed);
        if (count != 0) {
            buckets.push_back({.begin = beginOf(i), .end = beginOf(i + 1), .count = count});
        }
    }
    return buckets;
}

void Distribution::add(nanoseconds duration) noexcept {
    histogram_.add(duration);
    if (duration == kEndless) {
        ++endless_;
        return;
    }
    first_ = count_ == 0 ? duration : first_;
    min_ = count_ == 0 ? duration : std::min(min_, duration);
    max_ = count_ == 0 ? duration : std::max(max_, duration);
    last_ = duration;
    ++count_;
    // Welford's recurrence: no difference of large sums.
    const auto value = static_cast<double>(duration.count());
    const double difference = value - mean_;
    mean_ += difference / static_cast<double>(count_);
    squares_ += difference * (value - mean_);
}

void Distribution::add(const Distribution& other) noexcept {
    histogram_.add(other.histogram_);
    endless_ += other.endless_;
    if (other.count_ == 0) {
        return;
    }
    first_ = count_ == 0 ? other.first_ : first_;
    min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
    max_ = count_ == 0 ? other.max_ : std::max(max_, other.max_);
    last_ = other.last_;
    const auto ours = static_cast<double>(count_);
    const auto theirs = static_cast<double>(other.count_);
    const double difference = other.mean_ - mean_;
    mean_ += difference * theirs / (ours + theirs);
    squares_ += other.squares_ + difference * difference * ours * theirs / (ours + theirs);
    count_ += other.count_;
}

double Distribution::standardDeviation() const noexcept {
    return count_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(count_));
}

nanoseconds Distribution::quantile(double fraction) const noexcept {
    const nanoseconds quantile = histogram_.quantile(fraction);
    return quantile == kEndless ? kEndless : std::clamp(quantile, min_, max_);
}

Summary summarise(const Distribution& distribution) {
    using tools::microseconds;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const auto percentile = [&](double fraction) {
        const nanoseconds quantile = distribution.quantile(fraction);
        return quantile == kEndless ? kInfinity : microseconds(quantile);
    };
    const bool areEndless = distribution.count() > 0 && distribution.finiteCount() == 0;
    const auto ofFinite = [&](double value) { return areEndless ? kInfinity : value; };
    return {.count = distribution.count(),
            .first = ofFinite(microseconds(distribution.first())),
            .last = ofFinite(microseconds(distribution.last())),
            .min = ofFinite(microseconds(distribution.min())),
            .max = ofFinite(microseconds(distribution.max())),
            .mean = ofFinite(distribution.mean() * 1e-3),
            .standardDeviation = ofFinite(distribution.standardDeviation() * 1e-3),
            .p50 = percentile(0.5),
            .p90 = percentile(0.9),
            .p99 = percentile(0.99),
            .p999 = percentile(0.999)};
}

ShownPercentiles shownPercentiles(const Summary& summary) {
    const auto ifShown = [&](double fraction, double value) {
        return canShow(summary.count, fraction) ? std::optional(value) : std::nullopt;
    };
    return {.p90 = ifShown(0.9, summary.p90),
            .p99 = ifShown(0.99, summary.p99),
            .p999 = ifShown(0.999, summary.p999)};
}

}  // namespace nnburst::stream
