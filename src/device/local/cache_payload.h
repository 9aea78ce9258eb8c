// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The payloads of the two files of a cached model (cache_file.h):
///
///     model payload: digest | code of the data | tables | structure
///     data payload:  operand values | constants in pools | packed filters and blocks
///
/// The structure is the model as a message, without the values of constants. The tables list the
/// parts of the data payload in their order, each with its size and what belongs to it: where a
/// constant lies in its pool, for which operation a filter is packed.

#include "account/account.h"
#include "device/local/cache_file.h"
#include "device/local/compilation_cache.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// Writes a prepared model, with what was packed of it, into `files`, which are complete and empty.
[[nodiscard]] Result<> writePayloads(const CacheKey& key, const CacheFiles& files,
                                     const ModelSnapshot& snapshot,
                                     const exec::PackedModel& packed);

/// Reads a cached model from its open files; errors are those of CompilationCache::load.
[[nodiscard]] Result<CachedModel> readPayloads(CacheFileReader& modelFile,
                                               CacheFileReader& dataFile,
                                               const exec::PackedFor& packedFor,
                                               const SharedAccount& account);

}  // namespace nnburst::device
