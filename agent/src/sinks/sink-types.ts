import type { SinkPlan } from "@realmwatch/shared/config/plan";
import type { SinkDependencies, SinkWriter, SinkWriterType } from "./sink-type.ts";
import { archiveSinkType } from "./types/archive.ts";
import { columnarDbSinkType } from "./types/columnar-db.ts";
import { execSinkType } from "./types/exec.ts";
import { fileSinkType } from "./types/file.ts";
import { httpSinkType } from "./types/http.ts";
import { otlpSinkType } from "./types/otlp.ts";
import { remoteWriteSinkType } from "./types/remote-write.ts";

/** Every sink type by the name that a document gives as `type`. */
const sinkTypes: { readonly [T in SinkPlan["type"]]: SinkWriterType<T> } = {
  columnar_db: columnarDbSinkType,
  remote_write: remoteWriteSinkType,
  archive: archiveSinkType,
  http: httpSinkType,
  exec: execSinkType,
  file: fileSinkType,
  otlp: otlpSinkType,
};

/** Opens the writer of a sink. */
export function openSinkWriter(plan: SinkPlan, dependencies: SinkDependencies): SinkWriter {
  // The map pairs each type with its plan, which the compiler cannot follow through an index.
  const { open } = sinkTypes[plan.type] as { open: (plan: SinkPlan, dependencies: SinkDependencies) => SinkWriter };
  return open(plan, dependencies);
}

/** Longest time that a sink of this type waits for its receiver, ms; 0 for those that write to this machine. */
export const batchTimeoutMs = (type: SinkPlan["type"]): number => sinkTypes[type].timeoutMs ?? 0;

/** File name of the cursor of a sink below the data directory; undefined when it begins at the end after a restart. */
export function cursorPathOf(plan: SinkPlan): string | undefined {
  if ("cursor" in plan && plan.cursor !== "") return plan.cursor;
  return sinkTypes[plan.type].alwaysResumes === true ? `sinks/${plan.name}.cursor` : undefined;
}
