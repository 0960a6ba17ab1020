import type { ObjectAvailability, SloReport } from "@realmwatch/proto/svc/v1/query_pb";
import type { ObjectTimes } from "../../availability/object-availability.ts";
import {
  achievedPercent,
  budgetLeft,
  evidencePercent,
  sumUpDown,
  type UpDown,
} from "../../availability/service-level.ts";
import { type ObjectKey, refOf } from "../../model/object-key.ts";
import { fail, ok, type Result } from "../../model/result.ts";
import { problemStatuses, type Status } from "../../model/status.ts";
import { compareTexts } from "../../text/compare-texts.ts";
import { statusCodec } from "../../wire/fields/enums.ts";
import { objectKeyFromProto } from "../../wire/fields/object-ref.ts";

/** Meaning of the rows of a report: objectives, realms, or the values of a label of their objects. */
export type ReportBy =
  | { readonly kind: "slo" }
  | { readonly kind: "realm" }
  | { readonly kind: "label"; readonly key: string };

/** Parses `slo`, `realm` or `label:KEY`. Fails with the end of a sentence about the text. */
export function parseReportBy(text: string): Result<ReportBy, string> {
  if (text === "slo" || text === "realm") return ok({ kind: text });
  const key = /^label:(.+)$/.exec(text)?.[1]?.toLowerCase();
  return key === undefined ? fail("must be slo, realm or label:KEY") : ok({ kind: "label", key });
}

/** Key of the label that the request for a report asks for; empty for none. */
export const labelOfReport = (by: ReportBy): string => (by.kind === "label" ? by.key : "");

/** Figures of some objects. Times are sums over the objects, h. */
export type ReportFigures = {
  readonly objects: number;
  /** Percent; over several objectives the mean of their targets, weighted by the times that count. Undefined for none. */
  readonly target: number | undefined;
  /** Percent; undefined, like the budget, when no time counts. */
  readonly achieved: number | undefined;
  readonly errorBudgetLeft: number | undefined;
  /** Percent. */
  readonly evidence: number;
  readonly upHours: number;
  readonly downHours: number;
  readonly downtimeHours: number;
};

/** Object in a row of a report, with its down time by one of the objectives. */
export type ReportObject = ReportFigures & { readonly realm: string; readonly key: ObjectKey; readonly slo: string };

export type ReportRow = ReportFigures & {
  /** Objective, realm or value of the label; empty for an agent's only realm, and for objects without the label. */
  readonly name: string;
  /** Realm of an objective; empty on an agent, and for labels. */
  readonly realm: string;
  /** Objects with the longest down time, longest first. */
  readonly worst: readonly ReportObject[];
};

export type Report = {
  readonly by: ReportBy;
  /** Figures of all rows together. */
  readonly total: ReportFigures;
  /** Smallest error budget first, rows without evidence last. */
  readonly rows: readonly ReportRow[];
};

/** Object of one objective, with its times. */
type Measured = {
  readonly slo: SloReport;
  readonly key: ObjectKey;
  readonly label: string;
  readonly times: ObjectTimes;
  readonly upDown: UpDown;
};

/** Objects that a row lists. */
const worstObjects = 5;
const msPerHour = 3_600_000;

/** [RP3-RP5] Works out the report of the objectives of an answer. */
export function workOutReport(slos: readonly SloReport[], by: ReportBy): Report {
  const measured = slos.flatMap((slo) => slo.objects.flatMap((object) => measuredOf(slo, object)));
  const nameOf = ({ slo, label }: Pick<Measured, "slo" | "label">): readonly [name: string, realm: string] => {
    if (by.kind === "slo") return [slo.name, slo.realm];
    return by.kind === "realm" ? [slo.realm, slo.realm] : [label, ""];
  };
  const groups = new Map<string, Measured[]>();
  // An objective without objects has a row too.
  if (by.kind !== "label") for (const slo of slos) groups.set(JSON.stringify(nameOf({ slo, label: "" })), []);
  for (const one of measured) {
    const id = JSON.stringify(nameOf(one));
    const group = groups.get(id) ?? [];
    groups.set(id, group);
    group.push(one);
  }
  const rows = [...groups].map(([id, group]): ReportRow => {
    const [name = "", realm = ""] = JSON.parse(id) as string[];
    const own = slos.filter((slo) => by.kind === "slo" && slo.name === name && slo.realm === realm);
    return { name, realm, ...figuresOf(group, own), worst: worstOf(group) };
  });
  return { by, total: figuresOf(measured, slos), rows: rows.sort(compareRows) };
}

