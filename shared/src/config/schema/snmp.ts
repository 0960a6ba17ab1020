import { absent, optional, required } from "../parser/structs.ts";
import { filled, text, word } from "../parser/strings.ts";

const authProtocols = ["", "MD5", "SHA", "SHA224", "SHA256", "SHA384", "SHA512"] as const;
const privacyProtocols = ["", "DES", "AES", "AES192", "AES256", "AES192C", "AES256C"] as const;
const range = "a threshold range such as `10`, `10:`, `~:10`, `10:20` or `@10:20`; not with `expect`";

/** The fields of a check that asks an SNMP agent. */
export const snmp = {
  about: "Reads one value from an SNMP agent, by v2c with a community or by v3 with a user, and judges it.",
  fields: {
    address: required(filled, { help: "The SNMP agent.", example: "192.0.2.7" }),
    oid: required(filled, { help: "Which value.", example: ".1.3.6.1.2.1.1.3.0" }),
    community: absent(filled, {
      help: "Community, for v2c.",
      example: "public",
      constraint: "exactly one of `community` and `user`",
    }),
    user: absent(filled, {
      help: "User, for v3.",
      example: "ops",
      constraint: "exactly one of `community` and `user`",
    }),
    auth_proto: optional(word(authProtocols), "", {
      help: "How the user is authenticated; empty: not at all.",
      example: "SHA256",
      constraint: "means something with `user` only",
    }),
    auth_pass: optional(text, "", {
      help: "Password of authentication.",
      example: "a long pass phrase",
      constraint: "means something with `user` only",
    }),
    priv_proto: optional(word(privacyProtocols), "", {
      help: "How messages are encrypted; empty: not at all.",
      example: "AES",
      constraint: "needs `auth_proto`",
    }),
    priv_pass: optional(text, "", {
      help: "Password of encryption.",
      example: "another long one",
      constraint: "means something with `user` only",
    }),
    warn: optional(text, "", { help: "Values outside are a warning.", example: "80", constraint: range }),
    crit: optional(text, "", { help: "Values outside are critical.", example: "~:95", constraint: range }),
    expect: optional(text, "", {
      help: "The value must be exactly this text, or it is critical.",
      example: "1",
      constraint: "not with `warn` or `crit`",
    }),
    label: optional(text, "", { help: "Name of the measurement; empty: the OID.", example: "uptime" }),
    uom: optional(text, "", { help: "Unit of the measurement. A counter's is always `c`.", example: "s" }),
  },
} as const;
