#!/usr/bin/env bash
# assumptions.sh BUILD FILE.v...
#
# What every Theorem of these files rests on, as Coq's Print Assumptions says after coqc has compiled them in the folder
# BUILD: a line `FILE.v THEOREM AXIOM...` each. Fails where a theorem rests on anything but Coq's real numbers (the
# axioms below: classical logic, the decidability that Cauchy reals need, functional extensionality).
set -euo pipefail
export LC_ALL=C

build=$1
shift
allowed=' Classical_Prop.classic ClassicalDedekindReals.sig_forall_dec ClassicalDedekindReals.sig_not_dec'
allowed+=' FunctionalExtensionality.functional_extensionality_dep '
status=0

audit() { # FILE.v: Coq's answers, each after a line `theorem NAME`
    local module=${1%.v} name script
    script=$build/Audit_$module.v
    {
        echo "From KVProof Require $module."
        for name in $(sed -nE 's/^Theorem ([A-Za-z0-9_]+).*/\1/p' "$build/$1"); do
            printf 'Goal True. idtac "theorem %s". exact I. Qed.\nPrint Assumptions %s.%s.\n' "$name" "$module" "$name"
        done
    } >"$script"
    coqc -w none -Q "$build" KVProof "$script"
}

for file in "$@"; do
    # a proof left open, or a claim taken for granted, would show as an axiom too; this names the line
    if grep -nE '\b(Admitted|admit|Axiom|Axioms|Parameter|Parameters|Conjecture|Unset Guard Checking)\b' "$build/$file"; then
        echo "assumptions.sh: $file takes something for granted" >&2
        status=1
    fi
    answers=$(audit "$file")
    table=$(awk -v file="$file" '
        /^theorem / { if (name != "") print file, name axioms; name = $2; axioms = ""; closed = 0; next }
        /^[A-Za-z_]/ && / :|^[A-Za-z_.0-9]+$/ && !/^Axioms:/ { axioms = axioms " " $1 }
        END { if (name != "") print file, name axioms }' <<<"$answers")
    # a theorem without an answer must not pass for one without axioms
    if [ "$(grep -c '^theorem ' <<<"$answers")" != "$(grep -cE '^(Axioms:|Closed under the global context)' <<<"$answers")" ]; then
        echo "assumptions.sh: $file: not every theorem was answered" >&2
        status=1
    fi
    while read -r _ name axioms; do
        for axiom in $axioms; do
            [[ $allowed == *" $axiom "* ]] && continue
            echo "assumptions.sh: $file: $name rests on $axiom" >&2
            status=1
        done
    done <<<"$table"
    echo "$table"
done
exit "$status"
