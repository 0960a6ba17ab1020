import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from "pino";
import type { LogFormat, LogLevel } from "./log-settings.ts";

export type Log = Logger;

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
export async function openLog({ level, format, to }: LogOptions): Promise<Log> {
  const sink = to ?? destination({ dest: 2, sync: true });
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretFields.flatMap((field) => [field, `*.${field}`]), censor: "[secret]" },
    },
    format === "pretty" ? await prettify(sink, to === undefined && process.stderr.isTTY) : sink,
  );
}

async function prettify(sink: DestinationStream, colorize: boolean): Promise<DestinationStream> {
  const { prettyFactory } = await import("pino-pretty");
  const format = prettyFactory({ colorize });
  return { write: (line) => sink.write(format(line)) };
}
