import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { seededRandom, testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { cliProgram, runRealmwatch } from "../run/cli.ts";
import { startTestAgent, tempFolder } from "../run/processes.ts";
import { statusRows } from "../run/rows.ts";
import { isInstalled } from "../run/sink-receivers.ts";
import { hosts, parentsOf, randomRound, refs, results, servicesOfHost } from "./random-site.fixture.ts";
import { icingaLogin, startIcinga } from "./running-icinga.fixture.ts";

const skip = isInstalled("icinga2") ? false : "needs icinga2";

/** The random site as Icinga 2 has it: parents are dependencies, and no check is executed. */
function configuration(): string {
  const passive = `check_command = "dummy", enable_active_checks = false, enable_flapping = false, check_interval = 1h, retry_interval = 1h`;
  const objects: string[] = [];
  for (let at = 0; at < hosts; at += 1) {
    objects.push(`object Host "h${at}" { address = "127.0.0.1", max_check_attempts = ${1 + (at % 4)}, ${passive} }`);
    // One parent of each host: several ones need redundancy_group, which Icinga 2 has from 2.14 on.
    for (const parent of parentsOf(at).slice(0, 1))
      objects.push(`object Dependency "${parent}" { parent_host_name = "${parent}", child_host_name = "h${at}" }`);
    for (let service = 0; service < servicesOfHost; service += 1)
      objects.push(
        `object Service "s${service}" { host_name = "h${at}", max_check_attempts = ${1 + ((at + service) % 4)}, ${passive} }`,
      );
  }
  return `${objects.join("\n")}\n`;
}

test("[SH16] a shadow agrees with icinga2 on every state of random results", { skip }, async (t) => {
  const icinga = await startIcinga(t, configuration());
  const config = join(tempFolder(t, "imported"), "realm.cue");
  const imported = await runRealmwatch(["import", "icinga2", icinga.configuration, "-out", config, "-lenient"]);
  assert.equal(imported.code, 0, imported.stderr);
  const passwordFile = join(tempFolder(t, "login"), "password");
  writeFileSync(passwordFile, `${icingaLogin.password}\n`);
  const agent = await startTestAgent(t, { config });
  const reportFile = join(tempFolder(t, "report"), "report.json");
  const args = ["shadow", "-server", agent.base, "-icinga", icinga.api, "-user", icingaLogin.user];
  args.push("-password-file", passwordFile, "-for", "12h", "-report", reportFile);
  const [program = "", ...words] = cliProgram;
  const shadow = spawn(program, [...words, ...args], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: icinga.certificate },
    stdio: "ignore",
  });
  atEnd(t, () => void shadow.kill("SIGKILL"));
  const random = seededRandom(testSeed(t));
  let compared = 0;
  let report: Report | undefined;
  for (let sent = 0; sent < results; sent += refs.length) {
    for (const { ref, code } of randomRound(random)) {
      const [type, name] = ref.includes("!") ? ["Service", "service"] : ["Host", "host"];
      await icinga.call("/v1/actions/process-check-result", {
        ...{ type, [name]: ref, exit_status: code, plugin_output: `result of round ${sent}` },
      });
    }
    // A reading that falls into the round is compared as far as it goes.
    report = await until("all states of the round are compared", () => {
      const latest: Report = JSON.parse(readFileSync(reportFile, "utf8"));
      const rows = statusRows(agent.base);
      return rows.then((all) => {
        const isFed = refs.every((ref) => all[ref]?.output === `result of round ${sent}`);
        return isFed && latest.compared === refs.length && latest.readings > (report?.readings ?? 0) && latest;
      });
    });
    compared += refs.length;
    const states = report.differences.filter(({ kind }) => kind !== "notification");
    if ((sent / refs.length) % 10 === 0)
      console.log(
        `${compared} results, ${states.length} differ, by design: ${JSON.stringify(report.byDesign.map(({ reason, count }) => `${count} ${reason}`))}`,
      );
  }
  const found = report?.differences.filter(({ kind }) => kind !== "notification");
  assert.deepEqual(found, [], `${compared} states compared`);
});

type Report = {
  readonly readings: number;
  readonly compared: number;
  readonly differences: readonly { readonly kind: string }[];
  readonly byDesign: readonly { readonly reason: string; readonly count: number }[];
};
