// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "onnx_runtime.h"

#include <dlfcn.h>

#include <cstdlib>
#include <functional>
#include <numeric>

#include "fail.h"

namespace nnburst::bench {
namespace {

/// The functions of version 1 of ONNX Runtime's C API that are used here. The library gives a table
/// of functions whose order never changes; the fields between stand for those not used.
struct OrtApi {
    void* functions0[2];
    const char* (*getErrorMessage)(const void* status);
    void* (*createEnv)(int loggingLevel, const char* name, void** environment);
    void* functions4[4];
    void* (*createSessionFromArray)(const void* environment, const void* model, std::size_t bytes,
                                    const void* options, void** session);
    void* (*run)(void* session, const void* options, const char* const* inputNames,
                 const void* const* inputs, std::size_t inputCount, const char* const* outputNames,
                 std::size_t outputCount, void** outputs);
    void* (*createSessionOptions)(void** options);
    void* functions11[12];
    void* (*setGraphOptimizationLevel)(void* options, int level);
    void* (*setIntraOpNumThreads)(void* options, int threads);
    void* (*setInterOpNumThreads)(void* options, int threads);
    void* functions26[23];
    void* (*createTensorWithData)(const void* memory, void* data, std::size_t bytes,
                                  const std::int64_t* dimensions, std::size_t rank, int elementType,
                                  void** value);
    void* functions50[19];
    void* (*createCpuMemoryInfo)(int allocator, int memoryType, void** memory);
};
static_assert(offsetof(OrtApi, createCpuMemoryInfo) == 69 * sizeof(void*));

struct OrtApiBase {
    const OrtApi* (*getApi)(std::uint32_t version);
    const char* (*getVersionString)();
};

const OrtApiBase* base() {
    static const OrtApiBase* const found = []() -> const OrtApiBase* {
        const char* const file = std::getenv("NNBURST_ONNX_RUNTIME");
        if (file == nullptr) {
            return nullptr;
        }
        void* const library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) {
            fail(std::string("NNBURST_ONNX_RUNTIME: ") + ::dlerror());
        }
        const auto get =
            reinterpret_cast<const OrtApiBase* (*)()>(::dlsym(library, "OrtGetApiBase"));
        if (get == nullptr) {
            fail(std::string("NNBURST_ONNX_RUNTIME: ") + file + " is no ONNX Runtime");
        }
        return get();
    }();
    return found;
}

const OrtApi& api() {
    constexpr std::uint32_t kVersion = 1;
    static const OrtApi& api = *base()->getApi(kVersion);
    return api;
}

void check(void* status) {
    if (status != nullptr) {
        fail(std::string("ONNX Runtime: ") + api().getErrorMessage(status));
    }
}

void* environment() {
    static void* const environment = [] {
        constexpr int kErrors = 3;
        void* created = nullptr;
        check(api().createEnv(kErrors, "nnburst-bench", &created));
        return created;
    }();
    return environment;
}

void* tensor(std::vector<std::byte>& bytes, std::size_t elementBytes,
             const std::vector<std::int64_t>& dimensions) {
    constexpr int kFloat = 1;
    constexpr int kUint8 = 2;
    const std::int64_t elements =
        std::accumulate(dimensions.begin(), dimensions.end(), std::int64_t{1}, std::multiplies<>());
    bytes.resize(static_cast<std::size_t>(elements) * elementBytes);
    constexpr int kDeviceAllocator = 0;
    void* memory = nullptr;
    check(api().createCpuMemoryInfo(kDeviceAllocator, 0, &memory));
    void* value = nullptr;
    check(api().createTensorWithData(memory, bytes.data(), bytes.size(), dimensions.data(),
                                     dimensions.size(), elementBytes == 1 ? kUint8 : kFloat,
                                     &value));
    return value;
}

}  // namespace

const char* onnxRuntimeVersion() {
    return base() == nullptr ? nullptr : base()->getVersionString();
}

OnnxSession::OnnxSession(const std::string& file, std::uint32_t threads, std::size_t elementBytes,
                         const std::vector<std::int64_t>& inputDimensions,
                         const std::string& inputName,
                         const std::vector<std::int64_t>& outputDimensions,
                         const std::string& outputName)
    : inputName_(inputName), outputName_(outputName) {
    constexpr int kAllOptimizations = 99;
    void* options = nullptr;
    check(api().createSessionOptions(&options));
    check(api().setGraphOptimizationLevel(options, kAllOptimizations));
    check(api().setIntraOpNumThreads(options, static_cast<int>(threads)));
    check(api().setInterOpNumThreads(options, 1));
    check(
        api().createSessionFromArray(environment(), file.data(), file.size(), options, &session_));
    inputValue_ = tensor(input_, elementBytes, inputDimensions);
    outputValue_ = tensor(output_, elementBytes, outputDimensions);
}

bool OnnxSession::run() noexcept {
    const char* const inputName = inputName_.c_str();
    const char* const outputName = outputName_.c_str();
    const void* const input = inputValue_;
    return api().run(session_, nullptr, &inputName, &input, 1, &outputName, 1, &outputValue_) ==
           nullptr;
}

}  // namespace nnburst::bench
