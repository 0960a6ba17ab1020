import type { ObjectEntry } from "./object-entry.ts";

/** Latest changes of objects that had a problem before or after: few among all, and all that lists of problems need. */
export type ProblemChanges = {
  /** Notes the latest change of an entry. */
  note(entry: ObjectEntry): void;
  /** Entries with a noted change after `change`; undefined when older ones than that were forgotten. */
  since(change: number): ReadonlySet<ObjectEntry> | undefined;
};

/** @param maxChanges number of changes that are remembered; the older half is forgotten when there are more */
export function problemChanges(maxChanges: number): ProblemChanges {
  let noted: { readonly entry: ObjectEntry; readonly change: number }[] = [];
  let forgottenChange = 0;
  return {
    note(entry) {
      noted.push({ entry, change: entry.change });
      if (noted.length <= maxChanges) return;
      forgottenChange = noted[noted.length >> 1]?.change ?? 0;
      noted = noted.slice((noted.length >> 1) + 1);
    },
    since(change) {
      if (change < forgottenChange) return undefined;
      const found = new Set<ObjectEntry>();
      for (let at = noted.length - 1; at >= 0; at--) {
        const one = noted[at];
        if (one === undefined || one.change <= change) break;
        found.add(one.entry);
      }
      return found;
    },
  };
}
