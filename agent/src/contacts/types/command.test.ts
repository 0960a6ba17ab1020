import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { ContactPlan } from "@realmwatch/shared/config/plan";
import type { CommandTemplate } from "@realmwatch/shared/text/command/prepare-command";
import type { AttemptResult } from "../../platform/outbound/delivery-result.ts";
import { canarySecret, contactContract, type ReceiverBehaviour } from "../contact.contract.ts";
import { commonContactFields, openTestContactDependencies } from "../contact-dependencies.fixture.ts";
import { problemNotification } from "../notification.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "realmwatch-command-"));
after(() => rmSync(folder, { recursive: true }));
const out = join(folder, "out");

/** Writes its arguments and its environment, separated by NUL. */
const show = join(folder, "show.sh");
writeFileSync(show, `#!/bin/sh\nprintf '%s\\0' "$@" > "${out}"\nenv -0 > "${out}.env"\n`, { mode: 0o755 });

type Ran = {
  readonly attempt: AttemptResult;
  readonly argv: readonly string[];
  readonly env: ReadonlyMap<string, string>;
};

async function run(
  template: CommandTemplate,
  sent = problemNotification(),
  args: readonly string[] = [],
): Promise<Ran> {
  rmSync(out, { force: true });
  await using open = openTestContactDependencies({
    commands: { notify: template },
    resources: { USER1: "s3cr3ts3cr3t" },
  });
  const contact: ContactPlan = {
    ...commonContactFields,
    type: "command",
    command: "notify",
    args,
    address: "ann@example.org",
  };
  const attempt = await open.send(contact, [sent], 60_000);
  if (!existsSync(out)) return { attempt, argv: [], env: new Map() };
  const env = readFileSync(`${out}.env`, "utf8").split("\0").filter(Boolean);
  const pairs = env.map((line): [string, string] => [
    line.slice(0, line.indexOf("=")),
    line.slice(line.indexOf("=") + 1),
  ]);
  return { attempt, argv: readFileSync(out, "utf8").split("\0").slice(0, -1), env: new Map(pairs) };
}

const tokenized = (line: string): CommandTemplate => ({ line: `${show} ${line}`, shell: false });

const contractLines: Readonly<Record<ReceiverBehaviour, string>> = {
  accepts: "/bin/true",
  fails: `echo ${canarySecret} >&2; exit 1`,
  hangs: "sleep 60",
};

contactContract("command", async (behaviour) => ({
  plan: { ...commonContactFields, type: "command", command: "notify", args: [], address: "" },
  commands: { notify: { line: contractLines[behaviour], shell: true } },
  resources: { USER1: canarySecret },
  [Symbol.asyncDispose]: async () => {},
}));

test("a command receives the macros of the notification and of the contact", async () => {
  const line =
    "$NOTIFICATIONTYPE$ $NOTIFICATIONKIND$ $CONTACTNAME$ $CONTACTEMAIL$ $HOSTNAME$ $SERVICEDESC$ $ARG1$ $_HOSTRACK$";
  const sent = problemNotification({ kind: "FLAPPING_START", macros: { _HOSTRACK: "r7", SERVICESTATE: "CRITICAL" } });
  const { attempt, argv, env } = await run(tokenized(line), sent, ["<$SERVICEOUTPUT$>"]);
  assert.deepEqual(attempt, { kind: "delivered" });
  const output = "<HTTP 503 after 2.1 s>";
  assert.deepEqual(argv, ["FLAPPINGSTART", "FLAPPING_START", "ann", "ann@example.org", "web1", "http", output, "r7"]);
  assert.equal(env.get("NAGIOS_NOTIFICATIONTYPE"), "FLAPPINGSTART");
  assert.equal(env.get("NAGIOS_SERVICEOUTPUT"), "HTTP 503 after 2.1 s");
  assert.equal(env.get("NAGIOS_LONGDATETIME"), "2026-11-21 09:00:00 UTC");
  assert.equal(env.get("NAGIOS_USER1"), undefined);
});

