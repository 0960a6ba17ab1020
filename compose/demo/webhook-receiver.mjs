// Receiver of the demo's webhook contact `desk`: stores each delivery and prints a line for each notification.
// Usage: node webhook-receiver.mjs FOLDER PORT
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";

const [folder, port] = process.argv.slice(2);
const inbox = join(folder, "notifications.log");
const pages = join(folder, "pages.log");

const nameOf = ({ kind, host, name }) => (kind === "service" ? `${host}!${name}` : name);

/** Line such as `fra  PROBLEM        web-2!http is CRITICAL: HTTP 503 (notification 2, level 0)`. */
function lineOf(realm, { kind, object, status, output, level, number, author, comment }) {
  const what = { ACKNOWLEDGEMENT: `${author}: ${comment}`, CUSTOM: `${author}: ${comment}` }[kind] ?? output;
  const again = kind === "PROBLEM" && number > 1 ? ` (notification ${number}, level ${level})` : "";
  return `${realm}  ${kind.padEnd(14)} ${nameOf(object)} is ${status}: ${what}${again}`;
}

/** Stores one delivery and prints its notifications; a digest has several. */
function store(text) {
  appendFileSync(inbox, `${text.replaceAll("\n", " ")}\n`);
  const { realm, notifications } = JSON.parse(text);
  for (const notification of notifications) console.log(lineOf(realm, notification));
}

createServer(async (request, response) => {
  try {
    store(await readText(request));
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(400).end(`${error.message}\n`);
  }
}).listen(Number(port), "127.0.0.1");

let printed = 0;
/** Prints the lines that page.sh, the demo's pager program, has written since the last call. */
function followPages() {
  if (!existsSync(pages)) return;
  const lines = readFileSync(pages, "utf8").split("\n").slice(0, -1);
  for (const line of lines.slice(printed)) console.log(`pager: ${line}`);
  printed = lines.length;
}
setInterval(followPages, 500);
