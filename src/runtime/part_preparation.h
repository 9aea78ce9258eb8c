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

/// What the models of a runtime share.
struct Services {
    SharedDevice reference;  ///< the device in this process
    std::shared_ptr<Background> background;
    std::shared_ptr<FallbackCounters> counters;
};

/// What is to be prepared.
struct Part {
    std::string name;  ///< for messages
    Model model;
    std::vector<std::uint32_t> operations;  ///< of the whole model; none if this is all of it
};

/// Where it is to be prepared.
struct PartDevice {
    SharedDevice device;
    DeviceInfo info;
    /// The device in this process stands in if this one fails. Then memory that the part's model
    /// refers to does not change any more.
    bool canBeReplaced = false;
};

/// Prepares `part` from the cache that `options` names or from its model, and waits for it.
[[nodiscard]] Result<SharedPreparedModel> preparePart(const Services& services, Part part,
                                                      const PartDevice& where,
                                                      const CompileOptions& options);

}  // namespace nnburst::runtime
