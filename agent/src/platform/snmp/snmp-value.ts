import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import netSnmp from "net-snmp";
import type { SnmpFailure, SnmpFailureKind, SnmpValue } from "./snmp-request.ts";

const { ObjectType } = netSnmp;

/** Variable binding as returned by the library: numbers up to 32 bits, bytes for longer ones. */
export type Varbind = { readonly oid: string; readonly type: number; readonly value: unknown };

const none = (kind: SnmpFailureKind): Result<never, SnmpFailure> => fail({ kind, detail: "" });

/** Converts a variable binding to its value, or to the reason why it has none. */
export function parseVarbind({ type, value }: Varbind): Result<SnmpValue, SnmpFailure> {
  switch (type) {
    case ObjectType.NoSuchObject:
      return none("no_such_object");
    case ObjectType.NoSuchInstance:
      return none("no_such_instance");
    case ObjectType.EndOfMibView:
      return none("end_of_mib");
    case ObjectType.Integer:
      return whole("integer", value);
    case ObjectType.Gauge:
      return whole("gauge", value);
    case ObjectType.TimeTicks:
      return whole("ticks", value);
    case ObjectType.Counter:
      return whole("counter", value);
    case ObjectType.Counter64:
      return value instanceof Uint8Array ? ok({ kind: "counter", value: unsigned(value) }) : none("malformed");
    case ObjectType.OctetString:
      return value instanceof Uint8Array ? ok({ kind: "bytes", value }) : none("malformed");
    case ObjectType.Opaque:
      return value instanceof Uint8Array ? ok(readOpaque(value)) : none("malformed");
    case ObjectType.OID:
      return ok({ kind: "oid", value: String(value) });
    case ObjectType.IpAddress:
      return ok({ kind: "ip", value: String(value) });
    case ObjectType.Null:
      return ok({ kind: "null" });
    default:
      return none("malformed");
  }
}

const whole = (kind: "integer" | "gauge" | "ticks" | "counter", value: unknown): Result<SnmpValue, SnmpFailure> =>
  Number.isSafeInteger(value) ? ok({ kind, value: BigInt(value as number) }) : none("malformed");

/** Unsigned number of at most 64 bits; BER puts a zero byte before a leading 1 bit. */
function unsigned(bytes: Uint8Array): bigint {
  const hex = Buffer.from(bytes).toString("hex");
  return BigInt.asUintN(64, BigInt(`0x${hex || "0"}`));
}

/** Decodes net-snmp's `Opaque` encoding: two tag bytes, a length, the number. Other content is returned as bytes. */
function readOpaque(bytes: Uint8Array): SnmpValue {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isWrapped = bytes.length > 3 && bytes[0] === 0x9f && bytes[2] === bytes.length - 3;
  const [tag, length] = isWrapped ? [bytes[1], bytes[2]] : [];
  if (tag === 0x78 && length === 4) return { kind: "real", value: single(view.getFloat32(3)) };
  if (tag === 0x79 && length === 8) return { kind: "real", value: view.getFloat64(3) };
  if (tag === 0x76 && bytes.length <= 12) return { kind: "counter", value: unsigned(bytes.subarray(3)) };
  if (tag === 0x7b && bytes.length <= 12) return { kind: "gauge", value: unsigned(bytes.subarray(3)) };
  if (tag === 0x7a && bytes.length <= 11) return { kind: "integer", value: signed(bytes.subarray(3)) };
  return { kind: "bytes", value: bytes };
}

const signed = (bytes: Uint8Array): bigint => BigInt.asIntN(bytes.length * 8, unsigned(bytes));

/** Rounds to the precision of a 32-bit float: 0.1 instead of 0.10000000149. */
const single = (value: number): number => Number(value.toPrecision(7));
