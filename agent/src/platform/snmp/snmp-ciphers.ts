import { createCipheriv, createDecipheriv, createHash, randomFillSync } from "node:crypto";
import type { SnmpAccess } from "@realmwatch/shared/model/snmp-access";
import netSnmp from "net-snmp";

type User = Extract<SnmpAccess, { version: "v3" }>;

/** The library's numbers of the protocols; 10 and 12 are unused in it and stand for AES-192 here. */
export const authNumbers: Readonly<Record<User["authProto"], number>> = {
  "": 1,
  MD5: 2,
  SHA: 3,
  SHA224: 4,
  SHA256: 5,
  SHA384: 6,
  SHA512: 7,
};
export const privNumbers: Readonly<Record<User["privProto"], number>> = {
  "": 1,
  DES: 2,
  AES: 4,
  AES256: 6,
  AES256C: 8,
  AES192: 10,
  AES192C: 12,
};

type Engine = { readonly engineID: Buffer };
type Encrypted = { readonly encryptedPdu: Buffer; readonly msgPrivacyParameters: Buffer };
type Cipher = {
  CRYPTO_ALGORITHM: string;
  KEY_LENGTH: number;
  encryptPdu(pdu: Buffer, priv: number, password: string, auth: number, engine: Engine): Encrypted;
  decryptPdu(...of: [pdu: Buffer, priv: number, salt: Buffer, password: string, auth: number, engine: Engine]): Buffer;
};
/** Library members that the typings declare read-only, while the library rereads them for each message. */
type Registry = {
  readonly Encryption: { readonly algorithms: Record<number, Cipher> };
  readonly Authentication: {
    readonly algorithms: Readonly<Record<number, { readonly CRYPTO_ALGORITHM: string }>>;
    passwordToKey(auth: number, password: string | Buffer, engineId: Buffer): Buffer;
  };
};

/** Number of bytes to which a password is repeated before hashing (RFC 3414 A.2). */
const repeatedBytes = 1_048_576;
/** Maximum number of cached localized keys: two per user and agent, 200 bytes each. Deriving one takes about 2 ms. */
const maxCachedKeys = 65_536;

/**
 * Adds the ciphers that the library lacks: AES-192 with both key extensions, and DES, which OpenSSL 3 has moved to its
 * legacy provider. Bounds the library's key cache, which otherwise grows with each received engine id.
 */
export function registerCiphers(): void {
  const { Encryption, Authentication } = netSnmp as unknown as Registry;
  const { algorithms } = Encryption;
  for (const [like, own] of [
    [privNumbers.AES256, privNumbers.AES192],
    [privNumbers.AES256C, privNumbers.AES192C],
  ] as const) {
    const longer = algorithms[like];
    if (longer !== undefined) algorithms[own] = { ...longer, CRYPTO_ALGORITHM: "aes-192-cfb", KEY_LENGTH: 24 };
  }
  const des = algorithms[privNumbers.DES];
  if (des !== undefined) Object.assign(des, { encryptPdu: encryptDes, decryptPdu: decryptDes });

  const hashOf = (auth: number): string => Authentication.algorithms[auth]?.CRYPTO_ALGORITHM ?? "";
  Authentication.passwordToKey = cacheKeys((auth, password, engineId) => {
    const first = createHash(hashOf(auth)).update(Buffer.alloc(repeatedBytes, password)).digest();
    return createHash(hashOf(auth)).update(first).update(engineId).update(first).digest();
  });

  function encryptDes(...[pdu, , password, auth, { engineID }]: Parameters<Cipher["encryptPdu"]>): Encrypted {
    const { key, ivOf } = desKey(Authentication.passwordToKey(auth, password, engineID));
    // RFC 3414 builds the salt from the boot count and a counter; a random salt is unique as well and needs no state.
    const salt = randomFillSync(Buffer.alloc(8));
    const cipher = createCipheriv("des-ede3-cbc", key, ivOf(salt)).setAutoPadding(false);
    const padded = Buffer.concat([pdu, Buffer.alloc((8 - (pdu.length % 8)) % 8)]);
    return { encryptedPdu: Buffer.concat([cipher.update(padded), cipher.final()]), msgPrivacyParameters: salt };
  }

  function decryptDes(...[pdu, , salt, password, auth, { engineID }]: Parameters<Cipher["decryptPdu"]>): Buffer {
    const { key, ivOf } = desKey(Authentication.passwordToKey(auth, password, engineID));
    const cipher = createDecipheriv("des-ede3-cbc", key, ivOf(salt)).setAutoPadding(false);
    return Buffer.concat([cipher.update(pdu), cipher.final()]);
  }
}

/** Single DES as triple DES with the same key three times. The second 8 bytes are XORed with the salt to the IV. */
function desKey(localized: Buffer): { key: Buffer; ivOf(salt: Buffer): Buffer } {
  const single = localized.subarray(0, 8);
  const mixed = localized.subarray(8, 16);
  return {
    key: Buffer.concat([single, single, single]),
    ivOf: (salt) => Buffer.from(mixed.map((byte, at) => byte ^ (salt[at] ?? 0))),
  };
}

type MakeKey = Registry["Authentication"]["passwordToKey"];

/** Caches the least recently used keys by a digest, so that the cache holds no passwords. */
function cacheKeys(make: MakeKey): MakeKey {
  const cache = new Map<string, Buffer>();
  return (auth, password, engineId) => {
    const length = Buffer.byteLength(password);
    const name = createHash("sha256").update(`${auth}.${length}.`).update(password).update(engineId).digest("base64");
    const key = cache.get(name) ?? make(auth, password, engineId);
    cache.delete(name);
    cache.set(name, key);
    if (cache.size > maxCachedKeys) cache.delete(cache.keys().next().value ?? "");
    return key;
  };
}
