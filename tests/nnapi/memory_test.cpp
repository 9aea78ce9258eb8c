// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Memory: of descriptors and of descriptions, and copies between them.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "api.h"
#include "nnburst/fence.h"

namespace nnburst::nnapi {
namespace {

// ---- Of descriptors

TEST(NnapiMemory, refusesNull) {
    const UniqueFd fd = makeMemoryFile(16);
    EXPECT_EQ(ANeuralNetworksMemory_createFromFd(16, PROT_READ, fd.get(), 0, nullptr),
              kUnexpectedNull);
    ANeuralNetworksMemory* memory = nullptr;
    EXPECT_EQ(ANeuralNetworksMemory_createFromAHardwareBuffer(nullptr, &memory), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksMemory_createFromDesc(nullptr, &memory), kUnexpectedNull);
    EXPECT_EQ(memory, nullptr);
}

TEST(NnapiMemory, thatIsNullIsFreedWithoutEffect) {
    ANeuralNetworksMemory_free(nullptr);
}

TEST(NnapiMemory, isNotMadeOfADescriptorThatIsNotOpen) {
    ANeuralNetworksMemory* memory = nullptr;
    EXPECT_EQ(ANeuralNetworksMemory_createFromFd(16, PROT_READ, -1, 0, &memory), kBadData);
    EXPECT_EQ(memory, nullptr);
}

TEST(NnapiMemory, hasASize) {
    const UniqueFd fd = makeMemoryFile(16);
    ANeuralNetworksMemory* memory = nullptr;
    EXPECT_EQ(ANeuralNetworksMemory_createFromFd(0, PROT_READ, fd.get(), 0, &memory), kBadData);
    EXPECT_EQ(memory, nullptr);
}

TEST(NnapiMemory, isNotMadeOfAPipe) {
    int ends[2] = {-1, -1};
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const UniqueFd reader(ends[0]);
    const UniqueFd writer(ends[1]);
    ANeuralNetworksMemory* memory = nullptr;
    EXPECT_NE(ANeuralNetworksMemory_createFromFd(16, PROT_READ, reader.get(), 0, &memory),
              kNoError);
    EXPECT_EQ(memory, nullptr);
}

TEST(NnapiMemory, liesWithinItsFile) {
    const UniqueFd fd = makeMemoryFile(4096);
    ANeuralNetworksMemory* memory = nullptr;
    EXPECT_NE(ANeuralNetworksMemory_createFromFd(4097, PROT_READ, fd.get(), 0, &memory), kNoError);
    EXPECT_NE(ANeuralNetworksMemory_createFromFd(1, PROT_READ, fd.get(), 4096, &memory), kNoError);
    EXPECT_NE(ANeuralNetworksMemory_createFromFd(SIZE_MAX, PROT_READ, fd.get(), 4096, &memory),
              kNoError);
    EXPECT_EQ(memory, nullptr);
}

TEST(NnapiMemory, keepsItsDescriptorAfterTheCallersIsClosed) {
    UniqueFd fd = makeMemoryFile(16);
    const UniqueFd other(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0));
    ANeuralNetworksMemory* created = nullptr;
    ASSERT_EQ(ANeuralNetworksMemory_createFromFd(16, PROT_READ | PROT_WRITE, fd.get(), 0, &created),
              kNoError);
    const Memory memory(created);
    fd.reset();
    const MappedMemory destination(16);
    const float value = 42;
    ASSERT_EQ(::pwrite(other.get(), &value, sizeof(value), 0), 4);
    EXPECT_EQ(ANeuralNetworksMemory_copy(memory.get(), destination.get()), kNoError);
    EXPECT_EQ(destination.floats()[0], 42);
}

TEST(NnapiMemory, ofAHardwareBufferIsNotSupported) {
    int anything = 0;
    ANeuralNetworksMemory* memory = nullptr;
    EXPECT_NE(ANeuralNetworksMemory_createFromAHardwareBuffer(
                  reinterpret_cast<const AHardwareBuffer*>(&anything), &memory),
              kNoError);
    EXPECT_EQ(memory, nullptr);
}

class NnapiMemoryOfAFile : public CompiledAddition {};

/// Memory that begins at the second page of its file.
TEST_F(NnapiMemoryOfAFile, beginsAtItsOffset) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const UniqueFd fd = makeMemoryFile(2 * page);
    ASSERT_EQ(::pwrite(fd.get(), a.data(), 8, static_cast<off_t>(page + 16)), 8);
    ANeuralNetworksMemory* created = nullptr;
    ASSERT_EQ(
        ANeuralNetworksMemory_createFromFd(page, PROT_READ | PROT_WRITE, fd.get(), page, &created),
        kNoError);
    const Memory memory(created);
    const Execution execution = newExecution(compilation.get());
    ASSERT_EQ(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0, nullptr, memory.get(),
                                                          16, 8),
              kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 1, nullptr, b.data(), 8),
              kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_setOutputFromMemory(execution.get(), 0, nullptr,
                                                           memory.get(), 64, 8),
              kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_compute(execution.get()), kNoError);
    TwoFloats read{};
    ASSERT_EQ(::pread(fd.get(), read.data(), 8, static_cast<off_t>(page + 64)), 8);
    EXPECT_EQ(read, kSum);
}

