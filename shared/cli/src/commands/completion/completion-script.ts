/** Shells that have a completion script. */
export const completionShells = ["bash", "zsh", "fish"] as const;
type CompletionShell = (typeof completionShells)[number];

type CompletionWords = {
  /** Words that may follow each path; the program's own under the empty path. */
  readonly words: ReadonlyMap<string, readonly string[]>;
  /** Values of the flags that have a fixed set of them, by flag with one dash. */
  readonly values: ReadonlyMap<string, readonly string[]>;
};

/** Script to be sourced by the shell. It is static: completing a word starts no program and asks no server. */
export const completionScript = (shell: CompletionShell, completion: CompletionWords): string =>
  writers[shell](completion);

/** Branches of a `case` of bash and zsh that print the words after a path. */
const shellCases = (words: CompletionWords["words"], indent: string): string =>
  [...words].map(([path, next]) => `${indent}'${path}') echo '${next.join(" ")}' ;;`).join("\n");

/** Flags with their values as patterns of a `case`, with one dash and two. */
const valueCases = (values: CompletionWords["values"], indent: string, then: (words: string) => string): string =>
  [...values].map(([flag, words]) => `${indent}${flag} | -${flag}) ${then(words.join(" "))} ;;`).join("\n");

const writers: Readonly<Record<CompletionShell, (completion: CompletionWords) => string>> = {
  bash: ({ words, values }) => `# Completion of realmwatch for bash: source <(realmwatch completion bash)
_realmwatch_words() {
  case "$1" in
${shellCases(words, "    ")}
  esac
}
_realmwatch() {
  local current=\${COMP_WORDS[COMP_CWORD]} called="" next i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${called:+$called }\${COMP_WORDS[i]}"
    [ -n "$(_realmwatch_words "$next")" ] && called=$next
  done
  case "\${COMP_WORDS[COMP_CWORD - 1]}" in
${valueCases(values, "    ", (list) => `COMPREPLY=($(compgen -W '${list}' -- "$current")); return`)}
  esac
  COMPREPLY=($(compgen -W "$(_realmwatch_words "$called")" -- "$current"))
}
complete -o default -F _realmwatch realmwatch
`,
  zsh: ({ words, values }) => `#compdef realmwatch
# Completion of realmwatch for zsh: source <(realmwatch completion zsh)
_realmwatch_words() {
  case "$1" in
${shellCases(words, "    ")}
  esac
}
_realmwatch() {
  local called="" next i
  for ((i = 2; i < CURRENT; i++)); do
    next="\${called:+$called }\${words[i]}"
    [[ -n "$(_realmwatch_words "$next")" ]] && called=$next
  done
  case "\${words[CURRENT - 1]}" in
${valueCases(values, "    ", (list) => `compadd -- ${list}; return`)}
  esac
  compadd -- \${(s: :)"$(_realmwatch_words "$called")"}
  _files
}
if [[ "\${funcstack[1]}" == "_realmwatch" ]]; then _realmwatch "$@"; else compdef _realmwatch realmwatch; fi
`,
  fish: ({ words, values }) => `# Completion of realmwatch for fish: realmwatch completion fish | source
function __realmwatch_words
  switch "$argv[1]"
${[...words].map(([path, next]) => `    case '${path}'\n      string split ' ' '${next.join(" ")}'`).join("\n")}
  end
end
function __realmwatch_complete
  set -l given (commandline -opc)
  switch "$given[-1]"
${[...values].map(([flag, list]) => `    case ${flag} -${flag}\n      string split ' ' '${list.join(" ")}'\n      return`).join("\n")}
  end
  set -l called ''
  for word in $given[2..-1]
    set -l next (string trim -- "$called $word")
    if test -n "$(__realmwatch_words "$next")"
      set called $next
    end
  end
  __realmwatch_words "$called"
end
complete -c realmwatch -a '(__realmwatch_complete)'
`,
};
