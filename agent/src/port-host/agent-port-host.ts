import type { Catalog } from "@realmwatch/shared/model/catalog";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { ThreadClient } from "@realmwatch/shared/platform/process/thread-client";
import { refusedDispatch } from "@realmwatch/shared/platform/rpc/dispatched-rpc";
import { type PortAddress, PortHost } from "@realmwatch/shared/port-host/port-host";
import { RowFeed } from "@realmwatch/shared/port-host/row-feed";
import type { RowChange } from "@realmwatch/shared/row/row";
import { encodeChanges, type SentChange } from "@realmwatch/shared/row/sent-change";
import type { EngineFunctions, PortFunctions, PortPlan, PortStart } from "../port/port-contract.ts";
import { portModule } from "../port/port-module.ts";
import { metadataOmitter } from "./omit-metadata.ts";

/** Rows and catalog of the realm that an agent runs. */
type ServedRealm = {
  /** Epoch of its rows: rows of earlier ones are not its own. */
  epoch(): number;
  allRows(): Iterable<RowChange>;
  catalog(): Catalog;
};

/** The agent that a port serves. */
export type ServedAgent = {
  readonly start: Omit<PortStart, "plan" | "generation">;
  /** Unique id of this start of the agent. */
  readonly generation: string;
  /** Functions of the engine that the port may call. */
  readonly engine: EngineFunctions;
  /** Undefined of a standby: the port goes on with what it has, and with what `showOther` gets. */
  readonly realm: ServedRealm | undefined;
  plan(): PortPlan;
  livenessError(): string | undefined;
};

/** Rows, catalog and plan that another agent of the realm has sent. */
export type OtherAgent = {
  /** Number of the feed that the rows are of. Each feed begins with all rows, with their metadata. */
  readonly feed: number;
  readonly rows: readonly SentChange[];
  /** Undefined when unchanged. */
  readonly catalog: Catalog | undefined;
  /** Undefined when unchanged. */
  readonly plan: PortPlan | undefined;
  /** Set when all rows of the feed have arrived: an epoch that all of them have reached, the same for the whole feed. */
  readonly completeEpoch: number | undefined;
};

type PortThread = ThreadClient<PortFunctions>;

/** Reason for which the port of a standby refuses queries and commands until `showOther` has given it all rows. */
const whyEmpty = "standby: the realm's state has not arrived from the active member yet";

/** Functions of the engine that is served at the time of a call. */
const engineCalls = (current: () => EngineFunctions): EngineFunctions =>
  new Proxy({} as EngineFunctions, { get: (_, name) => Reflect.get(current(), name) });

/** Sends a batch of rows to a reader other than the port; resolves when it has them. */
type RowReader = (changes: readonly SentChange[]) => Promise<unknown>;

/** Runs the agent's port in its thread, and feeds it the realm's rows, catalog and plan. */
export class AgentPortHost {
  readonly #clock: Clock;
  readonly #host: PortHost<PortFunctions>;
  #agent: ServedAgent | undefined;
  #address: Result<PortAddress, string> | undefined;
  #catalogVersion = 0;
  #planVersion = 0;
  #feed: RowFeed | undefined;
  /** Feed of the other member of a pair. */
  #mirror: RowFeed | undefined;
  /**
   * Last feed that was shown, and the thread that shows it: another thread lacks its first rows. The rows of epochs below
   * `completeEpoch` have been dropped.
   */
  #other: { readonly thread: PortThread; readonly feed: number; completeEpoch: number | undefined } | undefined;

  constructor(options: { readonly clock: Clock; readonly log: Pick<Log, "info" | "error"> }) {
    this.#clock = options.clock;
    this.#host = new PortHost(options);
  }

  /** Number of threads that were replaced. */
  get restarts(): number {
    return this.#host.restarts;
  }

