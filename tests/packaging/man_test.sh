#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# man_test.sh BIN PAGES SOURCES: each executable and verb has a page, with all sections, and each option of its --help; groff
# finds nothing to warn of.
set -euo pipefail
bin=$1 pages=$2 sources=$3
command -v scdoc >/dev/null || { echo "SKIPPED: there is no scdoc"; exit 0; }
command -v groff >/dev/null || { echo "SKIPPED: there is no groff"; exit 0; }
failed=0

complain() {
  echo "$1"
  failed=1
}

# shown PAGE: as text, without overstriking.
shown() {
  groff -man -Tutf8 -K utf8 -P-c -rLL=100n "$1" 2>/dev/null | sed 's/.\x08//g'
}

# check PAGE COMMAND…
check() {
  local page=$pages/$1.1 warnings text section options option
  shift
  [ -f "$page" ] || { complain "there is no $page"; return; }
  warnings=$(groff -man -Tutf8 -K utf8 -ww -z "$page" 2>&1) || true
  [ -z "$warnings" ] || complain "$warnings"
  text=$(shown "$page")
  for section in NAME SYNOPSIS DESCRIPTION OPTIONS FILES ENVIRONMENT 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
    grep -qx "$section" <<<"$text" || complain "$page has no $section"
  done
  ! grep -nE '@[a-z]+|^ +\.$' <<<"$text" || complain "$page has text that was not filled in"
  options=$("$@" --help | grep -oE '^  -[^ ]+' | tr -d ' ' | tr ',' '\n')
  [[ $options == *--help* ]] || complain "$* --help lists no options"
  for option in $options; do
    grep -qE -- "^ +(-., )?$option( |,|$)" <<<"$text" || complain "$page lacks $option"
  done
}

check jcprof "$bin/jcprof"
for verb in $("$bin/jcprof" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  check "jcprof-$verb" "$bin/jcprof" "$verb"
  grep -q "jcprof-$verb(1)" <<<"$(shown "$pages/jcprof.1")" || complain "jcprof.1 does not name jcprof-$verb"
done
for program in "$bin"/jcprof-agent-*; do check "$(basename "$program")" "$program"; done
for text in "$sources"/docs/man/*.scd; do
  page=$(basename "$text" .scd)
  [ -f "$pages/$page" ] || [ "$page" = jcprof-agent-teec.1 ] || complain "no $page is made of $text"
done
exit $failed
