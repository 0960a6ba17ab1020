import type { Acknowledgement } from "../model/annotation.ts";
import { timestampFromProto } from "../wire/fields/time.ts";
import { declareCommand, toObjects } from "./command-kind.ts";
import { lineCommands, targetLines } from "./command-line.ts";
import { parseTargeted } from "./resolve-target.ts";

type AcknowledgeProblem = Pick<Acknowledgement, "sticky" | "comment"> & {
  readonly refs: readonly string[];
  readonly notify: boolean;
  readonly expiresAtMs?: number;
};

type LineValues = {
  readonly sticky: number;
  readonly notify: boolean;
  readonly expires?: number;
  readonly author: string;
  readonly comment: string;
};

/** Command of a line. Nagios documents that `sticky` 2 lasts until the recovery, any other value until a change. */
function acknowledge(refs: readonly string[], { sticky, notify, expires, author, comment }: LineValues) {
  const expiry = expires === undefined ? {} : { expiresAtMs: expires };
  return lineCommands<AcknowledgeProblem>([{ refs, sticky: sticky === 2, notify, comment, ...expiry }], author);
}

export const acknowledgeProblemCommand = declareCommand("acknowledgeProblem", {
  kind: "acknowledge_problem",
  words: {
    action: "Acknowledge",
    noun: "acknowledgement",
    title: (count) => (count === 1 ? "Acknowledge problem" : `Acknowledge ${count} problems`),
    fields: {
      comment: "Reason, or who works on the problem.",
      sticky: "Lasts until recovery. Otherwise any change of status ends it.",
      notify: "Sends an acknowledgement notification to the recipients of the problem.",
      expiresAt: "Expiry: after a duration such as 4h, or at a time.",
    },
    onTarget: {
      path: "ack",
      summary: "Acknowledge the current problem of a host, a service, a process or a selection.",
      done: (target) => `acknowledged ${target}`,
      problemsOnly: true,
    },
  },
  parse({ target, sticky, notify, comment, expiresAt }, { realm }) {
    const expiresAtMs = timestampFromProto("expiresAt", expiresAt);
    if (!expiresAtMs.ok) return expiresAtMs;
    const expiry = expiresAtMs.value === undefined ? {} : { expiresAtMs: expiresAtMs.value };
    return parseTargeted(realm, target, (refs) => ({ refs, sticky, notify, comment, ...expiry }));
  },
  effects({ refs, sticky, comment, notify, expiresAtMs }: AcknowledgeProblem, { by, atMs }) {
    const acknowledgement: Acknowledgement = { ...by, comment, sticky, atMs, expiresAtMs };
    return toObjects(refs, { kind: "acknowledge", acknowledgement, notify });
  },
  lines: {
    ...targetLines(
      { host: "ACKNOWLEDGE_HOST_PROBLEM", service: "ACKNOWLEDGE_SVC_PROBLEM" },
      ["sticky", "notify", "persistent", "author", "comment"],
      acknowledge,
    ),
    ...targetLines(
      { host: "ACKNOWLEDGE_HOST_PROBLEM_EXPIRE", service: "ACKNOWLEDGE_SVC_PROBLEM_EXPIRE" },
      ["sticky", "notify", "persistent", "expires", "author", "comment"],
      acknowledge,
    ),
  },
});
