import { type Attached, type BlastRadius, blastRadius, showBlastRadius } from "@realmwatch/shared/config/diff/blast-radius";
import { diffPlans, type PlanDiff } from "@realmwatch/shared/config/diff/diff-plans";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { showPlanDiff } from "@realmwatch/shared/config/diff/format-plan-diff";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { FlagTable } from "@realmwatch/shared/platform/flags/flags";
import { type ProgramExit, subCommand } from "@realmwatch/shared/platform/process/run-program";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { loadConfiguration, formatDiagnostics } from "../check-config.ts";
import { agentFlags } from "../flags.ts";
import { documentFlags, outputFlag } from "./document-flags.ts";

const flags = {
  output: outputFlag,
  ...documentFlags,
  realm: agentFlags.realm,
} as const satisfies FlagTable;

/**
 * What stdin tells of the running realm, as JSON: the document it serves, and what people have attached to its
 * objects, by their references.
 */
type Served = { readonly cue: string; readonly attached: Readonly<Record<string, Attached>> };

/** `blast-radius FILE`: what applying FILE in place of the document that stdin holds would change and destroy. */
export const blastRadiusSubCommand = subCommand({
  words: ["FILE"],
  flags,
  async run({ words: [file = ""], values, readStdin }) {
    const served = readServed(await readStdin());
    if (!served.ok) return served;
    const load = async (config: string, text?: string): Promise<Result<RealmPlan, ProgramExit>> => {
      const plan = await loadConfiguration({ ...values, config }, systemClock, { text });
      return plan.ok ? plan : fail({ code: 1, lines: formatDiagnostics(plan.error) });
    };
    const after = await load(file);
    if (!after.ok) return after;
    const before = await load("served.cue", served.value.cue);
    if (!before.ok) return before;
    const diff = diffPlans(before.value, after.value);
    const { attached } = served.value;
    const radius = blastRadius(diff, (ref) => (Object.hasOwn(attached, ref) ? attached[ref] : undefined));
    return ok(values.output === "json" ? showJson(diff, radius) : showLines(diff, radius).join("\n"));
  },
});

function readServed(text: string): Result<Served, string> {
  try {
    const { cue, attached = {} } = JSON.parse(text) as Partial<Served>;
    if (typeof cue === "string") return ok({ cue, attached });
  } catch {
    // Said below.
  }
  return fail('standard input is not what blast-radius reads: JSON with the served document as "cue"');
}

function showJson(diff: PlanDiff, radius: BlastRadius): string {
  const refs = (objects: readonly { readonly ref: string }[]): string[] => objects.map(({ ref }) => ref);
  const told = {
    added: refs(diff.added),
    removed: refs(diff.removed),
    changed: refs(diff.changed.map(({ after }) => after)),
    sections: Object.fromEntries(diff.sections),
    ...radius,
  };
  return JSON.stringify(told, undefined, 2);
}

/** Objects that are listed of one kind of change; JSON has all. */
const maxListed = 20;

/** How much changes, which objects, and what is lost with them. Names only: what is behind them may be secret. */
const showLines = (diff: PlanDiff, radius: BlastRadius): readonly string[] => [
  ...showPlanDiff(diff),
  ...listed("+", diff.added),
  ...listed("-", diff.removed),
  ...listed(
    "~",
    diff.changed.map(({ after }) => after),
  ),
  ...showBlastRadius(radius),
];

function listed(sign: string, objects: readonly { readonly ref: string }[]): string[] {
  const shown = objects.slice(0, maxListed).map(({ ref }) => `  ${sign} ${ref}`);
  return objects.length > maxListed ? [...shown, `  ${sign} and ${objects.length - maxListed} more`] : shown;
}
