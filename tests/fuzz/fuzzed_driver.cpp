// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "fuzzed_driver.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "device/driver/service.h"
#include "device/driver_process.h"
#include "device/local/local_device.h"
#include "device/rpc/unix_socket.h"
#include "support/temporary_directory.h"

namespace nnburst::fuzz {

namespace {

using namespace device;

void serve(const std::string& path) {
    const std::shared_ptr<Scheduler> scheduler =
        *Scheduler::create("nnburst-job", defaultJobLimits());
    const auto local = LocalDevice::create(*DeviceSetup::prepare({}), scheduler,
                                           exec::KernelThreadPlacement::ANYWHERE);
    const auto listener = *UnixListener::listen(path);
    EventLoop loop;
    Service service(loop, *local,
                    {.admission = {}, .limits = limitsOfOwnDriver(MachineSize::get())});
    loop.run(service.listen(listener.fd()));
}

}  // namespace

FuzzedDriver::FuzzedDriver() {
    ::signal(SIGPIPE, SIG_IGN);
    static const test::TemporaryDirectory directory;  // removed when the process exits
    path_ = directory.path() / "driver.sock";
    std::thread([path = path_] { serve(path); }).detach();
    while (!nnburst::connect(path_)) {
        ::usleep(1000);
    }
    device_ = *nnburst::connect(path_);
    prepared_ = *prepareModel(*device_, test::makeAddModel());
}

void FuzzedDriver::expectService() {
    const test::AddRequest add;
    ExecutionOutcome outcome;
    const auto executed = prepared_->executeSynchronously(add.request, {}, outcome);
    if (!executed || add.out()[3] != 13.0F) {
        std::printf("another client is not served: %s\n",
                    executed ? "wrong result" : executed.error().message.c_str());
        std::abort();
    }
}

}  // namespace nnburst::fuzz
