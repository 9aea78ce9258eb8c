// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Prepares a part of a model, or all of it, on one device of a runtime.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nnburst/device.h"
#include "nnburst/runtime.h"
#include "runtime/background.h"
#include "runtime/replacement.h"

namespace nnburst::runtime {

/// The objects that the models of a runtime share.
struct SharedObjects {
    SharedDevice reference;  ///< the device in this process
    std::shared_ptr<FallbackCounters> counters;
    std::shared_ptr<ExecutionThreads> threads;
};

/// A part, or a whole model, that is to be prepared.
struct PartToPrepare {
    std::string name;  ///< for messages
    Model model;
    /// Indices in the whole model; empty if this is the whole model.
    std::vector<std::uint32_t> operations;
};

/// The device that is to prepare it.
struct PartDevice {
    SharedDevice device;
    DeviceInfo info;
    /// The device in this process replaces this one if it fails. Requires that memory to which the
    /// part's model refers does not change any more.
    bool canBeReplaced = false;
};

/// Prepares `part` from the cache that `options` names or from its model, and waits for it.
[[nodiscard]] Result<SharedPreparedModel> preparePart(const SharedObjects& shared,
                                                      PartToPrepare part, const PartDevice& target,
                                                      const CompileOptions& options);

}  // namespace nnburst::runtime
