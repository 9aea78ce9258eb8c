// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Aligned copies of request arguments that do not lie at a multiple of their elements' size, which
/// kernels need. Made for one run, in the thread that runs it. Destroyed after the pass of the run:
/// freeing gigabytes takes long, and waits for other threads that drop pages (drop_pages.h).

#include <vector>

#include "account/account.h"
#include "exec/run/argument_copies.h"
#include "exec/run/request_bindings.h"
#include "memory/aligned_buffer.h"
#include "nnburst/result.h"

namespace nnburst::exec {

class AlignedArguments {
  public:
    /// Makes `bindings()`: those that are given, with copies in place of unaligned arguments, which
    /// are charged to the account of the run. Reads the inputs. `limits` end the copies early and
    /// make them yield: see ArgumentCopies. RESOURCE_EXHAUSTED_* if there is no memory, or if it
    /// exceeds a limit.
    [[nodiscard]] Result<> copy(const RequestBindings& given, const RunLimits& limits);

    [[nodiscard]] RequestBindings& bindings() noexcept { return bindings_; }

    /// After a run: writes the unaligned outputs, which have `given`'s lengths, to where they
    /// belong.
    [[nodiscard]] Result<> copyOutputsBack(const RequestBindings& given, const RunLimits& limits);

  private:
    struct Copy {
        Charge charge;
        AlignedBuffer buffer;
    };

    Result<> copyUnaligned(std::vector<ArgumentBinding>& arguments, Account* account,
                           ArgumentCopies& copying);

    RequestBindings bindings_;
    std::vector<Copy> copies_;
};

}  // namespace nnburst::exec
