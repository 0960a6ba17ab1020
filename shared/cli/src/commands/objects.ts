import { create, toJson } from "@bufbuild/protobuf";
import { ListObjectsResponseSchema, type ObjectRow } from "@realmwatch/proto/svc/v1/query_pb";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { cliCommand } from "../cli-command.ts";
import { readPages } from "../connection/read-pages.ts";
import type { ServerClient } from "../connection/server-client.ts";
import type { CliFailure } from "../output/cli-failure.ts";
import { formatLabels, refText, statusCell } from "../output/format-object.ts";
import { formatTable, realmColumns, type TextColumn } from "../output/table.ts";

function columnsFor(rows: readonly ObjectRow[]): TextColumn<ObjectRow>[] {
  return [
    ...realmColumns(rows, ({ realm }) => realm),
    { title: "OBJECT", cell: ({ object }) => refText(object), flexible: true },
    { title: "CHECK", cell: ({ checkType }) => checkType },
    { title: "STATUS", cell: ({ status }) => statusCell(status) },
    { title: "ZONE", cell: ({ zone }) => zone },
    { title: "PARENTS", cell: ({ parents }) => parents.join(","), flexible: true },
    { title: "CHECK PERIOD", cell: ({ checkPeriod }) => checkPeriod, wideOnly: true },
    { title: "NOTIFICATION PERIOD", cell: ({ notificationPeriod }) => notificationPeriod, wideOnly: true },
    { title: "RULE", cell: ({ rule }) => rule, wideOnly: true },
    { title: "LABELS", cell: ({ labels }) => formatLabels(labels), flexible: true },
  ];
}

/** Fetches all pages. */
async function listAll(server: ServerClient, request: object): Promise<Result<ObjectRow[], CliFailure>> {
  const rows: ObjectRow[] = [];
  const read = await readPages(server.url, {
    read: (pageToken) => server.query("listObjects", { ...request, pageSize: 5_000, pageToken }),
    take(page) {
      rows.push(...page.rows);
      return true;
    },
  });
  return read.ok ? ok(rows) : read;
}

export const objectsCliCommand = cliCommand({
  path: "objects",
  args: ["[SELECTOR]"],
  summary: "List the configured objects with their checks and labels.",
  flags: { realm: { help: "Only this realm.", placeholder: "NAME" } },
  async run({ args: [selector = ""], flags, context }) {
    const rows = await listAll(context.server, { selector, realm: flags.realm ?? context.server.realm });
    if (!rows.ok) return rows;
    return ok({
      json: toJson(ListObjectsResponseSchema, create(ListObjectsResponseSchema, { rows: rows.value })),
      list: "rows",
      text: (screen) =>
        rows.value.length === 0 ? "no objects" : formatTable(columnsFor(rows.value), rows.value, screen),
      ids: rows.value.map(({ object }) => refText(object)),
    });
  },
});
