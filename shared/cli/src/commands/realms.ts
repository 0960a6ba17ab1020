import { create, toJson } from "@bufbuild/protobuf";
import { type Realm, RealmSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { cliCommand } from "../cli-command.ts";
import type { ServerClient } from "../connection/server-client.ts";
import type { CliFailure } from "../output/cli-failure.ts";
import { formatAge, formatLabels } from "../output/format-object.ts";
import { freshnessCell, heldRowsText, pairCell } from "../output/format-realm.ts";
import { formatTable, type Screen, type TextColumn } from "../output/table.ts";

const columnsFor = (screen: Screen, realms: readonly Realm[]): TextColumn<Realm>[] => [
  { title: "REALM", cell: ({ name }) => name },
  {
    title: "REACHABLE",
    cell: ({ reachable }) => (reachable === true ? { text: "yes" } : { text: "NO", colour: "red" }),
  },
  { title: "FRESHNESS", cell: freshnessCell },
  { title: "LAST SEEN", cell: ({ lastSeen }) => (lastSeen === undefined ? "" : `${formatAge(lastSeen, screen)} ago`) },
  { title: "ROWS", cell: heldRowsText },
  ...(realms.some(({ pair }) => pair !== undefined) ? [{ title: "PAIR", cell: pairCell, flexible: true }] : []),
  { title: "VERSION", cell: ({ version }) => version },
  { title: "DETAIL", cell: ({ detail }) => detail, flexible: true },
  { title: "LABELS", cell: ({ labels }) => formatLabels(labels), wideOnly: true },
  { title: "DESCRIPTION", cell: ({ description }) => description, flexible: true },
];

/** Realms of an aggregator, or the realm of an agent, which is reachable because it answered. */
async function realmsOf(server: ServerClient): Promise<Result<Realm[], CliFailure>> {
  const info = await server.info();
  if (!info.ok) return info;
  const { aggregator, realm: name, toggles, version } = info.value;
  if (aggregator !== true)
    return ok([create(RealmSchema, { name, reachable: true, version, ...(toggles === undefined ? {} : { toggles }) })]);
  const status = await server.query("listStatus", { pageSize: 1 });
  return status.ok ? ok(status.value.realms) : status;
}

export const realmsCliCommand = cliCommand({
  path: "realms",
  args: [],
  summary: "List the realms of the server, and whether they are reachable and their rows current.",
  flags: {},
  async run({ context }) {
    const realms = await realmsOf(context.server);
    if (!realms.ok) return realms;
    return ok({
      json: realms.value.map((realm) => toJson(RealmSchema, realm)),
      text: (screen) => formatTable(columnsFor(screen, realms.value), realms.value, screen),
      ids: realms.value.map(({ name }) => name),
    });
  },
});
