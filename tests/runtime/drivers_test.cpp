// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Runtimes of driver processes: what the configuration names, models on several drivers, drivers
/// that are lost, that come back, and that never answer.

#include <signal.h>
#include <sys/socket.h>

#include <future>
#include <thread>

#include "device/driver_process.h"
#include "device/hal_models.h"
#include "nnburst/model_builder.h"
#include "runtime/divided_model.h"
#include "runtime_test.h"
#include "support/program_test.h"
#include "support/unix_socket.h"

namespace nnburst::runtime {
namespace {

using enum OperandType;
using enum OperationType;
using test::DriverProcess;
using test::ProgramTest;
using test::SmallRequest;
using test::writeFile;

/// Float, 8-bit and IF: floats are doubled, quantised, doubled again, and floats again, of which
/// the IF gives the double or the double of the double. The result is exact.
Model makeMixedModel() {
    ModelBuilder builder;
    const auto branch = [&](int times) {
        ModelBuilder its;
        const auto in = its.addTensor(TENSOR_FLOAT32, {4});
        auto last = in;
        for (int i = 0; i < times; ++i) {
            const auto next = its.addTensor(TENSOR_FLOAT32, {4});
            its.addOperation(ADD, {last, last, its.addScalar(0)}, {next});
            last = next;
        }
        return builder.addReferenced(std::move(its), {in}, {last});
    };
    const auto once = branch(1);
    const auto twice = branch(2);
    const auto condition = builder.addTensor(TENSOR_BOOL8, {1});
    const auto in = builder.addTensor(TENSOR_FLOAT32, {4});
    const auto doubled = builder.addTensor(TENSOR_FLOAT32, {4});
    const auto quantized = builder.addTensor(TENSOR_QUANT8_ASYMM, {4}, 0.5F, 0);
    const auto sum = builder.addTensor(TENSOR_QUANT8_ASYMM, {4}, 0.5F, 0);
    const auto real = builder.addTensor(TENSOR_FLOAT32, {4});
    const auto out = builder.addTensor(TENSOR_FLOAT32, {4});
    const auto none = builder.addScalar(0);
    builder.addOperation(ADD, {in, in, none}, {doubled});
    builder.addOperation(QUANTIZE, {doubled}, {quantized});
    builder.addOperation(ADD, {quantized, quantized, none}, {sum});
    builder.addOperation(DEQUANTIZE, {sum}, {real});
    builder.addOperation(
        IF,
        {condition, builder.addSubgraphReference(once), builder.addSubgraphReference(twice), real},
        {out});
    return std::move(*builder.build({condition, in}, {out}));
}

/// A request for it, and its check.
struct MixedRequest {
    explicit MixedRequest(bool condition) : isOnce(condition) {
        request.input<std::uint8_t>({static_cast<std::uint8_t>(condition ? 1 : 0)}, {})
            .input<float>({1, 2, 3, 4}, {})
            .output(16);
    }
    void set(float first) const { request.inputValues<float>(1)[0] = first; }
    void expectRight(float first) const {
        const float factor = isOnce ? 8.0F : 16.0F;
        EXPECT_EQ(request.output<float>(0)[0], first * factor);
        EXPECT_EQ(request.output<float>(0)[3], 4.0F * factor);
    }

    bool isOnce;
    SmallRequest request;
};

class Drivers : public ProgramTest {
  protected:
    Drivers() : ProgramTest("") {}

    /// A runtime of what `configuration` names.
    std::shared_ptr<Runtime> open(const std::string& configuration) {
        writeFile(file("devices.json"), configuration);
        auto runtime = Runtime::create({.configuration = {file("devices.json")}});
        EXPECT_TRUE(runtime) << runtime.error().message;
        return runtime ? *runtime : nullptr;
    }

