import { formatInstant, formatSecond } from "@realmwatch/shared/text/instant";
import { formatColumns } from "./format-columns.ts";
import type { NotificationSummary } from "./recording.ts";
import type { Simulation } from "./simulate.ts";

/** Maximum number of lines of a list in the text format; JSON has all. */
const maxListed = 20;

/** Formats a simulation as text. It contains names of contacts but no addresses, which may be secret. */
export function formatSimulation(simulation: Simulation): string {
  const { diff, counts, recording } = simulation;
  const { fromMs, toMs } = recording;
  const heading = `${formatSecond(fromMs)} to ${formatSecond(toMs)}, realm ${recording.realm}`;
  return [
    heading,
    "",
    ...formatColumns([
      ["recorded", `${counts.recorded}`],
      ...(counts.old === undefined ? [] : [["replayed with the old document", `${counts.old}`]]),
      ["replayed with the new document", `${counts.new}`],
      ["  the same", `${diff.same.length}`],
      ["  saved", `${diff.saved.length}`],
      ["  added", `${diff.added.length}`],
    ]),
    ...listed("saved: would no longer be sent", "-", diff.saved),
    ...listed("added: would be sent, and were not", "+", diff.added),
    ...byContact(simulation),
    ...accuracyNotes(simulation),
  ].join("\n");
}

function listed(title: string, sign: string, all: readonly NotificationSummary[]): string[] {
  if (all.length === 0) return [];
  const rows = all
    .slice(0, maxListed)
    .map(({ atMs, kind, status, ref, contact, level }) => [
      `  ${sign} ${formatSecond(atMs)}`,
      ...[kind, status, ref, `-> ${contact}`, level > 0 ? `level ${level}` : ""],
    ]);
  const more = all.length > maxListed ? [`  ${sign} and ${all.length - maxListed} more: -output json has all`] : [];
  return ["", title, ...formatColumns(rows), ...more];
}

/** Numbers of same, saved and added notifications by contact or object, most changed first. */
function countBy(simulation: Simulation, of: "contact" | "ref") {
  const { saved, added, same } = simulation.diff;
  const counts = new Map<string, { same: number; saved: number; added: number }>();
  const count = (notification: NotificationSummary, what: "same" | "saved" | "added"): void => {
    counts.getOrInsertComputed(notification[of], () => ({ same: 0, saved: 0, added: 0 }))[what] += 1;
  };
  for (const notification of saved) count(notification, "saved");
  for (const notification of added) count(notification, "added");
  for (const { b } of same) count(b, "same");
  const changes = (entry: { saved: number; added: number }): number => entry.saved + entry.added;
  return [...counts].sort(([, a], [, b]) => changes(b) - changes(a) || b.same - a.same);
}

function byContact(simulation: Simulation): string[] {
  const table = (title: string, of: "contact" | "ref"): string[] => {
    const all = countBy(simulation, of).filter(([, { saved, added }]) => saved + added > 0);
    const rows = all
      .slice(0, maxListed)
      .map(([name, { same, saved, added }]) => [name, `${same}`, `${saved}`, `${added}`]);
    return rows.length === 0 ? [] : ["", ...formatColumns([[title, "SAME", "SAVED", "ADDED"], ...rows])];
  };
  return [...table("CONTACT", "contact"), ...table("OBJECT", "ref")];
}

/** Notes about how exact the numbers are. */
function accuracyNotes({ fidelity, recording: { notes }, unknown, gone, counts }: Simulation): string[] {
  const lines: string[] = [];
  if (fidelity === undefined)
    lines.push(
      "compared with the recorded notifications: give the document that ran as -config, so that the limits of the replay do not count as differences",
    );
  else
    lines.push(
      `the replay of the old document gives ${fidelity.same.length} of ${counts.recorded} recorded notifications, and ${fidelity.added.length} others`,
    );
  if (!notes.reached) lines.push("history does not reach back so far: the span begins with its oldest record");
  if (notes.configurations > 0) lines.push(`the configuration changed ${times(notes.configurations)} in the span`);
  if (notes.gaps > 0) lines.push(`records were lost or are damaged: ${times(notes.gaps)}`);
  if (unknown.length > 0)
    lines.push(`objects of the new document without history: ${unknown.length} (${someOf(unknown)})`);
  if (gone.length > 0)
    lines.push(`recorded objects that are not in the new document: ${gone.length} (${someOf(gone)})`);
  return ["", ...lines];
}

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);
const someOf = (refs: readonly string[]): string =>
  refs.length > 5 ? `${refs.slice(0, 5).join(", ")}, …` : refs.join(", ");

const summaryJson = ({ atMs, ref, level, ...notification }: NotificationSummary) => ({
  at: formatInstant(atMs),
  object: ref,
  ...notification,
  level,
});

/** The simulation as JSON. */
export function simulationJson(simulation: Simulation): unknown {
  const { recording, counts, diff, fidelity, unknown, gone } = simulation;
  const counted = (of: "contact" | "ref") => Object.fromEntries(countBy(simulation, of));
  return {
    realm: recording.realm,
    from: formatInstant(recording.fromMs),
    to: formatInstant(recording.toMs),
    counts: { ...counts, same: diff.same.length, saved: diff.saved.length, added: diff.added.length },
    saved: diff.saved.map(summaryJson),
    added: diff.added.map(summaryJson),
    contacts: counted("contact"),
    objects: counted("ref"),
    rehearsal: fidelity && {
      reproduced: fidelity.same.length,
      missed: fidelity.saved.map(summaryJson),
      extra: fidelity.added.map(summaryJson),
    },
    notes: recording.notes,
    ...{ unknown, gone },
  };
}
