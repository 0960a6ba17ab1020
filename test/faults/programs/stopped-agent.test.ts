import assert from "node:assert/strict";
import { copyFileSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { startTestAgent, tempFolder } from "../../run/processes.ts";
import { sendCommand, serviceTarget } from "../../run/rows.ts";

/** First arguments of the processes that run a program. */
const rolesOf = (program: string): string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        return readlinkSync(`/proc/${pid}/exe`) === program ? [words[0] ?? ""] : [];
      } catch {
        return [];
      }
    })
    .sort();

test("[PG9, SK23] SIGTERM ends every program of the agent with its children, though it neither reads nor ends", async (t) => {
  const folder = tempFolder(t, "stopped-agent");
  const [sleeper, script] = [join(folder, "sleeper"), join(folder, "hang")];
  copyFileSync("/bin/sleep", sleeper);
  const sleep = (role: string) => `/bin/bash -c 'exec -a "$1-${role}" ${sleeper} 1000' x "$1"`;
  writeFileSync(script, `#!/bin/sh\nsetsid ${sleep("away")} &\n${sleep("child")} &\nexec ${sleep("own")}\n`, {
    mode: 0o755,
  });
  const config = `
commands: hang: line: "${script} $ARG1$"
contacts: ops: {type: "command", command: "hang", args: ["contact"]}
handlers: fix: {type: "command", command: "hang", args: ["handler"]}
notifications: all: levels: [{contacts: ["ops"]}]
hosts: web1: {
	address: "127.0.0.1"
	check: {type: "passive", freshness_threshold: "1h", flap: {}}
	services: job: {
		check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {}}
		handler: "fix"
		notification: "all"
	}
	services: plugin: check: {type: "legacy", path: "${script}", args: ["check"], check_interval: "1s", timeout: "1h", flap: {}}
}
sinks: pipe: {type: "exec", command: ["${script}", "sink"], input: "events", flush_interval: "50ms"}
`;
  const agent = await startTestAgent(t, { config });
  const target = serviceTarget("web1", "job");
  await sendCommand(agent.base, "ProcessCheckResult", { ...target, status: "STATUS_OK", output: "well" });
  // More than the pipe holds, so that the sink waits for its program.
  const output = "x".repeat(30_000);
  for (let n = 0; n < 6; n += 1)
    await sendCommand(agent.base, "ProcessCheckResult", {
      ...target,
      status: n % 2 === 0 ? "STATUS_CRITICAL" : "STATUS_OK",
      output,
    });
  const expected = ["check", "contact", "handler", "sink"].flatMap((role) =>
    ["away", "child", "own"].map((part) => `${role}-${part}`),
  );
  await until("each program runs with its children", () => expected.every((role) => rolesOf(sleeper).includes(role)), {
    seen: () => rolesOf(sleeper),
  });
  assert.equal(await agent.stop(), 0);
  await until("no program is left", () => rolesOf(sleeper).length === 0, {
    seen: () => rolesOf(sleeper),
  });
});