    static std::string program(const std::string& name, const std::string& options) {
        return R"({"name": ")" + name + R"(", "program": ")" + NNBURST_DRIVER_PATH +
               R"(", "options": {"log-level": "error")" + (options.empty() ? "" : ", ") + options +
               "}}";
    }
    static std::string listening(const std::string& name, const std::string& socket) {
        return R"({"name": ")" + name + R"(", "socket": ")" + socket + R"("})";
    }
};

/// Executes the mixed model in every way, both branches.
void expectMixedModelIsRight(PreparedModel& prepared) {
    for (const bool condition : {true, false}) {
        for (const Way way : kWays) {
            const MixedRequest mixed(condition);
            ExecutionOutcome outcome;
            const Result<> result = executeIn(way, prepared, mixed.request.request, outcome);
            ASSERT_TRUE(result) << "way " << static_cast<int>(way) << ": "
                                << result.error().message;
            mixed.expectRight(1.0F);
        }
    }
}

TEST_F(Drivers, areNamedAndTheDeviceInThisProcessIsTheLast) {
    const auto runtime = open("[" + program("b", "") + "," + program("a", R"("hal": "1.2")") + "]");
    ASSERT_EQ(runtime->devices().size(), 3U);
    EXPECT_EQ(runtime->devices()[0].name, "b");
    EXPECT_EQ(runtime->devices()[1].name, "a");
    EXPECT_EQ(runtime->devices()[1].version, HalVersion::V1_2);
    EXPECT_EQ(runtime->devices()[2].name, "nnapi-reference");
}

TEST_F(Drivers, thatCanDoDifferentThingsRunOneModel) {
    const auto runtime = open("[" + program("float", R"("variant": "float")") + "," +
                              program("quant", R"("variant": "quant")") + "]");
    ASSERT_EQ(runtime->devices().size(), 3U);
    const Model model = makeMixedModel();
    EXPECT_EQ(*runtime->supportedOperations(model, 0),
              (std::vector<bool>{true, true, false, false, true}));
    EXPECT_EQ(*runtime->supportedOperations(model, 1),
              (std::vector<bool>{false, false, true, true, false}));
    for (const std::vector<std::size_t>& devices :
         {std::vector<std::size_t>{0, 1}, {0, 1, 2}, {}}) {
        const auto compiled = runtime->compile(model, {.devices = devices});
        ASSERT_TRUE(compiled) << compiled.error().message;
        if (devices.size() == 2) {  // otherwise the device in this process runs all of it
            const auto* divided = dynamic_cast<const DividedModel*>(compiled->get());
            ASSERT_NE(divided, nullptr);
            EXPECT_EQ(divided->plan().parts.size(), 3U);
        }
        expectMixedModelIsRight(**compiled);
    }
    EXPECT_EQ(runtime->stats().failedExecutions, 0U);
}

TEST_F(Drivers, ofOlderVersionsStandBesideNewOnes) {
    const auto runtime =
        open("[" + program("v0", R"("hal": "1.0", "variant": "quant")") + "," +
             program("v1", R"("hal": "1.1", "variant": "quant")") + "," +
             program("v2", R"("hal": "1.2", "variant": "float")") + "," + program("new", "") + "]");
    ASSERT_EQ(runtime->devices().size(), 5U);
    const Model model = makeMixedModel();
    for (const std::size_t quant : {std::size_t{0}, std::size_t{1}}) {
        // The older ones first, so that they get what they can.
        const auto compiled = runtime->compile(model, {.devices = {quant, 2, 3}});
        ASSERT_TRUE(compiled) << compiled.error().message;
        expectMixedModelIsRight(**compiled);
    }
}

/// Concatenates as many floats, each of which is a request's input in a region of its own.
struct FloatsApart {
    explicit FloatsApart(std::size_t count) {
        ModelBuilder builder;
        std::vector<std::uint32_t> inputs;
        for (std::size_t i = 0; i < count; ++i) {
            inputs.push_back(builder.addTensor(TENSOR_FLOAT32, {1}));
            addPool(request.inputs, 1);
            const auto value = static_cast<float>(i);
            EXPECT_TRUE(last()->write(0, std::as_bytes(std::span(&value, 1))));
        }
        const auto out = builder.addTensor(TENSOR_FLOAT32, {static_cast<std::uint32_t>(count)});
        std::vector<std::uint32_t> arguments = inputs;
        arguments.push_back(builder.addScalar(0));
        builder.addOperation(CONCATENATION, arguments, {out});
        model = *builder.build(inputs, {out});
        addPool(request.outputs, count);
    }
    void addPool(std::vector<RequestArgument>& arguments, std::size_t floats) {
        const auto bytes = static_cast<std::uint32_t>(floats * sizeof(float));
        arguments.push_back(
            {.location = {static_cast<std::uint32_t>(request.pools.size()), 0, bytes}});
        request.pools.emplace_back(*Region::create(bytes));
    }
    /// The request with all of its arguments in one region, without values.
    [[nodiscard]] Request inOneRegion() const {
        Request together = request;
        std::uint32_t bytes = 0;
        for (std::vector<RequestArgument>* arguments : {&together.inputs, &together.outputs}) {
            for (RequestArgument& argument : *arguments) {
                argument.location.poolIndex = 0;
                argument.location.offset = bytes;
                bytes += argument.location.length;
            }
        }
        together.pools = {*Region::create(bytes)};
        return together;
    }
    [[nodiscard]] SharedRegion last() const { return std::get<SharedRegion>(request.pools.back()); }
    /// The last float of the output, which becomes 0.
    [[nodiscard]] float takeLastFloat() const {
        const std::uint64_t offset = request.outputs[0].location.length - sizeof(float);
        float value = -1;
        EXPECT_TRUE(last()->read(offset, std::as_writable_bytes(std::span(&value, 1))));
        const float zero = 0;
        EXPECT_TRUE(last()->write(offset, std::as_bytes(std::span(&zero, 1))));
        return value;
    }

