import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { loadConfiguration } from "../../check-config.ts";
import { openRealmScenario, recordingStartMs } from "../../simulate/recorded-realm.fixture.ts";
import { runSubCommand } from "../run-sub-command.fixture.ts";
import { notifyRouteSubCommand } from "./notify-route.ts";

const folder = mkdtempSync(join(tmpdir(), "notify-route-"));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, "office.cue");
const check = `check: {type: "tcp", address: "127.0.0.1:1", max_attempts: 3, flap: {}}`;
const document = `
timezone: "UTC"
timeperiods: office: ranges: {tuesday: "09:00-17:00", wednesday: "09:00-17:00"}
${["ann", "bea", "carl", "dora"].map((name) => `contacts: ${name}: {type: "email", address: "${name}@example.org"}`).join("\n")}
contacts: bea: notification_period: "office"
notifications: {
	shop: levels: [
		{contacts: ["ann", "bea"], threshold: 2, renotify_interval: "30m"},
		{contacts: ["carl"], renotify_interval: "1h", disabled_kinds: ["CUSTOM"]},
	]
	hours: {period: "office", levels: [{contacts: ["ann"], renotify_interval: "0s"}, {contacts: ["dora"]}]}
}
downtimes: nightly: {scope: "service", selector: "backup=yes", period: "office", comment: "backup"}
hosts: web1: {
	address: "127.0.0.1"
	notification: "shop"
	zone: "here"
	${check}
	services: {
		http: {notification: "shop", ${check}}
		disk: {notification: "hours", ${check}}
		tape: {notification: "shop", labels: backup: "yes", ${check}}
		quiet: {${check}}
	}
}
`;
writeFileSync(file, document);

async function route(ref: string, ...args: readonly string[]) {
  const { code, stdout, stderr } = await runSubCommand(notifyRouteSubCommand, [ref, `-config=${file}`, ...args]);
  assert.deepEqual([code, stderr], [0, ""]);
  return stdout;
}

test("[RO1, NO26] a problem escalates level by level until the last one repeats", async () => {
  assert.deepEqual((await route("web1!http", "-at=2026-03-10T12:00:00Z")).split("\n"), [
    'PROBLEM of web1!http at 2026-03-10T12:00:00Z, policy "shop"',
    "AT                    AFTER  LEVEL  WHAT              NOTIFIED  NOT NOTIFIED",
    "2026-03-10T12:00:00Z  +0s    0      PROBLEM critical  ann, bea",
    "2026-03-10T12:30:00Z  +30m   0      PROBLEM critical  ann, bea",
    "2026-03-10T13:00:00Z  +1h    1      PROBLEM critical  carl",
    "2026-03-10T14:00:00Z  +2h    1      PROBLEM critical  carl",
    "repeated every 1h",
  ]);
});