/// As TFLite makes its memory where there is no ashmem.
TEST_F(NnapiMemoryOfAFile, ofShmOpenIsUsed) {
    const std::string name = "/nnapi-test-" + std::to_string(::getpid());
    const UniqueFd fd(::shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
    ASSERT_GE(fd.get(), 0);
    ASSERT_EQ(::shm_unlink(name.c_str()), 0);
    ASSERT_EQ(::ftruncate(fd.get(), 64), 0);
    ASSERT_EQ(::pwrite(fd.get(), a.data(), 8, 0), 8);
    ANeuralNetworksMemory* created = nullptr;
    ASSERT_EQ(ANeuralNetworksMemory_createFromFd(64, PROT_READ | PROT_WRITE, fd.get(), 0, &created),
              kNoError);
    const Memory memory(created);
    for (const Way way : kWays) {
        const Execution execution = newExecution(compilation.get());
        ASSERT_EQ(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0, nullptr,
                                                              memory.get(), 0, 8),
                  kNoError);
        ASSERT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 1, nullptr, b.data(), 8),
                  kNoError);
        ASSERT_EQ(ANeuralNetworksExecution_setOutputFromMemory(execution.get(), 0, nullptr,
                                                               memory.get(), 32, 8),
                  kNoError);
        EXPECT_EQ(computeBy(way, execution.get(), compilation.get()), kNoError) << toString(way);
        TwoFloats read{};
        ASSERT_EQ(::pread(fd.get(), read.data(), 8, 32), 8);
        EXPECT_EQ(read, kSum) << toString(way);
        ASSERT_EQ(::pwrite(fd.get(), TwoFloats{}.data(), 8, 32), 8);
    }
}

/// Constants of a model file, as a program maps it.
TEST_F(NnapiMemoryOfAFile, forReadingOnlyIsAnInput) {
    const UniqueFd fd = makeMemoryFile(16);
    ASSERT_EQ(::pwrite(fd.get(), a.data(), 8, 0), 8);
    const UniqueFd readOnly(
        ::open(("/proc/self/fd/" + std::to_string(fd.get())).c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_GE(readOnly.get(), 0);
    ANeuralNetworksMemory* created = nullptr;
    ASSERT_EQ(ANeuralNetworksMemory_createFromFd(16, PROT_READ, readOnly.get(), 0, &created),
              kNoError);
    const Memory memory(created);
    const Execution execution = newExecution(compilation.get());
    ASSERT_EQ(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0, nullptr, memory.get(),
                                                          0, 8),
              kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 1, nullptr, b.data(), 8),
              kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, sum.data(), 8),
              kNoError);
    EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kNoError);
    EXPECT_EQ(sum, kSum);
}

TEST_F(NnapiMemoryOfAFile, isUsedAsItsProtectionSays) {
    const UniqueFd fd = makeMemoryFile(16);
    for (const bool isForReading : {true, false}) {
        ANeuralNetworksMemory* created = nullptr;
        ASSERT_EQ(ANeuralNetworksMemory_createFromFd(16, isForReading ? PROT_READ : PROT_WRITE,
                                                     fd.get(), 0, &created),
                  kNoError);
        const Memory memory(created);
        const Execution execution = newExecution(compilation.get());
        EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0, nullptr,
                                                              memory.get(), 0, 8),
                  isForReading ? kNoError : kBadData);
        EXPECT_EQ(ANeuralNetworksExecution_setOutputFromMemory(execution.get(), 0, nullptr,
                                                               memory.get(), 0, 8),
                  isForReading ? kBadData : kNoError);
    }
}

// ---- Descriptions

