import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from "pino";
import { prettyFactory } from "pino-pretty";

export type Log = Logger;

export const logLevels = ["debug", "info", "warn", "error"] as const;
type LogLevel = (typeof logLevels)[number];
export const logFormats = ["json", "pretty"] as const;
export type LogFormat = (typeof logFormats)[number];

/** Names of fields that hold secrets. They are masked at the top level of a record and one level below. */
const secretFields = [
  "authorization",
  "cookie",
  "password",
  "password_hash",
  "passwordHash",
  "secret",
  "token",
  "token_hash",
  "tokenHash",
];

type LogOptions = {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Destination of the lines; stderr by default. */
  readonly to?: DestinationStream;
};

/** Opens the program's log: one event per line, `time` in RFC 3339, `level` by name. */
export function openLog({ level, format, to }: LogOptions): Log {
  const sink = to ?? destination({ dest: 2, sync: true });
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretFields.flatMap((field) => [field, `*.${field}`]), censor: "[secret]" },
    },
    format === "pretty" ? prettify(sink, to === undefined && process.stderr.isTTY) : sink,
  );
}

function prettify(sink: DestinationStream, colorize: boolean): DestinationStream {
  const format = prettyFactory({ colorize });
  return { write: (line) => sink.write(format(line)) };
}
