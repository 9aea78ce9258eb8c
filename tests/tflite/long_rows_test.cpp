// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Deadlines that pass inside one row of an operation of the extension: of a tensor that has hardly
/// any other row.

#include <gtest/gtest.h>

#include <list>
#include <optional>
#include <string>
#include <vector>

#include "tflite_operations/operation.h"

namespace nnburst::tflite_operations {
namespace {

using enum OperandType;

constexpr std::uint32_t kCount = 1 << 20;

/// What the outputs and the scratch memory are filled with before a run.
constexpr std::byte kUnwritten{0xA5};

/// Counts questions, and answers that the run is over at each of them, or at none.
class CountingLimit final : public ExtensionTimeLimit {
  public:
    explicit CountingLimit(bool isOver) : isOver_(isOver) {}
    [[nodiscard]] bool isOverAfter(std::size_t /*work*/) noexcept override {
        ++questions_;
        return isOver_;
    }
    [[nodiscard]] std::size_t questions() const { return questions_; }

  private:
    bool isOver_;
    std::size_t questions_ = 0;
};

/// An operation with operands of its own.
class LongOperation {
  public:
    explicit LongOperation(Code code) {
        for (const auto definitions :
             {matrixOperations(), gatherOperations(), scatterOperations(), segmentOperations(),
              selectionOperations(), windowOperations(), volumeOperations(), landmarkOperations(),
              spectrumOperations(), randomOperations(), elements16Operations(),
              windows16Operations(), layers16x8Operations()}) {
            for (const OperationDefinition& definition : definitions) {
                definition_ = definition.code == code ? &definition : definition_;
            }
        }
    }

    template <class T>
    LongOperation& input(OperandType type, Dimensions dimensions, T value) {
        const std::vector<T> elements(countOf(dimensions), value);
        return inputOf(type, std::move(dimensions), elements);
    }
    LongOperation& floats(Dimensions dimensions) {
        return input(TENSOR_FLOAT32, std::move(dimensions), 1.0F);
    }
    LongOperation& integers(const std::vector<std::int32_t>& values) {
        return inputOf(TENSOR_INT32, {static_cast<std::uint32_t>(values.size())}, values);
    }
    LongOperation& integer(std::int32_t value) { return input(INT32, {}, value); }
    LongOperation& real(float value) { return input(FLOAT32, {}, value); }
    LongOperation& truth(bool value) { return input(BOOL, {}, static_cast<std::uint8_t>(value)); }

    /// An image of 16 bits, a filter of 8, and what the other inputs of layers are.
    LongOperation& layer(Dimensions image, Dimensions filter, std::uint32_t channels) {
        input(TENSOR_QUANT16_SYMM, std::move(image), std::int16_t{3});
        input(TENSOR_QUANT8_ASYMM_SIGNED, std::move(filter), std::int8_t{2});
        return floats({1}).input(TENSOR_INT32, {channels}, 5).truth(false).integer(0);
    }
    /// Those of layers of images: VALID padding, strides and dilations of 1.
    LongOperation& windows() { return integer(2).integer(1).integer(1).integer(1).integer(1); }

    /// Activation, VALID padding, and strides and dilations of 1, as convolutions of volumes have.
    LongOperation& volumeWindows() {
        integer(0).integer(2);
        return integer(1).integer(1).integer(1).integer(1).integer(1).integer(1);
    }

    LongOperation& output(OperandType type) {
        outputTypes_.push_back(type);
        return *this;
    }
    /// Of all outputs, instead of that of their types.
    LongOperation& outputScale(float scale) {
        outputScale_ = scale;
        return *this;
    }

    /// Runs, and gives the number of questions.
    std::size_t run(bool isOver) {
        std::vector<ExtensionOperand> outputs;
        std::vector<Dimensions> sizes;
        for (std::size_t i = 0; i < outputTypes_.size(); ++i) {
            auto dimensions = definition_->outputDimensions(inputs_, i);
            EXPECT_TRUE(dimensions) << dimensions.error().message;
            if (!dimensions) {
                return 0;
            }
            sizes.push_back(*dimensions);
            outputBytes_ = &memory_.emplace_back(
                countOf(*dimensions) * (outputTypes_[i] == TENSOR_QUANT16_SYMM ? 2 : 4),
                kUnwritten);
            outputs.push_back(operand(outputTypes_[i], *std::move(dimensions), *outputBytes_));
            outputs.back().scale = outputScale_.value_or(outputs.back().scale);
        }
        const auto checked = definition_->check(inputs_, outputs);
        EXPECT_TRUE(checked) << checked.error().message;
        scratch_.assign(
            definition_->scratchBytes == nullptr ? 0 : definition_->scratchBytes(inputs_),
            kUnwritten);
        CountingLimit limit(isOver);
        const RunContext run{
            .inputs = inputs_, .outputs = outputs, .scratch = scratch_, .limit = limit};
        if (definition_->run != nullptr) {
            const auto result = definition_->run(run);
            EXPECT_TRUE(result) << result.error().message;
        } else {
            const std::vector<std::span<std::uint32_t>> spans(sizes.begin(), sizes.end());
            const auto result = definition_->runShrinking(run, spans);
            EXPECT_TRUE(result) << result.error().message;
        }
        return limit.questions();
    }

