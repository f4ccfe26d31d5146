#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# hardening_test.sh BIN LIB SANITIZERS BUILD_TYPE: reads in the programs and libraries that are installed what cmake/targets.cmake asks
# for.
set -euo pipefail
bin=$1 lib=$2 sanitizers=$3 build_type=$4
command -v readelf >/dev/null || { echo "SKIPPED: there is no readelf"; exit 0; }
failed=0

# needs FILE WHAT PATTERN TEXT
needs() {
  grep -qE -- "$3" <<<"$4" || { echo "$1 has no $2"; failed=1; }
}

check_links() {
  needs "$1" "read-only relocations" 'GNU_RELRO' "$(readelf -lW "$1")"
  needs "$1" "bindings from its start" '\(BIND_NOW\)|FLAGS.* (BIND_)?NOW' "$(readelf -dW "$1")"
}

looked_at=0
for program in "$bin"/jcprof "$bin"/jcprof-*; do
  looked_at=$((looked_at + 1))
  check_links "$program"
  needs "$program" "place of its own each time (PIE)" 'Type: +DYN' "$(readelf -hW "$program")"
  needs "$program" "stack that is no code" 'GNU_STACK.* RW +0x' "$(readelf -lW "$program")"
  [ -z "$sanitizers" ] || continue
  symbols=$(readelf -sW --dyn-syms "$program")
  needs "$program" "stack protector" '__stack_chk_fail' "$symbols"
  [[ $build_type != Rel* ]] || needs "$program" "checked library calls (_FORTIFY_SOURCE)" ' __[a-z]+_chk@' "$symbols"
  [ "$(uname -m)" != x86_64 ] ||
    needs "$program" "marks of indirect branches (CET) in its own code" endbr64 "$(objdump -d --disassemble=main "$program")"
done
# Parsers are jcprof-gen's alone.
! readelf -dW "$bin/jcprof" | grep -E 'NEEDED.*(clang|tree-sitter)' || failed=1
for library in "$lib"/libjcprof-*.so; do check_links "$library"; done
[ "$looked_at" -ge 5 ] || { echo "only $looked_at programs are in $bin"; failed=1; }
exit $failed
