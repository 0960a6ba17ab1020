import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Contact, Downtime, HistoryRecord, Realm, StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import { HistoryType } from "@realmwatch/proto/svc/v1/query_pb";
import { refOf } from "../../model/object-key.ts";
import type { RealmFreshness } from "../../model/realm.ts";
import { personOf } from "../person.ts";
import { realmFreshnessOf } from "../realm-freshness.ts";
import { atOf, objectNameOf, type ShiftObject, shiftRefOf } from "./shift-object.ts";
import { type ShiftProblem, shiftProblems } from "./shift-problem.ts";

/** Types of the records that a handover is worked out from. */
const handoverTypes: readonly HistoryType[] = [
  HistoryType.STATE,
  HistoryType.ACKNOWLEDGED,
  HistoryType.NOTIFICATION_FAILED,
  HistoryType.GAP,
  HistoryType.NOTE,
];

/** Shortest time after a shift for which its downtimes are listed, ms. */
const shortestNextMs = 28_800_000;

/** Beginning and end of a shift, Unix ms, and the realm; empty for all. */
export type Shift = { readonly sinceMs: number; readonly untilMs: number; readonly realm: string };

/**
 * Requests for everything that a handover is worked out from, beside the contacts.
 *
 * @param nowMs current time, Unix ms: a shift that ended before is handed over as it was then
 */
export function handoverRequests({ sinceMs, untilMs, realm }: Shift, nowMs: number) {
  const at = untilMs < nowMs ? { at: timestampFromMs(untilMs) } : {};
  return {
    problems: { realm, problemsOnly: true, ...at },
    withDowntimes: { realm, withDowntimes: true, omitRealms: true, ...at },
    history: {
      ...{ realm, types: [...handoverTypes], pageSize: 1_000 },
      ...{ since: timestampFromMs(sinceMs), until: timestampFromMs(untilMs) },
    },
  };
}

export type HandoverInput = {
  readonly shift: Shift;
  /** Records in the shift, in any order. */
  readonly records: readonly HistoryRecord[];
  /** Rows at the end of the shift that are in a problem or have downtimes; a row may be there twice. */
  readonly rows: readonly StatusRow[];
  /** Contacts and realms, of all realms. */
  readonly contacts: readonly Contact[];
  readonly realms: readonly Realm[];
};

/** Handover from one shift to the next. Times are Unix ms; lists are in the order of their times. */
export type Handover = {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** End of the next shift, which is as long as this one and at least 8 h. */
  readonly nextUntilMs: number;
  /** Problems that began in the shift and are open at its end. */
  readonly began: readonly ShiftProblem[];
  /** Problems that are open since before the shift. */
  readonly open: readonly ShiftProblem[];
  /** Problems that ended in the shift. */
  readonly ended: readonly ShiftProblem[];
  readonly acknowledged: readonly ShiftAcknowledgement[];
  /** Downtimes that begin or end in the next shift. */
  readonly downtimes: readonly ShiftDowntime[];
  readonly contacts: readonly ShiftContact[];
  readonly realms: readonly ShiftRealm[];
  readonly notes: readonly ShiftNote[];
};

/** Acknowledgement of one or more objects by one person with one comment. `atMs`: time of the first one. */
type ShiftAcknowledgement = {
  readonly atMs: number;
  readonly by: string;
  readonly comment: string;
  readonly objects: readonly ShiftObject[];
};

/** Downtime of one or more objects. */
export type ShiftDowntime = Omit<ShiftAcknowledgement, "atMs"> & {
  readonly startMs: number;
  readonly endMs: number;
};

/** Contact that fails at present, or for which notifications were given up in the shift. */
export type ShiftContact = {
  readonly realm: string;
  readonly name: string;
  readonly givenUp: number;
  /** Undefined when deliveries succeed by now. */
  readonly failingSinceMs: number | undefined;
  readonly error: string;
};

/** Realm that is not current at present, or of which records of the shift are missing. */
export type ShiftRealm = {
  readonly name: string;
  /** `not running`: no agent ran; `records missing`: they were lost. */
  readonly what: Exclude<RealmFreshness, "current"> | "not running" | "records missing";
  readonly fromMs: number | undefined;
  /** Undefined while it lasts. */
  readonly toMs: number | undefined;
  readonly detail: string;
};

type ShiftNote = {
  readonly id: string;
  readonly atMs: number;
  readonly realm: string;
  readonly by: string;
  readonly text: string;
};

/** [HO1-HO6] Works out the handover of a shift. */
export function workOutHandover(input: HandoverInput): Handover {
  const { sinceMs, untilMs, realm } = input.shift;
  const isOfShift = (name: string): boolean => realm === "" || name === "" || name === realm;
  const rows = [...new Map(input.rows.map((row) => [shiftRefOf(row), row])).values()];
  const contacts = input.contacts.filter((contact) => isOfShift(contact.realm));
  const realms = input.realms.filter(({ name }) => isOfShift(name));
  const nextUntilMs = untilMs + Math.max(untilMs - sinceMs, shortestNextMs);
  const records = input.records.toSorted((a, b) => atOf(a) - atOf(b) || Number(a.id) - Number(b.id));
  const of = (type: HistoryType): readonly HistoryRecord[] => records.filter((record) => record.type === type);
  const acknowledgements = of(HistoryType.ACKNOWLEDGED).filter(({ because }) => because === undefined);
  const problems = withAcknowledgements(shiftProblems(of(HistoryType.STATE), rows), acknowledgements, rows);
  const isNew = ({ beganMs }: ShiftProblem): boolean => beganMs !== undefined && beganMs >= sinceMs;
  const open = problems.filter(({ endedMs }) => endedMs === undefined);
  return {
    ...{ sinceMs, untilMs, nextUntilMs },
    began: open.filter(isNew),
    open: open.filter((problem) => !isNew(problem)),
    ended: problems.filter(({ endedMs }) => endedMs !== undefined),
    acknowledged: acknowledgedTogether(acknowledgements),
    downtimes: downtimesIn(rows, untilMs, nextUntilMs),
    contacts: contactsThatFailed(contacts, of(HistoryType.NOTIFICATION_FAILED)),
    realms: [...of(HistoryType.GAP).map(realmOfGap), ...realms.flatMap(staleRealm)],
    notes: of(HistoryType.NOTE).map(noteOf),
  };
}