  /** Numbers that grow with each change of the catalog and of the plan. */
  get versions(): { readonly catalog: number; readonly plan: number } {
    return { catalog: this.#catalogVersion, plan: this.#planVersion };
  }

  /** Agent that the port serves now. */
  get served(): ServedAgent {
    if (this.#agent === undefined) throw new Error("the port serves no agent yet");
    return this.#agent;
  }

  /**
   * Serves an agent: opens the port, or goes on with the open one, whose functions are those of the agent at once, and its
   * rows, catalog and plan soon. Fails with a sentence of one line.
   */
  async serve(agent: ServedAgent): Promise<Result<PortAddress, string>> {
    this.#endFeeds();
    this.#agent = agent;
    this.#catalogVersion += 1;
    this.#planVersion += 1;
    if (this.#address?.ok !== true) this.#address = await this.#open();
    // Not awaited: a slow port must not delay checks. A thread that ends meanwhile is replaced by one that is fed as a first.
    else if (this.#host.thread !== undefined) this.#feedAgain(this.#host.thread).catch(() => {});
    return this.#address;
  }

  #open(): Promise<Result<PortAddress, string>> {
    return this.#host.open({
      ...{ module: portModule, unaffected: "checks and notifications" },
      engine: engineCalls(() => this.served.engine),
      livenessError: () => this.served.livenessError(),
      startData: ({ number, listenArguments }): PortStart => {
        const { start, generation, plan } = this.served;
        return {
          ...start,
          args: [...start.args, ...listenArguments],
          generation: `${generation}.${number}`,
          plan: plan(),
        };
      },
      feed: (port) => this.#startFeed(port),
      feedEnded: () => {
        this.#feed?.end();
        this.#feed = undefined;
      },
    });
  }

  async #startFeed(port: PortThread): Promise<void> {
    const { realm } = this.served;
    if (realm === undefined) return port.tell("setUnavailable", whyEmpty);
    const omitMetadata = metadataOmitter();
    const feed = new RowFeed({
      clock: this.#clock,
      send: (changes) => port.request("applyRows", encodeChanges(omitMetadata(changes))),
    });
    this.#feed = feed;
    port.tell("setCatalog", realm.catalog());
    return feed.start(realm.allRows());
  }

  async #feedAgain(port: PortThread): Promise<void> {
    const { start, plan, realm } = this.served;
    port.tell("setPreviousInstance", start.instances.previous);
    if (realm === undefined) return;
    port.tell("setPlan", plan());
    // The epoch may be renewed while the rows are sent, which then have this one.
    const epoch = realm.epoch();
    await this.#startFeed(port);
    if (this.served.realm !== realm) return;
    port.tell("dropRowsBelow", epoch);
    port.tell("setUnavailable", "");
  }

  /**
   * Feeds a further reader with all rows and then their changes, in place of the one before, until another agent is
   * served.
   */
  mirrorRows(send: RowReader, allSent: () => void): void {
    this.#mirror?.end();
    const omitMetadata = metadataOmitter();
    const mirror = new RowFeed({ clock: this.#clock, send: (changes) => send(omitMetadata(changes)) });
    this.#mirror = mirror;
    mirror
      .start(this.served.realm?.allRows() ?? [])
      .then(allSent)
      .catch(() => mirror.end());
  }

  /**
   * [PA62] Shows what another agent of the realm has sent. Resolves when it can be read; rejects when a new feed is needed,
   * because the port was started anew or lacks an object that a row without metadata is of.
   */
  async showOther({ feed, rows, catalog, plan, completeEpoch }: OtherAgent): Promise<void> {
    const { thread } = this.#host;
    if (thread === undefined) throw new Error("the port is being started again");
    if (this.#other?.feed !== feed) this.#other = { thread, feed, completeEpoch: undefined };
    const other = this.#other;
    if (other.thread !== thread) throw new Error("the port was started again");
    if (catalog !== undefined) thread.tell("setCatalog", catalog);
    if (plan !== undefined) thread.tell("setPlan", plan);
    if (rows.length > 0) await thread.request("applyRows", encodeChanges(rows));
    if (completeEpoch === undefined || completeEpoch === other.completeEpoch) return;
    other.completeEpoch = completeEpoch;
    thread.tell("dropRowsBelow", completeEpoch);
    thread.tell("setUnavailable", "");
  }

  /** Reads history from the journal that has been put in the place of the one before. */
  reopenJournal(): void {
    this.#host.thread?.tell("reopenJournal");
  }

  #endFeeds(): void {
    this.#feed?.end();
    this.#mirror?.end();
    this.#feed = undefined;
    this.#mirror = undefined;
  }

  rowsChanged(changes: readonly RowChange[]): void {
    this.#feed?.changed(changes);
    this.#mirror?.changed(changes);
  }

  /** Resolves once all changes before the call are sent to the port. */
  async flushRows(): Promise<void> {
    await this.#feed?.flush();
  }

  catalogChanged(): void {
    this.#catalogVersion += 1;
    const { realm } = this.#agent ?? {};
    if (realm !== undefined) this.#host.thread?.tell("setCatalog", realm.catalog());
  }

  planChanged(): void {
    this.#planVersion += 1;
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
