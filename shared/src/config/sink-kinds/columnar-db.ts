import { sinkKind, sinkUrlField, tableField } from "./sink-kind.ts";

export const columnarDbSinkKind = sinkKind({
  summary: "Inserts rows into a columnar database over HTTP.",
  uses: "none",
  fields: { url: sinkUrlField, table: tableField },
  compile: ({ url, table }) => ({ url, table }),
});
