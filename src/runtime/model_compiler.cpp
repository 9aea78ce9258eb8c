// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "device/local/model_snapshot.h"
#include "log/verbose.h"
#include "runtime/cost.h"
#include "runtime/divided_model.h"
#include "runtime/support.h"

namespace nnburst::runtime {

ModelCompiler::ModelCompiler(const NamedDevices& devices, const SharedObjects& shared,
                             const Model& model, const CompileOptions& options)
    : devices_(devices),
      shared_(shared),
      model_(model),
      options_(options),
      uses_(operandUses(model.main)) {}

Result<SharedPreparedModel> ModelCompiler::run() {
    const bool isReferenceAlone = options_.devices.empty()
                                      ? devices_.size() == 1
                                      : options_.devices == std::vector{devices_.size() - 1};
    if (isReferenceAlone) {
        return prepareWhole({.named = devices_.back(), .device = shared_.reference});
    }
    NNBURST_TRY(askDevices());
    NNBURST_TRY_ASSIGN(const std::vector<Part> parts, divide());
    logParts(parts);
    if (parts.size() <= 1) {
        return prepareWhole(usable_[parts.empty() ? 0 : parts.front().candidate]);
    }
    return prepareParts(parts);
}

Result<> ModelCompiler::askDevices() {
    if (options_.devices.empty()) {
        for (std::size_t device = 0; device < devices_.size(); ++device) {
            NNBURST_TRY(ask(device));
        }
    }
    for (const std::size_t device : options_.devices) {
        NNBURST_TRY(ask(device));
    }
    if (usable_.empty()) {
        return tl::unexpected<Error>(*firstError_);
    }
    return {};
}

Result<> ModelCompiler::ask(std::size_t device) {
    const std::shared_ptr<NamedDevice>& named = devices_[device];
    UsableDevice usable{.named = named, .device = shared_.reference};
    Candidate candidate;
    const auto askIt = [&]() -> Result<> {
        if (!isReference(device)) {
            NNBURST_TRY_ASSIGN(usable.device, named->reopenIfLost());
        }
        NNBURST_TRY_ASSIGN(candidate.isSupported,
                           supportedOperationsOf(*usable.device, named->info(), model_, uses_));
        if (candidate.isSupported.size() != model_.main.operations.size()) {
            return failure(ErrorStatus::GENERAL_FAILURE, "it does not answer for each operation");
        }
        return {};
    };
    if (Result<> asked = askIt(); !asked) {
        if (isReference(device)) {
            return asked;  // it knows the rules
        }
        NNBURST_VLOG(PARTITIONING, "device {} is not used: {}", named->info().name,
                     asked.error().message);
        firstError_ = firstError_ ? firstError_ : std::move(asked.error());
        return {};
    }
    candidate.costs = operationWork(model_);
    for (std::size_t index = 0; index < candidate.costs.size(); ++index) {
        candidate.costs[index] *= performanceFactor(
            named->info().capabilities, model_, model_.main.operations[index], options_.preference);
    }
    usable_.push_back(std::move(usable));
    candidates_.push_back(std::move(candidate));
    return {};
}

Result<std::vector<Part>> ModelCompiler::divide() const {
    auto parts = partition(model_.main, uses_, candidates_);
    if (parts) {
        return std::move(*parts);
    }
    std::size_t index = 0;
    while (std::any_of(candidates_.begin(), candidates_.end(), [index](const Candidate& candidate) {
        return candidate.isSupported[index];
    })) {
        ++index;
    }
    return failure(ErrorStatus::GENERAL_FAILURE,
                   fmt::format("operation {} ({}): no device supports it", index,
                               toString(model_.main.operations[index].type)));
}

void ModelCompiler::logParts(const std::vector<Part>& parts) const {
    if (!isVerbose(LogTag::PARTITIONING)) {
        return;
    }
    for (std::size_t part = 0; part < parts.size(); ++part) {
        NNBURST_VLOG(PARTITIONING, "part {} of {}: device {}, {} operations", part, parts.size(),
                     usable_[parts[part].candidate].named->info().name,
                     parts[part].operations.size());
        for (const std::uint32_t operation : parts[part].operations) {
            std::string costs;
            for (std::size_t index = 0; index < usable_.size(); ++index) {
                const Candidate& candidate = candidates_[index];
                costs += fmt::format("{}{} {}", index == 0 ? "" : ", ",
                                     usable_[index].named->info().name,
                                     candidate.isSupported[operation]
                                         ? fmt::format("costs {:.0f}", candidate.costs[operation])
                                         : "cannot");
            }
            NNBURST_VLOG(PARTITIONING, "  operation {} ({}): {}", operation,
                         toString(model_.main.operations[operation].type), costs);
        }
    }
}

PartDevice ModelCompiler::partDeviceOf(const UsableDevice& usable) const {
    return {.device = usable.device,
            .info = usable.named->info(),
            .canBeReplaced = mayFallBack() && usable.device != shared_.reference};
}

Result<> ModelCompiler::keepModel() {
    if (!kept_) {
        NNBURST_TRY_ASSIGN(device::ModelSnapshot snapshot, device::ModelSnapshot::take(model_));
        kept_ = std::move(snapshot.model);
    }
    return {};
}

Result<SharedPreparedModel> ModelCompiler::prepareWhole(const UsableDevice& usable) {
    const PartDevice device = partDeviceOf(usable);
    if (device.canBeReplaced) {
        NNBURST_TRY(keepModel());
    }
    return preparePart(shared_,
                       {.name = fmt::format("a model on device {}", device.info.name),
                        .model = kept_ ? *kept_ : model_,
                        .operations = {}},
                       device, options_);
}

std::string ModelCompiler::partName(std::size_t part, const std::vector<Part>& parts) const {
    return fmt::format("part {} of {} on device {}", part, parts.size(),
                       usable_[parts[part].candidate].named->info().name);
}

Result<SharedPreparedModel> ModelCompiler::prepareParts(const std::vector<Part>& divided) {
    if (mayFallBack()) {
        NNBURST_TRY(keepModel());
    }
    const Model& whole = kept_ ? *kept_ : model_;
    std::vector<Submodel> models;
    std::vector<Part> parts;
    for (const Part& part : divided) {
        Submodel submodel = makeSubmodel(whole, uses_, part.operations);
        if (!submodel.outputs.empty()) {  // else nothing uses its results
            models.push_back(std::move(submodel));
            parts.push_back(part);
        }
    }
    std::vector<Extension> extensions;
    for (const UsableDevice& usable : usable_) {
        const std::vector<Extension>& its = usable.named->info().extensions;
        extensions.insert(extensions.end(), its.begin(), its.end());
    }
    NNBURST_TRY_ASSIGN(DividedPlan plan, planParts(whole, models, extensions));
    for (std::size_t part = 0; part < parts.size(); ++part) {
        PlannedPart& planned = plan.parts[part];
        planned.name = partName(part, parts);
        NNBURST_TRY_ASSIGN(planned.prepared,
                           preparePart(shared_,
                                       {.name = planned.name,
                                        .model = std::move(models[part].model),
                                        .operations = parts[part].operations},
                                       partDeviceOf(usable_[parts[part].candidate]), options_));
    }
    if (mayFallBack()) {
        plan.whole = std::make_shared<Replacement>("a model on several devices", std::move(*kept_),
                                                   replacementOptions(options_), shared_.reference,
                                                   shared_.counters);
    }
    return std::make_shared<DividedModel>(std::move(plan), shared_.threads);
}

}  // namespace nnburst::runtime
