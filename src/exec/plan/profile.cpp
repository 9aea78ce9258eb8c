// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/plan/profile.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "exec/operation/operation_instance.h"
#include "log/logger.h"
#include "model/extension_registry.h"
#include "nnburst/unique_fd.h"

namespace nnburst::exec {

namespace {

std::uint64_t nanoseconds(TimePoint time) noexcept {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count());
}

std::uint32_t threadNumber() noexcept {
    thread_local const auto number = static_cast<std::uint32_t>(::gettid());
    return number;
}

/// The weights of a recurrent operation, each element of which is used once a step.
std::uint64_t matrixElements(const OperationView& operation) noexcept {
    std::uint64_t elements = 0;
    for (const OperandView& input : operation.inputs) {
        if (input.isConstant && input.shape.rank() == 2) {
            elements += input.shape.elementCount();
        }
    }
    return elements;
}

class RecordingStep final : public Step {
  public:
    RecordingStep(std::unique_ptr<Step> step, Profile& profile, std::uint32_t number) noexcept
        : step_(std::move(step)), profile_(profile), number_(number) {}

    [[nodiscard]] std::size_t scratchBytes() const noexcept override {
        return step_->scratchBytes();
    }
    [[nodiscard]] std::size_t keptBytes() const noexcept override { return step_->keptBytes(); }
    [[nodiscard]] bool fillsTable() const noexcept override { return step_->fillsTable(); }
    [[nodiscard]] bool hasPackedConstants() const noexcept override {
        return step_->hasPackedConstants();
    }
    [[nodiscard]] bool isMultithreaded() const noexcept override {
        return step_->isMultithreaded();
    }
    [[nodiscard]] Result<> setUp(std::span<std::byte* const> operands) override {
        return step_->setUp(operands);
    }
    [[nodiscard]] Result<> run(TimeLimit& limit) override {
        if (!profile_.isRecording()) {
            return step_->run(limit);
        }
        const auto begin = std::chrono::steady_clock::now();
        Result<> result = step_->run(limit);
        profile_.record(number_, begin, std::chrono::steady_clock::now());
        return result;
    }

  private:
    std::unique_ptr<Step> step_;
    Profile& profile_;
    std::uint32_t number_;
};

}  // namespace

