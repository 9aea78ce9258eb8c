// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/nnapi_functions.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace nnburst::tools {
namespace {

template <class Function>
Result<> find(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(::dlsym(library, name));
    if (function == nullptr) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("function {}: the NNAPI library does not have it; feature "
                                   "level 5 is needed",
                                   name));
    }
    return {};
}

}  // namespace

Result<NnapiFunctions> loadNnapi(const std::string& library) {
    void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const char* const reason = ::dlerror();  // NOLINT(concurrency-mt-unsafe): of this thread
        return failure(ErrorStatus::DEVICE_UNAVAILABLE,
                       fmt::format("cannot load the NNAPI library: {}",
                                   reason == nullptr ? library : std::string(reason)));
    }
    NnapiFunctions functions;
#define NNBURST_NNAPI_FIND(Name) NNBURST_TRY(find(handle, #Name, functions.Name));
    NNBURST_NNAPI_FUNCTIONS(NNBURST_NNAPI_FIND)
#undef NNBURST_NNAPI_FIND
    return functions;
}

}  // namespace nnburst::tools
