import { outboundPolicyOf } from "@realmwatch/shared/api/program-flags";
import type { ContactPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import type { Notification } from "@realmwatch/shared/model/notification";
import { fail, ok } from "@realmwatch/shared/model/result";
import { anyText } from "@realmwatch/shared/platform/flags/flag-parsers";
import type { FlagTable, FlagValues } from "@realmwatch/shared/platform/flags/flags";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import { type ProgramExit, subCommand } from "@realmwatch/shared/platform/process/run-program";
import { systemRandom } from "@realmwatch/shared/platform/random";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { openDispatcher } from "../../contacts/dispatcher.ts";
import { agentFlags } from "../../flags.ts";
import { openNameResolver } from "../../platform/dns/name-resolver.ts";
import type { AttemptResult } from "../../platform/outbound/delivery-result.ts";
import { openProgramPool } from "../../platform/programs/program-pool.ts";
import { configIsNeeded, documentFlags, findDeclared, outputFlag, readDocument } from "../read-document.ts";

const flags = {
  comment: {
    kind: "value",
    help: "Comment of the notification.",
    placeholder: "TEXT",
    fallback: "TEST: nothing is wrong, this checks whether the contact can be reached",
    parse: anyText,
  },
  author: { kind: "value", help: "Author of the notification.", placeholder: "NAME", fallback: "", parse: anyText },
  output: outputFlag,
  config: agentFlags.config,
  ...documentFlags,
  realm: agentFlags.realm,
  "outbound-deny": agentFlags["outbound-deny"],
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

/** Result of the attempt. `tookMs`: duration of the attempt, ms. */
type TestResult = { readonly id: string; readonly result: AttemptResult; readonly tookMs: number };

/** `notify-test CONTACT -config FILE`: sends a test notification to a contact and reports the result. */
export const notifyTestSubCommand = subCommand({
  words: ["CONTACT"],
  flags,
  async run({ words: [name = ""], values }) {
    if (values.config === undefined) return fail(configIsNeeded("the contact"));
    const plan = await readDocument(values);
    if (!plan.ok) return plan;
    const contact = findDeclared(["contact", name], plan.value.contacts);
    if (!contact.ok) return contact;
    const tested = await testContact(contact.value, plan.value, values);
    const lines = values.output === "json" ? [formatJson(contact.value, tested)] : [formatLine(contact.value, tested)];
    return tested.result.kind === "delivered" ? ok(lines.join("\n")) : fail(failed(lines, values.output === "json"));
  },
});

const failed = (lines: readonly string[], requested: boolean): ProgramExit => ({ code: 1, lines, requested });

/**
 * Makes one attempt in the same way as the agent does. Periods, toggles and digests do not apply: the test shows
 * whether the contact can be reached at all.
 */
async function testContact(contact: ContactPlan, plan: RealmPlan, values: Values): Promise<TestResult> {
  const clock = systemClock;
  const programs = openProgramPool({ clock, concurrency: 1, helpers: 1 });
  const atOnce = "groupWaitMs" in contact ? { ...contact, groupWaitMs: 0 } : contact;
  const notification = testNotification(contact.name, values);
  const ended = Promise.withResolvers<TestResult>();
  const dispatcher = openDispatcher({
    ...{ clock, random: systemRandom, programs, realm: values.realm, publicUrl: values.publicUrl, settings: values },
    resolver: openNameResolver({
      clock,
      outbound: outboundPolicyOf(values, { demo: values.configProfile === "demo" }),
    }),
    contacts: () => new Map([[contact.name, atOnce]]),
    commands: () => plan.commands,
    resources: () => plan.resources,
    ended: async () => {},
    attemptsFailed: () => {},
    overdue: () => {},
    hooks: {
      attempted: (_, result, tookMs) => ended.resolve({ id: notification.id, result, tookMs: Math.round(tookMs) }),
      ended() {},
    },
  });
  try {
    dispatcher.enqueue([notification]);
    return await ended.promise;
  } finally {
    await dispatcher.close(0);
    await programs.close();
  }
}

function testNotification(contact: string, { author, comment }: Values): Notification {
  const nowMs = systemClock.now();
  const id = `test-${idGenerator(systemClock)()}`;
  return {
    ...{ id, contact, kind: "CUSTOM", problemId: id, decisionId: id, author, comment, atMs: nowMs, sinceMs: 0 },
    // Not the name of an existing object, so that the recipient does not search for a problem of it.
    key: { kind: "host", name: "realmwatch-test" },
    ...{ status: "ok", previousStatus: "ok", stateType: "hard", attempt: 1, maxAttempts: 1 },
    ...{ output: "TEST message, sent by hand", longOutput: "", perfdata: [], labels: { test: "true" } },
    ...{ level: 0, number: 0 },
  };
}

const nameOf = ({ name, type }: ContactPlan): string => `contact ${JSON.stringify(name)} (${type})`;

function formatLine(contact: ContactPlan, { result, tookMs, id }: TestResult): string {
  if (result.kind === "delivered") return `${nameOf(contact)} was notified in ${tookMs} ms; the notification is ${id}`;
  const next =
    result.kind === "rejected"
      ? "an agent would not try again"
      : `an agent would try again${formatRetryDelay(result.afterMs)}`;
  return `${nameOf(contact)} was not notified: ${result.detail} (${result.reason}, after ${tookMs} ms; ${next})`;
}

const formatRetryDelay = (afterMs: number | undefined): string =>
  afterMs === undefined ? "" : ` after ${Math.ceil(afterMs / 1_000)} s, as the receiver requested`;

function formatJson({ name, type }: ContactPlan, { id, result, tookMs }: TestResult): string {
  const failure = result.kind === "delivered" ? {} : { reason: result.reason, detail: result.detail };
  return JSON.stringify({ contact: name, type, id, outcome: result.kind, ...failure, tookMs }, undefined, 2);
}
