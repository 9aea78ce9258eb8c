// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "rest_elements.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace nnburst::serve {
namespace {

using nlohmann::json;

/// Arrays are nested as deep as a tensor has axes; no tensor has more.
constexpr int kMaximumDepth = 16;
/// The least number that would be rounded to a float that is infinite.
constexpr double kFloatLimit = 0x1.ffffffp127;

/// Calls `take` for each element of the nested arrays in `data`, until it gives false.
template <class Take>
bool forEachElement(const json& data, int depth, const Take& take) {
    if (!data.is_array()) {
        return take(data);
    }
    if (depth == kMaximumDepth) {
        return false;
    }
    for (const json& part : data) {
        if (!forEachElement(part, depth + 1, take)) {
            return false;
        }
    }
    return true;
}

/// `element` as a T; false if it is not.
template <class T>
bool toNumber(const json& element, T& number) {
    if constexpr (std::is_floating_point_v<T>) {
        static_assert(std::is_same_v<T, float>);
        if (!element.is_number() || std::abs(element.get<double>()) >= kFloatLimit) {
            return false;
        }
        number = element.get<T>();
        return true;
    } else {
        const auto convert = [&number](auto value) {
            number = static_cast<T>(value);
            return std::in_range<T>(value);
        };
        return element.is_number_unsigned()  ? convert(element.get<std::uint64_t>())
               : element.is_number_integer() ? convert(element.get<std::int64_t>())
                                             : false;
    }
}

bool toBool(const json& element, std::uint8_t& value) {
    if (element.is_boolean()) {
        value = element.get<bool>() ? 1 : 0;
        return true;
    }
    return toNumber(element, value) && value <= 1;
}

template <class T, class Convert>
Outcome<std::vector<std::byte>> convert(const json& data, const DataType& type,
                                        const std::string& name, const Convert& convertOne) {
    std::vector<std::byte> bytes;
    const json* refused = nullptr;
    const bool isGood = forEachElement(data, 0, [&](const json& element) {
        T value{};
        if (!convertOne(element, value)) {
            refused = &element;
            return false;
        }
        const auto* first = reinterpret_cast<const std::byte*>(&value);
        bytes.insert(bytes.end(), first, first + sizeof(T));
        return true;
    });
    if (refused != nullptr && refused->is_number()) {
        return refuse(Code::INVALID_ARGUMENT,
                      "input '{}' has the element {}: its data type {} does not hold it", name,
                      refused->dump(), type.name);
    }
    if (!isGood) {
        return refuse(Code::INVALID_ARGUMENT,
                      "input '{}': data must be an array of elements of type {}", name, type.name);
    }
    return bytes;
}

template <class T>
Outcome<std::vector<std::byte>> convertNumbers(const json& data, const DataType& type,
                                               const std::string& name) {
    return convert<T>(data, type, name, toNumber<T>);
}

template <class T>
json numbers(std::span<const std::byte> bytes) {
    json::array_t array;
    array.reserve(bytes.size() / sizeof(T));
    for (std::size_t offset = 0; offset + sizeof(T) <= bytes.size(); offset += sizeof(T)) {
        T value{};
        std::memcpy(&value, bytes.data() + offset, sizeof(T));
        array.emplace_back(value);
    }
    return array;
}

}  // namespace

Outcome<std::vector<std::byte>> elementsOf(const json& data, const DataType& type,
                                           const std::string& name) {
    switch (type.kind) {
        case DataKind::BOOL:
            return convert<std::uint8_t>(data, type, name, toBool);
        case DataKind::INT8:
            return convertNumbers<std::int8_t>(data, type, name);
        case DataKind::INT16:
            return convertNumbers<std::int16_t>(data, type, name);
        case DataKind::INT32:
            return convertNumbers<std::int32_t>(data, type, name);
        case DataKind::UINT8:
            return convertNumbers<std::uint8_t>(data, type, name);
        case DataKind::UINT16:
            return convertNumbers<std::uint16_t>(data, type, name);
        case DataKind::UINT32:
            return convertNumbers<std::uint32_t>(data, type, name);
        case DataKind::FP32:
            return convertNumbers<float>(data, type, name);
        case DataKind::FP16:
            break;
    }
    return refuse(Code::INVALID_ARGUMENT, "input '{}' of type {}: must be sent as binary data",
                  name, type.name);
}

json jsonOf(std::span<const std::byte> bytes, const DataType& type) {
    switch (type.kind) {
        case DataKind::BOOL: {
            json::array_t array;
            array.reserve(bytes.size());
            for (const std::byte value : bytes) {
                array.emplace_back(value != std::byte{0});
            }
            return array;
        }
        case DataKind::INT8:
            return numbers<std::int8_t>(bytes);
        case DataKind::INT16:
            return numbers<std::int16_t>(bytes);
        case DataKind::INT32:
            return numbers<std::int32_t>(bytes);
        case DataKind::UINT8:
            return numbers<std::uint8_t>(bytes);
        case DataKind::UINT16:
            return numbers<std::uint16_t>(bytes);
        case DataKind::UINT32:
            return numbers<std::uint32_t>(bytes);
        case DataKind::FP32:
            return numbers<float>(bytes);
        case DataKind::FP16:
            break;
    }
    json::array_t array;
    array.reserve(bytes.size() / sizeof(std::uint16_t));
    for (std::size_t offset = 0; offset + sizeof(std::uint16_t) <= bytes.size();
         offset += sizeof(std::uint16_t)) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, bytes.data() + offset, sizeof(bits));
        array.emplace_back(floatOfHalf(bits));
    }
    return array;
}

float floatOfHalf(std::uint16_t bits) noexcept {
    constexpr int kFractionBits = 10;
    constexpr int kBias = 15;
    constexpr int kSpecial = 31;
    const int exponent = (bits >> kFractionBits) & kSpecial;
    const int fraction = bits & ((1 << kFractionBits) - 1);
    float value = 0.0F;
    if (exponent == kSpecial) {
        value = fraction == 0 ? std::numeric_limits<float>::infinity()
                              : std::numeric_limits<float>::quiet_NaN();
    } else if (exponent == 0) {
        value = std::ldexp(static_cast<float>(fraction), 1 - kBias - kFractionBits);
    } else {
        value = std::ldexp(static_cast<float>(fraction + (1 << kFractionBits)),
                           exponent - kBias - kFractionBits);
    }
    return (bits & 0x8000U) != 0 ? -value : value;
}

}  // namespace nnburst::serve
