# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
#
# What tools/debian13 and tools/arm64 share: another Debian in build/NAME/root, with a copy of this tree
# and of what it was built into there. To be sourced after lib.sh, by a script that sets `name`, which
# says what the other Debian is.

shared=${NNBURST_SHARED:-$root/../shared}

# take_options ARGUMENT...: sets `shared` and `command`, to what follows the options.
take_options() {
    while (($# > 0)); do
        case $1 in
            --shared)
                [[ -d ${2-} ]] || die "$0: --shared needs an existing directory, not '${2-}'"
                shared=$2
                shift
                ;;
            --help) usage && exit ;;
            -*) die "$0: unknown argument '$1'; see --help" ;;
            *) break ;;
        esac
        shift
    done
    command=("$@")
}

# skip REASON: there cannot be a root here.
skip() {
    say "no $name here: $*"
    exit 77
}

# Prints the mirror of this machine's apt.
mirror() {
    local uri
    # shellcheck disable=SC2016 # apt replaces it
    uri=$(apt-get indextargets --format '$(REPO_URI)' 2> /dev/null |
        grep -m 1 -E '/debian/?$' || echo http://deb.debian.org/debian)
    echo "${NNBURST_MIRROR:-$uri}"
}

# prepare_root DIRECTORY SUITE [OPTION...]: makes the root of the Debian SUITE with mmdebstrap and its
# OPTIONs in DIRECTORY, unless it is there, and copies the tree into it. Sets `system`. No other script
# prepares or uses it until this one and what it executes have ended.
prepare_root() {
    local kept=$1 suite=$2
    shift 2
    ((EUID == 0)) || skip "to make and to enter its root needs root's rights"
    mkdir -p "$kept"
    exec {lock}> "$kept/lock"
    flock --nonblock "$lock" || {
        say "wait for another script that uses ${kept#"$root"/}"
        flock "$lock"
    }
    system=$kept/root
    [[ -d $system ]] || make_root "$suite" "$@"
    copy_tree
    if [[ -d $shared ]]; then
        mkdir -p "$system/shared"
        cp --archive --update -- "$shared/." "$system/shared"
    fi
    [[ ! -e /etc/resolv.conf ]] || cp --dereference /etc/resolv.conf "$system/etc/resolv.conf"
}

make_root() {
    local suite=$1
    shift
    command -v mmdebstrap > /dev/null || "$root/tools/dependencies" --roots ||
        skip "mmdebstrap is not installed"
    say "make a $name in ${system#"$root"/} from $(mirror)"
    rm -rf --one-file-system -- "$system.new"
    mmdebstrap --quiet --variant=minbase --include=ca-certificates "$@" "$suite" "$system.new" \
        "$(mirror)" || skip "mmdebstrap cannot make one from $(mirror): is there a network?"
    mv "$system.new" "$system"
}

# Copies the tree as a new one, with the build directories of the old one.
copy_tree() {
    rm -rf -- "$system/nnburst.new"
    mkdir "$system/nnburst.new"
    tar --create --directory="$root" --exclude=./build --exclude=./.git . |
        tar --extract --directory="$system/nnburst.new"
    if [[ -d $system/nnburst/build ]]; then
        mv "$system/nnburst/build" "$system/nnburst.new/build"
    fi
    rm -rf -- "$system/nnburst"
    mv "$system/nnburst.new" "$system/nnburst"
}

# enter_root OPTION COMMAND...: ends this script with COMMAND, in the copy of the tree, once
# tools/dependencies with OPTION (or "") has installed the packages that are missing.
enter_root() {
    # shellcheck disable=SC2016 # the shell inside replaces it
    local enter=(chroot "$system" env --ignore-environment PATH=/usr/sbin:/usr/bin:/sbin:/bin
        HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
        "http_proxy=${http_proxy-}" "https_proxy=${https_proxy-}"
        bash -c 'cd /nnburst && tools/dependencies $1 && shift && exec "$@"' bash "$@")
    if unshare --mount true 2> /dev/null; then
        # All mounts and processes end with the namespaces.
        exec unshare --mount --pid --fork --kill-child bash -c '
            set -e
            mount -t proc proc "$1/proc"
            mount -t sysfs -o ro sysfs "$1/sys"
            mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"
            shift
            exec "$@"' bash "$system" "${enter[@]}"
    fi
    say "mounts are not permitted here (CAP_SYS_ADMIN): the root has no /proc and no /sys, and tests" \
        "that read them fail"
    exec "${enter[@]}"
}
