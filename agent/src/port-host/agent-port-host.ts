import type { Catalog } from "@realmwatch/shared/model/catalog";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { refusedDispatch } from "@realmwatch/shared/platform/rpc/dispatched-rpc";
import { type PortAddress, PortHost } from "@realmwatch/shared/port-host/port-host";
import { RowFeed } from "@realmwatch/shared/port-host/row-feed";
import type { RowChange } from "@realmwatch/shared/row/row";
import type { EngineFunctions, PortFunctions, PortPlan, PortStart } from "../port/port-contract.ts";
import { portModule } from "../port/port-module.ts";

/** The agent that a port serves. */
export type ServedAgent = {
  readonly start: Omit<PortStart, "plan" | "generation">;
  /** Unique id of this start of the agent. */
  readonly generation: string;
  /** Functions of the engine that the port may call. */
  readonly engine: EngineFunctions;
  allRows(): Iterable<RowChange>;
  catalog(): Catalog;
  plan(): PortPlan;
  livenessError(): string | undefined;
};

/** Runs the agent's port in its thread, and feeds it the realm's rows, catalog and plan. */
export class AgentPortHost {
  readonly #clock: Clock;
  readonly #host: PortHost<PortFunctions>;
  #agent: ServedAgent | undefined;
  #feed: RowFeed | undefined;

  constructor(options: { readonly clock: Clock; readonly log: Pick<Log, "info" | "error"> }) {
    this.#clock = options.clock;
    this.#host = new PortHost(options);
  }

  /** Number of threads that were replaced. */
  get restarts(): number {
    return this.#host.restarts;
  }

  /** Opens the port. Fails with a sentence of one line. */
  open(agent: ServedAgent): Promise<Result<PortAddress, string>> {
    this.#agent = agent;
    const { start, generation, engine, livenessError, plan } = agent;
    return this.#host.open({
      ...{ module: portModule, unaffected: "checks and notifications", engine, livenessError },
      startData: ({ number, listenArguments }): PortStart => ({
        ...start,
        args: [...start.args, ...listenArguments],
        generation: `${generation}.${number}`,
        plan: plan(),
      }),
      feed: (port) => {
        const feed = new RowFeed({
          clock: this.#clock,
          omitsMetadata: true,
          send: (changes) => port.request("applyRows", changes),
        });
        this.#feed = feed;
        port.tell("setCatalog", agent.catalog());
        return feed.start(agent.allRows());
      },
      feedEnded: () => {
        this.#feed?.end();
        this.#feed = undefined;
      },
    });
  }

  rowsChanged(changes: readonly RowChange[]): void {
    this.#feed?.changed(changes);
  }

  /** Resolves once all changes before the call are sent to the port. */
  async flushRows(): Promise<void> {
    await this.#feed?.flush();
  }

  catalogChanged(): void {
    if (this.#agent !== undefined) this.#host.thread?.tell("setCatalog", this.#agent.catalog());
  }

  planChanged(): void {
    if (this.#agent !== undefined) this.#host.thread?.tell("setPlan", this.#agent.plan());
  }

  reloadCertificate(): void {
    this.#host.reloadCertificate();
  }

  readonly dispatch: PortFunctions["dispatch"] = async (call) => {
    const { thread } = this.#host;
    if (thread === undefined) return refusedDispatch("unavailable", "the port is being started again");
    try {
      return await thread.request("dispatch", call);
    } catch (error) {
      return refusedDispatch("unavailable", errorText(error));
    }
  };

  /** Closes the port; requests have `graceMs` to end. */
  close(graceMs: number): Promise<void> {
    return this.#host.close(graceMs);
  }
}
