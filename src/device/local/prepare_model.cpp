// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <future>
#include <memory>
#include <utility>

#include "nnburst/device.h"

namespace nnburst {

namespace {

/// Calls `launch` with a callback and waits for it. The callback also gets errors of the launch.
template <class Launch>
Result<SharedPreparedModel> waitFor(Launch launch) {
    auto promise = std::make_shared<std::promise<Result<SharedPreparedModel>>>();
    std::future<Result<SharedPreparedModel>> prepared = promise->get_future();
    // Only the callback holds the promise, so that the wait ends if the callback is lost.
    (void)launch([promise = std::move(promise)](Result<SharedPreparedModel> result) {
        promise->set_value(std::move(result));
    });
    try {
        return prepared.get();
    } catch (const std::future_error&) {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                       "prepareModel: the device dropped the callback without calling it; it may "
                       "be out of memory");
    }
}

}  // namespace

Result<SharedPreparedModel> prepareModel(Device& device, const Model& model,
                                         const PrepareOptions& options) {
    return waitFor([&](PreparedModelCallback callback) {
        return device.prepareModel(model, options, std::move(callback));
    });
}

Result<SharedPreparedModel> prepareModelFromCache(Device& device, const PrepareOptions& options) {
    return waitFor([&](PreparedModelCallback callback) {
        return device.prepareModelFromCache(options, std::move(callback));
    });
}

}  // namespace nnburst
