import { type ParserOutput, parseDocument } from "../config/parser/parser.ts";
import { refineParser, string } from "../config/parser/scalars.ts";
import { type KeyRule, map, optional, required, struct, withDefault } from "../config/parser/structs.ts";
import { digestOfTokenHash, invalidTokenHash, tokenHashParser } from "../config/parser/token-hash.ts";
import type { DocumentProblem } from "../config/problem.ts";
import { documentProblem } from "../config/problem-message.ts";
import { fail, ok, type Result } from "../model/result.ts";
import { type Role, roles } from "../model/role.ts";
import { parsePasswordHash } from "./password-hash.ts";

type Credential =
  /** Argon2id hash in PHC format, for a person who logs in. */
  | { readonly kind: "password"; readonly hash: string }
  /** SHA-256 of a token in lower-case hex, for a service that sends the token. */
  | { readonly kind: "token"; readonly digest: string };
type IdentityPlan = { readonly name: string; readonly role: Role; readonly credential: Credential };
/** Compiled auth document. Names and digests are unique. */
export type AuthPlan = { readonly identities: readonly IdentityPlan[] };

/** An invalid role is not quoted in the message, because it may be a misplaced hash. */
const role = refineParser<string, Role>(string, {
  convert: (value, complainAbout) =>
    roles.find((each) => each === value) ?? complainAbout(`must be one of ${roles.join(", ")}`),
  fallback: "viewer",
  constraint: `one of ${roles.map((each) => `\`"${each}"\``).join(", ")}`,
});

const passwordHash = refineParser(string, {
  convert(value, complainAbout) {
    if (parsePasswordHash(value) !== undefined) return value;
    return complainAbout("is not an argon2id hash in PHC format; the sub-command hash-password creates one");
  },
  fallback: "",
  constraint: "an argon2id hash in PHC format",
});

const identityName: KeyRule = {
  description: "of 1 to 255 printable characters",
  problemOf: (name) =>
    /^[^\p{Cc}]{1,255}$/u.test(name) ? undefined : "has a name that is not 1 to 255 printable characters",
};
const oneOfTwo = "exactly one of `password_hash` and `token_hash`";

const identity = struct(
  {
    role: withDefault(role, "viewer", {
      help: "Permissions: read (`viewer`), also send commands (`operator`), also change the configuration (`admin`).",
      example: "operator",
    }),
    password_hash: optional(passwordHash, {
      secret: true,
      help: "For a person, who logs in: the output of `hash-password`.",
      example: "$argon2id$v=19$m=19456,t=2,p=1$YMp6PBxhhfVhSAOcannNZA$8PtRT7t7ec8iLbQ1blIQzuJ0A714NnFh24K7I+RnbPU",
      constraint: oneOfTwo,
    }),
    token_hash: optional(tokenHashParser, {
      secret: true,
      help: "For a service, which sends a token: the hash that `new-token` prints with the token.",
      example: "sha256:63f0e23a65e5349518acfe4d79b8495c01b89ada940d46d3b1e6976fdb9f5ac5",
      constraint: `${oneOfTwo}; unique among identities`,
    }),
  },
  {
    title: "Identity",
    intro: "A person or a program that may use the API. The document holds only hashes of passwords and tokens.",
  },
);

/** Schema of the auth document. */
export const authDocument = struct(
  { auth: required(map(identity, identityName), { help: "Identities by name. At least one." }) },
  {
    title: "Auth document",
    intro: `The document of the flag \`-auth-config\` declares who may use a program's API, and with which role. It
is read once, at start. When one shared token suffices, \`-api-token\` is simpler.`,
    example: `auth: {
	ann: {role: "admin", password_hash: "$argon2id$v=19$m=19456,t=2,p=1$YMp6PBxhhfVhSAOcannNZA$8PtRT7t7ec8iLbQ1blIQzuJ0A714NnFh24K7I+RnbPU"}
	robot: {role: "operator", token_hash: "sha256:63f0e23a65e5349518acfe4d79b8495c01b89ada940d46d3b1e6976fdb9f5ac5"}
}`,
  },
);
type AuthDocument = ParserOutput<typeof authDocument>;
type IdentityDocument = ParserOutput<typeof identity>;

/** Compiles an auth document that was evaluated to JSON. Returns all problems at once; no message quotes a hash. */
export function compileAuthDocument(json: unknown): Result<AuthPlan, DocumentProblem[]> {
  const { document, problems } = parseDocument(authDocument, json);
  if (problems.length === 0 && document.auth.size === 0)
    problems.push(documentProblem(["auth"], "names no identity", { at: "struct" }));
  problems.push(...sharedTokens(document));
  const identities = [...document.auth].flatMap(([name, each]): IdentityPlan[] => {
    const credential = credentialOf(each, ["auth", name], problems);
    return credential === undefined ? [] : [{ name, role: each.role, credential }];
  });
  return problems.length > 0 ? fail(problems) : ok({ identities });
}

function credentialOf(
  { password_hash: hash, token_hash: token }: IdentityDocument,
  path: DocumentProblem["path"],
  problems: DocumentProblem[],
): Credential | undefined {
  // An identity of the wrong type is reported already.
  const isReported = problems.some((problem) => problem.path.length === 2 && problem.path[1] === path[1]);
  if (isReported && hash === undefined && token === undefined) return undefined;
  if ((hash === undefined) === (token === undefined)) {
    const has = hash === undefined ? "has neither password_hash nor" : "has both password_hash and";
    problems.push(documentProblem(path, `${has} token_hash`, { at: "struct" }));
    return undefined;
  }
  if (token === undefined) return { kind: "password", hash: hash ?? "" };
  return { kind: "token", digest: digestOfTokenHash(token) };
}

/** Reports tokens of several identities, since such a token would not identify its caller. */
function sharedTokens({ auth }: AuthDocument): DocumentProblem[] {
  const owners = new Map<string, string>();
  return [...auth].flatMap(([name, { token_hash: token }]) => {
    if (token === undefined || token === invalidTokenHash) return [];
    const owner = owners.getOrInsert(token, name);
    if (owner === name) return [];
    return [documentProblem(["auth", name, "token_hash"], `is the same as that of identity ${JSON.stringify(owner)}`)];
  });
}
