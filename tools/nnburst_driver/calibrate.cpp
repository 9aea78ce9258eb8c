// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "calibrate.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "device/local/capabilities_file.h"
#include "nnburst/builtin_models.h"
#include "nnburst/model_builder.h"
#include "support/pooled_request.h"

namespace nnburst {

namespace {

/// A measurement takes at least so long, so that clocks are exact enough.
constexpr std::chrono::milliseconds kMinimumMeasuredTime{5};

/// The performance values that a workload is for.
enum class Family { FLOAT32, RELAXED, QUANT8, IF, WHILE };

struct Workload {
    Family family;
    std::string name;
    Model model;
};

/// The cost of one execution, in nanoseconds.
struct Cost {
    double time = 0.0;
    double processorTime = 0.0;
};

double processorNanoseconds() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// A workload on one set of kernels.
class Runner {
  public:
    static Result<Runner> create(Device& device, const Model& model) {
        Runner runner;
        NNBURST_TRY_ASSIGN(const SharedPreparedModel prepared, prepareModel(device, model));
        NNBURST_TRY_ASSIGN(runner.burst_, prepared->configureExecutionBurst({}));
        NNBURST_TRY_ASSIGN(auto request, tools::PooledRequest::create(model));
        runner.request_ = std::make_unique<tools::PooledRequest>(std::move(request));
        // A warm-up; then one execution decides how many make a measurement.
        NNBURST_TRY(runner.runOnce());
        const auto start = std::chrono::steady_clock::now();
        NNBURST_TRY(runner.runOnce());
        const auto once = std::chrono::steady_clock::now() - start;
        runner.executions_ =
            std::max<std::int64_t>(1, kMinimumMeasuredTime / std::max(once, decltype(once)(1)));
        return runner;
    }

    Result<Cost> measure() {
        const auto start = std::chrono::steady_clock::now();
        const double processorStart = processorNanoseconds();
        for (std::int64_t i = 0; i < executions_; ++i) {
            NNBURST_TRY(runOnce());
        }
        const double processor = processorNanoseconds() - processorStart;
        const std::chrono::duration<double, std::nano> time =
            std::chrono::steady_clock::now() - start;
        const auto count = static_cast<double>(executions_);
        return Cost{.time = time.count() / count, .processorTime = processor / count};
    }

  private:
    Result<> runOnce() { return burst_->execute(request_->request(), {}, outcome_); }

