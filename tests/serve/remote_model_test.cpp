// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Models of a server as prepared models, with nnburst-serve as the server.

#include "nnburst/remote_model.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "nnburst/session.h"
#include "open_inference.pb.h"

extern char** environ;

namespace nnburst {
namespace {

/// A server that ends with this object.
class Server {
  public:
    explicit Server(const std::filesystem::path& folder) {
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
        posix_spawn_file_actions_t actions{};
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        std::vector<std::string> words{NNBURST_SERVE, folder.string(), "--device", "local",
                                       "--grpc",      "127.0.0.1:0",   "--http",   "none"};
        std::vector<char*> arguments;
        for (std::string& word : words) {
            arguments.push_back(word.data());
        }
        arguments.push_back(nullptr);
        EXPECT_EQ(::posix_spawn(&pid_, NNBURST_SERVE, &actions, nullptr, arguments.data(), environ),
                  0);
        ::posix_spawn_file_actions_destroy(&actions);
        ::close(ends[1]);
        output_.reset(::fdopen(ends[0], "r"));
        std::array<char, 256> line{};
        while (std::fgets(line.data(), line.size(), output_.get()) != nullptr) {
            const std::string text(line.data());
            if (text.starts_with("gRPC on ")) {
                address_ = text.substr(8, text.size() - 9);
            }
            if (text == "ready\n") {
                break;
            }
        }
    }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server() { kill(); }

    void kill() {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
            pid_ = -1;
        }
    }
    [[nodiscard]] const std::string& address() const { return address_; }

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    pid_t pid_ = -1;
    std::unique_ptr<std::FILE, Close> output_;
    std::string address_;
};

/// A request to the model "add".
struct AddRequest {
    AddRequest() {
        request.pools = {pool.region()};
        request.inputs = {{.location = {.offset = input.offset(), .length = 16}}};
        request.outputs = {{.location = {.offset = output.offset(), .length = 16}}};
    }

    MemoryPool pool = *MemoryPool::create(4096);
    MemoryPool::Block input = *pool.allocate(16);
    MemoryPool::Block output = *pool.allocate(16);
    Request request;
};

class RemoteModelTest : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        folder_ = std::filesystem::temp_directory_path() /
                  ("nnburst-remote-model-test-" + std::to_string(::getpid()));
        const std::string command = std::string(NNBURST_SERVE_MODELS) + " " + folder_.string();
        ASSERT_EQ(std::system(command.c_str()), 0);
        server_ = std::make_unique<Server>(folder_);
        ASSERT_FALSE(server_->address().empty());
    }
    static void TearDownTestSuite() {
        server_.reset();
        std::filesystem::remove_all(folder_);
    }

    static RemoteModel open(const std::string& name, const RemoteOptions& options = {}) {
        Result<RemoteModel> model = openRemoteModel(server_->address(), name, options);
        EXPECT_TRUE(model) << model.error().message;
        return model ? *model : RemoteModel{};
    }
    static Session makeSession(const RemoteModel& model) {
        Result<Session> session = Session::create(model.prepared, model.signature);
        EXPECT_TRUE(session) << session.error().message;
        return std::move(*session);
    }

    static inline std::filesystem::path folder_;
    static inline std::unique_ptr<Server> server_;
};

TEST_F(RemoteModelTest, sessionsRunOnTheServer) {
    Session session = makeSession(open("add"));
    const auto x = session.input<float>("x");
    const auto y = session.output<float>("y");
    ASSERT_TRUE(x && y);
    for (int run = 0; run < 3; ++run) {
        std::ranges::fill(*x, static_cast<float>(run));
        ASSERT_TRUE(session.run());
        EXPECT_TRUE(std::ranges::all_of(
            *y, [&](float value) { return value == static_cast<float>(run + 10); }));
    }
}

