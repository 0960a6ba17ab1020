import type { StructOutput } from "../parser/structs.ts";
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

type SinkType = keyof typeof sinkKinds;

/** Sink as the document has it. */
export type SinkDocument = {
  [T in SinkType]: StructOutput<(typeof sinkKinds)[T]["fields"]> & { readonly type: T };
}[SinkType];

/** Part of a sink's plan that depends on its type. */
export type SinkKindPlan = {
  [T in SinkType]: Readonly<ReturnType<(typeof sinkKinds)[T]["compile"]>> & { readonly type: T };
}[SinkType];

/** URLs that a sink takes. */
export const urlsOfSink = (type: SinkType): SinkUrls => {
  const kind: { readonly urls?: SinkUrls } = sinkKinds[type];
  return kind.urls ?? webUrls;
};

/** Compiles the part of a sink's plan that depends on its type. */
export function compileSinkKind(sink: SinkDocument): SinkKindPlan {
  // The map pairs each type with its document, which the compiler cannot follow through an index.
  const compile = sinkKinds[sink.type].compile as (sink: SinkDocument) => object;
  return { type: sink.type, ...compile(sink) } as SinkKindPlan;
}
