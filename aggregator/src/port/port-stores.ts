import type { RevocationExchange } from "@realmwatch/shared/identity/revoked-sessions";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { TextMap, TextStore } from "@realmwatch/shared/platform/text-store";
import type { AggregatorFlags } from "../flags.ts";
import type { AwaitedState } from "./awaited-state.ts";
import type { CentreChannel } from "./centre-contract.ts";
import type { openPortModel } from "./port-models.ts";

/** Stores of the port for history, ended sessions, selections, notes and views: in Redis, or in memory and the data directory. */
export type PortStores = {
  readonly openHistory: Parameters<typeof openPortModel>[1]["openHistory"];
  /** Sessions that ended at other aggregators; undefined without Redis. */
  readonly revocations: RevocationExchange | undefined;
  /** Selections of bulk commands. */
  readonly selections: TextStore;
  /** Notes of the aggregator's own log. */
  readonly notes: TextStore;
  /** Views that were saved at the aggregator. */
  readonly views: TextMap;
  /** Sets the identity of the centre; empty while it is unknown. */
  setCentre(identity: string): void;
  close(): Promise<void>;
};

export type PortStoresOptions = {
  readonly flags: AggregatorFlags;
  readonly clock: Clock;
  readonly engine: CentreChannel;
  readonly present: AwaitedState;
};