/** [HO3] The acknowledgement that a problem has at the end, or that it had last. */
function withAcknowledgements(
  problems: readonly Omit<ShiftProblem, "acknowledgedBy">[],
  acknowledgements: readonly HistoryRecord[],
  rows: readonly StatusRow[],
): readonly ShiftProblem[] {
  const recorded = Map.groupBy(acknowledgements, shiftRefOf);
  const present = new Map(rows.flatMap((row) => (row.acknowledgement ? [[shiftRefOf(row), row.acknowledgement]] : [])));
  return problems.map((problem) => {
    const ref = refOfName(problem);
    const { beganMs = Number.NEGATIVE_INFINITY, endedMs } = problem;
    if (endedMs === undefined) {
      const acknowledgement = present.get(ref);
      return { ...problem, acknowledgedBy: acknowledgement === undefined ? "" : personOf(acknowledgement) };
    }
    const last = recorded.get(ref)?.findLast((record) => atOf(record) >= beganMs && atOf(record) <= endedMs);
    return { ...problem, acknowledgedBy: last === undefined ? "" : personOf(last) };
  });
}

/** Same text as `shiftRefOf` of a row of the object. */
const refOfName = ({ realm, key }: ShiftObject): string => JSON.stringify([realm, refOf(key)]);

const isName = (name: ShiftObject | undefined): name is ShiftObject => name !== undefined;

/** [HO3] Acknowledgements by one person with one comment are one. */
function acknowledgedTogether(records: readonly HistoryRecord[]): readonly ShiftAcknowledgement[] {
  const groups = Map.groupBy(records, (record) => JSON.stringify([personOf(record), record.comment]));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const objects = group.map(objectNameOf).filter(isName);
    return [{ atMs: atOf(first), by: personOf(first), comment: first.comment, objects }];
  });
}

type OwnDowntime = { readonly name: ShiftObject; readonly downtime: Downtime };

/** [HO4] Downtimes with the same times, author and comment are one. */
function downtimesIn(rows: readonly StatusRow[], fromMs: number, toMs: number): readonly ShiftDowntime[] {
  const isIn = (atMs: number): boolean => atMs >= fromMs && atMs < toMs;
  const all = rows.flatMap((row): OwnDowntime[] => {
    const name = objectNameOf(row);
    return name === undefined ? [] : row.downtimes.map((downtime) => ({ name, downtime }));
  });
  const groups = Map.groupBy(all, ({ downtime: { start, end, comment, ...by } }) =>
    JSON.stringify([atOf({ at: start }), atOf({ at: end }), personOf(by), comment]),
  );
  return [...groups.values()]
    .flatMap((group): ShiftDowntime[] => {
      const [first] = group;
      if (first === undefined) return [];
      const { start, end, comment, ...by } = first.downtime;
      const [startMs, endMs] = [atOf({ at: start }), atOf({ at: end })];
      if (!isIn(startMs) && !isIn(endMs)) return [];
      return [{ startMs, endMs, by: personOf(by), comment, objects: group.map(({ name }) => name) }];
    })
    .sort((a, b) => a.startMs - b.startMs);
}

/** [HO5] */
function contactsThatFailed(contacts: readonly Contact[], failures: readonly HistoryRecord[]): readonly ShiftContact[] {
  const idOf = (realm: string, name: string): string => JSON.stringify([realm, name]);
  const givenUp = Map.groupBy(failures, ({ realm, contact }) => idOf(realm, contact));
  const known = new Map(contacts.map((contact) => [idOf(contact.realm, contact.name), contact]));
  const failing = contacts.filter(({ failingSince }) => failingSince !== undefined);
  const ids = new Set([...failing.map(({ realm, name }) => idOf(realm, name)), ...givenUp.keys()]);
  return [...ids].sort().map((id) => {
    const [realm = "", name = ""] = JSON.parse(id) as string[];
    const [contact, records = []] = [known.get(id), givenUp.get(id)];
    const failingSinceMs = contact?.failingSince && atOf({ at: contact.failingSince });
    const error = contact?.lastError || (records.at(-1)?.output ?? "");
    return { realm, name, givenUp: records.length, failingSinceMs, error };
  });
}

/** [HO6] */
function realmOfGap({ realm: name, at, stoppedAt, output }: HistoryRecord): ShiftRealm {
  const atMs = atOf({ at });
  if (stoppedAt === undefined) return { name, what: "records missing", fromMs: undefined, toMs: atMs, detail: output };
  return { name, what: "not running", fromMs: atOf({ at: stoppedAt }), toMs: atMs, detail: "" };
}

function staleRealm(realm: Realm): readonly ShiftRealm[] {
  const what = realmFreshnessOf(realm);
  if (what === "current") return [];
  const since = realm.behindSince ?? realm.lastSeen;
  const fromMs = since && atOf({ at: since });
  return [{ name: realm.name, what, fromMs, toMs: undefined, detail: realm.detail }];
}

const noteOf = (record: HistoryRecord): ShiftNote => ({
  ...{ id: record.commentId, atMs: atOf(record), realm: record.realm },
  ...{ by: personOf(record), text: record.comment },
});
