import type { Clock } from "@realmwatch/shared/model/clock";
import type { AcceptedCommand } from "@realmwatch/shared/model/command";
import { never } from "@realmwatch/shared/model/never";
import type { CompletedDelivery } from "@realmwatch/shared/model/notification";
import type { ObjectInput } from "../../engine/input.ts";
import { type RoundChanges, markChanged } from "./round-changes.ts";
import { deliveryHistoryEntry, type HandlerEnd, handlerHistoryEntry } from "../outputs/outcome-entries.ts";
import type { RealmState } from "../state/realm-state.ts";
import type { RealmStepper } from "./realm-stepper.ts";

/** What shares a round with others while it waits. */
export type LoopInput =
  | { readonly kind: "input"; readonly ref: string; readonly input: ObjectInput }
  | { readonly kind: "command"; readonly accepted: AcceptedCommand }
  | { readonly kind: "evaluate"; readonly ref: string }
  /** `kept` is called once that they ended is durable. */
  | { readonly kind: "delivered"; readonly ends: readonly CompletedDelivery[]; readonly kept: () => void }
  | { readonly kind: "handled"; readonly end: HandlerEnd }
  /** The instant is Unix ms; undefined where the object is not checked any more. */
  | {
      readonly kind: "postponed";
      readonly ref: string;
      readonly nextCheckAtMs: number | undefined;
      readonly missedTurnAtMs: number | undefined;
    }
  /** Nothing of its own: each round takes up what was left to it. */
  | { readonly kind: "round" };

export type InputTargets = { readonly clock: Clock; readonly realm: RealmState; readonly stepper: RealmStepper };

/** Takes one input into the round: steps the engine where it is for an object, and notes what it means in the batch. */
export function applyInput(input: LoopInput, batch: RoundChanges, { clock, realm, stepper }: InputTargets): void {
  switch (input.kind) {
    case "input":
      return stepper.step(input.ref, input.input, batch);
    case "command":
      return stepper.apply(input.accepted, batch);
    case "evaluate":
      return void batch.processesToEvaluate.add(input.ref);
    case "delivered":
      return takeEnds(input, batch, clock.now());
    case "handled":
      return void batch.history.push(handlerHistoryEntry(input.end, clock.now()));
    case "postponed":
      return postpone(input, batch, realm);
    case "round":
      return;
    default:
      return never(input);
  }
}

type Input<K extends LoopInput["kind"]> = Extract<LoopInput, { kind: K }>;

function takeEnds({ ends, kept }: Input<"delivered">, batch: RoundChanges, nowMs: number): void {
  for (const end of ends) {
    const entry = deliveryHistoryEntry(end, nowMs);
    batch.delivered.push(end.notification.id);
    if (entry !== undefined) batch.history.push(entry);
  }
  batch.afterAppend.push(kept);
}

function postpone({ ref, nextCheckAtMs, missedTurnAtMs }: Input<"postponed">, batch: RoundChanges, realm: RealmState): void {
  const record = realm.records.get(ref);
  if (record === undefined) return;
  record.state = { ...record.state, nextCheckAtMs, missedTurnAtMs };
  markChanged(batch, ref, "fresher");
}