TEST_F(RemoteModelTest, signaturesHaveTheScalesOfTheServer) {
    const RemoteModel model = open("dequantize");
    ASSERT_EQ(model.signature.inputs.size(), 1U);
    EXPECT_EQ(model.signature.inputs[0], (NamedOperand{.name = "bytes",
                                                       .type = OperandType::TENSOR_QUANT8_ASYMM,
                                                       .dimensions = {2, 3},
                                                       .scale = 0.5F,
                                                       .zeroPoint = 128}));
}

TEST_F(RemoteModelTest, versionsAreChosenByName) {
    Session session = makeSession(open("add", {.version = "1"}));
    ASSERT_TRUE(session.run());
    EXPECT_EQ(session.output<float>()->front(), 1.0F);
}

TEST_F(RemoteModelTest, unknownModelsAreInvalidArguments) {
    const auto missing = openRemoteModel(server_->address(), "missing");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().status, ErrorStatus::INVALID_ARGUMENT);
}

TEST_F(RemoteModelTest, deadlinesAreMissedAsOnADriver) {
    Session session = makeSession(open("slow"));
    const Result<> result =
        session.run(std::chrono::steady_clock::now() + std::chrono::milliseconds(1));
    ASSERT_FALSE(result);
    EXPECT_TRUE(isMissedDeadline(result.error().status)) << result.error().message;
}

TEST_F(RemoteModelTest, deadlinesMayBeAsFarAsTimesGo) {
    Session session = makeSession(open("add"));
    EXPECT_TRUE(session.run(TimePoint::max()));
    const Result<> result = session.run(TimePoint::min());
    ASSERT_FALSE(result);
    EXPECT_TRUE(isMissedDeadline(result.error().status)) << result.error().message;
    Session patient = makeSession(open("add", {.timeout = std::chrono::milliseconds(INT64_MAX)}));
    EXPECT_TRUE(patient.run());
}

TEST_F(RemoteModelTest, fencedExecutionsMayTakeTheLongestTime) {
    const RemoteModel model = open("add");
    const AddRequest add;
    const auto fenced = model.prepared->executeFenced(add.request, {}, {},
                                                      OptionalTimeoutDuration::value_type::max());
    ASSERT_TRUE(fenced) << fenced.error().message;
    Timing launched;
    Timing afterFences;
    EXPECT_TRUE(fenced->callback(launched, afterFences));
}

/// Until it ends, no thread can be started: none has room for its stack.
class NoThreads {
  public:
    NoThreads() {
        EXPECT_EQ(::pthread_getattr_default_np(&before_), 0);
        pthread_attr_t huge{};
        EXPECT_EQ(::pthread_attr_init(&huge), 0);
        EXPECT_EQ(::pthread_attr_setstacksize(&huge, std::size_t{1} << 60U), 0);
        EXPECT_EQ(::pthread_setattr_default_np(&huge), 0);
        ::pthread_attr_destroy(&huge);
    }
    NoThreads(const NoThreads&) = delete;
    NoThreads& operator=(const NoThreads&) = delete;
    ~NoThreads() {
        EXPECT_EQ(::pthread_setattr_default_np(&before_), 0);
        ::pthread_attr_destroy(&before_);
    }

  private:
    pthread_attr_t before_{};
};

TEST_F(RemoteModelTest, runsAreRefusedWithoutAThread) {
    Session session = makeSession(open("add"));
    {
        const NoThreads noThreads;
        const Result<> result = session.submit();
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    }
    ASSERT_TRUE(session.submit());
    ASSERT_TRUE(session.wait());
    EXPECT_EQ(session.output<float>()->front(), 10.0F);
}

TEST_F(RemoteModelTest, runsAreSubmittedWithoutWaiting) {
    Session session = makeSession(open("add"));
    ASSERT_TRUE(session.submit());
    EXPECT_TRUE(session.isRunning());
    ASSERT_TRUE(session.wait());
    EXPECT_EQ(session.output<float>()->front(), 10.0F);
}

