import type { SnmpSpec } from "@realmwatch/shared/config/check-kinds/snmp";
import { outcome } from "@realmwatch/shared/model/outcome";
import { formatDuration } from "@realmwatch/shared/text/duration";
import { describeErrorCode } from "../../platform/network/describe-error.ts";
import type { SnmpFailure } from "../../platform/snmp/snmp-request.ts";
import type { ActiveCheckType, CheckContext, CheckDependencies, CheckOutcome } from "../check-type.ts";
import { formatHostPort, type HostPort, resolveInTime } from "../connect/connect-host.ts";
import { parseOid, parseSnmpAddress } from "../connect/snmp-address.ts";
import { judgeSnmpMeasurement } from "../judge/judge-snmp-value.ts";
import { toSnmpMeasurement } from "../judge/snmp-measurement.ts";

/** Reads one value of an SNMP agent and judges it. A value that cannot be read is unknown, not critical. */
export const snmpCheckType: ActiveCheckType<SnmpSpec> = {
  type: "snmp",
  // Enforced here, so that the output can describe the failure.
  onTimeout: "own",
  async run(spec, context, dependencies, signal) {
    const target = parseSnmpAddress(spec.address);
    if (target === undefined)
      return outcome("unknown", `address ${JSON.stringify(spec.address)} is neither host nor host:port`);
    const oid = parseOid(spec.oid);
    if (oid === undefined)
      return outcome("unknown", `oid ${JSON.stringify(spec.oid)} is not numeric, as .1.3.6.1.2.1.1.3.0 is`);
    return read(spec, { ...target, oid }, context, { dependencies, signal });
  },
};

type Target = HostPort & { readonly oid: string };
type ReadOptions = { readonly dependencies: CheckDependencies; readonly signal: AbortSignal };

async function read(
  spec: SnmpSpec,
  target: Target,
  { timeoutMs }: CheckContext,
  { dependencies, signal }: ReadOptions,
): Promise<CheckOutcome> {
  const timed = { type: "snmp", status: "unknown", timeoutMs } as const;
  const resolved = await resolveInTime(target.host, timed, dependencies, signal);
  if (!resolved.ok) return resolved.error;
  const { address, leftMs } = resolved.value;
  const request = { address, port: target.port, oid: target.oid, access: spec.access, timeoutMs: leftMs };
  const answer = await dependencies.snmp.get(request, signal);
  if (answer.ok) return judgeSnmpMeasurement(spec, toSnmpMeasurement(answer.value));
  const failed = outcome("unknown", describeFailure(answer.error, { spec, at: formatHostPort(target), timeoutMs }));
  return answer.error.kind === "no_answer" ? { ...failed, timedOut: true } : failed;
}

type FailureContext = { readonly spec: SnmpSpec; readonly at: string; readonly timeoutMs: number };

/** Describes a failure without any secret, even a wrong one. */
function describeFailure({ kind, detail }: SnmpFailure, context: FailureContext): string {
  const { spec, at } = context;
  return `${at}: ${sentences[kind](context, detail)}`.replaceAll("OID", spec.oid);
}

const sentences: Readonly<Record<SnmpFailure["kind"], (context: FailureContext, detail: string) => string>> = {
  no_answer: ({ spec, timeoutMs }) => {
    const guess = spec.access.version === "v2c" ? " (agents do not answer a wrong community)" : "";
    return `no answer within ${formatDuration(timeoutMs)}${guess}`;
  },
  malformed: () => "the response is malformed",
  wrong_answer: () => "the response does not match the request",
  no_slot: ({ timeoutMs }) => `not sent within ${formatDuration(timeoutMs)}: other requests to it are unanswered`,
  no_such_object: () => "there is no object OID",
  no_such_instance: () => "there is no instance OID",
  end_of_mib: () => "OID is after the end of the MIB",
  unknown_user: ({ spec }) =>
    `the agent does not know the user${spec.access.version === "v3" ? ` ${spec.access.user}` : ""}`,
  wrong_digest: () => "authentication failed: auth_pass or auth_proto is wrong",
  unsupported_level: () => "the agent refuses this user with this auth_proto and priv_proto",
  not_decrypted: () => "decryption failed: priv_pass or priv_proto is wrong",
  not_in_time: () => "the agent's clock and boot count contradict each other",
  refused: (_, status) => `the agent refused OID: ${status}`,
  not_sent: (_, code) => `the request could not be sent${code === "" ? "" : `: ${describeErrorCode(code)}`}`,
  aborted: () => "interrupted",
};
