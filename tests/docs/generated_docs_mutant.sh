#!/usr/bin/env bash
# generated_docs_mutant.sh KVPROOF - the comparison of the generated documents can fail: it accepts what has just
# been written, and names each document in which one line is missing or which is not there at all.
set -euo pipefail

kvproof=$1
check=$(dirname "${BASH_SOURCE[0]}")/generated_docs.sh
docs=$(mktemp -d)
trap 'rm -rf "$docs"' EXIT

"$check" write "$kvproof" "$docs"
"$check" check "$kvproof" "$docs"
for document in cli.md claims.md audit.md errors.md; do
    cp "$docs/$document" "$docs/kept"
    for mutant in 'sed -i 1d' rm; do
        $mutant "$docs/$document"
        status=0
        said=$("$check" check "$kvproof" "$docs" 2>&1) || status=$?
        if [ "$status" != 1 ] || [[ $said != *"docs/$document is not"* ]]; then
            echo "a changed $document ($mutant) was not noticed: status $status, $said"
            exit 1
        fi
        cp "$docs/kept" "$docs/$document"
    done
done
