// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An object in memory that processes share.

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "fail.h"

namespace nnburst::bench {

/// A T in memory that this process shares with those that it forks. The destructor unmaps it.
template <class T>
class SharedObject {
  public:
    SharedObject() : object_(::new (mapZeroed()) T{}) {}
    SharedObject(const SharedObject&) = delete;
    SharedObject& operator=(const SharedObject&) = delete;
    ~SharedObject() { ::munmap(object_, sizeof(T)); }

    T* operator->() const noexcept { return object_; }

  private:
    static void* mapZeroed() {
        void* const memory =
            ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) {
            fail(std::string("mmap of shared memory: ") + std::strerror(errno));
        }
        return memory;
    }

    T* object_;
};

}  // namespace nnburst::bench
