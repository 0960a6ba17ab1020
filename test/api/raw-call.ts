import { type ClientHttp2Session, connect } from "node:http2";

export const wireProtocols = ["json", "proto", "grpc", "grpc-web"] as const;
export type WireProtocol = (typeof wireProtocols)[number];

export type RawResponse = {
  /** HTTP status. */
  readonly status: number;
  /** `ok`, the name of a code, or empty. */
  readonly code: string;
  readonly message: string;
  /** `Set-Cookie` headers. */
  readonly setCookies: readonly string[];
};

const contentTypes: Readonly<Record<WireProtocol, string>> = {
  json: "application/json",
  proto: "application/proto",
  grpc: "application/grpc+proto",
  "grpc-web": "application/grpc-web+proto",
};
const grpcCodes = [
  "ok canceled unknown invalid_argument deadline_exceeded not_found already_exists permission_denied",
  "resource_exhausted failed_precondition aborted out_of_range unimplemented internal unavailable data_loss",
  "unauthenticated",
]
  .join(" ")
  .split(" ");

/** Frames a message as gRPC does, with five bytes of header. `declared`: length in the header, which may be wrong. */
export function grpcFrame(message: Uint8Array, flags = 0, declared = message.length): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(declared, 1);
  return Buffer.concat([head, message]);
}

type RawRequest = {
  readonly protocol: WireProtocol;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
  /** Connection for gRPC, of the same server. Default: one of its own for the call. */
  readonly session?: ClientHttp2Session;
};

/** Sends bytes unchanged, for requests that no regular client would send. */
export async function callRaw(
  base: string,
  path: string,
  { protocol, body, headers = {}, session }: RawRequest,
): Promise<RawResponse> {
  const sent = { "content-type": contentTypes[protocol], ...headers };
  if (protocol === "grpc")
    return session === undefined
      ? callGrpcOnce(base, path, { ...sent, te: "trailers" }, body)
      : callGrpc(session, path, { ...sent, te: "trailers" }, body);
  const response = await fetch(base + path, { method: "POST", headers: sent, body });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (protocol === "grpc-web") return readGrpcWeb(response, bytes);
  const setCookies = response.headers.getSetCookie();
  if (response.ok) return { status: response.status, code: "ok", message: "", setCookies };
  const isJson = response.headers.get("content-type") === "application/json";
  const { code = "", message = "" } = isJson ? JSON.parse(bytes.toString()) : {};
  return { status: response.status, code, message, setCookies };
}

function readGrpcWeb(response: Response, bytes: Buffer): RawResponse {
  let trailers = new Map<string, string>([...response.headers]);
  for (let at = 0; at + 5 <= bytes.length; at += 5 + bytes.readUInt32BE(at + 1)) {
    if ((bytes[at] ?? 0) < 0x80) continue;
    const text = bytes.subarray(at + 5, at + 5 + bytes.readUInt32BE(at + 1)).toString();
    trailers = new Map(text.split("\r\n").map((line) => line.split(/:\s*/, 2) as [string, string]));
  }
  const setCookies = response.headers.getSetCookie();
  return answerOf(response.status, trailers.get("grpc-status"), trailers.get("grpc-message"), setCookies);
}

async function callGrpcOnce(base: string, path: string, headers: Record<string, string>, body: Uint8Array) {
  const session = connect(base);
  const failed = new Promise<never>((_, reject) => session.on("error", reject));
  try {
    return await Promise.race([failed, callGrpc(session, path, headers, body)]);
  } finally {
    session.close();
  }
}

function callGrpc(
  session: ClientHttp2Session,
  path: string,
  headers: Record<string, string>,
  body: Uint8Array,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":method": "POST", ":path": path, ...headers });
    let last: Record<string, unknown> = {};
    let status = 0;
    const take = (head: Record<string, unknown>): void => {
      last = { ...last, ...head };
    };
    stream.on("response", (head) => {
      status = Number(head[":status"]);
      take(head);
    });
    stream.on("trailers", take);
    stream.on("error", reject);
    stream.on("close", () => {
      const setCookies = (last["set-cookie"] as string[] | undefined) ?? [];
      resolve(answerOf(status, last["grpc-status"] as string, last["grpc-message"] as string, setCookies));
    });
    stream.resume();
    stream.end(body);
  });
}

const answerOf = (
  status: number,
  code: string | undefined,
  message: string | undefined,
  setCookies: readonly string[],
): RawResponse => ({
  status,
  setCookies,
  code: code === undefined ? "" : (grpcCodes[Number(code)] ?? code),
  message: decodeURIComponent(message ?? ""),
});