MemoryDesc newDesc() {
    ANeuralNetworksMemoryDesc* desc = nullptr;
    EXPECT_EQ(ANeuralNetworksMemoryDesc_create(&desc), kNoError);
    return MemoryDesc(desc);
}

class NnapiMemoryDesc : public testing::Test {
  protected:
    NnapiMemoryDesc() { EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kNoError); }

    Model model = newAddition(Type(ANEURALNETWORKS_TENSOR_FLOAT32, {2}), Activation::INPUT);
    Compilation compilation = newCompilation(model.get());
    MemoryDesc desc = newDesc();
    const std::vector<std::uint32_t> two{2};
    const std::vector<std::uint32_t> three{3};
    const std::vector<std::uint32_t> twoByOne{2, 1};
};

TEST_F(NnapiMemoryDesc, refusesNull) {
    EXPECT_EQ(ANeuralNetworksMemoryDesc_create(nullptr), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(nullptr, compilation.get(), 0, 1),
              kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), nullptr, 0, 1), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_addOutputRole(nullptr, compilation.get(), 0, 1),
              kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_addOutputRole(desc.get(), nullptr, 0, 1), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(nullptr, 1, two.data()), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(desc.get(), 1, nullptr), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(nullptr), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksMemory_createFromDesc(desc.get(), nullptr), kUnexpectedNull);
}

TEST_F(NnapiMemoryDesc, thatIsNullIsFreedWithoutEffect) {
    ANeuralNetworksMemoryDesc_free(nullptr);
}

using AddRole = int (*)(ANeuralNetworksMemoryDesc* desc,
                        const ANeuralNetworksCompilation* compilation, std::uint32_t index,
                        float frequency);

TEST_F(NnapiMemoryDesc, hasRolesOfFinishedCompilations) {
    const Compilation unfinished = newCompilation(model.get());
    for (const AddRole add :
         {ANeuralNetworksMemoryDesc_addInputRole, ANeuralNetworksMemoryDesc_addOutputRole}) {
        EXPECT_EQ(add(desc.get(), unfinished.get(), 0, 1), kBadData);
    }
}

TEST_F(NnapiMemoryDesc, hasRolesOfArgumentsThatExist) {
    for (const AddRole add :
         {ANeuralNetworksMemoryDesc_addInputRole, ANeuralNetworksMemoryDesc_addOutputRole}) {
        EXPECT_EQ(add(desc.get(), compilation.get(), 999, 1), kBadData);
    }
}

TEST_F(NnapiMemoryDesc, hasFrequenciesAbove0AndAtMost1) {
    for (const AddRole add :
         {ANeuralNetworksMemoryDesc_addInputRole, ANeuralNetworksMemoryDesc_addOutputRole}) {
        for (const float frequency : {-1.0F, 0.0F, 1.5F}) {
            EXPECT_EQ(add(desc.get(), compilation.get(), 0, frequency), kBadData) << frequency;
        }
        EXPECT_EQ(add(desc.get(), compilation.get(), 0, 1), kNoError);
    }
}

TEST_F(NnapiMemoryDesc, hasEachRoleOnce) {
    for (const AddRole add :
         {ANeuralNetworksMemoryDesc_addInputRole, ANeuralNetworksMemoryDesc_addOutputRole}) {
        EXPECT_EQ(add(desc.get(), compilation.get(), 0, 1), kNoError);
        EXPECT_EQ(add(desc.get(), compilation.get(), 0, 0.5F), kBadData);
    }
}

TEST_F(NnapiMemoryDesc, hasRolesOfOneTypeAndFittingDimensions) {
    const Type quant(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {2}, 1, 0);
    const Type otherScale(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {2}, 0.5F, 0);
    const Type otherZeroPoint(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {2}, 1, 128);
    const Type otherRank(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {2, 1}, 1, 0);
    const Type otherSize(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {1}, 1, 0);
    const Type otherType(ANEURALNETWORKS_TENSOR_FLOAT16, {2});
    const Model first = newAddition(quant);
    const Compilation firstCompilation = newCompilation(first.get());
    ASSERT_EQ(ANeuralNetworksCompilation_finish(firstCompilation.get()), kNoError);
    for (const Type* type : {&otherScale, &otherZeroPoint, &otherRank, &otherSize, &otherType}) {
        const Model second = newAddition(*type);
        const Compilation secondCompilation = newCompilation(second.get());
        ASSERT_EQ(ANeuralNetworksCompilation_finish(secondCompilation.get()), kNoError);
        for (const AddRole add :
             {ANeuralNetworksMemoryDesc_addInputRole, ANeuralNetworksMemoryDesc_addOutputRole}) {
            const MemoryDesc mixed = newDesc();
            EXPECT_EQ(add(mixed.get(), firstCompilation.get(), 0, 1), kNoError);
            EXPECT_EQ(
                ANeuralNetworksMemoryDesc_addInputRole(mixed.get(), secondCompilation.get(), 0, 1),
                kBadData);
            EXPECT_EQ(
                ANeuralNetworksMemoryDesc_addOutputRole(mixed.get(), secondCompilation.get(), 0, 1),
                kBadData);
        }
    }
}

