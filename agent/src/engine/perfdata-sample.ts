import type { PerfPoint } from "@realmwatch/shared/model/perfdata";
import type { ObjectMetadata } from "@realmwatch/shared/row/row";

/** Performance data of one accepted check result. */
export type PerfdataSample = {
  readonly about: ObjectMetadata;
  /** Start of the check, Unix ms. */
  readonly atMs: number;
  /** Empty when the previous result had performance data and this one has none, or when the object was removed. */
  readonly perfdata: readonly PerfPoint[];
};
