// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <cerrno>
#include <cstring>
#include <string>

#include "memory/drop_pages.h"
#include "nnburst/memory.h"
#include "system/mutex.h"

namespace nnburst {

namespace {

namespace interprocess = boost::interprocess;

std::size_t roundUpToPage(std::size_t sizeBytes) {
    const std::size_t page = interprocess::mapped_region::get_page_size();
    return (sizeBytes + page - 1) / page * page;
}

/// What Boost.Interprocess maps: anything with a handle; here our own memfd.
struct MemfdMapping {
    int fd;
    // NOLINTNEXTLINE(readability-identifier-naming): Boost's name
    [[nodiscard]] interprocess::mapping_handle_t get_mapping_handle() const noexcept {
        return {fd, false};
    }
};

/// Where so many bytes can be mapped now, unless another thread maps something there; null, with
/// errno, if there is no room.
void* freeAddress(std::size_t sizeBytes) noexcept {
    void* const address =
        ::mmap(nullptr, sizeBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == MAP_FAILED) {
        return nullptr;
    }
    ::munmap(address, sizeBytes);
    return address;
}

/// Pages that read as zero, at an address where nothing is mapped.
class Padding {
  public:
    Padding() noexcept = default;
    Padding(const Padding&) = delete;
    Padding& operator=(const Padding&) = delete;
    ~Padding() {
        if (sizeBytes_ != 0) {
            ::munmap(address_, sizeBytes_);
        }
    }

    /// Once. False, with errno, if something is mapped there, or at a limit of the system.
    [[nodiscard]] bool map(void* address, std::size_t sizeBytes) noexcept {
        if (sizeBytes == 0) {
            return true;
        }
        void* const mapped =
            ::mmap(address, sizeBytes, PROT_READ,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (mapped != address) {
            if (mapped != MAP_FAILED) {  // where the flag means nothing: elsewhere
                ::munmap(mapped, sizeBytes);
                errno = EEXIST;
            }
            return false;
        }
        address_ = mapped;
        sizeBytes_ = sizeBytes;
        return true;
    }

  private:
    void* address_ = nullptr;
    std::size_t sizeBytes_ = 0;
};

/// A mapping fails after so many addresses that other code has taken meanwhile.
constexpr int kMaximumAttempts = 100;
/// Held while a mapping is made: threads that make mappings would take each other's addresses again
/// and again.
system::Mutex mappingMutex;

}  // namespace

/// The region's pages, and behind them the padding.
struct Mapping::View {
    View() = default;
    View(const View&) = delete;
    View& operator=(const View&) = delete;
    ~View() {
        // Unmapping is short then. The contents stay in the region.
        if (mapped.get_size() > kPagesDroppedAtOnceBytes) {
            dropPages(static_cast<std::byte*>(mapped.get_address()), mapped.get_size());
        }
    }

    /// Replaces no other mapping, not even one that was made to reserve the address: the kernel may
    /// take that away and fail then, and another thread's memory come to lie there. False, with
    /// errno, if something is mapped at `address`.
    [[nodiscard]] bool map(const Region& region, interprocess::mode_t mode, std::byte* address);

    interprocess::mapped_region mapped;
    Padding padding;
};

bool Mapping::View::map(const Region& region, interprocess::mode_t mode, std::byte* address) {
    const auto sizeBytes = static_cast<std::size_t>(region.sizeBytes());
    mapped = {};
    mapped = interprocess::mapped_region(MemfdMapping{region.fd()}, mode, 0, sizeBytes, address,
                                         MAP_FIXED_NOREPLACE);
    const std::size_t pagesBytes = roundUpToPage(sizeBytes);
    return padding.map(address + pagesBytes,
                       roundUpToPage(sizeBytes + kMappingPaddingBytes) - pagesBytes);
}

Mapping::Mapping() noexcept = default;
Mapping::Mapping(Mapping&& other) noexcept
    : region_(std::move(other.region_)),
      view_(std::move(other.view_)),
      bytes_(std::exchange(other.bytes_, {})) {}
Mapping& Mapping::operator=(Mapping&& other) noexcept {
    view_ = std::move(other.view_);  // unmaps before the region's handle is dropped
    region_ = std::move(other.region_);
    bytes_ = std::exchange(other.bytes_, {});
    return *this;
}
Mapping::~Mapping() = default;

Result<Mapping> Mapping::map(SharedRegion region, MappingAccess access) {
    if (!region) {
        return failure(ErrorStatus::INVALID_ARGUMENT, "cannot map shared memory: no region given");
    }
    if (region->isForeign()) {
        return failure(
            ErrorStatus::INVALID_ARGUMENT,
            "cannot map memory that its other holders can cut; seal it against shrinking "
            "(memfd_create, F_SEAL_SHRINK)");
    }
    const auto sizeBytes = static_cast<std::size_t>(region->sizeBytes());
    const auto refused = [&](const char* why) {
        return failure(
            ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
            "cannot map " + std::to_string(sizeBytes) + " bytes of shared memory: " + why);
    };
    const auto mode =
        access == MappingAccess::READ_ONLY ? interprocess::read_only : interprocess::read_write;
    auto view = std::make_unique<View>();
    const system::MutexLock lock(mappingMutex);
    for (int attempt = 0;; ++attempt) {
        void* const address = freeAddress(roundUpToPage(sizeBytes + kMappingPaddingBytes));
        if (address == nullptr) {
            return refused(std::strerror(errno));  // NOLINT(concurrency-mt-unsafe): glibc's is safe
        }
        int error = 0;
        try {
            if (view->map(*region, mode, static_cast<std::byte*>(address))) {
                break;
            }
            error = errno;
        } catch (const interprocess::interprocess_exception& exception) {
            // 0: it was mapped elsewhere, where the flag means nothing.
            error = exception.get_native_error() != 0 ? exception.get_native_error() : EEXIST;
        }
        if (error != EEXIST || attempt == kMaximumAttempts) {
            return refused(std::strerror(error));  // NOLINT(concurrency-mt-unsafe)
        }
    }
    Mapping mapping;
    mapping.bytes_ = {static_cast<std::byte*>(view->mapped.get_address()), sizeBytes};
    mapping.region_ = std::move(region);
    mapping.view_ = std::move(view);
    return mapping;
}

}  // namespace nnburst
