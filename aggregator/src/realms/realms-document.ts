import { span } from "@realmwatch/shared/config/numbers";
import { labels } from "@realmwatch/shared/config/object-names";
import type { Problem } from "@realmwatch/shared/config/problem";
import { type Read, readDocument } from "@realmwatch/shared/config/reading";
import { keyLike, map, optional, required, struct } from "@realmwatch/shared/config/shape";
import { sentence } from "@realmwatch/shared/config/subject";
import { refine, text } from "@realmwatch/shared/config/values";
import { realmNamePattern } from "@realmwatch/shared/model/realm";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { Labels } from "@realmwatch/shared/model/row";

/** Where the bearer token of our identity in a realm is read. */
export type TokenSource =
  | { readonly kind: "none" }
  | { readonly kind: "env"; readonly name: string }
  | { readonly kind: "file"; readonly path: string };

/** One realm, as the realms document describes it. */
export type RealmEntry = {
  readonly name: string;
  /** Base URL of the realm's API without a slash at its end; empty means that calls travel over NATS. */
  readonly url: string;
  readonly token: TokenSource;
  /** Silence after which the realm counts as unreachable, ms; above 0. */
  readonly unreachableAfterMs: number;
  readonly description: string;
  readonly labels: Labels;
};

/** The realms by name, in the document's order. At least one. */
export type RealmsPlan = ReadonlyMap<string, RealmEntry>;

const baseUrl = refine(text, {
  convert(value, complainAbout) {
    const why = value === "" ? undefined : whyNoBaseUrl(value);
    return why === undefined ? value.replace(/\/+$/, "") : complainAbout(why);
  },
  fallback: "",
  constraint: "an http or https URL without user, query and fragment",
});
const variableName = refine(text, {
  convert: (value, complainAbout) =>
    /^([A-Za-z_][A-Za-z0-9_]*)?$/.test(value) ? value : complainAbout("is no name of an environment variable"),
  fallback: "",
  constraint: "a name of an environment variable",
});

/** What is wrong with a base URL, as a predicate. It may hold a password: it is not quoted. */
function whyNoBaseUrl(value: string): string | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") return "is no http or https URL";
  if (url.username !== "" || url.password !== "")
    return "must not hold credentials: the token belongs into token_env or token_file";
  return url.search === "" && url.hash === "" ? undefined : "is a base URL, which has no query and no fragment";
}

const realm = struct(
  {
    url: optional(baseUrl, "", {
      help: "Base URL of the realm's API; empty: calls travel over NATS.",
      example: "https://fra.example.org",
    }),
    token_env: optional(variableName, "", {
      help: "The environment variable that holds our token for the realm.",
      example: "FRA_TOKEN",
      constraint: "not with `token_file`",
    }),
    token_file: optional(text, "", {
      help: "The file that holds our token for the realm.",
      example: "/run/secrets/fra-token",
      constraint: "not with `token_env`",
    }),
    unreachable_after: optional(span, 15_000, {
      help: "After how much silence the realm counts as unreachable.",
      example: "30s",
    }),
    description: optional(text, "", { help: "Shown beside the realm.", example: "Frankfurt" }),
    labels: labels({
      help: "Labels of everything in the realm, beneath the objects' own.",
      example: { continent: "eu" },
    }),
  },
  {
    title: "Realm",
    intro: `One realm that the centre listens to. Where the realm's agent knows identities (\`-auth-config\`), the centre needs a
token of one of them to carry commands there.`,
  },
);

/** The realms document, evaluated. */
export const realmsDocument = struct(
  { realms: required(map(realm, keyLike(realmNamePattern)), { help: "The realms. At least one." }) },
  {
    title: "Realms document",
    intro: `Which realms an aggregator shows: the document behind \`-realms-config\`, read again on SIGHUP. A realm that publishes
but is not listed is ignored, and logged once.`,
    example: `realms: {
	fra: {description: "Frankfurt", token_env: "FRA_TOKEN", labels: continent: "eu"}
	nyc: {url: "https://nyc.example.org", token_file: "/run/secrets/nyc-token", unreachable_after: "30s"}
}`,
  },
);
type RealmDocument = Read<typeof realm>;

/** Compiles an evaluated realms document, or tells everything that is wrong with it. No message quotes a URL. */
export function compileRealmsDocument(json: unknown): Result<RealmsPlan, readonly Problem[]> {
  const { document, problems } = readDocument(realmsDocument, json);
  if (problems.length === 0 && document.realms.size === 0)
    problems.push({ path: ["realms"], message: sentence(["realms"], "must name at least one realm"), at: "value" });
  for (const [name, { token_env: env, token_file: file }] of document.realms) {
    if (env === "" || file === "") continue;
    const path = ["realms", name, "token_file"];
    const rivals = [["realms", name, "token_env"]];
    problems.push({ path, message: sentence(path, "and token_env exclude each other"), at: "value", rivals });
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
