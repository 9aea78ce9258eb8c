// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Descriptors: files that cannot be closed or do not answer, and more than the driver has.

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "child.h"
#include "device/foreign_memory.h"
#include "device/rpc/conversion.h"
#include "nnburst/device.h"
#include "raw_client.h"
#include "scenario.h"
#include "stress_case.h"
#include "support/send_descriptors.h"

namespace nnburst::stress {

namespace {

/// A file of one page that behaves as hostile_files.cpp says.
UniqueFd openHostileFile(const test::TemporaryDirectory& directory, const std::string& name) {
    UniqueFd file(::open((directory.path() / name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    (void)::ftruncate(file.get(), 4096);
    return file;
}

/// Sends the file as memory, as cache files and as a fence, on a new connection each time.
void sendHostileFiles(const DriverUnderAttack& target, const test::TemporaryDirectory& directory,
                      const std::string& name) {
    while (true) {
        const auto device = nnburst::connect(target.socketPath);
        if (!device) {
            continue;
        }
        const auto prepared = prepareModel(**device, test::makeAddModel());
        if (!prepared) {
            continue;
        }
        test::AddRequest add;
        ExecutionOutcome outcome;
        std::array<UniqueFd, 3> files;
        for (UniqueFd& file : files) {
            file = openHostileFile(directory, name);
        }
        target.log.note(
            (*prepared)->executeFenced(add.request, std::array{files[0].get()}, {}, {}));
        target.log.note(
            prepareModel(**device, test::makeAddModel(),
                         {.modelCache = {files[1].get()}, .dataCache = {files[2].get()}}));
        const auto region = Region::receive(std::move(files[0]), 4096);
        if (region) {
            target.log.note(
                (*prepared)->executeSynchronously(test::addRequest(*region), {}, outcome));
        }
    }
}

StressCase hostileFiles(const std::string& caseName, const std::string& fileName,
                        const std::string& what) {
    return {
        caseName, what, [fileName](std::chrono::milliseconds duration) {
            const test::TemporaryDirectory directory;
            std::filesystem::permissions(directory.path(), std::filesystem::perms::all);
            const Attacker attacker = [&](const DriverUnderAttack& target) {
                sendHostileFiles(target, directory, fileName);
            };
            return run(
                {.preload = NNBURST_HOSTILE_FILES_PATH,
                 .attackers = {attacker, attacker, attacker},
                 .afterwards = [&] { std::ofstream(directory.path() / (fileName + ".released")); }},
                duration);
        }};
}

/// Holds `count` connections that never say anything, and connects again where the driver has
/// closed one.
void holdConnections(const DriverUnderAttack& target, std::size_t count) {
    std::vector<UniqueFd> connections(count);
    while (true) {
        for (UniqueFd& connection : connections) {
            char byte = 0;
            const bool isClosed =
                !connection || ::recv(connection.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
            if (isClosed) {
                connection = connectSocket(target.socketPath);
                target.log.noteDone();
            }
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

CaseResult runFewDescriptors(std::chrono::milliseconds duration) {
    return run({.driverDescriptors = 256, .attackers = {[](const DriverUnderAttack& target) {
                                              holdConnections(target, 300);
                                          }}},
               duration);
}

/// Executes with new memory each time and never frees any.
void useUpSlots(const DriverUnderAttack& target, PreparedModel& prepared) {
    const auto burst = prepared.configureExecutionBurst({});
    if (!burst) {
        return;
    }
    std::vector<SharedRegion> regions;
    ExecutionOutcome outcome;
    constexpr std::size_t kSlots = 19'744;
    while (regions.size() < kSlots) {
        const auto region = Region::create(4096);
        if (!region) {
            break;
        }
        target.log.note((*burst)->execute(test::addRequest(*region), {}, outcome));
        regions.push_back(*region);
    }
    holdUntilKilled();
}

/// A request whose memory is `fd`, of a page and more. It need not be accepted.
void sendAsMemory(RawClient& client, rpc::PreparedModel::Client& prepared, int fd) {
    auto request = prepared.executeSynchronouslyRequest();
    const test::AddRequest add;
    auto message = request.initRequest();
    (void)device::toMessage(add.request, message);
    setRegion(message.getPools()[0].initMemory(), fd, 4096);
    request.initOptions();
    (void)request.send().wait(client.io().waitScope);
}

/// Descriptors whose close(2) takes long, if it is the last: that of a userfaultfd waits for the
/// address space of the process that has made it, which is copied again and again here; that of an
/// inotify instance waits for others that look at its watches; that of memory frees it.
void sendSlowDescriptors(const DriverUnderAttack& target) {
    constexpr std::size_t kBytes = 1 << 30;
    std::thread([] {
        while (true) {
            void* const memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
            const Child copy([] {});
            ::munmap(memory, kBytes);
        }
    }).detach();
    RawClient client(target.socketPath);
    auto prepared = client.prepare(test::makeAddModel());
    while (true) {
        UniqueFd memory(::memfd_create("large", MFD_CLOEXEC | MFD_ALLOW_SEALING));
        (void)::fallocate(memory.get(), 0, 0, kBytes / 16);
        (void)::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
        UniqueFd watches(::inotify_init1(IN_CLOEXEC));
        (void)::inotify_add_watch(watches.get(), "/tmp", IN_CREATE);
        UniqueFd faults(static_cast<int>(
            ::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY)));
        uffdio_api api{.api = UFFD_API, .features = 0, .ioctls = 0};
        (void)::ioctl(faults.get(), UFFDIO_API, &api);
        for (UniqueFd* fd : {&memory, &watches, &faults}) {
            if (*fd) {
                sendAsMemory(client, prepared, fd->get());
                fd->reset();
            }
        }
        target.log.noteDone();
    }
}

/// The calling process has so many mappings from now on, which closing a userfaultfd of it visits
/// one by one.
void makeMappings(std::size_t count) {
    constexpr std::size_t kPageBytes = 4096;
    auto* const memory =
        static_cast<std::byte*>(::mmap(nullptr, count * kPageBytes, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    for (std::size_t i = 0; i < count; i += 2) {
        (void)::mprotect(memory + i * kPageBytes, kPageBytes, PROT_READ);
    }
}

/// Sends bytes inside of a message of 16 MiB, each with as many userfaultfds as the system takes.
/// No message claims them, the account has room for few, and each takes long to close. Reconnects
/// when the driver stops reading.
void floodWithSlowDescriptors(const DriverUnderAttack& target) {
    constexpr std::size_t kDescriptors = 253;
    constexpr std::size_t kMappings = 60'000;
    constexpr std::array<std::uint32_t, 2> kHeader{0, (16 << 20) / 8};
    makeMappings(kMappings);
    while (true) {
        const UniqueFd connection = connectSocket(target.socketPath);
        (void)::send(connection.get(), kHeader.data(), sizeof(kHeader), MSG_NOSIGNAL);
        while (true) {
            std::vector<UniqueFd> faults;
            std::vector<int> numbers;
            for (std::size_t i = 0; i < kDescriptors; ++i) {
                faults.emplace_back(static_cast<int>(
                    ::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY)));
                uffdio_api api{.api = UFFD_API, .features = 0, .ioctls = 0};
                (void)::ioctl(faults.back().get(), UFFDIO_API, &api);
                numbers.push_back(faults.back().get());
            }
            if (!test::sendDescriptors(connection.get(), std::string(1, '\0'), numbers,
                                       MSG_DONTWAIT)) {
                break;
            }
            target.log.noteDone();
        }
    }
}

}  // namespace

StressCases descriptorCases() {
    return {
        hostileFiles("files_cannot_be_closed", "close-fails",
                     "memory, cache files and fences whose close(2) fails"),
        hostileFiles("files_do_not_answer", "stalls",
                     "memory, cache files and fences of a file system that does not answer"),
        attacking("idle_connections", "1,100 connections that say nothing",
                  [](const DriverUnderAttack& target) { holdConnections(target, 1100); }),
        {"few_descriptors", "300 connections to a driver that may have 256 descriptors",
         runFewDescriptors},
        attacking("slow_descriptors",
                  "memory, inotify instances and userfaultfds that close slowly",
                  repeatedly(sendSlowDescriptors)),
        attacking("dropped_descriptors",
                  "userfaultfds that close slowly, more of them than there is room for",
                  repeatedly(floodWithSlowDescriptors), 2),
        attacking("many_slots", "a burst with new memory in each of 19,744 requests",
                  withPreparedModel(test::makeAddModel(), useUpSlots)),
    };
}

}  // namespace nnburst::stress
