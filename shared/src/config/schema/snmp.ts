import { nonEmptyString, picklist, string } from "../parser/scalars.ts";
import { optional, required, withDefault } from "../parser/structs.ts";

const authProtocols = ["", "MD5", "SHA", "SHA224", "SHA256", "SHA384", "SHA512"] as const;
const privacyProtocols = ["", "DES", "AES", "AES192", "AES256", "AES192C", "AES256C"] as const;
const range = "a threshold range such as `10`, `10:`, `~:10`, `10:20` or `@10:20`; not with `expect`";

/** The fields of a check that asks an SNMP agent. */
export const snmpVariant = {
  summary: "Reads one value from an SNMP agent, by v2c with a community or by v3 with a user, and judges it.",
  fields: {
    address: required(nonEmptyString, { help: "The SNMP agent.", example: "192.0.2.7" }),
    oid: required(nonEmptyString, { help: "Which value.", example: ".1.3.6.1.2.1.1.3.0" }),
    community: optional(nonEmptyString, {
      help: "Community, for v2c.",
      example: "public",
      constraint: "exactly one of `community` and `user`",
    }),
    user: optional(nonEmptyString, {
      help: "User, for v3.",
      example: "ops",
      constraint: "exactly one of `community` and `user`",
    }),
    auth_proto: withDefault(picklist(authProtocols), "", {
      help: "How the user is authenticated; empty: not at all.",
      example: "SHA256",
      constraint: "means something with `user` only",
    }),
    auth_pass: withDefault(string, "", {
      help: "Password of authentication.",
      example: "a long pass phrase",
      constraint: "means something with `user` only",
    }),
    priv_proto: withDefault(picklist(privacyProtocols), "", {
      help: "How messages are encrypted; empty: not at all.",
      example: "AES",
      constraint: "needs `auth_proto`",
    }),
    priv_pass: withDefault(string, "", {
      help: "Password of encryption.",
      example: "another long one",
      constraint: "means something with `user` only",
    }),
    warn: withDefault(string, "", { help: "Values outside are a warning.", example: "80", constraint: range }),
    crit: withDefault(string, "", { help: "Values outside are critical.", example: "~:95", constraint: range }),
    expect: withDefault(string, "", {
      help: "The value must be exactly this text, or it is critical.",
      example: "1",
      constraint: "not with `warn` or `crit`",
    }),
    label: withDefault(string, "", { help: "Name of the measurement; empty: the OID.", example: "uptime" }),
    uom: withDefault(string, "", { help: "Unit of the measurement. A counter's is always `c`.", example: "s" }),
  },
} as const;
