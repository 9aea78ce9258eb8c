// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/signature.h"

#include "model/invalid.h"
#include "tflite/tensors.h"

namespace nnburst::tflite {

namespace {

std::vector<std::string> namesOf(const NamedTensors* tensors) {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < sizeOf(tensors); ++i) {
        names.push_back(printableName(tensors->Get(i)->name()));
    }
    return names;
}

}  // namespace

std::vector<TfliteSignature> signaturesOf(const schema::Model& file) {
    std::vector<TfliteSignature> signatures;
    for (std::uint32_t i = 0; i < sizeOf(file.signature_defs()); ++i) {
        const schema::SignatureDef& signature = *file.signature_defs()->Get(i);
        signatures.push_back({.name = printableName(signature.signature_key()),
                              .inputNames = namesOf(signature.inputs()),
                              .outputNames = namesOf(signature.outputs())});
    }
    return signatures;
}

Result<const schema::SignatureDef*> findSignature(const schema::Model& file,
                                                  const std::string& name) {
    std::string known;
    for (std::uint32_t i = 0; i < sizeOf(file.signature_defs()); ++i) {
        const schema::SignatureDef* signature = file.signature_defs()->Get(i);
        const std::string given = printableName(signature->signature_key());
        if (given == name) {
            if (signature->subgraph_index() >= sizeOf(file.subgraphs())) {
                return invalid("signature \"{}\" of subgraph {}: must be one of {}", name,
                               signature->subgraph_index(), sizeOf(file.subgraphs()));
            }
            return signature;
        }
        known += (known.empty() ? "\"" : ", \"") + given + "\"";
    }
    return invalid("the file has no signature \"{}\"; it has {}", name,
                   known.empty() ? "none" : known);
}

std::string signatureName(const NamedTensors* names, std::int32_t tensor, std::string otherwise) {
    for (std::uint32_t i = 0; i < sizeOf(names); ++i) {
        if (std::cmp_equal(names->Get(i)->tensor_index(), tensor)) {
            return printableName(names->Get(i)->name());
        }
    }
    return otherwise;
}

}  // namespace nnburst::tflite