    /// The last run left the ends of its last output and of its scratch memory as they were.
    [[nodiscard]] bool isUnfinished() const {
        return outputBytes_->back() == kUnwritten &&
               (scratch_.empty() || scratch_.back() == kUnwritten);
    }

  private:
    template <class T>
    LongOperation& inputOf(OperandType type, Dimensions dimensions,
                           const std::vector<T>& elements) {
        const auto bytes = std::as_bytes(std::span(elements));
        inputs_.push_back(
            operand(type, std::move(dimensions), memory_.emplace_back(bytes.begin(), bytes.end())));
        return *this;
    }
    ExtensionOperand operand(OperandType type, Dimensions dimensions,
                             std::vector<std::byte>& bytes) {
        const Dimensions& kept = dimensions_.emplace_back(std::move(dimensions));
        return {.type = type,
                .dimensions = kept,
                .scale =
                    type == TENSOR_QUANT16_SYMM || type == TENSOR_QUANT8_ASYMM_SIGNED ? 1.0F : 0.0F,
                .data = bytes.data()};
    }

    const OperationDefinition* definition_ = nullptr;
    std::list<std::vector<std::byte>> memory_;
    std::list<Dimensions> dimensions_;
    std::vector<ExtensionOperand> inputs_;
    std::vector<OperandType> outputTypes_;
    std::optional<float> outputScale_;
    std::vector<std::byte>* outputBytes_ = nullptr;
    std::vector<std::byte> scratch_;
};

struct Case {
    const char* name;
    Code code;
    void (*describe)(LongOperation& operation);
    bool hasLongOutput = true;  ///< else it cannot be seen where a run ended
    std::size_t leastQuestions = 8;
};

const Case kCases[] = {
    {"audioSpectrogram", Code::AUDIO_SPECTROGRAM,
     [](LongOperation& operation) {
         operation.floats({kCount, 1}).integer(kCount).integer(1).truth(true);
         operation.output(TENSOR_FLOAT32);
     }},
    {"averagePool16", Code::AVERAGE_POOL_2D_16,
     [](LongOperation& operation) {
         operation.input(TENSOR_QUANT16_SYMM, {1, 1, 1, kCount}, std::int16_t{7}).windows();
         operation.integer(0).output(TENSOR_QUANT16_SYMM);
     }},
    {"batchMatmul", Code::BATCH_MATMUL,
     [](LongOperation& operation) {
         operation.floats({1, 2}).floats({2, kCount}).truth(false).truth(false);
         operation.output(TENSOR_FLOAT32);
     }},
    {"batchMatmulTransposed", Code::BATCH_MATMUL,
     [](LongOperation& operation) {
         operation.floats({1, kCount}).floats({1, kCount}).truth(false).truth(true);
         operation.output(TENSOR_FLOAT32);
     }},
    {"bitcast", Code::BITCAST,
     [](LongOperation& operation) { operation.floats({4 * kCount}).output(TENSOR_INT32); }},
    {"convolution16x8", Code::CONV_2D_16X8,
     [](LongOperation& operation) {
         operation.layer({1, 1, 1, 2}, {kCount / 2, 1, 1, 2}, kCount / 2).windows();
         operation.output(TENSOR_QUANT16_SYMM);
     }},
    {"convolution16x8OfALargeWindow", Code::CONV_2D_16X8,
     [](LongOperation& operation) {
         operation.layer({1, 1, kCount, 1}, {1, 1, kCount, 1}, 1).windows();
         operation.output(TENSOR_QUANT16_SYMM);
     },
     false},
    {"convolution16x8OfRowsOfPadding", Code::CONV_2D_16X8,
     [](LongOperation& operation) {
         operation.layer({1, 1, 1, 1}, {1, kCount, 1, 1}, 1);
         operation.integer(1).integer(1).integer(1).integer(1).integer(1);  // padding SAME
         operation.output(TENSOR_QUANT16_SYMM);
     },
     false},
    {"convolution3d", Code::CONV_3D,
     [](LongOperation& operation) {
         operation.floats({1, 1, 1, 1, 2}).floats({1, 1, 1, 2, kCount / 2}).floats({kCount / 2});
         operation.volumeWindows().output(TENSOR_FLOAT32);
     },
     true, 300},
    {"cumsum", Code::CUMSUM,
     [](LongOperation& operation) {
         operation.floats({kCount}).integer(0).truth(false).truth(false);
         operation.output(TENSOR_FLOAT32);
     }},
    {"depthwise16x8", Code::DEPTHWISE_CONV_2D_16X8,
     [](LongOperation& operation) {
         operation.layer({1, 1, 1, kCount}, {1, 1, 1, kCount}, kCount).windows();
         operation.output(TENSOR_QUANT16_SYMM);
     }},
    {"fullyConnected16x8", Code::FULLY_CONNECTED_16X8,
     [](LongOperation& operation) {
         operation.layer({1, 2}, {kCount / 2, 2}, kCount / 2).output(TENSOR_QUANT16_SYMM);
     }},
    {"gather", Code::GATHER,
     [](LongOperation& operation) {
         operation.floats({1, 4 * kCount}).integers({0}).integer(0).integer(0);
         operation.output(TENSOR_FLOAT32);
     }},
    {"gatherNd", Code::GATHER_ND,
     [](LongOperation& operation) {
         operation.floats({1, 4 * kCount}).integers({0}).output(TENSOR_FLOAT32);
     }},
    {"landmarksToMatrix", Code::LANDMARKS_TO_TRANSFORM_MATRIX,
     [](LongOperation& operation) {
         operation.floats({1, 3}).integers(std::vector<std::int32_t>(kCount));
         operation.integer(0).integer(0).integer(8).integer(8).real(0.0F).real(1.0F).real(1.0F);
         operation.output(TENSOR_FLOAT32);
     },
     false},
    {"matrixDiag", Code::MATRIX_DIAG,
     [](LongOperation& operation) { operation.floats({1 << 10}).output(TENSOR_FLOAT32); }},
    {"matrixSetDiag", Code::MATRIX_SET_DIAG,
     [](LongOperation& operation) {
         operation.floats({1, 4 * kCount}).floats({1}).output(TENSOR_FLOAT32);
     }},
    {"maximum16", Code::MAXIMUM_16,
     [](LongOperation& operation) {
         operation.input(TENSOR_QUANT16_SYMM, {kCount}, std::int16_t{7});
         operation.input(TENSOR_QUANT16_SYMM, {kCount}, std::int16_t{7});
         operation.output(TENSOR_QUANT16_SYMM);
     }},
    {"maximumPool16OfALargeWindow", Code::MAX_POOL_2D_16,
     [](LongOperation& operation) {
         operation.input(TENSOR_QUANT16_SYMM, {1, 1 << 10, 1 << 10, 1}, std::int16_t{7});
         operation.integer(2).integer(1).integer(1).integer(1 << 10).integer(1 << 10).integer(0);
         operation.output(TENSOR_QUANT16_SYMM);
     },
     false},
    {"mfcc", Code::MFCC,
     [](LongOperation& operation) {
         operation.floats({1, 1, kCount}).integers({2}).real(0.0F).real(1.0F);
         operation.integer(40).integer(13).output(TENSOR_FLOAT32);
     },
     false},
    {"multinomial", Code::MULTINOMIAL,
     [](LongOperation& operation) {
         operation.floats({1, kCount}).integers({1, 2, 3, 4}).integers({0, 0}).integer(1 << 20);
         operation.output(TENSOR_INT32).output(TENSOR_INT32);
     }},
    {"poolingWithArgmax", Code::MAX_POOLING_WITH_ARGMAX,
     [](LongOperation& operation) {
         operation.floats({1, 1, 1, kCount}).windows();
         operation.output(TENSOR_FLOAT32).output(TENSOR_FLOAT32);
     },
     true, 900},
    {"reduceIntegers", Code::REDUCE_INTEGERS,
     [](LongOperation& operation) {
         operation.input(TENSOR_INT32, {1, kCount}, 3).integers({0}).truth(false).integer(0);
         operation.output(TENSOR_INT32);
     }},
    {"reverseSequence", Code::REVERSE_SEQUENCE,
     [](LongOperation& operation) {
         operation.floats({1, 1, 4 * kCount}).integers({1}).integer(1).integer(0);
         operation.output(TENSOR_FLOAT32);
     }},
    {"rfft2dOfOneRow", Code::RFFT_2D,
     [](LongOperation& operation) {
         operation.floats({1, kCount}).integers({1, kCount}).output(TENSOR_FLOAT32);
     }},
    {"scatterNd", Code::SCATTER_ND,
     [](LongOperation& operation) {
         operation.input(TENSOR_INT32, {1, 1}, 0).floats({1, kCount}).integers({1, kCount});
         operation.output(TENSOR_FLOAT32);
     }},
    {"segmentSum", Code::UNSORTED_SEGMENT_SUM,
     [](LongOperation& operation) {
         operation.floats({1, kCount}).integers({0}).integer(1).output(TENSOR_FLOAT32);
     }},
    {"softmax16", Code::SOFTMAX_16,
     [](LongOperation& operation) {
         operation.input(TENSOR_QUANT16_SYMM, {1, kCount}, std::int16_t{7}).real(1.0F);
         operation.output(TENSOR_QUANT16_SYMM).outputScale(0x1p-15F);
     },
     true, 700},
    {"sparseToDense", Code::SPARSE_TO_DENSE,
     [](LongOperation& operation) {
         operation.input(TENSOR_INT32, {1 << 10, 1}, 0).integers({1}).floats({1}).floats({1});
         operation.output(TENSOR_FLOAT32);
     },
     false},
    {"topK", Code::TOP_K,
     [](LongOperation& operation) {
         operation.floats({kCount}).integer(kCount).output(TENSOR_FLOAT32).output(TENSOR_INT32);
     }},
    {"transformImage", Code::TRANSFORM_TENSOR_BILINEAR,
     [](LongOperation& operation) {
         // The centre of the only pixel becomes 0, 0.
         operation.floats({1, 1, 1, kCount}).input(TENSOR_FLOAT32, {4, 4}, 0.25F);
         operation.integer(1).integer(1).output(TENSOR_FLOAT32);
     }},
    {"transformImageOutside", Code::TRANSFORM_TENSOR_BILINEAR,
     [](LongOperation& operation) {
         operation.floats({1, 1, 1, kCount}).floats({4, 4}).integer(1).integer(1);
         operation.output(TENSOR_FLOAT32);
     }},
    {"transposeConvolution16x8", Code::TRANSPOSE_CONV_2D_16X8,
     [](LongOperation& operation) {
         operation.layer({1, 1, 1, 2}, {kCount / 2, 1, 1, 2}, kCount / 2).windows();
         operation.integers({1, 1, 1, kCount / 2}).output(TENSOR_QUANT16_SYMM);
     }},
    {"transposeConvolution3d", Code::CONV_3D_TRANSPOSE,
     [](LongOperation& operation) {
         operation.floats({1, 1, 1, 1, kCount}).floats({1, 1, 1, 1, kCount}).floats({1});
         operation.volumeWindows().integers({1, 1, 1, 1, 1}).output(TENSOR_FLOAT32);
     },
     false},
    {"unique", Code::UNIQUE,
     [](LongOperation& operation) {
         operation.floats({kCount}).output(TENSOR_FLOAT32).output(TENSOR_INT32);
     }},
    {"unpooling", Code::MAX_UNPOOLING,
     [](LongOperation& operation) {
         operation.floats({1, 1, 1, 1}).floats({1, 1, 1, 1});
         operation.integer(2).integer(1).integer(1).integer(1 << 10).integer(1 << 10);
         operation.output(TENSOR_FLOAT32);
     }},
    {"unpoolingOfManyChannels", Code::MAX_UNPOOLING,
     [](LongOperation& operation) {
         operation.floats({1, 1, 1, kCount}).floats({1, 1, 1, kCount}).windows();
         operation.output(TENSOR_FLOAT32);
     },
     true, 300},
    {"updateSlice", Code::DYNAMIC_UPDATE_SLICE,
     [](LongOperation& operation) {
         operation.floats({4 * kCount}).floats({1}).integers({0}).output(TENSOR_FLOAT32);
     }},
};

class LongRowTest : public testing::TestWithParam<Case> {};

TEST_P(LongRowTest, asksItsTimeLimitInside) {
    LongOperation operation(GetParam().code);
    GetParam().describe(operation);
    EXPECT_GE(operation.run(false), GetParam().leastQuestions);
    EXPECT_FALSE(GetParam().hasLongOutput && operation.isUnfinished());
}

TEST_P(LongRowTest, endsWhenItsRunIsOutOfTime) {
    LongOperation operation(GetParam().code);
    GetParam().describe(operation);
    EXPECT_LE(operation.run(true), 4U);
    EXPECT_TRUE(!GetParam().hasLongOutput || operation.isUnfinished());
}

INSTANTIATE_TEST_SUITE_P(Operation, LongRowTest, testing::ValuesIn(kCases),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace nnburst::tflite_operations
