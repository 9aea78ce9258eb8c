// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "raw_client.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <utility>
#include <vector>

#include "burst/request_frame.h"
#include "device/rpc/conversion.h"
#include "device/rpc/protocol_version.h"
#include "device/rpc/rpc_limits.h"

namespace nnburst::stress {

namespace {

constexpr std::uint32_t kQueueLines = 128;

class PreparedModelCallback final : public rpc::PreparedModelCallback::Server {
  public:
    explicit PreparedModelCallback(kj::Own<kj::PromiseFulfiller<rpc::PreparedModel::Client>> done)
        : done_(kj::mv(done)) {}

  protected:
    kj::Promise<void> notify(NotifyContext context) override {
        if (context.getParams().hasPreparedModel()) {
            done_->fulfill(context.getParams().getPreparedModel());
        } else {
            done_->reject(KJ_EXCEPTION(FAILED, "the model is not prepared"));
        }
        return kj::READY_NOW;
    }

  private:
    kj::Own<kj::PromiseFulfiller<rpc::PreparedModel::Client>> done_;
};

/// Never answers getMemories.
class SilentBurstCallback final : public rpc::BurstCallback::Server {
  protected:
    kj::Promise<void> getMemories(GetMemoriesContext /*context*/) override {
        return kj::NEVER_DONE;
    }
};

capnp::rpc::twoparty::VatId::Reader driverId() {
    static capnp::MallocMessageBuilder message;
    auto id = message.initRoot<capnp::rpc::twoparty::VatId>();
    id.setSide(capnp::rpc::twoparty::Side::SERVER);
    return id.asReader();
}

rpc::Device::Client openDevice(rpc::Driver::Client& driver, kj::WaitScope& waitScope) {
    auto request = driver.openRequest();
    request.setProtocolVersion(rpc::PROTOCOL_VERSION);
    return request.send().wait(waitScope).getDevice();
}

rpc::Burst::Client setUpBurst(RawClient& client, rpc::PreparedModel::Client& prepared,
                              const burst::Channel& channel, UniqueFd& doorbell) {
    auto request = prepared.configureExecutionBurstRequest();
    setRegion(request.initChannel(), channel.region()->fd(), channel.region()->sizeBytes());
    request.setCallback(kj::heap<SilentBurstCallback>());
    request.initDriverWait();
    auto answer = request.send().wait(client.io().waitScope);
    KJ_IF_MAYBE (fd, answer.getDoorbell().getFd().wait(client.io().waitScope)) {
        if (auto copy = UniqueFd::duplicate(*fd)) {
            doorbell = std::move(*copy);
        }
    }
    return answer.getBurst();
}

}  // namespace

UniqueFd connectSocket(const std::string& path) {
    UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (void)path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) !=
        0) {
        socket.reset();
    }
    return socket;
}

void setRegion(rpc::MemoryRegion::Builder builder, int fd, std::uint64_t sizeBytes) {
    builder.setMemory(kj::heap<DescriptorServer<rpc::Memory>>(fd));
    builder.setSizeBytes(sizeBytes);
}

RawClient::RawClient(const std::string& path)
    : io_(kj::setupAsyncIo()),
      stream_(
          io_.lowLevelProvider->wrapUnixSocketFd(kj::AutoCloseFd(connectSocket(path).release()))),
      network_(*stream_, device::kMaximumFdsPerMessage, capnp::rpc::twoparty::Side::CLIENT),
      system_(capnp::makeRpcClient(network_)),
      driver_(system_.bootstrap(driverId()).castAs<rpc::Driver>()),
      device_(openDevice(driver_, io_.waitScope)) {}

rpc::PreparedModel::Client RawClient::prepare(const Model& model) {
    auto done = kj::newPromiseAndFulfiller<rpc::PreparedModel::Client>();
    auto request = device_.prepareModelRequest();
    const auto memory = device::shareMemory(model);
    (void)device::toMessage(model, memory ? *memory : device::SharedModelMemory(),
                            request.initModel());
    device::toMessage(PrepareOptions(), request.initOptions());
    request.setCallback(kj::heap<PreparedModelCallback>(kj::mv(done.fulfiller)));
    (void)request.send().wait(io_.waitScope);
    return done.promise.wait(io_.waitScope);
}

void RawClient::serveFor(std::int64_t milliseconds) {
    io_.provider->getTimer().afterDelay(milliseconds * kj::MILLISECONDS).wait(io_.waitScope);
}

RawBurst::RawBurst(RawClient& client, rpc::PreparedModel::Client& prepared)
    : channel_(std::move(*burst::Channel::create(kQueueLines))),
      requests_(*burst::FrameQueue::Writer::attach(channel_.memory(), channel_.requests())),
      burst_(setUpBurst(client, prepared, channel_, doorbell_)) {
    requests_.setDoorbell(doorbell_.get());
}

void RawBurst::send(const Request& request) {
    std::vector<burst::FrameLine> lines(burst::requestLineCount(request));
    std::vector<burst::FramePool> pools;
    for (std::size_t i = 0; i < request.pools.size(); ++i) {
        pools.push_back({.kind = static_cast<std::uint32_t>(burst::FramePool::Kind::SLOT),
                         .value = static_cast<std::uint32_t>(nextSlot_++)});
    }
    burst::encodeRequest(++serial_, {}, request, pools, {}, lines);
    (void)requests_.tryWrite(lines);
}

}  // namespace nnburst::stress
