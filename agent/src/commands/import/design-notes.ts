import type { ImportItem, ImportReport } from "./import-report.ts";
import type { CueObject } from "./imported-document.ts";
import type { SourceNotes } from "./source-notes.ts";

/** Host or service of a document, with the properties that decide whether a difference by design can concern it. */
type DesignObject = {
  readonly ref: string;
  readonly isHost: boolean;
  readonly isPassive: boolean;
  readonly hasAttempts: boolean;
  /** Name of its notification policy; undefined: it never notifies. */
  readonly policy: string | undefined;
  readonly parents: readonly DesignObject[];
};

/** Difference by design. `reason` is its name in the report of `realmwatch shadow`. */
export type DesignRule = {
  readonly reason: string;
  /** Names the objects in the plural. */
  readonly objects: string;
  /** Behaviour of Realmwatch, then that of the other system. */
  readonly why: string;
  /** True for an object that can meet the difference. */
  applies(object: DesignObject): boolean;
};

/** [IM36] Adds a finding for each difference by design that objects of a document can meet, with their number. */
export function remarkByDesign(
  report: ImportReport,
  {
    document,
    notes,
    rules,
  }: { readonly document: CueObject; readonly notes: SourceNotes; readonly rules: readonly DesignRule[] },
): void {
  const objects = designObjects(document);
  for (const { reason, objects: plural, why, applies } of rules) {
    const found = objects.filter(applies);
    const first = found[0];
    if (first === undefined) continue;
    const source = notes.origins.get(`hosts ${first.ref}`)?.source ?? { file: "", line: 1 };
    report.add(designItem(reason, { source, why: `${why}; ${plural}: ${found.length}` }));
  }
}

/** Finding about a difference by design. */
export const designItem = (name: string, { source, why }: Pick<ImportItem, "source" | "why">): ImportItem => ({
  ...{ source, kind: "design", name, outcome: "approximated" as const },
  why: `${why}; see docs/how-to/shadow-nagios.md`,
});

function designObjects(document: CueObject): readonly DesignObject[] {
  const hosts = document["hosts"] as Readonly<Record<string, HostDocument>>;
  const byName = new Map<string, DesignObject & { readonly parents: DesignObject[] }>(
    Object.entries(hosts).map(([name, host]) => [name, { ref: name, isHost: true, ...settingsOf(host), parents: [] }]),
  );
  for (const [name, host] of byName)
    for (const parent of hosts[name]?.parents ?? []) {
      const found = byName.get(parent);
      if (found !== undefined) host.parents.push(found);
    }
  const services = Object.entries(hosts).flatMap(([name, { services: own = {} }]) =>
    Object.entries(own).map(([service, object]) => ({
      ...{ ref: `${name}!${service}`, isHost: false, ...settingsOf(object), parents: [] },
    })),
  );
  return [...byName.values(), ...services];
}

type ObjectDocument = {
  readonly check?: { readonly type?: string; readonly max_attempts?: number };
  readonly notification?: string;
};
type HostDocument = ObjectDocument & {
  readonly parents?: readonly string[];
  readonly services?: Readonly<Record<string, ObjectDocument>>;
};

const settingsOf = ({ check: { type, max_attempts: attempts = 3 } = {}, notification: policy }: ObjectDocument) => ({
  isPassive: type === "passive",
  hasAttempts: attempts > 1,
  policy,
});
