import { compilePlan } from "@realmwatch/shared/config/compile/compile-plan";
import { unusedDeclarations } from "@realmwatch/shared/config/lint/lint-unused";
import type { ImportItem } from "./import-report.ts";
import type { CueObject } from "./imported-document.ts";
import type { SourceNotes } from "./source-notes.ts";

/** [IM32] Removes unused declarations from a valid document, and those that only they used. Returns a finding for each. */
export function leaveOutUnused(document: CueObject, notes: SourceNotes): readonly ImportItem[] {
  const compiled = compilePlan(document, { realm: "default", localZone: "UTC" });
  const unused = compiled.ok ? unusedDeclarations(compiled.value) : [];
  if (unused.length === 0) return [];
  const items = unused.flatMap(([section, name]): readonly ImportItem[] => {
    const entries = document[section] as CueObject;
    Reflect.deleteProperty(entries, name);
    if (Object.keys(entries).length === 0) Reflect.deleteProperty(document, section);
    // A contact of which only those with other statuses are notified is not lost.
    if (section === "contacts" && Object.keys(entries).some((other) => other.startsWith(`${name}-`))) return [];
    const origin = notes.origins.get(`${section} ${name}`);
    const why = "nothing uses it, so it is not in the document";
    return origin === undefined ? [] : [{ ...origin, outcome: "converted", why }];
  });
  return [...items, ...leaveOutUnused(document, notes)];
}
