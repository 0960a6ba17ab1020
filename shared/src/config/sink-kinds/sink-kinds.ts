import type { VariantOutput, VariantPlan } from "../parser/structs.ts";
import { archiveSinkKind } from "./archive.ts";
import { columnarDbSinkKind } from "./columnar-db.ts";
import { execSinkKind } from "./exec.ts";
import { fileSinkKind } from "./file.ts";
import { httpSinkKind } from "./http.ts";
import { otlpSinkKind } from "./otlp.ts";
import { remoteWriteSinkKind } from "./remote-write.ts";
import { type SinkUrls, webUrls } from "./sink-kind.ts";

/** Every sink type by the name that a document gives as `type`. Schema, reference and plans follow from this map. */
export const sinkKinds = {
  columnar_db: columnarDbSinkKind,
  remote_write: remoteWriteSinkKind,
  archive: archiveSinkKind,
  http: httpSinkKind,
  exec: execSinkKind,
  file: fileSinkKind,
  otlp: otlpSinkKind,
};

/** Sink as the document has it. */
export type SinkDocument = VariantOutput<typeof sinkKinds>;
/** Part of a sink's plan that depends on its type. */
export type SinkKindPlan = VariantPlan<typeof sinkKinds>;

/** URLs that a sink takes. */
export const urlsOfSink = (type: keyof typeof sinkKinds): SinkUrls => sinkKinds[type].urls ?? webUrls;
