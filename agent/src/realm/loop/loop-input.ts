import type { Clock } from "@realmwatch/shared/model/clock";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { never } from "@realmwatch/shared/model/never";
import type { ObjectInput } from "../../engine/input.ts";
import type { CommandToApply } from "../commands/apply-command.ts";
import { type HandlerEnd, handlerHistoryEntry } from "../outputs/outcome-entries.ts";
import type { RealmState } from "../state/realm-state.ts";
import { applyDeliveryReport, type DeliveryReport } from "./apply-deliveries.ts";
import type { RealmStepper } from "./realm-stepper.ts";
import { markChanged, type RoundChanges } from "./round-changes.ts";

/** Input to the realm loop that may share a round with others. */
export type LoopInput =
  | { readonly kind: "input"; readonly ref: string; readonly input: ObjectInput }
  | ({ readonly kind: "command" } & CommandToApply)
  | { readonly kind: "evaluate"; readonly ref: string }
  /** `afterAppend` is called once the effects of the report are durable. */
  | { readonly kind: "delivery"; readonly report: DeliveryReport; readonly afterAppend: () => void }
  /** Writes to the journal although nothing changed, and reports whether that succeeded. */
  | { readonly kind: "probe"; readonly done: (durable: boolean) => void }
  | { readonly kind: "handled"; readonly end: HandlerEnd }
  /** The scheduler moved a check. Times are Unix ms; `nextCheckAtMs` is undefined when no check will follow. */
  | {
      readonly kind: "postponed";
      readonly ref: string;
      readonly nextCheckAtMs: number | undefined;
      readonly missedTurnAtMs: number | undefined;
    }
  /** Something happened that concerns the whole realm. */
  | { readonly kind: "recorded"; readonly entry: HistoryEntry }
  /** A mute of a contact has ended. */
  | { readonly kind: "mutes_due" }
  /** Starts a round without an input of its own, for work that earlier rounds left over. */
  | { readonly kind: "round" };

export type InputTargets = { readonly clock: Clock; readonly realm: RealmState; readonly stepper: RealmStepper };

/** Applies one input to the realm and adds what it changed to the round. */
export function applyInput(input: LoopInput, changes: RoundChanges, { clock, realm, stepper }: InputTargets): void {
  switch (input.kind) {
    case "input":
      return stepper.step(input.ref, input.input, changes);
    case "command":
      return stepper.apply(input, changes);
    case "evaluate":
      return void changes.processesToEvaluate.add(input.ref);
    case "delivery":
      changes.afterAppend.push(input.afterAppend);
      return applyDeliveryReport(input.report, { realm, changes, nowMs: clock.now() });
    case "probe":
      return void changes.probes.push(input.done);
    case "handled":
      return void changes.history.push(handlerHistoryEntry(input.end, clock.now()));
    case "postponed":
      return applyPostponed(input, changes, realm);
    case "recorded":
      return void changes.history.push(input.entry);
    case "mutes_due":
      return stepper.expireMutes(changes);
    case "round":
      return;
    default:
      return never(input);
  }
}

type InputOf<K extends LoopInput["kind"]> = Extract<LoopInput, { kind: K }>;

function applyPostponed(input: InputOf<"postponed">, changes: RoundChanges, realm: RealmState): void {
  const { ref, nextCheckAtMs, missedTurnAtMs } = input;
  const record = realm.records.get(ref);
  if (record === undefined) return;
  record.state = { ...record.state, nextCheckAtMs, missedTurnAtMs };
  markChanged(changes, ref, "background");
}
