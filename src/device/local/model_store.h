// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The compiled models of a device by their content. A model that several clients prepare is packed
/// and kept once.

#include <chrono>
#include <map>
#include <memory>
#include <vector>

#include "device/local/model_snapshot.h"
#include "exec/run/compiled_model.h"
#include "exec/run/engine.h"
#include "nnburst/driver.h"
#include "nnburst/result.h"
#include "system/mutex.h"

namespace nnburst::device {

/// Thread-safe. Holds weak references: it keeps no model alive.
class ModelStore {
  public:
    /// Models are compiled for `engine`, by `accelerator` unless it is null.
    explicit ModelStore(std::shared_ptr<exec::Engine> engine,
                        std::shared_ptr<Accelerator> accelerator = nullptr) noexcept
        : engine_(std::move(engine)), accelerator_(std::move(accelerator)) {}

    /// How long a call waits for each other thread that compiles the same model before it compiles
    /// the model, too. Those threads may have a low priority.
    static constexpr std::chrono::milliseconds kLongestWait{1000};

    /// The compiled model of this content: an existing one, one that another thread is compiling
    /// (the call then waits for it for a while), or a new one, for which `packed` has weights that
    /// are already packed. `limits` and errors as of CompiledModel::compile, or exec::compileFor;
    /// MISSED_DEADLINE_TRANSIENT if `deadline` passes during that wait.
    [[nodiscard]] Result<std::shared_ptr<exec::CompiledModel>> compile(
        const ModelSnapshot& snapshot, const exec::PackedModel& packed = {},
        const exec::PreparationLimits& limits = {}, const OptionalTimePoint& deadline = {});

    /// What reads packed weights of these models.
    [[nodiscard]] exec::PackedFor packedFor() const {
        return accelerator_ ? exec::PackedFor() : engine_->packedFor();
    }

    /// The models that exist now.
    [[nodiscard]] std::vector<std::shared_ptr<exec::CompiledModel>> models() const;

  private:
    struct Entry {
        std::weak_ptr<exec::CompiledModel> model;
        unsigned compilingCount = 0;  ///< threads that compile it
    };

    /// The model of this content, for which it may have to wait, at most until `deadline`; null if
    /// the caller is to compile it and to call `end`.
    Result<std::shared_ptr<exec::CompiledModel>> findOrBegin(const Digest& digest,
                                                             const OptionalTimePoint& deadline);
    /// Ends the compilation: with a model, or with an error if `model` is null. The model to use:
    /// that of another thread if it has ended before; null if there is none.
    [[nodiscard]] std::shared_ptr<exec::CompiledModel> end(
        const Digest& digest, const std::shared_ptr<exec::CompiledModel>& model);

    const std::shared_ptr<exec::Engine> engine_;
    const std::shared_ptr<Accelerator> accelerator_;
    mutable system::Mutex mutex_;
    system::ConditionVariable compiled_;
    std::map<Digest, Entry> entries_ NNBURST_GUARDED_BY(mutex_);
};

}  // namespace nnburst::device
