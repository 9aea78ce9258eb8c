// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "api.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "nnburst/fence.h"

namespace nnburst::nnapi {

Model newModel() {
    ANeuralNetworksModel* model = nullptr;
    EXPECT_EQ(ANeuralNetworksModel_create(&model), kNoError);
    return Model(model);
}

Compilation newCompilation(ANeuralNetworksModel* model) {
    ANeuralNetworksCompilation* compilation = nullptr;
    EXPECT_EQ(ANeuralNetworksCompilation_create(model, &compilation), kNoError);
    return Compilation(compilation);
}

Compilation newCompilation(ANeuralNetworksModel* model,
                           const std::vector<ANeuralNetworksDevice*>& devices) {
    ANeuralNetworksCompilation* compilation = nullptr;
    EXPECT_EQ(ANeuralNetworksCompilation_createForDevices(
                  model, devices.data(), static_cast<std::uint32_t>(devices.size()), &compilation),
              kNoError);
    return Compilation(compilation);
}

Execution newExecution(ANeuralNetworksCompilation* compilation) {
    ANeuralNetworksExecution* execution = nullptr;
    EXPECT_EQ(ANeuralNetworksExecution_create(compilation, &execution), kNoError);
    return Execution(execution);
}

Burst newBurst(ANeuralNetworksCompilation* compilation) {
    ANeuralNetworksBurst* burst = nullptr;
    EXPECT_EQ(ANeuralNetworksBurst_create(compilation, &burst), kNoError);
    return Burst(burst);
}

Event newEvent(int fence) {
    ANeuralNetworksEvent* event = nullptr;
    EXPECT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(fence, &event), kNoError);
    return Event(event);
}

UniqueFd newFence() {
    auto fence = makeFence();
    EXPECT_TRUE(fence);
    return fence ? std::move(*fence) : UniqueFd();
}

Event start(ANeuralNetworksExecution* execution) {
    ANeuralNetworksEvent* event = nullptr;
    EXPECT_EQ(ANeuralNetworksExecution_startCompute(execution, &event), kNoError);
    return Event(event);
}

Event startWith(ANeuralNetworksExecution* execution,
                const std::vector<const ANeuralNetworksEvent*>& dependencies) {
    ANeuralNetworksEvent* event = nullptr;
    EXPECT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(
                  execution, dependencies.data(), static_cast<std::uint32_t>(dependencies.size()),
                  0, &event),
              kNoError);
    return Event(event);
}

std::vector<ANeuralNetworksDevice*> allDevices() {
    std::uint32_t count = 0;
    EXPECT_EQ(ANeuralNetworks_getDeviceCount(&count), kNoError);
    std::vector<ANeuralNetworksDevice*> devices(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        EXPECT_EQ(ANeuralNetworks_getDevice(i, &devices[i]), kNoError);
    }
    return devices;
}

ANeuralNetworksDevice* deviceNamed(const std::string& name) {
    for (ANeuralNetworksDevice* device : allDevices()) {
        const char* deviceName = "";
        EXPECT_EQ(ANeuralNetworksDevice_getName(device, &deviceName), kNoError);
        if (name == deviceName) {
            return device;
        }
    }
    return nullptr;
}

ANeuralNetworksDevice* referenceDevice() {
    return deviceNamed("nnapi-reference");
}

UniqueFd makeMemoryFile(std::size_t sizeBytes, bool isSealed) {
    UniqueFd fd(::memfd_create("nnapi-test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    EXPECT_EQ(::ftruncate(fd.get(), static_cast<off_t>(sizeBytes)), 0);
    if (isSealed) {
        EXPECT_EQ(::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
    }
    return fd;
}

MappedMemory::MappedMemory(std::size_t sizeBytes, bool isSealed)
    : fd_(makeMemoryFile(sizeBytes, isSealed)), sizeBytes_(sizeBytes) {
    data_ = ::mmap(nullptr, sizeBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
    EXPECT_NE(data_, MAP_FAILED);
    ANeuralNetworksMemory* memory = nullptr;
    EXPECT_EQ(ANeuralNetworksMemory_createFromFd(sizeBytes, PROT_READ | PROT_WRITE, fd_.get(), 0,
                                                 &memory),
              kNoError);
    memory_.reset(memory);
}

MappedMemory::~MappedMemory() {
    ::munmap(data_, sizeBytes_);
}

Model newAddition(const Type& type, Activation activation) {
    Model model = newModel();
    for (const ANeuralNetworksOperandType* operand :
         {type.get(), type.get(), kInt32.get(), type.get()}) {
        EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), operand), kNoError);
    }
    std::uint32_t inputCount = 3;
    if (activation == Activation::CONSTANT) {
        const std::int32_t none = ANEURALNETWORKS_FUSED_NONE;
        EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 2, &none, sizeof(none)),
                  kNoError);
        inputCount = 2;
    }
    const std::uint32_t inputs[] = {0, 1, 2};
    const std::uint32_t output = 3;
    EXPECT_EQ(
        ANeuralNetworksModel_addOperation(model.get(), ANEURALNETWORKS_ADD, 3, inputs, 1, &output),
        kNoError);
    EXPECT_EQ(
        ANeuralNetworksModel_identifyInputsAndOutputs(model.get(), inputCount, inputs, 1, &output),
        kNoError);
    EXPECT_EQ(ANeuralNetworksModel_finish(model.get()), kNoError);
    return model;
}