TEST_F(NnapiMemoryDesc, hasDimensionsThatFitItsRoles) {
    EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(desc.get(), 1, two.data()), kNoError);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(desc.get(), 1, three.data()), kBadData);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(desc.get(), 2, twoByOne.data()), kBadData);
    const MemoryDesc other = newDesc();
    ASSERT_EQ(ANeuralNetworksMemoryDesc_addInputRole(other.get(), compilation.get(), 0, 1),
              kNoError);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(other.get(), 1, three.data()), kBadData);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(other.get(), 1, two.data()), kNoError);
}

TEST_F(NnapiMemoryDesc, hasLessThanFourGibibytes) {
    const Model open = newAddition(Type(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {}, 1, 0));
    const Compilation openCompilation = newCompilation(open.get());
    ASSERT_EQ(ANeuralNetworksCompilation_finish(openCompilation.get()), kNoError);
    for (const std::vector<std::uint32_t>& dimensions :
         {std::vector<std::uint32_t>{69632, 858001, 308761441},
          std::vector<std::uint32_t>{65536, 65536}}) {
        const auto rank = static_cast<std::uint32_t>(dimensions.size());
        const MemoryDesc first = newDesc();
        ASSERT_EQ(ANeuralNetworksMemoryDesc_addInputRole(first.get(), openCompilation.get(), 0, 1),
                  kNoError);
        EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(first.get(), rank, dimensions.data()),
                  kBadData);
        const MemoryDesc second = newDesc();
        ASSERT_EQ(ANeuralNetworksMemoryDesc_setDimensions(second.get(), rank, dimensions.data()),
                  kNoError);
        EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(second.get(), openCompilation.get(), 0, 1),
                  kBadData);
    }
}

TEST_F(NnapiMemoryDesc, ofAScalarHasNoDimensions) {
    ASSERT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), compilation.get(), 2, 1),
              kNoError);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(desc.get(), 0, nullptr), kNoError);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(desc.get(), 1, two.data()), kBadData);
    const MemoryDesc other = newDesc();
    ASSERT_EQ(ANeuralNetworksMemoryDesc_setDimensions(other.get(), 1, two.data()), kNoError);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(other.get(), compilation.get(), 2, 1),
              kBadData);
}

TEST_F(NnapiMemoryDesc, isFinishedOnceWithARoleAtLeast) {
    EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(desc.get()), kBadData);
    ASSERT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), compilation.get(), 0, 1),
              kNoError);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(desc.get()), kNoError);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(desc.get()), kBadState);
}

TEST_F(NnapiMemoryDesc, thatIsFinishedCannotBeChanged) {
    ASSERT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), compilation.get(), 0, 1),
              kNoError);
    ASSERT_EQ(ANeuralNetworksMemoryDesc_finish(desc.get()), kNoError);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), compilation.get(), 1, 1),
              kBadState);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_addOutputRole(desc.get(), compilation.get(), 0, 1),
              kBadState);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(desc.get(), 1, two.data()), kBadState);
}

TEST_F(NnapiMemoryDesc, thatIsNotFinishedHasNoMemory) {
    ANeuralNetworksMemory* memory = nullptr;
    EXPECT_EQ(ANeuralNetworksMemory_createFromDesc(desc.get(), &memory), kBadState);
    EXPECT_EQ(memory, nullptr);
}

// ---- Memory of descriptions

/// Memory that is input 0 and the output of an addition of two floats.
class NnapiMemoryWithRoles : public CompiledAddition {
  protected:
    enum class Roles : std::uint8_t { INPUT, OUTPUT, BOTH };

