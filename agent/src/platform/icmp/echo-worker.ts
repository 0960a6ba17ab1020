/**
 * Worker thread that sends echoes and counts replies for its parent thread. While rounds are in progress it waits in
 * poll(2) instead of the event loop, which cannot watch raw sockets; a write to `wakeFd` ends the wait.
 */
import { randomBytes } from "node:crypto";
import { type MessagePort, parentPort, receiveMessageOnPort } from "node:worker_threads";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { openLibc, pollIn } from "../libc/libc.ts";
import { cookieBytes, type EchoAnswer, type EchoSignature } from "./echo-packet.ts";
import type { EchoRoundRequest, EchoRoundResult, FromEchoWorker, ToEchoWorker } from "./echo-protocol.ts";
import { EchoRounds } from "./echo-rounds.ts";
import { type EchoSocket, openEchoSocket } from "./echo-socket.ts";
import { openMessageReceiver } from "./message-receiver.ts";
import { socketAddress } from "./socket-address.ts";

/** Echoes sent before replies are read again. */
const sendBatch = 64;
/** Longest wait, ms: the delay that this thread can add to the exit of the process. */
const maxWaitMs = 100;

type Target = { readonly socket: EchoSocket; readonly to: Buffer };

const port = parentPort as MessagePort;
const libc = openLibc() ?? process.exit();
const wakeFd = libc.eventfd();
const signature: EchoSignature = { identity: randomBytes(2).readUInt16BE(), cookie: randomBytes(cookieBytes) };
const parts = { libc, receive: openMessageReceiver(libc), signature, nextNumber: () => rounds.nextNumber };
let results: [id: number, result: EchoRoundResult][] = [];
const rounds = new EchoRounds<Target>({
  stampMs: libc.wallMs,
  send: ({ socket, to }, number) => socket.send(to, number),
  done: (id, result) => results.push([id, result]),
});
const sockets = { 4: openEchoSocket(4, parts), 6: openEchoSocket(6, parts) };
const open = [sockets[4], sockets[6]].filter((socket) => socket !== undefined);
const fds = [wakeFd, ...open.map(({ fd }) => fd)];
/** One `struct pollfd` per descriptor. */
const watched = new Int32Array(new ArrayBuffer(fds.length * 8));
watched.set(fds.flatMap((fd) => [fd, pollIn]));
const wakeUps = Buffer.allocUnsafeSlow(8);

function start(request: EchoRoundRequest): void {
  const socket = sockets[request.address.includes(":") ? 6 : 4];
  if (socket === undefined) results.push([request.id, { kind: "unavailable" }]);
  else rounds.start(request, { socket, to: socketAddress(request.address) }, systemClock.monotonic());
}

function take(answer: EchoAnswer, stampedMs: number | undefined): void {
  if (answer.kind === "refusal") rounds.refused(answer.number, answer.why);
  else rounds.replied(answer.number, stampedMs ?? libc.wallMs(), systemClock.monotonic());
}

function accept(message: ToEchoWorker): void {
  if (message === "end") process.exit();
  for (const request of message.rounds) start(request);
}

function acceptWaiting(): void {
  libc.read(wakeFd, wakeUps);
  for (;;) {
    const waiting = receiveMessageOnPort(port) as { message: ToEchoWorker } | undefined;
    if (waiting === undefined) return;
    accept(waiting.message);
  }
}

function postResults(): void {
  if (results.length === 0) return;
  port.postMessage({ kind: "results", results } satisfies FromEchoWorker);
  results = [];
}

/** Sends, receives and waits until every round has its result. */
function work(): void {
  for (;;) {
    rounds.step(systemClock.monotonic(), sendBatch);
    for (const socket of open) while (socket.receive(take)) {}
    acceptWaiting();
    postResults();
    if (rounds.size === 0) return;
    const leftMs = Math.ceil(rounds.nextMs - systemClock.monotonic());
    if (leftMs > 0) libc.poll(watched, fds.length, Math.min(leftMs, maxWaitMs));
  }
}

port.on("message", (message: ToEchoWorker) => {
  accept(message);
  work();
});
port.postMessage({ kind: "ready", wakeFd, fds } satisfies FromEchoWorker);
