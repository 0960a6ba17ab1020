import { labelsField } from "@realmwatch/shared/config/parser/names";
import { nonZeroDuration } from "@realmwatch/shared/config/parser/numbers";
import { type ParserOutput, parseDocument } from "@realmwatch/shared/config/parser/parser";
import { refineParser, string } from "@realmwatch/shared/config/parser/scalars";
import { keyMatching, map, required, struct, withDefault } from "@realmwatch/shared/config/parser/structs";
import type { DocumentProblem } from "@realmwatch/shared/config/problem";
import { problemMessage } from "@realmwatch/shared/config/problem-message";
import type { RealmView } from "@realmwatch/shared/model/realm";
import { realmNamePattern } from "@realmwatch/shared/model/realm";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";

/** Source of the bearer token that the aggregator uses in a realm. */
export type TokenSource =
  | { readonly kind: "none" }
  | { readonly kind: "env"; readonly name: string }
  | { readonly kind: "file"; readonly path: string };

/** One realm, as the realms document describes it. */
export type RealmEntry = Pick<RealmView, "name" | "description" | "labels"> & {
  /** Base URL of the realm's API without a trailing slash; empty for calls over NATS. */
  readonly url: string;
  readonly token: TokenSource;
  /** Time without a heartbeat after which the realm is unreachable, ms; above 0. */
  readonly unreachableAfterMs: number;
};

/** Realms by name, in the document's order; at least one. */
export type RealmsPlan = ReadonlyMap<string, RealmEntry>;

const baseUrl = refineParser(string, {
  convert(value, complainAbout) {
    const why = value === "" ? undefined : whyNoBaseUrl(value);
    return why === undefined ? value.replace(/\/+$/, "") : complainAbout(why);
  },
  fallback: "",
  constraint: "an http or https URL without user, query and fragment",
});
const variableName = refineParser(string, {
  convert: (value, complainAbout) =>
    /^([A-Za-z_][A-Za-z0-9_]*)?$/.test(value) ? value : complainAbout("must be the name of an environment variable"),
  fallback: "",
  constraint: "a name of an environment variable",
});

/** Reason why a URL is not a base URL, as a predicate. The URL is not quoted, because it may contain a password. */
function whyNoBaseUrl(value: string): string | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") return "is not an http or https URL";
  if (url.username !== "" || url.password !== "")
    return "must not hold credentials: the token belongs into token_env or token_file";
  return url.search === "" && url.hash === "" ? undefined : "is a base URL, which has no query and no fragment";
}

const realm = struct(
  {
    url: withDefault(baseUrl, "", {
      help: "Base URL of the realm's API; empty: calls travel over NATS.",
      example: "https://fra.example.org",
      secret: true,
    }),
    token_env: withDefault(variableName, "", {
      help: "Environment variable with the aggregator's token for the realm.",
      example: "FRA_TOKEN",
      constraint: "not with `token_file`",
    }),
    token_file: withDefault(string, "", {
      help: "File with the aggregator's token for the realm.",
      example: "/run/secrets/fra-token",
      constraint: "not with `token_env`",
    }),
    unreachable_after: withDefault(nonZeroDuration, 15_000, {
      help: "Time without a heartbeat after which the realm is unreachable.",
      example: "30s",
    }),
    description: withDefault(string, "", { help: "Shown beside the realm.", example: "Frankfurt" }),
    labels: labelsField({
      help: "Labels that all objects of the realm inherit; an object's own label wins.",
      example: { continent: "eu" },
    }),
  },
  {
    title: "Realm",
    intro: `A realm that the aggregator shows. If the realm's agent requires authentication (\`-auth-config\`), the aggregator needs
the token of an identity there to forward commands.`,
  },
);

/** Schema of the realms document. */
export const realmsDocument = struct(
  { realms: required(map(realm, keyMatching(realmNamePattern)), { help: "The realms. At least one." }) },
  {
    title: "Realms document",
    intro: `The realms that an aggregator shows: the document of \`-realms-config\`, reloaded on SIGHUP. A realm that publishes but
is not listed is ignored, and logged once.`,
    example: `realms: {
	fra: {description: "Frankfurt", token_env: "FRA_TOKEN", labels: continent: "eu"}
	nyc: {url: "https://nyc.example.org", token_file: "/run/secrets/nyc-token", unreachable_after: "30s"}
}`,
  },
);
type RealmDocument = ParserOutput<typeof realm>;

/** Compiles an evaluated realms document, or returns all its problems. No message quotes a URL. */
export function compileRealmsDocument(json: unknown): Result<RealmsPlan, readonly DocumentProblem[]> {
  const { document, problems } = parseDocument(realmsDocument, json);
  if (problems.length === 0 && document.realms.size === 0)
    problems.push({
      path: ["realms"],
      message: problemMessage(["realms"], "must name at least one realm"),
      at: "value",
    });
  for (const [name, { token_env: env, token_file: file }] of document.realms) {
    if (env === "" || file === "") continue;
    const path = ["realms", name, "token_file"];
    const conflicts = [["realms", name, "token_env"]];
    problems.push({ path, message: problemMessage(path, "and token_env exclude each other"), at: "value", conflicts });
  }
  if (problems.length > 0) return fail(problems);
  return ok(new Map([...document.realms].map(([name, entry]) => [name, realmEntry(name, entry)])));
}

const realmEntry = (name: string, entry: RealmDocument): RealmEntry => ({
  name,
  url: entry.url,
  token: tokenSourceOf(entry.token_env, entry.token_file),
  unreachableAfterMs: entry.unreachable_after,
  description: entry.description,
  labels: entry.labels,
});

function tokenSourceOf(env: string, file: string): TokenSource {
  if (env !== "") return { kind: "env", name: env };
  return file === "" ? { kind: "none" } : { kind: "file", path: file };
}
