import type { ObjectRow } from "@realmwatch/proto/svc/v1/query_pb";
import type { ObjectKey } from "../model/object-key.ts";
import { blankOf, type ValuesOf } from "../wire/fields/field-table.ts";
import { rowFields } from "./row-fields.ts";

/** Version of a row or of a removal: the greater epoch is newer, then the greater revision. */
export type RowVersion = { readonly epoch: number; readonly revision: number };

/** True when `a` is newer than `b`: of a greater epoch, or of a greater revision in the same one. */
export const isNewerVersion = (a: RowVersion, b: RowVersion): boolean =>
  a.epoch > b.epoch || (a.epoch === b.epoch && a.revision > b.revision);

/** True when `version` replaces `known`. `alsoEqual`: a removal supersedes the row of the same version too. */
export const supersedes = (version: RowVersion, known: RowVersion, alsoEqual: boolean): boolean =>
  alsoEqual ? !isNewerVersion(known, version) : isNewerVersion(version, known);

/** Origin and version of a row, which the message around it has. The realm is empty on an agent. */
export type RowOrigin = RowVersion & { readonly realm: string };

/** Fields of a row that are in its table. */
export type RowContent = ValuesOf<typeof rowFields>;

/** Row of ListStatus: the state of one object as readers see it. Times are Unix ms, durations ms. */
export type Row = RowOrigin & RowContent;

/** Row of which no field is set. */
export const blankRow: Row = { realm: "", epoch: 0, revision: 0, ...blankOf<RowContent, ObjectRow>(rowFields) };

/** Configured properties of an object that readers see. Shared by all rows of the object. */
export type ObjectMetadata = Row["about"];

/**
 * One change of a read model. A `drop` removes every row of its object up to (`epoch`, `revision`). `published`: number of
 * the message among the realm's row messages of the epoch, from 1; left out when the agent does not number them.
 */
export type RowChange =
  | { readonly kind: "put"; readonly row: Row; readonly published?: number }
  | (RowOrigin & { readonly kind: "drop"; readonly key: ObjectKey; readonly published?: number });

/** Object of a change. */
export const keyOfChange = (change: RowChange): ObjectKey =>
  change.kind === "put" ? change.row.about.key : change.key;
