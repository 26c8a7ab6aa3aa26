#!/usr/bin/env bash
# tidy.sh BUILD FILE - clang-tidy on one file; says nothing unless there is something to say.
set -euo pipefail

# g++'s warning flags are no findings
if ! report=$(clang-tidy-14 --quiet -p "$1" --extra-arg=-Wno-unknown-warning-option "$2" 2>&1); then
    printf '%s\n' "$report"
    exit 1
fi
