import { never } from "../../model/never.ts";
import { parseThreshold } from "../../text/plugin/threshold.ts";
import type { CheckDocument } from "../schema/check.ts";
import type { CheckSpec, FlapPlan, SchedulePlan, SnmpSpec, TlsSpec } from "../check-spec.ts";
import { checkArguments } from "./compile-commands.ts";
import { type Compiling, need, type Path, report } from "./compile-context.ts";
import type { FlapDocument } from "../schema/flap.ts";
import { defaultTlsPort, splitScheme, startTlsOf } from "../start-tls.ts";

/** Resolves a check; what is wrong with it is reported and left out of the answer. */
export function checkSpecOf(check: CheckDocument, path: Path, c: Compiling): CheckSpec {
  switch (check.type) {
    case "tcp":
      return { type: "tcp", ...endpoint(check.address, [...path, "address"], c) };
    case "http":
      return { type: "http", url: check.url };
    case "dns":
      return { type: "dns", ...endpoint(check.server, [...path, "server"], c), name: check.name };
    case "icmp":
      return { type: "icmp", host: check.host };
    case "tls":
      return tlsSpecOf(check, path, c);
    case "snmp":
      return snmpSpecOf(check, path, c);
    case "legacy":
      return { type: "legacy", path: check.path, args: check.args };
    case "wasm":
      return { type: "wasm", module: check.module, args: check.args };
    case "command":
      need(c, "commands", check.command, [...path, "command"]);
      checkArguments(check.args, [...path, "args"], c);
      return { type: "command", command: check.command, args: check.args };
    case "passive":
      return {
        type: "passive",
        freshnessThresholdMs: check.freshness_threshold,
        staleStatus: staleStatuses[check.stale_status],
      };
    default:
      return never(check);
  }
}

function tlsSpecOf(check: Extract<CheckDocument, { type: "tls" }>, path: Path, c: Compiling): TlsSpec {
  const { scheme, place } = splitScheme(check.address);
  const server = endpoint(place, [...path, "address"], c, defaultTlsPort(scheme));
  const startTls = startTlsOf(scheme, server.port);
  const { warn_within: warnWithinMs, crit_within: critWithinMs } = check;
  return { type: "tls", ...server, ...(startTls === undefined ? {} : { startTls }), warnWithinMs, critWithinMs };
}

const staleStatuses = { UNKNOWN: "unknown", WARNING: "warning", CRITICAL: "critical" } as const;

export function scheduleOf(check: CheckDocument, path: Path, c: Compiling): SchedulePlan {
  need(c, "timeperiods", check.check_period, [...path, "check_period"]);
  return {
    checkIntervalMs: check.check_interval,
    retryIntervalMs: check.retry_interval,
    timeoutMs: check.timeout,
    maxAttempts: check.max_attempts,
    checkPeriod: check.check_period,
  };
}

export function flapPlanOf(flap: FlapDocument, path: Path, c: Compiling): FlapPlan {
  const { low_threshold: lowThreshold, high_threshold: highThreshold } = flap;
  if (lowThreshold > highThreshold) {
    const rivals = [[...path, "high_threshold"]];
    report(c, [...path, "low_threshold"], `must be at most high_threshold: ${lowThreshold} > ${highThreshold}`, {
      rivals,
    });
  }
  const { enabled, alpha, notify_on_flap_stop: notifyOnFlapStop } = flap;
  return { enabled, alpha, lowThreshold, highThreshold, notifyOnFlapStop };
}

/** `host:port` or `[v6]:port`; with a default port also the host alone. An empty text was reported before. */
function endpoint(text: string, path: Path, c: Compiling, defaultPort?: number): { host: string; port: number } {
  const [, six, plain, digits] = /^(?:\[([\da-fA-F:.]+(?:%[\w.-]+)?)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = six ?? plain;
  const port = digits === undefined ? defaultPort : Number(digits);
  if (text === "" || (host !== undefined && port !== undefined && port >= 1 && port <= 65_535))
    return { host: host ?? "", port: port ?? 1 };
  const alone = defaultPort === undefined ? "" : ", or a host alone";
  report(c, path, `must be host:port with a port from 1 to 65535${alone}, not ${JSON.stringify(text)}`);
  return { host: "", port: 1 };
}

type SnmpDocument = Extract<CheckDocument, { type: "snmp" }>;

function snmpSpecOf(check: SnmpDocument, path: Path, c: Compiling): SnmpSpec {
  reportSnmpContradictions(check, path, c);
  for (const name of ["warn", "crit"] as const) {
    const range = check[name] === "" ? undefined : parseThreshold(check[name]);
    if (range?.ok === false) report(c, [...path, name], `is no threshold range: it ${range.error}`);
  }
  const { address, oid, warn, crit, expect, label, uom } = check;
  return { type: "snmp", address, oid, access: accessOf(check), warn, crit, expect, label, uom };
}

function reportSnmpContradictions(check: SnmpDocument, path: Path, c: Compiling): void {
  const at = (name: string): Path => [...path, name];
  if (check.community === undefined && check.user === undefined)
    report(c, path, "needs exactly one of community and user", { at: "struct" });
  if (check.community !== undefined && check.user !== undefined)
    report(c, at("community"), "and user exclude each other", { rivals: [at("user")] });
  if (check.expect !== "" && (check.warn !== "" || check.crit !== "")) {
    const ranges = (["warn", "crit"] as const).filter((name) => check[name] !== "");
    report(c, at("expect"), `and ${ranges.join(" and ")} exclude each other`, { rivals: ranges.map(at) });
  }
  if (check.priv_proto !== "" && check.auth_proto === "" && check.user !== undefined)
    report(c, at("priv_proto"), "needs an auth_proto: there is no privacy without authentication");
}

function accessOf(check: SnmpDocument): SnmpSpec["access"] {
  if (check.user === undefined) return { version: "v2c", community: check.community ?? "" };
  return {
    version: "v3",
    user: check.user,
    authProto: check.auth_proto,
    authPass: check.auth_pass,
    privProto: check.priv_proto,
    privPass: check.priv_pass,
  };
}
