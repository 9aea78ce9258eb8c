// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnapi/compilation.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "nnapi/device.h"
#include "nnburst/log_message.h"

namespace nnburst::nnapi {

namespace {

std::uint64_t nextId() {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;  // a number, no order needed
}

/// The alignment that the HAL prefers for arguments: that of MemoryPool. Kernels read past the end
/// of an argument only into what follows it in its mapping, so lengths need not be rounded up.
constexpr std::uint32_t kPreferredAlignmentBytes = MemoryPool::kDefaultAlignmentBytes;
constexpr std::uint32_t kPreferredPaddingBytes = 1;

}  // namespace

OptionalTimePoint deadlineAfter(std::uint64_t durationNs) noexcept {
    const auto now = std::chrono::steady_clock::now();
    const auto left = static_cast<std::uint64_t>((TimePoint::max() - now).count());
    if (durationNs == 0 || durationNs >= left) {
        return std::nullopt;
    }
    return now + std::chrono::nanoseconds(durationNs);
}

Compilation::Compilation(SharedFinishedModel model, std::vector<std::size_t> devices)
    : id_(nextId()), model_(std::move(model)) {
    options_.devices = std::move(devices);
}

Status Compilation::checkNotFinished() const {
    if (isFinished_) {
        return badState("the compilation is finished");
    }
    return {};
}

Status Compilation::setPreference(std::int32_t preference) {
    NNBURST_NNAPI_TRY(checkNotFinished());
    if (preference < ANEURALNETWORKS_PREFER_LOW_POWER ||
        preference > ANEURALNETWORKS_PREFER_SUSTAINED_SPEED) {
        return badData("preference {}: must be a PreferenceCode", preference);
    }
    options_.preference = static_cast<ExecutionPreference>(preference);
    return {};
}

Status Compilation::setPriority(std::int32_t priority) {
    NNBURST_NNAPI_TRY(checkNotFinished());
    switch (priority) {
        case ANEURALNETWORKS_PRIORITY_LOW:
            options_.priority = Priority::LOW;
            return {};
        case ANEURALNETWORKS_PRIORITY_MEDIUM:
            options_.priority = Priority::MEDIUM;
            return {};
        case ANEURALNETWORKS_PRIORITY_HIGH:
            options_.priority = Priority::HIGH;
            return {};
        default:
            return badData("priority {}: must be a PriorityCode", priority);
    }
}

Status Compilation::setCaching(const char* directory, const std::uint8_t* token) {
    NNBURST_NNAPI_TRY(checkNotFinished());
    options_.cacheDirectory = directory;
    std::copy_n(token, options_.token.size(), options_.token.begin());
    return {};
}

Status Compilation::setTimeout(std::uint64_t durationNs) {
    NNBURST_NNAPI_TRY(checkNotFinished());
    if (!isForOneDevice()) {
        return badData("a timeout: must be for one chosen device");
    }
    timeoutNs_ = durationNs;
    return {};
}

bool Compilation::areAllOperationsSupported() const {
    std::vector<bool> isSupported(model_->addedOrder.size(), false);
    for (const std::size_t device : options_.devices) {
        const auto supported = Devices::get().runtime()->supportedOperations(model_->model, device);
        for (std::size_t index = 0; supported && index < supported->size(); ++index) {
            isSupported[index] = isSupported[index] || (*supported)[index];
        }
    }
    return std::find(isSupported.begin(), isSupported.end(), false) == isSupported.end();
}

Status Compilation::refuse(Error error) {
    const bool isOfModel = error.status == ErrorStatus::GENERAL_FAILURE ||
                           error.status == ErrorStatus::INVALID_ARGUMENT;
    if (!isOfModel) {
        return refused(toResultCode(error.status), "{}", error.message);
    }
    if (areDevicesChosen()) {
        const int code =
            areAllOperationsSupported() ? toResultCode(error.status) : ANEURALNETWORKS_BAD_DATA;
        return refused(code, "{}", error.message);
    }
    if (model_->hasVendorOperation) {
        return refused(ANEURALNETWORKS_BAD_DATA, "{}", error.message);
    }
    // As on Android, where the last device compiles every operation of the HAL and says only when
    // it executes a model that a constant has a value that the operation does not take.
    logMessage(LogLevel::WARNING, "no execution of this model will succeed: " + error.message);
    error.status = ErrorStatus::GENERAL_FAILURE;
    failure_ = std::move(error);
    return {};
}

Status Compilation::finish() {
    NNBURST_NNAPI_TRY(checkNotFinished());
    isFinished_ = true;
    Runtime* const runtime = Devices::get().runtime();
    if (runtime == nullptr) {
        return refused(ANEURALNETWORKS_OP_FAILED, "there are no devices");
    }
    options_.deadline = deadlineAfter(timeoutNs_);
    auto preparedModel = runtime->compile(model_->model, options_);
    if (!preparedModel) {
        return refuse(std::move(preparedModel.error()));
    }
    preparedModel_ = *std::move(preparedModel);
    return {};
}

}  // namespace nnburst::nnapi

