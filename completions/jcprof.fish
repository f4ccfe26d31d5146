# SPDX-License-Identifier: Apache-2.0
# fish completion: verbs, options and choices as the program names them in --help.

# __jcprof_help: of the verb that is being typed; a description is on the line of its option.
function __jcprof_help
    set -l words (commandline -opc)
    if string match -q -- jcprof (basename $words[1])
        set words $words[1..2]
    else
        set words $words[1]
    end
    $words --help 2>/dev/null | sed -E ':a;N;$!ba;s/\n {3,}/ /g'
end

function __jcprof_verbs
    jcprof --help | sed -nE '/^Subcommands:/,/^$/s/^  ([a-z]+) +(.*)/\1\t\2/p'
end

function __jcprof_options
    __jcprof_help | sed -nE 's/^  (-.,)?(--[a-z-]+)[^ ]*( [^ ]+)* {2,}(.*)/\2\t\4/p'
end

# __jcprof_choices: of the option before.
function __jcprof_choices
    set -l before (commandline -opc)[-1]
    string match -q -- '-*' $before; or return 1
    set -l choices (__jcprof_help | sed -nE "s/^  ([^ ]+,)?$before [A-Z]+ .*: one of ([a-z, ]+) \(.*/\2/p")
    test -n "$choices"; and string split ', ' $choices
end

complete -c jcprof -n 'test (count (commandline -opc)) -eq 1' -f -a '(__jcprof_verbs)'
for program in jcprof jcprof-annotate jcprof-gen jcprof-record jcprof-run
    complete -c $program -n 'string match -q -- "-*" (commandline -ct)' -f -a '(__jcprof_options)'
    complete -c $program -n '__jcprof_choices >/dev/null' -f -a '(__jcprof_choices)'
end
