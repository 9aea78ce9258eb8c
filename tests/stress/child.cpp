// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "child.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace nnburst::stress {

namespace {

/// A user without a name, as any number may be.
constexpr uid_t kStrangerId = 64123;

/// Of this process and its children.
bool& areStrangersIdle() {
    static bool areIdle = false;
    return areIdle;
}

void become(Owner owner) {
    if (owner == Owner::STRANGER && areStrangersIdle()) {
        const sched_param none{};
        if (::sched_setscheduler(0, SCHED_IDLE, &none) != 0) {
            std::perror("sched_setscheduler");
            ::_exit(1);
        }
    }
    if (owner == Owner::STRANGER && ::geteuid() == 0) {
        // The group stays: sockets of drivers have mode 0660.
        if (::setresuid(kStrangerId, kStrangerId, kStrangerId) != 0) {
            std::perror("setresuid");
            ::_exit(1);
        }
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // after setresuid, which clears it
}

}  // namespace

void makeStrangersIdle() {
    areStrangersIdle() = true;
}

Child::Child(const std::function<void()>& body, Owner owner) {
    const pid_t parent = ::getpid();
    std::fflush(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
        become(owner);
        if (::getppid() == parent) {
            body();
        }
        std::fflush(nullptr);
        ::_exit(0);
    }
    isReaped_ = pid_ < 0;
}

Child::~Child() {
    (void)kill();
}

Child::Child(Child&& other) noexcept
    : pid_(other.pid_), isReaped_(std::exchange(other.isReaped_, true)), status_(other.status_) {}

Child& Child::operator=(Child&& other) noexcept {
    (void)kill();
    pid_ = other.pid_;
    isReaped_ = std::exchange(other.isReaped_, true);
    status_ = other.status_;
    return *this;
}

void Child::signal(int number) const {
    if (!isReaped_) {
        ::kill(pid_, number);
    }
}

int Child::kill() {
    if (!isReaped_) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, &status_, 0);
        isReaped_ = true;
    }
    return status_;
}

bool Child::hasEnded() {
    if (!isReaped_) {
        isReaped_ = ::waitpid(pid_, &status_, WNOHANG) == pid_;
    }
    return isReaped_;
}

void holdUntilKilled() {
    while (true) {
        ::pause();
    }
}

}  // namespace nnburst::stress
