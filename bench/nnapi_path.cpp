// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnapi_path.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "fail.h"
#include "nnburst/type_queries.h"
#include "support/nnapi_linked_functions.h"

namespace nnburst::bench {
namespace {

constexpr const char* kDeviceName = "bench";
constexpr std::size_t kAlignmentBytes = 64;

void expectSuccess(int code, const char* what) {
    if (const Result<> result = tools::nnapiResult(code, what); !result) {
        fail(result.error().message);
    }
}

ANeuralNetworksDevice* configuredDevice() {
    ANeuralNetworksDevice* device = nullptr;
    expectSuccess(ANeuralNetworks_getDevice(0, &device), "ANeuralNetworks_getDevice");
    const char* name = "";
    expectSuccess(ANeuralNetworksDevice_getName(device, &name), "ANeuralNetworksDevice_getName");
    if (std::strcmp(name, kDeviceName) != 0) {
        fail(fmt::format("the runtime has device {} first: must be {}", name, kDeviceName));
    }
    return device;
}

UniqueFd makeMemoryFile(NnapiMemoryKind kind, std::size_t sizeBytes) {
    UniqueFd fd;
    if (kind == NnapiMemoryKind::SEALED) {
        fd = UniqueFd(::memfd_create("nnburst-bench", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    } else {
        const std::string name = fmt::format("/nnburst-bench-{}", ::getpid());
        fd = UniqueFd(::shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
        ::shm_unlink(name.c_str());
    }
    if (::ftruncate(fd.get(), static_cast<off_t>(sizeBytes)) != 0 ||
        (kind == NnapiMemoryKind::SEALED &&
         ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)) {
        fail("cannot make memory");
    }
    return fd;
}

}  // namespace

void configureNnapi(const std::string& socket) {
    const std::filesystem::path file = fmt::format("/tmp/nnburst-bench-{}.json", ::getpid());
    std::ofstream(file) << fmt::format(R"({{"name": "{}", "socket": "{}"}})", kDeviceName, socket);
    ::setenv("NNBURST_DEVICES", file.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    std::uint32_t count = 0;
    expectSuccess(ANeuralNetworks_getDeviceCount(&count), "ANeuralNetworks_getDeviceCount");
    std::filesystem::remove(file);  // the runtime has read it
}

NnapiPath::NnapiPath(const Model& model, NnapiMemoryKind memoryKind)
    : model_(valueOf(tools::NnapiModel::build(tools::linkedNnapi(), model))),
      compilation_(nullptr, ANeuralNetworksCompilation_free),
      memory_(nullptr, ANeuralNetworksMemory_free),
      execution_(nullptr, ANeuralNetworksExecution_free),
      burst_(nullptr, ANeuralNetworksBurst_free) {
    compile();
    setArguments(model, memoryKind);
}

void NnapiPath::compile() {
    ANeuralNetworksDevice* const device = configuredDevice();
    ANeuralNetworksCompilation* compilation = nullptr;
    expectSuccess(
        ANeuralNetworksCompilation_createForDevices(model_.get(), &device, 1, &compilation),
        "ANeuralNetworksCompilation_createForDevices");
    compilation_.reset(compilation);
    expectSuccess(ANeuralNetworksCompilation_finish(compilation),
                  "ANeuralNetworksCompilation_finish");
    ANeuralNetworksExecution* execution = nullptr;
    expectSuccess(ANeuralNetworksExecution_create(compilation, &execution),
                  "ANeuralNetworksExecution_create");
    execution_.reset(execution);
    expectSuccess(ANeuralNetworksExecution_setReusable(execution, true),
                  "ANeuralNetworksExecution_setReusable");
    ANeuralNetworksBurst* burst = nullptr;
    expectSuccess(ANeuralNetworksBurst_create(compilation, &burst), "ANeuralNetworksBurst_create");
    burst_.reset(burst);
}

void NnapiPath::setArguments(const Model& model, NnapiMemoryKind memoryKind) {
    std::vector<std::size_t> sizes;
    std::size_t totalBytes = 0;
    for (const auto* indexes : {&model.main.inputIndexes, &model.main.outputIndexes}) {
        for (const std::uint32_t index : *indexes) {
            const Operand& operand = model.main.operands[index];
            sizes.push_back(*operandBytes(operand.type, operand.dimensions));
            totalBytes += (sizes.back() + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes;
        }
    }
    const UniqueFd fd = makeMemoryFile(memoryKind, totalBytes);
    ANeuralNetworksMemory* memory = nullptr;
    expectSuccess(ANeuralNetworksMemory_createFromFd(totalBytes, PROT_READ | PROT_WRITE, fd.get(),
                                                     0, &memory),
                  "ANeuralNetworksMemory_createFromFd");
    memory_.reset(memory);
    std::size_t offset = 0;
    const std::size_t inputCount = model.main.inputIndexes.size();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const bool isInput = i < inputCount;
        const auto index = static_cast<std::int32_t>(isInput ? i : i - inputCount);
        expectSuccess(isInput ? ANeuralNetworksExecution_setInputFromMemory(
                                    execution_.get(), index, nullptr, memory, offset, sizes[i])
                              : ANeuralNetworksExecution_setOutputFromMemory(
                                    execution_.get(), index, nullptr, memory, offset, sizes[i]),
                      "setting an argument");
        offset += (sizes[i] + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes;
    }
}

}  // namespace nnburst::bench
