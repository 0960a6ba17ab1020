import type { Problem } from "../config/problem.ts";
import { type Read, readDocument } from "../config/reading.ts";
import { absent, type KeyRule, map, optional, required, struct } from "../config/shape.ts";
import { sentence } from "../config/subject.ts";
import { refine, text } from "../config/values.ts";
import { fail, ok, type Result } from "../model/result.ts";
import { type Role, roles } from "../model/role.ts";
import { parsePasswordHash } from "./password-hash.ts";

export type Credential =
  /** An argon2id PHC string: a person, who logs in. */
  | { readonly kind: "password"; readonly hash: string }
  /** Lower-case hex of a token's SHA-256: a service, which sends the token. */
  | { readonly kind: "token"; readonly digest: string };
export type IdentityPlan = { readonly name: string; readonly role: Role; readonly credential: Credential };
/** An auth document, compiled. Names and digests are distinct. */
export type AuthPlan = { readonly identities: readonly IdentityPlan[] };

/** A wrong role is not quoted: a hash that slipped into this line stays out of every message. */
const role = refine<string, Role>(text, {
  convert: (value, complainAbout) =>
    roles.find((each) => each === value) ?? complainAbout(`must be one of ${roles.join(", ")}`),
  fallback: "viewer",
  constraint: `one of ${roles.map((each) => `\`"${each}"\``).join(", ")}`,
});

/** What is read for a hash that is wrong: there is one, only not which. */
const wrongHash = "";

const passwordHash = refine(text, {
  convert(value, complainAbout) {
    if (parsePasswordHash(value) !== undefined) return value;
    return complainAbout("is no argon2id hash in PHC format; the sub-command hash-password makes one");
  },
  fallback: wrongHash,
  constraint: "an argon2id hash in PHC format",
});
const tokenHash = refine(text, {
  convert(value, complainAbout) {
    if (/^sha256:[0-9a-f]{64}$/.test(value)) return value;
    return complainAbout("is not sha256: and 64 lower-case hex digits; the sub-command new-token makes one");
  },
  fallback: wrongHash,
  constraint: "`sha256:` and 64 lower-case hex digits",
});

const identityName: KeyRule = {
  says: "of 1 to 255 printable characters",
  wrongWith: (name) =>
    /^[^\p{Cc}]{1,255}$/u.test(name) ? undefined : "has a name that is not 1 to 255 printable characters",
};
const oneOfTwo = "exactly one of `password_hash` and `token_hash`";

const identity = struct(
  {
    role: optional(role, "viewer", {
      help: "What it may do: see, act, or change the configuration as well. Each may do what the ones before it may.",
      example: "operator",
    }),
    password_hash: absent(passwordHash, {
      help: "For a person, who logs in: what `hash-password` prints.",
      example: "$argon2id$v=19$m=19456,t=2,p=1$YMp6PBxhhfVhSAOcannNZA$8PtRT7t7ec8iLbQ1blIQzuJ0A714NnFh24K7I+RnbPU",
      constraint: oneOfTwo,
    }),
    token_hash: absent(tokenHash, {
      help: "For a service, which sends a token: what `new-token` prints beside the token.",
      example: "sha256:63f0e23a65e5349518acfe4d79b8495c01b89ada940d46d3b1e6976fdb9f5ac5",
      constraint: `${oneOfTwo}; each identity's its own`,
    }),
  },
  {
    title: "Identity",
    intro:
      "Somebody, or some program, that may call. Passwords and tokens themselves stand nowhere: only their hashes do.",
  },
);

/** The auth document, evaluated. */
export const authDocument = struct(
  { auth: required(map(identity, identityName), { help: "Who may call. At least one." }) },
  {
    title: "Auth document",
    intro: `Who may call a program, and with which role: the document behind \`-auth-config\`. It is read once, at start. Where one
role for all will do, \`-api-token\` is enough.`,
    example: `auth: {
	ann: {role: "admin", password_hash: "$argon2id$v=19$m=19456,t=2,p=1$YMp6PBxhhfVhSAOcannNZA$8PtRT7t7ec8iLbQ1blIQzuJ0A714NnFh24K7I+RnbPU"}
	robot: {role: "operator", token_hash: "sha256:63f0e23a65e5349518acfe4d79b8495c01b89ada940d46d3b1e6976fdb9f5ac5"}
}`,
  },
);
type AuthDocument = Read<typeof authDocument>;
type IdentityDocument = Read<typeof identity>;

/** Checks an auth document, evaluated to plain JSON. All problems are found in one go; none quotes a hash. */
export function compileAuthDocument(json: unknown): Result<AuthPlan, Problem[]> {
  const { document, problems } = readDocument(authDocument, json);
  if (problems.length === 0 && document.auth.size === 0)
    problems.push({ path: ["auth"], message: sentence(["auth"], "names no identity"), at: "struct" });
  problems.push(...sharedTokens(document));
  const identities = [...document.auth].flatMap(([name, each]): IdentityPlan[] => {
    const credential = credentialOf(each, ["auth", name], problems);
    return credential === undefined ? [] : [{ name, role: each.role, credential }];
  });
  return problems.length > 0 ? fail(problems) : ok({ identities });
}

function credentialOf(
  { password_hash: hash, token_hash: token }: IdentityDocument,
  path: Problem["path"],
  problems: Problem[],
): Credential | undefined {
  // What is no struct at all has been told of; it lacks nothing else.
  const isTold = problems.some((problem) => problem.path.length === 2 && problem.path[1] === path[1]);
  if (isTold && hash === undefined && token === undefined) return undefined;
  if ((hash === undefined) === (token === undefined)) {
    const has = hash === undefined ? "has neither password_hash nor" : "has both password_hash and";
    problems.push({ path, message: sentence(path, `${has} token_hash`), at: "struct" });
    return undefined;
  }
  if (token === undefined) return { kind: "password", hash: hash ?? "" };
  return { kind: "token", digest: token.slice("sha256:".length) };
}

/** A token that is two identities' would make the caller the one or the other by chance. */
function sharedTokens({ auth }: AuthDocument): Problem[] {
  const owners = new Map<string, string>();
  return [...auth].flatMap(([name, { token_hash: token }]) => {
    if (token === undefined || token === wrongHash) return [];
    const owner = owners.get(token);
    owners.set(token, owner ?? name);
    if (owner === undefined) return [];
    const path = ["auth", name, "token_hash"];
    const message = sentence(path, `is the same as that of identity ${JSON.stringify(owner)}`);
    return [{ path, message, at: "value" } as const];
  });
}
