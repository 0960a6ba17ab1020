import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { startTestAgent, tempFolder } from "../run/processes.ts";
import { sendCommand, serviceTarget } from "../run/rows.ts";
import { createMacroScript, type MacroScript, type ScriptRun } from "./macro-script.ts";

/** Macros of an object's state and configuration; `@` is HOST or SERVICE. */
const objectNames = [
  "@STATE",
  "@STATETYPE",
  "@ATTEMPT",
  "@OUTPUT",
  "LONG@OUTPUT",
  "@PERFDATA",
  "@DURATION",
  "LAST@CHECK",
];
const names: readonly string[] = [
  ...["HOSTNAME", "HOSTADDRESS", "HOSTCHECKCOMMAND", "SERVICEDESC", "SERVICECHECKCOMMAND"],
  ...objectNames.flatMap((name) => [name.replace("@", "HOST"), name.replace("@", "SERVICE")]),
  ...["NOTIFICATIONTYPE", "NOTIFICATIONKIND", "NOTIFICATIONAUTHOR", "NOTIFICATIONCOMMENT", "NOTIFICATIONNUMBER"],
  ...["CONTACTNAME", "CONTACTEMAIL", "LONGDATETIME", "SHORTDATETIME", "TIMET"],
  ...["ARG1", "ARG2", "ARG32", "_HOSTRACK", "_SERVICEPORT"],
];
/** Macros that change from one run to the next, or have a value only in notifications. */
const changing = /^(NOTIFICATION|CONTACT|ARG|TIME|DATE|LONGDATE|SHORTDATE|.*DURATION)/;

const words = names.map((name) => `${name}=$${name}$`).join(" ");
/** The text of an argument is code of a shell line, so that it needs quotes there. */
const quotedWords = names.map((name) => String.raw`\"${name}=$${name}$\"`).join(" ");

const documentOf = ({ path }: MacroScript, address: string, rack: string): string => `
commands: {
	hostcheck: line: "${path} hostcheck ${words} USER=$USER1$ costs=$$5"
	servicecheck: line: "${path} servicecheck ${words}"
	handle: line: "${path} handler ${words}"
	page: {line: "${path} page ${quotedWords}", shell: true}
}
resources: USER1: "from the resources"
handlers: fix: {type: "command", command: "handle", args: ["$SERVICESTATE$"]}
contacts: ops: {type: "command", command: "page", args: ["plain", "to $CONTACTNAME$"], address: "ops@example.org"}
notifications: all: levels: [{contacts: ["ops"], renotify_interval: "0s"}]
hosts: web1: {
	address: "${address}"
	vars: RACK: "${rack}"
	handler: "fix"
	notification: "all"
	check: {type: "command", command: "hostcheck", args: ["5", "a b"], check_interval: "1s", retry_interval: "1s", max_attempts: 1, flap: enabled: false}
	services: http: {
		vars: PORT: "8080"
		handler: "fix"
		notification: "all"
		check: {type: "command", command: "servicecheck", args: ["$HOSTADDRESS$"], check_interval: "1s", retry_interval: "1s", max_attempts: 2, flap: enabled: false}
	}
}
processes: shop: {rule: ref: "web1!http", vars: RACK: "none", notification: "all"}
`;

/** Arguments `NAME=value` of a run. */
const argsOf = ({ args }: ScriptRun): Record<string, string> =>
  Object.fromEntries(args.map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]));

/** Asserts that arguments and environment agree: a macro without a value is empty in an argument. */
function assertConsistent(run: ScriptRun): void {
  const args = argsOf(run);
  for (const name of names) assert.equal(args[name], run.macros[name] ?? "", `${name} of ${run.role}`);
  assert.equal(run.macros["USER1"], undefined);
}

/** Macros that do not change, without empty ones: a shell line sets a variable for each macro that it names. */
const stable = ({ macros }: ScriptRun): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(macros).filter(([name, value]) => value !== "" && !changing.test(name)));

