import type { ContactPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import type { Notification } from "@realmwatch/shared/model/notification";
import { fail, ok } from "@realmwatch/shared/model/result";
import { systemRandom } from "@realmwatch/shared/platform/random";
import { anyText } from "@realmwatch/shared/platform/flags/flag-parsers";
import type { FlagTable, FlagValues } from "@realmwatch/shared/platform/flags/flags";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import { type ProgramExit, subCommand } from "@realmwatch/shared/platform/process/run-program";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { nearestName } from "@realmwatch/shared/text/nearest";
import { loadConfiguration, formatDiagnostics } from "../check-config.ts";
import type { AttemptResult } from "../contacts/attempt-result.ts";
import { openDispatcher } from "../contacts/dispatcher.ts";
import { agentFlags } from "../flags.ts";
import { openProgramPool } from "../platform/programs/program-pool.ts";
import { openNameResolver } from "../platform/dns/name-resolver.ts";
import { documentFlags, outputFlag } from "./document-flags.ts";

const flags = {
  comment: {
    kind: "value",
    help: "What the message says.",
    placeholder: "TEXT",
    fallback: "TEST: nothing is wrong, somebody tries whether this contact can be reached",
    parse: anyText,
  },
  author: { kind: "value", help: "Who sends it.", placeholder: "NAME", fallback: "", parse: anyText },
  output: outputFlag,
  config: agentFlags.config,
  ...documentFlags,
  realm: agentFlags.realm,
  "public-url": agentFlags["public-url"],
  "smtp-url": agentFlags["smtp-url"],
  "smtp-from": agentFlags["smtp-from"],
  "smtp-password": agentFlags["smtp-password"],
  "messenger-token": agentFlags["messenger-token"],
  "messenger-url": agentFlags["messenger-url"],
  "incident-token": agentFlags["incident-token"],
  "incident-url": agentFlags["incident-url"],
  "pager-url": agentFlags["pager-url"],
} as const satisfies FlagTable;

type Values = FlagValues<typeof flags>;

/** What became of the message. `tookMs`: the one attempt, from its beginning. */
type Tried = { readonly id: string; readonly attempt: AttemptResult; readonly tookMs: number };

/** `notify-test CONTACT -config FILE`: one marked message to one contact, and what became of it. */
export const notifyTestSubCommand = subCommand({
  words: ["CONTACT"],
  flags,
  async run({ words: [name = ""], values }) {
    if (values.config === undefined) return fail(needsConfig);
    const plan = await loadConfiguration(values, systemClock);
    if (!plan.ok) return fail({ code: 1, lines: formatDiagnostics(plan.error) });
    const contact = plan.value.contacts.get(name);
    if (contact === undefined) return fail(unknownContact(name, plan.value));
    const tried = await tryContact(contact, plan.value, values);
    const lines = values.output === "json" ? [showJson(contact, tried)] : [showLine(contact, tried)];
    return tried.attempt.kind === "delivered" ? ok(lines.join("\n")) : fail(failed(lines, values.output === "json"));
  },
});

const needsConfig: ProgramExit = {
  code: 2,
  lines: ["realmwatch-agent: -config is needed: the document that declares the contact"],
};

const failed = (lines: readonly string[], requested: boolean): ProgramExit => ({ code: 1, lines, requested });

function unknownContact(name: string, { contacts }: RealmPlan): string {
  const nearest = nearestName(name, contacts.keys());
  const hint = nearest === undefined ? "it declares none" : `did you mean ${JSON.stringify(nearest)}?`;
  return `contact ${JSON.stringify(name)} is not declared: ${hint}`;
}

/**
 * One attempt through the same door as the agent's own messages. Periods, switches and digests are not asked: a test
 * is for whether the contact can be reached at all.
 */
async function tryContact(contact: ContactPlan, plan: RealmPlan, values: Values): Promise<Tried> {
  const clock = systemClock;
  const programs = openProgramPool({ clock, concurrency: 1, helpers: 1 });
  const atOnce = "groupWaitMs" in contact ? { ...contact, groupWaitMs: 0 } : contact;
  const message = testMessage(contact.name, values);
  const ended = Promise.withResolvers<Tried>();
  const dispatcher = openDispatcher({
    ...{ clock, random: systemRandom, programs, realm: values.realm, publicUrl: values.publicUrl, settings: values },
    resolver: openNameResolver({ clock }),
    contacts: () => new Map([[contact.name, atOnce]]),
    commands: () => plan.commands,
    resources: () => plan.resources,
    ended: async () => {},
    hooks: {
      attempted: (_, attempt, tookMs) => ended.resolve({ id: message.id, attempt, tookMs: Math.round(tookMs) }),
      ended() {},
    },
  });
  try {
    dispatcher.enqueue([message]);
    return await ended.promise;
  } finally {
    await dispatcher.close(0);
    await programs.close();
  }
}

function testMessage(contact: string, { author, comment }: Values): Notification {
  const nowMs = systemClock.now();
  const id = `test-${idGenerator(systemClock)()}`;
  return {
    ...{ id, contact, kind: "CUSTOM", problemId: id, author, comment, atMs: nowMs, sinceMs: 0 },
    // No object that exists: nobody is to look for what is wrong with it.
    key: { kind: "host", name: "realmwatch-test" },
    ...{ status: "ok", previousStatus: "ok", stateType: "hard", attempt: 1, maxAttempts: 1 },
    ...{ output: "TEST message, sent by hand", longOutput: "", perfdata: [], labels: { test: "true" } },
    ...{ level: 0, number: 0 },
  };
}

const nameOf = ({ name, type }: ContactPlan): string => `contact ${JSON.stringify(name)} (${type})`;

function showLine(contact: ContactPlan, { attempt, tookMs, id }: Tried): string {
  if (attempt.kind === "delivered") return `${nameOf(contact)} was told in ${tookMs} ms; the message is ${id}`;
  const next =
    attempt.kind === "rejected"
      ? "an agent would not try again"
      : `an agent would try again${showWait(attempt.afterMs)}`;
  return `${nameOf(contact)} was not told: ${attempt.detail} (${attempt.reason}, after ${tookMs} ms; ${next})`;
}

const showWait = (afterMs: number | undefined): string =>
  afterMs === undefined ? "" : ` after ${Math.ceil(afterMs / 1_000)} s, as it was asked to`;

function showJson({ name, type }: ContactPlan, { id, attempt, tookMs }: Tried): string {
  const said = attempt.kind === "delivered" ? {} : { reason: attempt.reason, detail: attempt.detail };
  return JSON.stringify({ contact: name, type, id, outcome: attempt.kind, ...said, tookMs }, undefined, 2);
}
