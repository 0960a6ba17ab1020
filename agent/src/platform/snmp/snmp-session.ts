import type { SocketType } from "node:dgram";
import { isIPv6 } from "node:net";
import { fail, type Result } from "@realmwatch/shared/model/result";
import type { SnmpAccess } from "@realmwatch/shared/model/snmp-access";
import netSnmp from "net-snmp";
import { errorCodeOf } from "../network/describe-error.ts";
import { authNumbers, privNumbers } from "./snmp-ciphers.ts";
import type { SnmpFailure, SnmpFailureKind, SnmpRequest, SnmpValue } from "./snmp-request.ts";
import { openGuardedSocket, type SnmpSocketFailed } from "./snmp-socket.ts";
import { parseVarbind, type Varbind } from "./snmp-value.ts";

/** Latest time at which an unanswered request is repeated, ms; a third of its timeout if that is less. */
const resendAfterMs = 2_000;

/** Session fields with the state of an agent's engine; a session that starts with them needs no discovery. */
const engineFields = [
  "msgSecurityParameters",
  "engineTimeBoots",
  "engineTimeBase",
  "engineTimeReceivedAt",
  "latestReceivedEngineTime",
] as const;
type EngineTime = { readonly [F in Exclude<(typeof engineFields)[number], "msgSecurityParameters">]?: unknown };
export type SnmpEngine = EngineTime & {
  readonly msgSecurityParameters: {
    readonly msgAuthoritativeEngineID: Buffer;
    readonly msgAuthoritativeEngineBoots: number;
    readonly msgAuthoritativeEngineTime: number;
  };
};

type Message = {
  hasAuthentication(): number | undefined;
  hasPrivacy(): number | undefined;
  readonly msgSecurityParameters?: { readonly msgUserName?: string };
};
/** The library's session with members that its typings lack. */
type Session = Partial<SnmpEngine> & {
  get(oids: string[], done: (error: Error | null, varbinds?: readonly Varbind[]) => void): void;
  on(event: "error", listener: (error: unknown) => void): void;
  close(): void;
  onSimpleGetResponse(request: { responseCb(error: Error): void }, message: Message): void;
};

type SnmpExchange = {
  readonly answer: Result<SnmpValue, SnmpFailure>;
  /** Discovered engine; SNMPv3 only. */
  readonly engine: SnmpEngine | undefined;
};

/** Sends a request over a new socket, and repeats it once without a response. Has no deadline: the caller aborts. */
export function exchangeSnmp(
  request: SnmpRequest,
  engine: SnmpEngine | undefined,
  signal: AbortSignal,
): Promise<SnmpExchange> {
  return new Promise((resolve) => {
    let malformed = false;
    const session = openSession(request, failed);
    if (engine !== undefined) Object.assign(session, copyEngine(engine));
    session.on("error", () => {
      malformed = true;
    });
    signal.addEventListener("abort", aborted, { once: true });
    if (signal.aborted) return aborted();
    session.get([request.oid], (error, varbinds) => {
      settle(error === null ? readAnswer(varbinds ?? [], request.oid) : fail(failureOf(error)));
    });

    function aborted(): void {
      settle(fail({ kind: malformed ? "malformed" : "no_answer", detail: "" }));
    }
    function failed(kind: SnmpFailureKind, detail = ""): void {
      settle(fail({ kind, detail }));
    }
    function settle(answer: SnmpExchange["answer"]): void {
      signal.removeEventListener("abort", aborted);
      resolve({ answer, engine: engineOf(session) });
      session.close();
    }
  });
}

function openSession({ address, port, access, timeoutMs }: SnmpRequest, failed: SnmpSocketFailed): Session {
  const timeout = Math.max(1, Math.min(resendAfterMs, timeoutMs / 3));
  const options = {
    port,
    transport: isIPv6(address) ? ("udp6" as const) : ("udp4" as const),
    timeout,
    retries: 1,
    // The second wait is longer than the remaining time, so that the caller's deadline ends it.
    backoff: Math.max(1, timeoutMs / timeout),
    dgramModule: { createSocket: (type: SocketType) => openGuardedSocket(type, failed) },
  };
  if (access.version === "v2c") {
    const { Version2c: version } = netSnmp;
    return netSnmp.createSession(address, access.community, { ...options, version }) as unknown as Session;
  }
  const session = netSnmp.createV3Session(address, userOf(access), options) as unknown as Session;
  demandProtection(session, access);
  return session;
}

