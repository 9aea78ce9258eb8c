// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What does a compilation cache save? The same network is prepared from the model and from its
/// cache files, in process and in a driver. A device that still has a model of the same weights
/// would share it, so several networks that differ in their weights alternate.

#include <benchmark/benchmark.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "exec/dot8/instruction_set.h"
#include "exec/xnnpack/release.h"
#include "fail.h"
#include "measure.h"
#include "nnburst/builtin_models.h"
#include "nnburst/device.h"
#include "processors.h"
#include "row.h"
#include "suites.h"

namespace nnburst::bench {
namespace {

/// The first calls map memory that later ones use again.
constexpr int kWarmUpPreparations = 3;

/// A directory for the caches' key. The destructor removes it.
class KeyDirectory {
  public:
    KeyDirectory() : path_(std::filesystem::temp_directory_path() / "nnburst-bench-XXXXXX") {
        std::string name = path_;
        if (::mkdtemp(name.data()) == nullptr) {
            fail("cannot make a directory beside " + name);
        }
        path_ = name;
    }
    KeyDirectory(const KeyDirectory&) = delete;
    KeyDirectory& operator=(const KeyDirectory&) = delete;
    ~KeyDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] std::string keyFile() const { return path_ / "cache.key"; }

  private:
    std::filesystem::path path_;
};

const std::string& keyFile() {
    static const KeyDirectory directory;
    static const std::string file = directory.keyFile();
    return file;
}

Device& localDevice() {
    static const SharedDevice device = valueOf(makeLocalDevice({.cacheKeyFile = keyFile()}));
    return *device;
}

Device& driver() {
    static const SharedDevice device =
        valueOf(spawnDriver({.processors = {processorPair()->driver}, .cacheKeyFile = keyFile()}));
    return *device;
}

/// A model, and the cache files that a preparation of it has filled.
struct CachedModel {
    explicit CachedModel(const MobileNetV1Options& network)
        : model(valueOf(makeMobileNetV1(network))) {
        if (!modelCache || !dataCache) {
            fail("cannot make temporary files");
        }
        options.modelCache = {::fileno(modelCache.get())};
        options.dataCache = {::fileno(dataCache.get())};
        (void)valueOf(prepareModel(localDevice(), model, options));
    }

    struct Close {
        void operator()(std::FILE* file) const noexcept { (void)std::fclose(file); }
    };
    using File = std::unique_ptr<std::FILE, Close>;

    Model model;
    File modelCache{std::tmpfile()};
    File dataCache{std::tmpfile()};
    PrepareOptions options;
};

/// Alternates between networks that differ in their weights.
class Networks {
  public:
    explicit Networks(const MobileNetV1Options& options)
        : models_{CachedModel(withSeed(options, 1)), CachedModel(withSeed(options, 2)),
                  CachedModel(withSeed(options, 3))} {}

    void measure(benchmark::State& state, Device& device, bool isFromCache) {
        SharedPreparedModel prepared;
        const CachedModel* next = nullptr;
        measureEach(
            state,
            [&] {
                prepared = nullptr;
                next = &models_[turn_++ % models_.size()];
            },
            [&] {
                auto result = isFromCache ? prepareModelFromCache(device, next->options)
                                          : prepareModel(device, next->model);
                if (!result) {
                    return false;
                }
                prepared = std::move(*result);
                return true;
            },
            kWarmUpPreparations);
    }

  private:
    static MobileNetV1Options withSeed(MobileNetV1Options options, std::uint32_t seed) {
        options.seed = seed;
        return options;
    }

    std::array<CachedModel, 3> models_;
    std::size_t turn_ = 0;
};

enum class PreparedNetwork : std::uint8_t { SMALL, LARGE, LARGE_QUANT8 };

Networks& networks(PreparedNetwork network) {
    static Networks small({.width = 0.25F, .resolution = 128});
    static Networks large({.width = 1.0F, .resolution = 224});
    static Networks largeQuant8(
        {.width = 1.0F, .resolution = 224, .precision = BuiltinPrecision::QUANT8});
    switch (network) {
        case PreparedNetwork::SMALL:
            return small;
        case PreparedNetwork::LARGE:
            return large;
        default:
            return largeQuant8;
    }
}

}  // namespace

void registerPreparation() {
    struct Row {
        const char* name;
        const char* label;
        Device& (*device)();
        bool isFromCache;
    };
    constexpr std::array<Row, 4> kRows{{
        {"localModel", "prepared in process", localDevice, false},
        {"localCache", "the same from the cache", localDevice, true},
        {"driverModel", "prepared in a driver", driver, false},
        {"driverCache", "the same from the cache", driver, true},
    }};
    struct Group {
        PreparedNetwork network;
        const char* name;
        const char* label;
    };
    constexpr std::array<Group, 3> kGroups{{
        {PreparedNetwork::SMALL, "prepareSmall/", "MobileNet 0.25/128, "},
        // Packed: the cache has the weights as XNNPACK has packed them.
        {PreparedNetwork::LARGE,
         exec::xnnpack::kHasWeightsCaches ? "prepareLargePacked/" : "prepareLarge/",
         "MobileNet 1.0/224, "},
        {PreparedNetwork::LARGE_QUANT8, "prepareQuant8/", "MobileNet 1.0/224 quant8, "},
    }};
    for (const Group& group : kGroups) {
        if (group.network == PreparedNetwork::LARGE_QUANT8 &&
            exec::dot8::fastestMicrokernels() == nullptr) {
            continue;  // this processor does not have the instructions: XNNPACK packs the weights
        }
        for (const Row& row : kRows) {
            registerRow(std::string(group.name) + row.name, std::string(group.label) + row.label,
                        [=](benchmark::State& state) {
                            networks(group.network).measure(state, row.device(), row.isFromCache);
                        });
        }
    }
}

}  // namespace nnburst::bench
