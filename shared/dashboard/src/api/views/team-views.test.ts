import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { ViewSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { joinViews } from "./team-views.ts";

const view = (name: string, realm: string, fields: MessageInitShape<typeof ViewSchema> = {}) =>
  create(ViewSchema, { name, realm, selector: "a=b", ...fields });

test("[VW5] equal views of several realms are one; with other selectors they stay apart", () => {
  const joined = joinViews([
    view("web", "fra"),
    view("web", "ams", { description: "all of it", saved: true, author: "ann" }),
    view("web", "dub"),
    view("db", "fra"),
    view("db", "ams", { selector: "a=c" }),
    view("team", "", { saved: true }),
  ]);
  assert.deepEqual(
    joined.map(({ name, selector, realms, realm, description, saved }) => [
      ...[`${name} ${selector}`, realms.join(), realm, description],
      saved.map((part) => part.realm).join(),
    ]),
    [
      ["web a=b", "fra,ams,dub", "", "all of it", "ams"],
      ["db a=b", "fra", "fra", "", ""],
      ["db a=c", "ams", "ams", "", ""],
      ["team a=b", "", "", "", ""],
    ],
  );
});
