import { LineSplitter } from "@realmwatch/agent/external-commands/line-splitter";
import { parseDateExpression } from "@realmwatch/shared/calendar/date-expression";
import { parseTimeList } from "@realmwatch/shared/calendar/time-list";
import { parseCommandLine } from "@realmwatch/shared/commands/parse-command-line";
import { parseBearerToken } from "@realmwatch/shared/identity/bearer-token";
import { sessionCookies } from "@realmwatch/shared/identity/session-cookie";
import { parseStatic } from "@realmwatch/shared/platform/cue/static/parse-static";
import { hostName, parseAllowedHosts } from "@realmwatch/shared/platform/http/host-header";
import { resolvePeer } from "@realmwatch/shared/platform/http/peer-address";
import { noNetworks, parseNetworkList } from "@realmwatch/shared/platform/network/network-list";
import { decodeToken, parseModelRevision, parseRowPageToken } from "@realmwatch/shared/read-model/page-token";
import { splitAtMacros } from "@realmwatch/shared/text/command/macro";
import { parseDuration } from "@realmwatch/shared/text/duration";
import { parseInstant } from "@realmwatch/shared/text/instant";
import { parsePerfdata } from "@realmwatch/shared/text/plugin/parse-perfdata";
import { parsePluginOutput } from "@realmwatch/shared/text/plugin/plugin-output";
import { parseThreshold } from "@realmwatch/shared/text/plugin/threshold";
import { parseSelector } from "@realmwatch/shared/text/selector/selector";
import {
  decodeNatsRequest,
  decodeNatsResponse,
  natsRpcAssembler,
  natsRpcHeaders,
} from "@realmwatch/shared/wire/nats/nats-rpc";

/** Parser of text that others can choose. */
export type FuzzedParser = {
  /** Parses a text. Returns a reason when the result is not one that the callers can use. */
  parse(text: string): string | undefined;
  /** Pieces of the grammar, of which texts are made. */
  readonly pieces: readonly string[];
  /** Valid texts, which are mutated. */
  readonly samples: readonly string[];
};

const parsed = (result: unknown): undefined => void result;
const bytes = new TextEncoder();

/** Every header with the same text, and the text as the body. */
function parseNatsFrames(text: string): string | undefined {
  const headers = Object.fromEntries(natsRpcHeaders.map((name) => [name, text]));
  const body = bytes.encode(text);
  const assembler = natsRpcAssembler(1_000_000);
  assembler.add({ headers: { part: text }, data: body });
  assembler.add({ headers: { part: "2/2" }, data: body });
  decodeNatsRequest({ headers, body });
  for (const code of [text, "not_found", "ok"]) {
    const response = decodeNatsResponse({ headers: { ...headers, code }, body });
    if (!response.ok) continue;
    const { matched, details, message } = response.value as typeof response.value & { matched?: number };
    if (matched !== undefined && !(Number.isInteger(matched) && matched >= 0)) return `matched is ${matched}`;
    if (typeof message !== "string" || !Array.isArray(details)) return "the message is no text, or details are no list";
  }
  return undefined;
}

function splitLines(text: string): undefined {
  const splitter = new LineSplitter();
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += 4_096) splitter.take(all.subarray(at, at + 4_096));
}

const sort = { by: "severity", reverse: false } as const;

