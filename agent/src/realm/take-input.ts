import type { Clock } from "@realmwatch/shared/model/clock";
import type { AcceptedCommand } from "@realmwatch/shared/model/command";
import { never } from "@realmwatch/shared/model/never";
import type { DeliveryEnd } from "@realmwatch/shared/model/notification";
import type { ObjectInput } from "../engine/input.ts";
import { type Batch, touch } from "./batch.ts";
import { deliveryEntry, type HandlerEnd, handlerEntry } from "./ended-entries.ts";
import type { RealmState } from "./realm-state.ts";
import type { RealmStepper } from "./realm-stepper.ts";

/** What shares a round with others while it waits. */
export type LoopInput =
  | { readonly kind: "input"; readonly ref: string; readonly input: ObjectInput }
  | { readonly kind: "command"; readonly accepted: AcceptedCommand }
  | { readonly kind: "evaluate"; readonly ref: string }
  /** `kept` is called once that they ended is durable. */
  | { readonly kind: "delivered"; readonly ends: readonly DeliveryEnd[]; readonly kept: () => void }
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

export type TakeParts = { readonly clock: Clock; readonly realm: RealmState; readonly stepper: RealmStepper };

/** Takes one input into the round: steps the engine where it is for an object, and notes what it means in the batch. */
export function takeInput(input: LoopInput, batch: Batch, { clock, realm, stepper }: TakeParts): void {
  switch (input.kind) {
    case "input":
      return stepper.step(input.ref, input.input, batch);
    case "command":
      return stepper.apply(input.accepted, batch);
    case "evaluate":
      return void batch.evaluate.add(input.ref);
    case "delivered":
      return takeEnds(input, batch, clock.now());
    case "handled":
      return void batch.history.push(handlerEntry(input.end, clock.now()));
    case "postponed":
      return postpone(input, batch, realm);
    case "round":
      return;
    default:
      return never(input);
  }
}

type Input<K extends LoopInput["kind"]> = Extract<LoopInput, { kind: K }>;

function takeEnds({ ends, kept }: Input<"delivered">, batch: Batch, nowMs: number): void {
  for (const end of ends) {
    const entry = deliveryEntry(end, nowMs);
    batch.delivered.push(end.notification.id);
    if (entry !== undefined) batch.history.push(entry);
  }
  batch.waiting.push(kept);
}

function postpone({ ref, nextCheckAtMs, missedTurnAtMs }: Input<"postponed">, batch: Batch, realm: RealmState): void {
  const record = realm.records.get(ref);
  if (record === undefined) return;
  record.state = { ...record.state, nextCheckAtMs, missedTurnAtMs };
  touch(batch, ref, "fresher");
}
