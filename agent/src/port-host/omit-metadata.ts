import { refOf } from "@realmwatch/shared/model/object-key";
import type { Row, RowChange } from "@realmwatch/shared/row/row";
import type { SentChange } from "@realmwatch/shared/row/sent-change";

/**
 * Makes a function that leaves the metadata out of changes for a receiver that has them from earlier changes. The metadata
 * of an object are one value as long as the configuration does not change them.
 */
export function metadataOmitter(): (changes: readonly RowChange[]) => SentChange[] {
  const known = new Map<string, Row["about"]>();
  function sentForm(change: RowChange): SentChange {
    if (change.kind === "drop") {
      known.delete(refOf(change.key));
      return change;
    }
    const { row } = change;
    const ref = refOf(row.about.key);
    const isKnown = known.get(ref) === row.about;
    known.set(ref, row.about);
    return { kind: "put", ref, row: isKnown ? { ...row, about: undefined } : row };
  }
  return (changes) => changes.map(sentForm);
}
