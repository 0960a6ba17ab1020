import type { ListStatusResponse, StatusRow, StatusSummary } from "@realmwatch/proto/svc/v1/query_pb";
import type { Status } from "@realmwatch/shared/model/status";
import { counted } from "@realmwatch/shared/view/plural";
import { statusCodec } from "@realmwatch/shared/wire/fields/enums";
import type { PluginCode } from "../../output/cli-output.ts";
import { refText } from "../../output/format-object.ts";
import { printableText } from "../../output/printable-text.ts";

/** Exit code and output of a monitoring plugin. */
type PluginResult = { readonly code: PluginCode; readonly text: string };

/** Problem statuses with their plugin codes, worst first. */
const severities: readonly (readonly [status: Status, code: PluginCode])[] = [
  ["unreachable", 2],
  ["critical", 2],
  ["unknown", 3],
  ["warning", 1],
];
const codeWords = ["OK", "WARNING", "CRITICAL", "UNKNOWN"] as const;
/** Maximum number of problems listed below the first line. */
const maxListed = 100;

const totalOf = (summary: StatusSummary | undefined): number =>
  (summary?.counts ?? []).reduce((sum, { count }) => sum + count, 0);
const plain = (text: string): string => printableText(text).replaceAll("|", "/");

/** UNKNOWN, for a selection whose state could not be determined. @param reason sentence without a final stop */
export const unknownPluginResult = (reason: string): PluginResult => ({ code: 3, text: `UNKNOWN: ${plain(reason)}` });

/**
 * Judges a selection by the worst of its unhandled problems. It is UNKNOWN when nothing was selected, and when no problem
 * is known but the state of some objects is only the last known one.
 *
 * @param summary summary of the whole selection
 * @param problems its unhandled problems, most severe first
 */
export function judgeSelection(summary: ListStatusResponse["summary"], problems: readonly StatusRow[]): PluginResult {
  const total = totalOf(summary);
  if (total === 0) return unknownPluginResult("no objects are selected");
  const counts = severities.map(([status, code]) => {
    const count = problems.filter((row) => statusCodec.fromProto(row.status) === status).length;
    return { status, code, count };
  });
  const stale = totalOf(summary?.lastKnown);
  const worst = counts.find(({ count }) => count > 0)?.code ?? (stale > 0 ? 3 : 0);
  const among = `${counted(problems.length, "unhandled problem")} among ${counted(total, "object")}`;
  const last = stale > 0 ? `, ${stale} of them last known` : "";
  const metrics = counts.map(({ status, count }) => `${status}=${count};;;0`);
  const first = `${codeWords[worst]}: ${among}${last} | unhandled=${problems.length};;;0 objects=${total};;;0 ${metrics.join(" ")}`;
  const listed = problems.slice(0, maxListed).map(problemLine);
  const rest = problems.length > maxListed ? [`and ${problems.length - maxListed} more`] : [];
  return { code: worst, text: [first, ...listed, ...rest].join("\n") };
}

function problemLine({ realm, object, status, output }: StatusRow): string {
  const where = realm === "" ? "" : `${realm} `;
  return plain(`${where}${refText(object)} is ${statusCodec.fromProto(status) ?? "unknown"}: ${output}`);
}
