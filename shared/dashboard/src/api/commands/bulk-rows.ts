import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ListStatusRequestSchema, ListStatusResponse, StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import { objectKindCodec } from "@realmwatch/shared/wire/fields/enums";
import { idOfWireRef, oneOfSelector } from "../status/object-key.ts";
import type { StatusItem } from "../status/status-item.ts";
import type { BulkRun } from "./bulk-run.ts";

/** Largest number of names in a selector; more are not worth their length. */
const maxNames = 50;

/**
 * Request for the changed rows in which the effect of a command can be: those of its realms and kinds, of a few hosts
 * or names where a selector can say so, and of problems or objects with downtimes only.
 */
export function bulkRowsRequest(
  run: Pick<BulkRun, "realms" | "effectRows" | "revision">,
): MessageInitShape<typeof ListStatusRequestSchema> {
  const { realms, effectRows, revision } = run;
  const items = realms.flatMap((one) => one.items.filter(({ id }) => !one.visible.has(id)));
  const kinds = [...new Set(items.map(({ key }) => key.kind))];
  return {
    selector: selectorOf(items),
    kinds: kinds.map(objectKindCodec.toProto),
    problemsOnly: effectRows === "problems",
    withDowntimes: effectRows === "with_downtimes",
    changedSince: revision,
    changesOnly: true,
    omitRealms: true,
  };
}

function selectorOf(items: readonly StatusItem[]): string {
  const kinds = new Set(items.map(({ key }) => key.kind));
  const realms = new Set(items.map(({ realm }) => realm));
  const names = new Set(items.map(({ key }) => (key.kind === "service" ? key.host : key.name)));
  const requirements: string[] = [];
  // An agent has one realm, whose name its rows do not have.
  if (!realms.has("")) requirements.push(oneOfSelector("@realm", [...realms]));
  if (kinds.size === 1 && names.size <= maxNames)
    requirements.push(oneOfSelector(kinds.has("service") ? "@host" : "@name", [...names]));
  return requirements.join(",");
}

/**
 * Rows of a response by the id of their object; undefined for an object of the run that no longer matches the request.
 * A response without earlier rows has every row that matches, so that an object without a row matches no longer.
 */
export function rowsOfResponse(
  { rows, removed }: ListStatusResponse,
  { realms, revision }: Pick<BulkRun, "realms" | "revision">,
): ReadonlyMap<string, StatusRow | undefined> {
  const found = new Map<string, StatusRow | undefined>();
  const add = (id: string | undefined, row: StatusRow | undefined): void => {
    if (id !== undefined) found.set(id, row);
  };
  if (revision === "") for (const { items } of realms) for (const { id } of items) found.set(id, undefined);
  for (const { realm, object } of removed) add(idOfWireRef(realm, object), undefined);
  for (const row of rows) add(idOfWireRef(row.realm, row.object), row);
  return found;
}
