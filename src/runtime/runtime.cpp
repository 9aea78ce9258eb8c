// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/runtime.h"

#include <fmt/format.h>

#include <utility>

#include "log/verbose.h"
#include "model/invalid.h"
#include "nnburst/validation.h"
#include "runtime/model_compiler.h"
#include "runtime/support.h"

namespace nnburst {

namespace runtime {

namespace {

class DeviceRuntime final : public Runtime {
  public:
    DeviceRuntime(NamedDevices devices, SharedObjects shared)
        : devices_(std::move(devices)), shared_(std::move(shared)) {
        for (const std::shared_ptr<NamedDevice>& device : devices_) {
            infos_.push_back(device->info());
        }
    }

    [[nodiscard]] std::span<const DeviceInfo> devices() const noexcept override { return infos_; }

    [[nodiscard]] Result<std::vector<bool>> supportedOperations(const Model& model,
                                                                std::size_t device) override {
        NNBURST_TRY(checkDevice(device));
        NNBURST_TRY(validateModel(model));
        const auto present = devices_[device]->reopenIfLost();
        if (!present) {
            NNBURST_VLOG(PARTITIONING, "{}", present.error().message);
            return std::vector<bool>(model.main.operations.size(), false);
        }
        auto supported =
            supportedOperationsOf(**present, infos_[device], model, operandUses(model.main));
        if (!supported && supported.error().status == ErrorStatus::DEVICE_UNAVAILABLE) {
            return std::vector<bool>(model.main.operations.size(), false);
        }
        return supported;
    }

    [[nodiscard]] Result<> waitForDevice(std::size_t device) override {
        NNBURST_TRY(checkDevice(device));
        NNBURST_TRY(devices_[device]->reopenIfLost());
        return {};
    }

    [[nodiscard]] Result<SharedPreparedModel> compile(const Model& model,
                                                      const CompileOptions& options) override {
        for (const std::size_t device : options.devices) {
            NNBURST_TRY(checkDevice(device));
        }
        NNBURST_TRY(validateModel(model));
        return ModelCompiler(devices_, shared_, model, options).run();
    }

    [[nodiscard]] RuntimeStats stats() const noexcept override {
        // Only counts.
        return {
            .failedPreparations = shared_.counters->preparations.load(std::memory_order_relaxed),
            .failedExecutions = shared_.counters->executions.load(std::memory_order_relaxed)};
    }

  private:
    [[nodiscard]] Result<> checkDevice(std::size_t device) const {
        if (device >= devices_.size()) {
            return invalid("device {}: must be less than {}, their number", device,
                           devices_.size());
        }
        return {};
    }

    const NamedDevices devices_;  // the last is the one in this process
    const SharedObjects shared_;
    std::vector<DeviceInfo> infos_;
};

}  // namespace

}  // namespace runtime

std::shared_ptr<Runtime> runtime::makeRuntime(NamedDevices devices) {
    SharedObjects shared{.reference = devices.back()->latest(),
                         .counters = std::make_shared<FallbackCounters>(),
                         .threads = std::make_shared<ExecutionThreads>()};
    return std::make_shared<DeviceRuntime>(std::move(devices), std::move(shared));
}

Result<std::shared_ptr<Runtime>> Runtime::create(const RuntimeOptions& options) {
    NNBURST_TRY_ASSIGN(runtime::NamedDevices devices, runtime::findDevices(options));
    return runtime::makeRuntime(std::move(devices));
}

}  // namespace nnburst
