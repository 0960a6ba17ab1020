import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { PairService } from "@realmwatch/proto/svc/v1/pair_pb";
import type { SendFrame } from "./link-sessions.ts";

/** Maximum size of an answer, bytes: a group of the journal, whose texts may be escaped twice, with the rows that changed. */
const maxAnswerBytes = 128 * 1024 * 1024;
/** Time without an answer to a ping after which a connection counts as broken, ms. */
const pingTimeoutMs = 2_000;

type PeerClientOptions = {
  /** URL of the other member's port. */
  readonly url: string;
  /** PEM of the authorities that its certificate may come from; undefined for those of the system. */
  readonly authorities: string | undefined;
};

/** Client of the other member's port, over one HTTP/2 connection that is made anew when it breaks. */
export function openPeerClient({ url, authorities }: PeerClientOptions): { readonly send: SendFrame; close(): void } {
  const sessions = new Http2SessionManager(
    url,
    { pingIntervalMs: 5_000, pingTimeoutMs, idleConnectionTimeoutMs: 60_000 },
    authorities === undefined ? {} : { ca: authorities },
  );
  const transport = createConnectTransport({
    ...{ baseUrl: url, httpVersion: "2", useBinaryFormat: true, readMaxBytes: maxAnswerBytes },
    sessionManager: sessions,
  });
  const client = createClient(PairService, transport);
  return {
    async send(frame, timeoutMs, signal) {
      try {
        return (await client.follow({ frame }, { timeoutMs: Math.ceil(timeoutMs), ...(signal && { signal }) })).frame;
      } catch (thrown) {
        throw new Error(describe(ConnectError.from(thrown)));
      }
    },
    close: () => sessions.abort(),
  };
}

function describe(error: ConnectError): string {
  if (error.code === Code.Unimplemented) return "the other member runs without -pair";
  const cause = error.cause instanceof Error ? error.cause.message : "";
  return cause === "" || error.rawMessage.includes(cause) ? error.rawMessage : `${error.rawMessage}: ${cause}`;
}