type User = Extract<SnmpAccess, { version: "v3" }>;

function userOf({ user, authProto, authPass, privProto, privPass }: User): netSnmp.User {
  const level = authProto === "" ? 1 : privProto === "" ? 2 : 3;
  return {
    name: user,
    level,
    ...(level > 1 ? { authProtocol: authNumbers[authProto], authKey: authPass } : {}),
    ...(level > 2 ? { privProtocol: privNumbers[privProto], privKey: privPass } : {}),
  };
}

/** Rejects responses without the requested protection: the library accepts a forged one without a digest. */
function demandProtection(session: Session, { user, authProto, privProto }: User): void {
  const accept = session.onSimpleGetResponse;
  // Declared as a variable for the garbage collector: see `openGuardedSocket`.
  const acceptProtected: typeof accept = (request, message) => {
    const isProtected =
      (authProto === "" || message.hasAuthentication()) &&
      (authProto === "" || privProto === "" || message.hasPrivacy()) &&
      message.msgSecurityParameters?.msgUserName === user;
    if (isProtected) accept(request, message);
    else request.responseCb(new Unprotected());
  };
  session.onSimpleGetResponse = acceptProtected;
}

class Unprotected extends Error {}

/** Copies an engine, because sessions modify theirs, and its id, which is a view of a whole datagram. */
function copyEngine({ msgSecurityParameters: of, ...time }: SnmpEngine): SnmpEngine {
  const id = Buffer.from(of.msgAuthoritativeEngineID);
  return { ...time, msgSecurityParameters: { ...of, msgAuthoritativeEngineID: id } };
}

function engineOf(session: Session): SnmpEngine | undefined {
  const { msgSecurityParameters } = session;
  if (msgSecurityParameters === undefined) return undefined;
  const time: EngineTime = Object.fromEntries(engineFields.map((name) => [name, session[name]]));
  return copyEngine({ ...time, msgSecurityParameters });
}

function readAnswer(varbinds: readonly Varbind[], oid: string): Result<SnmpValue, SnmpFailure> {
  const [only] = varbinds;
  if (only === undefined || varbinds.length !== 1 || only.oid !== oid)
    return fail({ kind: "wrong_answer", detail: "" });
  return parseVarbind(only);
}

/** Failure kinds by the library's message for an RFC 3414 report, which is all that it passes on. */
const reports: readonly [start: string, kind: SnmpFailureKind][] = [
  ["Unsupported Security Level", "unsupported_level"],
  ["Not In Time Window", "not_in_time"],
  ["Unknown User Name", "unknown_user"],
  ["Unknown Engine ID", "wrong_answer"],
  ["Wrong Digest", "wrong_digest"],
  ["Decryption Error", "not_decrypted"],
  ["Authentication digest", "wrong_digest"],
];

/** Converts a library error. Its message is dropped, because it can quote communities and digests. */
function failureOf(error: Error): SnmpFailure {
  const { ECouldNotDecrypt } = netSnmp.ResponseInvalidCode;
  if (error instanceof Unprotected) return { kind: "wrong_answer", detail: "" };
  if (error.name === "RequestTimedOutError") return { kind: "no_answer", detail: "" };
  if (error.name === "RequestFailedError") return { kind: "refused", detail: /^\w+/.exec(error.message)?.[0] ?? "" };
  if (error.name !== "ResponseInvalidError")
    return { kind: "not_sent", detail: "code" in error ? errorCodeOf(error) : "" };
  const { code } = error as netSnmp.ResponseInvalidError;
  if (code === ECouldNotDecrypt) return { kind: "not_decrypted", detail: "" };
  if (code === notInTimeWindow) return { kind: "not_in_time", detail: "" };
  const report = reports.find(([start]) => error.message.startsWith(start));
  return { kind: report?.[1] ?? "wrong_answer", detail: "" };
}

/** `ENotInTimeWindow`, which the typings lack. */
const notInTimeWindow = 14;