const pick = (run: ScriptRun, ...wanted: string[]): string[] => wanted.map((name) => run.macros[name] ?? "");

test("[PO10] every macro has the same value in checks, handlers and contacts of hosts and services", async (t) => {
  const script = createMacroScript(t);
  script.answer("hostcheck", "PING ok|rta=1ms", 0);
  script.answer("servicecheck", "HTTP 200|time=0.1s", 0);
  const agent = await startTestAgent(t, { config: documentOf(script, "192.0.2.10", "r7") });
  const find = async (what: string, matches: (run: ScriptRun) => boolean): Promise<ScriptRun> => {
    await until(what, () => script.runs().some(matches));
    return script.runs().find(matches) ?? assert.fail(what);
  };
  const pages =
    (type: string, host: string, service?: string) =>
    ({ role, macros }: ScriptRun) =>
      role === "page" &&
      macros["NOTIFICATIONTYPE"] === type &&
      macros["HOSTNAME"] === host &&
      (macros["SERVICEDESC"] ?? "") === (service ?? "");
  const isHard = ({ role, macros }: ScriptRun): boolean =>
    role === "handler" && macros["SERVICESTATE"] === "CRITICAL" && macros["SERVICESTATETYPE"] === "HARD";

  await find("both are checked", ({ macros }) => macros["HOSTOUTPUT"] !== "" && macros["SERVICEOUTPUT"] === "HTTP 200");
  script.answer("servicecheck", "HTTP 503 $(id)|time=2.1s\nsecond line", 2);
  const page = await find("the service's problem is notified", pages("PROBLEM", "web1", "http"));
  const handled = await find("its handler runs", isHard);
  const seen = script.runs().length;
  await until("it is checked again", () =>
    script
      .runs()
      .slice(seen)
      .some(({ role }) => role === "servicecheck"),
  );
  const checked = script.runs().findLast(({ role }) => role === "servicecheck") ?? assert.fail();

  for (const run of [page, handled, checked]) assertConsistent(run);
  assert.deepEqual(
    pick(page, "HOSTNAME", "HOSTADDRESS", "HOSTCHECKCOMMAND", "SERVICEDESC", "SERVICECHECKCOMMAND", "_HOSTRACK"),
    ["web1", "192.0.2.10", "hostcheck!5!a b", "http", "servicecheck!$HOSTADDRESS$", "r7"],
  );
  assert.deepEqual(
    pick(page, "SERVICESTATE", "SERVICESTATETYPE", "SERVICEATTEMPT", "SERVICEOUTPUT", "LONGSERVICEOUTPUT", "HOSTSTATE"),
    ["CRITICAL", "HARD", "2", "HTTP 503 $(id)", "second line", "UP"],
  );
  assert.deepEqual(pick(page, "SERVICEPERFDATA", "HOSTPERFDATA", "_SERVICEPORT"), ["time=2.1s", "rta=1ms", "8080"]);
  assert.deepEqual(pick(page, "CONTACTNAME", "CONTACTEMAIL", "NOTIFICATIONNUMBER", "ARG1", "ARG2"), [
    ...["ops", "ops@example.org", "1"],
    ...["plain", "to ops"],
  ]);
  assert.match(page.macros["SERVICEDURATION"] ?? "", /^0d 0h 0m \d+s$/);
  assert.match(page.macros["LONGDATETIME"] ?? "", /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
  assert.ok(Math.abs(Number(page.macros["TIMET"]) - Date.now() / 1_000) < 60);
  assert.ok(Math.abs(Number(page.macros["LASTSERVICECHECK"]) - Date.now() / 1_000) < 60);
  // The host is checked between the runs, so its times differ.
  const hostTimes = /^(LASTHOSTCHECK|HOSTLATENCY|HOSTEXECUTIONTIME|HOSTPERCENTCHANGE)$/;
  const later =
    /^(LASTSERVICECHECK|LASTSERVICESTATE|LASTSERVICESTATEID|SERVICELATENCY|SERVICEEXECUTIONTIME|SERVICEPERCENTCHANGE)$/;
  const without = (values: Readonly<Record<string, string>>, ...left: RegExp[]) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => !left.some((pattern) => pattern.test(name))));
  assert.deepEqual(stable(page), stable(handled));
  assert.deepEqual(without(stable(page), hostTimes, later), without(stable(checked), hostTimes, later));

  const process = await find("the process' problem is notified", pages("PROBLEM", "shop"));
  assertConsistent(process);
  assert.deepEqual(pick(process, "HOSTSTATE", "_HOSTRACK", "HOSTADDRESS", "HOSTCHECKCOMMAND", "HOSTATTEMPT"), [
    ...["DOWN", "none", "", "", "1"],
  ]);

  const acknowledgement = { sticky: true, notify: true, author: "ann", comment: "`id`; looking" };
  await sendCommand(agent.base, "AcknowledgeProblem", { target: serviceTarget("web1", "http"), ...acknowledgement });
  const acknowledged = await find("its acknowledgement is notified", pages("ACKNOWLEDGEMENT", "web1", "http"));
  assertConsistent(acknowledged);
  assert.deepEqual(pick(acknowledged, "NOTIFICATIONAUTHOR", "NOTIFICATIONCOMMENT"), ["ann", "`id`; looking"]);

  script.answer("hostcheck", "PING lost|rta=U", 2);
  const down = await find("the host's problem is notified", pages("PROBLEM", "web1"));
  const handledDown = await find(
    "its handler runs",
    ({ role, macros }) => role === "handler" && macros["HOSTSTATE"] === "DOWN" && (macros["SERVICEDESC"] ?? "") === "",
  );
  for (const run of [down, handledDown]) assertConsistent(run);
  assert.deepEqual(stable(down), stable(handledDown));
  assert.deepEqual(pick(down, "HOSTSTATE", "HOSTOUTPUT", "HOSTCHECKCOMMAND", "HOSTADDRESS", "SERVICESTATE"), [
    ...["DOWN", "PING lost", "hostcheck!5!a b", "192.0.2.10", ""],
  ]);
  const hostChecks = script.runs().filter(({ role }) => role === "hostcheck");
  assert.deepEqual(
    [argsOf(hostChecks[0] ?? assert.fail())["USER"], hostChecks[0]?.args.at(-1)],
    ["from the resources", "costs=$5"],
  );
});

