import { duration, integer, nonZeroDuration } from "../parser/numbers.ts";
import type { ParserOutput } from "../parser/parser.ts";
import { nonEmptyString, picklist, string } from "../parser/scalars.ts";
import { type Fields, required, variant, withDefault } from "../parser/structs.ts";
import { flapParser } from "./flap.ts";
import { programVariants } from "./program.ts";
import { snmpVariant } from "./snmp.ts";

const schedule = {
  check_interval: withDefault(nonZeroDuration, 60_000, { help: "How often the object is looked at.", example: "5m" }),
  retry_interval: withDefault(nonZeroDuration, 15_000, {
    help: "How soon again while a problem is soft.",
    example: "30s",
  }),
  timeout: withDefault(nonZeroDuration, 10_000, {
    help: "When to give up. Means nothing for `passive`.",
    example: "20s",
  }),
  max_attempts: withDefault(integer({ min: 1 }), 3, {
    help: "How many bad results in a row make a problem hard; 1: the first one does.",
    example: 5,
  }),
  flap: required(flapParser, { help: "Flap detection; `{}` for the defaults." }),
  check_period: withDefault(string, "", {
    help: "When checks run; empty: always.",
    example: "office-hours",
    constraint: "a key of `timeperiods`",
  }),
};

/** A type with the schedule beside its own fields. */
const scheduled = <F extends Fields>({ summary, fields }: { readonly summary: string; readonly fields: F }) => ({
  summary,
  fields: { ...fields, ...schedule },
});

const endpoint = "`host:port` or `[v6]:port`";

export const checkParser = variant(
  "check",
  {
    command: scheduled(programVariants.command),
    dns: scheduled({
      summary: "Asks a name server for the A and AAAA records of a name; any address is ok.",
      fields: {
        server: required(nonEmptyString, { help: "The name server.", example: "192.0.2.53:53", constraint: endpoint }),
        name: required(nonEmptyString, { help: "The name to resolve.", example: "www.example.org" }),
      },
    }),
    http: scheduled({
      summary: "Fetches a URL, following at most 5 redirects: 4xx is a warning, 5xx and no answer are critical.",
      fields: { url: required(nonEmptyString, { help: "What to fetch.", example: "https://www.example.org/health" }) },
    }),
    icmp: scheduled({
      summary: "Sends 5 echo requests: some lost is a warning, all lost is critical.",
      fields: { host: required(nonEmptyString, { help: "Name or address.", example: "192.0.2.1" }) },
    }),
    legacy: scheduled(programVariants.legacy),
    passive: scheduled({
      summary: "Runs nothing: results are submitted over the API. Silence is a problem of its own.",
      fields: {
        freshness_threshold: required(nonZeroDuration, { help: "Longer silence is stale.", example: "26h" }),
        stale_status: withDefault(picklist(["UNKNOWN", "WARNING", "CRITICAL"]), "UNKNOWN", {
          help: "The status of a stale object.",
          example: "CRITICAL",
        }),
      },
    }),
    snmp: scheduled(snmpVariant),
    tcp: scheduled({
      summary: "Opens a TCP connection.",
      fields: {
        address: required(nonEmptyString, { help: "Where to.", example: "192.0.2.10:22", constraint: endpoint }),
      },
    }),
    tls: scheduled({
      summary: "Verifies the certificates of a TLS server, and that none of them expires soon.",
      fields: {
        address: required(nonEmptyString, {
          help: "The server.",
          example: "www.example.org:443",
          constraint: `${endpoint}; a host alone means port 443. Ports 21, 25, 110, 143, 389, 587 and 5432 are asked for TLS in their protocol; another port is with \`ftp://\`, \`imap://\`, \`ldap://\`, \`pop3://\`, \`postgres://\` or \`smtp://\` before it, and \`tls://\` asks nowhere`,
        }),
        warn_within: withDefault(duration, 1_209_600_000, {
          help: "A certificate that ends within this is a warning.",
          example: "720h",
        }),
        crit_within: withDefault(duration, 259_200_000, {
          help: "A certificate that ends within this is critical.",
          example: "168h",
          constraint: "sensibly at most `warn_within`",
        }),
      },
    }),
    wasm: scheduled(programVariants.wasm),
  },
  {
    title: "Check",
    intro: `How an object is looked at, and how often. \`type\` says what is done; each type has fields of its own beside the
schedule that all of them share. What times out is critical, save for \`snmp\` and programs, where it is unknown.`,
    example: `hosts: web1: {
	address: "192.0.2.10"
	check: {type: "icmp", host: "192.0.2.10", flap: {}}
	services: {
		http: check: {type: "http", url: "https://192.0.2.10/health", check_interval: "30s", flap: {}}
		cert: check: {type: "tls", address: "www.example.org", warn_within: "720h", check_interval: "1h", flap: {}}
		disk: check: {type: "legacy", path: "/usr/lib/nagios/plugins/check_disk", args: ["-w", "10%", "-c", "5%"], flap: {}}
		load: check: {type: "snmp", address: "192.0.2.10", oid: ".1.3.6.1.4.1.2021.10.1.3.1", community: "public", warn: "5", crit: "10", flap: {}}
		backup: check: {type: "passive", freshness_threshold: "26h", stale_status: "CRITICAL", flap: {}}
	}
}`,
  },
);
export type CheckDocument = NonNullable<ParserOutput<typeof checkParser>>;
