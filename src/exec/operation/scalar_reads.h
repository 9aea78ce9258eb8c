// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Reads several scalars of an operation, so that all are checked though the values of some are not
/// known yet:
///
///     ScalarReads reads;
///     NNBURST_TRY(reads.take(readConstantInt32(operation, 4, "limit", 1), parameters.limit));
///     NNBURST_TRY(reads.take(readFlag(operation, 5, "layout"), parameters.isNchw));
///     NNBURST_TRY(reads.result());

#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// The results of reading scalars one after the other.
class ScalarReads {
  public:
    /// Stores in `value` what was read; leaves `value` alone if that is not known yet. The error of
    /// a broken rule.
    template <class Read, class Value>
    [[nodiscard]] Result<> take(const Result<Read>& read, Value& value) {
        if (read) {
            value = static_cast<Value>(*read);
        } else if (read.error().status == ErrorStatus::INVALID_ARGUMENT) {
            return tl::unexpected<Error>(read.error());
        } else if (result_) {
            result_ = tl::unexpected<Error>(read.error());
        }
        return {};
    }

    /// The error of the first value that is not known yet (`unknownValue`), if there is one.
    [[nodiscard]] Result<> result() const { return result_; }

  private:
    Result<> result_;
};

}  // namespace nnburst::exec
