// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Aligned copies of request arguments that do not lie at a multiple of their elements' size, which
/// kernels need. Made for one run, in the thread that runs it.

#include <vector>

#include "account/account.h"
#include "exec/run/argument_copies.h"
#include "exec/run/compiled_model.h"
#include "memory/aligned_buffer.h"
#include "nnburst/result.h"

namespace nnburst::exec {

class AlignedArguments {
  public:
    /// For one run of `caller`, whose limits end the copies early: see ArgumentCopies.
    AlignedArguments(const Caller& caller, const OptionalTimePoint& deadline) noexcept
        : account_(caller.account()), copying_(deadline, caller.client) {}

    /// Makes `bindings()`: those that are given, with copies in place of unaligned arguments, which
    /// are charged to the caller. Reads the inputs. RESOURCE_EXHAUSTED_* if there is no memory, or
    /// if it exceeds a limit.
    [[nodiscard]] Result<> copy(const RequestBindings& given);

    [[nodiscard]] RequestBindings& bindings() noexcept { return bindings_; }

    /// After a run: writes the unaligned outputs, which have `given`'s lengths, to where they
    /// belong.
    [[nodiscard]] Result<> copyOutputsBack(const RequestBindings& given);

  private:
    struct Copy {
        Charge charge;
        AlignedBuffer buffer;
    };

    Result<> copyUnaligned(std::vector<ArgumentBinding>& arguments);

    Account* const account_;  // null: not charged
    ArgumentCopies copying_;
    RequestBindings bindings_;
    std::vector<Copy> copies_;
};

}  // namespace nnburst::exec