Result<std::unique_ptr<Profile>> Profile::create(const std::string& path) {
    const auto failed = [&](const char* what) {
        return failure(ErrorStatus::GENERAL_FAILURE, fmt::format("cannot {} the profile {}: {}",
                                                                 what, path, std::strerror(errno)));
    };
    const UniqueFd file(
        ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file.get() < 0) {
        return failed("make");
    }
    if (::ftruncate(file.get(), static_cast<off_t>(kProfileBytes)) != 0) {
        return failed("give a size to");
    }
    void* mapping =
        ::mmap(nullptr, kProfileBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (mapping == MAP_FAILED) {
        return failed("map");
    }
    return std::unique_ptr<Profile>(new Profile(mapping));
}

Profile* Profile::ofProcess() {
    // Never destroyed: threads may execute, and record, while the process exits.
    static Profile* const profile = []() -> Profile* {
        const char* prefix = ::secure_getenv(kProfileVariable);
        if (prefix == nullptr || *prefix == '\0') {
            return nullptr;
        }
        auto created = create(fmt::format("{}.{}", prefix, ::getpid()));
        if (!created) {
            logger().warn("{} has no effect: {}", kProfileVariable, created.error().message);
            return nullptr;
        }
        return created->release();
    }();
    return profile;
}

Profile::Profile(void* mapping) noexcept
    : header_(static_cast<ProfileHeader*>(mapping)),
      steps_(reinterpret_cast<ProfiledStep*>(header_ + 1)),
      records_(reinterpret_cast<StepRecord*>(steps_ + kProfiledSteps)) {
    header_->version = kProfileVersion;
    header_->process = static_cast<std::uint32_t>(::getpid());
    // sync [profile-made]: version and process are complete.
    header_->magic.store(kProfileMagic, std::memory_order_release);
}

Profile::~Profile() {
    ::munmap(header_, kProfileBytes);
}

std::uint32_t Profile::describe(std::uint32_t index, const OperationView& operation,
                                KernelLibrary library, const char* kernel) noexcept {
    // Relaxed: gives numbers only; isDescribed publishes the step.
    const std::uint32_t number = header_->stepCount.fetch_add(1, std::memory_order_relaxed);
    if (number >= kProfiledSteps) {
        return number;
    }
    ProfiledStep& step = steps_[number];
    step.operation = index;
    step.type = static_cast<std::int32_t>(operation.type);
    step.library = library;
    step.arithmeticCount = arithmeticCount(operation);
    for (const OperandView& input : operation.inputs) {
        if (!input.isOmitted) {
            (input.isConstant ? step.constantBytes : step.inputBytes) += sizeBytes(input);
        }
    }
    for (const OperandView& output : operation.outputs) {
        step.outputBytes += output.isOmitted ? 0 : sizeBytes(output);
    }
    const auto copy = [](std::string_view text, std::span<char> to) {
        std::copy_n(text.begin(), std::min(text.size(), to.size() - 1), to.begin());
    };
    copy(kernel, step.kernel);
    if (const auto* extension = findExtensionOperation(operation.type); extension != nullptr) {
        copy(extension->name(), step.name);
    }
    // sync [step-described]: the step is complete.
    step.isDescribed.store(1, std::memory_order_release);
    return number;
}

void Profile::record(std::uint32_t step, TimePoint begin, TimePoint end) noexcept {
    // Relaxed: gives places only; endNs publishes the record.
    const std::uint64_t place = header_->recordCount.fetch_add(1, std::memory_order_relaxed);
    if (place >= kStepRecords) {
        return;
    }
    StepRecord& record = records_[place];
    record.step = step;
    record.thread = threadNumber();
    record.beginNs = nanoseconds(begin);
    // sync [step-recorded]: the record is complete.
    record.endNs.store(nanoseconds(end), std::memory_order_release);
}

std::uint64_t arithmeticCount(const OperationView& operation) noexcept {
    const auto input = [&](std::size_t index) -> const Shape& {
        return operation.inputs[index].shape;
    };
    const auto outputElements = [&] { return operation.outputs[0].shape.elementCount(); };
    switch (operation.type) {
        case OperationType::CONV_2D:
        case OperationType::GROUPED_CONV_2D:  // filter [depthOut, height, width, depthOfGroup]
            return 2 * outputElements() * input(1)[1] * input(1)[2] * input(1)[3];
        case OperationType::DEPTHWISE_CONV_2D:  // filter [1, height, width, depthOut]
            return 2 * outputElements() * input(1)[1] * input(1)[2];
        case OperationType::TRANSPOSE_CONV_2D:  // filter [depthOut, height, width, depthIn]
            return 2 * input(0).elementCount() * input(1)[0] * input(1)[1] * input(1)[2];
        case OperationType::FULLY_CONNECTED:  // weights [units, inputSize]
            return 2 * outputElements() * input(1)[1];
        case OperationType::LSTM:
        case OperationType::QUANTIZED_16BIT_LSTM:
        case OperationType::QUANTIZED_LSTM:
        case OperationType::RNN:
        case OperationType::SVDF:  // input [batches, inputSize]
            return 2 * matrixElements(operation) * input(0)[0];
        case OperationType::BIDIRECTIONAL_SEQUENCE_LSTM:
        case OperationType::BIDIRECTIONAL_SEQUENCE_RNN:
        case OperationType::UNIDIRECTIONAL_SEQUENCE_LSTM:
        case OperationType::UNIDIRECTIONAL_SEQUENCE_RNN:  // input: batches, times and inputSize
            return 2 * matrixElements(operation) * input(0)[0] * input(0)[1];
        default:
            return 0;
    }
}

std::unique_ptr<Step> makeProfiledStep(std::unique_ptr<Step> step, Profile& profile,
                                       std::uint32_t number) {
    return std::make_unique<RecordingStep>(std::move(step), profile, number);
}

}  // namespace nnburst::exec
