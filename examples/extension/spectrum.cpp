// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Runs a model with an operation of the example extension in a driver process, through a burst:
// the magnitudes of a spectrum, and which of them are loud. Its argument is the extension's
// library.

#include <cstdio>
#include <cstring>

#include "complex_extension.h"
#include "nnburst/device.h"
#include "nnburst/model_builder.h"

namespace {

using namespace nnburst;

constexpr std::uint32_t kBins = 8;
constexpr std::uint16_t kPrefix = 1;  // of the extension's types in this model

template <class Type>
Type extensionType(std::uint16_t type) {
    return static_cast<Type>((std::uint32_t{kPrefix} << kExtensionTypeBits) | type);
}

/// loudness = RELU(magnitude(spectrum))
Result<Model> makeModel() {
    ModelBuilder builder;
    const auto spectrum =
        builder.addTensor(extensionType<OperandType>(example::kTensorComplex64), {kBins});
    const auto magnitude = builder.addTensor(OperandType::TENSOR_FLOAT32, {kBins});
    const auto loudness = builder.addTensor(OperandType::TENSOR_FLOAT32, {kBins});
    builder.addOperation(extensionType<OperationType>(example::kMagnitude), {spectrum},
                         {magnitude});
    builder.addOperation(OperationType::RELU, {magnitude}, {loudness});
    builder.addExtension(example::kExtensionName, kPrefix);
    return builder.build({spectrum}, {loudness});
}

Result<> run(const char* library) {
    DriverOptions options;
    options.extensionLibraries = {library};
    NNBURST_TRY_ASSIGN(const SharedDevice device, spawnDriver(options));
    NNBURST_TRY_ASSIGN(const Model model, makeModel());
    NNBURST_TRY_ASSIGN(const SharedPreparedModel prepared, prepareModel(*device, model));
    NNBURST_TRY_ASSIGN(const auto burst, prepared->configureExecutionBurst({}));

    NNBURST_TRY_ASSIGN(MemoryPool pool, MemoryPool::create(4096));
    NNBURST_TRY_ASSIGN(const auto input, pool.allocate(kBins * 2 * sizeof(float)));
    NNBURST_TRY_ASSIGN(const auto output, pool.allocate(kBins * sizeof(float)));
    const auto argument = [](const MemoryPool::Block& block) {
        RequestArgument made;
        made.location = {.poolIndex = 0, .offset = block.offset(), .length = block.length()};
        return made;
    };
    const Request request{
        .inputs = {argument(input)}, .outputs = {argument(output)}, .pools = {pool.region()}};
    auto* spectrum = reinterpret_cast<float*>(input.data());
    const auto* loudness = reinterpret_cast<const float*>(output.data());
    ExecutionOutcome outcome;
    for (int frame = 0; frame < 1000; ++frame) {
        for (std::uint32_t bin = 0; bin < kBins; ++bin) {
            spectrum[2 * bin] = 3.0F * static_cast<float>(bin);
            spectrum[2 * bin + 1] = -4.0F * static_cast<float>(bin);
        }
        NNBURST_TRY(burst->execute(request, {}, outcome));
        for (std::uint32_t bin = 0; bin < kBins; ++bin) {
            if (loudness[bin] != 5.0F * static_cast<float>(bin)) {
                return failure(ErrorStatus::GENERAL_FAILURE, "a magnitude is wrong");
            }
        }
    }
    std::printf("1000 frames of %u bins through extension %s\n", kBins, example::kExtensionName);
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: nnburst-example-extension LIBRARY\n");
        return 2;
    }
    const Result<> result = run(argv[1]);
    if (!result) {
        std::fprintf(stderr, "nnburst-example-extension: %s\n", result.error().message.c_str());
        return 1;
    }
    return 0;
}
