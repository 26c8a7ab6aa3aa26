#!/usr/bin/env bash
# install_test.sh BUILD SOURCE WORK
#
# Installs the build folder BUILD below WORK and builds the program in SOURCE against the installed files alone, in
# both ways that others use: CMake's find_package and pkg-config. WORK must not exist.
set -euo pipefail

build=$1 source=$2 work=$3
prefix=$work/prefix

expect() { # TEXT COMMAND...: the command prints this text
    local said
    said=$("${@:2}")
    [ "$said" = "$1" ] && return
    printf 'expected from %s:\n%s\nfound:\n%s\n' "${*:2}" "$1" "$said"
    exit 1
}

mkdir -p "$work"
cmake --install "$build" --prefix "$prefix" >"$work/install.log"
for file in bin/kvproof bin/kvproof-check share/man/man1/kvproof.1 share/bash-completion/completions/kvproof \
    share/doc/kvproof/LICENSE include/kvproof/lib/exact/rational.hpp lib/libkvproof.a; do
    [ -e "$prefix/$file" ] || { echo "not installed: $file" && exit 1; }
done
expect "$("$build/kvproof" --version)" "$prefix/bin/kvproof" --version

# An installed tree may be moved: neither way may hold on to the place where it was made.
mv "$prefix" "$work/moved"
prefix=$work/moved

cmake -S "$source" -B "$work/find_package" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >"$work/configure.log"
cmake --build "$work/find_package" >"$work/build.log" || { cat "$work/build.log" && exit 1; }
expect '1/10 3.14159 proved in a stranger' "$work/find_package/consumer"
echo "find_package: built and ran"

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
flags=$(pkg-config --static --cflags --libs kvproof)
# the flags are words to be split
# shellcheck disable=SC2086
g++ -std=c++20 -o "$work/consumer" "$source/consumer.cpp" $flags
expect '1/10 3.14159 proved in a stranger' "$work/consumer"
echo "pkg-config: built and ran with $(pkg-config --modversion kvproof)"
