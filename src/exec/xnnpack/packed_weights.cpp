// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/xnnpack/packed_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <new>
#include <set>
#include <string_view>

namespace nnburst::exec::xnnpack {

namespace {

/// The different lines of /proc/cpuinfo that name processors and their instructions.
std::set<std::string> processors() {
    constexpr std::array<std::string_view, 11> kNames{
        "vendor_id",        "cpu family",  "model\t",  "stepping",     "flags",   "CPU implementer",
        "CPU architecture", "CPU variant", "CPU part", "CPU revision", "Features"};
    std::set<std::string> lines;
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (std::ranges::any_of(kNames,
                                [&](std::string_view name) { return line.starts_with(name); })) {
            lines.insert(line);
        }
    }
    return lines;
}

std::string makePackingName() {
    const std::span<const std::uint8_t> build = buildIdentifier();
    const std::set<std::string> known = processors();
    if (build.empty() || known.empty()) {
        return {};
    }
    return fmt::format("XNNPACK {:02x} on {:016x}", fmt::join(build, ""),
                       std::hash<std::string>()(fmt::format("{}", fmt::join(known, "\n"))));
}

}  // namespace

const std::string& packingName() {
    static const std::string name = makePackingName();
    return name;
}

PackedWeights::Known PackedWeights::find(std::uint32_t operation, std::uint32_t seed) const {
    const system::MutexLock lock(mutex_);
    const auto found = blocks_.find({operation, seed});
    return found == blocks_.end() ? Known() : found->second;
}

bool PackedWeights::knows(std::uint32_t operation) const {
    const system::MutexLock lock(mutex_);
    const auto found = blocks_.lower_bound({operation, 0});
    return found != blocks_.end() && found->first.first == operation;
}

std::shared_ptr<const PackedBlock> PackedWeights::insert(std::uint32_t operation,
                                                         std::shared_ptr<const PackedBlock> block) {
    const system::MutexLock lock(mutex_);
    Known& kept = blocks_[{operation, block->seed}];
    if (!kept.block || kept.block->memory.sizeBytes() != block->memory.sizeBytes()) {
        kept.block = std::move(block);
    }
    kept.isConfirmed = true;
    return kept.block;
}

void PackedWeights::insertUnconfirmed(std::uint32_t operation,
                                      std::shared_ptr<const PackedBlock> block) {
    const system::MutexLock lock(mutex_);
    const std::uint32_t seed = block->seed;
    blocks_[{operation, seed}] = {.block = std::move(block), .isConfirmed = false};
}

std::vector<BlockOfOperation> PackedWeights::all() const {
    const system::MutexLock lock(mutex_);
    std::vector<BlockOfOperation> all;
    for (const auto& [key, known] : blocks_) {
        if (known.block->replacesConstants) {
            all.emplace_back(key.first, known.block);
        }
    }
    return all;
}

void OperatorWeights::share() {
    if (packed_ != nullptr) {
        packedBytes_ = packed_->memory.sizeBytes();
        block_ = known_->insert(operation_, std::move(packed_));
    }
}

bool OperatorWeights::lookUp(std::uint32_t seed) noexcept {
    isAsked_ = true;
    const PackedWeights::Known known = known_->find(operation_, seed);
    if (!known.block) {
        return false;
    }
    if (!known.isConfirmed && known.block->memory.sizeBytes() != expectedBytes_) {
        isUnconfirmed_ = true;
        return false;
    }
    block_ = known_->insert(operation_, known.block);
    return true;
}

void* OperatorWeights::reserve(std::size_t sizeBytes) noexcept {
    if (isUnconfirmed_ && expectedBytes_ == 0) {
        expectedBytes_ = sizeBytes;
        isToBeRepeated_ = true;
        return nullptr;
    }
    if (!hasConstants_) {
        areMissing_ = true;
        return nullptr;
    }
    try {
        auto memory = AlignedBuffer::allocate(sizeBytes);
        if (!memory) {
            return nullptr;
        }
        packed_ = std::make_shared<PackedBlock>();
        packed_->memory = std::move(*memory);
        return packed_->memory.data();
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void OperatorWeights::insert(std::uint32_t seed) noexcept {
    if (packed_ != nullptr) {
        packed_->seed = seed;
        packed_->replacesConstants = isAsked_;
    }
}

}  // namespace nnburst::exec::xnnpack
