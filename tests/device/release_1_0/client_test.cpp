// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// A client of version 4 of the protocol, written against that version and nothing else of this
/// tree: today's driver must serve it for as long as it speaks version 4. The queues of its bursts
/// have a version of their own; channel_layout_test and request_frame_test have their bytes.

#include <capnp/rpc-twoparty.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <kj/async-io.h>
#include <kj/io.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <thread>

#include "release_1_0.capnp.h"

namespace {

using namespace std::chrono_literals;
namespace rpc = nnburst::rpc;

// As the HAL numbers them.
constexpr int kTensorFloat32 = 3;
constexpr int kInt32 = 1;
constexpr int kAdd = 0;
constexpr int kSubgraphInput = 1;
constexpr int kSubgraphOutput = 2;
constexpr int kConstantCopy = 3;
constexpr unsigned kCount = 4;
constexpr unsigned kBytes = kCount * sizeof(float);

class DescriptorServer final : public rpc::Memory::Server {
  public:
    explicit DescriptorServer(int fd) noexcept : fd_(fd) {}
    kj::Maybe<int> getFd() override { return fd_; }

  private:
    int fd_;
};

class PreparedModelCallback final : public rpc::PreparedModelCallback::Server {
  public:
    explicit PreparedModelCallback(kj::Own<kj::PromiseFulfiller<rpc::PreparedModel::Client>> done)
        : done_(kj::mv(done)) {}

  protected:
    kj::Promise<void> notify(NotifyContext context) override {
        const auto params = context.getParams();
        EXPECT_EQ(params.getStatus().getCode(), 0) << params.getStatus().getMessage().cStr();
        done_->fulfill(context.getParams().getPreparedModel());
        return kj::READY_NOW;
    }

