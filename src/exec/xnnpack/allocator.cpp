// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/xnnpack/allocator.h"

#include <cstdlib>

#include "system/huge_pages.h"

namespace nnburst::exec::xnnpack {

const xnn_allocator& allocator() noexcept {
    static const xnn_allocator kAllocator{
        .context = nullptr,
        .allocate = [](void*, std::size_t size) { return std::malloc(size); },
        .reallocate = [](void*, void* block,
                         std::size_t size) { return std::realloc(block, size); },
        .deallocate = [](void*, void* block) { std::free(block); },
        .aligned_allocate = [](void*, std::size_t alignment, std::size_t size) -> void* {
            void* block = nullptr;
            if (::posix_memalign(&block, system::blockAlignment(size, alignment), size) != 0) {
                return nullptr;
            }
            system::adviseHugePages(block, size);
            return block;
        },
        .aligned_deallocate = [](void*, void* block) { std::free(block); }};
    return kAllocator;
}

}  // namespace nnburst::exec::xnnpack
