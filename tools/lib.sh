# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
#
# What the scripts of this folder share. To be sourced, by bash, under `set -euo pipefail`.

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
readonly root

say() {
    printf '== %s\n' "$*"
}

die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# Prints the comment at the top of the running script, which is its manual.
usage() {
    sed -n '4,/^[^#]/ { s/^# \{0,1\}//p }' "$0"
}

# build PRESET [TARGET...]: configures the preset and builds it, or only the targets, into build/PRESET.
build() {
    local preset=$1
    shift
    cd "$root"
    say "configure $preset"
    cmake --preset "$preset" --log-level=WARNING
    say "build $preset into build/$preset"
    cmake --build --preset "$preset" --parallel "$(nproc)" ${1:+--target "$@"}
}
