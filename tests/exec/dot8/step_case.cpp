// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/dot8/step_case.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

#include "exec/dot8/plain_microkernels.h"
#include "exec/operation/spatial.h"
#include "exec/reference/operations.h"
#include "exec/reference/reference_step.h"
#include "exec/xnnpack/backend.h"

namespace nnburst::exec {

namespace {

#if defined(__x86_64__)
constexpr bool kXnnpackGivesOurBits = true;
#else
constexpr bool kXnnpackGivesOurBits = false;  // it rounds some products in fixed point
#endif

constexpr std::size_t kPageBytes = 4096;

std::size_t roundUp(std::size_t number, std::size_t factor) {
    return (number + factor - 1) / factor * factor;
}

bool isUnsigned(Kind8 kind) {
    return kind == Kind8::UNSIGNED || kind == Kind8::UNSIGNED_PER_CHANNEL;
}

bool isPerChannel(Kind8 kind) {
    return kind == Kind8::UNSIGNED_PER_CHANNEL || kind == Kind8::SIGNED_PER_CHANNEL;
}

}  // namespace

GuardedMemory::GuardedMemory(std::size_t sizeBytes)
    : sizeBytes_(sizeBytes), usedBytes_(roundUp(std::max<std::size_t>(sizeBytes, 1), kPageBytes)) {
    void* const all =
        ::mmap(nullptr, usedBytes_ + 2 * kPageBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(all, MAP_FAILED);
    pages_ = static_cast<std::byte*>(all) + kPageBytes;
    EXPECT_EQ(::mprotect(pages_, usedBytes_, PROT_READ | PROT_WRITE), 0);
}

GuardedMemory::~GuardedMemory() {
    ::munmap(pages_ - kPageBytes, usedBytes_ + 2 * kPageBytes);
}

std::string Case8::description() const {
    const auto axis = [](const WindowAxis& a) {
        return std::to_string(a.input) + " (window " + std::to_string(a.window) + ", stride " +
               std::to_string(a.stride) + ", dilation " + std::to_string(a.dilation) +
               ", padding " + std::to_string(a.before) + " " + std::to_string(a.after) + ")";
    };
    return std::string(toString(type)) + " kind " + std::to_string(static_cast<int>(kind)) +
           ", batches " + std::to_string(batches) + ", height " + axis(height) + ", width " +
           axis(width) + ", channels " + std::to_string(inputs) + " to " + std::to_string(outputs) +
           " in " + std::to_string(groups) + " groups, zero points " +
           std::to_string(inputZeroPoint) + " " + std::to_string(weightZeroPoint) + " " +
           std::to_string(outputZeroPoint) + ", scales " + std::to_string(inputScale) + " " +
           std::to_string(weightScale) + " " + std::to_string(outputScale) + ", activation " +
           std::to_string(activation);
}

StepCase::StepCase(const Case8& given, Random& random) : case_(given) {
    const OperandType element = isUnsigned(given.kind) ? OperandType::TENSOR_QUANT8_ASYMM
                                                       : OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
    const bool isDense = given.type == OperationType::FULLY_CONNECTED;
    const bool isDepthwise = given.type == OperationType::DEPTHWISE_CONV_2D;
    const auto groups = static_cast<std::uint32_t>(given.groups);
    instance_.type = given.type;
    instance_.inputs.push_back({.type = element,
                                .shape = isDense ? Shape{given.batches, given.inputs}
                                                 : Shape{given.batches, given.height.input,
                                                         given.width.input, given.inputs},
                                .scale = given.inputScale,
                                .zeroPoint = given.inputZeroPoint});
    input_ = random.elements(element, instance_.inputs[0].shape.elementCount());

    OperandView weights{
        .type = element,
        .shape = isDense       ? Shape{given.outputs, given.inputs}
                 : isDepthwise ? Shape{1, given.height.window, given.width.window, given.outputs}
                               : Shape{given.outputs, given.height.window, given.width.window,
                                       given.inputs / groups},
        .scale = given.weightScale,
        .zeroPoint = given.kind == Kind8::UNSIGNED ? given.weightZeroPoint : 0};
    if (isPerChannel(given.kind)) {
        channels_.emplace();
        channels_->channelDim = isDepthwise ? 3 : 0;
        for (std::uint32_t channel = 0; channel < given.outputs; ++channel) {
            channels_->scales.push_back(given.weightScale * random.real(0.5F, 2.0F));
        }
        weights.type = OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL;
        weights.scale = 0.0F;
        weights.channelQuant = &*channels_;
    }
    addConstant(weights, random.elements(weights.type, weights.shape.elementCount()));
    addConstant({.type = OperandType::TENSOR_INT32, .shape = Shape{given.outputs}},
                random.elements(OperandType::TENSOR_INT32, given.outputs));
    addArguments();

    instance_.outputs.push_back(
        {.type = element, .scale = given.outputScale, .zeroPoint = given.outputZeroPoint});
    Shape shape;
    const auto inferred =
        findOperation(given.type)->inferShapes(instance_.view(), std::span(&shape, 1));
    EXPECT_TRUE(inferred) << inferred.error().message << given.description();
    instance_.outputs[0].shape = shape;
}

void StepCase::addConstant(const OperandView& view, std::vector<std::byte> data) {
    constants_.push_back(std::move(data));
    instance_.inputs.push_back(view);
    instance_.inputs.back().data = constants_.back().data();
    instance_.inputs.back().isConstant = true;
}

void StepCase::addScalar(OperandType type, const void* value, std::size_t sizeBytes) {
    const auto* const bytes = static_cast<const std::byte*>(value);
    addConstant({.type = type}, {bytes, bytes + sizeBytes});
}

void StepCase::addArguments() {
    if (case_.type != OperationType::FULLY_CONNECTED) {
        addInteger(case_.width.before);
        addInteger(case_.width.after);
        addInteger(case_.height.before);
        addInteger(case_.height.after);
        addInteger(case_.width.stride);
        addInteger(case_.height.stride);
        if (case_.type == OperationType::DEPTHWISE_CONV_2D) {
            addInteger(static_cast<std::int32_t>(case_.outputs / case_.inputs));
        } else if (case_.type == OperationType::GROUPED_CONV_2D) {
            addInteger(case_.groups);
        }
    }
    addInteger(case_.activation);
    if (case_.type == OperationType::CONV_2D || case_.type == OperationType::DEPTHWISE_CONV_2D ||
        case_.type == OperationType::GROUPED_CONV_2D ||
        case_.type == OperationType::TRANSPOSE_CONV_2D) {
        const std::uint8_t isNchw = 0;
        addScalar(OperandType::BOOL, &isNchw, 1);
    }
    if (case_.type == OperationType::CONV_2D || case_.type == OperationType::DEPTHWISE_CONV_2D) {
        addInteger(case_.width.dilation);
        addInteger(case_.height.dilation);
    }
}

void StepCase::dropConstants() noexcept {
    instance_.inputs[1].data = nullptr;
    instance_.inputs[2].data = nullptr;
}

std::unique_ptr<Step> StepCase::makeDot8(const dot8::Microkernels& kernels, pthreadpool_t threads) {
    auto step = dot8::makeStep(instance_.view(),
                               {.kernels = &kernels, .threads = threads, .weights = &weights_});
    EXPECT_TRUE(step);
    return step ? std::move(*step) : nullptr;
}

std::unique_ptr<Step> StepCase::makePlain(bool multipliesSigned) {
    auto step = dot8::makeStep(instance_.view(), {.kernels = &plainMicrokernels(multipliesSigned),
                                                  .weights = &plainWeights_});
    EXPECT_TRUE(step);
    return step ? std::move(*step) : nullptr;
}

std::unique_ptr<Step> StepCase::makeXnnpack() {
    static const std::shared_ptr<Engine> initialised = makeEngine(true);
    auto step = xnnpack::makeStep(instance_.view(), {.operators = &operators_});
    EXPECT_TRUE(step);
    return step ? std::move(*step) : nullptr;
}

StepCase::Output StepCase::runGuarded(Step& step, bool isAtBack) {
    const std::size_t outputBytes = sizeBytes(instance_.outputs[0]);
    const GuardedMemory input(input_.size());
    const GuardedMemory output(outputBytes);
    const GuardedMemory scratch(roundUp(step.scratchBytes(), 64));
    std::memcpy(isAtBack ? input.back() : input.front(), input_.data(), input_.size());
    std::vector<std::byte*> operands(instance_.inputs.size());
    operands[0] = isAtBack ? input.back() : input.front();
    operands.push_back(isAtBack ? output.back() : output.front());
    const std::byte* const written = operands.back();
    if (step.scratchBytes() != 0) {
        operands.push_back(isAtBack ? scratch.back() : scratch.front());
    }
    TimeLimit limit;
    EXPECT_TRUE(step.setUp(operands));
    EXPECT_TRUE(step.run(limit));
    return {written, written + outputBytes};
}

StepCase::Output StepCase::run(Step& step) {
    const std::size_t outputBytes = sizeBytes(instance_.outputs[0]);
    const AlignedBuffer input = *AlignedBuffer::allocate(input_.size());
    const AlignedBuffer output = *AlignedBuffer::allocate(outputBytes);
    const AlignedBuffer scratch = *AlignedBuffer::allocate(step.scratchBytes());
    std::memcpy(input.data(), input_.data(), input_.size());
    std::vector<std::byte*> operands;
    for (const OperandView& operand : instance_.inputs) {
        operands.push_back(operand.data);
    }
    operands[0] = input.data();
    operands.push_back(output.data());
    if (step.scratchBytes() != 0) {
        operands.push_back(scratch.data());
    }
    TimeLimit limit;
    EXPECT_TRUE(step.setUp(operands));
    EXPECT_TRUE(step.run(limit));
    return {output.data(), output.data() + outputBytes};
}

StepCase::Output StepCase::runReference() {
    return run(*makeReferenceStep(instance_));
}

bool StepCase::compare(const dot8::Microkernels& kernels, pthreadpool_t threads) {
    const std::unique_ptr<Step> xnnpack = makeXnnpack();
    const std::unique_ptr<Step> own = makeDot8(kernels, threads);
    EXPECT_EQ(own != nullptr, xnnpack != nullptr) << case_.description();
    if (!own || !xnnpack) {
        return false;
    }
    const Output xnnpacks = run(*xnnpack);
    // Plain code takes long: where XNNPACK gives the same bits, it stands for it in most cases.
    constexpr int kPlainEvery = kXnnpackGivesOurBits ? 8 : 1;
    static int compared = 0;
    // Activations as bytes of the other sign, so that both ways of packing are tested.
    const Output outputs =
        compared++ % kPlainEvery == 0 ? run(*makePlain(!kernels.multipliesSigned)) : xnnpacks;
    for (const bool isAtBack : {false, true}) {
        EXPECT_EQ(runGuarded(*own, isAtBack), outputs) << case_.description();
    }
    expectXnnpacks(outputs, xnnpacks);
    return true;
}

void StepCase::expectXnnpacks(const Output& output, const Output& expected) const {
    const auto value = [&](std::byte element) {
        return isUnsigned(case_.kind) ? std::to_integer<int>(element)
                                      : static_cast<std::int8_t>(element);
    };
    ASSERT_EQ(output.size(), expected.size());
    for (std::size_t i = 0; i < output.size(); ++i) {
        ASSERT_LE(std::abs(value(output[i]) - value(expected[i])), kXnnpackGivesOurBits ? 0 : 1)
            << "element " << i << " of " << case_.description();
    }
}

std::string testName(const testing::TestParamInfo<dot8::InstructionSet>& info) {
    switch (info.param) {
        case dot8::InstructionSet::AVX512_VNNI:
            return "avx512Vnni";
        case dot8::InstructionSet::AVX_VNNI:
            return "avxVnni";
        case dot8::InstructionSet::NEON_DOT:
            return "neonDot";
    }
    return "unknown";
}

}  // namespace nnburst::exec
