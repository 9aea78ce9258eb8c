// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Calls of the control plane with any arguments, descriptors and order, to a driver in this
/// process. Their messages are well formed, so that they come further than those of message_fuzz. A
/// client that goes in the middle of it leaves nothing that harms another one.
///
///     input: repeated: which call (8 bits) | its arguments

#include <capnp/rpc-twoparty.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "burst/channel.h"
#include "burst/request_frame.h"
#include "changed_model.h"
#include "device/driver_process.h"
#include "device/rpc/conversion.h"
#include "fuzzed_driver.h"
#include "model/operand_info.h"
#include "stress/raw_client.h"

namespace nnburst::fuzz {
namespace {

using stress::DescriptorServer;

constexpr std::uint64_t kRegionBytes = 65536;
constexpr std::size_t kMaximumActions = 40;
/// Objects of one kind that the client keeps.
constexpr std::size_t kMaximumKept = 4;
constexpr std::uint32_t kQueueLines = 32;

/// Descriptors of every kind. They live as long as the process.
class Descriptors {
  public:
    Descriptors() : sealed_(*Region::create(kRegionBytes)) {
        std::array<int, 2> ends{-1, -1};
        if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0) {
            keep(ends[0]);
            keep(ends[1]);
        }
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0) {
            keep(ends[0]);
            keep(ends[1]);
        }
        keep(memory(kRegionBytes, 0));
        keep(memory(kRegionBytes, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE));
        keep(memory(0, F_SEAL_SHRINK | F_SEAL_GROW));
        keep(memory(4096, F_SEAL_SHRINK));
        keep(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
        keep(::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK));
        keep(::epoll_create1(EPOLL_CLOEXEC));
        keep(::open("/dev/null", O_RDWR | O_CLOEXEC));
        keep(::open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        keep(::open("/tmp", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600));
    }

    /// Mostly one of memory that the driver accepts.
    int take(ByteSource& bytes) const {
        const auto choice = bytes.take<std::uint8_t>();
        return choice < 160 ? sealed_->fd() : others_[choice % others_.size()].get();
    }

  private:
    static int memory(off_t sizeBytes, int seals) {
        const int fd = ::memfd_create("call_fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        if (::ftruncate(fd, sizeBytes) != 0 || ::fcntl(fd, F_ADD_SEALS, seals) != 0) {
            std::abort();
        }
        return fd;
    }
    void keep(int fd) {
        if (fd >= 0) {
            others_.emplace_back(fd);
        }
    }

