import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import type { AgentPortHost } from "../../port-host/agent-port-host.ts";
import { isForwarded } from "../standby-engine.ts";
import type { EngineCall } from "./follow-messages.ts";

type OwnEngineOptions = {
  readonly clock: Clock;
  readonly port: Pick<AgentPortHost, "served">;
  /** True while this member is active, also while its agent is starting or ending. */
  isActive(): boolean;
  /** Resolves when the agent of this member runs, or could not be started. */
  started(): Promise<unknown>;
};

/** Answer to an `EngineCall`. `executed`: false when this member is not active or has no agent, so that nothing was done. */
export type EngineAnswer = { readonly executed: boolean; readonly result?: unknown };

/** Engine of the agent that runs in this member while it is active. */
export class OwnEngine {
  readonly #options: OwnEngineOptions;

  constructor(options: OwnEngineOptions) {
    this.#options = options;
  }

  /** [PA61] Calls the engine, after at most `waitMs` in which the agent starts. Rejects as the called function does. */
  async call({ name, args }: Pick<EngineCall, "name" | "args">, waitMs: number): Promise<EngineAnswer> {
    const { clock, port, isActive, started } = this.#options;
    if (!isActive() || !isForwarded(name)) return { executed: false };
    if (port.served.realm === undefined) {
      const ended = new AbortController();
      await Promise.race([started(), sleep(clock, waitMs, ended.signal)]);
      ended.abort();
    }
    const { realm, engine } = port.served;
    // The parts stay for the standby when the agent has ended; its engine does not.
    if (!isActive() || realm === undefined) return { executed: false };
    const call = engine[name] as (...given: readonly unknown[]) => unknown;
    return { executed: true, result: await call(...args) };
  }
}