test("[PO11] a notification that is repeated after a kill and a changed configuration has the values of its decision", async (t) => {
  const script = createMacroScript(t);
  script.answer("hostcheck", "PING ok", 0);
  script.answer("servicecheck", "HTTP 503", 2);
  // Exit code 75 requests another attempt.
  script.answer("page", "", 75);
  const file = join(tempFolder(t, "document"), "config.cue");
  writeFileSync(file, documentOf(script, "192.0.2.10", "r7"));
  const agent = await startTestAgent(t, { config: file });
  const tried = (): readonly ScriptRun[] =>
    script.runs().filter(({ role, macros }) => role === "page" && macros["SERVICEDESC"] === "http");
  await until("the notification is tried", () => tried().length > 0);
  const [first] = tried();
  await agent.stop("SIGKILL");
  writeFileSync(file, documentOf(script, "198.51.100.20", "r99"));
  const before = tried().length;
  await agent.restart();
  await until("it is tried again", () => tried().length > before);
  assert.deepEqual(tried()[before]?.macros, first?.macros);
  assert.deepEqual(tried()[before]?.args, first?.args);
  assert.deepEqual(pick(first ?? assert.fail(), "HOSTADDRESS", "_HOSTRACK"), ["192.0.2.10", "r7"]);
  const checks = script.runs().filter(({ role }) => role === "servicecheck");
  await until("a check has the new values", () => script.runs().some(({ macros }) => macros["_HOSTRACK"] === "r99"));
  assert.ok(checks.length > 0);
});
