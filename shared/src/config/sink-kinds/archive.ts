import { eventSinkKind, fileSizeField, type SinkUrls, sinkUrlField } from "./sink-kind.ts";

/** URLs of archives that are not on the agent's machine. */
const remoteArchive = /^(?:https?|s3|s3\+https?):/i;

const archiveUrls: SinkUrls = {
  problemOf(text) {
    const url = URL.parse(text);
    const isFolder = url?.protocol === "file:" && url.host === "";
    const isBucket = url?.protocol === "s3:" && url.host !== "";
    return isFolder || isBucket ? "" : "is neither file:///folder nor s3://bucket/prefix: nothing is archived";
  },
  isLocal: (url) => !remoteArchive.test(url),
};

export const archiveSinkKind = eventSinkKind({
  summary: "Writes events to segments of a bounded size, in a folder or an object store.",
  uses: "none",
  urls: archiveUrls,
  fields: { url: sinkUrlField, segment_bytes: fileSizeField("Size at which a segment is closed, bytes.") },
  compile: ({ url, segment_bytes: segmentBytes }) => ({ url, segmentBytes }),
});
