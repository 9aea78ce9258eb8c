// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "shared_regions.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string_view>
#include <utility>

namespace nnburst::serve {
namespace {

/// shm_open's rule: a name without slashes, but for one that it may begin with.
bool isKey(const std::string& key) {
    const std::string_view name = std::string_view(key).substr(key.starts_with('/') ? 1 : 0);
    return !name.empty() && name != "." && name != ".." && name.size() < NAME_MAX &&
           name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

/// How many regions there may be.
std::size_t regionLimit() {
    rlimit descriptors{};
    if (::getrlimit(RLIMIT_NOFILE, &descriptors) != 0) {
        return 0;
    }
    return std::min<std::size_t>(SharedRegions::kMaximumRegions,
                                 descriptors.rlim_cur / SharedRegions::kPartOfDescriptors);
}

}  // namespace

SharedRegions::SharedRegions(bool isAllowed) noexcept
    : isAllowed_(isAllowed), maximumRegions_(regionLimit()) {}

Outcome<> SharedRegions::checkAllowed() const {
    if (!isAllowed_) {
        return refuse(Code::PERMISSION_DENIED,
                      "shared memory is not allowed: the server listens on an address that other "
                      "machines reach, or runs with --shared-memory off");
    }
    return {};
}

Outcome<> SharedRegions::add(const std::string& name, const std::string& key, std::uint64_t offset,
                             std::uint64_t bytes) {
    NNBURST_SERVE_TRY(checkAllowed());
    if (name.size() > kMaximumNameBytes) {
        return refuse(Code::INVALID_ARGUMENT,
                      "register shared memory: a name of {} bytes; must have at most {}",
                      name.size(), kMaximumNameBytes);
    }
    if (name.empty() || !isKey(key)) {
        return refuse(Code::INVALID_ARGUMENT,
                      "register shared memory '{}' of key '{}': must have a name, and a key that "
                      "shm_open takes",
                      name, key);
    }
    if (bytes == 0 || offset > kMaximumRegionBytes || bytes > kMaximumRegionBytes - offset) {
        return refuse(
            Code::INVALID_ARGUMENT,
            "register shared memory '{}': {} bytes from offset {} on: must be at least 1, "
            "and end at {} at most",
            name, bytes, offset, kMaximumRegionBytes);
    }
    UniqueFd fd(::shm_open(key.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0));
    if (!fd) {
        return refuse(Code::INVALID_ARGUMENT,
                      "register shared memory '{}': cannot open key '{}': {}", name, key,
                      std::strerror(errno));
    }
    NNBURST_SERVE_TRY_ASSIGN(SharedRegion memory, Region::receive(std::move(fd), offset + bytes));
    const std::lock_guard lock(mutex_);
    if (regions_.contains(name)) {
        return refuse(Code::ALREADY_EXISTS,
                      "register shared memory '{}': a region of that name is registered", name);
    }
    if (regions_.size() >= maximumRegions_) {
        return refuse(Code::RESOURCE_EXHAUSTED,
                      "register shared memory '{}': {} regions are registered, which is the limit",
                      name, regions_.size());
    }
    regions_.emplace(name, Entry{Status{name, key, offset, bytes}, std::move(memory)});
    return {};
}

Outcome<> SharedRegions::remove(const std::string& name) {
    NNBURST_SERVE_TRY(checkAllowed());
    std::map<std::string, Entry>
        removed;  // closed when the mutex is free again: that may take long
    const std::lock_guard lock(mutex_);
    if (name.empty()) {
        removed.swap(regions_);
    } else {
        removed.insert(regions_.extract(name));
    }
    return {};
}

Outcome<std::vector<SharedRegions::Status>> SharedRegions::status(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    if (!name.empty() && !regions_.contains(name)) {
        return refuse(Code::NOT_FOUND, "status of shared memory '{}': it is not registered", name);
    }
    std::vector<Status> result;
    for (const auto& [key, entry] : regions_) {
        if (name.empty() || name == key) {
            result.push_back(entry.status);
        }
    }
    return result;
}

Outcome<SharedRegions::Entry> SharedRegions::find(const SharedRange& range) const {
    NNBURST_SERVE_TRY(checkAllowed());
    const std::lock_guard lock(mutex_);
    const auto found = regions_.find(range.region);
    if (found == regions_.end()) {
        return refuse(Code::NOT_FOUND, "shared memory '{}' is not registered", range.region);
    }
    const Status& status = found->second.status;
    if (range.offset > status.bytes || range.bytes > status.bytes - range.offset) {
        return refuse(Code::INVALID_ARGUMENT,
                      "shared memory '{}': {} bytes from offset {} on exceed its {} bytes",
                      range.region, range.bytes, range.offset, status.bytes);
    }
    return found->second;
}

Outcome<> SharedRegions::check(const SharedRange& range) const {
    NNBURST_SERVE_TRY(find(range));
    return {};
}

Outcome<> SharedRegions::read(const SharedRange& range, std::span<std::byte> destination) const {
    NNBURST_SERVE_TRY_ASSIGN(const Entry entry, find(range));
    NNBURST_SERVE_TRY(entry.memory->read(entry.status.offset + range.offset, destination));
    return {};
}

Outcome<> SharedRegions::write(const SharedRange& range, std::span<const std::byte> source) const {
    NNBURST_SERVE_TRY_ASSIGN(const Entry entry, find(range));
    NNBURST_SERVE_TRY(entry.memory->write(entry.status.offset + range.offset, source));
    return {};
}

}  // namespace nnburst::serve
