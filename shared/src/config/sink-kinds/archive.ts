import { eventSinkKind, fileSizeField, sinkUrlField } from "./sink-kind.ts";

export const archiveSinkKind = eventSinkKind({
  summary: "Writes events to segments of a bounded size, in a folder or an object store.",
  uses: "none",
  fields: { url: sinkUrlField, segment_bytes: fileSizeField("Size at which a segment is closed, bytes.") },
  compile: ({ url, segment_bytes: segmentBytes }) => ({ url, segmentBytes }),
});