    [[nodiscard]] Memory newMemory(Roles roles = Roles::BOTH) const {
        const MemoryDesc desc = newDesc();
        if (roles != Roles::OUTPUT) {
            EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), compilation.get(), 0, 1),
                      kNoError);
        }
        if (roles != Roles::INPUT) {
            EXPECT_EQ(ANeuralNetworksMemoryDesc_addOutputRole(desc.get(), compilation.get(), 0, 1),
                      kNoError);
        }
        EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(desc.get()), kNoError);
        ANeuralNetworksMemory* memory = nullptr;
        EXPECT_EQ(ANeuralNetworksMemory_createFromDesc(desc.get(), &memory), kNoError);
        return Memory(memory);
    }

    /// Adds `a` and `b` into `memory`.
    int computeInto(ANeuralNetworksMemory* memory, Way way = Way::COMPUTE) {
        const Execution execution = newExecution(compilation.get());
        EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, a.data(), 8),
                  kNoError);
        EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 1, nullptr, b.data(), 8),
                  kNoError);
        const int result =
            ANeuralNetworksExecution_setOutputFromMemory(execution.get(), 0, nullptr, memory, 0, 0);
        return result != kNoError ? result : computeBy(way, execution.get(), compilation.get());
    }

    /// Adds `memory` and `b` into `sum`.
    int computeFrom(ANeuralNetworksMemory* memory, Way way = Way::COMPUTE) {
        const Execution execution = newExecution(compilation.get());
        const int result =
            ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0, nullptr, memory, 0, 0);
        EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 1, nullptr, b.data(), 8),
                  kNoError);
        EXPECT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, sum.data(), 8),
                  kNoError);
        return result != kNoError ? result : computeBy(way, execution.get(), compilation.get());
    }
};

TEST_F(NnapiMemoryWithRoles, carriesAnOutputToAnInput) {
    for (const Way way : kWays) {
        const Memory memory = newMemory();
        ASSERT_EQ(computeInto(memory.get(), way), kNoError) << toString(way);
        ASSERT_EQ(computeFrom(memory.get(), way), kNoError) << toString(way);
        EXPECT_EQ(sum, (TwoFloats{21, 42})) << toString(way);
    }
}

TEST_F(NnapiMemoryWithRoles, hasNoContentsAtFirst) {
    for (const Way way : kWays) {
        const Memory memory = newMemory();
        EXPECT_EQ(computeFrom(memory.get(), way), kOpFailed) << toString(way);
    }
}

/// Memory that fenced executions write.
class NnapiMemoryOfWriters : public NnapiMemoryWithRoles {
  protected:
    NnapiMemoryOfWriters() {
        std::copy(a.begin(), a.end(), input_.floats());
        std::copy(b.begin(), b.end(), input_.floats() + 2);
    }

    /// Adds `a` and `b` into `memory`.
    [[nodiscard]] Execution newWriter() const {
        Execution writer = newExecution(compilation.get());
        EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(writer.get(), 0, nullptr,
                                                              input_.get(), 0, 8),
                  kNoError);
        EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(writer.get(), 1, nullptr,
                                                              input_.get(), 8, 8),
                  kNoError);
        EXPECT_EQ(ANeuralNetworksExecution_setOutputFromMemory(writer.get(), 0, nullptr,
                                                               memory.get(), 0, 0),
                  kNoError);
        return writer;
    }

    static void awaitDescriptor(const Event& event) {
        int fd = -1;
        if (ANeuralNetworksEvent_getSyncFenceFd(event.get(), &fd) ==
            kNoError) {  // else it has ended
            const UniqueFd fence(fd);
            ASSERT_TRUE(waitForFence(fence.get()));
        }
    }

    const Memory memory = newMemory();

  private:
    const MappedMemory input_{16};
};

/// The writer's event is not waited for, only its descriptor.
TEST_F(NnapiMemoryOfWriters, carriesAnOutputWhoseDescriptorIsReadable) {
    const Execution writer = newWriter();
    const Event written = startWith(writer.get(), {});
    awaitDescriptor(written);
    EXPECT_EQ(computeFrom(memory.get(), Way::FENCED), kNoError);
    EXPECT_EQ(sum, (TwoFloats{21, 42}));
}

/// One writer has failed, and the event of the other is not waited for, only its descriptor.
TEST_F(NnapiMemoryOfWriters, carriesTheOutputOfTheOneThatHasNotFailed) {
    const UniqueFd firstFence = newFence();
    const UniqueFd secondFence = newFence();
    const Event firstDependency = newEvent(firstFence.get());
    const Event secondDependency = newEvent(secondFence.get());
    const Execution first = newWriter();
    const Execution second = newWriter();
    const Event firstWritten = startWith(first.get(), {firstDependency.get()});
    const Event secondWritten = startWith(second.get(), {secondDependency.get()});
    failFence(firstFence.get());
    EXPECT_EQ(ANeuralNetworksEvent_wait(firstWritten.get()), kOpFailed);
    signalFence(secondFence.get());
    awaitDescriptor(secondWritten);
    EXPECT_EQ(computeFrom(memory.get()), kNoError);
    EXPECT_EQ(sum, (TwoFloats{21, 42}));
}