    std::unique_ptr<Burst> burst_;
    std::unique_ptr<tools::PooledRequest> request_;
    ExecutionOutcome outcome_;
    std::int64_t executions_ = 1;
};

double median(std::vector<double> values) {
    std::nth_element(values.begin(),
                     values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

/// The workload's cost on `device` relative to its cost on `reference`.
Result<PerformanceInfo> compare(Device& device, Device& reference, const Workload& workload,
                                std::uint32_t rounds) {
    NNBURST_TRY_ASSIGN(Runner ours, Runner::create(device, workload.model));
    NNBURST_TRY_ASSIGN(Runner theirs, Runner::create(reference, workload.model));
    std::vector<double> times;
    std::vector<double> powers;
    for (std::uint32_t round = 0; round < rounds; ++round) {
        NNBURST_TRY_ASSIGN(const Cost our, ours.measure());
        NNBURST_TRY_ASSIGN(const Cost their, theirs.measure());
        times.push_back(our.time / their.time);
        // Per execution: energy per time, which the HAL asks for, would hide that less work was
        // done.
        powers.push_back(our.processorTime / their.processorTime);
    }
    const PerformanceInfo info{.execTime = static_cast<float>(median(times)),
                               .powerUsage = static_cast<float>(median(powers))};
    fmt::print("{:<32} time {:.3f}  power {:.3f}\n", workload.name, info.execTime, info.powerUsage);
    return info;
}

ModelBuilder addSubgraph(std::vector<std::uint32_t>& inputs, std::vector<std::uint32_t>& outputs) {
    ModelBuilder builder;
    const auto a = builder.addTensor(OperandType::TENSOR_FLOAT32, {64, 64});
    const auto sum = builder.addTensor(OperandType::TENSOR_FLOAT32, {64, 64});
    builder.addOperation(OperationType::ADD, {a, a, builder.addScalar(std::int32_t{0})}, {sum});
    inputs = {a};
    outputs = {sum};
    return builder;
}

/// IF, whose branches add.
Result<Model> makeIf() {
    ModelBuilder builder;
    std::vector<std::uint32_t> inputs;
    std::vector<std::uint32_t> outputs;
    std::array<std::uint32_t, 2> branches{};
    for (std::uint32_t& branch : branches) {
        ModelBuilder subgraph = addSubgraph(inputs, outputs);
        branch = builder.addReferenced(std::move(subgraph), inputs, outputs);
    }
    const auto condition = builder.addTensor(OperandType::TENSOR_BOOL8, {1});
    const auto a = builder.addTensor(OperandType::TENSOR_FLOAT32, {64, 64});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {64, 64});
    builder.addOperation(OperationType::IF,
                         {condition, builder.addSubgraphReference(branches[0]),
                          builder.addSubgraphReference(branches[1]), a},
                         {out});
    return builder.build({condition, a}, {out});
}

/// WHILE, which counts to ten.
Result<Model> makeWhile() {
    ModelBuilder condition;
    const std::array<std::int32_t, 1> ten{10};
    const auto i = condition.addTensor(OperandType::TENSOR_INT32, {1});
    const auto goesOn = condition.addTensor(OperandType::TENSOR_BOOL8, {1});
    condition.addOperation(
        OperationType::LESS,
        {i, condition.addConstant(OperandType::TENSOR_INT32, {1}, std::as_bytes(std::span(ten)))},
        {goesOn});
    ModelBuilder body;
    const std::array<std::int32_t, 1> one{1};
    const auto before = body.addTensor(OperandType::TENSOR_INT32, {1});
    const auto after = body.addTensor(OperandType::TENSOR_INT32, {1});
    body.addOperation(
        OperationType::ADD,
        {before, body.addConstant(OperandType::TENSOR_INT32, {1}, std::as_bytes(std::span(one))),
         body.addScalar(std::int32_t{0})},
        {after});
    ModelBuilder builder;
    const auto conditionIndex = builder.addReferenced(std::move(condition), {i}, {goesOn});
    const auto bodyIndex = builder.addReferenced(std::move(body), {before}, {after});
    const auto start = builder.addTensor(OperandType::TENSOR_INT32, {1});
    const auto end = builder.addTensor(OperandType::TENSOR_INT32, {1});
    builder.addOperation(OperationType::WHILE,
                         {builder.addSubgraphReference(conditionIndex),
                          builder.addSubgraphReference(bodyIndex), start},
                         {end});
    return builder.build({start}, {end});
}

Result<std::vector<Workload>> workloads() {
    std::vector<Workload> made;
    const auto add = [&](Family family, std::string name, Result<Model> model) -> Result<> {
        NNBURST_TRY_ASSIGN(Model good, std::move(model));
        good.relaxComputationFloat32toFloat16 = family == Family::RELAXED;
        made.push_back({family, std::move(name), std::move(good)});
        return {};
    };
    for (const Family family : {Family::FLOAT32, Family::RELAXED}) {
        const std::string kind = family == Family::RELAXED ? ", relaxed" : "";
        NNBURST_TRY(add(family, "MobileNet v1 0.25/128" + kind, makeMobileNetV1()));
        NNBURST_TRY(add(family, "MobileNet v2 0.25/128" + kind, makeMobileNetV2()));
        NNBURST_TRY(add(family, "streaming LSTM" + kind, makeStreamingLstm()));
    }
    const auto quantized = BuiltinPrecision::QUANT8;
    NNBURST_TRY(add(Family::QUANT8, "MobileNet v1 0.25/128, quantised",
                    makeMobileNetV1({.precision = quantized})));
    NNBURST_TRY(add(Family::QUANT8, "MobileNet v2 0.25/128, quantised",
                    makeMobileNetV2({.precision = quantized})));
    NNBURST_TRY(add(Family::IF, "IF", makeIf()));
    NNBURST_TRY(add(Family::WHILE, "WHILE", makeWhile()));
    return made;
}

/// The figures of the workloads of one family: their geometric mean.
PerformanceInfo mean(const std::vector<std::pair<Family, PerformanceInfo>>& figures,
                     Family family) {
    double time = 0.0;
    double power = 0.0;
    double count = 0.0;
    for (const auto& [its, info] : figures) {
        if (its == family) {
            time += std::log(static_cast<double>(info.execTime));
            power += std::log(static_cast<double>(info.powerUsage));
            count += 1.0;
        }
    }
    return {.execTime = static_cast<float>(std::exp(time / count)),
            .powerUsage = static_cast<float>(std::exp(power / count))};
}

}  // namespace

Result<Capabilities> calibrate(const DriverOptions& driver, std::uint32_t rounds) {
    DriverOptions referenceOptions;
    referenceOptions.useXnnpack = false;
    DriverOptions options;
    options.threads = driver.threads;
    options.useXnnpack = driver.useXnnpack;
    options.useDotProducts = driver.useDotProducts;
    options.useHugePages = driver.useHugePages;
    options.cpuLatencyLimit = driver.cpuLatencyLimit;
    NNBURST_TRY_ASSIGN(const SharedDevice device, makeLocalDevice(options));
    NNBURST_TRY_ASSIGN(const SharedDevice reference, makeLocalDevice(referenceOptions));
    NNBURST_TRY_ASSIGN(const std::vector<Workload> all, workloads());
    std::vector<std::pair<Family, PerformanceInfo>> figures;
    for (const Workload& workload : all) {
        NNBURST_TRY_ASSIGN(const PerformanceInfo info,
                           compare(*device, *reference, workload, rounds));
        figures.emplace_back(workload.family, info);
    }
    Capabilities capabilities = device::uncalibrated();
    capabilities.relaxedFloat32toFloat16PerformanceScalar = mean(figures, Family::RELAXED);
    capabilities.relaxedFloat32toFloat16PerformanceTensor = mean(figures, Family::RELAXED);
    capabilities.ifPerformance = mean(figures, Family::IF);
    capabilities.whilePerformance = mean(figures, Family::WHILE);
    for (OperandPerformance& performance : capabilities.operandPerformance) {
        switch (performance.type) {
            case OperandType::FLOAT32:
            case OperandType::TENSOR_FLOAT32:
            case OperandType::FLOAT16:  // runs as float32
            case OperandType::TENSOR_FLOAT16:
                performance.info = mean(figures, Family::FLOAT32);
                break;
            case OperandType::TENSOR_QUANT8_ASYMM:
            case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
            case OperandType::TENSOR_QUANT8_SYMM:
            case OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL:
                performance.info = mean(figures, Family::QUANT8);
                break;
            default:
                break;  // the reference kernels run these
        }
    }
    return capabilities;
}

}  // namespace nnburst