    Model model;
    Request request;
};

TEST(Driver, leavesRequestsOfTooManyPoolsToTheDeviceInThisProcess) {
    const auto device = spawnDriver({.logLevel = LogLevel::ERROR}, NNBURST_DRIVER_PATH);
    ASSERT_TRUE(device) << device.error().message;
    const auto runtime = runtimeOf({named("driver", *device)}, kSlow);
    const FloatsApart floats(130);
    const auto free = runtime->compile(floats.model, {});
    ASSERT_TRUE(free) << free.error().message;
    const auto chosen = runtime->compile(floats.model, {.devices = {0}});
    ASSERT_TRUE(chosen) << chosen.error().message;
    for (const Way way : kWays) {
        // After two synchronous executions that succeed there is a burst.
        for (int i = 0; i < 3; ++i) {
            ExecutionOutcome outcome;
            for (const SharedPreparedModel& prepared : {*free, *chosen}) {
                ASSERT_TRUE(prepared->executeSynchronously(floats.inOneRegion(), {}, outcome));
            }
            const Result<> refused = executeIn(way, **chosen, floats.request, outcome);
            ASSERT_FALSE(refused) << "way " << static_cast<int>(way);
            EXPECT_EQ(refused.error().status, ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT)
                << "way " << static_cast<int>(way) << ": " << refused.error().message;
            if (way == Way::SUBMITTED) {  // has no replacement while the driver lives
                continue;
            }
            const Result<> result = executeIn(way, **free, floats.request, outcome);
            ASSERT_TRUE(result) << "way " << static_cast<int>(way) << ": "
                                << result.error().message;
            EXPECT_EQ(floats.takeLastFloat(), 129.0F);
        }
    }
}

TEST_F(Drivers, thatCannotBeOpenedAreLeftOut) {
    const auto runtime = open("[" + listening("nobody", file("none.sock")) + "," +
                              R"({"name": "missing", "program": "/nonexistent/driver"},)" +
                              program("good", "") + "]");
    ASSERT_EQ(runtime->devices().size(), 2U);
    EXPECT_EQ(runtime->devices()[0].name, "good");
}

/// A socket whose connections are not accepted.
class SilentSocket {
  public:
    explicit SilentSocket(const std::string& path)
        : socket_(test::boundUnixSocket(path)), address_(test::unixAddress(path)) {
        EXPECT_EQ(::listen(socket_.get(), 0), 0);
    }

