import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { runRealmwatch } from "../run/cli.ts";
import { startTestAgent, type TestScope, tempFolder } from "../run/processes.ts";
import { statusRows } from "../run/rows.ts";
import { isInstalled } from "../run/sink-receivers.ts";

/** Starts Icinga 2 with a host that is up and a service that fails, checked every two seconds. Returns its socket. */
async function startIcinga(scope: TestScope): Promise<string> {
  const folder = tempFolder(scope, "icinga2");
  const [socket, config] = [join(folder, "live"), join(folder, "icinga2.conf")];
  const times = "check_interval = 2s, retry_interval = 1s, max_check_attempts = 3";
  writeFileSync(
    config,
    `include <itl>
object LivestatusListener "live" { socket_type = "unix", socket_path = "${socket}" }
object CheckerComponent "checker" {}
object Host "web1" { check_command = "dummy", vars.dummy_state = 0, vars.dummy_text = "PING ok|rta=1ms", ${times} }
object Service "http" { host_name = "web1", check_command = "dummy", vars.dummy_state = 2, vars.dummy_text = "refused", ${times} }
`,
  );
  const folders = { DataDir: "lib", LogDir: "log", CacheDir: "cache", SpoolDir: "spool", InitRunDir: "run" };
  for (const name of Object.values(folders)) mkdirSync(join(folder, name));
  const { username } = userInfo();
  const group = execFileSync("id", ["-gn"], { encoding: "utf8" }).trim();
  const settings = [
    ...Object.entries(folders).map(([name, path]) => `${name}=${join(folder, path)}`),
    ...[`PidPath=${join(folder, "run/pid")}`, `RunAsUser=${username}`, `RunAsGroup=${group}`],
    ...[`Configuration.RunAsUser=${username}`, `Configuration.RunAsGroup=${group}`],
  ];
  const args = ["daemon", "-c", config, ...settings.flatMap((setting) => ["-D", setting])];
  const child = spawn("icinga2", args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => {
      output += data;
    });
  scope.after(() => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  });
  const answers = () =>
    new Promise<boolean>((resolve) => {
      const client = createConnection(socket, () => resolve(true)).on("error", () => resolve(false));
      scope.after(() => void client.destroy());
    });
  await until("Livestatus of Icinga 2", async () => {
    assert.equal(child.exitCode, null, output);
    return answers();
  });
  return socket;
}

const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 3, flap: {enabled: false}}`;
const document = `hosts: web1: {address: "127.0.0.1", ${passive}, services: http: {${passive}}}\n`;

test("[SH3] [SH5] [SH13] an agent follows Icinga 2 over Livestatus", {
  skip: isInstalled("icinga2") ? false : "needs icinga2",
}, async (t) => {
  const [socket, agent] = await Promise.all([startIcinga(t), startTestAgent(t, { config: document })]);
  const row = await until("a hard problem", async () => {
    const args = ["shadow", "-server", agent.base, "-livestatus", socket, "-for", "0s", "-o", "json"];
    const { code, stdout, stderr } = await runRealmwatch(args);
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(stdout).differences, []);
    const rows = await statusRows(agent.base);
    return rows["web1"]?.status === "STATUS_OK" && rows["web1!http"]?.stateType === "STATE_TYPE_HARD"
      ? rows["web1!http"]
      : undefined;
  });
  assert.deepEqual([row.status, row.output], ["STATUS_CRITICAL", "refused"]);
});
