import { createSocket, type Socket, type SocketType } from "node:dgram";
import { errorCodeOf } from "../network/describe-error.ts";
import type { SnmpFailureKind } from "./snmp-request.ts";

export type SnmpSocketFailed = (kind: SnmpFailureKind, detail?: string) => void;

/** Maximum datagrams per request; more indicate an attack or a loop. A valid exchange has at most four. */
const maxDatagrams = 32;

/**
 * Opens a socket that protects the library: it throws for some malformed messages, and it answers each report with
 * another request.
 */
export function openGuardedSocket(type: SocketType, failed: SnmpSocketFailed): Socket {
  const socket = createSocket(type);
  const listen = socket.on.bind(socket);
  const close = socket.close.bind(socket);
  let received = 0;
  let closed = false;
  socket.on("error", (error) => failed("not_sent", errorCodeOf(error)));
  // Named functions: V8 allocates a function expression assigned to `socket.on` in the old generation, where it would
  // retain the request until the next full garbage collection.
  socket.on = on as Socket["on"];
  socket.close = closeOnce;
  return socket;

  function on(event: string, listener: (...args: unknown[]) => void): Socket {
    return listen(event, event === "message" ? guarded(listener) : listener);
  }

  function closeOnce(): Socket {
    if (closed) return socket;
    closed = true;
    return close();
  }

  function guarded(listener: (...args: unknown[]) => void): (...args: unknown[]) => void {
    return (...args) => {
      if (closed) return;
      if (++received > maxDatagrams) return failed("malformed");
      try {
        listener(...args);
      } catch {
        failed("malformed");
      }
    };
  }
}