test("[RO2] a contact outside its period is notified when it opens; a long repetition is truncated", async () => {
  const text = await route("web1!http", "-at=2026-03-10T17:30:00Z", "-status=warning");
  assert.match(text, /PROBLEM warning +ann +bea: the contact's period "office" is closed until 2026-03-11T09:00:00Z/);
  assert.match(text, /\n… 12 more\n/);
  assert.match(text, /2026-03-11T09:00:00Z {2}\+15h30m +0 +PROBLEM warning +bea\n/);
});

test("[RO1, RO2] a closed policy, a level that is never reached, and no policy", async () => {
  const text = await route("web1!disk", "-at=2026-03-10T17:30:00Z");
  assert.match(text, /\n2026-03-11T09:00:00Z {2}\+15h30m +0 +PROBLEM critical +ann\n/);
  assert.match(
    text,
    /suppressed at 2026-03-10T17:30:00Z: PROBLEM, the period "office" of the notification policy is closed until 2026-03-11T09/,
  );
  assert.match(text, /never notified: dora of level 1: its level is never reached/);
  const quiet = await route("web1!quiet", "-at=2026-03-10T12:00:00Z");
  assert.match(quiet, /, no policy\nno contact is notified\nno notification policy applies to this object$/);
});

test("[RO4] the contacts of the first notification are verified, in any order", async () => {
  const verify = (ref: string, names: string, ...args: readonly string[]) =>
    runSubCommand(notifyRouteSubCommand, [
      ...[ref, `-config=${file}`, "-at=2026-03-10T12:00:00Z", `-verify=${names}`],
      ...args,
    ]);
  const same = await verify("web1!http", "bea, ann");
  assert.deepEqual([same.code, same.stdout.includes("not as verified")], [0, false]);
  const other = await verify("web1!http", "ann,carl");
  assert.equal(other.code, 1);
  assert.match(other.stdout, /\nnot as verified: the first notification reaches ann, bea, expected ann, carl$/);
  assert.match((await verify("web1!quiet", "ann")).stdout, /reaches no contact, expected ann$/);
  const json = await verify("web1!http", "ann", "-output=json");
  assert.deepEqual([json.code, JSON.parse(json.stdout).verified], [1, false]);
});

test("[RO2] a recurring downtime is named as the reason while it lasts", async () => {
  const text = await route("web1!tape", "-at=2026-03-10T16:30:00Z");
  assert.match(text, /suppressed at 2026-03-10T16:30:00Z: PROBLEM, in downtime .* until 2026-03-10T17:00:00Z/);
  assert.match(text, /\n2026-03-10T17:00:00Z {2}\+30m +0 +PROBLEM critical +ann/);
});

const kinds: [kind: string, contacts: string[]][] = [
  ["RECOVERY", ["ann", "bea"]],
  ["STATUS_CHANGE", ["ann", "bea"]],
  ["ACKNOWLEDGEMENT", ["ann", "bea"]],
  ["FLAPPING_START", ["ann", "bea"]],
  ["FLAPPING_STOP", ["ann", "bea"]],
  ["DOWNTIME_START", ["ann", "bea"]],
  ["DOWNTIME_END", ["ann", "bea"]],
  ["DOWNTIME_CANCELLED", ["ann", "bea"]],
  ["CUSTOM", ["ann", "bea"]],
];
for (const [kind, contacts] of kinds)
  test(`[RO1] ${kind} is routed`, async () => {
    const json = await route(
      "web1!http",
      "-at=2026-03-10T12:00:00Z",
      `-kind=${kind.toLowerCase()}`,
      "-lasted=10m",
      "-output=json",
    );
    const { messages, kind: shown } = JSON.parse(json);
    assert.equal(shown, kind);
    assert.deepEqual([messages.length, messages[0].kind, messages[0].contacts], [1, kind, contacts], json);
    assert.equal(messages[0].at, "2026-03-10T12:00:00Z");
  });

test("[RO1] the acknowledgement of a longer problem is sent to the second level", async () => {
  const args = ["-at=2026-03-10T12:00:00Z", "-kind=ACKNOWLEDGEMENT", "-lasted=2h", "-output=json"] as const;
  assert.deepEqual(JSON.parse(await route("web1!http", ...args)).messages[0].contacts, ["carl"]);
});

test("[RO1] with a data directory, toggles and acknowledgements are considered", async () => {
  const order = { configProfile: "", configTimeout: 60_000, configMemory: 2 ** 30, realm: "fra" } as const;
  const plan = await loadConfiguration({ ...order, config: file }, systemClock);
  assert.ok(plan.ok, JSON.stringify(plan));
  const scenario = await openRealmScenario(plan.value);
  await scenario.pass(10 * 60_000);
  scenario.set("critical", "web1!http");
  await scenario.pass(20 * 60_000);
  await scenario.command({
    kind: "acknowledge_problem",
    refs: ["web1!http"],
    sticky: true,
    notify: false,
    comment: "",
  });
  await scenario.command({ kind: "set_object_notifications", refs: ["web1"], enabled: false });
  await scenario.command({ kind: "set_contact_notifications", contact: "ann", enabled: false });
  const dataDir = join(folder, "data");
  await scenario.write(dataDir);
  const at = new Date(recordingStartMs + 3_600_000).toISOString();
  const args = [`-data-dir=${dataDir}`, `-at=${at}`, "-realm=fra"];
  assert.match(await route("web1!http", ...args), /PROBLEM, the problem is acknowledged by "ann"/);
  assert.match(
    await route("web1", ...args),
    /no contact is notified\nsuppressed at .*: PROBLEM, notifications are disabled for this object/,
  );
  assert.match(await route("web1!disk", ...args), /contact "ann" is muted/);
  const tape = await route("web1!tape", ...args);
  assert.match(tape, /DOWNTIME_START critical +bea +ann: contact "ann" is muted/);
  assert.match(tape, /\nsuppressed \d+ more times: -output json lists all/);
  const early = await runSubCommand(notifyRouteSubCommand, [
    "web1",
    `-config=${file}`,
    args[0] ?? "",
    "-at=2026-03-10T12:00:00Z",
  ]);
  assert.match(early.stderr, /-at is before the last state in the data directory/);
});

test("a document on standard input, and an object that is not declared", async () => {
  const served = await runSubCommand(notifyRouteSubCommand, ["web1!http", "-served"], { stdin: document });
  assert.match(served.stdout, /^PROBLEM of web1!http at /);
  const unknown = await runSubCommand(notifyRouteSubCommand, ["web1!htp", "-served"], { stdin: document });
  assert.deepEqual([unknown.code, unknown.stderr], [1, 'object "web1!htp" is not declared: did you mean "web1!http"?']);
  assert.equal((await runSubCommand(notifyRouteSubCommand, ["web1"])).code, 2);
});
