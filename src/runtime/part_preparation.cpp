// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/part_preparation.h"

#include <fmt/format.h>

#include <utility>

#include "log/logger.h"
#include "log/verbose.h"
#include "runtime/cache_files.h"
#include "runtime/part_model.h"
#include "runtime/submodel.h"
#include "runtime/support.h"

namespace nnburst::runtime {

namespace {

/// Whether a preparation from cache files failed because of their contents.
bool isCausedByFiles(ErrorStatus status) noexcept {
    return status == ErrorStatus::GENERAL_FAILURE || status == ErrorStatus::INVALID_ARGUMENT;
}

Result<SharedPreparedModel> prepareOnDevice(const PartToPrepare& part, const PartDevice& target,
                                            const CompileOptions& options) {
    const PrepareOptions uncached{.preference = options.preference,
                                  .priority = options.priority,
                                  .deadline = options.deadline,
                                  .modelCache = {},
                                  .dataCache = {},
                                  .token = {}};
    auto files = PartCacheFiles::name(options, target.info, part.operations);
    if (files && files->openExisting()) {
        PrepareOptions fromCache = uncached;
        files->giveTo(fromCache);
        auto prepared = prepareModelFromCache(*target.device, fromCache);
        if (prepared) {
            NNBURST_VLOG(COMPILATION, "{} comes from the cache", part.name);
            return prepared;
        }
        const ErrorStatus status = prepared.error().status;
        if (isMissedDeadline(status)) {
            return prepared;
        }
        if (status == ErrorStatus::DEVICE_UNAVAILABLE) {
            (void)files->makeNew();  // the driver may have crashed because of their contents
            return prepared;
        }
        if (!isCausedByFiles(status)) {
            files.reset();  // they may be good and stay as they are
        }
    }
    PrepareOptions toCache = uncached;
    if (files && files->makeNew()) {
        files->giveTo(toCache);
    }
    if (target.info.version == kLatestHalVersion) {
        return prepareModel(*target.device, part.model, toCache);
    }
    return prepareModel(*target.device, expressedFor(target.info.version, part.model), toCache);
}

}  // namespace

Result<SharedPreparedModel> preparePart(const SharedObjects& shared, PartToPrepare part,
                                        const PartDevice& target, const CompileOptions& options) {
    auto prepared = prepareOnDevice(part, target, options);
    if (!prepared) {
        if (!target.canBeReplaced || isMissedDeadline(prepared.error().status)) {
            return prepared;
        }
        auto instead = prepareModel(*shared.reference, part.model,
                                    {.preference = options.preference,
                                     .priority = options.priority,
                                     .deadline = options.deadline});
        if (!instead) {
            return prepared;
        }
        logger().warn("{} cannot be prepared ({}): it runs on {}", part.name,
                      prepared.error().message, kReferenceDeviceName);
        shared.counters->preparations.fetch_add(1, std::memory_order_relaxed);  // only a count
        return instead;
    }
    Model interface = interfaceOf(part.model);
    std::shared_ptr<Replacement> replacement;
    if (target.canBeReplaced) {
        replacement = std::make_shared<Replacement>(std::move(part.name), std::move(part.model),
                                                    replacementOptions(options), shared.reference,
                                                    shared.counters);
    }
    return std::make_shared<PartModel>(std::move(*prepared), target.info.version,
                                       std::move(interface), std::move(replacement),
                                       shared.threads);
}

}  // namespace nnburst::runtime
