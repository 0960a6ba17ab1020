import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { createConnection, type NetConnectOpts } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { runRealmwatch } from "../run/cli.ts";
import { startTestAgent, tempFolder } from "../run/processes.ts";
import { statusRows } from "../run/rows.ts";
import { isInstalled } from "../run/sink-receivers.ts";

type Icinga = {
  readonly livestatus: string;
  readonly api: string;
  /** File of its certificate, which is its own authority. */
  readonly certificate: string;
};

const login = { user: "realmwatch", password: "password-of-the-api-user" };

/** Starts Icinga 2 with a host that is up and a service that fails, checked every two seconds. */
async function startIcinga(scope: TestScope): Promise<Icinga> {
  const folder = tempFolder(scope, "icinga2");
  const [socket, config, port] = [join(folder, "live"), join(folder, "icinga2.conf"), await freePort()];
  const times = "check_interval = 2s, retry_interval = 1s, max_check_attempts = 3";
  writeFileSync(
    config,
    `include <itl>
const NodeName = "icinga"
object Endpoint NodeName {}
object Zone NodeName { endpoints = [ NodeName ] }
object ApiListener "api" { bind_host = "127.0.0.1", bind_port = ${port} }
object ApiUser "${login.user}" { password = "${login.password}", permissions = [ "objects/query/*" ] }
object NotificationComponent "notification" {}
object User "ops" {}
object NotificationCommand "none" { command = [ "/bin/true" ] }
apply Notification "mail" to Service { command = "none", users = [ "ops" ], assign where true }
object LivestatusListener "live" { socket_type = "unix", socket_path = "${socket}" }
object CheckerComponent "checker" {}
object Host "web1" { check_command = "dummy", vars.dummy_state = 0, vars.dummy_text = "PING ok|rta=1ms", ${times} }
object Service "http" { host_name = "web1", check_command = "dummy", vars.dummy_state = 2, vars.dummy_text = "refused", ${times} }
`,
  );
  const folders = { DataDir: "lib", LogDir: "log", CacheDir: "cache", SpoolDir: "spool", InitRunDir: "run" };
  for (const name of Object.values(folders)) mkdirSync(join(folder, name));
  const certificates = join(folder, folders.DataDir, "certs");
  mkdirSync(certificates);
  const [key, certificate] = [join(certificates, "icinga.key"), join(certificates, "icinga.crt")];
  const names = ["-subj", "/CN=icinga", "-addext", "subjectAltName=DNS:icinga,IP:127.0.0.1"];
  const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...names];
  execFileSync("openssl", [...made, "-keyout", key, "-out", certificate], { stdio: "ignore" });
  copyFileSync(certificate, join(certificates, "ca.crt"));
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
  atEnd(scope, () => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  });
  const answers = (address: NetConnectOpts) =>
    new Promise<boolean>((resolve) => {
      const client = createConnection(address, () => resolve(true)).on("error", () => resolve(false));
      atEnd(scope, () => void client.destroy());
    });
  await until("Livestatus and the API of Icinga 2", async () => {
    assert.equal(child.exitCode, null, output);
    return (await answers({ path: socket })) && (await answers({ host: "127.0.0.1", port }));
  });
  return { livestatus: socket, api: `https://127.0.0.1:${port}`, certificate };
}

const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 3, flap: {enabled: false}}`;
const document = `hosts: web1: {address: "127.0.0.1", ${passive}, services: http: {${passive}}}\n`;

const skip = isInstalled("icinga2") ? false : "needs icinga2";

for (const [rules, by] of [
  ["[SH3] [SH5] [SH13]", "Livestatus"],
  ["[SH3] [SH5] [SH14]", "the API"],
] as const)
  test(`${rules} an agent follows Icinga 2 over ${by}`, { skip }, async (t) => {
    const [icinga, agent] = await Promise.all([startIcinga(t), startTestAgent(t, { config: document })]);
    const passwordFile = join(tempFolder(t, "login"), "password");
    writeFileSync(passwordFile, `${login.password}\n`);
    const system =
      by === "Livestatus"
        ? ["-livestatus", icinga.livestatus]
        : ["-icinga", icinga.api, "-user", login.user, "-password-file", passwordFile];
    const row = await until("a hard problem", async () => {
      const args = ["shadow", "-server", agent.base, ...system, "-for", "0s", "-o", "json"];
      const { code, stdout, stderr } = await runRealmwatch(args, { env: { NODE_EXTRA_CA_CERTS: icinga.certificate } });
      assert.equal(code, 0, stderr);
      assert.deepEqual(JSON.parse(stdout).differences, []);
      const rows = await statusRows(agent.base);
      return rows["web1"]?.status === "STATUS_OK" && rows["web1!http"]?.stateType === "STATE_TYPE_HARD"
        ? rows["web1!http"]
        : undefined;
    });
    assert.deepEqual([row.status, row.output], ["STATUS_CRITICAL", "refused"]);
  });
