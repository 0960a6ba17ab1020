// What the demo watches: real sockets on this machine that fail by themselves, in the rhythm of rhythm.mjs.
// Usage: node targets.mjs FOLDER NAME=PORT…
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { isSick, queueLength } from "./rhythm.mjs";

const [folder, ...named] = process.argv.slice(2);
const ports = Object.fromEntries(named.map((word) => word.split("=")).map(([name, port]) => [name, Number(port)]));
const startedMs = Date.now();
const elapsedS = () => (Date.now() - startedMs) / 1000;

/** Behind a switch that is down nobody answers. */
const isCutOff = (name) => name === "shelf" && isSick("switch", elapsedS());

function greet(socket) {
  socket.on("error", () => undefined);
  socket.end("220 the demo says hello\r\n");
}

/** `/web-2/health`, `/shelf-4/scan`: the first part names who is asked. */
function answer(request, response) {
  const who = (request.url ?? "").split("/")[1] ?? "";
  if (who.startsWith("web") && isSick("pool", elapsedS()))
    return void response.writeHead(503, { "content-type": "text/plain" }).end(`${who} waits for its database\n`);
  const [status, text] = !isSick(who, elapsedS())
    ? [200, `${who} is well\n`]
    : who.startsWith("shelf")
      ? [404, `${who} lost its scanner\n`]
      : [503, `${who} has no free worker\n`];
  response.writeHead(status, { "content-type": "text/plain" }).end(text);
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

/** Opens and closes listeners as the rhythm says: a closed port is what a dead program looks like. */
function follow(name, server) {
  const shouldListen = !isSick(name, elapsedS()) && !isCutOff(name);
  if (shouldListen && !server.listening) server.listen(ports[name], "127.0.0.1");
  if (!shouldListen && server.listening) {
    server.close();
    server.closeAllConnections?.();
  }
}

for (const server of Object.values(servers)) server.on("error", (error) => console.error(error.message));
const queue = join(folder, "queue-length");
let workedOffS = 0;

/** The queue grows until somebody leaves the wish to have it worked off: an event handler does. */
function fillQueue() {
  if (existsSync(`${queue}.flush`)) {
    rmSync(`${queue}.flush`);
    workedOffS = elapsedS();
  }
  writeFileSync(queue, String(queueLength(elapsedS() - workedOffS)));
}

const beat = () => {
  for (const [name, server] of Object.entries(servers)) follow(name, server);
  fillQueue();
};
beat();
setInterval(beat, 250);