    /// Connects until no more connections may wait.
    void fill() {
        constexpr int kEnough = 64;
        for (int i = 0; i < kEnough; ++i) {
            UniqueFd client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
            const auto* address = reinterpret_cast<const sockaddr*>(&address_);
            if (::connect(client.get(), address, sizeof(address_)) != 0) {
                return;
            }
            clients_.push_back(std::move(client));
        }
        ADD_FAILURE() << "all connections may wait";
    }

  private:
    const UniqueFd socket_;
    const sockaddr_un address_;
    std::vector<UniqueFd> clients_;
};

TEST_F(Drivers, thatDoNotAnswerAreLeftOut) {
    const SilentSocket silent(file("silent.sock"));
    SilentSocket full(file("full.sock"));
    full.fill();
    writeFile(file("silent"), "#!/bin/sh\nexec sleep 60\n");
    std::filesystem::permissions(file("silent"), std::filesystem::perms::owner_all);
    const auto runtime =
        open("[" + listening("silent", file("silent.sock")) + "," +
             listening("full", file("full.sock")) + R"(, {"name": "program", "program": ")" +
             file("silent").string() + "\"}]");
    ASSERT_EQ(runtime->devices().size(), 1U);
    EXPECT_EQ(runtime->devices()[0].name, "nnapi-reference");
}

TEST_F(Drivers, thatComeBackAreUsedForNewModels) {
    const auto first = spawnDriver({.logLevel = LogLevel::ERROR}, NNBURST_DRIVER_PATH);
    ASSERT_TRUE(first) << first.error().message;
    int opened = 0;
    auto device = NamedDevice::create("again", [&opened] {
        ++opened;
        return spawnDriver({.logLevel = LogLevel::ERROR}, NNBURST_DRIVER_PATH);
    });
    ASSERT_TRUE(device) << device.error().message;
    const auto runtime = runtimeOf({*device});
    const Model model = test::makeAddModel();
    const auto before = runtime->compile(model, {.devices = {0}});
    ASSERT_TRUE(before) << before.error().message;
    for (const pid_t driver : test::spawnedDrivers()) {
        ASSERT_EQ(::kill(driver, SIGKILL), 0);
    }
    ASSERT_TRUE(test::eventually(
        [&] { return (*device)->latest()->getStatus() == DeviceStatus::OFFLINE; }));
    test::AddRequest add;
    ExecutionOutcome outcome;
    const Result<> lost = (*before)->executeSynchronously(add.request, {}, outcome);
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    const auto after = runtime->compile(model, {.devices = {0}});
    ASSERT_TRUE(after) << after.error().message;
    EXPECT_EQ(opened, 2);
    EXPECT_TRUE((*after)->executeSynchronously(add.request, {}, outcome));
}

// ---- A driver that is killed in the middle of many executions

class KilledDriver : public testing::TestWithParam<std::tuple<Way, bool>> {};

