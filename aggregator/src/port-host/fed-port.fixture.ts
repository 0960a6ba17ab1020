import assert from "node:assert/strict";
import { MessageChannel } from "node:worker_threads";
import { openThreadChannel } from "@realmwatch/shared/platform/process/thread-channel";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { memoryHistory } from "@realmwatch/shared/read-model/history/memory-history";
import type { StatusQuery } from "@realmwatch/shared/read-model/read-model";
import { everyRow } from "@realmwatch/shared/read-model/read-model.fixture";
import { AwaitedState } from "../port/awaited-state.ts";
import type { CentreFunctions, CentrePortFunctions, CentreState } from "../port/centre-contract.ts";
import { gatedReadModel } from "../port/gated-read-model.ts";
import { modelFunctions, openPortModel, type PortModel } from "../port/port-models.ts";
import type { FedModels } from "./fed-models.ts";

const clock = systemClock;
const everyStatus: StatusQuery = { ...everyRow, sort: { by: "name", reverse: false } };

/**
 * Attaches the read models of a port at the other end of a channel, in this thread.
 *
 * @param read returns the state of the centre
 */
export function attachPort(fed: FedModels, read: () => CentreState) {
  const { port1, port2 } = new MessageChannel();
  const functions: Pick<CentreFunctions, "wantState"> = { wantState: () => void fed.sendState(read) };
  const { request, tell } = openThreadChannel<CentrePortFunctions>(port1, () => functions);
  const models = new Map<number, PortModel>();
  const handlers: Partial<CentrePortFunctions> = {
    ...modelFunctions(models, (start) =>
      openPortModel(start, {
        clock,
        openHistory: ({ historyRecords: maxRecords }, findSubject) => memoryHistory({ maxRecords, findSubject }),
      }),
    ),
    setState: (state) => awaited.arrived(state),
  };
  const awaited = new AwaitedState(
    openThreadChannel<CentreFunctions>(port2, () => handlers),
    clock,
  );
  const model = gatedReadModel(awaited, models);
  fed.attach({ request, tell });
  return {
    model,
    close: () => port1.close(),
    /** Numbers of rows that an answer has, and that the state of its first realm says are held. */
    async rows() {
      const answer = await model.status(everyStatus);
      assert.ok(answer.ok, JSON.stringify(answer));
      const { rows, realms } = answer.value;
      return { rows: rows.length, held: realms[0]?.rowsHeld, freshness: realms[0]?.freshness };
    },
    /** Refusal of a query; empty when it is answered. */
    async refusal() {
      const answer = await model.status(everyStatus);
      return answer.ok ? "" : JSON.stringify(answer.error);
    },
  };
}