    const SharedRegion sealed_;
    std::vector<UniqueFd> others_;
};

const Descriptors& descriptors() {
    static const Descriptors all;
    return all;
}

std::uint64_t takeBytesOfRegion(ByteSource& bytes) {
    constexpr std::array<std::uint64_t, 7> kUnusual{
        0, 1, 4096, kRegionBytes - 1, kRegionBytes + 1, std::uint64_t{1} << 40, UINT64_MAX};
    const auto choice = bytes.take<std::uint8_t>();
    return choice < 200 ? kRegionBytes : kUnusual[choice % kUnusual.size()];
}

void takeRegion(ByteSource& bytes, rpc::MemoryRegion::Builder region) {
    if (bytes.take<std::uint8_t>() != 1) {
        stress::setRegion(region, descriptors().take(bytes), 0);
    }
    region.setSizeBytes(takeBytesOfRegion(bytes));
}

void takeFiles(ByteSource& bytes, capnp::List<rpc::File>::Builder files) {
    for (unsigned i = 0; i < files.size(); ++i) {
        files.set(i, kj::heap<DescriptorServer<rpc::File>>(descriptors().take(bytes)));
    }
}

/// Mostly soon, so that what runs ends.
void takeTime(ByteSource& bytes, rpc::OptionalNanoseconds::Builder time, bool isPoint) {
    constexpr std::int64_t kMillisecond = 1'000'000;
    const std::int64_t now =
        isPoint ? std::chrono::steady_clock::now().time_since_epoch().count() : 0;
    switch (bytes.take<std::uint8_t>() % 16) {
        case 0:
            break;
        case 1:
            time.setNanoseconds(bytes.take<std::int64_t>());
            break;
        case 2:
            time.setNanoseconds(std::numeric_limits<std::int64_t>::min());
            break;
        case 3:
            time.setNanoseconds(std::numeric_limits<std::int64_t>::max());
            break;
        case 4:
            time.setNanoseconds(now);
            break;
        default:
            time.setNanoseconds(now + 10 * kMillisecond);
    }
}

/// Code of an enumerator: mostly from 0 to `most`.
std::int32_t takeCode(ByteSource& bytes, std::int32_t most) {
    const auto choice = bytes.take<std::uint8_t>();
    return choice < 250 ? choice % (most + 1) : bytes.take<std::int32_t>();
}

void takeSizes(ByteSource& bytes, capnp::List<std::uint32_t>::Builder sizes) {
    for (unsigned i = 0; i < sizes.size(); ++i) {
        sizes.set(i, takeSize(bytes));
    }
}

/// A prepared model, and what is to be known about it in order to send requests that fit.
struct Prepared {
    rpc::PreparedModel::Client client;
    std::vector<Operand> inputs;
    std::vector<Operand> outputs;
};

std::vector<Operand> operandsOf(const Subgraph& graph, const std::vector<std::uint32_t>& indexes) {
    std::vector<Operand> operands;
    for (const std::uint32_t index : indexes) {
        if (index < graph.operands.size()) {
            operands.push_back(graph.operands[index]);
        }
    }
    return operands;
}

template <class T>
void keep(std::vector<T>& kept, T one) {
    if (kept.size() == kMaximumKept) {
        kept.erase(kept.begin());
    }
    kept.push_back(kj::mv(one));
}

class PreparedCallback final : public rpc::PreparedModelCallback::Server {
  public:
    PreparedCallback(std::vector<Prepared>& kept, const Model& model,
                     kj::Own<kj::PromiseFulfiller<void>> done)
        : kept_(kept),
          inputs_(operandsOf(model.main, model.main.inputIndexes)),
          outputs_(operandsOf(model.main, model.main.outputIndexes)),
          done_(kj::mv(done)) {}

  protected:
    kj::Promise<void> notify(NotifyContext context) override {
        if (context.getParams().hasPreparedModel()) {
            keep(kept_, Prepared{context.getParams().getPreparedModel(), inputs_, outputs_});
        }
        done_->fulfill();
        return kj::READY_NOW;
    }

  private:
    std::vector<Prepared>& kept_;
    const std::vector<Operand> inputs_;
    const std::vector<Operand> outputs_;
    kj::Own<kj::PromiseFulfiller<void>> done_;
};

class ExecutionCallback final : public rpc::ExecutionCallback::Server {
  protected:
    kj::Promise<void> notify(NotifyContext /*context*/) override { return kj::READY_NOW; }
};

/// Answers with what the input says, sometimes not at all.
class BurstCallback final : public rpc::BurstCallback::Server {
  public:
    explicit BurstCallback(ByteSource& bytes) : bytes_(bytes) {}

  protected:
    kj::Promise<void> getMemories(GetMemoriesContext context) override {
        const auto choice = bytes_.take<std::uint8_t>();
        if (choice == 1) {
            return kj::NEVER_DONE;
        }
        const unsigned slots = context.getParams().getSlots().size();
        auto results = context.getResults();
        results.initStatus().setCode(choice == 2 ? 4 : 0);
        auto memories = results.initMemories(choice == 3 ? slots + 1 : slots);
        for (auto memory : memories) {
            takeRegion(bytes_, memory);
        }
        return kj::READY_NOW;
    }

