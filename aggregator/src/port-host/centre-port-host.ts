import { randomBytes } from "node:crypto";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Result } from "@realmwatch/shared/model/result";
import { resolvedArguments } from "@realmwatch/shared/platform/flags/flags";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { type PortAddress, PortHost } from "@realmwatch/shared/port-host/port-host";
import type { Centre } from "../centre/centre.ts";
import type { AggregatorFlags } from "../flags.ts";
import { forwardedCalls } from "../forward/forwarded-calls.ts";
import type { CentreFunctions, CentrePortFunctions, CentrePortStart } from "../port/centre-contract.ts";
import { centrePortModule } from "../port/centre-port-module.ts";
import type { FedModels } from "./fed-models.ts";

/** The aggregator that a port serves. */
type ServedCentre = Pick<CentrePortStart, "auth"> & {
  readonly flags: AggregatorFlags;
  readonly centre: Centre;
  /** Returns the identity of the centre; empty while it is unknown. */
  readonly identity: () => string;
  /** Functions that the port may call, beside those of the centre. */
  readonly engine: Pick<CentreFunctions, "recordAudit" | "auditRecords" | "renderMetrics" | "dependencies">;
};

/** Runs the aggregator's port in its thread, and feeds it rows and the state of the centre. */
export class CentrePortHost {
  readonly #host: PortHost<CentrePortFunctions>;
  readonly #clock: Clock;
  readonly #fed: FedModels;
  readonly #log: Pick<Log, "error">;
  readonly #processKey = randomBytes(32);
  readonly #instance: string;

  constructor(options: { readonly clock: Clock; readonly log: Pick<Log, "info" | "error">; readonly fed: FedModels }) {
    this.#host = new PortHost(options);
    this.#fed = options.fed;
    this.#log = options.log;
    this.#clock = options.clock;
    this.#instance = idGenerator(options.clock)();
  }

  /** Number of threads that were replaced. */
  get restarts(): number {
    return this.#host.restarts;
  }

  /** Opens the port. Fails with a sentence of one line. */
  open({ flags, auth, centre, identity, engine }: ServedCentre): Promise<Result<PortAddress, string>> {
    const [fed, log] = [this.#fed, this.#log];
    const functions: CentreFunctions = {
      ...engine,
      ...forwardedCalls(centre.forwarder, this.#clock),
      wantState: () =>
        void fed
          .sendState(centre.state)
          .catch((err: unknown) => log.error({ err }, "the state of the realms cannot be sent to the port")),
      historyDamaged: centre.repairHistory,
    };
    return this.#host.open({
      ...{ module: centrePortModule, unaffected: "ingest and heartbeats", engine: functions },
      livenessError: () => undefined,
      startData: ({ listenArguments }): CentrePortStart => ({
        args: [...resolvedArguments(flags), ...listenArguments],
        ...{ auth, processKey: this.#processKey, instance: this.#instance },
      }),
      async feed(port) {
        port.tell("setCentre", identity());
        port.tell("setForwardedRealms", centre.forwardedRealms());
        fed.attach(port);
        centre.fill();
      },
      feedEnded() {},
    });
  }

  realmsChanged(realms: readonly string[]): void {
    this.#host.thread?.tell("setForwardedRealms", realms);
  }

  centreChanged(identity: string): void {
    this.#host.thread?.tell("setCentre", identity);
  }

  reloadCertificate(): void {
    this.#host.reloadCertificate();
  }

  /** Closes the port; requests have `graceMs` to end. */
  close(graceMs: number): Promise<void> {
    return this.#host.close(graceMs);
  }
}
