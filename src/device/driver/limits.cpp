// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/limits.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "nnburst/unique_fd.h"
#include "system/read_file.h"

namespace nnburst::device {

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
constexpr std::uint64_t kTiB = std::uint64_t{1} << 40;

/// Regions that can be mapped at the same time. The rest of the mappings is for threads, kernels
/// and the heap.
std::uint64_t mappableRegions(const MachineSize& machine) noexcept {
    constexpr std::uint64_t kMaximumReserved = 8192;
    constexpr std::uint64_t kMappingsOfRegion = 2;  // its pages, and the padding behind them
    const std::uint64_t reserved = std::min(kMaximumReserved, machine.mappings / 3);
    return (machine.mappings - reserved) / kMappingsOfRegion;
}

/// The system's limit on the mappings of a process, or `otherwise` if it cannot be read.
std::uint64_t maximumMappings(std::uint64_t otherwise) noexcept {
    const UniqueFd file(::open("/proc/sys/vm/max_map_count", O_RDONLY | O_CLOEXEC));
    std::array<char, 32> text{};
    const ssize_t length = file ? ::read(file.get(), text.data(), text.size()) : -1;
    std::uint64_t count = otherwise;
    if (length > 0) {
        (void)std::from_chars(text.data(), text.data() + length, count);
    }
    return count;
}

/// The limits of all clients together.
Amounts amountsOf(const MachineSize& machine) noexcept {
    Amounts amounts;
    // A region that a client sends has a descriptor, and can be mapped.
    amounts[Resource::DESCRIPTORS] =
        std::min(machine.descriptors - reservedDescriptors(machine), mappableRegions(machine));
    amounts[Resource::CONNECTIONS] = 1024;
    amounts[Resource::ADDRESS_SPACE] = 64 * kTiB;  // half of what a process has
    amounts[Resource::MEMORY] = machine.memoryBytes / 4 * 3;
    amounts[Resource::MESSAGES] = std::clamp(machine.memoryBytes / 16, 192 * kMiB, kGiB);
    amounts[Resource::CALLS] = 16384;
    amounts[Resource::PREPARED_MODELS] = 16384;
    amounts[Resource::BUFFERS] = 16384;
    amounts[Resource::BURSTS] = 8192;
    amounts[Resource::EXECUTIONS] = 4096;
    amounts[Resource::BLOCKED_THREADS] = 256;
    return amounts;
}

Amounts scaled(const Amounts& amounts, std::uint64_t numerator, std::uint64_t denominator) {
    Amounts part;
    for (std::size_t i = 0; i < kResourceCount; ++i) {
        const auto resource = static_cast<Resource>(i);
        part[resource] = amounts[resource] / denominator * numerator;
    }
    return part;
}

tl::unexpected<Error> badLimit(const std::string& assignment, const std::string& rule) {
    return failure(ErrorStatus::INVALID_ARGUMENT, fmt::format("limit '{}': {}", assignment, rule));
}

/// A number, perhaps with one of K, M, G and T, which are powers of 1024.
std::optional<std::uint64_t> amountOf(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    constexpr std::string_view kUnits = "KMGT";
    unsigned shift = 0;
    if (unit.size() == 1 && kUnits.find(unit[0]) != std::string_view::npos) {
        shift = 10 * static_cast<unsigned>(kUnits.find(unit[0]) + 1);
    } else if (!unit.empty()) {
        return std::nullopt;
    }
    if (error != std::errc() || number > (UINT64_MAX >> shift)) {
        return std::nullopt;
    }
    return number << shift;
}

std::optional<Resource> resourceOf(std::string_view name) {
    for (std::size_t i = 0; i < kResourceCount; ++i) {
        if (name == toString(static_cast<Resource>(i))) {
            return static_cast<Resource>(i);
        }
    }
    return std::nullopt;
}

std::optional<Priority> priorityOf(std::string_view name) {
    if (name == "low") {
        return Priority::LOW;
    }
    if (name == "medium") {
        return Priority::MEDIUM;
    }
    if (name == "high") {
        return Priority::HIGH;
    }
    return std::nullopt;
}

std::string resourceNames() {
    std::string names;
    for (std::size_t i = 0; i < kResourceCount; ++i) {
        names += (i == 0 ? "" : ", ") + std::string(toString(static_cast<Resource>(i)));
    }
    return names;
}

/// The limits of the users that `scope` names, "user" for those without limits of their own, and
/// whether they are those of one client. Null for a scope that names no users.
struct Scope {
    UserLimits* users = nullptr;
    bool isClient = false;
};
Scope scopeOf(std::string_view scope, Limits& limits) {
    if (scope == "user") {
        return {&limits.users};
    }
    if (scope == "client") {
        return {&limits.users, true};
    }
    uid_t user = 0;
    const auto [end, error] = std::from_chars(scope.data(), scope.data() + scope.size(), user);
    if (error != std::errc() || end != scope.data() + scope.size()) {
        return {};
    }
    return {&limits.ofUser.try_emplace(user, limits.users).first->second};
}

}  // namespace