  private:
    ByteSource& bytes_;
};

/// The client's end of a burst.
struct Burst {
    rpc::Burst::Client client;
    burst::Channel channel;
    burst::FrameQueue::Writer requests;
    std::uint64_t serial = 0;
};

/// One client, from its connection to its end.
class Conversation : private kj::TaskSet::ErrorHandler {
  public:
    Conversation(const std::string& path, ByteSource& bytes)
        : bytes_(bytes), client_(path), answers_(*this) {
        prepare(test::makeAddModel());
    }
    KJ_DISALLOW_COPY(Conversation);

    void act() {
        switch (bytes_.take<std::uint8_t>() % 16) {
            case 0:
                prepare(takeModel(bytes_));
                break;
            case 1:
                getSupportedOperations();
                break;
            case 2:
                prepareFromCache();
                break;
            case 3:
            case 4:
                allocate();
                break;
            case 5:
            case 6:
                executeSynchronously();
                break;
            case 7:
                execute();
                break;
            case 8:
                executeFenced();
                break;
            case 9:
                configureBurst();
                break;
            case 10:
            case 11:
                sendFrame();
                break;
            case 12:
                copy();
                break;
            case 13:
                sayOnly();
                break;
            case 14:
                drop();
                break;
            default:
                serve(bytes_.take<std::uint8_t>() % 4);
        }
    }

  private:
    void taskFailed(kj::Exception&& /*exception*/) override {}

    template <class Call>
    auto send(Call&& call) {
        auto answer = call.send();
        answers_.add(answer.ignoreResult());
        return answer;
    }

    void serve(unsigned milliseconds) {
        client_.io()
            .provider->getTimer()
            .afterDelay(milliseconds * kj::MILLISECONDS)
            .wait(client_.io().waitScope);
    }

    void takeOptions(rpc::PrepareOptions::Builder options) {
        options.setPreference(takeCode(bytes_, 2));
        options.setPriority(takeCode(bytes_, 2));
        takeTime(bytes_, options.initDeadline(), true);
        takeFiles(bytes_, options.initModelCache(bytes_.take<std::uint8_t>() % 3));
        takeFiles(bytes_, options.initDataCache(bytes_.take<std::uint8_t>() % 3));
        const auto choice = bytes_.take<std::uint8_t>();
        options.initToken(choice < 250 ? 32 : choice - 250);
    }

    /// With its constants in the message or in shared memory, and pools.
    void takeMemory(const Model& model, rpc::Model::Builder message) {
        auto values = message.getOperandValues();
        if (bytes_.take<std::uint8_t>() % 8 == 7) {
            takeRegion(bytes_, values.initShared());
        } else {
            values.setInline({model.operandValues.data(), model.operandValues.size()});
        }
        for (auto pool : message.initPools(bytes_.take<std::uint8_t>() % 3)) {
            takeRegion(bytes_, pool);
        }
        if (bytes_.take<std::uint8_t>() % 8 == 7) {
            auto extensions = message.initExtensionNameToPrefix(bytes_.take<std::uint8_t>() % 3);
            for (auto extension : extensions) {
                extension.setName("com.example");
                extension.setPrefix(bytes_.take<std::uint16_t>());
            }
        }
    }

    void prepare(const Model& model) {
        auto done = kj::newPromiseAndFulfiller<void>();
        auto call = client_.device().prepareModelRequest();
        if (isTooLarge(model) || !device::structureToMessage(model, call.initModel())) {
            return;
        }
        takeMemory(model, call.getModel());
        takeOptions(call.initOptions());
        if (bytes_.take<std::uint8_t>() == 1) {  // without a callback
            (void)send(call);
            return;
        }
        call.setCallback(kj::heap<PreparedCallback>(prepared_, model, kj::mv(done.fulfiller)));
        (void)send(call);
        if (bytes_.take<std::uint8_t>() % 8 != 7) {
            // The callback comes in any case, or the connection ends.
            done.promise.then([] {}, [](kj::Exception&&) {}).wait(client_.io().waitScope);
        }
    }

