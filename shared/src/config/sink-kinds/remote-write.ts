import { cursorField, sinkKind, sinkUrlField } from "./sink-kind.ts";

export const remoteWriteSinkKind = sinkKind({
  summary: "Sends time series to a receiver of Prometheus remote write.",
  uses: "none",
  fields: { url: sinkUrlField, cursor: cursorField },
  compile: ({ url, cursor }) => ({ url, cursor }),
});