function measuredOf(slo: SloReport, { object, seconds, downtimeSeconds, label }: ObjectAvailability): Measured[] {
  const key = objectKeyFromProto("object", object);
  if (!key.ok || key.value === undefined) return [];
  const byStatus = new Map<Status | "none", number>(
    seconds.map((one) => [statusCodec.fromProto(one.status) ?? "none", msOf(one.seconds)]),
  );
  const times = { byStatus, downtimeMs: msOf(downtimeSeconds) };
  return [{ slo, key: key.value, label, times, upDown: sumUpDown([times], downStatusesOf(slo)) }];
}

const msOf = (seconds: number): number => Math.round(seconds * 1_000);

/** Down statuses of an objective; every problem where an older agent does not say them. */
function downStatusesOf({ downStatuses }: SloReport): readonly Status[] {
  const given = downStatuses.flatMap((status) => statusCodec.fromProto(status) ?? []);
  return given.length === 0 ? problemStatuses : given;
}

/** @param slos objectives that give the target when no time counts */
function figuresOf(objects: readonly Measured[], slos: readonly SloReport[] = []): ReportFigures {
  const upDown = objects.reduce(
    (sum, { upDown: { upMs, downMs } }) => ({ upMs: sum.upMs + upMs, downMs: sum.downMs + downMs }),
    { upMs: 0, downMs: 0 },
  );
  const target = targetOf(objects, slos);
  return {
    objects: new Set(objects.map(idOf)).size,
    target,
    achieved: achievedPercent(upDown),
    errorBudgetLeft: target === undefined ? undefined : budgetLeft(upDown, target),
    evidence: evidenceOf(objects),
    upHours: upDown.upMs / msPerHour,
    downHours: upDown.downMs / msPerHour,
    downtimeHours: objects.reduce((sum, { times }) => sum + times.downtimeMs, 0) / msPerHour,
  };
}

/** [RP4] */
function targetOf(objects: readonly Measured[], slos: readonly SloReport[]): number | undefined {
  const targets = new Set([...objects.map(({ slo }) => slo.target), ...slos.map(({ target }) => target)]);
  const [only] = targets;
  if (targets.size <= 1) return only;
  let [weighted, countedMs] = [0, 0];
  for (const { slo, upDown } of objects) {
    const ms = upDown.upMs + upDown.downMs;
    weighted += slo.target * ms;
    countedMs += ms;
  }
  return countedMs === 0 ? undefined : weighted / countedMs;
}

/** [RP5] Evidence of objects whose objectives exclude downtimes or not, percent. */
function evidenceOf(objects: readonly Measured[]): number {
  const times = objects.map(({ slo, times: { byStatus, downtimeMs } }) => ({
    byStatus,
    downtimeMs: slo.downtimesExcluded === true ? downtimeMs : 0,
  }));
  return evidencePercent(times, true);
}

const idOf = ({ slo, key }: Measured): string => JSON.stringify([slo.realm, refOf(key)]);

/** [RP6] An object of several objectives is listed once, by the one that counts most of its time as down. */
function worstOf(objects: readonly Measured[]): readonly ReportObject[] {
  const sorted = objects
    .filter(({ upDown }) => upDown.downMs > 0)
    .sort((a, b) => b.upDown.downMs - a.upDown.downMs || compareTexts(idOf(a), idOf(b)));
  const worst = new Map<string, Measured>();
  for (const one of sorted) {
    if (worst.size === worstObjects) break;
    if (!worst.has(idOf(one))) worst.set(idOf(one), one);
  }
  return [...worst.values()].map((one) => ({
    ...{ realm: one.slo.realm, key: one.key, slo: one.slo.name },
    ...figuresOf([one]),
  }));
}

function compareRows(a: ReportRow, b: ReportRow): number {
  const [left, right] = [a, b].map(({ errorBudgetLeft = Number.MAX_VALUE }) => errorBudgetLeft);
  return (left ?? 0) - (right ?? 0) || compareTexts(a.realm, b.realm) || compareTexts(a.name, b.name);
}