    void getSupportedOperations() {
        const Model model = takeModel(bytes_);
        auto call = client_.device().getSupportedOperationsRequest();
        if (device::structureToMessage(model, call.initModel())) {
            takeMemory(model, call.getModel());
            (void)send(call);
        }
    }

    void prepareFromCache() {
        auto done = kj::newPromiseAndFulfiller<void>();
        auto call = client_.device().prepareModelFromCacheRequest();
        takeOptions(call.initOptions());
        call.setCallback(kj::heap<PreparedCallback>(prepared_, Model(), kj::mv(done.fulfiller)));
        (void)send(call);
    }

    void takeRoles(capnp::List<rpc::BufferRole>::Builder roles) {
        for (auto role : roles) {
            role.setModelIndex(static_cast<std::uint32_t>(takeCode(bytes_, 0)));
            role.setIoIndex(static_cast<std::uint32_t>(takeCode(bytes_, 1)));
            const auto frequency = bytes_.take<std::uint8_t>();
            role.setFrequency(frequency < 250 ? 1.0F : static_cast<float>(frequency) - 252);
        }
    }

    void allocate() {
        auto call = client_.device().allocateRequest();
        takeSizes(bytes_, call.initDimensions(bytes_.take<std::uint8_t>() % 3));
        auto models = call.initPreparedModels(1 + bytes_.take<std::uint8_t>() % 2);
        for (unsigned i = 0; i < models.size(); ++i) {
            switch (bytes_.take<std::uint8_t>() % 16) {
                case 1:
                    break;
                case 2:  // of another kind
                    models.set(i, client_.device().castAs<rpc::PreparedModel>());
                    break;
                case 3:  // of the client
                    models.set(i, kj::heap<DescriptorServer<rpc::PreparedModel>>(
                                      descriptors().take(bytes_)));
                    break;
                default:
                    if (Prepared* prepared = takeOne(prepared_)) {
                        models.set(i, prepared->client);
                    }
            }
        }
        takeRoles(call.initInputRoles(bytes_.take<std::uint8_t>() % 3));
        takeRoles(call.initOutputRoles(bytes_.take<std::uint8_t>() % 3));
        keep(buffers_, send(call).getBuffer());
    }

    template <class T>
    T* takeOne(std::vector<T>& kept) {
        return kept.empty() ? nullptr : &kept[bytes_.below(kept.size())];
    }

    /// Arguments that fit `operands`, one after the other, of which some are changed.
    std::vector<RequestArgument> takeArguments(const std::vector<Operand>& operands,
                                               std::uint32_t& used) {
        std::vector<RequestArgument> arguments;
        for (const Operand& operand : operands) {
            RequestArgument argument;
            argument.dimensions = operand.dimensions;
            for (std::uint32_t& size : argument.dimensions) {
                size = size == 0 ? takeSize(bytes_) : size;
            }
            const auto length = operandBytes(operand.type, argument.dimensions).value_or(64);
            argument.location.offset = used;
            argument.location.length = static_cast<std::uint32_t>(length);
            used += static_cast<std::uint32_t>(length + 63) & ~63U;
            arguments.push_back(argument);
        }
        if (bytes_.take<std::uint8_t>() % 4 == 3 && !arguments.empty()) {
            changeArgument(arguments[bytes_.below(arguments.size())]);
        }
        if (bytes_.take<std::uint8_t>() % 32 == 31) {
            arguments.resize(bytes_.take<std::uint8_t>() % 5);
        }
        return arguments;
    }

    void changeArgument(RequestArgument& argument) {
        switch (bytes_.take<std::uint8_t>() % 6) {
            case 0:
                argument.hasNoValue = true;
                break;
            case 1:
                argument.location.poolIndex = bytes_.take<std::uint8_t>() % 3;
                break;
            case 2:  // the whole of a buffer
                argument.location = {.poolIndex = argument.location.poolIndex};
                argument.dimensions.clear();
                break;
            case 3:
                argument.location.offset = takeSize(bytes_);
                break;
            case 4:
                argument.location.length = takeSize(bytes_);
                break;
            default:
                argument.dimensions.assign(bytes_.take<std::uint8_t>() % 6, takeSize(bytes_));
        }
    }