TEST_F(NnapiMemoryWithRoles, isUsedInItsRolesAlone) {
    EXPECT_EQ(computeInto(newMemory(Roles::INPUT).get()), kBadData);
    EXPECT_EQ(computeFrom(newMemory(Roles::OUTPUT).get()), kBadData);
    const Memory memory = newMemory();
    const Execution execution = newExecution(compilation.get());
    EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 1, nullptr, memory.get(),
                                                          0, 0),
              kBadData);
}

TEST_F(NnapiMemoryWithRoles, isUsedAsAWhole) {
    const Memory memory = newMemory();
    const Execution execution = newExecution(compilation.get());
    for (const auto& [offset, length] : {std::pair<std::size_t, std::size_t>{1, 0}, {0, 8}}) {
        EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0, nullptr,
                                                              memory.get(), offset, length),
                  kBadData);
        EXPECT_EQ(ANeuralNetworksExecution_setOutputFromMemory(execution.get(), 0, nullptr,
                                                               memory.get(), offset, length),
                  kBadData);
    }
}

TEST_F(NnapiMemoryWithRoles, isNoValueOfAnOperand) {
    const Memory memory = newMemory();
    const Model other = newModel();
    ASSERT_EQ(ANeuralNetworksModel_addOperand(other.get(),
                                              Type(ANEURALNETWORKS_TENSOR_FLOAT32, {2}).get()),
              kNoError);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromMemory(other.get(), 0, memory.get(), 0, 0),
              kBadData);
}

TEST_F(NnapiMemoryWithRoles, outlivesItsDescription) {
    const Memory memory = newMemory();  // the description is freed there
    EXPECT_EQ(computeInto(memory.get()), kNoError);
}

TEST_F(NnapiMemoryWithRoles, isCopiedToAndFromADescriptors) {
    const Memory memory = newMemory();
    const MappedMemory from(8);
    const MappedMemory to(8);
    from.floats()[0] = 5;
    from.floats()[1] = 6;
    ASSERT_EQ(ANeuralNetworksMemory_copy(from.get(), memory.get()), kNoError);
    ASSERT_EQ(computeFrom(memory.get()), kNoError);
    EXPECT_EQ(sum, (TwoFloats{15, 26}));
    ASSERT_EQ(ANeuralNetworksMemory_copy(memory.get(), to.get()), kNoError);
    EXPECT_EQ(to.floats()[0], 5);
    EXPECT_EQ(to.floats()[1], 6);
}

TEST_F(NnapiMemoryWithRoles, isCopiedToAnother) {
    const Memory first = newMemory();
    const Memory second = newMemory();
    ASSERT_EQ(computeInto(first.get()), kNoError);
    ASSERT_EQ(ANeuralNetworksMemory_copy(first.get(), second.get()), kNoError);
    ASSERT_EQ(computeFrom(second.get()), kNoError);
    EXPECT_EQ(sum, (TwoFloats{21, 42}));
}

TEST_F(NnapiMemoryWithRoles, isNotCopiedWithoutContents) {
    const Memory first = newMemory();
    const Memory second = newMemory();
    const MappedMemory destination(8);
    EXPECT_EQ(ANeuralNetworksMemory_copy(first.get(), second.get()), kBadData);
    EXPECT_EQ(ANeuralNetworksMemory_copy(first.get(), destination.get()), kBadData);
}

TEST_F(NnapiMemoryWithRoles, losesItsContentsInACopyThatFails) {
    const Memory memory = newMemory();
    const MappedMemory smaller(4);
    ASSERT_EQ(computeInto(memory.get()), kNoError);
    ASSERT_EQ(ANeuralNetworksMemory_copy(smaller.get(), memory.get()), kBadData);
    EXPECT_EQ(computeFrom(memory.get()), kOpFailed);
}

