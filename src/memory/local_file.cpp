// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/local_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace nnburst {

namespace {

// File systems that linux/magic.h lacks.
constexpr unsigned long kBcachefsMagic = 0xca451a4e;
constexpr unsigned long kJfsMagic = 0x3153464a;
constexpr unsigned long kNtfs3Magic = 0x7366746e;
constexpr unsigned long kUbifsMagic = 0x24051905;
constexpr unsigned long kZfsMagic = 0x2fc12fc1;

/// Mounting one of those on disks needs privileges, so whoever has mounted it trusts the device
/// below.
constexpr std::array<unsigned long, 20> kLocalFileSystems{
    // in memory
    TMPFS_MAGIC, RAMFS_MAGIC, HUGETLBFS_MAGIC,
    // on disks
    EXT4_SUPER_MAGIC,  // also ext2 and ext3
    XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC, kZfsMagic, kBcachefsMagic, kJfsMagic,
    REISERFS_SUPER_MAGIC, NILFS_SUPER_MAGIC, MSDOS_SUPER_MAGIC, EXFAT_SUPER_MAGIC, kNtfs3Magic,
    kUbifsMagic,
    // on disks, for reading only
    SQUASHFS_MAGIC, EROFS_SUPER_MAGIC_V1, ISOFS_SUPER_MAGIC, UDF_SUPER_MAGIC};

/// Whether a file on overlayfs lies on a disk, and stays there.
/// - A file that is open for writing lies in the upper layer: overlayfs has copied it there, with
///   its contents, when it was opened. It never leaves that layer. A file that is open for reading
///   only may be copied later, into an upper layer on FUSE.
/// - Overlayfs passes the question for extents on to the layer of the file. File systems on disks
///   answer it. FUSE and network file systems that can be upper layers lack it.
bool liesOnDiskBelowOverlay(int fd) noexcept {
    const int openFlags = ::fcntl(fd, F_GETFL);
    // It has room for none: asks how many there are. Braces would initialise its array of size
    // zero, which C++ does not have.
    struct fiemap extents;
    std::memset(&extents, 0, sizeof(extents));
    extents.fm_length = 1;
    return openFlags >= 0 && (openFlags & O_ACCMODE) != O_RDONLY &&
           ::ioctl(fd, FS_IOC_FIEMAP, &extents) == 0;
}

}  // namespace

bool isLocalFileSystem(unsigned long type) noexcept {
    return std::find(kLocalFileSystems.begin(), kLocalFileSystems.end(), type) !=
           kLocalFileSystems.end();
}

Result<> checkLocalFile(int fd, const std::string& what) {
    struct statfs fileSystem {};
    if (::fstatfs(fd, &fileSystem) != 0) {
        return failure(
            ErrorStatus::INVALID_ARGUMENT,
            // NOLINTNEXTLINE(concurrency-mt-unsafe): glibc's is safe
            fmt::format("{}: cannot ask for its file system: {}", what, std::strerror(errno)));
    }
    const auto type = static_cast<unsigned long>(fileSystem.f_type);
    if (type == OVERLAYFS_SUPER_MAGIC) {
        if (liesOnDiskBelowOverlay(fd)) {
            return {};
        }
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       what +
                           " is a file on overlayfs, which must be open for writing and lie on "
                           "a disk, because accesses to other layers may block forever; copy "
                           "it into memory (Region::create), or keep it on a volume");
    }
    if (!isLocalFileSystem(type)) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("{} is a file on a file system of type {:#x} (f_type), where "
                                   "accesses may block forever, as on FUSE; copy it into memory "
                                   "(Region::create), or keep it on a local file system",
                                   what, type));
    }
    return {};
}

}  // namespace nnburst