    Request takeRequest(const Prepared& prepared) {
        std::uint32_t used = 0;
        Request request;
        request.inputs = takeArguments(prepared.inputs, used);
        request.outputs = takeArguments(prepared.outputs, used);
        return request;
    }

    void takeRequest(const Prepared& prepared, rpc::Request::Builder message) {
        (void)device::toMessage(takeRequest(prepared), message);
        for (auto pool : message.initPools(1 + bytes_.take<std::uint8_t>() % 3)) {
            if (bytes_.take<std::uint8_t>() % 4 == 3) {
                pool.setToken(1 + bytes_.take<std::uint8_t>() % kMaximumKept);
            } else {
                takeRegion(bytes_, pool.initMemory());
            }
        }
    }

    void takeOptions(rpc::ExecutionOptions::Builder options) {
        options.setMeasure(takeCode(bytes_, 1));
        takeTime(bytes_, options.initDeadline(), true);
        takeTime(bytes_, options.initLoopTimeout(), false);
    }

    void executeSynchronously() {
        if (Prepared* prepared = takeOne(prepared_)) {
            auto call = prepared->client.executeSynchronouslyRequest();
            takeRequest(*prepared, call.initRequest());
            takeOptions(call.initOptions());
            (void)send(call);
        }
    }

    void execute() {
        if (Prepared* prepared = takeOne(prepared_)) {
            auto call = prepared->client.executeRequest();
            takeRequest(*prepared, call.initRequest());
            takeOptions(call.initOptions());
            if (bytes_.take<std::uint8_t>() != 1) {
                call.setCallback(kj::heap<ExecutionCallback>());
            }
            (void)send(call);
        }
    }

    void executeFenced() {
        if (Prepared* prepared = takeOne(prepared_)) {
            auto call = prepared->client.executeFencedRequest();
            takeRequest(*prepared, call.initRequest());
            takeOptions(call.initOptions());
            takeFiles(bytes_, call.initWaitFor(bytes_.take<std::uint8_t>() % 3));
            takeTime(bytes_, call.initTimeoutAfterFence(), false);
            auto launched = send(call);
            auto info = launched.getCallback().getExecutionInfoRequest();
            (void)send(info);
        }
    }

    void configureBurst() {
        Prepared* const prepared = takeOne(prepared_);
        if (prepared == nullptr) {
            return;
        }
        auto channel = std::move(*burst::Channel::create(kQueueLines));
        auto call = prepared->client.configureExecutionBurstRequest();
        if (bytes_.take<std::uint8_t>() % 8 == 7) {
            takeRegion(bytes_, call.initChannel());
        } else {
            stress::setRegion(call.initChannel(), channel.region()->fd(),
                              channel.region()->sizeBytes());
        }
        if (bytes_.take<std::uint8_t>() % 8 == 7) {  // a wrong header
            channel.memory()[bytes_.below(burst::kRequestQueueOffset)] =
                static_cast<std::byte>(bytes_.take<std::uint8_t>());
        }
        if (bytes_.take<std::uint8_t>() != 1) {
            call.setCallback(kj::heap<BurstCallback>(bytes_));
        }
        call.initDriverWait().setMode(static_cast<std::uint8_t>(takeCode(bytes_, 2)));
        call.getDriverWait().setSpinNanoseconds(bytes_.take<std::int16_t>());
        auto answer = send(call);
        auto requests = burst::FrameQueue::Writer::attach(channel.memory(), channel.requests());
        if (requests) {
            keep(bursts_, Burst{answer.getBurst(), std::move(channel), std::move(*requests)});
        }
    }

