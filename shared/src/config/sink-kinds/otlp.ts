import { cursorField, sinkHeadersField, sinkKind, sinkUrlField } from "./sink-kind.ts";

export const otlpSinkKind = sinkKind({
  summary: "Sends OpenTelemetry data over HTTP.",
  uses: "none",
  fields: { url: sinkUrlField, headers: sinkHeadersField, cursor: cursorField },
  compile: ({ url, headers, cursor }) => ({ url, headers, cursor }),
});
