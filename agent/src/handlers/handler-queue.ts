import type { HandlerPlan, HostPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import type { Outcome } from "@realmwatch/shared/model/outcome";

/** What happened to an object, and which handlers want to know. */
export type HandlerRequest = {
  readonly plan: HostPlan | ServicePlan;
  readonly host: HostPlan;
  /** Keys of `handlers`, in the order in which they run. */
  readonly names: readonly string[];
  /** Values of the macros that are state, as they were then. */
  readonly macros: Readonly<Record<string, string>>;
};

/** One handler for one order. */
export type HandlerInvocation = Omit<HandlerRequest, "names"> & { readonly handler: HandlerPlan };

export type HandlerQueueOptions = {
  /** As configured now; undefined for a name that is gone. */
  handler(name: string): HandlerPlan | undefined;
  /** Runs one to its end. Never rejects, and always answers after the handler's timeout at the latest. */
  run(order: HandlerInvocation): Promise<Outcome>;
  /** Told once for each handler that was wanted. `output` holds no secret. */
  ended(end: { readonly key: ObjectKey; readonly name: string; readonly output: string }): void;
  /** Most orders that wait for one object, and for all. */
  readonly limits?: { readonly object: number; readonly all: number };
};

/** Orders that wait; beyond it something is so wrong that running handlers late would only make it worse. */
const usualLimits = { object: 100, all: 10_000 };

/** [EH4] Runs event handlers: in order and one at a time for an object, side by side for different ones. */
export function openHandlerQueue(options: HandlerQueueOptions) {
  const { handler, run, ended, limits = usualLimits } = options;
  const lanes = new Map<string, HandlerRequest[]>();
  let waiting = 0;
  let closed = false;

  async function runAll({ names, ...order }: HandlerRequest): Promise<void> {
    const { key } = order.plan;
    for (const name of names) {
      const plan = handler(name);
      if (plan === undefined) ended({ key, name, output: "not run: it is no longer configured" });
      else ended({ key, name, output: outputOf(await run({ ...order, handler: plan })) });
    }
  }

  async function work(ref: string, lane: HandlerRequest[]): Promise<void> {
    for (let next = lane[0]; next !== undefined && !closed; next = lane[0]) {
      await runAll(next);
      lane.shift();
      waiting -= 1;
    }
    lanes.delete(ref);
  }

  function take(order: HandlerRequest): void {
    const { ref, key } = order.plan;
    const lane = lanes.get(ref);
    if (closed || waiting >= limits.all || (lane?.length ?? 0) >= limits.object) {
      for (const name of order.names) ended({ key, name, output: "not run: too many handlers wait" });
      return;
    }
    waiting += 1;
    if (lane !== undefined) return void lane.push(order);
    const fresh = [order];
    lanes.set(ref, fresh);
    void work(ref, fresh);
  }

  return {
    take: (orders: readonly HandlerRequest[]): void => orders.forEach(take),
    /** Orders that wait or run. */
    get waiting(): number {
      return waiting;
    },
    /** Starts nothing more; what runs is for its runner to end. */
    close(): void {
      closed = true;
    },
  };
}

const outputOf = ({ status, output }: Outcome): string => (status === "ok" ? output : `${status}: ${output}`);
