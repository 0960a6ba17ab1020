import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultTlsPort, splitScheme, startTlsProtocolFor } from "./start-tls.ts";

const rows: readonly [address: string, hostPort: string, port: number, protocol: string | undefined][] = [
  ["web.example", "web.example", 443, undefined],
  ["[::1]:465", "[::1]:465", 465, undefined],
  ["mail.example:25", "mail.example:25", 25, "smtp"],
  ["smtp://mail.example", "mail.example", 25, "smtp"],
  ["smtp://[::1]:2525", "[::1]:2525", 2525, "smtp"],
  ["imap://mail.example:587", "mail.example:587", 587, "imap"],
  ["tls://proxy.example:25", "proxy.example:25", 25, undefined],
  ["tls://web.example", "web.example", 443, undefined],
  ["https://web.example", "https://web.example", 443, undefined],
  ["db.example:5432", "db.example:5432", 5432, "postgres"],
];
for (const [address, hostPort, port, protocol] of rows)
  test(`[NC6] ${address} requests TLS with ${protocol ?? "no protocol"}`, () => {
    const split = splitScheme(address);
    assert.equal(split.hostPort, hostPort);
    const explicitPort = /:(\d+)$/.exec(hostPort)?.[1];
    assert.equal(explicitPort === undefined ? defaultTlsPort(split.scheme) : Number(explicitPort), port);
    assert.equal(startTlsProtocolFor(split.scheme, port), protocol);
  });
