import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findCueProgram } from "@realmwatch/shared/platform/cue/engine/find-program";

/** The `cue` that REALMWATCH_TEST_CUE names, else the first one on PATH: go install cuelang.org/go/cmd/cue@latest */
export const installedCue = await findCueProgram(process.env["REALMWATCH_TEST_CUE"] ?? "auto", process.env.PATH ?? "");

/** Options of a test that needs an installed `cue`: it is skipped without one. */
export const needsCue = { skip: installedCue.ok ? false : installedCue.error };

/** Writes a program called `cue` into a new folder, which runs a shell script, and returns its path. */
export function cueScript(folder: string, name: string, lines: string): string {
  const path = join(folder, name, "cue");
  mkdirSync(join(folder, name));
  writeFileSync(path, `#!/bin/sh\n${lines}\n`);
  chmodSync(path, 0o755);
  return path;
}
