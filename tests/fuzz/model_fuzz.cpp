// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Validation, preparation and execution of models that are almost valid. What one kind of kernels
/// computes without an error has the shapes that the reference kernels give.

#include <cstdio>
#include <cstdlib>

#include "changed_model.h"
#include "exec/run/compiled_model.h"
#include "exec/run/engine.h"
#include "model/operand_info.h"
#include "nnburst/validation.h"
#include "support/test_request.h"

namespace nnburst::fuzz {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMaximumArgumentBytes = 1 << 20;

struct Run {
    bool isDone = false;
    std::vector<OutputShape> shapes;
};

/// With arguments of the sizes that the model gives, or that `bytes` choose where it leaves them
/// open.
exec::TestRequest takeRequest(const exec::CompiledModel& model, ByteSource& bytes) {
    exec::TestRequest request;
    const auto sizeOf = [](const Operand& operand, const Dimensions& dimensions) {
        const auto size = operandBytes(operand.type, dimensions);
        return std::min<std::size_t>(size.value_or(4096), kMaximumArgumentBytes);
    };
    for (const Operand& input : model.inputs()) {
        Dimensions dimensions = input.dimensions;
        for (std::uint32_t& size : dimensions) {
            size = size == 0 ? bytes.take<std::uint8_t>() % 9 : size;
        }
        std::vector<std::byte> contents(sizeOf(input, dimensions));
        const auto values = bytes.takeBytes(contents.size());
        std::ranges::copy(values, contents.begin());
        request.addInput(contents, dimensions);
    }
    for (const Operand& output : model.outputs()) {
        request.addOutput(sizeOf(output, output.dimensions));
    }
    return request;
}

Run runOn(const std::shared_ptr<exec::Engine>& engine, const Model& model, ByteSource bytes) {
    const auto compiled = exec::CompiledModel::compile(engine, model);
    if (!compiled) {
        return {};
    }
    exec::TestRequest request = takeRequest(**compiled, bytes);
    ExecutionOptions options;
    options.deadline = std::chrono::steady_clock::now() + 100ms;
    options.loopTimeout = 20ms;
    Run run;
    for (int i = 0; i < 2; ++i) {  // the second time with what the first one has set up
        run.isDone = request.run(**compiled, options).has_value();
    }
    run.shapes = request.outcome().outputShapes;
    return run;
}

void runModel(ByteSource bytes) {
    static const auto fast = exec::makeEngine(true);
    static const auto reference = exec::makeEngine(false);
    const Model model = takeModel(bytes);
    if (!validateModel(model) || isTooLarge(model)) {
        return;
    }
    const Run first = runOn(fast, model, bytes);
    const Run second = runOn(reference, model, bytes);
    if (first.isDone && second.isDone && first.shapes != second.shapes) {
        std::puts("the kernels give other output shapes than the reference kernels");
        std::abort();
    }
}

}  // namespace
}  // namespace nnburst::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    nnburst::fuzz::runModel({data, size});
    return 0;
}
