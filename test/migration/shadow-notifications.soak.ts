import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { test } from "node:test";
import { seededRandom, testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { cliProgram, runRealmwatch } from "../run/cli.ts";
import { startTestAgent, tempFolder } from "../run/processes.ts";
import { isInstalled } from "../run/sink-receivers.ts";
import { nagiosSite } from "./nagios-site.fixture.ts";
import { randomRound, refs } from "./random-site.fixture.ts";
import { startNagios } from "./running-nagios.fixture.ts";

const skip = isInstalled("nagios4") ? false : "needs nagios4";

/** Number of results of each object. */
const rounds = Number(env["ROUNDS"] ?? 40);

test("[SH8] [SH16] a shadow notifies of the same problems as nagios4, repetitions apart", { skip }, async (t) => {
  const nagios = await startNagios(t, nagiosSite(20), { interval_length: 1 });
  const config = join(tempFolder(t, "imported"), "realm.cue");
  const imported = await runRealmwatch(["import", "nagios", nagios.mainFile, "-out", config, "-lenient"]);
  assert.equal(imported.code, 0, imported.stderr);
  const agent = await startTestAgent(t, { config });
  const reportFile = join(tempFolder(t, "report"), "report.json");
  const args = [
    "shadow",
    "-server",
    agent.base,
    "-status-dat",
    nagios.statusFile,
    "-for",
    "12h",
    "-report",
    reportFile,
  ];
  const [program = "", ...words] = cliProgram;
  const shadow = spawn(program, [...words, ...args], { stdio: "ignore" });
  atEnd(t, () => void shadow.kill("SIGKILL"));
  const read = (): Report => JSON.parse(readFileSync(reportFile, "utf8"));
  const random = seededRandom(testSeed(t));
  for (let round = 0; round < rounds; round += 1) {
    await nagios.send(randomRound(random));
    const sentAt = new Date().toISOString();
    const report = await until("the round is compared", () => {
      const latest = read();
      return latest.compared === refs.length && latest.to > sentAt && latest;
    });
    if (round % 10 !== 9) continue;
    const [all, unexplained] = [problemNotifications(nagios.logFile), notificationsOf(report).length];
    const byDesign = report.byDesign.map(({ reason, count }) => `${count} ${reason}`).join(", ");
    console.log(
      `${round + 1} rounds: Nagios logged ${all}; ${JSON.stringify(report.notifications)}, by design: ${byDesign}, ${unexplained} differ`,
    );
  }
  const report = read();
  const { other, agent: own, paired } = report.notifications;
  // A service whose result came in the second in which its host recovered is notified by one of the two only: times are whole seconds.
  const unexplained = notificationsOf(report);
  assert.ok(unexplained.length <= 0.03 * other, JSON.stringify(unexplained));
  assert.ok(paired > 0.85 * other && paired > 0.8 * own, JSON.stringify(report.notifications));
});

const notificationsOf = ({ differences }: Report) => differences.filter(({ kind }) => kind === "notification");

/** Number of problem notifications in the log of Nagios. */
const problemNotifications = (logFile: string): number =>
  readFileSync(logFile, "utf8").match(
    / NOTIFICATION: [^;]*;(?:[^;]*;){1,2}(?:WARNING|CRITICAL|UNKNOWN|DOWN|UNREACHABLE);/g,
  )?.length ?? 0;

type Report = {
  readonly to: string;
  readonly compared: number;
  readonly notifications: { readonly other: number; readonly agent: number; readonly paired: number };
  readonly differences: readonly { readonly kind: string; readonly object: string }[];
  readonly byDesign: readonly { readonly reason: string; readonly count: number }[];
};
