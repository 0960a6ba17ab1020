import type { DescMethodUnary, Message } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, type Result } from "@realmwatch/shared/model/result";
import type { Forwarder } from "./forwarder.ts";
import type { RealmAnswer, RealmCall } from "./realm-call.ts";

/** Call of a realm, as it crosses to the main thread. */
export type ForwardedCall = Pick<RealmCall, "requestId" | "idempotencyKey"> & {
  readonly realm: string;
  /** End of the call on the monotonic clock, which all threads share, ms: the way here takes its time from the call. */
  readonly endMs: number;
  /** Type name of the service, and name of the method. */
  readonly service: string;
  readonly method: string;
  readonly message: Message;
};

/** Error of a call that a realm has refused, or that could not be forwarded. */
export type ForwardError = {
  readonly kind: "rpc_error";
  readonly code: number;
  readonly message: string;
  readonly details: readonly unknown[];
};

type ForwardedAnswer = Result<RealmAnswer, Refusal | ForwardError>;

/** Services of realms to which the port forwards calls. */
const services = [AdminService, CommandService, QueryService];

/** Functions with which another thread forwards calls through this one. */
export function forwardedCalls(forwarder: () => Forwarder, clock: Pick<Clock, "monotonic">) {
  const running = new Map<number, AbortController>();
  return {
    async forward(id: number, { realm, service, method, endMs, ...call }: ForwardedCall): Promise<ForwardedAnswer> {
      const cancel = new AbortController();
      running.set(id, cancel);
      try {
        const timeoutMs = Math.max(0, endMs - clock.monotonic());
        const forwarded = { ...call, method: methodOf(service, method), signal: cancel.signal, timeoutMs };
        const result = await forwarder().forward(realm, forwarded);
        if (result.ok || !(result.error instanceof ConnectError)) return result as ForwardedAnswer;
        const { code, rawMessage: message, details } = result.error;
        return fail({ kind: "rpc_error", code, message, details });
      } finally {
        running.delete(id);
      }
    },
    cancelForward: (id: number): void => running.get(id)?.abort(),
  };
}

function methodOf(service: ForwardedCall["service"], name: ForwardedCall["method"]): DescMethodUnary {
  const method = services.find(({ typeName }) => typeName === service)?.methods.find((each) => each.name === name);
  if (method === undefined) throw new TypeError(`${service} has no method ${name}`);
  return method as DescMethodUnary;
}
