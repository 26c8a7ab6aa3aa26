#!/usr/bin/env bash
# The Coq files that lloyd_gains.py writes are the ones in proofs/coq, byte for byte.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
/usr/bin/python3 -B "$here/lloyd_gains.py" 8 "$made"
[ "$(ls "$made" | wc -l)" = 4 ]
for file in "$made"/*; do
    diff "$file" "$here/../../proofs/coq/$(basename "$file")"
done
