import { refOf } from "../../model/object-key.ts";
import type { Status } from "../../model/status.ts";
import { counted } from "../plural.ts";
import type { Handover, ShiftContact, ShiftDowntime, ShiftRealm } from "./handover.ts";
import type { ShiftObject } from "./shift-object.ts";
import type { ShiftProblem } from "./shift-problem.ts";

/** Entry of a section: a time, the objects, their status, and the rest of the sentence. */
export type HandoverEntry = {
  /** Unix ms; undefined when unknown. */
  readonly atMs: number | undefined;
  readonly status?: Status;
  /** Name of the realm, contact or author that the entry is about, when it is not about objects. */
  readonly subject?: string;
  readonly objects: readonly ShiftObject[];
  readonly text: string;
};

/** One section of a handover as clients show it. */
export type HandoverSection = {
  readonly title: string;
  /** Sentence that stands for an empty list of entries. */
  readonly none: string;
  readonly entries: readonly HandoverEntry[];
  /** Sentence below the entries; empty for none. */
  readonly more: string;
};

/** Formats a time, Unix ms. */
type FormatTime = (atMs: number) => string;

/** Sections of a handover in the order in which a shift reads them. */
export function handoverSections(handover: Handover, time: FormatTime): readonly HandoverSection[] {
  const { began, open, ended, acknowledged, downtimes, contacts, realms, notes } = handover;
  const section = (title: string, none: string, entries: readonly HandoverEntry[]): HandoverSection => ({
    ...{ title, none, entries, more: "" },
  });
  return [
    section(
      "Notes",
      "No notes.",
      notes.map(({ atMs, realm, by, text }) => ({ atMs, subject: inRealm(realm, by), objects: [], text })),
    ),
    problemSection("Began in this shift, still open", "No problem began and is still open.", began, time),
    problemSection("Open since before this shift", "No problem is open since before this shift.", open, time),
    problemSection("Ended in this shift", "No problem ended.", ended, time),
    section(
      "Acknowledged",
      "Nothing was acknowledged.",
      acknowledged.map(({ atMs, by, comment, objects }) => ({ atMs, objects, text: joined(`by ${by}`, comment) })),
    ),
    section(
      `Downtimes until ${time(handover.nextUntilMs)}`,
      "No downtime begins or ends in the next shift.",
      downtimes.map((downtime) => downtimeEntry(downtime, handover, time)),
    ),
    section(
      "Contacts that failed",
      "No contact failed.",
      contacts.map((contact) => contactEntry(contact, time)),
    ),
    section(
      "Realms",
      "All realms are current.",
      realms.map((realm) => realmEntry(realm, time)),
    ),
  ];
}

const inRealm = (realm: string, name: string): string => [realm, name].filter((text) => text !== "").join(", ");
const joined = (...texts: readonly string[]): string => texts.filter((text) => text !== "").join(": ");

/** [HO2] Consequences of other problems are counted, not listed. */
function problemSection(
  title: string,
  none: string,
  problems: readonly ShiftProblem[],
  time: FormatTime,
): HandoverSection {
  const causes = problems.filter(({ isBehind }) => !isBehind);
  const behind = problems.length - causes.length;
  const more = behind === 0 ? "" : `${counted(behind, "object")} behind them.`;
  return { title, none, more, entries: causes.map((problem) => problemEntry(problem, time)) };
}

function problemEntry(problem: ShiftProblem, time: FormatTime): HandoverEntry {
  const { realm, key, status, beganMs, endedMs, times, acknowledgedBy, output } = problem;
  const facts = [
    endedMs === undefined ? "" : `ended ${time(endedMs)}`,
    times > 1 ? `${times} times` : "",
    acknowledgedBy === "" ? "" : `acknowledged by ${acknowledgedBy}`,
  ].filter((fact) => fact !== "");
  return {
    atMs: beganMs,
    status,
    objects: [{ realm, key }],
    text: `${output}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`.trim(),
  };
}

function downtimeEntry(
  { startMs, endMs, by, comment, objects }: ShiftDowntime,
  { untilMs }: Pick<Handover, "untilMs">,
  time: FormatTime,
): HandoverEntry {
  const begins = startMs >= untilMs ? `begins, until ${time(endMs)}` : `ends ${time(endMs)}`;
  return { atMs: startMs, objects, text: joined(by === "" ? begins : `${begins}, by ${by}`, comment) };
}

function contactEntry({ realm, name, givenUp, failingSinceMs, error }: ShiftContact, time: FormatTime): HandoverEntry {
  const facts = [
    failingSinceMs === undefined ? "works again" : `failing since ${time(failingSinceMs)}`,
    givenUp === 0 ? "" : `${counted(givenUp, "notification")} given up`,
  ].filter((fact) => fact !== "");
  return { atMs: failingSinceMs, subject: inRealm(realm, name), objects: [], text: joined(facts.join(", "), error) };
}

function realmEntry({ name, what, fromMs, toMs, detail }: ShiftRealm, time: FormatTime): HandoverEntry {
  const until = toMs === undefined ? "" : ` until ${time(toMs)}`;
  return { atMs: fromMs, subject: name, objects: [], text: joined(`${what}${until}`, detail) };
}

/** Number of objects of an entry that are named. */
export const namedObjects = 5;

/** Names of the first objects of an entry, with their realms: `fra web1!http and 3 more`. */
export function objectsText(objects: readonly ShiftObject[]): string {
  const names = objects.slice(0, namedObjects).map(({ realm, key }) => `${realm} ${refOf(key)}`.trim());
  const left = objects.length - names.length;
  return `${names.join(", ")}${left === 0 ? "" : ` and ${left} more`}`;
}

/** Handover as plain text, a line an entry. */
export function handoverText(handover: Handover, time: FormatTime): string {
  const head = `Handover ${time(handover.sinceMs)} to ${time(handover.untilMs)}`;
  const sections = handoverSections(handover, time).map(({ title, none, entries, more }) => {
    const lines =
      entries.length === 0 && more === "" ? [none] : [...entries.map((entry) => entryLine(entry, time)), more];
    return [title, ...lines.filter((line) => line !== "").map((line) => `  ${line}`)].join("\n");
  });
  return [head, ...sections].join("\n\n");
}

function entryLine({ atMs, status, subject, objects, text }: HandoverEntry, time: FormatTime): string {
  const parts = [
    atMs === undefined ? "earlier" : time(atMs),
    status?.toUpperCase(),
    subject,
    objectsText(objects),
    text,
  ];
  return parts
    .filter((part) => part !== undefined && part !== "")
    .join("  ")
    .replace(/\s*\n\s*/g, " / ");
}
