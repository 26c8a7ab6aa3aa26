#!/usr/bin/env bash
# generated_docs.sh check|write KVPROOF DOCS
#
# The documents in the folder DOCS that the executable KVPROOF writes itself: compares them (check, exit 1 and the
# difference if one has gone stale) or writes them anew (write).
set -euo pipefail

mode=$1 kvproof=$2 docs=$3

generate() { # DOCUMENT
    case $1 in
    cli.md) "$kvproof" help --markdown ;;
    claims.md) "$kvproof" claims --format markdown ;;
    audit.md) "$kvproof" claims 'paper.audit.*' --format markdown ;;
    errors.md) "$kvproof" help --errors-markdown ;;
    esac
}

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
status=0
for document in cli.md claims.md audit.md errors.md; do
    generate "$document" >"$made/$document"
    case $mode in
    check)
        diff -u "$docs/$document" "$made/$document" && continue
        echo "docs/$document is not what kvproof says now: ./run docs writes it anew"
        status=1
        ;;
    write) cp "$made/$document" "$docs/$document" ;;
    *)
        echo "generated_docs.sh: $mode is neither check nor write" >&2
        exit 2
        ;;
    esac
done
exit "$status"