using nnburst::nnapi::answer;
using nnburst::nnapi::badData;
using nnburst::nnapi::badState;
using nnburst::nnapi::Compilation;
using nnburst::nnapi::Devices;
using nnburst::nnapi::hasDevicesOfParent;
using nnburst::nnapi::refuseNull;
using nnburst::nnapi::Status;

namespace {

Status createCompilation(const ANeuralNetworksModel& model, std::vector<std::size_t> devices,
                         ANeuralNetworksCompilation** compilation) {
    if (model.collector.finished() == nullptr) {
        return badState("the model is not finished, or not valid");
    }
    *compilation = new ANeuralNetworksCompilation{
        std::make_shared<Compilation>(model.collector.finished(), std::move(devices))};
    return {};
}

/// A preference for the memory of an input or output.
int getPreference(const char* function, const ANeuralNetworksCompilation* compilation,
                  bool isOutput, uint32_t index, uint32_t value, uint32_t* result) {
    if (compilation == nullptr || result == nullptr) {
        return refuseNull(function);
    }
    return answer(function, [&]() -> Status {
        if (!compilation->compilation->isValid()) {
            return badState("the compilation is not finished, or failed");
        }
        const nnburst::Subgraph& main = compilation->compilation->model().main;
        const std::size_t count = isOutput ? main.outputIndexes.size() : main.inputIndexes.size();
        if (index >= count) {
            return badData("{} {}: must be one of {}", isOutput ? "output" : "input", index, count);
        }
        *result = value;
        return {};
    });
}

}  // namespace

int ANeuralNetworksCompilation_create(ANeuralNetworksModel* model,
                                      ANeuralNetworksCompilation** compilation) {
    if (model == nullptr || compilation == nullptr) {
        return refuseNull(__func__);
    }
    *compilation = nullptr;
    return answer(__func__, [&] { return createCompilation(*model, {}, compilation); });
}

int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel* model,
                                                const ANeuralNetworksDevice* const* devices,
                                                uint32_t numDevices,
                                                ANeuralNetworksCompilation** compilation) {
    if (model == nullptr || devices == nullptr || compilation == nullptr) {
        return refuseNull(__func__);
    }
    *compilation = nullptr;
    return answer(__func__, [&]() -> Status {
        std::vector<std::size_t> indices;
        NNBURST_NNAPI_TRY(Devices::get().select({devices, numDevices}, indices));
        return createCompilation(*model, std::move(indices), compilation);
    });
}

void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation* compilation) {
    if (!hasDevicesOfParent()) {
        delete compilation;
    }
}

int ANeuralNetworksCompilation_setPreference(ANeuralNetworksCompilation* compilation,
                                             int32_t preference) {
    if (compilation == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] { return compilation->compilation->setPreference(preference); });
}

int ANeuralNetworksCompilation_setCaching(ANeuralNetworksCompilation* compilation,
                                          const char* cacheDir, const uint8_t* token) {
    if (compilation == nullptr || cacheDir == nullptr || token == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] { return compilation->compilation->setCaching(cacheDir, token); });
}

int ANeuralNetworksCompilation_setPriority(ANeuralNetworksCompilation* compilation, int priority) {
    if (compilation == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] { return compilation->compilation->setPriority(priority); });
}

int ANeuralNetworksCompilation_setTimeout(ANeuralNetworksCompilation* compilation,
                                          uint64_t duration) {
    if (compilation == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] { return compilation->compilation->setTimeout(duration); });
}

int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation* compilation) {
    if (compilation == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] { return compilation->compilation->finish(); });
}

int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(
    const ANeuralNetworksCompilation* compilation, uint32_t index, uint32_t* alignment) {
    return getPreference(__func__, compilation, false, index,
                         nnburst::nnapi::kPreferredAlignmentBytes, alignment);
}

int ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(
    const ANeuralNetworksCompilation* compilation, uint32_t index, uint32_t* padding) {
    return getPreference(__func__, compilation, false, index,
                         nnburst::nnapi::kPreferredPaddingBytes, padding);
}

int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(
    const ANeuralNetworksCompilation* compilation, uint32_t index, uint32_t* alignment) {
    return getPreference(__func__, compilation, true, index,
                         nnburst::nnapi::kPreferredAlignmentBytes, alignment);
}

int ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(
    const ANeuralNetworksCompilation* compilation, uint32_t index, uint32_t* padding) {
    return getPreference(__func__, compilation, true, index, nnburst::nnapi::kPreferredPaddingBytes,
                         padding);
}
