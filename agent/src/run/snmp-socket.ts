import { createSocket, type Socket, type SocketType } from "node:dgram";
import { codeOf } from "./say-error.ts";
import type { SnmpFailureKind } from "./snmp-read.ts";

export type Failed = (kind: SnmpFailureKind, detail?: string) => void;

/** More datagrams than these in answer to one request are an attack or a loop. An honest exchange has four at most. */
const maxDatagrams = 32;
const closed = new WeakSet<Socket>();

/**
 * A socket whose datagrams cannot harm: the library throws at some that only look like SNMP, and it answers a report
 * with another request for as long as reports come.
 */
export function guardedSocket(type: SocketType, failed: Failed): Socket {
  const socket = createSocket(type);
  const listen = socket.on.bind(socket);
  const close = socket.close.bind(socket);
  let received = 0;
  socket.on("error", (error) => failed("not_sent", codeOf(error)));
  socket.on = ((event: string, listener: (...args: unknown[]) => void) =>
    listen(event, event === "message" ? guarded(listener) : listener)) as Socket["on"];
  socket.close = () => {
    if (closed.has(socket)) return socket;
    closed.add(socket);
    return close();
  };
  return socket;

  function guarded(listener: (...args: unknown[]) => void): (...args: unknown[]) => void {
    return (...args) => {
      if (closed.has(socket)) return;
      if (++received > maxDatagrams) return failed("malformed");
      try {
        listener(...args);
      } catch {
        failed("malformed");
      }
    };
  }
}
