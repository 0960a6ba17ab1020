import { annotationChange, type Command } from "@realmwatch/shared/commands/commands";
import type { ObjectState } from "../../engine/state/object-state.ts";

type WithId = { readonly id: string };

/**
 * Index of comments and downtimes by id, and of triggered downtimes by their trigger. Contains what is applied and what
 * is announced: a command that is in the journal but not applied yet counts already, so that the next request finds the
 * comment that the previous one added.
 */
export class AnnotationIndex {
  readonly #comments = new Map<string, string>();
  readonly #downtimes = new Map<string, string>();
  readonly #triggered = new Map<string, Set<string>>();

  /** Object of each comment, by comment id. */
  get comments(): ReadonlyMap<string, string> {
    return this.#comments;
  }

  /** Object of each downtime, by downtime id. Recurring downtimes of the configuration are not included. */
  get downtimes(): ReadonlyMap<string, string> {
    return this.#downtimes;
  }

  /** Objects that have a downtime triggered by `downtimeId`. */
  triggeredBy(downtimeId: string): readonly string[] {
    return [...(this.#triggered.get(downtimeId) ?? [])];
  }

  /** Adds the ids that an accepted command will create and removes those that it will delete, before it is applied. */
  announce(command: Command): void {
    const annotations = annotationChange(command);
    if (annotations === undefined) return;
    const refs = annotations.of === "comments" ? this.#comments : this.#downtimes;
    for (const { id, ref } of annotations.entries)
      if (annotations.change === "add") refs.set(id, ref);
      else if (refs.get(id) === ref) refs.delete(id);
  }

  /**
   * Follows a state change of an object. Only ids that the change itself added or removed are touched, because those
   * of announced commands are in the index too. `before` is undefined for an object that is new to the realm.
   */
  update(ref: string, before: ObjectState | undefined, after: ObjectState): void {
    if (before?.comments !== after.comments) moveIds(this.#comments, ref, before?.comments ?? [], after.comments);
    if (before?.downtimes === after.downtimes) return;
    moveIds(this.#downtimes, ref, scheduledDowntimes(before), scheduledDowntimes(after));
    this.#updateTriggers(ref, triggersOf(before), triggersOf(after));
  }

  #updateTriggers(ref: string, before: ReadonlySet<string>, after: ReadonlySet<string>): void {
    for (const id of after) {
      const refs = this.#triggered.get(id);
      if (refs === undefined) this.#triggered.set(id, new Set([ref]));
      else refs.add(ref);
    }
    for (const id of before) {
      if (after.has(id)) continue;
      const refs = this.#triggered.get(id);
      refs?.delete(ref);
      if (refs?.size === 0) this.#triggered.delete(id);
    }
  }
}

/** Downtimes without the recurring ones: these have one id for all of their objects and cannot be deleted by id. */
const scheduledDowntimes = (state: ObjectState | undefined): readonly WithId[] =>
  (state?.downtimes ?? []).filter(({ shape }) => shape.kind !== "recurring");

/** Skips the common beginning of both lists: in most cases one entry is appended. */
function moveIds(refs: Map<string, string>, ref: string, before: readonly WithId[], after: readonly WithId[]): void {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  const [beforeRest, afterRest] = [before.slice(same), after.slice(same)];
  const beforeIds = new Set(beforeRest.map(({ id }) => id));
  const afterIds = new Set(beforeRest.length > 0 ? afterRest.map(({ id }) => id) : []);
  for (const id of beforeIds) if (!afterIds.has(id)) refs.delete(id);
  for (const { id } of afterRest) if (!beforeIds.has(id)) refs.set(id, ref);
}

/** Ids of the downtimes that trigger one of the object's downtimes. */
const triggersOf = (state: ObjectState | undefined): ReadonlySet<string> =>
  new Set((state?.downtimes ?? []).flatMap(({ shape }) => (shape.kind === "triggered" ? [shape.triggeredBy] : [])));
