import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { type Health, HealthCheckResponse_ServingStatus as Status } from "@realmwatch/proto/grpc/health/v1/health_pb";
import { type Clock, sleep } from "../../model/clock.ts";

export type HealthOptions = {
  readonly clock: Clock;
  /** Returns the full names of the services that are served. */
  readonly services: () => readonly string[];
  /** True when the program can do its own duty, as `/readyz` reports. */
  readonly isReady: () => Promise<boolean>;
};

/** Interval at which `Watch` evaluates the status, ms. */
const watchIntervalMs = 1_000;
/** Maximum number of concurrent `Watch` calls. */
const maxWatches = 1_000;

/** [PT2] gRPC's health service: each service that is served, and the empty name, has the program's readiness. */
export function healthService({ clock, services, isReady }: HealthOptions): ServiceImpl<typeof Health> {
  let watches = 0;
  const current = async (): Promise<Status> => ((await isReady()) ? Status.SERVING : Status.NOT_SERVING);
  const isServed = (service: string): boolean => service === "" || services().includes(service);
  return {
    async check({ service }) {
      if (!isServed(service)) throw new ConnectError(`${service.slice(0, 200)} is not served here`, Code.NotFound);
      return { status: await current() };
    },
    async list() {
      const status = await current();
      return { statuses: Object.fromEntries(["", ...services()].map((name) => [name, { status }])) };
    },
    async *watch({ service }, { signal }) {
      if (watches >= maxWatches)
        throw new ConnectError(`more than ${maxWatches} calls watch already`, Code.ResourceExhausted);
      watches += 1;
      try {
        let last: Status | undefined;
        while (!signal.aborted) {
          const status = isServed(service) ? await current() : Status.SERVICE_UNKNOWN;
          if (status !== last) yield { status };
          last = status;
          await sleep(clock, watchIntervalMs, signal);
        }
        throw ConnectError.from(signal.reason, Code.Canceled);
      } finally {
        watches -= 1;
      }
    },
  };
}