const UserLimits& Limits::of(uid_t user) const {
    const auto found = ofUser.find(user);
    return found == ofUser.end() ? users : found->second;
}

MachineSize MachineSize::get() noexcept {
    MachineSize size{.memoryBytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                                    static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)),
                     .descriptors = 1024};
    rlimit limit{};
    if (::getrlimit(RLIMIT_DATA, &limit) == 0) {
        size.memoryBytes = std::min<std::uint64_t>(size.memoryBytes, limit.rlim_cur);
    }
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        size.descriptors = limit.rlim_cur;
    }
    size.mappings = maximumMappings(size.mappings);
    return size;
}

std::uint64_t reservedDescriptors(const MachineSize& machine) noexcept {
    constexpr std::uint64_t kMost = 96;
    return std::min(kMost, machine.descriptors / 3);
}

std::size_t maximumRefusals(const MachineSize& machine) noexcept {
    constexpr std::uint64_t kOfDriver = 16;
    constexpr std::uint64_t kOfRefusalAndClosing = 3 + 1;
    const std::uint64_t reserved = reservedDescriptors(machine);
    return reserved < kOfDriver + kOfRefusalAndClosing
               ? 1
               : (reserved - kOfDriver) / kOfRefusalAndClosing;
}

Limits defaultLimits(const MachineSize& machine) noexcept {
    const Amounts all = amountsOf(machine);
    return {.driver = all,
            .users = {.user = scaled(all, 2, 3), .client = scaled(all, 1, 2)},
            .ofUser = {}};
}

Limits limitsOfOwnDriver(const MachineSize& machine) noexcept {
    const Amounts all = amountsOf(machine);
    return {.driver = all,
            .users = {.user = all, .client = all, .highestPriority = Priority::HIGH},
            .ofUser = {}};
}

Result<> setLimit(const std::string& assignment, Limits& limits) {
    const std::string_view text = assignment;
    const std::size_t dot = text.find('.');
    const std::size_t equals = text.find('=');
    if (dot == std::string_view::npos || equals == std::string_view::npos || dot > equals) {
        return badLimit(assignment, "must be SCOPE.RESOURCE=AMOUNT");
    }
    const std::string_view scopeName = text.substr(0, dot);
    const std::string_view name = text.substr(dot + 1, equals - dot - 1);
    const std::string_view value = text.substr(equals + 1);
    const Scope scope = scopeOf(scopeName, limits);
    if (scope.users == nullptr && scopeName != "driver") {
        return badLimit(assignment,
                        "the scope must be driver, user, client, or the number of a user");
    }
    if (name == "priority" && scope.users != nullptr && !scope.isClient) {
        const auto priority = priorityOf(value);
        if (!priority) {
            return badLimit(assignment, "the priority must be low, medium or high");
        }
        scope.users->highestPriority = *priority;
        return {};
    }
    const auto resource = resourceOf(name);
    if (!resource) {
        return badLimit(assignment,
                        fmt::format("the resource must be one of {}", resourceNames()) +
                            (scope.isClient || scopeName == "driver" ? "" : ", priority"));
    }
    const auto amount = amountOf(value);
    if (!amount) {
        return badLimit(assignment,
                        "the amount must be a number of 64 bits, perhaps with K, M, G or T");
    }
    if (scope.users == nullptr) {
        limits.driver[*resource] = *amount;
    } else if (scope.isClient) {
        limits.users.client[*resource] = *amount;
    } else {
        scope.users->user[*resource] = *amount;
        // Limits of a single user are for that user's clients, too: one may have all of it.
        if (scope.users != &limits.users) {
            scope.users->client[*resource] = *amount;
        }
    }
    return {};
}

Result<> setLimitsFromFile(const std::string& path, Limits& limits) {
    constexpr std::size_t kMaximumFileBytes = std::size_t{1} << 20;
    NNBURST_TRY_ASSIGN(const std::vector<std::byte> bytes,
                       system::readFile(path, kMaximumFileBytes));
    std::istringstream lines(
        std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        const std::size_t begin = line.find_first_not_of(" \t\r");
        if (begin == std::string::npos || line[begin] == '#') {
            continue;
        }
        const std::size_t end = line.find_last_not_of(" \t\r") + 1;
        if (Result<> set = setLimit(line.substr(begin, end - begin), limits); !set) {
            return failure(set.error().status,
                           fmt::format("{}, line {}: {}", path, number, set.error().message));
        }
    }
    return {};
}

}  // namespace nnburst::device
