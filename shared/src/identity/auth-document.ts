import { z } from "zod";
import type { Problem } from "../config/problem.ts";
import { fail, ok, type Result } from "../words/result.ts";
import { type Role, roles } from "../words/role.ts";
import { parsePasswordHash } from "./password-hash.ts";

export type Credential =
  /** An argon2id PHC string: a person, who logs in. */
  | { readonly kind: "password"; readonly hash: string }
  /** Lower-case hex of a token's SHA-256: a service, which sends the token. */
  | { readonly kind: "token"; readonly digest: string };
export type IdentityPlan = { readonly name: string; readonly role: Role; readonly credential: Credential };
/** An auth document, compiled. Names and digests are distinct. */
export type AuthPlan = { readonly identities: readonly IdentityPlan[] };

const identityDocument = z.strictObject({
  role: z.enum(roles, { error: `role must be one of ${roles.join(", ")}` }).default("viewer"),
  password_hash: z
    .string({ error: "password_hash must be a string" })
    .refine((text) => parsePasswordHash(text) !== undefined, {
      error: "password_hash is no argon2id hash in PHC format; the sub-command hash-password makes one",
    })
    .optional(),
  token_hash: z
    .string({ error: "token_hash must be a string" })
    .regex(/^sha256:[0-9a-f]{64}$/, {
      error: "token_hash is not sha256: and 64 hex digits; the sub-command new-token makes one",
    })
    .optional(),
});
const authDocument = z.strictObject({
  auth: z.record(z.string(), identityDocument, { error: "auth must be a map of identities" }),
});
type IdentityDocument = z.infer<typeof identityDocument>;

/** Checks an auth document, evaluated to plain JSON. All problems are found in one go; none quotes a hash. */
export function compileAuthDocument(json: unknown): Result<AuthPlan, Problem[]> {
  const parsed = authDocument.safeParse(json);
  if (!parsed.success) return fail(parsed.error.issues.flatMap((issue) => problemsOf(issue, json)));
  const compiled = Object.entries(parsed.data.auth).map(([name, identity]) => compileIdentity(name, identity));
  const identities = compiled.flatMap((result) => (result.ok ? [result.value] : []));
  const problems = compiled.flatMap((result) => (result.ok ? [] : result.error)).concat(sharedTokens(identities));
  if (compiled.length === 0) problems.push({ path: ["auth"], message: "auth names no identity", at: "struct" });
  return problems.length > 0 ? fail(problems) : ok({ identities });
}

function compileIdentity(name: string, identity: IdentityDocument): Result<IdentityPlan, Problem[]> {
  const problem = (message: string): { readonly ok: false; readonly error: Problem[] } =>
    fail([{ path: ["auth", name], message: `identity ${JSON.stringify(name)} ${message}`, at: "struct" }]);
  if (!/^[^\p{Cc}]{1,255}$/u.test(name)) return problem("has a name that is not 1 to 255 printable characters");
  const { role, password_hash: hash, token_hash: tokenHash } = identity;
  if (hash !== undefined && tokenHash !== undefined) return problem("has both password_hash and token_hash");
  if (hash !== undefined) return ok({ name, role, credential: { kind: "password", hash } });
  if (tokenHash === undefined) return problem("has neither password_hash nor token_hash");
  return ok({ name, role, credential: { kind: "token", digest: tokenHash.slice("sha256:".length) } });
}

/** A token that is two identities' would make the caller the one or the other by chance. */
function sharedTokens(identities: readonly IdentityPlan[]): Problem[] {
  const owners = new Map<string, string>();
  return identities.flatMap(({ name, credential }) => {
    if (credential.kind !== "token") return [];
    const owner = owners.get(credential.digest);
    owners.set(credential.digest, owner ?? name);
    const message = `identity ${JSON.stringify(name)} has the same token_hash as ${JSON.stringify(owner)}`;
    return owner === undefined ? [] : [{ path: ["auth", name, "token_hash"], message, at: "value" } as const];
  });
}

/** An unknown field is a problem at its own value; a missing one at the struct that lacks it. */
function problemsOf(issue: z.core.$ZodIssue, json: unknown): Problem[] {
  const path = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
  if (issue.code === "unrecognized_keys") {
    const where = path.length === 0 ? "an auth document" : "an identity";
    return issue.keys.map((key) => ({ path: [...path, key], message: `${where} has no field ${key}`, at: "value" }));
  }
  return valueAt(json, path) === undefined
    ? [{ path: path.slice(0, -1), message: `${path.at(-1) ?? "the document"} is missing`, at: "struct" }]
    : [{ path, message: issue.message, at: "value" }];
}

function valueAt(json: unknown, path: readonly (string | number)[]): unknown {
  let value: unknown = json;
  for (const step of path) value = value === null ? undefined : (value as Record<string, unknown>)[step];
  return value;
}
