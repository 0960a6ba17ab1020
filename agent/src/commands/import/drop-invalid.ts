import { compilePlan } from "@realmwatch/shared/config/compile/compile-plan";
import type { DocumentPath } from "@realmwatch/shared/text/document-path";

/** Part of a document that was removed because it would be refused. */
export type DroppedPart = { readonly path: DocumentPath; readonly why: string };

/** Maximum number of passes: what refers to a removed part is found in the next one. */
const maxPasses = 50;

/**
 * Removes from a document all that the programs would refuse, such as commands with unknown macros, and what refers to
 * it, until the rest is valid. Changes the document.
 */
export function dropInvalid(document: object): readonly DroppedPart[] {
  const dropped: DroppedPart[] = [];
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const compiled = compilePlan(document, { realm: "default", localZone: "UTC" });
    if (compiled.ok) return dropped;
    // The last ones first, so that the indexes of the others stay the same.
    for (const { path, message } of compiled.error.toReversed()) {
      const unit = unitOf(path);
      if (removeAt(document, unit)) dropped.push({ path: unit, why: message });
    }
  }
  return dropped;
}

/** Root fields whose entries are useless without any of their fields. */
const wholeEntries: ReadonlySet<unknown> = new Set(["commands", "handlers", "views", "contacts", "dependencies"]);

/** Smallest part that can be removed for a problem at a path: a field, an element of a list, or a whole object. */
function unitOf(path: DocumentPath): DocumentPath {
  const field = path.at(-1);
  if (field === "check_period" || field === "notification_period") return path;
  const checkAt = path.indexOf("check");
  if (path[0] === "hosts" && checkAt > 0) return path.slice(0, checkAt);
  if (path[0] === "hosts" && path[2] === "address") return path.slice(0, 2);
  if (path[0] === "dependencies" && path[2] === "dependents" && path.length > 3) return path.slice(0, 4);
  if (path[0] === "notifications") return path.slice(0, path[4] === "contacts" ? 6 : path[2] === "levels" ? 4 : 3);
  return wholeEntries.has(path[0]) ? path.slice(0, 2) : path;
}

function removeAt(document: object, path: DocumentPath): boolean {
  const parent = path.slice(0, -1).reduce<unknown>((value, part) => {
    if (typeof value !== "object" || value === null) return undefined;
    return (value as Record<string | number, unknown>)[part];
  }, document);
  const last = path.at(-1);
  if (typeof parent !== "object" || parent === null || last === undefined) return false;
  if (Array.isArray(parent)) {
    if (parent.length === 1) return removeAt(document, path.slice(0, -1));
    return parent.splice(Number(last), 1).length > 0;
  }
  return Object.hasOwn(parent, last) && Reflect.deleteProperty(parent, last);
}
