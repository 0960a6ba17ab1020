// Targets of the demo's checks: real sockets on this machine that fail by the schedule of failure-schedule.mjs.
// Usage: node targets.mjs FOLDER NAME=PORT…
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { isFailing, queueLength } from "./failure-schedule.mjs";

const [folder, ...named] = process.argv.slice(2);
const ports = Object.fromEntries(named.map((word) => word.split("=")).map(([name, port]) => [name, Number(port)]));
const startedMs = Date.now();
const elapsedS = () => (Date.now() - startedMs) / 1000;

/** True when a target is behind the switch while that is down. */
const isBehindFailedSwitch = (name) => name === "shelf" && isFailing("switch", elapsedS());

function greet(socket) {
  socket.on("error", () => undefined);
  socket.end("220 the demo says hello\r\n");
}

/** Answers `/web-2/health` or `/shelf-4/scan`: the first part of the path names the target. */
function answer(request, response) {
  const target = (request.url ?? "").split("/")[1] ?? "";
  const say = (status, what) => response.writeHead(status, { "content-type": "text/plain" }).end(`${target} ${what}\n`);
  if (target.startsWith("web") && isFailing("pool", elapsedS())) say(503, "waits for its database");
  else if (!isFailing(target, elapsedS())) say(200, "is well");
  else if (target.startsWith("shelf")) say(404, "lost its scanner");
  else say(503, "has no free worker");
}

const servers = {
  edge: createServer(greet),
  cache: createServer(greet),
  database: createServer(greet),
  switch: createServer(greet),
  smtp: createServer(greet),
  web: createHttpServer(answer),
  shelf: createHttpServer(answer),
};

/** Opens or closes a listener by the schedule: a closed port looks like a program that has ended. */
function applySchedule(name, server) {
  const shouldListen = !isFailing(name, elapsedS()) && !isBehindFailedSwitch(name);
  if (shouldListen && !server.listening) server.listen(ports[name], "127.0.0.1");
  if (!shouldListen && server.listening) {
    server.close();
    server.closeAllConnections?.();
  }
}

for (const server of Object.values(servers)) server.on("error", (error) => console.error(error.message));
const queue = join(folder, "queue-length");
let flushedAtS = 0;

/** Lets the queue grow until the event handler flush_queue.sh leaves a file that asks to empty it. */
function fillQueue() {
  if (existsSync(`${queue}.flush`)) {
    rmSync(`${queue}.flush`);
    flushedAtS = elapsedS();
  }
  writeFileSync(queue, String(queueLength(elapsedS() - flushedAtS)));
}

const update = () => {
  for (const [name, server] of Object.entries(servers)) applySchedule(name, server);
  fillQueue();
};
update();
setInterval(update, 250);
