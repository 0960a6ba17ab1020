import type { NotificationKind } from "@realmwatch/proto/svc/v1/common_pb";
import { type HistoryRecord, HistoryType } from "@realmwatch/proto/svc/v1/query_pb";
import { isProblem, type Status, severityOf } from "@realmwatch/shared/model/status";
import { isSoftState, statusNameOf } from "@realmwatch/shared/view/row-status";
import { optionalMs } from "../../api/status/status-item.ts";

/** State of a notification to one contact. `atMs`: time since which it has this state, Unix ms. */
export type IncidentDelivery = {
  readonly contact: string;
  readonly state: "queued" | "delivered" | "given up";
  readonly atMs: number;
  readonly error: string;
  /** Contact in whose place this one was notified; empty for none. */
  readonly fallbackOf: string;
};

/** One step of an incident. `atMs`: Unix ms. */
export type IncidentStep = { readonly id: string; readonly atMs: number } & (
  | {
      readonly kind: "state";
      readonly status: Status;
      /** First and last attempt of the soft states that the step covers; undefined for a hard state. */
      readonly soft: { readonly first: number; readonly last: number } | undefined;
      readonly output: string;
    }
  | {
      readonly kind: "notification";
      readonly cause: NotificationKind;
      readonly level: number;
      readonly deliveries: readonly IncidentDelivery[];
    }
  /** Suppressed notifications with the same reason. */
  | { readonly kind: "suppressed"; readonly record: HistoryRecord; readonly count: number }
  | { readonly kind: "record"; readonly record: HistoryRecord }
);

/** Problem of an object from its first bad result to its recovery, with everything that happened meanwhile. */
export type Incident = {
  readonly id: string;
  readonly fromMs: number;
  /** Time of the recovery; undefined while the problem lasts. */
  readonly toMs: number | undefined;
  readonly worst: Status;
  /** True when it never turned hard. */
  readonly softOnly: boolean;
  /** True when its beginning is not among the records. */
  readonly isCut: boolean;
  /** Oldest first. */
  readonly steps: readonly IncidentStep[];
};

/** Time after a recovery in which its notifications still belong to the incident, ms. */
const aftermathMs = 3_600_000;
/** Time in which decided notifications count as one, ms. */
const togetherMs = 2_000;

/**
 * Folds the records of one object into incidents, newest first. A record outside of any incident is left out: the list
 * of all records has it.
 *
 * @param records newest first, as the server returns them
 */
export function foldIncidents(records: readonly HistoryRecord[]): readonly Incident[] {
  const incidents: MutableIncident[] = [];
  let open: MutableIncident | undefined;
  for (const record of records.toReversed()) {
    const atMs = optionalMs(record.at) ?? 0;
    if (record.type === HistoryType.STATE) {
      const status = statusNameOf(record.status);
      if (isProblem(status)) {
        if (open === undefined) {
          open = startIncident(record, atMs);
          incidents.push(open);
        }
        addState(open, record, status);
      } else if (open !== undefined) {
        addState(open, record, status);
        open.toMs = atMs;
        open = undefined;
      }
      continue;
    }
    const last = incidents.at(-1);
    const belongs = open ?? (last !== undefined && isAftermath(record, last, atMs) ? last : undefined);
    if (belongs !== undefined) addOther(belongs, record, atMs);
  }
  return incidents.reverse();
}

type MutableIncident = { -readonly [Key in keyof Incident]: Incident[Key] } & { steps: IncidentStep[] };

function startIncident(record: HistoryRecord, atMs: number): MutableIncident {
  const isCut = isProblem(statusNameOf(record.previousStatus));
  return { id: record.id, fromMs: atMs, toMs: undefined, worst: "ok", softOnly: true, isCut, steps: [] };
}

/** Successive soft results with one status are one step. */
function addState(incident: MutableIncident, record: HistoryRecord, status: Status): void {
  const { id, attempt, output } = record;
  const problem = isProblem(status);
  const isSoft = problem && isSoftState(record.stateType);
  if (problem && severityOf[status] > severityOf[incident.worst]) incident.worst = status;
  if (problem && !isSoft) incident.softOnly = false;
  const last = incident.steps.at(-1);
  const atMs = optionalMs(record.at) ?? 0;
  if (isSoft && last?.kind === "state" && last.status === status && last.soft !== undefined) {
    incident.steps[incident.steps.length - 1] = { ...last, soft: { first: last.soft.first, last: attempt }, output };
    return;
  }
  const soft = isSoft ? { first: attempt, last: attempt } : undefined;
  incident.steps.push({ kind: "state", id, atMs, status, soft, output });
}

/** True for what follows a recovery: its notifications and handlers. */
function isAftermath(record: HistoryRecord, { toMs }: Incident, atMs: number): boolean {
  if (toMs === undefined || atMs - toMs > aftermathMs) return false;
  return isDelivery(record) || (record.type === HistoryType.HANDLER && atMs - toMs <= togetherMs);
}

const isDelivery = ({ type }: HistoryRecord): boolean => deliveryStates[type] !== undefined;

const deliveryStates: Readonly<Record<number, IncidentDelivery["state"]>> = {
  [HistoryType.NOTIFICATION_QUEUED]: "queued",
  [HistoryType.NOTIFICATION]: "delivered",
  [HistoryType.NOTIFICATION_FAILED]: "given up",
};

function addOther(incident: MutableIncident, record: HistoryRecord, atMs: number): void {
  if (isDelivery(record)) addDelivery(incident.steps, record, atMs);
  else if (record.type === HistoryType.NOTIFICATION_SUPPRESSED) addSuppressed(incident.steps, record, atMs);
  else incident.steps.push({ kind: "record", id: record.id, atMs, record });
}

/** A delivery joins the step in which it was decided; a decision joins that of another contact at the same time. */
function addDelivery(steps: IncidentStep[], record: HistoryRecord, atMs: number): void {
  const { contact, notificationKind: cause, level, type, because } = record;
  const state = deliveryStates[type] ?? "queued";
  const error = state === "given up" ? record.output : "";
  const fallbackOf = because?.reason === "decided" ? because.name : "";
  const delivery: IncidentDelivery = { contact, state, atMs, error, fallbackOf };
  const at = steps.findLastIndex(
    (step) =>
      step.kind === "notification" &&
      step.cause === cause &&
      step.level === level &&
      (state === "queued"
        ? atMs - step.atMs <= togetherMs && step.deliveries.every((other) => other.contact !== contact)
        : step.deliveries.some((other) => other.contact === contact && other.state === "queued")),
  );
  const step = steps[at];
  if (step?.kind !== "notification") {
    steps.push({ kind: "notification", id: record.id, atMs, cause, level, deliveries: [delivery] });
    return;
  }
  const others = step.deliveries.filter((other) => other.contact !== contact);
  const place = step.deliveries.findIndex((other) => other.contact === contact);
  steps[at] = { ...step, deliveries: others.toSpliced(place < 0 ? others.length : place, 0, delivery) };
}

/** Repeated suppressions with one reason are one step, as long as no state changes in between. */
function addSuppressed(steps: IncidentStep[], record: HistoryRecord, atMs: number): void {
  const lastState = steps.findLastIndex(({ kind }) => kind === "state");
  const at = steps.findLastIndex(
    (step, index) =>
      index > lastState &&
      step.kind === "suppressed" &&
      step.record.because?.reason === record.because?.reason &&
      step.record.because?.name === record.because?.name,
  );
  const step = steps[at];
  if (step?.kind === "suppressed") steps[at] = { ...step, count: step.count + 1 };
  else steps.push({ kind: "suppressed", id: record.id, atMs, record, count: 1 });
}
