import type { PassiveResult } from "@realmwatch/shared/commands/process-check-results";
import type { AlertChange, StoredAlert } from "../journal/alert-table.ts";
import { DueHeap, notInHeap } from "../platform/due-heap.ts";
import { type MappedAlert, resultOfAlert } from "./mapped-alert.ts";

/** Alert that fires. */
export type FiringAlert = MappedAlert & {
  readonly firesUntilMs: number;
  /** Time at which it was taken first, Unix ms. */
  readonly sinceMs: number;
};

type Entry = { readonly alert: FiringAlert; at: number; index: number };

type AppliedAlerts = {
  /** Result of each object whose alerts changed. */
  readonly results: readonly PassiveResult[];
  /** Changes of the stored alerts, which belong into the command of the results. */
  readonly changes: readonly AlertChange[];
  /** Reverts the change, when its results could not be stored. To be called before the next change. */
  undo(): void;
};

/** Order of statuses by which the worst alert of an object decides its status. */
const ranks = { warning: 1, unknown: 2, critical: 3 } as const;

/** Most alerts that end at a time, and the length of their texts, UTF-16 units. */
const maxEnded = { alerts: 10_000, chars: 4_000_000 } as const;

/**
 * Alerts that fire, by object. [AR5] The status of an object is that of its worst alert, and ok when none fires: two
 * alerts of one object do not overwrite each other.
 */
export class FiringAlerts {
  readonly #entries = new Map<string, Entry>();
  readonly #byRef = new Map<string, Map<string, FiringAlert>>();
  readonly #due = new DueHeap<Entry>();

  get size(): number {
    return this.#entries.size;
  }

  /** Time at which the next alert ends, Unix ms; Infinity when none fires. */
  get nextEndMs(): number {
    return this.#due.nextAt;
  }

  *[Symbol.iterator](): Iterator<FiringAlert> {
    for (const { alert } of this.#entries.values()) yield alert;
  }

  /** Adds an alert that was stored before. */
  restore(alert: FiringAlert): void {
    this.#put(alert);
  }

  /** Applies alerts in order; undefined `firesUntilMs` ends one. An object has one result, after all of them. */
  apply(alerts: readonly MappedAlert[], nowMs: number): AppliedAlerts {
    const before: [key: string, alert: FiringAlert | undefined][] = [];
    const last = new Map<string, MappedAlert>();
    for (const alert of alerts) {
      const known = this.#entries.get(alert.key)?.alert;
      before.push([alert.key, known]);
      // The alert may be about another object since the document was changed.
      if (known !== undefined && known.ref !== alert.ref) last.set(known.ref, known);
      last.set(alert.ref, alert);
      this.#delete(alert.key);
      const { firesUntilMs } = alert;
      if (firesUntilMs !== undefined) this.#put({ ...alert, firesUntilMs, sinceMs: known?.sinceMs ?? nowMs });
    }
    return {
      results: [...last.values()].map((alert) => this.#resultOf(alert, nowMs)),
      changes: this.#changesOf(before),
      undo: () => {
        for (const [key, alert] of before.reverse()) {
          this.#delete(key);
          if (alert !== undefined) this.#put(alert);
        }
      },
    };
  }

  /**
   * [AR6] Alerts whose end has passed; they still count as firing until they are applied as resolved. At most as many as
   * one command takes: the next call names further ones.
   */
  ended(nowMs: number): readonly MappedAlert[] {
    const ended: Entry[] = [];
    let chars = 0;
    while (ended.length < maxEnded.alerts && chars < maxEnded.chars) {
      const entry = this.#due.take(nowMs);
      if (entry === undefined) break;
      ended.push(entry);
      chars += entry.alert.output.length + entry.alert.longOutput.length;
    }
    for (const entry of ended) this.#due.set(entry, entry.alert.firesUntilMs);
    return ended.map(({ alert }) => ({ ...alert, firesUntilMs: undefined }));
  }

  #changesOf(before: readonly (readonly [key: string, alert: FiringAlert | undefined])[]): AlertChange[] {
    // In the order of the last change of each key, which is the order of the entries.
    const stored = new Map<string, FiringAlert | undefined>();
    for (const [key, alert] of before) {
      const earlier = stored.has(key) ? stored.get(key) : alert;
      stored.delete(key);
      stored.set(key, earlier);
    }
    return [...stored].flatMap(([key, earlier]) => {
      const alert = this.#entries.get(key)?.alert;
      return alert === undefined && earlier === undefined ? [] : [{ key, json: alert && storedJson(alert) }];
    });
  }

  #resultOf(last: MappedAlert, nowMs: number): PassiveResult {
    const worst = [...(this.#byRef.get(last.ref)?.values() ?? [])].reduce<FiringAlert | undefined>(
      (found, alert) => (found === undefined || isWorse(alert, found) ? alert : found),
      undefined,
    );
    // [AR17] The text is that of a problem.
    if (worst === undefined) return resultOfAlert({ ...last, output: `resolved: ${last.output}` }, "ok", nowMs);
    return resultOfAlert(worst, worst.status, nowMs);
  }

  #put(alert: FiringAlert): void {
    const entry: Entry = { alert, at: 0, index: notInHeap };
    this.#entries.set(alert.key, entry);
    this.#due.set(entry, alert.firesUntilMs);
    const ofObject = this.#byRef.get(alert.ref) ?? new Map<string, FiringAlert>();
    this.#byRef.set(alert.ref, ofObject.set(alert.key, alert));
  }

  #delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#due.delete(entry);
    const ofObject = this.#byRef.get(entry.alert.ref);
    ofObject?.delete(key);
    if (ofObject?.size === 0) this.#byRef.delete(entry.alert.ref);
  }
}

const storedJson = ({ key: _, ...alert }: FiringAlert): string => JSON.stringify(alert);

export const parseStoredAlert = ({ key, json }: StoredAlert): FiringAlert => ({
  ...(JSON.parse(json) as Omit<FiringAlert, "key">),
  key,
});

/** True when an alert decides instead of another one: the worse one, of two alike the newer one. */
const isWorse = (alert: FiringAlert, other: FiringAlert): boolean =>
  ranks[alert.status] - ranks[other.status] > 0 || (alert.status === other.status && alert.sinceMs >= other.sinceMs);
