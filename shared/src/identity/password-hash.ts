import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify(argon2);

/** Parameters that OWASP recommends for argon2id: 19 MiB, two passes, one lane. */
const cost: Cost = { memoryKib: 19_456, passes: 2, lanes: 1 };
const tagBytes = 32;
const saltBytes = 16;

/** Maximum cost of a hash, so that a document cannot stall the process. */
const maxCost: Cost = { memoryKib: 1_048_576, passes: 64, lanes: 16 };

/** Maximum length of a password, bytes; argon2 itself would accept 4 GiB. */
const maxPasswordBytes = 1_024;

type Cost = { readonly memoryKib: number; readonly passes: number; readonly lanes: number };
type PasswordHash = Cost & { readonly salt: Buffer; readonly tag: Buffer };

const phc =
  /^\$argon2id\$v=19\$m=(\d{1,10}),t=(\d{1,10}),p=(\d{1,10})\$([A-Za-z0-9+/]{11,128})\$([A-Za-z0-9+/]{16,171})$/;

/** Parses an argon2id hash in PHC string format; undefined when it is invalid or exceeds the maximum cost. */
export function parsePasswordHash(text: string): PasswordHash | undefined {
  const [, m, t, p, salt = "", tag = ""] = phc.exec(text) ?? [];
  const hash = { memoryKib: Number(m), passes: Number(t), lanes: Number(p) };
  const inRange =
    hash.passes >= 1 &&
    hash.passes <= maxCost.passes &&
    hash.lanes >= 1 &&
    hash.lanes <= maxCost.lanes &&
    hash.memoryKib >= 8 * hash.lanes &&
    hash.memoryKib <= maxCost.memoryKib;
  return inRange ? { ...hash, salt: Buffer.from(salt, "base64"), tag: Buffer.from(tag, "base64") } : undefined;
}

/** Hashes a password with a new salt; takes about 50 ms in a pool thread. @returns an argon2id PHC string */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const tag = await deriveTag(password, { ...cost, salt, tag: Buffer.alloc(tagBytes) });
  return formatPhc({ ...cost, salt, tag });
}

const formatPhc = ({ memoryKib, passes, lanes, salt, tag }: PasswordHash): string =>
  `$argon2id$v=19$m=${memoryKib},t=${passes},p=${lanes}$${base64(salt)}$${base64(tag)}`;

/**
 * Returns a random hash that no known password matches, as expensive to verify as `like`; without it, as a hash of
 * `hashPassword`.
 */
export function unmatchableHash(like: string | undefined): string {
  const { memoryKib, passes, lanes } = (like === undefined ? undefined : parsePasswordHash(like)) ?? cost;
  return formatPhc({ memoryKib, passes, lanes, salt: randomBytes(saltBytes), tag: randomBytes(tagBytes) });
}

/** Returns true when the password matches the hash. A malformed hash never matches. */
export async function verifyPassword(password: string, phcString: string): Promise<boolean> {
  const hash = parsePasswordHash(phcString);
  if (hash === undefined || Buffer.byteLength(password) > maxPasswordBytes) return false;
  return timingSafeEqual(await deriveTag(password, hash), hash.tag);
}

function deriveTag(password: string, hash: PasswordHash): Promise<Buffer> {
  return derive("argon2id", {
    message: password,
    nonce: hash.salt,
    parallelism: hash.lanes,
    tagLength: hash.tag.length,
    memory: hash.memoryKib,
    passes: hash.passes,
  }) as Promise<Buffer>;
}

/** Base64 without padding, as in PHC strings. */
const base64 = (bytes: Buffer): string => bytes.toString("base64").replaceAll("=", "");
