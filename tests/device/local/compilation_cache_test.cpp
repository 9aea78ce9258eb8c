// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Compilation caching: HAL 1.2 and 1.3 prepareModel with cache files, prepareModelFromCache.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <future>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "device/devices.h"
#include "exec/dot8/instruction_set.h"
#include "exec/xnnpack/release.h"
#include "nnburst/builtin_models.h"
#include "nnburst/model_builder.h"
#include "support/pooled_request.h"

namespace nnburst::test {
namespace {

/// The two files of a cache, and the token that goes with them.
class Cache {
  public:
    explicit Cache(const std::filesystem::path& directory, const std::string& name)
        : model_(directory / (name + ".model")), data_(directory / (name + ".data")) {
        options.token.fill(7);
    }

    /// Options that name the files, as they are now. They are made if they are not there.
    PrepareOptions open() {
        modelFd_ = UniqueFd(::open(model_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        dataFd_ = UniqueFd(::open(data_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        options.modelCache = {modelFd_.get()};
        options.dataCache = {dataFd_.get()};
        return options;
    }

    /// Closes the descriptors that `open` has made.
    void close() {
        modelFd_ = UniqueFd();
        dataFd_ = UniqueFd();
    }

    [[nodiscard]] const std::filesystem::path& model() const { return model_; }
    [[nodiscard]] const std::filesystem::path& data() const { return data_; }

    PrepareOptions options;

  private:
    std::filesystem::path model_;
    std::filesystem::path data_;
    UniqueFd modelFd_;
    UniqueFd dataFd_;
};

std::vector<char> bytesOf(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const std::filesystem::path& file, const std::vector<char>& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

Result<SharedPreparedModel> prepareFromCache(Device& device, const PrepareOptions& options) {
    std::promise<Result<SharedPreparedModel>> prepared;
    std::atomic<int> callbacks{0};
    const Result<> launched =
        device.prepareModelFromCache(options, [&](Result<SharedPreparedModel> result) {
            if (++callbacks == 1) {
                prepared.set_value(std::move(result));
            }
        });
    Result<SharedPreparedModel> result = prepared.get_future().get();
    EXPECT_EQ(callbacks, 1);
    EXPECT_EQ(launched.has_value(), result.has_value())
        << "what is wrong with the cache is found before the launch";
    if (!launched && !result) {
        EXPECT_EQ(launched.error().status, result.error().status);
    }
    return result;
}

/// Takes a variable out of the environment, and puts it back at the end.
class WithoutVariable {
  public:
    explicit WithoutVariable(const char* name) : name_(name) {
        if (const char* value = std::getenv(name)) {
            value_ = value;
        }
        ::unsetenv(name);
    }
    ~WithoutVariable() {
        if (value_) {
            ::setenv(name_, value_->c_str(), 1);
        }
    }
    WithoutVariable(const WithoutVariable&) = delete;
    WithoutVariable& operator=(const WithoutVariable&) = delete;

  private:
    const char* name_;
    std::optional<std::string> value_;
};

class CompilationCacheTest : public DeviceTest {
  protected:
    void SetUp() override {
        // The driver processes of the fixture inherit it.
        ::setenv("XDG_STATE_HOME", directory.path().c_str(), 1);
        DeviceTest::SetUp();
    }
    void TearDown() override { ::unsetenv("XDG_STATE_HOME"); }

    void save(Cache& cache, const Model& model) {
        ASSERT_NE(prepare(model, cache.open()), nullptr);
        ASSERT_GT(std::filesystem::file_size(cache.model()), 0U);
        ASSERT_GT(std::filesystem::file_size(cache.data()), 0U);
    }

    void expectRefusal(Cache& cache, const std::string& what,
                       ErrorStatus status = ErrorStatus::GENERAL_FAILURE) {
        const auto prepared = prepareFromCache(*device, cache.open());
        ASSERT_FALSE(prepared) << what;
        EXPECT_EQ(prepared.error().status, status) << what << ": " << prepared.error().message;
    }

    /// Expects that the device needs no files, and takes none.
    void expectNoCaching(Cache& cache) {
        const auto needed = device->getNumberOfCacheFilesNeeded();
        ASSERT_TRUE(needed) << needed.error().message;
        EXPECT_EQ(needed->numModelCache, 0U);
        EXPECT_EQ(needed->numDataCache, 0U);
        for (const PrepareOptions& options : {PrepareOptions(), cache.open()}) {
            const auto prepared = prepareFromCache(*device, options);
            ASSERT_FALSE(prepared) << options.modelCache.size() << " files";
            EXPECT_EQ(prepared.error().status, ErrorStatus::GENERAL_FAILURE)
                << prepared.error().message;
        }
        EXPECT_NE(prepare(makeAddModel(), cache.open()), nullptr);
    }

    void expectWeightsOnce(const Model& model, Device& other);

    TemporaryDirectory directory;
};

TEST_P(CompilationCacheTest, givesTheSameModelBack) {
    const std::array<Model, 3> models{
        std::move(*makeMobileNetV1({.width = 0.25F, .resolution = 32})),
        std::move(*makeMobileNetV1(
            {.width = 0.25F, .resolution = 32, .precision = BuiltinPrecision::QUANT8})),
        std::move(*makeStreamingLstm())};
    for (const Model& model : models) {
        Cache cache(directory.path(), "same");
        save(cache, model);
        const SharedPreparedModel reference = prepare(model);
        const auto prepared = prepareFromCache(*device, cache.open());
        ASSERT_TRUE(prepared) << prepared.error().message;
        auto expected = std::move(*tools::PooledRequest::create(model));
        auto actual = std::move(*tools::PooledRequest::create(model));
        ExecutionOutcome outcome;
        ASSERT_TRUE(reference->executeSynchronously(expected.request(), {}, outcome));
        const Result<> executed = (*prepared)->executeSynchronously(actual.request(), {}, outcome);
        ASSERT_TRUE(executed) << executed.error().message;
        for (std::size_t output = 0; output < model.main.outputIndexes.size(); ++output) {
            EXPECT_EQ(std::memcmp(expected.output(output).data(), actual.output(output).data(),
                                  actual.output(output).size()),
                      0);
        }
    }
}

TEST_P(CompilationCacheTest, isGoodForAnotherDeviceOfTheSameUser) {
    Cache cache(directory.path(), "other");
    save(cache, makeAddModel());
    device = nullptr;
    const SharedDevice later = *spawnDriver({}, NNBURST_DRIVER_PATH);
    EXPECT_TRUE(prepareFromCache(*later, cache.open()));
    const SharedDevice local = *makeLocalDevice();
    EXPECT_TRUE(prepareFromCache(*local, cache.open()));
}

TEST_P(CompilationCacheTest, isUsedAtEveryPriorityAndPreferenceThatThereIs) {
    Cache cache(directory.path(), "urgency");
    save(cache, makeAddModel());
    for (const int code : {-1, 0, 1, 2, 3}) {
        PrepareOptions options = cache.open();
        options.priority = static_cast<Priority>(code);
        const auto ofPriority = prepareFromCache(*device, options);
        options = cache.open();
        options.preference = static_cast<ExecutionPreference>(code);
        const auto ofPreference = prepareFromCache(*device, options);
        for (const auto& prepared : {ofPriority, ofPreference}) {
            ASSERT_EQ(prepared.has_value(), 0 <= code && code < 3) << code;
            if (!prepared) {
                EXPECT_EQ(prepared.error().status, ErrorStatus::INVALID_ARGUMENT);
            }
        }
    }
}

TEST_P(CompilationCacheTest, refusesAnotherNumberOfFiles) {
    Cache cache(directory.path(), "count");
    save(cache, makeAddModel());
    for (const auto& [models, data] : {std::pair(0, 0), std::pair(1, 0), std::pair(0, 1),
                                       std::pair(2, 1), std::pair(1, 2), std::pair(40, 40)}) {
        PrepareOptions options = cache.open();
        options.modelCache.resize(static_cast<std::size_t>(models), options.modelCache[0]);
        options.dataCache.resize(static_cast<std::size_t>(data), options.dataCache[0]);
        const auto prepared = prepareFromCache(*device, options);
        ASSERT_FALSE(prepared);
        EXPECT_EQ(prepared.error().status, ErrorStatus::INVALID_ARGUMENT);
    }
}

TEST_P(CompilationCacheTest, missesADeadlineThatHasPassed) {
    Cache cache(directory.path(), "late");
    save(cache, makeAddModel());
    cache.options.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
    const auto late = nnburst::prepareModelFromCache(*device, cache.open());
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().status, ErrorStatus::MISSED_DEADLINE_PERSISTENT);
    cache.options.deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    EXPECT_TRUE(prepareFromCache(*device, cache.open()));
}

TEST_P(CompilationCacheTest, refusesAnotherToken) {
    Cache cache(directory.path(), "token");
    save(cache, makeAddModel());
    cache.options.token[31] ^= 1;
    expectRefusal(cache, "token");
}

TEST_P(CompilationCacheTest, refusesTheFilesOfAnotherModel) {
    Cache cache(directory.path(), "one");
    Cache other(directory.path(), "two");
    save(cache, *makeStreamingLstm({}));
    save(other, makeAddModel());
    const std::vector<char> model = bytesOf(cache.model());
    write(cache.model(), bytesOf(other.model()));
    expectRefusal(cache, "model file of another model");
    write(cache.model(), model);
    EXPECT_TRUE(prepareFromCache(*device, cache.open()));
    write(cache.data(), bytesOf(other.data()));
    expectRefusal(cache, "data file of another model");
    write(cache.data(), model);
    expectRefusal(cache, "model file as data file");
}

/// out = a + `value` for four floats.
Model makeAddConstantModel(float value) {
    ModelBuilder builder;
    const std::vector<float> values(4, value);
    const auto a = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    const auto b =
        builder.addConstant(OperandType::TENSOR_FLOAT32, {4}, std::as_bytes(std::span(values)));
    const auto activation = builder.addScalar(std::int32_t{0});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    builder.addOperation(OperationType::ADD, {a, b, activation}, {out});
    return std::move(*builder.build({a}, {out}));
}

TEST_P(CompilationCacheTest, refusesTheDataOfAModelThatDiffersInItsConstantsAlone) {
    Cache cache(directory.path(), "one");
    Cache other(directory.path(), "two");
    save(cache, makeAddConstantModel(1.0F));
    save(other, makeAddConstantModel(2.0F));
    ASSERT_EQ(std::filesystem::file_size(cache.data()), std::filesystem::file_size(other.data()));
    write(cache.data(), bytesOf(other.data()));
    expectRefusal(cache, "data file of a model of the same size");
}

TEST_P(CompilationCacheTest, refusesFilesOfAnotherKey) {
    Cache cache(directory.path(), "key");
    save(cache, makeAddModel());
    std::filesystem::path key = directory.path() / "nnburst" / "cache.key";
    ASSERT_EQ(std::filesystem::file_size(key), 32U);
    struct stat status {};
    ASSERT_EQ(::stat(key.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U) << "no other user can read it";
    std::vector<char> bytes = bytesOf(key);
    bytes[0] ^= 1;
    write(key, bytes);
    open(GetParam());  // a driver reads the key when it starts
    expectRefusal(cache, "other key");
    bytes[0] ^= 1;
    write(key, bytes);
    open(GetParam());
    EXPECT_TRUE(prepareFromCache(*device, cache.open()));
    ASSERT_EQ(::chmod(key.c_str(), 0644), 0);
    open(GetParam());
    expectRefusal(cache, "key that others can read");
}

TEST_P(CompilationCacheTest, isNotThereWithoutAPlaceForItsKey) {
    Cache cache(directory.path(), "place");
    save(cache, makeAddModel());
    const WithoutVariable state("XDG_STATE_HOME");
    const WithoutVariable home("HOME");
    open(GetParam());
    expectNoCaching(cache);
}

TEST_P(CompilationCacheTest, isNotThereIfADriverCannotReadItsKey) {
    if (GetParam() == Kind::LOCAL) {
        GTEST_SKIP() << "a device in this process reads its key when it is needed";
    }
    Cache cache(directory.path(), "unreadable");
    save(cache, makeAddModel());
    const std::filesystem::path key = directory.path() / "nnburst" / "cache.key";
    ASSERT_EQ(::chmod(key.c_str(), 0644), 0);
    open(GetParam());
    expectNoCaching(cache);
}

/// makeAddModel with a pool in which lies one constant, of length 0, that nothing uses.
Model makeModelWithConstantOfLength0() {
    Model model = makeAddModel();
    model.pools = {*Region::create(64)};
    Operand constant;
    constant.type = OperandType::OEM;
    constant.lifetime = OperandLifeTime::CONSTANT_REFERENCE;
    model.main.operands.push_back(constant);
    return model;
}

TEST_P(CompilationCacheTest, givesAModelBackWhoseConstantsHaveLength0) {
    const Model model = makeModelWithConstantOfLength0();
    const auto supported = device->getSupportedOperations(model);
    ASSERT_TRUE(supported) << supported.error().message;
    EXPECT_EQ(*supported, std::vector<bool>{true});
    Cache cache(directory.path(), "length0");
    save(cache, model);
    const auto prepared = prepareFromCache(*device, cache.open());
    EXPECT_TRUE(prepared) << prepared.error().message;
}

TEST_P(CompilationCacheTest, refusesEveryChange) {
    Cache cache(directory.path(), "change");
    save(cache, makeAddModel());
    std::mt19937 random(1);
    for (const std::filesystem::path& file : {cache.model(), cache.data()}) {
        const std::vector<char> good = bytesOf(file);
        for (int i = 0; i < 150; ++i) {
            // Each byte of the header, and places of the rest.
            const std::size_t at = i < 120 ? static_cast<std::size_t>(i) : random() % good.size();
            std::vector<char> bad = good;
            bad[at] = static_cast<char>(bad[at] ^ (1 << (random() % 8)));
            write(file, bad);
            expectRefusal(cache, "byte " + std::to_string(at) + " of " + file.string());
        }
        for (const std::size_t size :
             {std::size_t{0}, std::size_t{1}, std::size_t{119}, std::size_t{120}, good.size() / 2,
              good.size() - 1, good.size() + 1, good.size() + 4096}) {
            std::vector<char> bad = good;
            bad.resize(size);
            write(file, bad);
            if (size != good.size()) {
                expectRefusal(cache, std::to_string(size) + " bytes of " + file.string());
            }
        }
        ASSERT_EQ(::truncate(file.c_str(), off_t{1} << 40), 0);
        expectRefusal(cache, "a huge file");
        write(file, good);
    }
    EXPECT_TRUE(prepareFromCache(*device, cache.open()));
}

TEST_P(CompilationCacheTest, readsNoFileThatIsLargerThanAnyModel) {
    constexpr std::size_t kHeaderBytes = 120;
    constexpr std::size_t kPayloadBytesOffset = 16;
    constexpr std::uint64_t kPayloadBytes = (std::uint64_t{64} << 20) + 1;
    Cache cache(directory.path(), "large");
    save(cache, makeAddModel());
    std::vector<char> bytes = bytesOf(cache.model());
    std::memcpy(bytes.data() + kPayloadBytesOffset, &kPayloadBytes, sizeof(kPayloadBytes));
    write(cache.model(), bytes);
    ASSERT_EQ(::truncate(cache.model().c_str(), kHeaderBytes + kPayloadBytes), 0);
    const auto prepared = prepareFromCache(*device, cache.open());
    ASSERT_FALSE(prepared);
    EXPECT_NE(prepared.error().message.find("it is too large"), std::string::npos)
        << prepared.error().message;
}

/// A convolution with weights whose bytes follow a pattern.
class ConvolutionModel {
  public:
    /// Of 8 bits. Where the processor has the instructions, its weights are packed for kernels of
    /// this library.
    static Model quantized() {
        const std::vector<std::int32_t> biases(kChannels, 100);
        return make(OperandType::TENSOR_QUANT8_ASYMM, 1, OperandType::TENSOR_INT32,
                    std::as_bytes(std::span(biases)), {0.5F, 0.5F, 0.25F, 64.0F}, 128);
    }
    /// Of float32: XNNPACK packs its weights.
    static Model ofFloats() {
        const std::vector<float> biases(kChannels, 1.0F);
        return make(OperandType::TENSOR_FLOAT32, sizeof(float), OperandType::TENSOR_FLOAT32,
                    std::as_bytes(std::span(biases)), {}, 0);
    }

  private:
    static constexpr std::uint32_t kChannels = 96;

    struct Scales {
        float input = 0;
        float filter = 0;
        float bias = 0;
        float output = 0;
    };

    static Model make(OperandType type, std::size_t elementBytes, OperandType biasType,
                      std::span<const std::byte> biases, Scales scales, std::int32_t zeroPoint) {
        std::vector<std::byte> weights(std::size_t{kChannels} * kChannels * elementBytes);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            // The last byte of a float has its exponent.
            weights[i] = elementBytes > 1 && i % elementBytes == elementBytes - 1
                             ? std::byte{0x3D}
                             : static_cast<std::byte>(i * 37 >> 3);
        }
        ModelBuilder builder;
        const auto x = builder.addTensor(type, {1, 4, 4, kChannels}, scales.input, zeroPoint);
        const auto filter = builder.addConstant(type, {kChannels, 1, 1, kChannels}, weights,
                                                scales.filter, zeroPoint == 0 ? 0 : 120);
        const auto bias = builder.addConstant(biasType, {kChannels}, biases, scales.bias, 0);
        const auto y = builder.addTensor(type, {1, 4, 4, kChannels}, scales.output, zeroPoint);
        builder.addOperation(OperationType::CONV_2D,
                             {x, filter, bias, builder.addScalar(1), builder.addScalar(1),
                              builder.addScalar(1), builder.addScalar(0)},
                             {y});
        return std::move(*builder.build({x}, {y}));
    }
};

TEST_P(CompilationCacheTest, refusesEveryChangeOfItsData) {
    Cache cache(directory.path(), "weights");
    save(cache, ConvolutionModel::quantized());
    const std::vector<char> good = bytesOf(cache.data());
    std::mt19937 random(1);
    for (std::size_t at = 0; at < good.size(); at += 1 + random() % 128) {
        std::vector<char> bad = good;
        bad[at] = static_cast<char>(bad[at] ^ (1 << (random() % 8)));
        write(cache.data(), bad);
        expectRefusal(cache, "byte " + std::to_string(at));
    }
    write(cache.data(), good);
    EXPECT_TRUE(prepareFromCache(*device, cache.open()));
}

/// The cache of a model whose packed weights `other` cannot read.
void CompilationCacheTest::expectWeightsOnce(const Model& model, Device& other) {
    const SharedDevice withoutXnnpack = *makeLocalDevice({.useXnnpack = false});
    Cache raw(directory.path(), "raw");
    ASSERT_TRUE(prepareModel(*withoutXnnpack, model, raw.open()));
    Cache packed(directory.path(), "packed");
    save(packed, model);
    EXPECT_TRUE(prepareFromCache(other, raw.open()));
    EXPECT_TRUE(prepareFromCache(*device, raw.open())) << "it packs the constants";
    EXPECT_TRUE(prepareFromCache(*device, packed.open()));
    EXPECT_NE(bytesOf(packed.data()).size(), bytesOf(raw.data()).size());
    EXPECT_LT(bytesOf(packed.data()).size(), bytesOf(raw.data()).size() * 3 / 2);
    const auto refused = prepareFromCache(other, packed.open());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ErrorStatus::GENERAL_FAILURE);
    EXPECT_NE(refused.error().message.find("its weights are packed for '"), std::string::npos)
        << refused.error().message;
}

TEST_P(CompilationCacheTest, hasWeightsOnceAndForTheKernelsThatTheyArePackedFor) {
    if (exec::dot8::fastestMicrokernels() == nullptr) {
        GTEST_SKIP() << "this processor does not have the instructions";
    }
    expectWeightsOnce(ConvolutionModel::quantized(), **makeLocalDevice({.useDotProducts = false}));
}

TEST_P(CompilationCacheTest, hasFloatWeightsOnceAndForTheXnnpackThatHasPackedThem) {
    if (!exec::xnnpack::kHasWeightsCaches) {
        GTEST_SKIP() << "this release of XNNPACK has no weights caches";
    }
    expectWeightsOnce(ConvolutionModel::ofFloats(), **makeLocalDevice({.useXnnpack = false}));
}

TEST_P(CompilationCacheTest, refusesWhatIsNoFile) {
    Cache cache(directory.path(), "nofile");
    save(cache, makeAddModel());
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const UniqueFd reader(ends[0]);
    const UniqueFd writer(ends[1]);
    const UniqueFd tmp(::open("/tmp", O_RDONLY | O_CLOEXEC));
    const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    for (const int fd : {reader.get(), tmp.get(), null.get()}) {
        PrepareOptions options = cache.open();
        options.modelCache = {fd};
        EXPECT_FALSE(prepareFromCache(*device, options));
        options = cache.open();
        options.dataCache = {fd};
        EXPECT_FALSE(prepareFromCache(*device, options));
    }
}

TEST_P(CompilationCacheTest, thatCannotBeSavedDoesNotFailThePreparation) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const UniqueFd reader(ends[0]);
    const UniqueFd writer(ends[1]);
    Cache cache(directory.path(), "save");
    const int good = cache.open().modelCache[0];
    const UniqueFd readOnly(::open(cache.data().c_str(), O_RDONLY | O_CLOEXEC));
    for (const auto& [model, data] :
         {std::pair(std::vector<int>{writer.get()}, std::vector<int>{good}),
          std::pair(std::vector<int>{good}, std::vector<int>{readOnly.get()}),
          std::pair(std::vector<int>{-1}, std::vector<int>{-1}),
          std::pair(std::vector<int>{good}, std::vector<int>{}),
          std::pair(std::vector<int>(40, good), std::vector<int>(40, good))}) {
        PrepareOptions options;
        options.modelCache = model;
        options.dataCache = data;
        EXPECT_TRUE(prepareModel(*device, makeAddModel(), options));
        expectRefusal(cache, "a cache that was not saved");
    }
}

// They were written, but nothing could read them any more.
TEST_P(CompilationCacheTest, isLeftAsItWasIfAFileIsOpenForAppending) {
    Cache cache(directory.path(), "append");
    save(cache, makeAddModel());
    const UniqueFd model(::open(cache.model().c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
    const UniqueFd data(::open(cache.data().c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
    for (const bool isModel : {true, false}) {
        PrepareOptions options = cache.open();
        if (isModel) {
            options.modelCache = {model.get()};
        } else {
            options.dataCache = {data.get()};
        }
        EXPECT_NE(prepare(makeAddModel(), options), nullptr);
        const auto prepared = prepareFromCache(*device, cache.open());
        EXPECT_TRUE(prepared) << prepared.error().message;
    }
}

TEST_P(CompilationCacheTest, needsTheDescriptorsOfTheCallerOnlyDuringTheCall) {
    Cache cache(directory.path(), "closed");
    const auto prepareAndClose = [&](const auto& launch) {
        std::promise<Result<SharedPreparedModel>> prepared;
        const Result<> launched = launch([&prepared](Result<SharedPreparedModel> result) {
            prepared.set_value(std::move(result));
        });
        cache.close();
        EXPECT_TRUE(launched) << launched.error().message;
        const Result<SharedPreparedModel> result = prepared.get_future().get();
        EXPECT_TRUE(result) << result.error().message;
    };
    prepareAndClose([&](PreparedModelCallback callback) {
        return device->prepareModel(makeAddModel(), cache.open(), std::move(callback));
    });
    prepareAndClose([&](PreparedModelCallback callback) {
        return device->prepareModelFromCache(cache.open(), std::move(callback));
    });
}

TEST_P(CompilationCacheTest, isOverwrittenWhateverWasInIt) {
    Cache cache(directory.path(), "over");
    write(cache.model(), std::vector<char>(100000, 'x'));
    write(cache.data(), std::vector<char>(100000, 'y'));
    PrepareOptions options = cache.open();
    ASSERT_EQ(::lseek(options.modelCache[0], 500, SEEK_SET), 500);
    ASSERT_NE(prepare(makeAddModel(), options), nullptr);
    EXPECT_LT(std::filesystem::file_size(cache.model()), 100000U);
    EXPECT_TRUE(prepareFromCache(*device, cache.open()));
}

NNBURST_INSTANTIATE_FOR_ALL_DEVICES(CompilationCacheTest);

}  // namespace
}  // namespace nnburst::test
