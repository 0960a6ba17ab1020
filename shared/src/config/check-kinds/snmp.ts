import type { SnmpAccess } from "../../model/snmp-access.ts";
import type { DocumentPath } from "../../text/document-path.ts";
import { parseThreshold } from "../../text/plugin/threshold.ts";
import { nonEmptyString, picklist, string } from "../parser/scalars.ts";
import { type Fields, optional, required, type StructOutput, withDefault } from "../parser/structs.ts";
import { type CheckCompiler, checkKind } from "./check-kind.ts";

export type SnmpSpec = {
  readonly type: "snmp";
  readonly address: string;
  readonly oid: string;
  readonly access: SnmpAccess;
  /** Validated threshold ranges as monitoring-plugins write them; empty for none. */
  readonly warn: string;
  readonly crit: string;
  readonly expect: string;
  readonly label: string;
  readonly uom: string;
};

const authProtocols = ["", "MD5", "SHA", "SHA224", "SHA256", "SHA384", "SHA512"] as const;
const privacyProtocols = ["", "DES", "AES", "AES192", "AES256", "AES192C", "AES256C"] as const;
const range = "a threshold range such as `10`, `10:`, `~:10`, `10:20` or `@10:20`; not with `expect`";

const fields = {
  address: required(nonEmptyString, {
    help: "SNMP agent: host or `host:port`; default port 161.",
    example: "192.0.2.7",
  }),
  oid: required(nonEmptyString, { help: "Numeric OID of the value.", example: ".1.3.6.1.2.1.1.3.0" }),
  community: optional(nonEmptyString, {
    help: "Community, for v2c.",
    example: "public",
    secret: true,
    constraint: "exactly one of `community` and `user`",
  }),
  user: optional(nonEmptyString, {
    help: "User, for v3.",
    example: "ops",
    constraint: "exactly one of `community` and `user`",
  }),
  auth_proto: withDefault(picklist(authProtocols), "", {
    help: "Authentication protocol; empty: none.",
    example: "SHA256",
    constraint: "only with `user`",
  }),
  auth_pass: withDefault(string, "", {
    help: "Authentication password.",
    example: "a long pass phrase",
    secret: true,
    constraint: "only with `user`",
  }),
  priv_proto: withDefault(picklist(privacyProtocols), "", {
    help: "Privacy protocol; empty: none.",
    example: "AES",
    constraint: "needs `auth_proto`",
  }),
  priv_pass: withDefault(string, "", {
    help: "Privacy password.",
    example: "another long one",
    secret: true,
    constraint: "only with `user`",
  }),
  warn: withDefault(string, "", { help: "Range of values without a warning.", example: "80", constraint: range }),
  crit: withDefault(string, "", { help: "Range of values that are not critical.", example: "~:95", constraint: range }),
  expect: withDefault(string, "", {
    help: "Expected text; any other value is critical.",
    example: "1",
    constraint: "not with `warn` or `crit`",
  }),
  label: withDefault(string, "", { help: "Name of the measurement; empty: the OID.", example: "uptime" }),
  uom: withDefault(string, "", { help: "Unit of the measurement. A counter's is always `c`.", example: "s" }),
} satisfies Fields;
type SnmpDocument = StructOutput<typeof fields>;

export const snmpCheckKind = checkKind({
  summary: "Reads one value of an SNMP agent, by v2c with a community or by v3 with a user, and judges it.",
  uses: "none",
  fields,
  compile(check, path, compiler): SnmpSpec {
    reportContradictions(check, path, compiler);
    for (const name of ["warn", "crit"] as const) {
      const range = check[name] === "" ? undefined : parseThreshold(check[name]);
      if (range?.ok === false) compiler.report([...path, name], `is not a threshold range: it ${range.error}`);
    }
    const { address, oid, warn, crit, expect, label, uom } = check;
    return { type: "snmp", address, oid, access: accessOf(check), warn, crit, expect, label, uom };
  },
  target: ({ address, oid }) => `${address} ${oid}`,
});

function reportContradictions(check: SnmpDocument, path: DocumentPath, { report }: CheckCompiler): void {
  const at = (name: string): DocumentPath => [...path, name];
  if (check.community === undefined && check.user === undefined)
    report(path, "needs exactly one of community and user", { at: "struct" });
  if (check.community !== undefined && check.user !== undefined)
    report(at("community"), "and user exclude each other", { conflicts: [at("user")] });
  if (check.expect !== "" && (check.warn !== "" || check.crit !== "")) {
    const ranges = (["warn", "crit"] as const).filter((name) => check[name] !== "");
    report(at("expect"), `and ${ranges.join(" and ")} exclude each other`, { conflicts: ranges.map(at) });
  }
  if (check.priv_proto !== "" && check.auth_proto === "" && check.user !== undefined)
    report(at("priv_proto"), "needs an auth_proto: there is no privacy without authentication");
}

function accessOf(check: SnmpDocument): SnmpAccess {
  if (check.user === undefined) return { version: "v2c", community: check.community ?? "" };
  return {
    version: "v3",
    user: check.user,
    authProto: check.auth_proto,
    authPass: check.auth_pass,
    privProto: check.priv_proto,
    privPass: check.priv_pass,
  };
}
