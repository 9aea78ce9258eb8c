// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A compilation of the API: options are collected, then the runtime compiles the model. For one
/// thread at a time until it is finished. Executions and bursts share it with the program's handle.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nnapi/model.h"
#include "nnapi/staging_memory.h"
#include "nnapi/status.h"
#include "nnburst/runtime.h"

namespace nnburst::nnapi {

class Compilation {
  public:
    /// For these devices (indices of Runtime::devices), or with none for those that the runtime
    /// chooses.
    Compilation(SharedFinishedModel model, std::vector<std::size_t> devices);

    [[nodiscard]] Status setPreference(std::int32_t preference);
    [[nodiscard]] Status setPriority(std::int32_t priority);
    [[nodiscard]] Status setCaching(const char* directory, const std::uint8_t* token);
    /// 0 is no limit.
    [[nodiscard]] Status setTimeout(std::uint64_t durationNs);
    [[nodiscard]] Status checkNotFinished() const;
    [[nodiscard]] Status finish();

    /// Finished without an error.
    [[nodiscard]] bool isValid() const noexcept { return preparedModel_ != nullptr || failure_; }
    /// A number that no other compilation of this process has had or will have.
    [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
    [[nodiscard]] const Model& model() const noexcept { return model_->model; }
    /// The program has chosen the devices, and not the runtime.
    [[nodiscard]] bool areDevicesChosen() const noexcept { return !options_.devices.empty(); }
    /// The program has chosen exactly one device.
    [[nodiscard]] bool isForOneDevice() const noexcept { return options_.devices.size() == 1; }

    /// Of a valid compilation; null if every execution fails with `failure`.
    [[nodiscard]] const SharedPreparedModel& preparedModel() const noexcept {
        return preparedModel_;
    }
    [[nodiscard]] const std::optional<Error>& failure() const noexcept { return failure_; }
    /// For its executions.
    [[nodiscard]] StagingMemory& stagingMemory() const noexcept { return stagingMemory_; }

  private:
    [[nodiscard]] Status refuse(Error error);
    [[nodiscard]] bool areAllOperationsSupported() const;

    const std::uint64_t id_;
    const SharedFinishedModel model_;
    CompileOptions options_;
    std::uint64_t timeoutNs_ = 0;
    bool isFinished_ = false;
    SharedPreparedModel preparedModel_;
    /// Why no device can execute the model.
    std::optional<Error> failure_;
    mutable StagingMemory stagingMemory_;
};

/// The moment `durationNs` from now; nothing for 0 and for times beyond the clock.
[[nodiscard]] OptionalTimePoint deadlineAfter(std::uint64_t durationNs) noexcept;

}  // namespace nnburst::nnapi

struct ANeuralNetworksCompilation final {
    std::shared_ptr<nnburst::nnapi::Compilation> compilation;
};
