import assert from "node:assert/strict";
import { test } from "node:test";
import { call } from "../../run/call.ts";
import { serviceTarget, statusRows } from "../../run/rows.ts";
import { startSmallAgent } from "../../run/small-agent.ts";

test("[PT42] a client that has the answer to a command reads its effects, also while others send commands", async (t) => {
  const { agent } = await startSmallAgent(t);
  const commentOn = (name: string, text: string) =>
    call(agent.base, "CommandService/AddComment", { target: serviceTarget("web1", name), author: "ann", text });
  const others = Promise.all(Array.from({ length: 200 }, (_, n) => commentOn("http", `other ${n}`)));
  for (let n = 0; n < 30; n++) {
    const { ok } = await commentOn("job", `comment ${n}`);
    assert.ok(ok);
    const texts = (await statusRows(agent.base))["web1!job"]?.comments?.map(({ text }) => text);
    assert.ok(texts?.includes(`comment ${n}`), `comment ${n} is not among ${texts?.length ?? 0} comments`);
  }
  assert.ok((await others).every(({ ok }) => ok));
});
