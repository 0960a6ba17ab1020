import { nonEmptyString } from "../parser/scalars.ts";
import { required } from "../parser/structs.ts";
import { checkKind } from "./check-kind.ts";

export type IcmpSpec = { readonly type: "icmp"; readonly host: string };

export const icmpCheckKind = checkKind({
  summary: "Sends 5 echo requests: some lost is a warning, all lost is critical.",
  uses: "none",
  fields: { host: required(nonEmptyString, { help: "Name or address.", example: "192.0.2.1" }) },
  compile: ({ host }): IcmpSpec => ({ type: "icmp", host }),
  target: ({ host }) => host,
});
