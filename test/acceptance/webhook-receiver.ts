import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { TestScope } from "../run/processes.ts";

/** What webhooks say; only what stories look at. */
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
};

/** A message that was answered with 200. */
export type DeliveredMessage = {
  /** ms on the clock of `performance.now()` */
  readonly atMs: number;
  readonly contact: string;
  /** What `Idempotency-Key` said. */
  readonly key: string;
  readonly id: string;
  readonly notifications: readonly NotificationJson[];
};

/**
 * How a contact behaves. `ok`, `trickle` and `flood` take the message with 200, and then say a byte now and then, or as
 * much as they can, for ever. `hang` never answers, `reset` drops the connection; a number is the status it answers, 429
 * with a wish to be left alone for a second.
 */
export type ReceiverBehaviour = "ok" | "trickle" | "flood" | "hang" | "reset" | number;

export type WebhookReceiver = {
  /** Messages for contact `ann` are posted to `${url}/ann`. */
  readonly url: string;
  readonly delivered: readonly DeliveredMessage[];
  /** Requests that came for a contact, however they were answered. */
  attempts(contact: string): number;
  setBehaviour(contact: string, manner: ReceiverBehaviour): void;
};

/** A real receiver of webhooks on a free port, for as many contacts as like. */
export async function startWebhookReceiver(owner: TestScope): Promise<WebhookReceiver> {
  const arrivals: DeliveredMessage[] = [];
  const manners = new Map<string, ReceiverBehaviour>();
  const attempts = new Map<string, number>();
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const contact = (request.url ?? "").slice(1);
    const chunks: Buffer[] = [];
    request.on("error", () => {});
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      attempts.set(contact, (attempts.get(contact) ?? 0) + 1);
      const manner = manners.get(contact) ?? "ok";
      if (manner === "ok" || manner === "trickle" || manner === "flood") {
        const { id, notifications: told } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
        const key = String(request.headers["idempotency-key"]);
        arrivals.push({ atMs: performance.now(), contact, key, id, notifications });
      }
      answer(response, manner);
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
  });
  owner.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    delivered,
    attempts: (contact) => attempts.get(contact) ?? 0,
    setBehaviour: (contact, manner) => void manners.set(contact, manner),
  };
}

function answer(response: ServerResponse, manner: ReceiverBehaviour): void {
  response.on("error", () => {});
  switch (manner) {
    case "ok":
      return void response.end("ok");
    case "hang":
      return;
    case "reset":
      return void response.socket?.resetAndDestroy();
    case "trickle":
      return sayForEver(response, "x", 100);
    case "flood":
      return sayForEver(response, "x".repeat(65_536), 0);
    default:
      response.writeHead(manner, manner === 429 ? { "retry-after": "1" } : {}).end();
  }
}

function sayForEver(response: ServerResponse, text: string, pauseMs: number): void {
  const say = (): void => {
    if (response.destroyed) return;
    const more = response.write(text);
    if (more) setTimeout(say, pauseMs);
    else response.once("drain", say);
  };
  say();
}
