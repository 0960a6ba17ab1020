import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { tempFolder } from "../run/processes.ts";

/** One run of the script: its first argument, the other arguments, and the macros of its environment. */
export type ScriptRun = {
  readonly role: string;
  readonly args: readonly string[];
  /** `NAGIOS_…` variables by name without the prefix. */
  readonly macros: Readonly<Record<string, string>>;
};

export type MacroScript = {
  readonly path: string;
  /** Runs so far, in order. */
  runs(): readonly ScriptRun[];
  /** Sets output and exit code of the runs with this first argument. Output of the others is empty, their code 0. */
  answer(role: string, output: string, code: number): void;
};

/** Creates a script that records its arguments and its `NAGIOS_…` variables. */
export function createMacroScript(scope: TestScope): MacroScript {
  const folder = tempFolder(scope, "macros");
  const runs = join(folder, "runs");
  mkdirSync(runs);
  const path = join(folder, "script.sh");
  const code = `#!/bin/sh
at=$(date +%s%N)
{ printf '%s\\0' "$@"; printf -- '--end--\\0'; env -0; } > ${folder}/$at.$$
mv ${folder}/$at.$$ ${runs}/$at.$$
test -f ${folder}/answer-$1 && . ${folder}/answer-$1
exit 0
`;
  writeFileSync(path, code, { mode: 0o755 });
  return {
    path,
    runs: () => (existsSync(runs) ? readdirSync(runs).sort() : []).map((name) => parseRun(join(runs, name))),
    answer(role, output, exitCode) {
      writeFileSync(join(folder, `output-${role}`), output);
      writeFileSync(join(folder, `answer-${role}`), `cat ${folder}/output-${role}; exit ${exitCode}\n`);
    },
  };
}

function parseRun(file: string): ScriptRun {
  const fields = readFileSync(file, "utf8").split("\0");
  const end = fields.indexOf("--end--");
  const [role = "", ...args] = fields.slice(0, end);
  const variables = fields.slice(end + 1).filter((line) => line.startsWith("NAGIOS_"));
  const pairs = variables
    .map((line) => line.slice("NAGIOS_".length))
    .map((line): [string, string] => {
      const split = line.indexOf("=");
      return [line.slice(0, split), line.slice(split + 1)];
    });
  return { role, args, macros: Object.fromEntries(pairs) };
}
