// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/extension_library.h"

#include <dlfcn.h>

#include <set>

#include "model/invalid.h"
#include "nnburst/extension.h"
#include "system/mutex.h"

namespace nnburst::device {

Result<> loadExtension(const std::string& file) {
    static system::Mutex mutex;
    static std::set<void*> loaded NNBURST_GUARDED_BY(mutex);
    const system::MutexLock lock(mutex);
    // A file name without a slash would be searched for elsewhere.
    const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        return invalid("cannot load extension: {}", ::dlerror());
    }
    if (loaded.contains(library)) {
        ::dlclose(library);
        return {};
    }
    const auto entry =
        reinterpret_cast<decltype(&nnburstExtension)>(::dlsym(library, "nnburstExtension"));
    const VendorExtension* const extension =
        entry == nullptr ? nullptr : entry(kExtensionInterfaceVersion);
    if (extension == nullptr) {
        ::dlclose(library);
        return invalid("cannot load extension {}: {}", file,
                       entry == nullptr
                           ? std::string("it has no function nnburstExtension")
                           : fmt::format("it was not made for version {} of the interface",
                                         kExtensionInterfaceVersion));
    }
    if (Result<> registered = registerExtension(*extension); !registered) {
        ::dlclose(library);
        return invalid("cannot load extension {}: {}", file, registered.error().message);
    }
    loaded.insert(library);
    return {};
}

}  // namespace nnburst::device
