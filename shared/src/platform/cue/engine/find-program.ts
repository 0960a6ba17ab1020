import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { fail, ok, type Result } from "../../../model/result.ts";

/** An installed `cue` program. */
export type CueProgram = {
  /** Absolute path. */
  readonly path: string;
  /** Version of CUE that it implements, such as `0.17.1`. */
  readonly version: string;
  /** Why each `cue` before it on the search path is not used; only with `auto`, and when there was one. */
  readonly passedOver?: readonly string[];
};

/** Oldest version that is accepted: earlier ones report errors in another form. */
const minMinorVersion = 9;
/** Time limit for a program to print its version, ms. */
const versionTimeoutMs = 10_000;

/**
 * Finds the program that a flag names: a path, or `auto` for the first `cue` of at least version 0.9 on the search path.
 * The error is the end of a sentence about the flag, and says why each `cue` found was passed over.
 *
 * @param searchPath folders of programs, as in the environment variable `PATH`
 */
export async function findCueProgram(name: string, searchPath: string): Promise<Result<CueProgram, string>> {
  if (name !== "auto") return checkProgram(isAbsolute(name) ? name : resolve(name));
  const passedOver: string[] = [];
  for (const folder of searchPath.split(delimiter)) {
    const path = join(folder, "cue");
    if (!isAbsolute(path) || !isExecutable(path)) continue;
    const program = await checkProgram(path);
    if (program.ok) return passedOver.length === 0 ? program : ok({ ...program.value, passedOver });
    passedOver.push(program.error);
  }
  const found = passedOver.length === 0 ? "" : ` (${passedOver.join("; ")})`;
  return fail(`auto: no cue of at least version 0.${minMinorVersion} is on PATH${found}`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

async function checkProgram(path: string): Promise<Result<CueProgram, string>> {
  if (!isExecutable(path)) return fail(`${path} is not an executable program`);
  const version = /^cue version v?(\d+)\.(\d+)(\.[\w.+-]+)?/m.exec(await printedVersion(path));
  if (version === null) return fail(`${path} does not print the version of cue`);
  const [, major = "", minor = "", rest = ""] = version;
  const text = `${major}.${minor}${rest}`;
  if (Number(major) === 0 && Number(minor) < minMinorVersion)
    return fail(`${path} is cue ${text}; at least version 0.${minMinorVersion} is needed`);
  return ok({ path, version: text });
}

/** Output of `cue version`; empty when the program fails or takes too long. */
function printedVersion(path: string): Promise<string> {
  return new Promise((resolve) => {
    const options = { timeout: versionTimeoutMs, killSignal: "SIGKILL", maxBuffer: 65_536, env: {} } as const;
    execFile(path, ["version"], options, (error, stdout) => resolve(error === null ? stdout : ""));
  });
}
