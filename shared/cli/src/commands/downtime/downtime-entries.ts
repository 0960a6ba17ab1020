import { toJson } from "@bufbuild/protobuf";
import { type ObjectRef, ObjectRefSchema } from "@realmwatch/proto/svc/v1/common_pb";
import { type Downtime, DowntimeSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { changeOf } from "@realmwatch/shared/model/downtime";
import { never } from "@realmwatch/shared/model/never";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { formatDuration } from "@realmwatch/shared/text/duration";
import { personOf } from "@realmwatch/shared/view/person";
import { counted } from "@realmwatch/shared/view/plural";
import { durationFromProto } from "@realmwatch/shared/wire/fields/time";
import type { CliContext } from "../../cli-command.ts";
import type { CliFailure } from "../../output/cli-failure.ts";
import { formatLocalTime, refText } from "../../output/format-object.ts";
import { formatTable, realmColumns, type Screen, type TextColumn } from "../../output/table.ts";

/** Downtime of one object. */
export type DowntimeEntry = {
  readonly realm: string;
  readonly object: ObjectRef | undefined;
  readonly downtime: Downtime;
};

/** Downtimes of the objects that a selector matches. */
export async function readDowntimes(
  { server }: Pick<CliContext, "server">,
  { selector, realm = server.realm }: { readonly selector: string; readonly realm?: string | undefined },
): Promise<Result<readonly DowntimeEntry[], CliFailure>> {
  const answer = await server.query("listStatus", { selector, realm, sort: "name", withDowntimes: true });
  if (!answer.ok) return answer;
  return ok(
    answer.value.rows.flatMap(({ realm, object, downtimes }) =>
      downtimes.map((downtime) => ({ realm, object, downtime })),
    ),
  );
}

export const isScheduled = ({ downtime }: DowntimeEntry): boolean => downtime.kind.case !== "recurring";

/** Downtimes by change; a recurring one has one id in all realms. */
export const downtimesByChange = (entries: readonly DowntimeEntry[]): ReadonlyMap<string, readonly DowntimeEntry[]> =>
  Map.groupBy(entries, ({ downtime }) => changeOf(downtime));

export const entryJson = ({ realm, object, downtime }: DowntimeEntry): object => ({
  ...(realm === "" ? {} : { realm }),
  ...(object === undefined ? {} : { object: toJson(ObjectRefSchema, object) }),
  downtime: toJson(DowntimeSchema, downtime),
});

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

/** Columns of a downtime, by which a change is shown too: its downtimes were scheduled alike. */
const downtimeColumns = (screen: Screen): readonly TextColumn<DowntimeEntry>[] => [
  { title: "START", cell: ({ downtime }) => formatLocalTime(downtime.start, screen) },
  { title: "END", cell: ({ downtime }) => formatLocalTime(downtime.end, screen) },
  { title: "KIND", cell: ({ downtime }) => kindOf(downtime) },
  { title: "BY", cell: ({ downtime }) => personOf(downtime) },
  { title: "COMMENT", cell: ({ downtime }) => downtime.comment, flexible: true },
];

const stateColumn: TextColumn<DowntimeEntry> = {
  title: "NOW",
  cell: ({ downtime }) => (downtime.inEffect === true ? { text: "in effect", colour: "cyan" } : "waiting"),
};

/** Table of changes, with `-output wide` of each downtime. */
export function formatDowntimes(entries: readonly DowntimeEntry[], screen: Screen): string {
  if (entries.length === 0) return "no downtimes";
  if (screen.wide === true)
    return formatTable(
      [
        { title: "ID", cell: ({ downtime }) => downtime.id },
        { title: "CHANGE", cell: ({ downtime }) => changeOf(downtime) },
        ...realmColumns(entries, ({ realm }) => realm),
        { title: "OBJECT", cell: ({ object }) => refText(object), flexible: true },
        stateColumn,
        ...downtimeColumns(screen),
      ],
      entries,
      screen,
    );
  const members = downtimesByChange(entries);
  const changes = [...members.values()].flatMap((own) => own.find(({ downtime }) => downtime.inEffect) ?? own[0] ?? []);
  const membersOf = ({ downtime }: DowntimeEntry) => members.get(changeOf(downtime)) ?? [];
  return formatTable(
    [
      { title: "CHANGE", cell: ({ downtime }) => changeOf(downtime) },
      ...realmColumns(changes, (change) => [...new Set(membersOf(change).map(({ realm }) => realm))].join(",")),
      { title: "OBJECTS", cell: (change) => objectsText(membersOf(change)), flexible: true },
      stateColumn,
      ...downtimeColumns(screen),
    ],
    changes,
    screen,
  );
}

/** Name of the only object, or the number of objects. */
const objectsText = (entries: readonly DowntimeEntry[]): string =>
  entries.length === 1 ? refText(entries[0]?.object) : counted(entries.length, "object");