TEST_F(RemoteModelTest, executionsGiveTheirResultsToACallback) {
    const RemoteModel model = open("add");
    AddRequest add;
    Request& request = add.request;
    request.outputs[0].location.length = 8;
    const auto execute = [&] {
        std::promise<std::pair<ErrorStatus, std::size_t>> result;
        EXPECT_TRUE(model.prepared->execute(
            request, {}, [&](const Result<>& status, const ExecutionOutcome& outcome) {
                result.set_value({status ? ErrorStatus::NONE : status.error().status,
                                  outcome.outputShapes.size()});
            }));
        return result.get_future().get();
    };
    EXPECT_EQ(execute(), std::pair(ErrorStatus::OUTPUT_INSUFFICIENT_SIZE, std::size_t{1}));
    request.outputs[0].location.length = 16;
    EXPECT_EQ(execute(), std::pair(ErrorStatus::NONE, std::size_t{1}));
    request.inputs[0].location.length = 12;
    ExecutionOutcome outcome;
    const Result<> result = model.prepared->executeSynchronously(request, {}, outcome);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
}

TEST_F(RemoteModelTest, executionsWithoutACallbackAreRefused) {
    const RemoteModel model = open("add");
    const AddRequest add;
    const Result<> result = model.prepared->execute(add.request, {}, nullptr);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
}

TEST_F(RemoteModelTest, exceptionsOfACallbackAreDropped) {
    const RemoteModel model = open("add");
    const AddRequest add;
    const auto called = std::make_shared<std::promise<void>>();
    EXPECT_TRUE(model.prepared->execute(
        add.request, {}, [called](const Result<>& /*status*/, const ExecutionOutcome& /*outcome*/) {
            called->set_value();
            throw std::runtime_error("of the application");
        }));
    called->get_future().wait();
    ExecutionOutcome outcome;
    EXPECT_TRUE(model.prepared->executeSynchronously(add.request, {}, outcome));
}

TEST_F(RemoteModelTest, modelsMayBeDroppedWithExecutionsInFlight) {
    for (int round = 0; round < 20; ++round) {
        Session session = makeSession(open("add"));
        ASSERT_TRUE(session.submit());
    }
}

TEST_F(RemoteModelTest, programsMayHaveAnotherCopyOfTheProtocol) {
    inference::ModelInferRequest request;  // this program's own
    request.set_model_name("add");
    EXPECT_FALSE(request.SerializeAsString().empty());
}

TEST_F(RemoteModelTest, serversThatAreLostAreUnavailable) {
    Server server(folder_);
    const auto model = openRemoteModel(server.address(), "add");
    ASSERT_TRUE(model);
    Session session = makeSession(*model);
    ASSERT_TRUE(session.run());
    server.kill();
    const Result<> result = session.run();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::DEVICE_UNAVAILABLE) << result.error().message;
    const auto later =
        openRemoteModel(server.address(), "add", {.timeout = std::chrono::milliseconds(50)});
    ASSERT_FALSE(later);
    EXPECT_EQ(later.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_NE(later.error().message.find(server.address()), std::string::npos)
        << later.error().message;
}

TEST_F(RemoteModelTest, aSessionMovesFromADriverToTheServer) {
    const Result<SharedDevice> device = makeLocalDevice();
    ASSERT_TRUE(device);
    Result<Session> session =
        Session::open(**device, (folder_ / "dequantize" / "1" / "model.tflite").string());
    ASSERT_TRUE(session);
    std::ranges::fill(*session->input<std::uint8_t>(), std::uint8_t{130});
    ASSERT_TRUE(session->run());
    ASSERT_TRUE(session->replaceModel(makeSession(open("dequantize"))));
    ASSERT_TRUE(session->run());
    EXPECT_EQ(session->output<float>()->front(), 1.0F);
}

}  // namespace
}  // namespace nnburst