export const fuzzedParsers: Readonly<Record<string, FuzzedParser>> = {
  "label selector": {
    parse: (text) => parsed(parseSelector(text)),
    pieces: ["a", "@kind", "=", "!=", " in ", " notin (", "(", ")", ",", '"', "\\", "!", " ", "host"],
    samples: ['@kind=service,app in (shop,pay),!old,@host="web 1"', "a notin (b,c),d!=e"],
  },
  "plugin output": {
    parse: (text) => parsed(parsePluginOutput(text)),
    pieces: ["OK", "|", "a=1", "\n", "'", " ", ";", "=", "\r\n", "\t"],
    samples: ["DISK OK|/=2643MB;5948;5958;0;5968\n/ 15272 MB\n| /boot=68MB;88;93;0;98"],
  },
  "performance data": {
    parse: (text) => parsed(parsePerfdata(text)),
    pieces: ["a=1", "'", "''", "=", ";", " ", "U", "1e9", ".", "-", "%", "1", "~:", "@"],
    samples: ["'free space'=12.5%;@10:20;~:5;0;100 time=0.2s;;;0"],
  },
  threshold: {
    parse: (text) => parsed(parseThreshold(text)),
    pieces: ["@", "~", ":", "1", ".", "-", "e", "+", " ", "0"],
    samples: ["@10:20", "~:5.5", "10:", "-1e3:1e3"],
  },
  "date expression": {
    parse: (text) => parsed(parseDateExpression(text)),
    pieces: ["monday", "january", "day", " ", "-", "1", "31", "/", "2", "2026-01-01", "last", "99", "  "],
    samples: ["day 1 - 15 / 2", "monday -1 may", "2026-01-01 - 2026-12-31 / 7", "february -1"],
  },
  "time list": {
    parse: (text) => parsed(parseTimeList(text)),
    pieces: ["00:00", "-", ",", "24:00", "9", ":", " ", "08:30-12:00"],
    samples: ["08:00-12:00,13:00-17:30", "00:00-00:00"],
  },
  "external command": {
    parse: (text) => parsed(parseCommandLine(text)),
    pieces: ["[", "]", "1700000000", " ", ";", "PROCESS_SERVICE_CHECK_RESULT", "web1", "2", "\\", "\u0000", "|a=1"],
    samples: [
      "[1700000000] PROCESS_SERVICE_CHECK_RESULT;web1;http;2;down|time=1s",
      "[1700000000] SCHEDULE_HOST_DOWNTIME;web1;1700000000;1700003600;1;0;0;ann;a; b",
    ],
  },
  "lines of the command file": {
    parse: splitLines,
    pieces: ["x", "\n", "\r", "\u0000", "é", "x".repeat(1_000), "\n\n"],
    samples: ["[1] A\n[2] B\n"],
  },
  "plain CUE": {
    parse: (text) => parsed(parseStatic([{ name: "a.cue", text }])),
    pieces: [
      "{",
      "}",
      "[",
      "]",
      "a: ",
      '"b": ',
      "1",
      ",",
      "\n",
      '"',
      "//x\n",
      "#",
      "...",
      '"""\n',
      "\\",
      "_",
      "-",
      "0x",
    ],
    samples: ['package a\nhosts: web1: {address: "a", labels: {b: "c"}, list: [1, 2.5, true, null]}\n// end\n'],
  },
  "NATS RPC": {
    parse: parseNatsFrames,
    pieces: [
      "1/2",
      "svc.v1.CommandService/AddComment",
      "{",
      '"message":',
      '"details":[',
      "}",
      "]",
      "5",
      ",",
      "ok",
      '"',
      "/",
    ],
    samples: ["1/2", '{"message":"m","details":[{"type":"a.B","value":"AA"}]}', "svc.v1.A/B", "1000"],
  },
  cookies: {
    parse: (text) => parsed(sessionCookies(text)),
    pieces: ["svc_session=", "a=b", ";", " ", "=", '"', ",", "svc_session", "\t", "x.y.z"],
    samples: ["a=b; svc_session=x.y.z; c=d"],
  },
  authorization: {
    parse: (text) => parsed(parseBearerToken(text)),
    pieces: ["Bearer", "bearer", " ", "abc", "=", ",", "Basic", "\t"],
    samples: ["Bearer abc.def-ghi", "Basic YTpi"],
  },
  "page token": {
    parse(text) {
      decodeToken(text);
      parseRowPageToken(sort, text);
      parseRowPageToken(sort, Buffer.from(text).toString("base64url"));
      return undefined;
    },
    pieces: ["W", "eyJ", "-", "_", "=", "[", "]", '"severity"', ",", "1", "{", '"', "null"],
    samples: ["WyJzZXZlcml0eSIsMSwiYSJd", '["severity",1,"a"]'],
  },
  revision: {
    parse(text) {
      const found = parseModelRevision(`g.${text}`, "g") ?? parseModelRevision(text, "g");
      return found === undefined || Number.isSafeInteger(found.change) ? undefined : `change ${found.change}`;
    },
    pieces: ["g", ".", "1", "-", "9", "99999", "e"],
    samples: ["g.1-2.3", "12", "1-1.999999999999999"],
  },
  "duration and instant": {
    parse(text) {
      const [duration, instant] = [parseDuration(text), parseInstant(text)];
      for (const result of [duration, instant])
        if (result.ok && !Number.isFinite(result.value)) return `is ${result.value}`;
      return undefined;
    },
    pieces: ["1", "h", "m", "s", "ms", ".", "-", "2026-01-01", "T", ":00", "Z", "+", "9"],
    samples: ["1h30m", "0.5s", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5+02:00"],
  },
  macros: {
    parse: (text) => parsed(splitAtMacros(text)),
    pieces: ["$", "HOSTNAME", "$$", "ARG1", "_", "x", " "],
    samples: ["$USER1$/check -H $HOSTADDRESS$ $$5 $_HOSTPORT$"],
  },
  "hosts and addresses": {
    parse(text) {
      hostName(text);
      parseAllowedHosts(text);
      parseNetworkList(text);
      resolvePeer("127.0.0.1", text, noNetworks);
      return undefined;
    },
    pieces: ["[", "]", ":", "1", "127.0.0.1", ",", "/", "a", ".", " ", "::", "%", "32"],
    samples: ["mon.example:8080", "[::1]:80", "10.0.0.0/8,2001:db8::/32", "1.2.3.4, 5.6.7.8"],
  },
};
