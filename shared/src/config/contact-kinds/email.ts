import { nonEmptyString } from "../parser/scalars.ts";
import { required } from "../parser/structs.ts";
import { digestContactKind } from "./contact-kind.ts";

export const emailKind = digestContactKind({
  summary: "A mail, sent through `-smtp-url`.",
  uses: "none",
  fields: {
    address: required(nonEmptyString, { help: "Address of the recipient.", example: "ann@example.org" }),
  },
  compile: ({ address, group_wait: groupWaitMs }) => ({ address, groupWaitMs }),
});