TEST_F(NnapiMemoryWithRoles, losesItsContentsInAnExecutionThatFails) {
    const Memory memory = newMemory();
    const Memory empty = newMemory();
    ASSERT_EQ(computeInto(memory.get()), kNoError);
    const Execution execution = newExecution(compilation.get());
    ASSERT_EQ(
        ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0, nullptr, empty.get(), 0, 0),
        kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 1, nullptr, b.data(), 8),
              kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_setOutputFromMemory(execution.get(), 0, nullptr,
                                                           memory.get(), 0, 0),
              kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_compute(execution.get()), kOpFailed);
    EXPECT_EQ(computeFrom(memory.get()), kOpFailed);
}

/// As many bytes, but other dimensions.
TEST_F(NnapiMemoryWithRoles, isNotCopiedToOtherDimensions) {
    const Model otherModel = newAddition(Type(ANEURALNETWORKS_TENSOR_FLOAT32, {2, 1}));
    const Compilation otherCompilation = newCompilation(otherModel.get());
    ASSERT_EQ(ANeuralNetworksCompilation_finish(otherCompilation.get()), kNoError);
    const MemoryDesc desc = newDesc();
    ASSERT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), otherCompilation.get(), 0, 1),
              kNoError);
    ASSERT_EQ(ANeuralNetworksMemoryDesc_finish(desc.get()), kNoError);
    ANeuralNetworksMemory* created = nullptr;
    ASSERT_EQ(ANeuralNetworksMemory_createFromDesc(desc.get(), &created), kNoError);
    const Memory other(created);
    const Memory memory = newMemory();
    ASSERT_EQ(computeInto(memory.get()), kNoError);
    EXPECT_EQ(ANeuralNetworksMemory_copy(memory.get(), other.get()), kBadData);
}

/// An addition whose dimensions the model leaves open, with memory that has them.
class NnapiMemoryOfOpenShapes : public CompiledAddition {
  protected:
    NnapiMemoryOfOpenShapes() {
        EXPECT_EQ(ANeuralNetworksCompilation_finish(openCompilation.get()), kNoError);
    }

    [[nodiscard]] Memory newMemory(const std::vector<std::uint32_t>& dimensions) const {
        const MemoryDesc desc = newDesc();
        EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), openCompilation.get(), 0, 1),
                  kNoError);
        EXPECT_EQ(ANeuralNetworksMemoryDesc_addOutputRole(desc.get(), openCompilation.get(), 0, 1),
                  kNoError);
        if (!dimensions.empty()) {
            EXPECT_EQ(
                ANeuralNetworksMemoryDesc_setDimensions(
                    desc.get(), static_cast<std::uint32_t>(dimensions.size()), dimensions.data()),
                kNoError);
        }
        EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(desc.get()), kNoError);
        ANeuralNetworksMemory* memory = nullptr;
        EXPECT_EQ(ANeuralNetworksMemory_createFromDesc(desc.get(), &memory),
                  dimensions.empty() ? kOpFailed : kNoError);
        return Memory(memory);
    }

    Model openModel = newAddition(Type(ANEURALNETWORKS_TENSOR_FLOAT32, {0}));
    Compilation openCompilation = newCompilation(openModel.get());
    const Type two{ANEURALNETWORKS_TENSOR_FLOAT32, {2}};
    const Type three{ANEURALNETWORKS_TENSOR_FLOAT32, {3}};
};

TEST_F(NnapiMemoryOfOpenShapes, takesItsOwnDimensionsAlone) {
    const Memory memory = newMemory({2});
    const Execution execution = newExecution(openCompilation.get());
    EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0, three.get(),
                                                          memory.get(), 0, 0),
              kBadData);
    EXPECT_EQ(ANeuralNetworksExecution_setOutputFromMemory(execution.get(), 0, three.get(),
                                                           memory.get(), 0, 0),
              kBadData);
}

TEST_F(NnapiMemoryOfOpenShapes, carriesAnOutputToAnInput) {
    const Memory memory = newMemory({2});
    const Execution first = newExecution(openCompilation.get());
    ASSERT_EQ(ANeuralNetworksExecution_setInput(first.get(), 0, two.get(), a.data(), 8), kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_setInput(first.get(), 1, two.get(), b.data(), 8), kNoError);
    ASSERT_EQ(
        ANeuralNetworksExecution_setOutputFromMemory(first.get(), 0, nullptr, memory.get(), 0, 0),
        kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_compute(first.get()), kNoError);
    const Execution second = newExecution(openCompilation.get());
    ASSERT_EQ(
        ANeuralNetworksExecution_setInputFromMemory(second.get(), 0, two.get(), memory.get(), 0, 0),
        kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_setInput(second.get(), 1, two.get(), b.data(), 8), kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_setOutput(second.get(), 0, nullptr, sum.data(), 8),
              kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_compute(second.get()), kNoError);
    EXPECT_EQ(sum, (TwoFloats{21, 42}));
}

