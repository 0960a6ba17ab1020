import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { UnansweredRealm } from "@realmwatch/proto/svc/v1/query_pb";
import { refOf } from "@realmwatch/shared/model/object-key";
import { ok, type Result } from "@realmwatch/shared/model/result";
import {
  type HandoverInput,
  handoverRequests,
  type Shift,
  workOutHandover,
} from "@realmwatch/shared/view/handover/handover";
import { handoverText } from "@realmwatch/shared/view/handover/handover-sections";
import type { ShiftObject } from "@realmwatch/shared/view/handover/shift-object";
import { type CliContext, cliCommand } from "../cli-command.ts";
import { type CliFailure, wrongUsage } from "../output/cli-failure.ts";
import { unansweredLines } from "../output/format-realm.ts";
import { readTimeFlags } from "../parse/read-time.ts";
import { listRecords } from "./history.ts";

type ReadHandover = { readonly input: HandoverInput; readonly unanswered: readonly UnansweredRealm[] };

/** Requests everything that the handover of a shift is worked out from. */
async function readHandover({ server, clock }: CliContext, shift: Shift): Promise<Result<ReadHandover, CliFailure>> {
  const requests = handoverRequests(shift, clock.now());
  const problems = await server.query("listStatus", requests.problems);
  if (!problems.ok) return problems;
  const withDowntimes = await server.query("listStatus", requests.withDowntimes);
  if (!withDowntimes.ok) return withDowntimes;
  const listed = await server.query("listContacts", {});
  if (!listed.ok) return listed;
  const history = await listRecords(server, requests.history, Number.POSITIVE_INFINITY);
  if (!history.ok) return history;
  const { records, unanswered } = history.value;
  const rows = [...problems.value.rows, ...withDowntimes.value.rows];
  const { contacts } = listed.value;
  return ok({ input: { shift, records, rows, contacts, realms: problems.value.realms }, unanswered });
}

/** `06:00`, with the date when it is not that of the end of the shift. */
const timeFormat = (untilMs: number, zone: string) => (atMs: number) => {
  const [time, end] = [atMs, untilMs].map((ms) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone));
  const clock = time?.toPlainTime().toString({ smallestUnit: "minute" }) ?? "";
  return time?.toPlainDate().equals(end?.toPlainDate() ?? "") === true ? clock : `${time?.toPlainDate()} ${clock}`;
};

/** Value as JSON: a time loses `Ms` in its name and becomes an instant, an object becomes its reference. */
function toPlainJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlainJson);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      if (field === undefined) return [];
      if (name === "key") return [["object", refOf(field as ShiftObject["key"])]];
      if (name.endsWith("Ms")) return [[name.slice(0, -2), new Date(field as number).toISOString()]];
      return [[name, toPlainJson(field)]];
    }),
  );
}

export const handoverCliCommand = cliCommand({
  path: "handover",
  args: [],
  summary: "Show what a shift hands over to the next: problems, acknowledgements, downtimes, failed contacts, notes.",
  flags: {
    since: {
      help: "Start of the shift, required: 06:00, 8h (ago), 2026-03-29 22:00 or RFC 3339.",
      placeholder: "TIME",
    },
    until: { help: "End of the shift; now by default.", placeholder: "TIME" },
    realm: { help: "Only this realm.", placeholder: "NAME" },
  },
  async run({ flags, context }) {
    const times = readTimeFlags(["since", "until"], flags, context);
    if (!times.ok) return wrongUsage(times.error);
    const { since, until } = times.value;
    if (since === undefined) return wrongUsage("-since is required: the start of the shift, such as 06:00");
    const nowMs = context.clock.now();
    const [sinceMs, untilMs] = [timestampMs(since), Math.min(until ? timestampMs(until) : nowMs, nowMs)];
    if (sinceMs >= untilMs) return wrongUsage("-since is not before -until");
    const shift = await readHandover(context, { sinceMs, untilMs, realm: flags.realm ?? context.server.realm });
    if (!shift.ok) return shift;
    const handover = workOutHandover(shift.value.input);
    return ok({
      json: toPlainJson(handover),
      text: ({ zone }) => handoverText(handover, timeFormat(untilMs, zone)),
      ids: [],
      failures: unansweredLines(shift.value.unanswered),
    });
  },
});
