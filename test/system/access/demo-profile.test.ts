import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { newToken } from "@realmwatch/shared/identity/new-token";
import { builtProgram } from "@realmwatch/shared/platform/testing/built-program.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import { runToEnd } from "../../run/cli.ts";
import { startTcpTarget, startTestAgent, tempFolder } from "../../run/processes.ts";
import { statusRows } from "../../run/rows.ts";
import { quickCheck, smallRealm } from "../../run/small-realm.ts";

const { token, tokenHash } = newToken();
const headers = { authorization: `Bearer ${token}` };

/** Declarations that run a program or write a file: what they are, text, and diagnostic. Each leaves a file `NAME` in the folder. */
const refusedDeclarations = (folder: string): readonly (readonly [name: string, cue: string, message: RegExp])[] => {
  const shell = (name: string): string =>
    `path: "/bin/sh", args: ["-c", "touch ${join(folder, name)}; echo 'x | a=1'; exit 2"]`;
  return [
    [
      "check",
      `hosts: sh: {address: "x", handler: "sh", check: {type: "legacy", ${shell("check")}, ${quickCheck}}}`,
      /unknown check type "legacy"/,
    ],
    ["handler", `handlers: sh: {type: "legacy", ${shell("handler")}}`, /unknown handler type "legacy"/],
    [
      "module",
      `handlers: module: {type: "wasm", module: "${join(folder, "none.wasm")}"}`,
      /unknown handler type "wasm"/,
    ],
    [
      "command",
      `hosts: line: {address: "x", check: {type: "command", command: "line", ${quickCheck}}}`,
      /unknown check type "command"/,
    ],
    ["commands", `commands: line: line: "/bin/sh -c 'touch ${join(folder, "command")}'"`, /commands must be empty/],
    [
      "exec",
      `sinks: exec: {type: "exec", command: ["/bin/sh", "-c", "exec cat > ${join(folder, "exec")}"]}`,
      /unknown sink type "exec"/,
    ],
    ["file", `sinks: file: {type: "file", path: "${join(folder, "file")}"}`, /unknown sink type "file"/],
  ];
};

test("[PT10] under the demo profile an agent refuses documents with programs and files at its start, by signal and by RPC, and runs none", async (t) => {
  const folder = tempFolder(t, "demo");
  const at = (name: string): string => join(folder, name);
  const target = await startTcpTarget(t);
  const good = smallRealm(target.address);
  const declarations = refusedDeclarations(folder);
  const all = `${good}${declarations.map(([, cue]) => cue).join("\n")}\n`;
  writeFileSync(at("auth.cue"), `auth: root: {role: "admin", token_hash: "${tokenHash}"}\n`);
  writeFileSync(at("config.cue"), good);
  writeFileSync(at("all.cue"), all);
  const agent = await startTestAgent(t, {
    config: at("config.cue"),
    flags: { "auth-config": at("auth.cue"), "config-profile": "demo" },
  });
  const rows = () => statusRows(agent.base, {}, headers);

  for (const [name, cue, message] of declarations)
    for (const rpc of ["ValidateConfig", "ApplyConfig"]) {
      const answer = await call(agent.base, `AdminService/${rpc}`, { cue: `${good}${cue}\n` }, headers);
      assert.deepEqual([answer.http, answer.code], [400, "invalid_argument"], `${rpc} ${name}: ${answer.message}`);
      assert.match(answer.message, message);
      const [detail] = answer.body["details"] as { type: string }[];
      assert.equal(detail?.type, "svc.v1.ConfigDiagnostics");
    }
  assert.equal(readFileSync(at("config.cue"), "utf8"), good);

  const start = [...builtProgram("agent"), "-config-profile", "demo"];
  const place = ["-config", at("all.cue"), "-data-dir", at("other-data"), "-listen", "127.0.0.1:0"];
  const runs = [["-check-config"], []].map((more) => runToEnd([...start, ...place, ...more]));
  for (const { code, stdout, stderr } of await Promise.all(runs)) {
    assert.equal(code, 1, stderr);
    for (const [, , message] of declarations) assert.match(stdout + stderr, message);
  }

  writeFileSync(at("config.cue"), all);
  agent.signal("SIGHUP");
  await until("the document is refused", () => /the configuration was refused/.test(agent.output()));
  // Checks of the document in use go on, so one of a refused document would have run by now.
  const lastCheck = async (): Promise<number> => Date.parse((await rows())["web1"]?.lastCheck ?? "");
  const since = await until("a check", lastCheck);
  await until("further checks", async () => (await lastCheck()) - since > 1_500);
  assert.deepEqual(Object.keys(await rows()).sort(), ["web1", "web1!http", "web1!job"]);
  const traces = ["check", "handler", "command", "exec", "file"].map(at);
  assert.deepEqual(traces.filter(existsSync), []);

  // Proves that the same document would have left these files.
  await agent.restart({ "config-profile": "" });
  await until("every program has run", () => traces.every(existsSync), {
    seen: () => `${traces.filter((path) => !existsSync(path))}\n${agent.output().slice(-2_000)}`,
  });
});
