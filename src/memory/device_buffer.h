// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Device buffers: dma-bufs of cameras, codecs and GPUs. Their size never changes, so they can be
/// mapped like sealed memory. Caches of the processor and of the device agree only if each access
/// of the processor has a beginning and an end (DMA_BUF_IOCTL_SYNC).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

/// Whether `fd` is a dma-buf.
[[nodiscard]] bool isDeviceBuffer(int fd) noexcept;

/// RAII: brackets accesses of the processor to device buffers, from `begin` until `end` or
/// destruction. Not thread-safe.
class DeviceBufferAccess {
  public:
    /// Waits for the devices that still use the buffers until `deadline`, and for at most 1 s.
    explicit DeviceBufferAccess(const OptionalTimePoint& deadline = std::nullopt) noexcept;
    ~DeviceBufferAccess() { (void)end(); }
    DeviceBufferAccess(const DeviceBufferAccess&) = delete;
    DeviceBufferAccess& operator=(const DeviceBufferAccess&) = delete;

    /// Begins accesses to one more buffer, whose descriptor must stay open. Waits for devices that
    /// still use it. MISSED_DEADLINE_TRANSIENT if they do not finish before the deadline,
    /// RESOURCE_EXHAUSTED_TRANSIENT if they take too long, GENERAL_FAILURE if the system refuses.
    [[nodiscard]] Result<> begin(int fd);

    /// Ends the accesses to all buffers. GENERAL_FAILURE if the system refuses one: then devices
    /// may not see what was written.
    Result<> end();

  private:
    Result<> awaitDevices(int fd) const;

    const TimePoint latest_;  ///< 1 s after the construction: later, devices count as hung
    const TimePoint end_;     ///< of waiting: latest_ or the deadline, whichever is earlier
    std::vector<int> begun_;
};

/// Copies bytes from or to a device buffer, which must contain the range. Errors of
/// DeviceBufferAccess, and RESOURCE_EXHAUSTED_TRANSIENT if it cannot be mapped.
[[nodiscard]] Result<> readDeviceBuffer(int fd, std::uint64_t offset,
                                        std::span<std::byte> destination);
[[nodiscard]] Result<> writeDeviceBuffer(int fd, std::uint64_t offset,
                                         std::span<const std::byte> source);

}  // namespace nnburst
