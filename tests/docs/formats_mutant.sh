#!/usr/bin/env bash
# formats_mutant.sh KVPROOF ROOT - the test of the parsers can fail: it notices one wrong step in each.
set -euo pipefail

kvproof=$1 root=$2
test=$(dirname "${BASH_SOURCE[0]}")/formats_test.py
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
ln -s "$root/tests" "$copy/tests"

mutant() { # PAGE SED-SCRIPT
    rm -rf "$copy/docs"
    cp -r "$root/docs" "$copy/docs"
    sed -i "$2" "$copy/docs/$1"
    if cmp -s "$root/docs/$1" "$copy/docs/$1"; then
        echo "formats_mutant.sh: $2 changes nothing in $1"
        exit 1
    fi
    if /usr/bin/python3 -B "$test" "$kvproof" "$copy" >"$copy/said" 2>&1; then
        echo "formats_mutant.sh: $2 in $1 was not noticed"
        exit 1
    fi
}

mutant formats.md 's/b"\\0\\0" + raw\[i:i + 2\]/raw[i:i + 2] + b"\\0\\0"/'
mutant formats.md 's/start = 8 + width + /start = 8 + /'
mutant formats.md 's/bisect_right/bisect_left/'
mutant formats.md 's/claim\["verdict"\] != claim\["recorded"\]/claim["verdict"] == claim["recorded"]/'
mutant formats.md 's/sum(e for e, _ in rows)/sum(b for e, b in rows)/'
mutant formats.md 's/line\[begin:end\]\.encode/line[:end].encode/'
mutant certificates.md 's/lines\[1:6\]/lines[2:7]/'
mutant montecarlo.md 's/numbers\]/numbers[::-1]]/'
mutant montecarlo.md 's/for k in (0, 1))/for k in (0, 2))/'
