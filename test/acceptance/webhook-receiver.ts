import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";

/** Notification in the body of a webhook; only the fields that scenarios use. */
export type NotificationJson = {
  readonly id: string;
  readonly kind: string;
  readonly object: { readonly kind: string; readonly host?: string; readonly name: string };
  readonly status: string;
  readonly previousStatus: string;
  readonly output: string;
  readonly problemId: string;
  readonly level: number;
  readonly number: number;
  readonly author: string;
  readonly comment: string;
  /** Page of the object; its host is that of the sender's `-public-url`. */
  readonly url: string;
  readonly possibleDuplicate?: boolean;
};

/** Webhook call that was answered with 200; a digest has several notifications. */
export type DeliveredMessage = {
  /** Time of arrival, ms on the clock of `performance.now()`. */
  readonly atMs: number;
  readonly contact: string;
  /** Value of the `Idempotency-Key` header. */
  readonly key: string;
  readonly id: string;
  /** True with the header of a possible duplicate. */
  readonly isMarked: boolean;
  readonly notifications: readonly NotificationJson[];
};

/**
 * Behaviour of a contact's webhook. `ok`, `trickle` and `flood` accept the message with 200; `trickle` then sends a byte
 * every 100 ms, `flood` as many as it can, without end. `hang` never responds, `reset` drops the connection. A number is
 * the status of the response; 429 has `Retry-After: 1`.
 */
export type WebhookBehaviour = "ok" | "trickle" | "flood" | "hang" | "reset" | number;

export type WebhookReceiver = {
  /** Base URL: messages for contact `ann` are posted to `${url}/ann`. */
  readonly url: string;
  readonly delivered: readonly DeliveredMessage[];
  /** Number of requests for a contact, with any response. */
  attempts(contact: string): number;
  setBehaviour(contact: string, behaviour: WebhookBehaviour): void;
};

/** Starts a webhook receiver on a free port, for any number of contacts. */
export async function startWebhookReceiver(scope: TestScope): Promise<WebhookReceiver> {
  const delivered: DeliveredMessage[] = [];
  const behaviours = new Map<string, WebhookBehaviour>();
  const attempts = new Map<string, number>();
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const contact = (request.url ?? "").slice(1);
    const chunks: Buffer[] = [];
    request.on("error", () => {});
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      attempts.set(contact, (attempts.get(contact) ?? 0) + 1);
      const behaviour = behaviours.get(contact) ?? "ok";
      if (behaviour === "ok" || behaviour === "trickle" || behaviour === "flood") {
        const { id, notifications } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
        const key = String(request.headers["idempotency-key"]);
        const isMarked = request.headers["x-realmwatch-possible-duplicate"] === "1";
        delivered.push({ atMs: performance.now(), contact, key, id, isMarked, notifications });
      }
      respond(response, behaviour);
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
  });
  atEnd(scope, async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    delivered,
    attempts: (contact) => attempts.get(contact) ?? 0,
    setBehaviour: (contact, behaviour) => void behaviours.set(contact, behaviour),
  };
}

function respond(response: ServerResponse, behaviour: WebhookBehaviour): void {
  response.on("error", () => {});
  switch (behaviour) {
    case "ok":
      return void response.end("ok");
    case "hang":
      return;
    case "reset":
      return void response.socket?.resetAndDestroy();
    case "trickle":
      return writeEndlessly(response, "x", 100);
    case "flood":
      return writeEndlessly(response, "x".repeat(65_536), 0);
    default:
      response.writeHead(behaviour, behaviour === 429 ? { "retry-after": "1" } : {}).end();
  }
}

function writeEndlessly(response: ServerResponse, text: string, pauseMs: number): void {
  const writeMore = (): void => {
    if (response.destroyed) return;
    const more = response.write(text);
    if (more) setTimeout(writeMore, pauseMs);
    else response.once("drain", writeMore);
  };
  writeMore();
}
