import { annotationChange, type Command } from "@realmwatch/shared/commands/commands";
import { changeOf, type Downtime } from "@realmwatch/shared/model/downtime";
import { addToSet, deleteFromSet } from "@realmwatch/shared/read-model/set-index";
import type { ObjectState } from "../../engine/state/object-state.ts";

type WithId = { readonly id: string };

/**
 * Index of comments and downtimes by id, of downtimes by change, and of triggered downtimes by their trigger. A command
 * that is in the journal but not applied yet counts already, so that the next request finds the comment that the previous
 * one added.
 */
export class AnnotationIndex {
  readonly #comments = new Map<string, string>();
  readonly #downtimes = new Map<string, string>();
  /** Ids of the downtimes of each change; ids of downtimes that were deleted may still be in it until that is applied. */
  readonly #changes = new Map<string, Set<string>>();
  readonly #triggered = new Map<string, Set<string>>();

  /** Object of each comment, by comment id. */
  get comments(): ReadonlyMap<string, string> {
    return this.#comments;
  }

  /** Object of each downtime, by downtime id. Recurring downtimes of the configuration are not included. */
  get downtimes(): ReadonlyMap<string, string> {
    return this.#downtimes;
  }

  downtimesOfChange(changeId: string): readonly { readonly id: string; readonly ref: string }[] {
    return [...(this.#changes.get(changeId) ?? [])].flatMap((id) => {
      const ref = this.#downtimes.get(id);
      return ref === undefined ? [] : [{ id, ref }];
    });
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
    const { of, change, entries, changeId } = annotations;
    for (const { id, ref } of entries)
      if (change === "add") {
        refs.set(id, ref);
        if (of === "downtimes") addToSet(this.#changes, changeOf({ id, changeId }), id);
      } else if (refs.get(id) === ref) refs.delete(id);
  }

  /**
   * Follows a state change of an object. Only ids that the change itself added or removed are touched, because those
   * of announced commands are in the index too. `before` is undefined for an object that is new to the realm.
   */
  update(ref: string, before: ObjectState | undefined, after: ObjectState): void {
    if (before?.comments !== after.comments) moveIds(this.#comments, ref, before?.comments ?? [], after.comments);
    if (before?.downtimes === after.downtimes) return;
    const [scheduledBefore, scheduledAfter] = [scheduledDowntimes(before), scheduledDowntimes(after)];
    moveIds(this.#downtimes, ref, scheduledBefore, scheduledAfter);
    for (const downtime of scheduledAfter) addToSet(this.#changes, changeOf(downtime), downtime.id);
    for (const downtime of scheduledBefore)
      if (!this.#downtimes.has(downtime.id)) deleteFromSet(this.#changes, changeOf(downtime), downtime.id);
    this.#updateTriggers(ref, triggersOf(before), triggersOf(after));
  }

  #updateTriggers(ref: string, before: ReadonlySet<string>, after: ReadonlySet<string>): void {
    for (const id of after) addToSet(this.#triggered, id, ref);
    for (const id of before) if (!after.has(id)) deleteFromSet(this.#triggered, id, ref);
  }
}

/** Downtimes without the recurring ones: these have one id for all of their objects and cannot be deleted by id. */
const scheduledDowntimes = (state: ObjectState | undefined): readonly Downtime[] =>
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
