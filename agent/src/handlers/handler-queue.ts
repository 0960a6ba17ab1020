import type { HandlerPlan, HostPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import type { Outcome } from "@realmwatch/shared/model/outcome";
import { ObjectQueues } from "../platform/object-queues.ts";
import { cutTimeoutMs, fitsRight, whenRightFits } from "../platform/right/right-gate.ts";
import { type RightToAct, unlimitedRight } from "../platform/right/right-to-act.ts";

/** Event handlers to run for a state change of an object, with the object's state at that time. */
export type HandlerCall = {
  readonly plan: HostPlan | ServicePlan;
  /** The object itself, or the service's host. */
  readonly host: HostPlan;
  /** Names of the handlers, keys of `handlers`: the realm-wide one first, then the object's. */
  readonly names: readonly string[];
  /** Values of the macros that depend on state, by name without dollar signs. */
  readonly macros: Readonly<Record<string, string>>;
};

/** Request in the queue of its object. */
type QueuedRequest = { readonly refs: readonly string[]; readonly request: HandlerCall };

/** One handler of a request. */
type HandlerInvocation = Omit<HandlerCall, "names"> & { readonly handler: HandlerPlan };

type HandlerQueueOptions = {
  /** Default: that of an agent without a pair. */
  readonly right?: RightToAct | undefined;
  /** Current configuration of a handler; undefined when it was removed. */
  handler(name: string): HandlerPlan | undefined;
  /** Runs a handler to its end. Never rejects, and resolves at the latest after the timeout of the handler. */
  run(invocation: HandlerInvocation): Promise<Outcome>;
  /** Called once for each requested handler. `output` contains no secret. */
  ended(end: { readonly key: ObjectKey; readonly name: string; readonly output: string }): void;
  /** Most pending requests of one object, and of all. */
  readonly limits?: { readonly object: number; readonly all: number };
};

/** Default limits of pending requests. Above them handlers would run so late that they could do harm. */
const defaultLimits = { object: 100, all: 10_000 };

/**
 * [EH4] Runs event handlers: those of one object one after the other, those of different objects in parallel. [PA40] A
 * handler begins only while its timeout fits into the right to act, and waits otherwise.
 */
export function openHandlerQueue(options: HandlerQueueOptions) {
  const { handler, run, ended, limits = defaultLimits, right = unlimitedRight } = options;
  const queues = new ObjectQueues<QueuedRequest>();
  const closing = new AbortController();
  const cutToRight = (plan: HandlerPlan): HandlerPlan => ({ ...plan, timeoutMs: cutTimeoutMs(right, plan.timeoutMs) });

  /** Timeout of a handler that must not begin now, ms; undefined for one that may, and for one that was removed. */
  function heldTimeoutMs(name: string): number | undefined {
    const timeoutMs = handler(name)?.timeoutMs;
    return timeoutMs === undefined || closing.signal.aborted || fitsRight(right, timeoutMs) ? undefined : timeoutMs;
  }

  async function runInTurn(item: QueuedRequest): Promise<void> {
    const { names, ...event } = item.request;
    const { key } = event.plan;
    for (const name of names) {
      // The configuration may change while the handler waits.
      for (let heldMs = heldTimeoutMs(name); heldMs !== undefined; heldMs = heldTimeoutMs(name))
        await whenRightFits(right, heldMs, closing.signal);
      if (closing.signal.aborted) return;
      const plan = handler(name);
      if (plan === undefined)
        ended({ key, name, output: "the handler was not run: it was removed from the configuration" });
      else ended({ key, name, output: outputOf(await run({ ...event, handler: cutToRight(plan) })) });
    }
    if (closing.signal.aborted) return;
    for (const next of queues.remove(item)) void runInTurn(next);
  }

  function enqueue(request: HandlerCall): void {
    const { ref, key } = request.plan;
    if (closing.signal.aborted || queues.size >= limits.all || queues.sizeOf(ref) >= limits.object) {
      for (const name of request.names) ended({ key, name, output: "not run: too many handlers wait" });
      return;
    }
    const item = { refs: [ref], request };
    if (queues.add(item)) void runInTurn(item);
  }

  return {
    enqueue: (requests: readonly HandlerCall[]): void => requests.forEach(enqueue),
    /** Number of requests that wait or run. */
    get waiting(): number {
      return queues.size;
    },
    /**
     * [PA46] Starts no further handler. Running handlers are stopped by `run`. Returns the objects whose handlers wait or
     * run: neither a restart nor the other member of a pair runs them, because those that began may have done their work.
     */
    close(): readonly string[] {
      closing.abort();
      return [...new Set([...queues.all()].map(({ request }) => request.plan.ref))];
    },
  };
}

const outputOf = ({ status, output }: Outcome): string => (status === "ok" ? output : `${status}: ${output}`);
