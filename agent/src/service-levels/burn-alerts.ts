import { burnRateOf, type UpDown } from "@realmwatch/shared/availability/service-level";
import { sloProcessKey } from "@realmwatch/shared/config/compile/compile-slo-process";
import type { SloPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { CheckResult } from "../engine/input.ts";
import { derivedResult } from "../engine/state/derived-result.ts";
import { statusOf } from "../engine/state/object-state.ts";
import type { RealmReader } from "../realm/state/realm-reader.ts";
import type { ServiceLevels } from "./service-levels.ts";

type BurnAlertOptions = {
  readonly realm: Pick<RealmReader, "plan" | "records">;
  readonly serviceLevels: Pick<ServiceLevels, "recent">;
  readonly submitResult: (ref: string, result: CheckResult) => void;
  readonly clock: Clock;
};

/** Interval between two evaluations of the objectives, and delay of the first one, ms. */
const [intervalMs, firstMs] = [30_000, 5_000];

/** Burn rates that raise an alert when they hold over both windows: a long one, and a short one that ends it soon. */
export const burnAlertRules = [
  { rate: 14.4, long: { ms: 3_600_000, name: "1 h" }, short: { ms: 300_000, name: "5 min" } },
  { rate: 6, long: { ms: 21_600_000, name: "6 h" }, short: { ms: 1_800_000, name: "30 min" } },
] as const;

const windows = burnAlertRules.flatMap(({ long, short }) => [long, short]);

/**
 * [SL12] Judges an objective by its burn rates, in the order of the windows of `burnAlertRules`: critical while both rates
 * of a rule are reached, OK when each rule has a rate below it. Undefined when windows without evidence leave both open.
 */
export function judgeBurnRates(
  rates: readonly (number | undefined)[],
): { readonly status: "ok" | "critical"; readonly output: string } | undefined {
  const rules = burnAlertRules.map(({ rate }, at) => ({ rate, measured: [rates[2 * at], rates[2 * at + 1]] }));
  const shown = windows.map(({ name }, at) => `${rates[at]?.toFixed(1) ?? "unknown"} over ${name}`).join(", ");
  if (rules.some(({ rate, measured }) => measured.every((one) => one !== undefined && one >= rate)))
    return { status: "critical", output: `the error budget burns too fast: ${shown}` };
  const isQuiet = rules.every(({ rate, measured }) => measured.some((one) => one !== undefined && one < rate));
  return isQuiet ? { status: "ok", output: `burn rate ${shown}` } : undefined;
}

/** Evaluates the objectives with notifications and submits results to their processes. Returns a function that stops it. */
export function startBurnAlerts({ realm, serviceLevels, submitResult, clock }: BurnAlertOptions): () => void {
  let stopped = false;
  let cancel = clock.after(firstMs, () => void run());

  async function judge(slo: SloPlan): Promise<void> {
    const found = await serviceLevels.recent(
      slo,
      windows.map(({ ms }) => ms),
    );
    // Without history there is nothing to judge; the log has the reason.
    if (!found.ok || stopped) return;
    const ref = refOf(sloProcessKey(slo.name));
    const record = realm.records.get(ref);
    if (record === undefined) return;
    const judged = judgeBurnRates(found.value.map((time: UpDown) => burnRateOf(time, slo.target)));
    if (judged === undefined) return;
    const { status, output } = judged;
    const isSame = status === statusOf(record.state.phase);
    if (isSame && (status === "ok" || output === record.state.last?.output)) return;
    submitResult(ref, derivedResult({ status, output, origin: "rule" }, clock.now()));
  }

  async function run(): Promise<void> {
    for (const slo of realm.plan.slos) if (slo.notification !== "") await judge(slo);
    if (!stopped) cancel = clock.after(intervalMs, () => void run());
  }

  return () => {
    stopped = true;
    cancel();
  };
}
