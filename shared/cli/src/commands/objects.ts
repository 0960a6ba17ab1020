import { create, toJson } from "@bufbuild/protobuf";
import { ListObjectsResponseSchema, type ObjectRow } from "@realmwatch/proto/svc/v1/query_pb";
import { ok } from "@realmwatch/shared/model/result";
import { cliCommand } from "../cli-command.ts";
import { readEntries } from "../connection/read-entries.ts";
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

export const objectsCliCommand = cliCommand({
  path: "objects",
  args: ["[SELECTOR]"],
  summary: "List the configured objects with their checks and labels.",
  flags: { realm: { help: "Only this realm.", placeholder: "NAME" } },
  async run({ args: [selector = ""], flags, context }) {
    const { server } = context;
    const request = { selector, realm: flags.realm ?? server.realm, pageSize: 5_000 };
    const read = await readEntries(
      server.url,
      (pageToken) => server.query("listObjects", { ...request, pageToken }),
      (page) => page.rows,
    );
    if (!read.ok) return read;
    const { entries: rows } = read.value;
    return ok({
      json: toJson(ListObjectsResponseSchema, create(ListObjectsResponseSchema, { rows })),
      list: "rows",
      text: (screen) => (rows.length === 0 ? "no objects" : formatTable(columnsFor(rows), rows, screen)),
      ids: rows.map(({ object }) => refText(object)),
    });
  },
});
