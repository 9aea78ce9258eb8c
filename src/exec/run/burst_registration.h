// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Registers a burst with the compiled model that it executes.

#include <memory>

#include "account/account.h"
#include "exec/run/compiled_model.h"
#include "exec/run/executable.h"

namespace nnburst::exec {

/// RAII: the registration of a burst. Bursts of one model prefer different runners of it, so that
/// each finds the kernels set up with its own addresses.
class BurstRegistration {
  public:
    /// Executions of `executable` are those of the burst from here on.
    explicit BurstRegistration(Executable& executable) noexcept
        : model_(executable.model),
          account_(executable.client == nullptr ? nullptr : executable.client->account()) {
        executable.burstNumber = model_->addBurst();
    }
    ~BurstRegistration() { model_->removeBurst(); }
    BurstRegistration(const BurstRegistration&) = delete;
    BurstRegistration& operator=(const BurstRegistration&) = delete;

    /// See CompiledModel::makeRunnersForBursts.
    void makeRunner() const { model_->makeRunnersForBursts(account_.get()); }

  private:
    const std::shared_ptr<CompiledModel> model_;
    const SharedAccount account_;
};

}  // namespace nnburst::exec
