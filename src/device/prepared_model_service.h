// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A prepared model as the driver offers it to a client.

#include <memory>

#include "device/event_loop.h"
#include "device/local_prepared_model.h"
#include "device/nnburst.capnp.h"
#include "device/scheduler.h"

namespace nnburst::device {

/// The capability of `model`. On the loop's thread.
[[nodiscard]] rpc::PreparedModel::Client servePreparedModel(
    EventLoop& loop, std::shared_ptr<Scheduler> scheduler,
    std::shared_ptr<LocalPreparedModel> model);

}  // namespace nnburst::device
