#!/usr/bin/env bash
# tidy_batch.sh BATCH|SOURCE - clang-tidy on a dozen sources at once (BATCH includes them), which parses the headers they
# share once, or on one. Where that finds something, or the sources cannot stand in one file (two unnamed namespaces with one
# name), each is read by itself, and what is found then counts.
set -euo pipefail

tests=$(dirname "${BASH_SOURCE[0]}")
tidy() { "$tests/tidy.sh" "$@"; }

[[ $1 == */unity_*_cxx.cxx ]] || exec "$tests/tidy.sh" "$tests/../build/tidy" "$1"
tidy "$tests/../build/tidy-batches" "$1" >/dev/null && exit 0
sed -n 's/^#include "\(.*\)"$/\1/p' "$1" | {
    failed=0
    while read -r source; do
        tidy "$tests/../build/tidy" "$source" || failed=1
    done
    exit "$failed"
}
