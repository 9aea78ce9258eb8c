// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/access_list.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

namespace nnburst::device {

namespace {

/// Room for the strings of one entry of the user database; it is doubled while it is too small.
constexpr std::size_t kEntryBytes = 4096;
constexpr std::size_t kMaximumEntryBytes = std::size_t{16} << 20;  // a group with many members

/// -1 means no user and no group in the system's calls.
std::optional<unsigned> asNumber(std::string_view text) {
    unsigned number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number == UINT32_MAX) {
        return std::nullopt;
    }
    return number;
}

/// Calls `look` (getpwnam_r or getgrnam_r) with enough room. Returns the entry, or null and a
/// reason.
template <class Entry, class Look>
Result<Entry> lookUp(const char* kind, const std::string& name, Look look) {
    Entry entry{};
    Entry* found = nullptr;
    int error = ERANGE;
    for (std::size_t bytes = kEntryBytes; error == ERANGE && bytes <= kMaximumEntryBytes;
         bytes *= 2) {
        std::vector<char> room(bytes);
        error = look(name.c_str(), &entry, room.data(), room.size(), &found);
    }
    if (found == nullptr) {
        return failure(
            ErrorStatus::INVALID_ARGUMENT,
            fmt::format("{} '{}': {}; must be a name or a number", kind, name,
                        error == 0 ? "the system does not know it" : std::strerror(error)));
    }
    return entry;  // its pointers dangle: numbers alone are used
}

Result<uid_t> userOf(const std::string& nameOrNumber) {
    if (const auto number = asNumber(nameOrNumber)) {
        return static_cast<uid_t>(*number);
    }
    NNBURST_TRY_ASSIGN(const passwd entry, lookUp<passwd>("user", nameOrNumber, ::getpwnam_r));
    return entry.pw_uid;
}

}  // namespace

Result<gid_t> groupOf(const std::string& nameOrNumber) {
    if (const auto number = asNumber(nameOrNumber)) {
        return static_cast<gid_t>(*number);
    }
    NNBURST_TRY_ASSIGN(const group entry, lookUp<group>("group", nameOrNumber, ::getgrnam_r));
    return entry.gr_gid;
}

Result<AccessList> AccessList::create(const std::vector<std::string>& users,
                                      const std::vector<std::string>& groups) {
    AccessList list;
    for (const std::string& user : users) {
        NNBURST_TRY_ASSIGN(const uid_t number, userOf(user));
        list.users_.push_back(number);
    }
    for (const std::string& name : groups) {
        NNBURST_TRY_ASSIGN(const gid_t number, groupOf(name));
        list.groups_.push_back(number);
    }
    return list;
}

Result<> AccessList::check(const ClientIdentity& client) const {
    const auto isListed = [](const auto& list, auto number) {
        return std::find(list.begin(), list.end(), number) != list.end();
    };
    const bool isAdmitted = (users_.empty() && groups_.empty()) || isListed(users_, client.user) ||
                            isListed(groups_, client.group) ||
                            std::any_of(client.groups.begin(), client.groups.end(),
                                        [&](gid_t number) { return isListed(groups_, number); });
    if (isAdmitted) {
        return {};
    }
    return failure(ErrorStatus::DEVICE_UNAVAILABLE,
                   fmt::format("the driver refuses process {} of user {} and group {}: it admits "
                               "only the users and groups that it was started with; its "
                               "administrator can add --allow-user {} to its options",
                               client.process, client.user, client.group, client.user));
}

UserNames UserNames::read() {
    UserNames names;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/etc/passwd", "re"),
                                                               std::fclose);
    if (!file) {
        return names;
    }
    // fgetpwent(3) asks no other database and is used before other threads start.
    while (const passwd* entry = ::fgetpwent(file.get())) {  // NOLINT(concurrency-mt-unsafe)
        names.names_.emplace(entry->pw_uid, entry->pw_name);
    }
    return names;
}

std::string UserNames::describe(const ClientIdentity& client) const {
    const auto name = names_.find(client.user);
    return fmt::format(
        "process {}{}, user {}{}",
        client.process == 0 ? std::string("unknown") : std::to_string(client.process),
        client.program.empty() ? std::string() : fmt::format(" '{}'", client.program), client.user,
        name == names_.end() ? std::string() : fmt::format(" '{}'", name->second));
}

}  // namespace nnburst::device
