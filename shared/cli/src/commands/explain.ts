import { create, toJson } from "@bufbuild/protobuf";
import {
  type HistoryRecord,
  HistoryRecordSchema,
  HistoryType,
  type ListStatusResponse,
  type StatusRow,
  StatusRowSchema,
} from "@realmwatch/proto/svc/v1/query_pb";
import { type ObjectKey, showKey } from "@realmwatch/shared/model/object-key";
import { ok, type Result } from "@realmwatch/shared/model/result";
import type { ProgramToggles } from "@realmwatch/shared/model/toggles";
import { objectRefOf } from "@realmwatch/shared/wire/fields/object-ref";
import { togglesOf } from "@realmwatch/shared/wire/toggles";
import { cliCommand, type Desk } from "../cli-command.ts";
import { explainObject } from "../explain-object.ts";
import { type Failure, misuse, problem } from "../failure.ts";
import { plainText } from "../plain-text.ts";
import { readObject } from "../read-target.ts";
import type { Server } from "../server.ts";
import { refText } from "../show-object.ts";
import { type Screen, showTable } from "../table.ts";
import { historyColumns } from "./history.ts";
import { silenceOf } from "./status.ts";

/** Records that say who was told, or why nobody was. */
const tellingTypes = [
  HistoryType.NOTIFICATION,
  HistoryType.NOTIFICATION_FAILED,
  HistoryType.NOTIFICATION_SUPPRESSED,
] as const;
const records = 10;

type Found = {
  readonly row: StatusRow;
  readonly realms: ListStatusResponse["realms"];
  readonly told: readonly HistoryRecord[];
  readonly program: ProgramToggles | undefined;
};

/** The one row of the object; an aggregator may have the name in several realms. */
async function findRow(key: ObjectKey, server: Server): Promise<Result<Pick<Found, "row" | "realms">, Failure>> {
  const answer = await server.query("listStatus", { object: objectRefOf(key), realm: server.realm });
  if (!answer.ok) return answer;
  const { rows, realms } = answer.value;
  const [row] = rows;
  if (row === undefined) return problem(`${showKey(key)} does not exist${server.realm && ` in realm ${server.realm}`}`);
  if (rows.length === 1) return ok({ row, realms: realms.filter(({ name }) => name === row.realm) });
  const names = rows.map(({ realm }) => realm).sort();
  return misuse(`${showKey(key)} is in several realms: choose one with -target-realm, one of ${names.join(", ")}`);
}

/** The realm's switches: an agent's own, or what the aggregator heard last. */
async function findProgram({ row, realms }: Pick<Found, "row" | "realms">, server: Server) {
  if (row.realm !== "") return ok(realms[0]?.toggles && togglesOf(realms[0].toggles));
  const info = await server.info();
  return info.ok ? ok(info.value.toggles && togglesOf(info.value.toggles)) : info;
}

async function find(key: ObjectKey, { server }: Desk): Promise<Result<Found, Failure>> {
  const found = await findRow(key, server);
  if (!found.ok) return found;
  const { row, realms } = found.value;
  const [told, program] = await Promise.all([
    server.query("listHistory", {
      object: objectRefOf(key),
      realm: row.realm,
      types: [...tellingTypes],
      pageSize: records,
    }),
    findProgram(found.value, server),
  ]);
  if (!told.ok) return told;
  if (!program.ok) return program;
  return ok({ row, realms, told: told.value.records, program: program.value });
}

function showFound(found: Found, screen: Screen): string {
  const sentences = explainObject(found, screen).map(plainText);
  const told =
    found.told.length === 0
      ? "history has no record of a notification"
      : showTable(historyColumns(screen, found.told), found.told, screen);
  return [...sentences, ...silenceOf(found.realms, screen), "", told].join("\n");
}

export const explainCommand = cliCommand({
  path: "explain",
  words: ["OBJECT"],
  about: "Say why somebody was, or was not, told of an object.",
  flags: {},
  async run({ words: [object = ""], desk }) {
    const key = readObject(object);
    if (!key.ok) return misuse(key.error);
    const found = await find(key.value, desk);
    if (!found.ok) return found;
    const { row, told } = found.value;
    const plain: Screen = { columns: undefined, colours: false, nowMs: desk.clock.now(), zone: desk.zone };
    return ok({
      json: {
        row: toJson(StatusRowSchema, create(StatusRowSchema, row)),
        explanation: explainObject(found.value, plain),
        records: told.map((record) => toJson(HistoryRecordSchema, record)),
      },
      text: (screen) => showFound(found.value, screen),
      ids: [refText(row.object)],
    });
  },
});
