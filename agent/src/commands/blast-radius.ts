import {
  type Attachments,
  type BlastRadius,
  blastRadius,
  formatBlastRadius,
} from "@realmwatch/shared/config/diff/blast-radius";
import { diffPlans, type PlanDiff } from "@realmwatch/shared/config/diff/diff-plans";
import { formatPlanDiff } from "@realmwatch/shared/config/diff/format-plan-diff";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { FlagTable } from "@realmwatch/shared/platform/flags/flags";
import { subCommand } from "@realmwatch/shared/platform/process/run-program";
import { agentFlags } from "../flags.ts";
import { documentFlags, outputFlag, readDocument } from "./read-document.ts";

const flags = {
  output: outputFlag,
  ...documentFlags,
  realm: agentFlags.realm,
} as const satisfies FlagTable;

/**
 * Running realm as JSON on standard input: the document that it serves, and the acknowledgements, downtimes and
 * comments of its objects, by reference.
 */
type ServedRealm = { readonly cue: string; readonly attached: Readonly<Record<string, Attachments>> };

/** `blast-radius FILE`: lists what applying FILE in place of the document on standard input would change and delete. */
export const blastRadiusSubCommand = subCommand({
  words: ["FILE"],
  flags,
  async run({ words: [file = ""], values, readStdin }) {
    const served = readServed(await readStdin());
    if (!served.ok) return served;
    const after = await readDocument({ ...values, config: file });
    if (!after.ok) return after;
    const before = await readDocument({ ...values, config: "served.cue" }, served.value.cue);
    if (!before.ok) return before;
    const diff = diffPlans(before.value, after.value);
    const { attached } = served.value;
    const radius = blastRadius(diff, (ref) => (Object.hasOwn(attached, ref) ? attached[ref] : undefined));
    return ok(values.output === "json" ? formatJson(diff, radius) : formatLines(diff, radius).join("\n"));
  },
});

function readServed(text: string): Result<ServedRealm, string> {
  try {
    const { cue, attached = {} } = JSON.parse(text) as Partial<ServedRealm>;
    if (typeof cue === "string") return ok({ cue, attached });
  } catch {
    // Reported below, as for valid JSON of another shape.
  }
  return fail('standard input is not what blast-radius reads: JSON with the served document as "cue"');
}

function formatJson(diff: PlanDiff, radius: BlastRadius): string {
  const refs = (objects: readonly { readonly ref: string }[]): string[] => objects.map(({ ref }) => ref);
  const json = {
    added: refs(diff.added),
    removed: refs(diff.removed),
    changed: refs(diff.changed.map(({ after }) => after)),
    sections: Object.fromEntries(diff.sections),
    ...radius,
  };
  return JSON.stringify(json, undefined, 2);
}

/** Most objects that are listed for a kind of change; JSON has all. */
const maxListed = 20;

/** Lists the changed objects and what is lost with them. Names only, because values may be secret. */
const formatLines = (diff: PlanDiff, radius: BlastRadius): readonly string[] => [
  ...formatPlanDiff(diff),
  ...formatList("+", diff.added),
  ...formatList("-", diff.removed),
  ...formatList(
    "~",
    diff.changed.map(({ after }) => after),
  ),
  ...formatBlastRadius(radius),
];

function formatList(sign: string, objects: readonly { readonly ref: string }[]): string[] {
  const shown = objects.slice(0, maxListed).map(({ ref }) => `  ${sign} ${ref}`);
  return objects.length > maxListed ? [...shown, `  ${sign} and ${objects.length - maxListed} more`] : shown;
}
