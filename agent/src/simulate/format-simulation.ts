import { formatInstant } from "@realmwatch/shared/text/instant";
import { formatColumns } from "./format-columns.ts";
import type { NotificationSummary } from "./notification-summary.ts";
import type { Simulation } from "./simulate.ts";

/** Lines of a list for people; JSON has all. */
const maxListed = 20;

/** What a simulation found, for people. Names only: what is behind contacts may be secret. */
export function formatSimulation(simulation: Simulation): string {
  const { diff, counts, recording } = simulation;
  const { fromMs, toMs } = recording;
  const heading = `${showSecond(fromMs)} to ${showSecond(toMs)}, realm ${recording.realm}`;
  return [
    heading,
    "",
    ...formatColumns([
      ["recorded", `${counts.recorded}`],
      ...(counts.old === undefined ? [] : [["rehearsed with the old document", `${counts.old}`]]),
      ["rehearsed with the new document", `${counts.new}`],
      ["  the same", `${diff.same.length}`],
      ["  saved", `${diff.saved.length}`],
      ["  added", `${diff.added.length}`],
    ]),
    ...listed("saved: would not be sent any more", "-", diff.saved),
    ...listed("added: would be sent, and were not", "+", diff.added),
    ...byContact(simulation),
    ...trust(simulation),
  ].join("\n");
}

const showSecond = (atMs: number): string => formatInstant(Math.floor(atMs / 1_000) * 1_000);

function listed(title: string, sign: string, all: readonly NotificationSummary[]): string[] {
  if (all.length === 0) return [];
  const rows = all
    .slice(0, maxListed)
    .map(({ atMs, kind, status, ref, contact, level }) => [
      `  ${sign} ${showSecond(atMs)}`,
      ...[kind, status, ref, `-> ${contact}`, level > 0 ? `level ${level + 1}` : ""],
    ]);
  const more = all.length > maxListed ? [`  ${sign} and ${all.length - maxListed} more: -output json has all`] : [];
  return ["", title, ...formatColumns(rows), ...more];
}

/** Of each contact or object: how many are saved and added; none where all is the same. */
function countBy(simulation: Simulation, of: "contact" | "ref") {
  const { saved, added, same } = simulation.diff;
  const counts = new Map<string, { same: number; saved: number; added: number }>();
  const count = (told: NotificationSummary, what: "same" | "saved" | "added"): void => {
    const known = counts.get(told[of]) ?? { same: 0, saved: 0, added: 0 };
    known[what] += 1;
    counts.set(told[of], known);
  };
  for (const told of saved) count(told, "saved");
  for (const told of added) count(told, "added");
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

/** How far the numbers can be believed. */
function trust({ fidelity, recording: { notes }, unknown, gone, counts }: Simulation): string[] {
  const lines: string[] = [];
  if (fidelity === undefined)
    lines.push(
      "compared with the record itself: with -config, the document that ran, what a rehearsal cannot know is not blamed on the new one",
    );
  else
    lines.push(
      `the old document, rehearsed, tells ${fidelity.same.length} of ${counts.recorded} recorded ones, and ${fidelity.added.length} others`,
    );
  if (!notes.reached) lines.push("history does not reach back so far: the span begins with it");
  if (notes.configurations > 0)
    lines.push(`the configuration became another one ${times(notes.configurations)} in the span`);
  if (notes.gaps > 0) lines.push(`records were lost or are damaged: ${times(notes.gaps)}`);
  if (unknown.length > 0)
    lines.push(`of ${unknown.length} objects of the new document nothing is recorded: ${someOf(unknown)}`);
  if (gone.length > 0) lines.push(`${gone.length} recorded objects are not in the new document: ${someOf(gone)}`);
  return ["", ...lines];
}

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);
const someOf = (refs: readonly string[]): string =>
  refs.length > 5 ? `${refs.slice(0, 5).join(", ")}, …` : refs.join(", ");

const toldJson = ({ atMs, ref, level, ...told }: NotificationSummary) => ({
  at: formatInstant(atMs),
  object: ref,
  ...told,
  level: level + 1,
});

/** All of it. */
export function simulationJson(simulation: Simulation): unknown {
  const { recording, counts, diff, fidelity, unknown, gone } = simulation;
  const counted = (of: "contact" | "ref") => Object.fromEntries(countBy(simulation, of));
  return {
    realm: recording.realm,
    from: formatInstant(recording.fromMs),
    to: formatInstant(recording.toMs),
    counts: { ...counts, same: diff.same.length, saved: diff.saved.length, added: diff.added.length },
    saved: diff.saved.map(toldJson),
    added: diff.added.map(toldJson),
    contacts: counted("contact"),
    objects: counted("ref"),
    rehearsal: fidelity && {
      reproduced: fidelity.same.length,
      missed: fidelity.saved.map(toldJson),
      extra: fidelity.added.map(toldJson),
    },
    notes: recording.notes,
    ...{ unknown, gone },
  };
}
