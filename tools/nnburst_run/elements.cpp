// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_run/elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "model/invalid.h"
#include "nnburst/type_queries.h"

namespace nnburst::run {

namespace {

template <class T>
void appendAs(std::span<const std::byte> contents, std::vector<double>& values) {
    for (std::size_t i = 0; i + sizeof(T) <= contents.size(); i += sizeof(T)) {
        T value{};
        std::memcpy(&value, contents.data() + i, sizeof value);
        values.push_back(static_cast<double>(value));
    }
}

/// The elements as they are stored: quantised ones as integers.
Result<std::vector<double>> storedValues(OperandType type, std::span<const std::byte> contents) {
    std::vector<double> values;
    switch (type) {
        case OperandType::TENSOR_FLOAT32:
            appendAs<float>(contents, values);
            return values;
        case OperandType::TENSOR_INT32:
            appendAs<std::int32_t>(contents, values);
            return values;
        case OperandType::TENSOR_BOOL8:
        case OperandType::TENSOR_QUANT8_ASYMM:
            appendAs<std::uint8_t>(contents, values);
            return values;
        case OperandType::TENSOR_QUANT8_SYMM:
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
            appendAs<std::int8_t>(contents, values);
            return values;
        case OperandType::TENSOR_QUANT16_ASYMM:
            appendAs<std::uint16_t>(contents, values);
            return values;
        case OperandType::TENSOR_QUANT16_SYMM:
            appendAs<std::int16_t>(contents, values);
            return values;
        default:
            return invalid("elements of type {} are not supported", toString(type));
    }
}

double difference(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) {
        return std::isnan(a) && std::isnan(b) ? 0 : std::numeric_limits<double>::infinity();
    }
    return a == b ? 0 : std::abs(a - b);  // equal infinities have no difference
}

Result<std::vector<double>> realValues(const Operand& operand,
                                       std::span<const std::byte> contents) {
    NNBURST_TRY_ASSIGN(std::vector<double> values, storedValues(operand.type, contents));
    if (operand.scale != 0.0F) {
        for (double& value : values) {
            value = static_cast<double>(operand.scale) *
                    (value - static_cast<double>(operand.zeroPoint));
        }
    }
    return values;
}

std::ptrdiff_t indexOfLargest(std::span<const double> values) {
    return std::max_element(values.begin(), values.end()) - values.begin();
}

}  // namespace

Result<Comparison> compare(const Operand& operand, std::span<const std::byte> golden,
                           std::span<const std::byte> actual) {
    if (golden.size() != actual.size()) {
        return invalid("the golden output has {} bytes: must have {}, as the output", golden.size(),
                       actual.size());
    }
    NNBURST_TRY_ASSIGN(const std::vector<double> expected, storedValues(operand.type, golden));
    NNBURST_TRY_ASSIGN(const std::vector<double> values, storedValues(operand.type, actual));
    Comparison result{.elements = values.size()};
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double distance = difference(expected[i], values[i]);
        result.differing += distance != 0 ? 1U : 0U;
        if (distance > result.largestDifference) {
            result.largestDifference = distance;
            result.largestAt = i;
        }
    }
    const std::uint64_t stepBytes = operandBytes(operand.type, operand.dimensions).value_or(0);
    const std::size_t stepElements = stepBytes / elementBytes(operand.type);
    for (std::size_t i = 0; stepElements != 0 && i + stepElements <= values.size();
         i += stepElements) {
        ++result.steps;
        const bool isSame = indexOfLargest(std::span(expected).subspan(i, stepElements)) ==
                            indexOfLargest(std::span(values).subspan(i, stepElements));
        result.stepsWithSameTop += isSame ? 1U : 0U;
    }
    return result;
}

Result<std::vector<RankedElement>> largestElements(const Operand& operand,
                                                   std::span<const std::byte> contents,
                                                   std::size_t count) {
    NNBURST_TRY_ASSIGN(const std::vector<double> values, realValues(operand, contents));
    std::vector<RankedElement> ranked;
    for (std::size_t i = 0; i < values.size(); ++i) {
        ranked.push_back({.index = i, .value = values[i]});
    }
    // NaN sorts last, so that the order is strict.
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
        return std::isnan(b.value) ? !std::isnan(a.value) : a.value > b.value;
    });
    ranked.resize(std::min(count, ranked.size()));
    return ranked;
}

Result<Spread> spreadOf(const Operand& operand, std::span<const std::byte> contents) {
    NNBURST_TRY_ASSIGN(const std::vector<double> values, realValues(operand, contents));
    Spread result{.elements = values.size()};
    std::size_t numbers = 0;
    double sum = 0;
    for (const double value : values) {
        if (std::isnan(value)) {
            continue;
        }
        result.least = numbers == 0 ? value : std::min(result.least, value);
        result.greatest = numbers == 0 ? value : std::max(result.greatest, value);
        sum += value;
        ++numbers;
    }
    result.notNumbers = result.elements - numbers;
    result.mean = numbers == 0 ? 0 : sum / static_cast<double>(numbers);
    return result;
}

Result<std::uint64_t> countSteps(std::span<const InputFile> files) {
    std::uint64_t steps = 0;
    for (const InputFile& file : files) {
        if (file.fileBytes == 0 || file.fileBytes % file.operandBytes != 0) {
            return invalid("{} has {} bytes: must be a multiple of {}, the size of its input",
                           file.path, file.fileBytes, file.operandBytes);
        }
        const std::uint64_t fileSteps = file.fileBytes / file.operandBytes;
        if (steps != 0 && fileSteps != steps) {
            return invalid("{} has {} steps: must be {}, as {}", file.path, fileSteps, steps,
                           files.front().path);
        }
        steps = fileSteps;
    }
    return steps;
}

}  // namespace nnburst::run
