import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { seededRandom, testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { runRealmwatch } from "../run/cli.ts";
import { startTestAgent, tempFolder } from "../run/processes.ts";
import { isInstalled } from "../run/sink-receivers.ts";
import { hosts, parentsOf, randomRound, refs, results, servicesOfHost } from "./random-site.fixture.ts";
import { definition, startNagios } from "./running-nagios.fixture.ts";

const skip = isInstalled("nagios4") ? false : "needs nagios4";

function configuration(): string {
  const checked = {
    ...{ check_command: "none", active_checks_enabled: 0, passive_checks_enabled: 1, check_period: "always" },
    ...{ contacts: "ops", notification_period: "always", notification_interval: 60, flap_detection_enabled: 0 },
  };
  const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
  const always = Object.fromEntries(days.map((day) => [day, "00:00-24:00"]));
  const objects = [
    definition("command", { command_name: "none", command_line: "/bin/true" }),
    definition("timeperiod", { timeperiod_name: "always", alias: "always", ...always }),
    definition("contact", {
      ...{ contact_name: "ops", host_notification_period: "always", service_notification_period: "always" },
      ...{ host_notification_options: "d,u,r", service_notification_options: "w,u,c,r" },
      ...{ host_notification_commands: "none", service_notification_commands: "none" },
    }),
    definition("serviceescalation", {
      ...{ host_name: "*", service_description: "s0", contacts: "ops", notification_interval: 30 },
      ...{ first_notification: 2, last_notification: 0 },
    }),
  ];
  for (let at = 0; at < hosts; at += 1) {
    const parents = parentsOf(at).join(",");
    const host = { host_name: `h${at}`, address: "127.0.0.1", max_check_attempts: 1 + (at % 4) };
    objects.push(definition("host", { ...host, ...checked, ...(parents !== "" && { parents }) }));
    for (let service = 0; service < servicesOfHost; service += 1) {
      const service_description = `s${service}`;
      const max_check_attempts = 1 + ((at + service) % 4);
      objects.push(definition("service", { host_name: `h${at}`, service_description, max_check_attempts, ...checked }));
    }
  }
  return objects.join("");
}

test("[SH15] [SH16] a shadow agrees with nagios4 on every state of random results", {
  skip,
}, async (t) => {
  const nagios = await startNagios(t, configuration());
  const config = join(tempFolder(t, "imported"), "realm.cue");
  const imported = await runRealmwatch(["import", "nagios", nagios.mainFile, "-out", config, "-lenient"]);
  assert.equal(imported.code, 0, imported.stderr);
  const agent = await startTestAgent(t, { config });
  const args = ["shadow", "-server", agent.base, "-status-dat", nagios.statusFile, "-for", "0s", "-o", "json"];
  const random = seededRandom(testSeed(t));
  const found: string[] = [];
  const byDesign: Record<string, number> = {};
  let compared = 0;
  for (let sent = 0; sent < results; sent += refs.length) {
    await nagios.send(randomRound(random));
    const { code, stdout, stderr } = await runRealmwatch(args);
    assert.equal(code, 0, stderr);
    const report = JSON.parse(stdout);
    compared += report.compared;
    for (const { object, kind, other, agent: own } of report.differences)
      if (kind !== "notification") found.push(`${sent} ${object}: ${other}, ${own}`);
    for (const { reason, count } of report.byDesign) byDesign[reason] = (byDesign[reason] ?? 0) + count;
    if ((sent / refs.length) % 10 === 0)
      console.log(
        `${sent + refs.length} results, ${compared} states compared, ${found.length} differ, by design: ${JSON.stringify(byDesign)}`,
      );
  }
  assert.deepEqual(found, [], `${compared} states compared`);
  assert.ok(compared >= results, `${compared} states compared`);
});
