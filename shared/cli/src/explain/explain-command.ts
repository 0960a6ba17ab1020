import { create, toJson } from "@bufbuild/protobuf";
import {
  type Contact,
  type HistoryRecord,
  HistoryRecordSchema,
  HistoryType,
  type ListStatusResponse,
  type StatusRow,
  StatusRowSchema,
} from "@realmwatch/proto/svc/v1/query_pb";
import { formatKey, type ObjectKey } from "@realmwatch/shared/model/object-key";
import { ok, type Result } from "@realmwatch/shared/model/result";
import type { ProgramToggles } from "@realmwatch/shared/model/toggles";
import { capital } from "@realmwatch/shared/view/capital";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { togglesFromProto } from "@realmwatch/shared/wire/toggles";
import { type CliContext, cliCommand } from "../cli-command.ts";
import { historyTableColumns } from "../commands/history.ts";
import type { ServerClient } from "../connection/server-client.ts";
import { type CliFailure, commandFailed, wrongUsage } from "../output/cli-failure.ts";
import { muteText } from "../output/format-contact.ts";
import { refText } from "../output/format-object.ts";
import { realmNotes } from "../output/format-realm.ts";
import { printableText } from "../output/printable-text.ts";
import { formatTable, type Screen } from "../output/table.ts";
import { readObject } from "../parse/read-target.ts";
import { explainObject } from "./explain-object.ts";

/** Types of the records about notifications. */
const notificationTypes = [
  HistoryType.NOTIFICATION,
  HistoryType.NOTIFICATION_QUEUED,
  HistoryType.NOTIFICATION_FAILED,
  HistoryType.NOTIFICATION_SUPPRESSED,
] as const;
/** Number of records below the explanation. */
const recordCount = 10;

type FoundObject = {
  readonly row: StatusRow;
  readonly realms: ListStatusResponse["realms"];
  readonly notifications: readonly HistoryRecord[];
  readonly program: ProgramToggles | undefined;
  /** Contact of which the mute suppressed the last notification; undefined for none. */
  readonly muted: Contact | undefined;
};

/** Finds the row of the object; fails when several realms have an object of that name. */
async function findRow(
  key: ObjectKey,
  server: ServerClient,
): Promise<Result<Pick<FoundObject, "row" | "realms">, CliFailure>> {
  const answer = await server.query("listStatus", { object: objectKeyToProto(key), realm: server.realm });
  if (!answer.ok) return answer;
  const { rows, realms } = answer.value;
  const [row] = rows;
  if (row === undefined)
    return commandFailed(`${formatKey(key)} does not exist${server.realm && ` in realm ${server.realm}`}`);
  if (rows.length === 1) return ok({ row, realms: realms.filter(({ name }) => name === row.realm) });
  const names = rows.map(({ realm }) => realm).sort();
  return wrongUsage(`${formatKey(key)} is in several realms: choose one with -target-realm: ${names.join(", ")}`);
}

/** Switches of the realm, from the agent or as the aggregator last received them. */
async function findProgram({ row, realms }: Pick<FoundObject, "row" | "realms">, server: ServerClient) {
  if (row.realm !== "") return ok(realms[0]?.toggles && togglesFromProto(realms[0].toggles));
  const info = await server.info();
  return info.ok ? ok(info.value.toggles && togglesFromProto(info.value.toggles)) : info;
}

/** Contact whose mute suppressed the last notification of the object. */
async function findMuted({ realm, notification }: StatusRow, server: ServerClient) {
  const { reason, name } = notification?.because ?? { reason: "", name: "" };
  if (reason !== "contact_off") return ok(undefined);
  const answer = await server.query("listContacts", {});
  if (!answer.ok) return answer;
  return ok(answer.value.contacts.find((contact) => contact.name === name && contact.realm === realm));
}

async function findObject(key: ObjectKey, { server }: CliContext): Promise<Result<FoundObject, CliFailure>> {
  const found = await findRow(key, server);
  if (!found.ok) return found;
  const { row, realms } = found.value;
  const [notifications, program, muted] = await Promise.all([
    server.query("listHistory", {
      object: objectKeyToProto(key),
      realm: row.realm,
      types: [...notificationTypes],
      pageSize: recordCount,
    }),
    findProgram(found.value, server),
    findMuted(row, server),
  ]);
  if (!notifications.ok) return notifications;
  if (!program.ok) return program;
  if (!muted.ok) return muted;
  return ok({
    ...{ row, realms, notifications: notifications.value.records, program: program.value },
    muted: muted.value,
  });
}

/** Sentences on the object, and on the mute behind the last decision. */
function explain(found: FoundObject, screen: Screen): readonly string[] {
  const mute = found.muted && muteText(found.muted, screen);
  return [...explainObject(found, screen), ...(mute === undefined ? [] : [`${capital(mute)}.`])];
}

function formatExplanation(found: FoundObject, screen: Screen): string {
  const sentences = explain(found, screen).map(printableText);
  const table =
    found.notifications.length === 0
      ? "history has no record of a notification"
      : formatTable(historyTableColumns(screen, found.notifications), found.notifications, screen);
  return [...sentences, ...realmNotes(found.realms, screen), "", table].join("\n");
}

export const explainCliCommand = cliCommand({
  path: "explain",
  args: ["OBJECT"],
  summary: "Explain the state of an object and its notifications: queued, delivered, failing, or suppressed and why.",
  flags: {},
  async run({ args: [object = ""], context }) {
    const key = readObject(object);
    if (!key.ok) return wrongUsage(key.error);
    const found = await findObject(key.value, context);
    if (!found.ok) return found;
    const { row, notifications } = found.value;
    const plain: Screen = { columns: undefined, colours: false, nowMs: context.clock.now(), zone: context.zone };
    return ok({
      json: {
        row: toJson(StatusRowSchema, create(StatusRowSchema, row)),
        explanation: explain(found.value, plain),
        records: notifications.map((record) => toJson(HistoryRecordSchema, record)),
      },
      text: (screen) => formatExplanation(found.value, screen),
      ids: [refText(row.object)],
    });
  },
});
