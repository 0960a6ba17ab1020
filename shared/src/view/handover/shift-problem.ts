import type { HistoryRecord, StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import { isHostDown, isProblem, type Status, severityOf } from "../../model/status.ts";
import { isSoftState, statusNameOf } from "../row-status.ts";
import { atOf, objectNameOf, type ShiftObject, shiftRefOf } from "./shift-object.ts";

/** Hard problem of an object in a shift; the last one where there were several. Times are Unix ms. */
export type ShiftProblem = ShiftObject & {
  /** Most severe hard status. */
  readonly status: Status;
  readonly output: string;
  /** Undefined when it began before the shift at an unknown time. */
  readonly beganMs: number | undefined;
  /** Undefined when it is open at the end of the shift. */
  readonly endedMs: number | undefined;
  /** Number of problems of the object in the shift. */
  readonly times: number;
  /** True for a consequence of another problem: unreachable, suppressed, or on a host that was down when it began. */
  readonly isBehind: boolean;
  /** Person who acknowledged it; empty for none. */
  readonly acknowledgedBy: string;
};

type Spell = Pick<ShiftProblem, "status" | "output" | "beganMs" | "endedMs">;

/**
 * [HO1] Last hard problem of one object, and how many there were; undefined for none.
 *
 * @param records state changes of the object in the shift, oldest first
 */
export function lastProblem(records: readonly HistoryRecord[]): (Spell & { readonly times: number }) | undefined {
  let last: Spell | undefined;
  let times = 0;
  for (const [at, record] of records.entries()) {
    const [status, previous, atMs] = [statusNameOf(record.status), statusNameOf(record.previousStatus), atOf(record)];
    const isOpen = last !== undefined && last.endedMs === undefined;
    const isSoft = isSoftState(record.stateType);
    if (isProblem(status)) {
      if (isSoft) continue;
      // The first record of a hard problem that only changed its status: the problem is older.
      const isOlder = at === 0 && isProblem(previous) && previous !== status;
      if (!isOpen) times += 1;
      const { beganMs, status: worst = status } = isOpen ? (last as Spell) : { beganMs: isOlder ? undefined : atMs };
      last = { status: worseOf(worst, status), output: record.output, beganMs, endedMs: undefined };
    } else if (isOpen) last = { ...(last as Spell), endedMs: atMs };
    else if (at === 0 && isProblem(previous) && !isSoft) {
      times += 1;
      last = { status: previous, output: record.output, beganMs: undefined, endedMs: atMs };
    }
  }
  return last && { ...last, times };
}

const worseOf = (a: Status, b: Status): Status => (severityOf[b] > severityOf[a] ? b : a);

/**
 * [HO1, HO2] Problems of a shift, in the order in which they began.
 *
 * @param records state changes in the shift, oldest first
 * @param rows rows at the end of the shift; those of problems that no record is about are older than the shift
 */
export function shiftProblems(
  records: readonly HistoryRecord[],
  rows: readonly StatusRow[],
): readonly Omit<ShiftProblem, "acknowledgedBy">[] {
  const rowOf = new Map(rows.map((row) => [shiftRefOf(row), row]));
  const changes = Map.groupBy(
    // A result that was dropped is recorded without a status.
    records.filter(({ status }) => status !== 0),
    shiftRefOf,
  );
  const changed = [...changes].flatMap(([ref, own]) => {
    const [problem, name] = [lastProblem(own), objectNameOf(own[0])];
    return problem && name ? [{ ...problem, ...name, isSuppressed: isSuppressed(rowOf.get(ref), problem) }] : [];
  });
  const older = rows.flatMap((row) => {
    const name = objectNameOf(row);
    const status = statusNameOf(row.status);
    if (name === undefined || changes.has(shiftRefOf(row)) || !isProblem(status) || isSoftState(row.stateType))
      return [];
    const began = { beganMs: row.lastHardChange && atOf({ at: row.lastHardChange }), endedMs: undefined };
    return [{ ...name, ...began, status, output: row.output, times: 1, isSuppressed: row.suppressedBy.length > 0 }];
  });
  const all = [...changed, ...older];
  const hosts = new Map(
    all.flatMap((one) => (one.key.kind === "host" ? [[hostId(one.realm, one.key.name), one]] : [])),
  );
  return all
    .map(({ isSuppressed: suppressed, ...problem }) => {
      const { key, realm, status } = problem;
      const host = key.kind === "service" ? hosts.get(hostId(realm, key.host)) : undefined;
      const isBehind = status === "unreachable" || suppressed || (host !== undefined && beganDuring(problem, host));
      return { ...problem, isBehind };
    })
    .sort((a, b) => beginningOf(a) - beginningOf(b));
}

const isSuppressed = (row: StatusRow | undefined, { endedMs }: Spell): boolean =>
  endedMs === undefined && row !== undefined && row.suppressedBy.length > 0;

const hostId = (realm: string, host: string): string => JSON.stringify([realm, host]);
const beginningOf = ({ beganMs = Number.NEGATIVE_INFINITY }: Pick<Spell, "beganMs">): number => beganMs;

/** True when a problem began while the host was down or unreachable. */
const beganDuring = (problem: Pick<Spell, "beganMs">, host: Spell): boolean =>
  (isHostDown(host.status) || host.status === "unreachable") &&
  beginningOf(host) <= beginningOf(problem) &&
  beginningOf(problem) <= (host.endedMs ?? Number.POSITIVE_INFINITY);
