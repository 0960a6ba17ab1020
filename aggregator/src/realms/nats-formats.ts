import { type NatsConfigurationOptions, natsAccounts } from "./nats-configuration.ts";
import { passwordVariables } from "./nats-password-variables.ts";

type Scalar = string | number | boolean;
type Setting = Scalar | readonly Setting[] | { readonly [key: string]: Setting };

/** Width of a line up to which a map is written on that line. */
const width = 118;
/** Name of the Secret with the passwords in values of the chart. */
const passwordSecret = "nats-passwords";
const aboutPasswords = "a password begins with a letter and has letters and digits only";

/** Formats the accounts as a nats-server configuration, with the names of its variables in a comment. */
export const formatNatsConfiguration = (options: NatsConfigurationOptions): string =>
  [
    "# Made by `realmwatch-aggregator nats-config`. Include it in the configuration of each nats-server, which says where",
    "# it listens, stores streams (jetstream.store_dir) and finds its cluster. Passwords are read from the environment;",
    `# ${aboutPasswords}:`,
    ...passwordVariables(options.realms, options.zones).all.map((name) => `#   ${name}`),
    "jetstream: {}",
    ...serverLines("accounts: ", natsAccounts(options)).map(withoutQuotes),
    "",
  ].join("\n");

/** Formats the accounts as values of the Helm chart `nats/nats`: three servers, which read passwords from one Secret. */
export function formatNatsChartValues(options: NatsConfigurationOptions): string {
  const variables = passwordVariables(options.realms, options.zones).all;
  const readFromSecret = (key: string) => ({ valueFrom: { secretKeyRef: { name: passwordSecret, key } } });
  return [
    "# Made by `realmwatch-aggregator nats-config -helm-values`, for the chart nats/nats. Each password is read from a key of",
    `# the Secret ${passwordSecret}; ${aboutPasswords}.`,
    ...valuesLines({
      config: {
        cluster: { enabled: true, replicas: 3 },
        jetstream: { enabled: true },
        merge: { accounts: natsAccounts(options) },
      },
      container: { env: Object.fromEntries(variables.map((name) => [name, readFromSecret(name)])) },
    }),
    "",
  ].join("\n");
}

/** Removes the quotes around what has to stand without them, as the chart does. */
const withoutQuotes = (line: string): string => line.replaceAll(/"<< (\$\w+) >>"/g, "$1");

/** Lines of a value in the syntax of nats-server; `start` is what stands before it on its first line. */
function serverLines(start: string, value: Setting): readonly string[] {
  if (isShort(value)) return [start + inline(value)];
  const isList = isListOf(value);
  const inner = isList
    ? value.flatMap((item) => serverLines("", item))
    : Object.entries(value).flatMap(([key, each]) => serverLines(`${quoteKey(key)}: `, each));
  return [start + (isList ? "[" : "{"), ...inner.map(indent), isList ? "]" : "}"];
}

/** Lines of a map or a list in YAML. */
function valuesLines(value: Setting): readonly string[] {
  if (isShort(value)) return [inline(value)];
  if (isListOf(value))
    return value.flatMap((item) => valuesLines(item).map((line, at) => `${at === 0 ? "- " : "  "}${line}`));
  return Object.entries(value).flatMap(([key, each]) =>
    isShort(each) ? [`${quoteKey(key)}: ${inline(each)}`] : [`${quoteKey(key)}:`, ...valuesLines(each).map(indent)],
  );
}

const isListOf = (value: Setting): value is readonly Setting[] => Array.isArray(value);
const indent = (line: string): string => `  ${line}`;

/** True for a value that is written on one line: a scalar, a list of scalars, and a map of such values that is short. */
function isShort(value: Setting): boolean {
  if (typeof value !== "object") return true;
  if (isListOf(value)) return value.every((item) => typeof item !== "object");
  return Object.values(value).every(isShort) && inline(value).length <= width;
}

/** A value on one line, in a syntax that nats-server and YAML have in common. Strings have the escapes of JSON. */
function inline(value: Setting): string {
  if (typeof value !== "object") return JSON.stringify(value);
  if (isListOf(value)) return `[${value.map(inline).join(", ")}]`;
  const entries = Object.entries(value).map(([key, each]) => `${quoteKey(key)}: ${inline(each)}`);
  return `{ ${entries.join(", ")} }`;
}

const quoteKey = (key: string): string => (/^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key));