TEST_P(KilledDriver, leavesRightResultsOrADocumentedError) {
    constexpr int kExecutions = 1000;
    const auto [way, isChosen] = GetParam();
    const auto floats = std::make_unique<DriverProcess>(
        std::vector<std::string>{"--variant", "float", "--log-level", "error"});
    const auto quants = std::make_unique<DriverProcess>(
        std::vector<std::string>{"--variant", "quant", "--log-level", "error"});
    const auto open = [](const DriverProcess& driver) {
        return
            [&driver]() -> Result<SharedDevice> { return nnburst::connect(driver.socketPath()); };
    };
    const auto runtime = runtimeOf({*NamedDevice::create("float", open(*floats)),
                                    *NamedDevice::create("quant", open(*quants))},
                                   kSlow);
    const auto model = runtime->compile(
        makeMixedModel(),
        {.devices = isChosen ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>()});
    ASSERT_TRUE(model) << model.error().message;
    ASSERT_NE(dynamic_cast<const DividedModel*>(model->get()), nullptr);
    const MixedRequest mixed(true);
    const auto burst = (*model)->configureExecutionBurst({});
    ASSERT_TRUE(burst) << burst.error().message;
    const auto reusable = (*burst)->createReusableExecution(mixed.request.request, {});
    ASSERT_TRUE(reusable) << reusable.error().message;
    // Not before it executes: what has failed before is no execution that did.
    std::promise<void> executes;
    std::thread killer([&] {
        executes.get_future().wait();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        floats->signal(SIGKILL);
    });
    int errors = 0;
    for (int i = 0; i < kExecutions; ++i) {
        if (i == 10) {
            executes.set_value();
        }
        if (i == kExecutions / 2) {
            killer.join();
        }
        const auto first = static_cast<float>(i % 16) * 0.5F;
        mixed.set(first);
        ExecutionOutcome outcome;
        const Result<> result =
            way == Way::REUSABLE ? (*reusable)->compute({}, outcome)
            : way == Way::BURST
                ? (*burst)->execute(mixed.request.request, {}, outcome)
                : (*model)->executeSynchronously(mixed.request.request, {}, outcome);
        if (result) {
            mixed.expectRight(first);
        } else {
            EXPECT_EQ(result.error().status, ErrorStatus::DEVICE_UNAVAILABLE)
                << result.error().message;
            ++errors;
        }
    }
    if (isChosen) {
        EXPECT_GT(errors, 0);
        EXPECT_EQ(runtime->stats().failedExecutions, 0U);
    } else {
        EXPECT_EQ(errors, 0);
        EXPECT_GT(runtime->stats().failedExecutions, 0U);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Way, KilledDriver,
    testing::Combine(testing::Values(Way::SYNCHRONOUS, Way::BURST, Way::REUSABLE), testing::Bool()),
    [](const auto& instance) {
        return std::to_string(static_cast<int>(std::get<0>(instance.param))) +
               (std::get<1>(instance.param) ? "_chosen" : "_replaced");
    });

// ---- Compilation caching

TEST_F(Drivers, keepPartsOfModelsInCacheFiles) {
    const std::string key = R"("cache-key": ")" + file("key").string() + "\"";
    const auto runtime = open("[" + program("float", R"("variant": "float", )" + key) + "," +
                              program("quant", R"("variant": "quant", )" + key) + "]");
    const std::filesystem::path folder = file("cache");
    std::filesystem::create_directory(folder);
    CompileOptions options{.devices = {0, 1}, .cacheDirectory = folder};
    options.token[0] = 7;
    const auto fileCount = [&] {
        return std::distance(std::filesystem::directory_iterator(folder),
                             std::filesystem::directory_iterator());
    };
    for (int i = 0; i < 2; ++i) {
        const auto compiled = runtime->compile(makeMixedModel(), options);
        ASSERT_TRUE(compiled) << compiled.error().message;
        EXPECT_EQ(fileCount(), 6);  // two for each of three parts
        expectMixedModelIsRight(**compiled);
    }
    // A preparation that comes too late leaves the files as they are.
    const auto sizes = [&] {
        std::vector<std::uintmax_t> all;
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            all.push_back(entry.file_size());
        }
        return all;
    };
    const std::vector<std::uintmax_t> before = sizes();
    CompileOptions late = options;
    late.deadline = TimePoint(std::chrono::nanoseconds(1));
    EXPECT_FALSE(runtime->compile(makeMixedModel(), late));
    EXPECT_EQ(sizes(), before);
    // Another token has other files; a file that was changed is not used.
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        writeFile(entry.path(), "nonsense");
    }
    const auto repaired = runtime->compile(makeMixedModel(), options);
    ASSERT_TRUE(repaired) << repaired.error().message;
    expectMixedModelIsRight(**repaired);
    options.token[0] = 8;
    ASSERT_TRUE(runtime->compile(makeMixedModel(), options));
    EXPECT_EQ(fileCount(), 12);
}

}  // namespace
}  // namespace nnburst::runtime
