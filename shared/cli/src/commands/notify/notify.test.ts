import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import type { AgentProgramRun } from "../../local/run-agent-program.ts";
import { runCli } from "../../run-cli.ts";

async function run(args: readonly string[], agentCode = 0) {
  const runs: AgentProgramRun[] = [];
  let stderr = "";
  const code = await runCli({
    ...{ args, env: {}, clock: manualClock(Date.parse("2026-03-28T17:00:00Z")), zone: "Europe/Berlin" },
    ...{ terminal: () => undefined, clear: () => {}, colours: false, loginName: () => "ann", confirm: undefined },
    readPassword: async () => undefined,
    runAgent: async (order) => {
      runs.push(order);
      return { code: agentCode, stdout: "" };
    },
    print() {},
    printError: (text) => {
      stderr += text;
    },
  });
  return { code, stderr, args: runs[0]?.args };
}

const calls: [line: string, args: string][] = [
  ["notify test ann --config a.cue", "notify-test -config=a.cue -output=table ann"],
  [
    "notify test ann -output json -smtp-url smtp://h -smtp-password-file=/p",
    "notify-test -smtp-url=smtp://h -smtp-password-file=/p -output=json ann",
  ],
  [
    "notify route web1!http --kind PROBLEM --at 22:00 --config a.cue",
    "notify-route -kind=PROBLEM -at=2026-03-28T21:00:00Z -output=table -config=a.cue web1!http",
  ],
  [
    "notify route web1 -problem warning -lasted=2h -data-dir /d -config a.cue",
    "notify-route -lasted=2h -data-dir=/d -status=warning -output=table -config=a.cue web1",
  ],
  ["notify route web1 --verify ann,bea -config a.cue", "notify-route -verify=ann,bea -output=table -config=a.cue web1"],
  ["config simulate new.cue --since 7d", "simulate -since=7d -output=table new.cue"],
  [
    "config simulate new.cue -config old.cue -data-dir=/d -tolerance 1m -output=json",
    "simulate -config=old.cue -data-dir=/d -tolerance=1m -output=json new.cue",
  ],
];
for (const [line, args] of calls)
  test(`runs the agent's program for: ${line}`, async () => {
    const called = await run(line.split(" "));
    assert.deepEqual([called.code, called.stderr], [0, ""]);
    assert.deepEqual([...(called.args ?? [])].sort(), args.split(" ").sort());
  });

test("the exit code of the agent's program is returned, and an invalid time is rejected before it runs", async () => {
  assert.equal((await run(["notify", "test", "ann"], 1)).code, 1);
  const wrong = await run(["notify", "route", "web1", "-at", "soon", "-config", "a.cue"]);
  assert.deepEqual([wrong.code, wrong.args], [2, undefined]);
  assert.match(wrong.stderr, /^realmwatch: -at: "soon" is not a time/);
});

test("without a document that of the server is used", async () => {
  const { code, stderr, args } = await run(["notify", "route", "web1", "-server", "http://127.0.0.1:9"]);
  assert.deepEqual([code, args], [1, undefined]);
  assert.match(stderr, /127\.0\.0\.1:9/);
});
