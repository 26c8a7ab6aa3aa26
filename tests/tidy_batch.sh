#!/usr/bin/env bash
# tidy_batch.sh BATCH|SOURCE - clang-tidy on a dozen sources at once (BATCH includes them), which parses the headers they
# share once, or on one. Sources that cannot stand in one file with those before them (each has its own `Options`, say) go
# into a batch of their own; where a batch finds something, each source is read by itself, and what is found then counts.
set -euo pipefail

tests=$(dirname "${BASH_SOURCE[0]}")
builds=$tests/../build

clashing() { # BATCH: its sources that clang cannot read after the others
    # a check that looks at #include lines only: errors of the language are reported beside whatever check there is
    clang-tidy-14 --quiet -p "$builds/tidy-batches" --checks='-*,llvm-include-order' --extra-arg=-ferror-limit=0 \
        --extra-arg=-Wno-unknown-warning-option "$1" 2>/dev/null |
        sed -n 's/^\(\/[^:]*\):[0-9]*:[0-9]*: error: .*\[clang-diagnostic-error\]$/\1/p' | sort -u |
        grep -xFf <(sed -n 's/^#include "\(.*\)"$/\1/p' "$1") || true
}

each_by_itself() { # SOURCE...
    local source failed=0
    for source in "$@"; do
        "$tests/tidy.sh" "$builds/tidy" "$source" || failed=1
    done
    return "$failed"
}

together() { # NAME SOURCE...: as the batch NAME.cxx
    local name=$1 others kept failed=0
    shift
    if [ $# = 1 ]; then
        each_by_itself "$1"
        return
    fi
    printf '#include "%s"\n' "$@" >"$name.cxx"
    mapfile -t others < <(clashing "$name.cxx")
    mapfile -t kept < <(printf '%s\n' "$@" | grep -vxFf <(printf '%s\n' "${others[@]}"))
    if [ ${#kept[@]} = 0 ]; then
        each_by_itself "$@"
    elif [ ${#others[@]} = 0 ]; then
        "$tests/tidy.sh" "$builds/tidy-batches" "$name.cxx" >/dev/null || each_by_itself "$@"
    else
        together "${name}_a" "${kept[@]}" || failed=1
        together "${name}_b" "${others[@]}" || failed=1
        return "$failed"
    fi
}

[[ $1 == */unity_*_cxx.cxx ]] || exec "$tests/tidy.sh" "$builds/tidy" "$1"
mapfile -t sources < <(sed -n 's/^#include "\(.*\)"$/\1/p' "$1")
together "${1%.cxx}" "${sources[@]}"
