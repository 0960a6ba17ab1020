/** Shells that have a completion script. */
export const completionShells = ["bash", "zsh", "fish"] as const;
type CompletionShell = (typeof completionShells)[number];

type CompletionWords = {
  /** Words that may follow each path; the program's own under the empty path. */
  readonly words: ReadonlyMap<string, readonly string[]>;
  /** Values of the flags that have a fixed set of them, by flag with one dash. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** Paths of the commands that take an object. */
  readonly objectCommands: readonly string[];
};

/**
 * Script to be sourced by the shell. Commands and flags are in it; names of objects and realms are asked of the server
 * that the environment names, for at most three seconds. Shells get names as data, and expand nothing in them.
 */
export const completionScript = (shell: CompletionShell, completion: CompletionWords): string =>
  writers[shell](completion);

/** Branches of a `case` of bash and zsh that print the words after a path. */
const shellCases = (words: CompletionWords["words"], indent: string): string =>
  [...words].map(([path, next]) => `${indent}'${path}') echo '${next.join(" ")}' ;;`).join("\n");

/** Flags with their values as patterns of a `case`, with one dash and two. */
const valueCases = (values: CompletionWords["values"], indent: string, then: (words: string) => string): string =>
  [...values].map(([flag, words]) => `${indent}${flag} | -${flag}) ${then(words.join(" "))} ;;`).join("\n");

/** Flags whose value is a realm. */
const realmFlags = ["-realm", "-target-realm"];
const quoted = (paths: readonly string[], separator: string): string =>
  paths.map((path) => `'${path}'`).join(separator);
const eitherDash = (flags: readonly string[]): readonly string[] => flags.flatMap((flag) => [flag, `-${flag}`]);

/** Function of bash and zsh that prints names one a line: of realms, or of objects that contain a text. */
const shellNames = `_realmwatch_names() {
  case "$1" in
    realms) timeout 3 realmwatch realms -quiet ;;
    objects) timeout 3 realmwatch status -quiet -search "$2" ;;
  esac 2>/dev/null
}`;

const writers: Readonly<Record<CompletionShell, (completion: CompletionWords) => string>> = {
  bash: ({
    words,
    values,
    objectCommands,
  }) => `# Completion of realmwatch for bash: source <(realmwatch completion bash)
_realmwatch_words() {
  case "$1" in
${shellCases(words, "    ")}
  esac
}
${shellNames}
_realmwatch_reply() {
  local name
  COMPREPLY=()
  while IFS= read -r name; do
    [[ $name == "$current"* ]] && COMPREPLY+=("$(printf %q "$name")")
  done < <(_realmwatch_names "$1" "$current")
}
_realmwatch() {
  local current=\${COMP_WORDS[COMP_CWORD]} called="" next i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${called:+$called }\${COMP_WORDS[i]}"
    [ -n "$(_realmwatch_words "$next")" ] && called=$next
  done
  case "\${COMP_WORDS[COMP_CWORD - 1]}" in
${valueCases(values, "    ", (list) => `COMPREPLY=($(compgen -W '${list}' -- "$current")); return`)}
    ${eitherDash(realmFlags).join(" | ")}) _realmwatch_reply realms; return ;;
  esac
  if [[ $current != -* ]]; then
    case "$called" in
      ${quoted(objectCommands, " | ")}) _realmwatch_reply objects; (( \${#COMPREPLY[@]} > 0 )) && return ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$(_realmwatch_words "$called")" -- "$current"))
}
complete -o default -F _realmwatch realmwatch
`,
  zsh: ({ words, values, objectCommands }) => `#compdef realmwatch
# Completion of realmwatch for zsh: source <(realmwatch completion zsh)
_realmwatch_words() {
  case "$1" in
${shellCases(words, "    ")}
  esac
}
${shellNames}
_realmwatch() {
  local called="" next i
  for ((i = 2; i < CURRENT; i++)); do
    next="\${called:+$called }\${words[i]}"
    [[ -n "$(_realmwatch_words "$next")" ]] && called=$next
  done
  case "\${words[CURRENT - 1]}" in
${valueCases(values, "    ", (list) => `compadd -- ${list}; return`)}
    ${eitherDash(realmFlags).join(" | ")}) compadd -- "\${(@f)$(_realmwatch_names realms)}"; return ;;
  esac
  if [[ "\${words[CURRENT]}" != -* ]]; then
    case "$called" in
      ${quoted(objectCommands, " | ")}) compadd -- "\${(@f)$(_realmwatch_names objects "\${words[CURRENT]}")}" && return ;;
    esac
  fi
  compadd -- \${(s: :)"$(_realmwatch_words "$called")"}
  _files
}
if [[ "\${funcstack[1]}" == "_realmwatch" ]]; then _realmwatch "$@"; else compdef _realmwatch realmwatch; fi
`,
  fish: ({ words, values, objectCommands }) => `# Completion of realmwatch for fish: realmwatch completion fish | source
function __realmwatch_words
  switch "$argv[1]"
${[...words].map(([path, next]) => `    case '${path}'\n      string split -- ' ' '${next.join(" ")}'`).join("\n")}
  end
end
function __realmwatch_complete
  set -l given (commandline -opc)
  switch "$given[-1]"
${[...values].map(([flag, list]) => `    case ${flag} -${flag}\n      string split -- ' ' '${list.join(" ")}'\n      return`).join("\n")}
    case ${eitherDash(realmFlags).join(" ")}
      timeout 3 realmwatch realms -quiet 2>/dev/null
      return
  end
  set -l called ''
  for word in $given[2..-1]
    set -l next (string trim -- "$called $word")
    if test -n "$(__realmwatch_words "$next")"
      set called $next
    end
  end
  set -l current (commandline -ct)
  if not string match -q -- '-*' "$current"
    switch "$called"
      case ${quoted(objectCommands, " ")}
        timeout 3 realmwatch status -quiet -search "$current" 2>/dev/null
    end
  end
  __realmwatch_words "$called"
end
complete -c realmwatch -a '(__realmwatch_complete)'
`,
};
