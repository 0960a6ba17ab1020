import { cursorField, sinkHeadersField, sinkKind, sinkUrlField } from "./sink-kind.ts";

export const httpSinkKind = sinkKind({
  summary: "Sends HTTP POST requests with JSON.",
  uses: "none",
  fields: { url: sinkUrlField, headers: sinkHeadersField, cursor: cursorField },
  compile: ({ url, headers, cursor }) => ({ url, headers, cursor }),
});
