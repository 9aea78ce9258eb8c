// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string_view>

#include "model_mutations.h"

namespace nnburst::test {

namespace {

struct Exception {
    std::string_view subject;
    std::string_view mutation;  ///< a part of its name
    const char* reason;
};

constexpr const char* kFilter = "a convolution takes a filter with a scale for each channel";

constexpr std::array kExceptions{
    Exception{"floatNet", "operation 3: one input more", "SOFTMAX with an axis"},
    Exception{"floatNetByReference", "operation 3: one input more", "SOFTMAX with an axis"},
    Exception{"quantizedNet",
              "operand 1 (TENSOR_QUANT8_ASYMM, CONSTANT_COPY): type TENSOR_QUANT8_SYMM_PER_CHANNEL",
              kFilter},
    Exception{"signedNet",
              "operand 1 (TENSOR_QUANT8_ASYMM_SIGNED, CONSTANT_COPY): type "
              "TENSOR_QUANT8_SYMM_PER_CHANNEL",
              kFilter},
    Exception{"quantizedNet", "operand 9 (TENSOR_FLOAT32, SUBGRAPH_OUTPUT): type TENSOR_FLOAT16",
              "DEQUANTIZE to float16"},
    Exception{"signedNet", "operand 9 (TENSOR_FLOAT32, SUBGRAPH_OUTPUT): type TENSOR_FLOAT16",
              "DEQUANTIZE to float16"},
    Exception{"dynamicNet", "dimension 1: 3 -> 4", "CONCATENATION of any sizes"},
    Exception{"dynamicNet", "one more dimension", "CONCATENATION of any rank"},
    Exception{"dynamicNet", "one dimension less", "CONCATENATION of any rank"},
    Exception{"dynamicNet", "(CONCATENATION): without input 0", "CONCATENATION of one input"},
    Exception{"dynamicNet", "(CONCATENATION): without input 1", "CONCATENATION of one input"},
};

}  // namespace

const char* reasonToStayValid(const std::string& subject, const std::string& mutation) {
    const auto* const found = std::ranges::find_if(kExceptions, [&](const Exception& exception) {
        return exception.subject == subject &&
               mutation.find(exception.mutation) != std::string::npos;
    });
    return found == kExceptions.end() ? nullptr : found->reason;
}

}  // namespace nnburst::test
