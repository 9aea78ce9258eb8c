// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/logging.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "log/logger.h"

namespace nnburst {

namespace {

constexpr std::array<std::string_view, 7> kNames{
    "compilation", "cpuexe", "driver", "execution", "manager", "model", "partitioning"};
constexpr std::uint32_t kAll = (1U << kNames.size()) - 1;

std::uint32_t parse(std::string_view tags) {
    constexpr std::string_view kSeparators = " ,:";
    std::uint32_t bits = 0;
    while (!tags.empty()) {
        const std::size_t end = std::min(tags.find_first_of(kSeparators), tags.size());
        const std::string_view tag = tags.substr(0, end);
        tags.remove_prefix(std::min(end + 1, tags.size()));
        const auto found = std::find(kNames.begin(), kNames.end(), tag);
        if (tag == "1" || tag == "all") {
            bits = kAll;
        } else if (found != kNames.end()) {
            bits |= 1U << static_cast<unsigned>(found - kNames.begin());
        } else if (!tag.empty()) {
            logger().warn("verbose logging: there is no tag \"{}\"", tag);
        }
    }
    return bits;
}

std::uint32_t fromEnvironment() {
    const char* tags = std::getenv("NNBURST_VLOG");
    return tags == nullptr ? 0 : parse(tags);
}

constexpr std::array<const char*, 7> kLevelNames{"trace", "debug",    "info", "warning",
                                                 "error", "critical", "off"};

}  // namespace

std::atomic<std::uint32_t> detail::verboseTags{fromEnvironment()};

const char* toString(LogLevel level) noexcept {
    const auto index = static_cast<std::size_t>(level);
    return index < kLevelNames.size() ? kLevelNames[index] : "unknown";
}

void setVerboseLogging(std::string_view tags) {
    detail::verboseTags.store(parse(tags), std::memory_order_relaxed);  // a switch, no order needed
}

std::string verboseLogging() {
    std::string tags;
    for (std::size_t tag = 0; tag < kNames.size(); ++tag) {
        if (isVerbose(static_cast<LogTag>(tag))) {
            tags.append(tags.empty() ? 0 : 1, ' ').append(kNames[tag]);
        }
    }
    return tags;
}

}  // namespace nnburst
