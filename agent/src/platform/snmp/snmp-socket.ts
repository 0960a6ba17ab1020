import { createSocket, type Socket, type SocketType } from "node:dgram";
import { errorCodeOf } from "../network/describe-error.ts";
import type { SnmpFailureKind } from "./snmp-request.ts";

export type SnmpSocketFailed = (kind: SnmpFailureKind, detail?: string) => void;

/** More datagrams than these in answer to one request are an attack or a loop. An honest exchange has four at most. */
const maxDatagrams = 32;

/**
 * A socket whose datagrams cannot harm: the library throws at some that only look like SNMP, and it answers a report
 * with another request for as long as reports come.
 */
export function openGuardedSocket(type: SocketType, failed: SnmpSocketFailed): Socket {
  const socket = createSocket(type);
  const listen = socket.on.bind(socket);
  const close = socket.close.bind(socket);
  let received = 0;
  let closed = false;
  socket.on("error", (error) => failed("not_sent", errorCodeOf(error)));
  // Functions with names: V8 makes one that stands right behind `socket.on =` an old object at birth, and all that it
  // knows of the request would stay until the next full garbage collection.
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
