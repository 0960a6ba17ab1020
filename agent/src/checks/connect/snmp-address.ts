import { isIPv6 } from "node:net";
import type { HostPort } from "./connect-host.ts";

const defaultPort = 161;

/** Parses `host`, `host:port`, `[v6]:port`, `[v6]` or a bare IPv6 address; `undefined` for other text. */
export function parseSnmpAddress(text: string): HostPort | undefined {
  if (isIPv6(text)) return { host: text, port: defaultPort };
  const [, six, plain, digits] = /^(?:\[([^[\]]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = six ?? plain;
  const port = digits === undefined ? defaultPort : Number(digits);
  if (host === undefined || port < 1 || port > 65_535 || (six !== undefined && !isIPv6(six))) return undefined;
  return { host, port };
}

/** Normalizes a numeric OID by removing its leading dot; `undefined` for names, because there are no MIBs. */
export function parseOid(text: string): string | undefined {
  const numbers = text.startsWith(".") ? text.slice(1) : text;
  if (!/^[0-2](?:\.(?:0|[1-9]\d{0,9})){1,127}$/.test(numbers)) return undefined;
  const [first, second, ...rest] = numbers.split(".").map(Number);
  if (first !== 2 && second !== undefined && second > 39) return undefined;
  // The first two arcs are encoded as one 32-bit number.
  const fits = [...rest, 40 * (first ?? 0) + (second ?? 0)].every((number) => number < 2 ** 32);
  return fits ? numbers : undefined;
}
