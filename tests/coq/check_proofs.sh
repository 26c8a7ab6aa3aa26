#!/usr/bin/env bash
# check_proofs.sh check|write SOURCES BUILD JOBS
#
# Compiles the proofs in the folder SOURCES with coqc (in the folder BUILD, so that SOURCES stays clean), asks Coq what every
# theorem rests on, and compares SOURCES/checked.tsv with what was found (check, exit 1 and the difference if it is stale)
# or writes it anew (write). Nothing else writes that file, and it is written only after everything has passed.
set -euo pipefail
export LC_ALL=C

mode=$1 sources=$(cd "$2" && pwd) jobs=$4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[[ $mode == check || $mode == write ]] || { echo "check_proofs.sh: $mode is neither check nor write" >&2 && exit 2; }
mkdir -p "$3"
build=$(cd "$3" && pwd)

# ---- coqc -------------------------------------------------------------------

# what is no source any more leaves nothing behind
for old in "$build"/*.v; do
    [ -f "$sources/$(basename "$old")" ] || rm -f "${old%.v}".{v,vo,vok,vos,glob}
done
# by content, not by time: make would take an older file for one that it has compiled already
for file in "$sources"/*.v "$sources/_CoqProject"; do
    cmp -s "$file" "$build/$(basename "$file")" || cp "$file" "$build"
done
cd "$build"
if [ "$(ls ./*.v)" != "$(sed -n 's|^[A-Za-z0-9_]*\.v$|./&|p' _CoqProject)" ]; then
    echo "check_proofs.sh: _CoqProject does not name the folder's files, in their order" >&2
    exit 1
fi
coq_makefile -f _CoqProject -o Makefile >/dev/null
make -j "$jobs" >make.log 2>&1 || { tail -n 20 make.log >&2 && exit 1; }

# ---- what was checked -------------------------------------------------------

# The files that each needs, itself and all, by Coq's own account: lines `FILE.v NEEDED.v`.
coqdep -f _CoqProject | sed -nE 's/^([A-Za-z0-9_]+)\.vo .*: [A-Za-z0-9_]+\.v(.*)$/\1\2/p' |
    awk '
        { files[$1] = 1; for (i = 2; i <= NF; ++i) if ($i !~ /\//) { sub(/\.vo$/, "", $i); needs[$1] = needs[$1] " " $i } }
        function visit(file,    parts, n, i) {
            if (file in seen) return
            seen[file] = 1
            n = split(needs[file], parts, " ")
            for (i = 1; i <= n; ++i) visit(parts[i])
        }
        END { for (f in files) { delete seen; visit(f); for (s in seen) print f ".v", s ".v" } }' | sort >needed.txt

digest() { # FILE.v: SHA-256 of what sha256sum says of the file and of all that it needs, by name
    mapfile -t needed < <(sed -n "s/^$1 //p" needed.txt)
    sha256sum "${needed[@]}" | sha256sum | cut -d ' ' -f 1
}

# An audit of interval proofs takes Coq half a minute, so what has not changed since the last one is not asked again.
audit() { # FILE.v: FILE.audit holds the digest and the answers
    local now
    now=$(digest "$1")
    if [ "$(head -n 1 "${1%.v}.audit" 2>/dev/null)" != "$now" ]; then
        rm -f "${1%.v}.audit"
        "$here/assumptions.sh" . "$1" >"${1%.v}.answers" || return 1
        { echo "$now" && cat "${1%.v}.answers"; } >"${1%.v}.audit"
    fi
}
export -f audit digest
export here
ls ./*.v | sed 's|^\./||' | grep -v '^Audit_' | xargs -P "$jobs" -I {} bash -euo pipefail -c 'audit {}'

{
    printf 'file\ttheorem\tsha256\taxioms\n'
    for file in $(sed -n 's/^[A-Za-z0-9_]*\.v$/&/p' _CoqProject); do
        hash=$(head -n 1 "${file%.v}.audit")
        tail -n +2 "${file%.v}.audit" | while read -r _ theorem axioms; do
            [ -z "$theorem" ] || printf '%s\t%s\t%s\t%s\n' "$file" "$theorem" "$hash" \
                "$(tr ' ' '\n' <<<"$axioms" | sed 's/.*\.//' | sort | paste -sd ' ')"
        done
    done
} >checked.tsv
echo "coq: $(($(wc -l <checked.tsv) - 1)) theorems of $(wc -l < <(ls "$sources"/*.v)) files checked, no axioms but those of the real numbers"

case $mode in
write) cmp -s checked.tsv "$sources/checked.tsv" || cp checked.tsv "$sources/checked.tsv" ;;
check)
    diff -u "$sources/checked.tsv" checked.tsv && exit
    echo "proofs/coq/checked.tsv is not what was checked now: ./run proofs writes it anew"
    exit 1
    ;;
esac
