import type { MessageInitShape } from "@bufbuild/protobuf";
import { ExecuteRequestSchema, type ExecuteResponse } from "@realmwatch/proto/svc/v1/realm_pb";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { counted } from "@realmwatch/shared/view/plural";
import type { CliFailure } from "../output/cli-failure.ts";
import { printableText } from "../output/printable-text.ts";

type BulkCommand = NonNullable<MessageInitShape<typeof ExecuteRequestSchema>["command"]>;
/** Commands that an aggregator executes in every realm with a match. */
const bulkCommands: ReadonlySet<string> = new Set(
  ExecuteRequestSchema.oneofs.flatMap(({ fields }) => fields.map(({ localName }) => localName)),
);

/** Request that executes a command on a selection in all realms; undefined for a command without selections. */
export function bulkRequest(
  name: string,
  { selector, requestId, fields }: { selector: string; requestId: string; fields: Readonly<Record<string, unknown>> },
): MessageInitShape<typeof ExecuteRequestSchema> | undefined {
  if (!bulkCommands.has(name)) return undefined;
  return { selector, requestId, command: { case: name, value: fields } as BulkCommand };
}

/** Number of objects of a realm that a command was accepted for; the realm of an agent has an empty name. */
export type RealmCount = { readonly realm: string; readonly matched: number };

/** Numbers of objects when every realm accepted the command, else one line for each realm. */
export function bulkCounts(results: ExecuteResponse["results"]): Result<readonly RealmCount[], CliFailure> {
  if (results.every(({ code }) => code === "")) return ok(results.map(({ realm, matched }) => ({ realm, matched })));
  const lines = results.map(({ realm, code, message, matched }) =>
    code === ""
      ? `realmwatch: realm ${realm}: accepted for ${counted(matched, "object")}`
      : `realmwatch: realm ${realm}: ${printableText(message)} (${code})`,
  );
  return fail({ code: 1, lines });
}
