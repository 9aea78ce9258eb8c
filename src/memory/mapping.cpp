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

/// The address range of a mapping with its padding: pages that read as zero. The destructor unmaps
/// only pages that no other mapping covers, because another thread may have mapped something in the
/// place of the others.
class Reservation {
  public:
    explicit Reservation(std::size_t sizeBytes) noexcept
        : address_(::mmap(nullptr, sizeBytes, PROT_READ,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)),
          sizeBytes_(sizeBytes) {}
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;
    ~Reservation() {
        if (*this && coveredBytes_ < sizeBytes_) {
            ::munmap(static_cast<std::byte*>(address_) + coveredBytes_, sizeBytes_ - coveredBytes_);
        }
    }

    [[nodiscard]] explicit operator bool() const noexcept { return address_ != MAP_FAILED; }
    [[nodiscard]] void* address() const noexcept { return address_; }
    /// The first `sizeBytes`, a number of whole pages, belong to another mapping now.
    void cover(std::size_t sizeBytes) noexcept { coveredBytes_ = sizeBytes; }

  private:
    void* address_;
    std::size_t sizeBytes_;
    std::size_t coveredBytes_ = 0;
};

}  // namespace

/// The region's pages cover the start of the reservation; the rest of it is the padding.
struct Mapping::View {
    explicit View(std::size_t regionBytes)
        : reservation(roundUpToPage(regionBytes + kMappingPaddingBytes)) {}
    View(const View&) = delete;
    View& operator=(const View&) = delete;
    ~View() {
        // Unmapping is short then. The contents stay in the region.
        if (mapped.get_size() > kPagesDroppedAtOnceBytes) {
            dropPages(static_cast<std::byte*>(mapped.get_address()), mapped.get_size());
        }
    }

    Reservation reservation;
    interprocess::mapped_region mapped;
};

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
    auto view = std::make_unique<View>(sizeBytes);
    if (!view->reservation) {
        return refused(std::strerror(errno));  // NOLINT(concurrency-mt-unsafe): glibc's is safe
    }
    try {
        view->mapped = interprocess::mapped_region(
            MemfdMapping{region->fd()},
            access == MappingAccess::READ_ONLY ? interprocess::read_only : interprocess::read_write,
            0, sizeBytes, view->reservation.address(), MAP_FIXED);
        view->reservation.cover(roundUpToPage(sizeBytes));
    } catch (const interprocess::interprocess_exception& exception) {
        return refused(exception.what());
    }
    Mapping mapping;
    mapping.bytes_ = {static_cast<std::byte*>(view->mapped.get_address()), sizeBytes};
    mapping.region_ = std::move(region);
    mapping.view_ = std::move(view);
    return mapping;
}

}  // namespace nnburst
