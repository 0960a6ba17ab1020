// The desk: takes what contacts deliver, keeps it, and says in one line each who was told what.
// Usage: node desk.mjs FOLDER PORT
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

const [folder, port] = process.argv.slice(2);
const inbox = join(folder, "notifications.log");
const pages = join(folder, "pages.log");

const nameOf = ({ kind, host, name }) => (kind === "service" ? `${host}!${name}` : name);

/** `fra: PROBLEM: web-2!http is CRITICAL: HTTP 503 (message 2 of this problem, level 0)`. */
function lineOf(realm, { kind, object, status, output, level, number, author, comment }) {
  const what = { ACKNOWLEDGEMENT: `${author}: ${comment}`, CUSTOM: `${author}: ${comment}` }[kind] ?? output;
  const again = kind === "PROBLEM" && number > 1 ? ` (message ${number}, level ${level})` : "";
  return `${realm}  ${kind.padEnd(14)} ${nameOf(object)} is ${status}: ${what}${again}`;
}

/** A digest has several notifications. */
function take(text) {
  appendFileSync(inbox, `${text.replaceAll("\n", " ")}\n`);
  const { realm, notifications } = JSON.parse(text);
  for (const notification of notifications) console.log(lineOf(realm, notification));
}

createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    try {
      take(Buffer.concat(parts).toString("utf8"));
      response.writeHead(204).end();
    } catch (error) {
      response.writeHead(400).end(`${error.message}\n`);
    }
  });
}).listen(Number(port), "127.0.0.1");

let told = 0;
/** What page.sh wrote since the last look: whoever is on duty is woken by a program, not by us. */
function followPages() {
  if (!existsSync(pages)) return;
  const lines = readFileSync(pages, "utf8").split("\n").slice(0, -1);
  for (const line of lines.slice(told)) console.log(`the pager rings: ${line}`);
  told = lines.length;
}
setInterval(followPages, 500);
