import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parseFlags } from "@realmwatch/shared/platform/flags/flags";
import { agentFlags } from "../flags.ts";
import { checkPairFlags } from "./pair-flags.ts";

const folder = mkdtempSync(join(tmpdir(), "realmwatch-pair-flags-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const [secret, short] = [join(folder, "secret"), join(folder, "short")];
writeFileSync(secret, `${"s".repeat(32)}\n`);
writeFileSync(short, "too short\n");

/** One line that refuses the arguments; empty when they are accepted. */
function refusalOf(args: readonly string[]): string {
  const parsed = parseFlags(agentFlags, { args, env: {}, commands: {} });
  if (!parsed.ok) return parsed.error.kind === "usage" ? parsed.error.message : parsed.error.kind;
  const checked = checkPairFlags(parsed.value.values);
  return checked.ok ? "" : checked.error;
}

const [name, peer] = ["-pair=fra-a", "-pair-peer=https://fra-b:8080"];
const [file, nats] = [`-pair-secret-file=${secret}`, "-nats-url=nats://127.0.0.1"];
const pair = [name, peer, file, nats];

const rows: readonly (readonly [args: readonly string[], refusal: RegExp])[] = [
  [[], /^$/],
  [pair, /^$/],
  [[...pair, "-pair-lease=3s", "-pair-on-lost-lease=page", "-pair-tls-ca=/ca.pem"], /^$/],
  [[...pair, "-pair-lease=5m"], /^$/],
  [[name, file, nats], /^-pair needs -pair-peer: /],
  [[name, peer, nats], /^-pair needs -pair-secret-file: /],
  [[name, peer, file], /^-pair needs -nats-url: /],
  [[...pair, "-worker"], /^-pair and -worker are both given/],
  [[name, peer, nats, `-pair-secret-file=${short}`], /^-pair-secret-file: the value is shorter than 32 bytes$/],
  [[name, peer, nats, "-pair-secret-file=/nowhere"], /^-pair-secret-file: file "\/nowhere" cannot be read/],
  [[...pair, "-pair-lease=2s"], /^-pair-lease: "2s" must be from 3s to 5m$/],
  [[...pair, "-pair-lease=301s"], /must be from 3s to 5m$/],
  [[...pair, "-pair-on-lost-lease=shout"], /^-pair-on-lost-lease: "shout" is not one of hold, page$/],
  [["-pair=fra a", peer, file, nats], /^-pair: "fra a" must be letters, digits/],
  [["-pair=-x", peer, file, nats], /^-pair: "-x" must be letters, digits/],
  [[name, "-pair-peer=fra-b:8080", file, nats], /is not an http or https URL$/],
  [[name, "-pair-peer=https://fra-b:8080/?x=1", file, nats], /^-pair-peer has a query/],
  [[name, "-pair-peer=https://u:p@fra-b:8080", file, nats], /^-pair-peer has a login/],
  [[name, "-pair-peer=http://fra-b:8080", file, nats], /^-pair-peer is an http URL of another machine/],
  [[name, "-pair-peer=http://fra-b:8080", file, nats, "-insecure-pair"], /^$/],
  [[name, "-pair-peer=http://127.0.0.1:8081", file, nats], /^$/],
  [[name, "-pair-peer=http://[::1]:8081", file, nats], /^$/],
  [[name, "-pair-peer=http://localhost:8081", file, nats], /^$/],
  [[name, "-pair-peer=http://127.0.0.1.example.org", file, nats], /^-pair-peer is an http URL/],
  [[name, "-pair-peer=http://[::1]:8081", file, nats, "-pair-tls-ca=/ca.pem"], /^-pair-tls-ca is given, but/],
  [[peer], /^-pair-peer needs -pair: /],
  [[file], /^-pair-secret needs -pair: /],
  [["-pair-tls-ca=/ca.pem"], /^-pair-tls-ca needs -pair: /],
  [["-pair-lease=10s"], /^-pair-lease needs -pair: /],
  [["-pair-on-lost-lease=page"], /^-pair-on-lost-lease needs -pair: /],
  [["-insecure-pair"], /^-insecure-pair needs -pair: /],
];
for (const [args, refusal] of rows)
  test(`[PA24] ${args.join(" ").replaceAll(folder, "")} is ${refusal.source === "^$" ? "accepted" : "refused"}`, () =>
    assert.match(refusalOf(args), refusal));