Model newAddition() {
    return newAddition(Type(ANEURALNETWORKS_TENSOR_FLOAT32, {2}));
}

EndlessLoop::EndlessLoop() : condition_(newModel()), body_(newModel()), main_(newModel()) {
    const Type one(ANEURALNETWORKS_TENSOR_FLOAT32, {1});
    const Type answer(ANEURALNETWORKS_TENSOR_BOOL8, {1});
    const Type reference(ANEURALNETWORKS_MODEL);
    const float limit = 1;
    const std::uint32_t indexes[] = {0, 1, 2, 3};

    // condition: the value is below 1, which it stays, since the body makes a RELU of it
    ANeuralNetworksModel_addOperand(condition_.get(), one.get());
    ANeuralNetworksModel_addOperand(condition_.get(), one.get());
    ANeuralNetworksModel_addOperand(condition_.get(), answer.get());
    ANeuralNetworksModel_setOperandValue(condition_.get(), 1, &limit, sizeof(limit));
    EXPECT_EQ(ANeuralNetworksModel_addOperation(condition_.get(), ANEURALNETWORKS_LESS, 2, indexes,
                                                1, &indexes[2]),
              kNoError);
    ANeuralNetworksModel_identifyInputsAndOutputs(condition_.get(), 1, indexes, 1, &indexes[2]);
    EXPECT_EQ(ANeuralNetworksModel_finish(condition_.get()), kNoError);

    ANeuralNetworksModel_addOperand(body_.get(), one.get());
    ANeuralNetworksModel_addOperand(body_.get(), one.get());
    EXPECT_EQ(ANeuralNetworksModel_addOperation(body_.get(), ANEURALNETWORKS_RELU, 1, indexes, 1,
                                                &indexes[1]),
              kNoError);
    ANeuralNetworksModel_identifyInputsAndOutputs(body_.get(), 1, indexes, 1, &indexes[1]);
    EXPECT_EQ(ANeuralNetworksModel_finish(body_.get()), kNoError);

    for (const Type* type : {&reference, &reference, &one, &one}) {
        ANeuralNetworksModel_addOperand(main_.get(), type->get());
    }
    EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(main_.get(), 0, condition_.get()),
              kNoError);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(main_.get(), 1, body_.get()), kNoError);
    EXPECT_EQ(ANeuralNetworksModel_addOperation(main_.get(), ANEURALNETWORKS_WHILE, 3, indexes, 1,
                                                &indexes[3]),
              kNoError);
    ANeuralNetworksModel_identifyInputsAndOutputs(main_.get(), 1, &indexes[2], 1, &indexes[3]);
    EXPECT_EQ(ANeuralNetworksModel_finish(main_.get()), kNoError);
}

void setArguments(ANeuralNetworksExecution* execution, const TwoFloats& a, const TwoFloats& b,
                  TwoFloats& sum) {
    EXPECT_EQ(ANeuralNetworksExecution_setInput(execution, 0, nullptr, a.data(), sizeof(a)),
              kNoError);
    EXPECT_EQ(ANeuralNetworksExecution_setInput(execution, 1, nullptr, b.data(), sizeof(b)),
              kNoError);
    EXPECT_EQ(ANeuralNetworksExecution_setOutput(execution, 0, nullptr, sum.data(), sizeof(sum)),
              kNoError);
}

const char* toString(Way way) noexcept {
    switch (way) {
        case Way::COMPUTE:
            return "compute";
        case Way::START:
            return "startCompute";
        case Way::BURST:
            return "burstCompute";
        case Way::FENCED:
            return "startComputeWithDependencies";
    }
    return "";
}

int computeBy(Way way, ANeuralNetworksExecution* execution,
              ANeuralNetworksCompilation* compilation) {
    ANeuralNetworksEvent* event = nullptr;
    int result = kNoError;
    switch (way) {
        case Way::COMPUTE:
            return ANeuralNetworksExecution_compute(execution);
        case Way::BURST:
            return ANeuralNetworksExecution_burstCompute(execution, newBurst(compilation).get());
        case Way::START:
            result = ANeuralNetworksExecution_startCompute(execution, &event);
            break;
        case Way::FENCED:
            result = ANeuralNetworksExecution_startComputeWithDependencies(execution, nullptr, 0, 0,
                                                                           &event);
            break;
    }
    if (result == kNoError) {
        result = ANeuralNetworksEvent_wait(event);
    }
    ANeuralNetworksEvent_free(event);
    return result;
}

CompiledAddition::CompiledAddition(const std::vector<ANeuralNetworksDevice*>& devices)
    : compilation(devices.empty() ? newCompilation(model.get())
                                  : newCompilation(model.get(), devices)) {
    EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kNoError);
}

}  // namespace nnburst::nnapi