    void sendFrame() {
        Burst* const burst = takeOne(bursts_);
        Prepared* const prepared = takeOne(prepared_);
        if (burst == nullptr || prepared == nullptr) {
            return;
        }
        if (bytes_.take<std::uint8_t>() % 4 == 3) {
            const auto line = burst::encodeCompute(
                ++burst->serial, {.number = bytes_.take<std::uint8_t>() % 4U, .generation = 1},
                std::nullopt);
            (void)burst->requests.tryWrite({&line, 1});
            return;
        }
        const Request request = takeRequest(*prepared);
        std::array<burst::FramePool, 2> pools{};
        for (burst::FramePool& pool : pools) {
            pool = {.kind = static_cast<std::uint32_t>(takeCode(bytes_, 1)),
                    .value = bytes_.take<std::uint8_t>() % 5U};
        }
        std::vector<burst::FrameLine> lines(
            burst::requestLineCount(Request{.inputs = request.inputs,
                                            .outputs = request.outputs,
                                            .pools = {BufferToken{1}, BufferToken{2}}}));
        burst::encodeRequest(++burst->serial,
                             {.number = bytes_.take<std::uint8_t>() % 4U, .generation = 1}, request,
                             pools, {}, lines);
        (void)burst->requests.tryWrite(lines);
    }

    void copy() {
        rpc::Buffer::Client* const buffer = takeOne(buffers_);
        if (buffer == nullptr) {
            return;
        }
        switch (bytes_.take<std::uint8_t>() % 3) {
            case 0: {
                auto call = buffer->copyToRequest();
                takeRegion(bytes_, call.initDestination());
                (void)send(call);
                break;
            }
            case 1: {
                auto call = buffer->copyFromRequest();
                takeRegion(bytes_, call.initSource());
                takeSizes(bytes_, call.initDimensions(bytes_.take<std::uint8_t>() % 3));
                (void)send(call);
                break;
            }
            default: {
                auto call = buffer->discardContentsRequest();
                (void)send(call);
            }
        }
    }

    /// Calls that tell the driver something.
    void sayOnly() {
        if (Burst* const burst = takeOne(bursts_)) {
            auto call = burst->client.freeMemoryRequest();
            call.setSlot(takeCode(bytes_, 4));
            (void)send(call);
        }
        if (Prepared* const prepared = takeOne(prepared_)) {
            auto call = prepared->client.discardOutputsRequest();
            for (auto output : call.initOutputs(bytes_.take<std::uint8_t>() % 3)) {
                output.setIndex(static_cast<std::uint32_t>(takeCode(bytes_, 1)));
                output.setToken(static_cast<std::uint32_t>(takeCode(bytes_, 4)));
            }
            (void)send(call);
        }
    }

    void drop() {
        switch (bytes_.take<std::uint8_t>() % 3) {
            case 0:
                if (!prepared_.empty()) {
                    prepared_.pop_back();
                }
                break;
            case 1:
                if (!buffers_.empty()) {
                    buffers_.pop_back();
                }
                break;
            default:
                if (!bursts_.empty()) {
                    bursts_.pop_back();
                }
        }
    }

    ByteSource& bytes_;
    stress::RawClient client_;
    std::vector<Prepared> prepared_;
    std::vector<rpc::Buffer::Client> buffers_;
    std::vector<Burst> bursts_;
    kj::TaskSet answers_;
};

void converse(const std::string& path, ByteSource bytes) {
    try {
        Conversation conversation(path, bytes);
        for (std::size_t i = 0; i < kMaximumActions && !bytes.isEmpty(); ++i) {
            conversation.act();
        }
    } catch (const kj::Exception&) {
        // The driver has closed the connection.
    }
}

}  // namespace
}  // namespace nnburst::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace nnburst::fuzz;
    static FuzzedDriver& driver = *new FuzzedDriver;  // its threads never end
    converse(driver.path(), {data, size});
    static unsigned inputs = 0;
    if (++inputs % 16 == 0) {
        driver.expectService();
    }
    return 0;
}
