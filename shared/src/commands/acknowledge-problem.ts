import type { Acknowledgement } from "../model/annotation.ts";
import { timestampFromProto } from "../wire/fields/time.ts";
import { declareCommand, toObjects } from "./command-kind.ts";
import { parseTargeted } from "./resolve-target.ts";

type AcknowledgeProblem = {
  readonly refs: readonly string[];
  readonly sticky: boolean;
  readonly notify: boolean;
  readonly comment: string;
  readonly expiresAtMs?: number;
};

export const acknowledgeProblemCommand = declareCommand("acknowledgeProblem", {
  kind: "acknowledge_problem",
  parse({ target, sticky, notify, comment, expiresAt }, { realm }) {
    const expiresAtMs = timestampFromProto("expiresAt", expiresAt);
    if (!expiresAtMs.ok) return expiresAtMs;
    const expiry = expiresAtMs.value === undefined ? {} : { expiresAtMs: expiresAtMs.value };
    return parseTargeted(realm, target, (refs) => ({
      refs,
      sticky,
      notify,
      comment,
      ...expiry,
    }));
  },
  effects({ refs, sticky, comment, notify, expiresAtMs }: AcknowledgeProblem, { by, atMs }) {
    const acknowledgement: Acknowledgement = { ...by, comment, sticky, atMs, expiresAtMs };
    return toObjects(refs, { kind: "acknowledge", acknowledgement, notify });
  },
});
