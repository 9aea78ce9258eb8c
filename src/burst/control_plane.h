// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the two sides of a burst ask of the control plane. src/device/ implements both over RPC;
/// tests implement them in process.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "nnburst/device.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "nnburst/types.h"
#include "nnburst/unique_fd.h"

namespace nnburst::burst {

/// Becomes true when the driver has answered an execution that was given up, or when the connection
/// is lost, so that no answer will come.
using AnswerFlag = std::shared_ptr<const std::atomic<bool>>;

/// What the client's controller asks. Called on the threads that use the burst; may block for as
/// long as each call says.
class ClientControlPlane {
  public:
    virtual ~ClientControlPlane() = default;

    /// Executes a request that cannot go through the queue, as PreparedModel::executeSynchronously.
    /// Waits for the answer until `giveUpAt`. If there is no answer by then, `answered` is set to a
    /// flag that becomes true when the answer comes (its result is dropped), or when the connection
    /// is lost. Otherwise it stays null. May throw std::bad_alloc before the driver is asked, but
    /// not afterwards.
    [[nodiscard]] virtual Result<> executeSynchronously(const Request& request,
                                                        const ExecutionOptions& options,
                                                        const OptionalTimePoint& giveUpAt,
                                                        ExecutionOutcome& outcome,
                                                        AnswerFlag& answered) = 0;

    /// Tells the driver that `request` was refused without it: the driver-managed buffers of its
    /// outputs lose their contents, as with any failed execution. Waits for the answer until
    /// `giveUpAt`; without one, until the connection is lost.
    virtual void discardOutputs(const Request& request, const OptionalTimePoint& giveUpAt) = 0;

    /// Tells the driver to forget the memory of `slot` (IBurstContext::freeMemory). Does not wait:
    /// `forgotten` is called, on any thread, when the driver no longer uses the slot. It is not
    /// called if the connection is lost.
    virtual void freeMemory(std::int32_t slot, std::function<void()> forgotten) = 0;

    /// Asks the driver for a sign of life and waits for it at most kHangTimeout: DEVICE_UNAVAILABLE
    /// if the connection is lost or there is none. Called when a result has been long in coming.
    [[nodiscard]] virtual Result<> checkAlive() = 0;
};

/// What the driver has answered when the burst was set up.
struct BurstSetup {
    UniqueFd doorbell;  ///< Server::takeDoorbell
    /// Whether the driver can announce results over the doorbell (Burst::armCompletion).
    bool ringsBack = true;
    /// Kernel threads of the driver. If they need all processors, the client sleeps instead of
    /// spinning.
    std::uint32_t kernelThreads = 1;
};

/// A client that waits calls checkAlive each time this long has passed without a sign of life. One
/// such call may take kHangTimeout. DriverLink pings at the same interval.
inline constexpr std::chrono::milliseconds kPingInterval{1000};

/// Slots for which DriverControlPlane::getMemories may ask at once, so that the descriptors of
/// their memory fit into one message.
inline constexpr std::size_t kMaximumSlotsAskedFor = 127;

/// What the driver's server asks. Called on the thread that serves the burst; may block.
class DriverControlPlane {
  public:
    virtual ~DriverControlPlane() = default;

    /// Fetches the memory of `slots`, at most kMaximumSlotsAskedFor, from the client, one region a
    /// slot in the same order (IBurstCallback::getMemories). The regions have been checked by
    /// Region::receive; a slot that the client does not know gives null. Errors and a client that
    /// takes longer than kHangTimeout fail the execution.
    [[nodiscard]] virtual Result<std::vector<SharedRegion>> getMemories(
        std::span<const std::int32_t> slots) = 0;
};

}  // namespace nnburst::burst