TEST_F(NnapiMemoryOfOpenShapes, takesNoOutputOfOtherDimensions) {
    const Type one(ANEURALNETWORKS_TENSOR_FLOAT32, {1});
    const Memory memory = newMemory({2});
    const Execution first = newExecution(openCompilation.get());
    ASSERT_EQ(ANeuralNetworksExecution_setInput(first.get(), 0, one.get(), a.data(), 4), kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_setInput(first.get(), 1, one.get(), b.data(), 4), kNoError);
    ASSERT_EQ(
        ANeuralNetworksExecution_setOutputFromMemory(first.get(), 0, nullptr, memory.get(), 0, 0),
        kNoError);
    EXPECT_EQ(ANeuralNetworksExecution_compute(first.get()), kOpFailed);
    const Memory copy = newMemory({2});
    EXPECT_EQ(ANeuralNetworksMemory_copy(memory.get(), copy.get()), kBadData) << "has contents";
}

TEST_F(NnapiMemoryOfOpenShapes, needsDimensions) {
    EXPECT_EQ(newMemory({}), nullptr);
}

/// A convolution whose filter, an input of the model, has a scale for each channel.
Model newConvolution(const std::vector<float>& scales) {
    const auto channels = static_cast<std::uint32_t>(scales.size());
    const Type image(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {1, 16, 16, channels}, 1, 0);
    const Type filter(ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, {channels, 3, 3, channels});
    const Type bias(ANEURALNETWORKS_TENSOR_INT32, {channels});
    Model model = newModel();
    for (const Type* type : {&image, &filter, &bias, &kInt32, &kInt32, &kInt32, &kInt32, &image}) {
        EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), type->get()), kNoError);
    }
    const ANeuralNetworksSymmPerChannelQuantParams params{
        .channelDim = 0, .scaleCount = channels, .scales = scales.data()};
    EXPECT_EQ(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model.get(), 1, &params),
              kNoError);
    const std::uint32_t inputs[] = {0, 1, 2, 3, 4, 5, 6};
    const std::uint32_t output = 7;
    EXPECT_EQ(ANeuralNetworksModel_addOperation(model.get(), ANEURALNETWORKS_CONV_2D, 7, inputs, 1,
                                                &output),
              kNoError);
    EXPECT_EQ(ANeuralNetworksModel_identifyInputsAndOutputs(model.get(), 7, inputs, 1, &output),
              kNoError);
    EXPECT_EQ(ANeuralNetworksModel_finish(model.get()), kNoError);
    return model;
}

TEST_F(NnapiMemoryDesc, hasRolesWithTheSameScalesOfChannels) {
    const Model first = newConvolution({1, 1});
    const Model second = newConvolution({0.5F, 0.5F});
    const Compilation firstCompilation = newCompilation(first.get());
    const Compilation secondCompilation = newCompilation(second.get());
    ASSERT_EQ(ANeuralNetworksCompilation_finish(firstCompilation.get()), kNoError);
    ASSERT_EQ(ANeuralNetworksCompilation_finish(secondCompilation.get()), kNoError);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), firstCompilation.get(), 1, 1),
              kNoError);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), secondCompilation.get(), 1, 1),
              kBadData);
}

TEST(NnapiMemory, isCopiedToMemoryOfItsSizeAlone) {
    const MappedMemory eight(8);
    const MappedMemory four(4);
    const MappedMemory sixteen(16);
    EXPECT_EQ(ANeuralNetworksMemory_copy(eight.get(), four.get()), kBadData);
    EXPECT_EQ(ANeuralNetworksMemory_copy(eight.get(), sixteen.get()), kBadData);
    EXPECT_EQ(ANeuralNetworksMemory_copy(nullptr, eight.get()), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksMemory_copy(eight.get(), nullptr), kUnexpectedNull);
}

TEST(NnapiMemory, isCopiedWhetherItIsSealedOrNot) {
    for (const bool isFromSealed : {true, false}) {
        for (const bool isToSealed : {true, false}) {
            const MappedMemory from(8, isFromSealed);
            const MappedMemory to(8, isToSealed);
            from.floats()[1] = 7;
            EXPECT_EQ(ANeuralNetworksMemory_copy(from.get(), to.get()), kNoError);
            EXPECT_EQ(to.floats()[1], 7);
        }
    }
}

}  // namespace
}  // namespace nnburst::nnapi
