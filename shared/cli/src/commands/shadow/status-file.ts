import { readFile, stat } from "node:fs/promises";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { parseRetention } from "@realmwatch/shared/text/retention-blocks";
import { observeBlocks } from "./observe-blocks.ts";
import type { Observation, ObservedSystem } from "./observed-object.ts";

/** Reads the status file of Nagios, Naemon or Icinga 1, which these replace every few seconds. */
export function statusFile(path: string): ObservedSystem {
  let seen = "";
  return {
    name: path,
    async read() {
      try {
        const { mtimeMs, size, ino } = await stat(path);
        const version = `${mtimeMs} ${size} ${ino}`;
        if (version === seen) return ok(undefined);
        const observed = observeStatusFile(path, await readFile(path, "utf8"));
        if (observed.ok) seen = version;
        return observed;
      } catch (error) {
        return fail(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}`);
      }
    },
  };
}

/** Objects of a status file. Fails with `file:line: message`. */
export function observeStatusFile(file: string, text: string): Result<Observation, string> {
  const blocks = parseRetention(file, text);
  if (!blocks.ok) return blocks;
  const observation = observeBlocks(blocks.value, "nagios");
  return observation.known.size === 0
    ? fail(`${file}: has no hoststatus block; is it the status_file of Nagios?`)
    : ok(observation);
}
