// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "model_mutations.h"
#include "nnburst/type_queries.h"
#include "nnburst/validation.h"

namespace nnburst::test {

namespace {

using enum OperandType;

constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Neighbours of all ranges of types, and a type of an extension that no model here declares.
constexpr std::array<std::int32_t, 7> kUnknownTypes{-1, 16, 9999, 10002, 70000, 0x10000, INT32_MIN};

/// Adds mutations of one operand.
class OperandMutations {
  public:
    OperandMutations(const Model& model, Mutations<Model>& mutations)
        : model_(model), mutations_(mutations) {}

    void select(std::size_t place, std::size_t index) {
        place_ = place;
        index_ = index;
    }
    [[nodiscard]] const Operand& operand() const {
        return subgraphAt(model_, place_).operands[index_];
    }
    [[nodiscard]] const Model& model() const { return model_; }

    void add(std::string what, std::function<void(Operand&)> change) {
        mutations_.push_back(
            {.name = fmt::format("{} operand {} ({}, {}): {}", placeName(place_), index_,
                                 toString(operand().type), toString(operand().lifetime), what),
             .apply = [place = place_, index = index_, change = std::move(change)](Model& model) {
                 change(subgraphAt(model, place).operands[index]);
             }});
    }

  private:
    const Model& model_;
    Mutations<Model>& mutations_;
    std::size_t place_ = 0;
    std::size_t index_ = 0;
};

/// Calls `mutate` for each operand of each subgraph.
template <class Mutate>
Mutations<Model> forEachOperand(const Model& model, Mutate mutate) {
    Mutations<Model> mutations;
    OperandMutations operands(model, mutations);
    for (std::size_t place = 0; place < placeCount(model); ++place) {
        for (std::size_t index = 0; index < subgraphAt(model, place).operands.size(); ++index) {
            operands.select(place, index);
            mutate(operands);
        }
    }
    return mutations;
}

/// Gives `operand` another type, and properties that are valid for that type.
void retype(Operand& operand, OperandType type) {
    operand.type = type;
    operand.extraParams = {};
    if (type == SUBGRAPH || isScalar(type)) {
        operand.dimensions.clear();
    } else if (operand.dimensions.empty() && isTensor(type)) {
        operand.dimensions = {1};
    }
    if (!isQuantized(type)) {
        operand.scale = 0.0F;
        operand.zeroPoint = 0;
    } else if (type == TENSOR_QUANT8_SYMM_PER_CHANNEL) {
        operand.extraParams =
            SymmPerChannelQuantParams{std::vector<float>(operand.dimensions[0], 1.0F), 0};
        operand.scale = 0.0F;
        operand.zeroPoint = 0;
    } else {
        operand.scale = operand.scale == 0.0F ? 1.0F : operand.scale;
        operand.zeroPoint = type == TENSOR_QUANT8_ASYMM || type == TENSOR_QUANT16_ASYMM ? 128 : 0;
    }
    if (operand.lifetime == OperandLifeTime::CONSTANT_COPY ||
        operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE) {
        // The length must stay right. There may be too few bytes.
        operand.location.length =
            static_cast<std::uint32_t>(operandBytes(type, operand.dimensions).value_or(0));
    }
}

void mutateType(OperandMutations& operands) {
    for (const std::int32_t code : kUnknownTypes) {
        operands.add(fmt::format("unknown type {}", code),
                     [code](Operand& o) { o.type = static_cast<OperandType>(code); });
    }
    for (std::int32_t code = 0; code <= static_cast<std::int32_t>(SUBGRAPH); ++code) {
        const auto type = static_cast<OperandType>(code);
        if (type != operands.operand().type) {
            operands.add(fmt::format("type {}", toString(type)),
                         [type](Operand& o) { retype(o, type); });
        }
    }
}

void mutateDimensions(OperandMutations& operands) {
    const Operand& operand = operands.operand();
    const auto set = [&](const char* what, Dimensions dimensions) {
        operands.add(
            what, [dimensions = std::move(dimensions)](Operand& o) { o.dimensions = dimensions; });
    };
    if (!isTensor(operand.type)) {
        set("one dimension", {1});
        set("one unknown dimension", {0});
        return;
    }
    set("more bytes than lengths can say", {65536, 65536, 65536});
    set("more elements than 64 bits count", Dimensions(5, UINT32_MAX));
    set("too many dimensions", Dimensions(kMaximumDeclaredDimensions + 1, 1));
    for (std::size_t axis = 0; axis < operand.dimensions.size(); ++axis) {
        const std::uint32_t size = operand.dimensions[axis];
        if (size == 0) {
            continue;  // any size is right
        }
        operands.add(fmt::format("dimension {}: {} -> {}", axis, size, size + 1),
                     [axis](Operand& o) { ++o.dimensions[axis]; });
    }
    if (!operand.dimensions.empty()) {
        operands.add("one more dimension", [](Operand& o) { o.dimensions.push_back(2); });
        operands.add("one dimension less", [](Operand& o) {
            const std::uint32_t last = o.dimensions.back();
            o.dimensions.pop_back();
            if (o.dimensions.empty()) {
                o.dimensions = {last, 2};
            }
        });
    }
}

void mutateScale(OperandMutations& operands) {
    const Operand& operand = operands.operand();
    const auto set = [&](float scale) {
        operands.add(fmt::format("scale {} -> {}", operand.scale, scale),
                     [scale](Operand& o) { o.scale = scale; });
    };
    for (const float scale : {-1.0F, kNotANumber, kInfinity, -kInfinity}) {
        set(scale);
    }
    const bool isPlain =
        isQuantized(operand.type) && operand.type != TENSOR_QUANT8_SYMM_PER_CHANNEL;
    if (isPlain) {
        set(0.0F);
        set(-0.0F);
    } else if (operand.type != TENSOR_INT32) {
        set(1.0F);
    } else if (operand.scale != 0.0F) {
        set(operand.scale * 2);  // of a bias: input times filter
    }
}

void mutateZeroPoint(OperandMutations& operands) {
    const Operand& operand = operands.operand();
    const std::vector<std::int32_t> wrong = [&]() -> std::vector<std::int32_t> {
        switch (operand.type) {
            case TENSOR_QUANT8_ASYMM:
                return {-1, 256, INT32_MIN, INT32_MAX};
            case TENSOR_QUANT8_ASYMM_SIGNED:
                return {-129, 128, INT32_MIN, INT32_MAX};
            case TENSOR_QUANT16_ASYMM:
                return {-1, 65536, INT32_MIN, INT32_MAX};
            default:
                return {-129, -1, 1, 128, 32768};
        }
    }();
    for (const std::int32_t zeroPoint : wrong) {
        operands.add(fmt::format("zero point {} -> {}", operand.zeroPoint, zeroPoint),
                     [zeroPoint](Operand& o) { o.zeroPoint = zeroPoint; });
    }
}

void mutateChannels(OperandMutations& operands, const SymmPerChannelQuantParams& channels) {
    const auto change = [&](std::string what, std::function<void(SymmPerChannelQuantParams&)> how) {
        operands.add("per channel: " + std::move(what), [how = std::move(how)](Operand& o) {
            how(std::get<SymmPerChannelQuantParams>(o.extraParams));
        });
    };
    operands.add("without scales of channels", [](Operand& o) { o.extraParams = {}; });
    change("no scales", [](auto& c) { c.scales.clear(); });
    change("one scale less", [](auto& c) { c.scales.pop_back(); });
    change("one scale more", [](auto& c) { c.scales.push_back(1.0F); });
    const auto rank = static_cast<std::uint32_t>(operands.operand().dimensions.size());
    for (std::uint32_t dimension = 0; dimension <= rank; ++dimension) {
        if (dimension != channels.channelDim) {
            change(fmt::format("dimension {}", dimension),
                   [dimension](auto& c) { c.channelDim = dimension; });
        }
    }
    change("dimension 4294967295", [](auto& c) { c.channelDim = UINT32_MAX; });
    for (std::size_t channel = 0; channel < channels.scales.size(); ++channel) {
        for (const float scale : {0.0F, -1.0F, kNotANumber, kInfinity}) {
            change(fmt::format("scale {} is {}", channel, scale),
                   [channel, scale](auto& c) { c.scales[channel] = scale; });
        }
    }
}

void mutateExtraParams(OperandMutations& operands) {
    const Operand& operand = operands.operand();
    operands.add("parameters of an extension", [](Operand& o) {
        o.extraParams = std::vector<std::uint8_t>{1, 2, 3};
    });
    if (const auto* channels = std::get_if<SymmPerChannelQuantParams>(&operand.extraParams)) {
        mutateChannels(operands, *channels);
    } else {
        operands.add("scales of channels", [](Operand& o) {
            o.extraParams = SymmPerChannelQuantParams{.scales = {1.0F}, .channelDim = 0};
        });
    }
}

void mutateLifetime(OperandMutations& operands) {
    for (std::int32_t code = -1; code <= 7; ++code) {
        const auto lifetime = static_cast<OperandLifeTime>(code);
        if (lifetime != operands.operand().lifetime) {
            operands.add(fmt::format("lifetime {} ({})", code, toString(lifetime)),
                         [lifetime](Operand& o) { o.lifetime = lifetime; });
            operands.add(fmt::format("lifetime {} ({}) without location", code, toString(lifetime)),
                         [lifetime](Operand& o) {
                             o.lifetime = lifetime;
                             o.location = {};
                         });
        }
    }
    operands.add("lifetime of no version",
                 [](Operand& o) { o.lifetime = static_cast<OperandLifeTime>(INT32_MAX); });
}

void mutateLocation(OperandMutations& operands) {
    const Operand& operand = operands.operand();
    const DataLocation& location = operand.location;
    const Model& model = operands.model();
    const auto pool = [&](std::uint32_t index) {
        operands.add(fmt::format("pool {} -> {}", location.poolIndex, index),
                     [index](Operand& o) { o.location.poolIndex = index; });
    };
    const auto offset = [&](std::uint64_t bytes) {
        operands.add(fmt::format("offset {} -> {}", location.offset, bytes), [bytes](Operand& o) {
            o.location.offset = static_cast<std::uint32_t>(bytes);
        });
    };
    const auto length = [&](std::uint32_t bytes) {
        operands.add(fmt::format("length {} -> {}", location.length, bytes),
                     [bytes](Operand& o) { o.location.length = bytes; });
    };
    const auto constant = [&](std::uint64_t placeBytes) {
        for (const std::uint64_t bytes :
             {placeBytes, placeBytes + 1, placeBytes - location.length + 1,
              std::uint64_t{UINT32_MAX}, std::uint64_t{UINT32_MAX - location.length + 1}}) {
            offset(bytes);
        }
        for (const std::uint32_t bytes :
             {0U, location.length - 1, location.length + 1, UINT32_MAX}) {
            length(bytes);
        }
    };
    switch (operand.lifetime) {
        case OperandLifeTime::CONSTANT_COPY:
            pool(1);
            pool(UINT32_MAX);
            constant(model.operandValues.size());
            break;
        case OperandLifeTime::CONSTANT_REFERENCE:
            pool(static_cast<std::uint32_t>(model.pools.size()));
            pool(UINT32_MAX);
            constant(model.pools[location.poolIndex]->sizeBytes());
            break;
        case OperandLifeTime::SUBGRAPH:
            pool(1);
            offset(model.referenced.size());
            offset(UINT32_MAX);
            length(1);
            break;
        default:
            pool(1);
            offset(1);
            length(1);
            break;
    }
}

void mutateConsumers(OperandMutations& operands) {
    const std::uint32_t consumers = operands.operand().numberOfConsumers;
    operands.add("one consumer more", [](Operand& o) { ++o.numberOfConsumers; });
    if (consumers > 0) {
        operands.add("one consumer less", [](Operand& o) { --o.numberOfConsumers; });
    }
}

}  // namespace

Mutations<Model> operandTypeMutations(const Model& model) {
    return forEachOperand(model, [](OperandMutations& operands) {
        mutateType(operands);
        mutateDimensions(operands);
        mutateScale(operands);
        mutateZeroPoint(operands);
        mutateExtraParams(operands);
    });
}

Mutations<Model> operandSourceMutations(const Model& model) {
    return forEachOperand(model, [](OperandMutations& operands) {
        mutateLifetime(operands);
        mutateLocation(operands);
        mutateConsumers(operands);
    });
}

}  // namespace nnburst::test
