// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <future>
#include <memory>
#include <utility>

#include "nnburst/device.h"

namespace nnburst {

Result<SharedPreparedModel> prepareModel(Device& device, const Model& model,
                                         const PrepareOptions& options) {
    const auto promise = std::make_shared<std::promise<Result<SharedPreparedModel>>>();
    std::future<Result<SharedPreparedModel>> prepared = promise->get_future();
    // An error of the launch also comes to the callback.
    (void)device.prepareModel(model, options, [promise](Result<SharedPreparedModel> result) {
        promise->set_value(std::move(result));
    });
    return prepared.get();
}

}  // namespace nnburst
