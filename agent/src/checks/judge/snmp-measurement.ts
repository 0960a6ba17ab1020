import { never } from "@realmwatch/shared/model/never";
import type { SnmpValue } from "../../platform/snmp/snmp-request.ts";

/** SNMP value in the forms used by outputs, `expect`, ranges and performance data. */
export type SnmpMeasurement = {
  /** Number without unit, text, or bytes in hexadecimal. */
  readonly text: string;
  /** Explanation appended to the text; mostly empty. */
  readonly remark: string;
  /** Exact number; `undefined` when the value is not a number. */
  readonly number: bigint | number | undefined;
  readonly isCounter: boolean;
};

const notNumeric = { remark: "", number: undefined, isCounter: false };

export function toSnmpMeasurement(value: SnmpValue): SnmpMeasurement {
  switch (value.kind) {
    case "integer":
    case "gauge":
    case "counter":
      return { ...notNumeric, text: String(value.value), number: value.value, isCounter: value.kind === "counter" };
    case "ticks":
      return { ...notNumeric, text: String(value.value), remark: formatTicks(value.value), number: value.value };
    case "real":
      // Infinity and NaN are valid values, but not comparable with ranges.
      if (!Number.isFinite(value.value)) return { ...notNumeric, text: String(value.value) };
      return { ...notNumeric, text: String(value.value), number: value.value };
    case "bytes": {
      const text = textOf(value.value);
      return { ...notNumeric, text, number: numberIn(text) };
    }
    case "oid":
    case "ip":
      return { ...notNumeric, text: value.value };
    case "null":
      return { ...notNumeric, text: "" };
    default:
      return never(value);
  }
}

/** Formats hundredths of a second as a duration: `3 d 04:05:06.07`. */
function formatTicks(ticks: bigint): string {
  const two = (value: bigint): string => String(value).padStart(2, "0");
  const seconds = ticks / 100n;
  const clock = [(seconds / 3_600n) % 24n, (seconds / 60n) % 60n, seconds % 60n].map(two).join(":");
  return `${seconds / 86_400n} d ${clock}.${two(ticks % 100n)}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters distinguish bytes from text.
const control = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;

/** Text of UTF-8 bytes without control characters; other bytes, such as a MAC address, in the form `00:1a:2b`. */
function textOf(bytes: Uint8Array): string {
  // Some agents include the terminating NUL.
  const end = bytes.length > 1 && bytes.at(-1) === 0 ? -1 : undefined;
  const text = decode(bytes.subarray(0, end));
  if (text !== undefined && !control.test(text)) return text;
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(":");
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Number in a text of at most 64 characters that contains nothing else: `42` is a number, `42 C` is not. */
function numberIn(text: string): bigint | number | undefined {
  const trimmed = text.trim();
  if (trimmed.length > 64) return undefined;
  if (/^[+-]?\d+$/.test(trimmed)) return BigInt(trimmed.replace("+", ""));
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(trimmed)) return undefined;
  return Number.isFinite(Number(trimmed)) ? Number(trimmed) : undefined;
}
