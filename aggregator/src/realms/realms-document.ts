import type { Problem } from "@realmwatch/shared/config/problem";
import { parseDuration } from "@realmwatch/shared/text/duration";
import { realmNamePattern } from "@realmwatch/shared/words/realm";
import { fail, ok, type Result } from "@realmwatch/shared/words/result";
import type { Labels } from "@realmwatch/shared/words/row";
import { z } from "zod";

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

const label = z.record(
  z.string().regex(/^[a-z][a-z0-9_.-]*$/, "a label's key wants a-z, then a-z 0-9 _ . -"),
  z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9_.:/-]*$/, "a label's value wants A-Z a-z 0-9, then also _ . : / -"),
);

const span = z.string().transform((text, context): number => {
  const parsed = parseDuration(text);
  if (parsed.ok && parsed.value > 0) return parsed.value;
  context.addIssue(parsed.ok ? "must be above zero" : `${JSON.stringify(text)} ${parsed.error}`);
  return z.NEVER;
});

const baseUrl = z.string().transform((text, context): string => {
  const why = text === "" ? undefined : whyNoBaseUrl(text);
  if (why !== undefined) context.addIssue(why);
  return text.replace(/\/+$/, "");
});

const realm = z
  .strictObject({
    url: baseUrl.default(""),
    token_env: z
      .string()
      .regex(/^([A-Za-z_][A-Za-z0-9_]*)?$/, "is no name of an environment variable")
      .default(""),
    token_file: z.string().default(""),
    unreachable_after: span.default(15_000),
    description: z.string().default(""),
    labels: label.default({}),
  })
  .superRefine((entry, context) => {
    if (entry.token_env !== "" && entry.token_file !== "")
      context.addIssue({
        code: "custom",
        path: ["token_file"],
        message: "token_env and token_file exclude each other",
      });
  });

const realmsDocument = z.strictObject({
  realms: z
    .record(z.string().regex(realmNamePattern, "a realm's name wants a-z, then up to 62 of a-z 0-9 -"), realm)
    .refine((realms) => Object.keys(realms).length > 0, "at least one realm is needed"),
});

/** Compiles an evaluated realms document, or tells everything that is wrong with it. */
export function compileRealmsDocument(json: unknown): Result<RealmsPlan, readonly Problem[]> {
  const parsed = realmsDocument.safeParse(json, { reportInput: true });
  if (!parsed.success) return fail(parsed.error.issues.flatMap(problemsOf));
  const entries = Object.entries(parsed.data.realms).map(
    ([name, entry]): RealmEntry => ({
      name,
      url: entry.url,
      token: tokenSourceOf(entry.token_env, entry.token_file),
      unreachableAfterMs: entry.unreachable_after,
      description: entry.description,
      labels: entry.labels,
    }),
  );
  return ok(new Map(entries.map((entry) => [entry.name, entry])));
}

function tokenSourceOf(env: string, file: string): TokenSource {
  if (env !== "") return { kind: "env", name: env };
  return file === "" ? { kind: "none" } : { kind: "file", path: file };
}

function whyNoBaseUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") return `${JSON.stringify(text)} is no http or https URL`;
  if (url.username !== "" || url.password !== "") return "credentials belong into token_env or token_file";
  return url.search === "" && url.hash === "" ? undefined : "a base URL has no query and no fragment";
}

function problemsOf(issue: z.core.$ZodIssue): readonly Problem[] {
  const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: `unknown field ${JSON.stringify(key)}`,
      at: "value",
    }));
  if (issue.code === "invalid_key")
    return [{ path, message: issue.issues.map((i) => i.message).join("; "), at: "value" }];
  if (issue.code !== "invalid_type") return [{ path, message: issue.message, at: "value" }];
  if (issue.input !== undefined) return [{ path, message: `must be a ${shown(issue.expected)}`, at: "value" }];
  return [{ path: path.slice(0, -1), message: `${path.at(-1) ?? "the document"} is missing`, at: "struct" }];
}

const shown = (expected: string): string => (expected === "record" || expected === "object" ? "struct" : expected);