test("[PO11] macros that a notification does not have are empty", async () => {
  for (const macros of [undefined, { SERVICESTATE: "CRITICAL", SERVICECHECKCOMMAND: "stored!1" }]) {
    const sent = problemNotification(macros === undefined ? {} : { macros });
    const { attempt, argv } = await run(
      tokenized("$HOSTNAME$ <$HOSTADDRESS$> $SERVICESTATE$ <$SERVICECHECKCOMMAND$>"),
      sent,
    );
    assert.deepEqual(attempt, { kind: "delivered" });
    assert.deepEqual(argv, ["web1", "<>", "CRITICAL", `<${macros?.SERVICECHECKCOMMAND ?? ""}>`]);
  }
});

const injections = [
  "; rm -rf x",
  "`id`",
  "$(id)",
  "a\nb",
  "it's",
  'say "x"',
  "a | b",
  "& c",
  "> f",
  "*",
  "-rf",
  "--",
  "\u2028",
  "$USER1$",
];
for (const shell of [false, true])
  test(`[DL12, PO7] hostile values stay one word each, ${shell ? "with" : "without"} a shell`, async () => {
    for (const hostile of injections) {
      const sent = problemNotification({
        output: hostile,
        comment: hostile,
        author: hostile,
        macros: { _HOSTX: hostile },
      });
      const line = `${show} $SERVICEOUTPUT$ "$NOTIFICATIONCOMMENT$" '$NOTIFICATIONAUTHOR$' $_HOSTX$ $ARG1$`;
      const { argv } = await run({ line, shell }, sent, ["$SERVICEOUTPUT$"]);
      assert.deepEqual(argv, [hostile, hostile, hostile, hostile, hostile], JSON.stringify(hostile));
    }
  });

test("[PO7] NUL is removed, because no program can receive it", async () => {
  assert.deepEqual((await run(tokenized("$SERVICEOUTPUT$"), problemNotification({ output: "a\0b" }))).argv, ["ab"]);
});

test("[PO8] a megabyte of output is truncated in arguments and in the environment", async () => {
  const sent = problemNotification({ output: "x".repeat(1_000_000), longOutput: "ä".repeat(1_000_000) });
  for (const shell of [false, true]) {
    const { attempt, argv, env } = await run({ line: `${show} $SERVICEOUTPUT$ $LONGSERVICEOUTPUT$`, shell }, sent);
    assert.deepEqual(attempt, { kind: "delivered" });
    assert.deepEqual(
      argv.map((one) => Buffer.byteLength(one)),
      [8_192, 8_192],
    );
    assert.ok(Buffer.byteLength(env.get("NAGIOS_SERVICEOUTPUT") ?? "") <= 65_536);
  }
});

const program = (code: string): CommandTemplate => ({ line: code, shell: true });

test("[DL7] a failed program is not run again unless it requests that", async () => {
  const failed = await run(program("echo no relay >&2; exit 1"));
  const detail = 'command "notify" ended with exit code 1: "no relay"';
  assert.deepEqual(failed.attempt, { kind: "rejected", reason: "program", detail });
  const again = await run(program("exit 75"));
  assert.ok(again.attempt.kind === "retry" && again.attempt.reason === "program");
});

test("[DL15] output of a program is not quoted when it contains a resource", async () => {
  const { attempt } = await run(program("echo login $USER1$ failed >&2; exit 1"));
  const detail = 'command "notify" ended with exit code 1';
  assert.deepEqual(attempt, { kind: "rejected", reason: "program", detail });
});

test("[DL17] a program that cannot be run fails without retry", async () => {
  const missing = await run({ line: "/nonexistent/mail", shell: false });
  const detail = 'command "notify" cannot be run: there is no such program';
  assert.deepEqual(missing.attempt, { kind: "rejected", reason: "setup", detail });
});
