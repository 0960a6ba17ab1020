import { create, toJson } from "@bufbuild/protobuf";
import { type AuditRecord, ListAuditRecordsResponseSchema } from "@realmwatch/proto/svc/v1/admin_pb";
import { ok } from "@realmwatch/shared/model/result";
import { auditOutcomeCodec } from "@realmwatch/shared/wire/fields/enums";
import { cliCommand } from "../cli-command.ts";
import { wrongUsage } from "../output/cli-failure.ts";
import { formatLocalTime } from "../output/format-object.ts";
import { type Cell, formatTable, type Screen, type TextColumn } from "../output/table.ts";
import { readTimeFlags } from "../parse/read-time.ts";

/** Maximum number of records that a server returns. */
const maxRecords = 1000;

function outcomeCell({ outcome, count }: AuditRecord): Cell {
  const word = auditOutcomeCodec.fromProto(outcome) ?? "?";
  const text = count > 1 ? `${word} (${count} times)` : word;
  return word === "accepted" ? { text } : { text, colour: "yellow" };
}

/** Name of the call without its package; a command of the command file by its own name. */
const rpcText = ({ rpc }: AuditRecord): string => rpc.replace(/^\/svc\.v1\./, "");

function actorText({ principal, onBehalfOf, peer }: AuditRecord): string {
  const name = principal?.name ?? (peer === "" ? "command file" : peer);
  return onBehalfOf === "" ? name : `${name} for ${onBehalfOf}`;
}

/** Hash of a document, cut to what tells documents apart. */
const shortHash = (hash: unknown): string => String(hash).replace(/^sha256:(.{12}).*/, "$1");

/** Reason of a refusal, changes of an applied document, else the request. `-output json` has the whole record. */
function detailsText({ rpc, reason, commandJson }: AuditRecord): string {
  if (!rpc.endsWith("/ApplyConfig") || commandJson === "") return reason || commandJson;
  const { summary, before, after, cue = "", realm, request = { cue } } = JSON.parse(commandJson);
  const document = summary === undefined ? shortHash(request.cue ?? "") : `${shortHash(before)} -> ${shortHash(after)}`;
  const parts = [realm && `realm ${realm}`, reason, summary, document && `document ${document}`];
  return parts.filter((part) => part !== undefined && part !== "").join("; ");
}

const columnsFor = (screen: Screen): TextColumn<AuditRecord>[] => [
  { title: "TIME", cell: ({ at }) => formatLocalTime(at, screen) },
  { title: "ACTOR", cell: actorText },
  { title: "CALL", cell: rpcText },
  { title: "OUTCOME", cell: outcomeCell },
  { title: "DETAILS", cell: detailsText, flexible: true },
];

export const auditCliCommand = cliCommand({
  path: "audit",
  args: [],
  summary: "Show the audit records, newest first.",
  flags: {
    since: { help: "Start of the time range: 2h (ago), 22:00, 2026-03-29 22:00 or RFC 3339.", placeholder: "TIME" },
    limit: { help: "Maximum number of records, 100 by default, 1000 at most.", placeholder: "N" },
  },
  async run({ flags, context }) {
    const limit = Number(flags.limit ?? "100");
    if (!/^\d{1,4}$/.test(flags.limit ?? "100") || limit === 0 || limit > maxRecords)
      return wrongUsage(`-limit: ${JSON.stringify(flags.limit)} is not a whole number from 1 to ${maxRecords}`);
    const times = readTimeFlags(["since"], flags, context);
    if (!times.ok) return wrongUsage(times.error);
    const answer = await context.server.admin("listAuditRecords", { limit, ...times.value });
    if (!answer.ok) return answer;
    const { records } = answer.value;
    return ok({
      json: toJson(ListAuditRecordsResponseSchema, create(ListAuditRecordsResponseSchema, { records })),
      list: "records",
      text: (screen) => (records.length === 0 ? "no records" : formatTable(columnsFor(screen), records, screen)),
      ids: [],
    });
  },
});
