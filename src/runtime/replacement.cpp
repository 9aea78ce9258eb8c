// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/replacement.h"

#include "log/logger.h"

namespace nnburst::runtime {

Replacement::Replacement(std::string part, Model model, PrepareOptions options,
                         SharedDevice reference, std::shared_ptr<FallbackCounters> counters)
    : part_(std::move(part)),
      model_(std::move(model)),
      options_(std::move(options)),
      reference_(std::move(reference)),
      counters_(std::move(counters)) {}

Result<SharedPreparedModel> Replacement::replace(const Error& why) {
    auto prepared = model();
    if (!prepared) {
        return prepared;
    }
    const bool isLost = why.status == ErrorStatus::DEVICE_UNAVAILABLE;
    // sync [part-replaced]
    if (!isLost || !isPermanent_.exchange(true, std::memory_order_acq_rel)) {
        logger().warn("{} failed with {} ({}): {} on {}", part_, toString(why.status), why.message,
                      isLost ? "it runs from now on" : "this execution is repeated",
                      kReferenceDeviceName);
    }
    return prepared;
}

Result<SharedPreparedModel> Replacement::model() {
    const system::MutexLock lock(mutex_);
    const bool isTransient = prepared_ && !*prepared_ &&
                             prepared_->error().status == ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT;
    if (!prepared_ || isTransient) {
        prepared_ = prepareModel(*reference_, model_, options_);
    }
    return *prepared_;
}

}  // namespace nnburst::runtime
