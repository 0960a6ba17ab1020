import { toJson } from "@bufbuild/protobuf";
import { type ObjectRef, ObjectRefSchema } from "@realmwatch/proto/svc/v1/common_pb";
import { type Downtime, DowntimeSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { never } from "@realmwatch/shared/model/never";
import { ok } from "@realmwatch/shared/model/result";
import { formatDuration } from "@realmwatch/shared/text/duration";
import { durationFromProto } from "@realmwatch/shared/wire/fields/time";
import { cliCommand } from "../cli-command.ts";
import { formatLocalTime, refText } from "../output/format-object.ts";
import { formatTable, realmColumns, type Screen, type TextColumn } from "../output/table.ts";
import { deleteEach } from "./delete-each.ts";

type Entry = { readonly realm: string; readonly object: ObjectRef | undefined; readonly downtime: Downtime };

function kindOf({ kind }: Downtime): string {
  switch (kind.case) {
    case "flexible": {
      const span = durationFromProto("duration", kind.value.duration);
      return span.ok && span.value !== undefined ? `flexible ${formatDuration(span.value)}` : "flexible";
    }
    case "triggered":
      return `by ${kind.value.triggeredBy}`;
    case "recurring":
      return "recurring";
    case "fixed":
    case undefined:
      return "fixed";
    default:
      return never(kind);
  }
}

function columnsFor(screen: Screen, entries: readonly Entry[]): TextColumn<Entry>[] {
  return [
    { title: "ID", cell: ({ downtime }) => downtime.id },
    ...realmColumns(entries, ({ realm }) => realm),
    { title: "OBJECT", cell: ({ object }) => refText(object), flexible: true },
    {
      title: "NOW",
      cell: ({ downtime }) => (downtime.inEffect === true ? { text: "in effect", colour: "cyan" } : "waiting"),
    },
    { title: "START", cell: ({ downtime }) => formatLocalTime(downtime.start, screen) },
    { title: "END", cell: ({ downtime }) => formatLocalTime(downtime.end, screen) },
    { title: "KIND", cell: ({ downtime }) => kindOf(downtime) },
    { title: "BY", cell: ({ downtime }) => downtime.onBehalfOf || downtime.author },
    { title: "COMMENT", cell: ({ downtime }) => downtime.comment, flexible: true },
  ];
}

const jsonOf = ({ realm, object, downtime }: Entry): object => ({
  ...(realm === "" ? {} : { realm }),
  ...(object === undefined ? {} : { object: toJson(ObjectRefSchema, object) }),
  downtime: toJson(DowntimeSchema, downtime),
});

export const listDowntimesCliCommand = cliCommand({
  path: "downtime list",
  args: ["[SELECTOR]"],
  summary: "List scheduled and recurring downtimes.",
  flags: {
    realm: { help: "Only this realm.", placeholder: "NAME" },
    active: { help: "Only those in effect." },
  },
  async run({ args: [selector = ""], flags, context }) {
    const realm = flags.realm ?? context.server.realm;
    const answer = await context.server.query("listStatus", { selector, realm, sort: "name" });
    if (!answer.ok) return answer;
    const entries = answer.value.rows.flatMap(({ realm, object, downtimes }) =>
      downtimes
        .filter(({ inEffect }) => !flags.active || inEffect === true)
        .map((downtime): Entry => ({ realm, object, downtime })),
    );
    return ok({
      json: entries.map(jsonOf),
      text: (screen) =>
        entries.length === 0 ? "no downtimes" : formatTable(columnsFor(screen, entries), entries, screen),
      // A recurring downtime is declared in the configuration and cannot be deleted by its id.
      ids: entries.filter(({ downtime }) => downtime.kind.case !== "recurring").map(({ downtime }) => downtime.id),
    });
  },
});

export const removeDowntimeCliCommand = cliCommand({
  path: "downtime rm",
  args: ["ID..."],
  summary: "Delete downtimes that were scheduled.",
  flags: {},
  run: ({ args, context }) =>
    deleteEach(args, {
      what: "downtime",
      delete: (downtimeId) => context.server.command("deleteDowntime", { downtimeId }),
    }),
});
