import { refOf } from "@realmwatch/shared/model/object-key";
import type { SinkObject } from "../sink-type.ts";

/** Number of objects, removed ones included, up to which removed objects are remembered. */
const maxKnownObjects = 500_000;

/** Objects to which events belong, by reference. */
export class SinkObjects {
  #objects = new Map<string, SinkObject>();
  #received = new Map<string, SinkObject>();
  #complete: PromiseWithResolvers<void> | undefined;

  get(ref: string): SinkObject | undefined {
    return this.#objects.get(ref);
  }

  /** Expects a new list, also in place of one that was cut off, or none. Resolves when no list is expected any more. */
  expect(isNeeded: boolean): Promise<void> | undefined {
    if (isNeeded) this.#complete ??= Promise.withResolvers();
    else this.#end();
    return this.#complete?.promise;
  }

  /** Receives a part of a list. `last`: it ends the list, which is used from then on. */
  receive(objects: readonly SinkObject[], last: boolean): void {
    const received = this.#received;
    for (const object of objects) received.set(refOf(object.key), object);
    if (!last) return;
    // Objects that were removed keep their labels for the records about them that are still to be delivered.
    for (const [ref, object] of this.#objects)
      if (received.size < maxKnownObjects && !received.has(ref)) received.set(ref, object);
    this.#objects = received;
    this.#received = new Map();
    this.#end();
  }

  #end(): void {
    this.#complete?.resolve();
    this.#complete = undefined;
  }
}
