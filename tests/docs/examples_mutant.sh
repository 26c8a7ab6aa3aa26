#!/usr/bin/env bash
# examples_mutant.sh KVPROOF - the comparison of console examples can fail: it notices another output, a command that fails,
# and a page without examples; and it accepts a page that it has written.
set -euo pipefail

kvproof=$1
examples=(/usr/bin/python3 -B "$(dirname "${BASH_SOURCE[0]}")/examples.py")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

page() { # LINE...: a page with one console block of these lines
    printf '%s\n' '# A page' '```console' "$@" '```' >"$folder/page.md"
}

refused() { # REASON
    if "${examples[@]}" check "$kvproof" "$folder/page.md" >"$folder/said"; then
        echo "not refused: $1"
        exit 1
    fi
    grep -qF -e "$1" "$folder/said" || { cat "$folder/said"; exit 1; }
}

page '$ ./run table lloyd --depth 1 --digits 3' 'something else' '$ echo two' two
refused '-something else'
"${examples[@]}" write "$kvproof" "$folder/page.md"
"${examples[@]}" check "$kvproof" "$folder/page.md"
grep -q '^two$' "$folder/page.md"
page '$ ./run claims no.such.claim'
refused 'has exit status 2'
printf '# No example\n' >"$folder/page.md"
refused 'shows no example'
