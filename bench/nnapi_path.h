// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A reusable execution in a burst of NNAPI's C API, on a driver that the runtime connects to.

#include <cstddef>
#include <string>

#include "nnburst/types.h"
#include "nnburst/unique_fd.h"
#include "support/nnapi_model.h"

namespace nnburst::bench {

/// The memory that inputs and outputs lie in.
enum class NnapiMemoryKind {
    SEALED,   ///< memfd_create(2), sealed: used in place
    SHM_OPEN  ///< shm_open(3), which cannot be sealed: copied for each execution
};

/// Names the driver that listens on `socket` as the only configured device of the runtime. Before
/// the first NnapiPath.
void configureNnapi(const std::string& socket);

/// Used by one thread at a time.
class NnapiPath {
  public:
    /// Compiles `model`, whose dimensions must all be known, for the configured device. Ends the
    /// program with a message if that fails.
    NnapiPath(const Model& model, NnapiMemoryKind memoryKind);

    /// False if the execution failed.
    [[nodiscard]] bool compute() {
        return ANeuralNetworksExecution_burstCompute(execution_.get(), burst_.get()) ==
               ANEURALNETWORKS_NO_ERROR;
    }

  private:
    void compile();
    void setArguments(const Model& model, NnapiMemoryKind memoryKind);

    tools::NnapiModel model_;
    tools::NnapiObject<ANeuralNetworksCompilation> compilation_;
    tools::NnapiObject<ANeuralNetworksMemory> memory_;
    tools::NnapiObject<ANeuralNetworksExecution> execution_;
    tools::NnapiObject<ANeuralNetworksBurst> burst_;
};

}  // namespace nnburst::bench
