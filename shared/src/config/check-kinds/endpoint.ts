import type { DocumentPath } from "../../text/document-path.ts";
import type { CheckCompiler } from "./check-kind.ts";

/** Constraint of endpoint fields, for the reference. */
export const endpointConstraint = "`host:port` or `[v6]:port`";

/** Parses `host:port` or `[v6]:port`; with a default port also a host alone. An empty text was reported before. */
export function parseEndpoint(
  text: string,
  path: DocumentPath,
  { report }: CheckCompiler,
  defaultPort?: number,
): { host: string; port: number } {
  const [, six, plain, digits] = /^(?:\[([\da-fA-F:.]+(?:%[\w.-]+)?)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = six ?? plain;
  const port = digits === undefined ? defaultPort : Number(digits);
  if (text === "" || (host !== undefined && port !== undefined && port >= 1 && port <= 65_535))
    return { host: host ?? "", port: port ?? 1 };
  const alone = defaultPort === undefined ? "" : ", or a host alone";
  report(path, `must be host:port with a port from 1 to 65535${alone}, not ${JSON.stringify(text)}`);
  return { host: "", port: 1 };
}
