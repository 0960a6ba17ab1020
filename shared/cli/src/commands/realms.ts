import { create, toJson } from "@bufbuild/protobuf";
import { type Realm, RealmSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { cliCommand } from "../cli-command.ts";
import type { ServerClient } from "../connection/server-client.ts";
import type { CommandFailure } from "../output/command-failure.ts";
import { formatAge } from "../output/format-object.ts";
import { formatTable, type Screen, type TextColumn } from "../output/table.ts";

const columnsFor = (screen: Screen): TextColumn<Realm>[] => [
  { title: "REALM", cell: ({ name }) => name },
  {
    title: "REACHABLE",
    cell: ({ reachable }) => (reachable === true ? { text: "yes", colour: "green" } : { text: "NO", colour: "red" }),
  },
  { title: "HEARD", cell: ({ lastSeen }) => (lastSeen === undefined ? "" : `${formatAge(lastSeen, screen)} ago`) },
  { title: "DESCRIPTION", cell: ({ description }) => description, flexible: true },
];

/** An aggregator's realms; an agent's own, which has just answered. */
async function realmsOf(server: ServerClient): Promise<Result<Realm[], CommandFailure>> {
  const info = await server.info();
  if (!info.ok) return info;
  const { aggregator, realm: name, toggles } = info.value;
  if (aggregator !== true)
    return ok([create(RealmSchema, { name, reachable: true, ...(toggles === undefined ? {} : { toggles }) })]);
  const status = await server.query("listStatus", { pageSize: 1 });
  return status.ok ? ok(status.value.realms) : status;
}

export const realmsCliCommand = cliCommand({
  path: "realms",
  args: [],
  summary: "List the realms that the server knows, and whether they are heard.",
  flags: {},
  async run({ context }) {
    const realms = await realmsOf(context.server);
    if (!realms.ok) return realms;
    return ok({
      json: realms.value.map((realm) => toJson(RealmSchema, realm)),
      text: (screen) => formatTable(columnsFor(screen), realms.value, screen),
      ids: realms.value.map(({ name }) => name),
    });
  },
});
