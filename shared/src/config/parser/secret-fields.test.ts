import assert from "node:assert/strict";
import { test } from "node:test";
import { authDocument } from "../../identity/auth-document.ts";
import { configurationParser } from "../schema/configuration.ts";
import { secretFieldNames } from "./secret-fields.ts";

const namesIn = (schema: Parameters<typeof secretFieldNames>[0]) => [...new Set(secretFieldNames(schema))].sort();

test("each kind of check, contact, sink and datasource declares its secrets", () => {
  assert.deepEqual(namesIn(configurationParser.schema), [
    ...["alert_source_config_id", "auth_pass", "community", "headers", "priv_pass", "resources", "routing_key"],
    ...["token_hash", "url", "webhook_url"],
  ]);
  assert.deepEqual(namesIn(authDocument.schema), ["password_hash", "token_hash"]);
});
