import { never } from "../../model/never.ts";
import type { DocumentPath } from "../../text/document-path.ts";
import { parseThreshold } from "../../text/plugin/threshold.ts";
import type { CheckSpec, FlapPlan, SchedulePlan, SnmpSpec, TlsSpec } from "../check-spec.ts";
import type { CheckDocument } from "../schema/check.ts";
import type { FlapDocument } from "../schema/flap.ts";
import { defaultTlsPort, splitScheme, startTlsProtocolFor } from "../start-tls.ts";
import { validateArguments } from "./compile-commands.ts";
import { type CompileContext, reportProblem, requireDeclared } from "./compile-context.ts";

/** Resolves a check; what is wrong with it is reported and left out of the answer. */
export function compileCheck(check: CheckDocument, path: DocumentPath, c: CompileContext): CheckSpec {
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
      return compileTls(check, path, c);
    case "snmp":
      return compileSnmp(check, path, c);
    case "legacy":
      return { type: "legacy", path: check.path, args: check.args };
    case "wasm":
      return { type: "wasm", module: check.module, args: check.args };
    case "command":
      requireDeclared(c, "commands", check.command, [...path, "command"]);
      validateArguments(check.args, [...path, "args"], c);
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

function compileTls(check: Extract<CheckDocument, { type: "tls" }>, path: DocumentPath, c: CompileContext): TlsSpec {
  const { scheme, place } = splitScheme(check.address);
  const server = endpoint(place, [...path, "address"], c, defaultTlsPort(scheme));
  const startTls = startTlsProtocolFor(scheme, server.port);
  const { warn_within: warnWithinMs, crit_within: critWithinMs } = check;
  return { type: "tls", ...server, ...(startTls === undefined ? {} : { startTls }), warnWithinMs, critWithinMs };
}

const staleStatuses = { UNKNOWN: "unknown", WARNING: "warning", CRITICAL: "critical" } as const;

export function compileSchedule(check: CheckDocument, path: DocumentPath, c: CompileContext): SchedulePlan {
  requireDeclared(c, "timeperiods", check.check_period, [...path, "check_period"]);
  return {
    checkIntervalMs: check.check_interval,
    retryIntervalMs: check.retry_interval,
    timeoutMs: check.timeout,
    maxAttempts: check.max_attempts,
    checkPeriod: check.check_period,
  };
}

export function compileFlap(flap: FlapDocument, path: DocumentPath, c: CompileContext): FlapPlan {
  const { low_threshold: lowThreshold, high_threshold: highThreshold } = flap;
  if (lowThreshold > highThreshold) {
    const conflicts = [[...path, "high_threshold"]];
    reportProblem(c, [...path, "low_threshold"], `must be at most high_threshold: ${lowThreshold} > ${highThreshold}`, {
      conflicts,
    });
  }
  const { enabled, alpha, notify_on_flap_stop: notifyOnFlapStop } = flap;
  return { enabled, alpha, lowThreshold, highThreshold, notifyOnFlapStop };
}

/** `host:port` or `[v6]:port`; with a default port also the host alone. An empty text was reported before. */
function endpoint(
  text: string,
  path: DocumentPath,
  c: CompileContext,
  defaultPort?: number,
): { host: string; port: number } {
  const [, six, plain, digits] = /^(?:\[([\da-fA-F:.]+(?:%[\w.-]+)?)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = six ?? plain;
  const port = digits === undefined ? defaultPort : Number(digits);
  if (text === "" || (host !== undefined && port !== undefined && port >= 1 && port <= 65_535))
    return { host: host ?? "", port: port ?? 1 };
  const alone = defaultPort === undefined ? "" : ", or a host alone";
  reportProblem(c, path, `must be host:port with a port from 1 to 65535${alone}, not ${JSON.stringify(text)}`);
  return { host: "", port: 1 };
}

type SnmpDocument = Extract<CheckDocument, { type: "snmp" }>;

function compileSnmp(check: SnmpDocument, path: DocumentPath, c: CompileContext): SnmpSpec {
  reportSnmpContradictions(check, path, c);
  for (const name of ["warn", "crit"] as const) {
    const range = check[name] === "" ? undefined : parseThreshold(check[name]);
    if (range?.ok === false) reportProblem(c, [...path, name], `is no threshold range: it ${range.error}`);
  }
  const { address, oid, warn, crit, expect, label, uom } = check;
  return { type: "snmp", address, oid, access: snmpAccess(check), warn, crit, expect, label, uom };
}

function reportSnmpContradictions(check: SnmpDocument, path: DocumentPath, c: CompileContext): void {
  const at = (name: string): DocumentPath => [...path, name];
  if (check.community === undefined && check.user === undefined)
    reportProblem(c, path, "needs exactly one of community and user", { at: "struct" });
  if (check.community !== undefined && check.user !== undefined)
    reportProblem(c, at("community"), "and user exclude each other", { conflicts: [at("user")] });
  if (check.expect !== "" && (check.warn !== "" || check.crit !== "")) {
    const ranges = (["warn", "crit"] as const).filter((name) => check[name] !== "");
    reportProblem(c, at("expect"), `and ${ranges.join(" and ")} exclude each other`, { conflicts: ranges.map(at) });
  }
  if (check.priv_proto !== "" && check.auth_proto === "" && check.user !== undefined)
    reportProblem(c, at("priv_proto"), "needs an auth_proto: there is no privacy without authentication");
}

function snmpAccess(check: SnmpDocument): SnmpSpec["access"] {
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
