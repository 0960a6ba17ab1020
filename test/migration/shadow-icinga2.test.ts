import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { runRealmwatch } from "../run/cli.ts";
import { startTestAgent, tempFolder } from "../run/processes.ts";
import { statusRows } from "../run/rows.ts";
import { isInstalled } from "../run/sink-receivers.ts";
import { icingaLogin, startIcinga } from "./running-icinga.fixture.ts";

const times = "check_interval = 2s, retry_interval = 1s, max_check_attempts = 3";
/** A host that is up and a service that fails, checked every two seconds. */
const objects = `object User "ops" {}
object NotificationCommand "none" { command = [ "/bin/true" ] }
apply Notification "mail" to Service { command = "none", users = [ "ops" ], assign where true }
object Host "web1" { check_command = "dummy", vars.dummy_state = 0, vars.dummy_text = "PING ok|rta=1ms", ${times} }
object Service "http" { host_name = "web1", check_command = "dummy", vars.dummy_state = 2, vars.dummy_text = "refused", ${times} }
`;

const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 3, flap: {enabled: false}}`;
const document = `hosts: web1: {address: "127.0.0.1", ${passive}, services: http: {${passive}}}\n`;

const skip = isInstalled("icinga2") ? false : "needs icinga2";

for (const [rules, by] of [
  ["[SH3] [SH5] [SH13]", "Livestatus"],
  ["[SH3] [SH5] [SH14]", "the API"],
] as const)
  test(`${rules} an agent follows Icinga 2 over ${by}`, { skip }, async (t) => {
    const [icinga, agent] = await Promise.all([startIcinga(t, objects), startTestAgent(t, { config: document })]);
    const passwordFile = join(tempFolder(t, "login"), "password");
    writeFileSync(passwordFile, `${icingaLogin.password}\n`);
    const system =
      by === "Livestatus"
        ? ["-livestatus", icinga.livestatus]
        : ["-icinga", icinga.api, "-user", icingaLogin.user, "-password-file", passwordFile];
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
