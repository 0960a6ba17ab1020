import { create, toJson } from "@bufbuild/protobuf";
import { ListObjectsResponseSchema, type ObjectRow } from "@realmwatch/proto/svc/v1/query_pb";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { cliCommand } from "../cli-command.ts";
import type { Failure } from "../failure.ts";
import type { Server } from "../server.ts";
import { refText, statusCell } from "../show-object.ts";
import { type Column, showTable } from "../table.ts";

const showLabels = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([key, value]) => (value === "" ? key : `${key}=${value}`))
    .sort()
    .join(",");

function columnsFor(rows: readonly ObjectRow[]): Column<ObjectRow>[] {
  const realm: Column<ObjectRow> = { title: "REALM", cell: ({ realm }) => realm };
  return [
    ...(rows.some(({ realm }) => realm !== "") ? [realm] : []),
    { title: "OBJECT", cell: ({ object }) => refText(object), flexible: true },
    { title: "CHECK", cell: ({ checkType }) => checkType },
    { title: "STATUS", cell: ({ status }) => statusCell(status) },
    { title: "ZONE", cell: ({ zone }) => zone },
    { title: "PARENTS", cell: ({ parents }) => parents.join(","), flexible: true },
    { title: "LABELS", cell: ({ labels }) => showLabels(labels), flexible: true },
  ];
}

/** Every page, because an operator who asks for the objects means all of them. */
async function listAll(server: Server, request: object): Promise<Result<ObjectRow[], Failure>> {
  const rows: ObjectRow[] = [];
  for (let pageToken = ""; ; ) {
    const page = await server.query("listObjects", { ...request, pageSize: 5_000, pageToken });
    if (!page.ok) return page;
    rows.push(...page.value.rows);
    pageToken = page.value.nextPageToken;
    if (pageToken === "") return ok(rows);
  }
}

export const objectsCommand = cliCommand({
  path: "objects",
  words: ["[SELECTOR]"],
  about: "List the configured objects with their checks and labels.",
  flags: { realm: { help: "Only this realm.", placeholder: "NAME" } },
  async run({ words: [selector = ""], flags, desk }) {
    const rows = await listAll(desk.server, { selector, realm: flags.realm ?? desk.server.realm });
    if (!rows.ok) return rows;
    return ok({
      json: toJson(ListObjectsResponseSchema, create(ListObjectsResponseSchema, { rows: rows.value })),
      text: (screen) =>
        rows.value.length === 0 ? "no objects" : showTable(columnsFor(rows.value), rows.value, screen),
      ids: rows.value.map(({ object }) => refText(object)),
    });
  },
});