  private:
    kj::Own<kj::PromiseFulfiller<rpc::PreparedModel::Client>> done_;
};

class Release10Client : public testing::Test {
  protected:
    Release10Client() : folder_("/tmp/nnburst-release-1-0-" + std::to_string(::getpid())) {
        std::filesystem::create_directory(folder_);
        const std::string path = folder_ + "/driver.sock";
        std::string words[] = {NNBURST_DRIVER_PATH, "--socket",    path,
                               "--no-calibration",  "--log-level", "warning"};
        char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(),
                             words[4].data(), words[5].data(), nullptr};
        EXPECT_EQ(::posix_spawn(&driver_, arguments[0], nullptr, nullptr, arguments, environ), 0);
        socket_ = connect(path);
        memory_ = ::memfd_create("release-1-0", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        EXPECT_EQ(::ftruncate(memory_, 4096), 0);
        EXPECT_EQ(::fcntl(memory_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
        values_ = static_cast<float*>(
            ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory_, 0));
    }
    ~Release10Client() override {
        ::kill(driver_, SIGTERM);
        ::waitpid(driver_, nullptr, 0);
        ::munmap(values_, 4096);
        ::close(memory_);
        std::filesystem::remove_all(folder_);
    }

    /// a + b of four floats; the activation is a constant.
    static void describeAdd(rpc::Model::Builder model) {
        auto graph = model.initMain();
        auto operands = graph.initOperands(4);
        const int lifetimes[] = {kSubgraphInput, kSubgraphInput, kConstantCopy, kSubgraphOutput};
        for (unsigned i = 0; i < operands.size(); ++i) {
            const bool isTensor = lifetimes[i] != kConstantCopy;
            operands[i].setType(isTensor ? kTensorFloat32 : kInt32);
            operands[i].setLifetime(lifetimes[i]);
            operands[i].setNumberOfConsumers(lifetimes[i] == kSubgraphOutput ? 0 : 1);
            if (isTensor) {
                operands[i].initDimensions(1).set(0, kCount);
            } else {
                operands[i].initLocation().setLength(4);
            }
        }
        auto operation = graph.initOperations(1)[0];
        operation.setType(kAdd);
        operation.setInputs({0, 1, 2});
        operation.setOutputs({3});
        graph.setInputIndexes({0, 1});
        graph.setOutputIndexes({3});
        model.getOperandValues().initInline(4);
    }

    void describeRequest(rpc::Request::Builder request) const {
        const auto place = [](rpc::RequestArgument::Builder argument, unsigned index) {
            auto location = argument.initLocation();
            location.setOffset(index * kBytes);
            location.setLength(kBytes);
        };
        auto inputs = request.initInputs(2);
        place(inputs[0], 0);
        place(inputs[1], 1);
        place(request.initOutputs(1)[0], 2);
        auto memory = request.initPools(1)[0].initMemory();
        memory.setMemory(kj::heap<DescriptorServer>(memory_));
        memory.setSizeBytes(4096);
    }

    int socket_ = -1;
    float* values_ = nullptr;

  private:
    /// The driver needs a moment until it listens.
    static int connect(const std::string& path) {
        ::sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
        std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
        for (int attempt = 0; attempt < 2000; ++attempt) {
            const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
            if (::connect(fd, reinterpret_cast<::sockaddr*>(&address), sizeof(address)) == 0) {
                return fd;
            }
            ::close(fd);
            std::this_thread::sleep_for(10ms);
        }
        ADD_FAILURE() << "no driver listens at " << path;
        return -1;
    }

    const std::string folder_;
    ::pid_t driver_ = -1;
    int memory_ = -1;
};

TEST_F(Release10Client, preparesAModelAndExecutesIt) {
    ASSERT_GE(socket_, 0);
    auto io = kj::setupAsyncIo();
    auto stream = io.lowLevelProvider->wrapUnixSocketFd(kj::AutoCloseFd(socket_));
    capnp::TwoPartyVatNetwork network(*stream, 128, capnp::rpc::twoparty::Side::CLIENT);
    auto system = capnp::makeRpcClient(network);
    capnp::MallocMessageBuilder message;
    auto server = message.initRoot<capnp::rpc::twoparty::VatId>();
    server.setSide(capnp::rpc::twoparty::Side::SERVER);
    auto driver = system.bootstrap(server).castAs<rpc::Driver>();

    auto open = driver.openRequest();
    open.setProtocolVersion(4);
    const auto opened = open.send().wait(io.waitScope);
    ASSERT_EQ(opened.getProtocolVersion(), 4U) << opened.getStatus().getMessage().cStr();
    auto device = opened.getDevice();
    EXPECT_EQ(device.getHalVersionRequest().send().wait(io.waitScope).getHalVersion(), 3);

    auto prepared = kj::newPromiseAndFulfiller<rpc::PreparedModel::Client>();
    auto prepare = device.prepareModelRequest();
    describeAdd(prepare.initModel());
    prepare.initOptions().setPreference(1);
    prepare.getOptions().setPriority(1);
    prepare.getOptions().initToken(32);
    prepare.setCallback(kj::heap<PreparedModelCallback>(kj::mv(prepared.fulfiller)));
    const auto launched = prepare.send().wait(io.waitScope);
    ASSERT_EQ(launched.getStatus().getCode(), 0) << launched.getStatus().getMessage().cStr();
    auto model = prepared.promise.wait(io.waitScope);

    for (unsigned i = 0; i < 2 * kCount; ++i) {
        values_[i] = static_cast<float>(i);
    }
    auto execute = model.executeSynchronouslyRequest();
    describeRequest(execute.initRequest());
    execute.initOptions();
    const auto executed = execute.send().wait(io.waitScope);
    ASSERT_EQ(executed.getStatus().getCode(), 0) << executed.getStatus().getMessage().cStr();
    const auto shapes = executed.getOutcome().getOutputShapes();
    ASSERT_EQ(shapes.size(), 1U);
    EXPECT_TRUE(shapes[0].getIsSufficient());
    ASSERT_EQ(shapes[0].getDimensions().size(), 1U);
    EXPECT_EQ(shapes[0].getDimensions()[0], kCount);
    for (unsigned i = 0; i < kCount; ++i) {
        EXPECT_EQ(values_[2 * kCount + i], static_cast<float>(i + (i + kCount)));
    }
}

}  // namespace
