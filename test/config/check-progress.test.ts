import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { builtProgram } from "@realmwatch/shared/platform/testing/built-program.fixture";
import { runToEnd } from "../run/cli.ts";
import { tempFolder } from "../run/processes.ts";

const hasScript = spawnSync("script", ["--version"]).status === 0;
const needsTerminal = { skip: hasScript ? false : "script, of util-linux, is not installed" };
const counts = "the configuration holds: 1 host, 0 services, 0 processes\n";
const document =
  '_check: {type: "icmp", host: "192.0.2.1", flap: {}}\nhosts: h: {address: "192.0.2.1", check: _check}\n';
const clearLine = "\r\u001b[K";

test("[RL27] only a terminal of standard error shows the stages of a load", needsTerminal, async (t) => {
  const folder = tempFolder(t);
  const config = join(folder, "realm.cue");
  writeFileSync(config, document);
  const words = [...builtProgram("agent"), "-check-config", "-config", config];
  assert.deepEqual(await runToEnd(words), { code: 0, stdout: counts, stderr: "" });

  const [typescript, output] = [join(folder, "typescript"), join(folder, "output")];
  const command = `${words.map((word) => `'${word}'`).join(" ")} >'${output}'`;
  const onTerminal = await runToEnd(["script", "-qec", command, typescript], { env: { TERM: "xterm" } });
  assert.deepEqual([onTerminal.code, readFileSync(output, "utf8")], [0, counts]);
  const drawn = onTerminal.stdout.split(clearLine);
  const stages = drawn.map((line) => /^checking: (\w+)(?: \d+ %)?, \d+\.\d s$/.exec(line)?.[1] ?? line);
  const shown = stages.filter((stage, i) => stage !== stages[i - 1]);
  // Nothing before the line, and nothing after it was cleared.
  assert.deepEqual(shown, ["", "start", "parse", "evaluate", "compile", ""]);
});
