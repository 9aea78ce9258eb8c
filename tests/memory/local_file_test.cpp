// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/local_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/mman.h>

#include <initializer_list>

#include "nnburst/memory.h"

namespace nnburst {
namespace {

TEST(LocalFile, liesInMemoryOrOnALocalDisk) {
    for (const unsigned long type : std::initializer_list<unsigned long>{
             TMPFS_MAGIC, RAMFS_MAGIC, HUGETLBFS_MAGIC, EXT2_SUPER_MAGIC, EXT3_SUPER_MAGIC,
             EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, F2FS_SUPER_MAGIC, MSDOS_SUPER_MAGIC,
             EXFAT_SUPER_MAGIC, SQUASHFS_MAGIC, ISOFS_SUPER_MAGIC}) {
        EXPECT_TRUE(isLocalFileSystem(type)) << std::hex << type;
    }
    EXPECT_TRUE(isLocalFileSystem(0x2fc12fc1)) << "ZFS";
    EXPECT_TRUE(isLocalFileSystem(0xca451a4e)) << "bcachefs";
}

TEST(LocalFile, isNoneWhoseAccessesAServerAnswers) {
    constexpr unsigned long kFuse = 0x65735546;
    for (const unsigned long type : std::initializer_list<unsigned long>{
             kFuse, NFS_SUPER_MAGIC, CIFS_SUPER_MAGIC, V9FS_MAGIC, CEPH_SUPER_MAGIC,
             AFS_SUPER_MAGIC, CODA_SUPER_MAGIC}) {
        EXPECT_FALSE(isLocalFileSystem(type)) << std::hex << type;
    }
}

// A file on overlayfs over FUSE once passed for one that is not on FUSE.
TEST(LocalFile, isNoneOfAFileSystemThatMayLieOnAnyOther) {
    EXPECT_FALSE(isLocalFileSystem(OVERLAYFS_SUPER_MAGIC));
    EXPECT_FALSE(isLocalFileSystem(ECRYPTFS_SUPER_MAGIC));
}

TEST(LocalFile, isNoneOfAnUnknownFileSystem) {
    EXPECT_FALSE(isLocalFileSystem(0));
    EXPECT_FALSE(isLocalFileSystem(0x12345678));
}

TEST(LocalFile, isAcceptedInMemory) {
    const UniqueFd memory(::memfd_create("local", MFD_CLOEXEC));
    EXPECT_TRUE(checkLocalFile(memory.get(), "file"));
}

TEST(LocalFile, thatIsRefusedIsNamedWithItsFileSystemAndWhatToDo) {
    const UniqueFd file(::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
    const Result<> refused = checkLocalFile(file.get(), "cache file");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_EQ(refused.error().message,
              "cache file is a file on a file system of type 0x9fa0 (f_type), where accesses may "
              "block forever, as on FUSE; copy it into memory (Region::create), or keep it on a "
              "local file system");
}

TEST(LocalFile, thatCannotBeExaminedIsRefused) {
    const Result<> refused = checkLocalFile(-1, "cache file");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              "cache file: cannot ask for its file system: Bad file descriptor");
}

}  // namespace
}  // namespace nnburst
