// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The signatures of a TFLite file: subgraphs that are offered by name, with names of their own for
/// inputs and outputs.

#include <tflite_generated.h>

#include <string>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/tflite.h"

namespace nnburst::tflite {

/// All signatures of the file.
[[nodiscard]] std::vector<TfliteSignature> signaturesOf(const schema::Model& file);

/// The signature `name`, whose subgraph is one of the file. INVALID_ARGUMENT if there is none, and
/// names those that there are.
[[nodiscard]] Result<const schema::SignatureDef*> findSignature(const schema::Model& file,
                                                                const std::string& name);

using NamedTensors = flatbuffers::Vector<flatbuffers::Offset<schema::NamedTensor>>;

/// The name that `names`, which may be null, has for `tensor`; `otherwise` if it has none.
[[nodiscard]] std::string signatureName(const NamedTensors* names, std::int32_t tensor,
                                        std::string otherwise);

}  // namespace nnburst::tflite
