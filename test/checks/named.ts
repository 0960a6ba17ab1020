import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ipv6SkipReason } from "@realmwatch/shared/platform/testing/ipv6.fixture";
import { type ServerProcess, startServer } from "./server-process.ts";

const addresses = (count: number): string =>
  Array.from({ length: count }, (_, n) => `many IN A 10.0.${n >> 8}.${n & 255}`).join("\n");

const zone = `
$TTL 60
@ IN SOA ns root 1 60 60 60 60
@ IN NS ns
ns IN A 127.0.0.1
four IN A 192.0.2.7
six IN AAAA 2001:db8::7
both IN A 192.0.2.7
both IN AAAA 2001:db8::7
alias IN CNAME both
text IN TXT "no address"
loop1 IN CNAME loop2
loop2 IN CNAME loop1
dangling IN CNAME gone
${addresses(1_000)}
`;

/** Starts BIND on 127.0.0.1 and, where there is IPv6, ::1 with the zones `test` and `sick`; the zone file of the latter is missing. */
export function startNamed(): Promise<ServerProcess> {
  return startServer({
    program: "named",
    prepare(folder, port) {
      writeFileSync(join(folder, "test.zone"), zone);
      writeFileSync(join(folder, "named.conf"), configuration(folder, port));
    },
    argumentsFor: (folder) => ["-f", "-n", "1", "-c", join(folder, "named.conf"), "-L", join(folder, "named.log")],
  });
}

const configuration = (folder: string, port: number): string => `
options {
  directory "${folder}";
  pid-file "${folder}/named.pid";
  session-keyfile "${folder}/session.key";
  listen-on port ${port} { 127.0.0.1; };
  listen-on-v6 port ${port} { ${ipv6SkipReason ? "none" : "::1"}; };
  recursion no;
  dnssec-validation no;
  max-records-per-type 0;
};
controls { };
zone "test" { type primary; file "test.zone"; };
zone "sick" { type primary; file "missing.zone"; };
`;
