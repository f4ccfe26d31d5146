#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# completion_test.sh BIN SOURCES: tries completions/jcprof in a bash without any other completion. It must propose each option of each
# --help, and the right values and files. fish proposes the same.
set -euo pipefail
bin=$1 sources=$2
PATH=$bin:$PATH
source "$sources/completions/jcprof"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir 'a folder' src
touch jcprof.json one.jcprof 'two words.jcprof' run.jcplog main.c
failed=0

# proposed WORD…: for the last word.
proposed() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  COMPREPLY=()
  _jcprof
  printf '%s\n' "${COMPREPLY[@]}" | sort -u
}

# expect WHAT WORD…: exactly these lines, blanks between them.
expect() {
  local expected=$1 got
  shift
  got=$(proposed "$@" | paste -sd'|')
  [ "$got" = "$expected" ] || { echo "\"$*\" proposes \"$got\", not \"$expected\""; failed=1; }
}

# has WHAT WORD…
has() {
  local expected=$1
  shift
  proposed "$@" | grep -qx -e "$expected" || { echo "\"$*\" does not propose \"$expected\""; failed=1; }
}

expect 'annotate' jcprof an
expect 'init' jcprof in
has --version jcprof --
verbs=$(jcprof --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(wc -w <<<"$verbs")" -ge 11 ] || { echo "jcprof --help lists too few verbs: $verbs"; failed=1; }
for verb in $verbs; do
  has "$verb" jcprof ''
  options=$(jcprof "$verb" --help | grep -oE '^  -[^ ]+' | tr -d ' ' | tr ',' '\n')
  [[ $options == *--help* ]] || { echo "jcprof $verb --help lists no options"; failed=1; }
  for option in $options; do has "$option" jcprof "$verb" -; done
done
has --max-time jcprof profile . --max
has --absolute jcprof-run --abs

expect 'callgrind|csv' jcprof export --format c
has json jcprof export one.jcprof --format ''
expect 'own' jcprof record --clock o
expect 'always|auto|never' jcprof annotate --color ''
expect 'vpcd:' jcprof run . --transport v
expect 'a folder|jcprof.json|one.jcprof|src|two words.jcprof' jcprof export ''
expect 'a folder|jcprof.json|src' jcprof run . --interleave ''
expect 'one.jcprof' jcprof query o
expect 'a folder|src' jcprof run -o ''
expect 'jcprof.json' jcprof run jc
expect 'jcprof.json' jcprof-gen j
expect 'run.jcplog' jcprof record --analyze r
expect 'main.c' jcprof record -o src -- ma
expect 'main.c' jcprof annotate . --show ma
expect '' jcprof run . --rounds ''

# Each transport that a project file may name.
schemes=$(grep -oE '"known: pcsc:.*"' "$sources/src/core/project_text.cpp" | grep -oE '[a-z]+:[][A-Z,"]' | cut -d: -f1)
[ "$(wc -w <<<"$schemes")" -eq 5 ] || { echo "which transports are known? $schemes"; failed=1; }
for scheme in $schemes; do has "$scheme:" jcprof run . --transport ''; done

# The same in other shells, where they are there.
if command -v fish >/dev/null; then
  fish_expect() {
    local got
    got=$(fish -c "source '$sources/completions/jcprof.fish'; complete -C '$2'" | cut -f1 | sort | paste -sd'|')
    [ "$got" = "$1" ] || { echo "fish: \"$2\" proposes \"$got\", not \"$1\""; failed=1; }
  }
  fish_expect annotate 'jcprof an'
  fish_expect '--max-shots|--max-time' 'jcprof run . --max-'
  fish_expect '--absolute' 'jcprof-run --abs'
  fish_expect 'callgrind|csv' 'jcprof export . --format c'
fi
! command -v zsh >/dev/null || zsh -n "$sources/completions/_jcprof" || failed=1
exit $failed
