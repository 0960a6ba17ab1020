import type { ObjectKind, Status } from "@realmwatch/proto/svc/v1/common_pb";
import { objectKinds } from "@realmwatch/shared/model/object-key";
import { sizeOfImpact } from "@realmwatch/shared/model/row";
import { severityOf } from "@realmwatch/shared/model/status";
import type { StatusItem } from "./status-item.ts";

/** Conditions and order of a list, as the server takes them. */
export type ListRequest = {
  readonly selector?: string;
  readonly search?: string;
  readonly searchOutput?: boolean;
  readonly realm?: string;
  readonly kinds?: ObjectKind[];
  readonly statuses?: Status[];
  readonly problemsOnly?: boolean;
  readonly unhandledOnly?: boolean;
  readonly hardOnly?: boolean;
  readonly overdueOnly?: boolean;
  readonly mutedOnly?: boolean;
  /** `severity`, `name`, `lastChange` or `lastCheck`; a `-` in front reverses. */
  readonly sort: string;
  /** Time of the past to list, Unix ms; undefined for the present. */
  readonly atMs?: number;
};

/** True for the list of all unhandled problems of the present. */
export function isEveryUnhandled({ unhandledOnly, ...request }: ListRequest): boolean {
  // Without a text, the fields that it is searched in mean nothing.
  const { sort: _, problemsOnly: __, searchOutput: ___, ...conditions } = request;
  return (
    unhandledOnly === true &&
    Object.values(conditions).every((value) => !value || (Array.isArray(value) && value.length === 0))
  );
}

/** Order of a list, as far as its rows tell. */
export type ListOrder = {
  /** True when the change of a row may have changed its position. */
  readonly isMoved: (before: StatusItem, after: StatusItem) => boolean;
  /** Negative when `a` comes before `b`. */
  readonly compare: (a: StatusItem, b: StatusItem) => number;
};

/** Order that the server lists rows in by `sort`: by values of the row, then by name. */
export function listOrderOf(sort: string): ListOrder {
  const valuesOf = sortValues[sort.replace(/^-/, "")] ?? severityValues;
  const direction = sort.startsWith("-") ? -1 : 1;
  return {
    isMoved: (before, after) => compareValues(valuesOf(before), valuesOf(after)) !== 0,
    compare: (a, b) => direction * (compareValues(valuesOf(a), valuesOf(b)) || compareTexts(nameKey(a), nameKey(b))),
  };
}

type SortValues = (item: StatusItem) => readonly number[];

/** [RM7] Problems in the order of the server, which also places consequences after their handled cause. */
const severityValues: SortValues = ({ problem, handled, soft, key, statusName, sinceMs = 0, row }) => [
  ...[problem ? 0 : 1, problem && handled ? 1 : 0, row.flapping === true ? 1 : 0, soft ? 1 : 0],
  ...[key.kind === "service" ? 1 : 0, -sizeOfImpact(row.impact), -severityOf[statusName], -sinceMs],
];

const sortValues: Readonly<Record<string, SortValues>> = {
  severity: severityValues,
  name: () => [],
  lastChange: ({ sinceMs = Number.MIN_SAFE_INTEGER }) => [sinceMs],
  lastCheck: ({ lastCheckAtMs = Number.MIN_SAFE_INTEGER }) => [lastCheckAtMs],
};

function compareValues(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/** Text that rows with equal values are ordered by: a host comes before its services. */
function nameKey({ key, realm }: StatusItem): string {
  const [first, second] = key.kind === "service" ? [key.host, key.name] : [key.name, ""];
  return `${first}\0${objectKinds.indexOf(key.kind)}\0${second}\0${realm}`.toLowerCase();
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
