import assert from "node:assert/strict";
import { type ContractRule, refsOf, removedOf, selectorOf } from "./contract-context.contract.ts";
import { rowFor } from "../read-model.fixture.ts";

/** Which version of a row stands, and what is told of what changed. */
export function versionRules(rule: ContractRule): void {
  rule("[RM1] the greater (epoch, revision) stands, in whatever order versions come", async (on) => {
    const version = (epoch: number, revision: number) =>
      rowFor("eu", "web1", { epoch, revision, output: `${epoch}.${revision}` });
    await on.put(version(2, 1), version(1, 9), version(2, 3), version(2, 2), version(2, 3));
    assert.deepEqual(
      (await on.status()).rows.map((row) => row.output),
      ["2.3"],
    );
    await on.put(version(3, 1));
    assert.deepEqual(
      (await on.status()).rows.map((row) => row.output),
      ["3.1"],
    );
  });

  rule("[RM2] a dropped object stays away until a newer version comes", async (on) => {
    await on.put(rowFor("eu", "web1", { revision: 5 }));
    await on.drop("eu", "web1", 4);
    assert.deepEqual(await on.refs(), ["eu web1"], "an older drop changes nothing");
    await on.drop("eu", "web1", 5);
    await on.put(rowFor("eu", "web1", { revision: 5 }));
    assert.deepEqual(await on.refs(), []);
    await on.put(rowFor("eu", "web1", { revision: 6 }));
    assert.deepEqual(await on.refs(), ["eu web1"]);
    await on.drop("us", "gone", 7);
    await on.put(rowFor("us", "gone", { revision: 6 }));
    assert.deepEqual(await on.refs(), ["eu web1"], "a drop may come before its row");
  });

  rule("[RM3] rows of a realm below an epoch go, and none of them comes back", async (on) => {
    await on.put(rowFor("eu", "old"), rowFor("eu", "new", { epoch: 2 }), rowFor("us", "old"));
    await on.under.dropRealmRowsBelow("eu", 2);
    await on.put(rowFor("eu", "late", { revision: 9 }), rowFor("eu", "old", { revision: 9 }));
    assert.deepEqual(await on.refs(), ["eu new", "us old"]);
    await on.put(rowFor("eu", "old", { epoch: 2 }));
    assert.deepEqual(await on.refs(), ["eu new", "eu old", "us old"]);
  });

  rule("[RM4] a row is given as it was put, with its realm's labels beneath its own", async (on) => {
    const row = rowFor("eu", "web1!http", {
      labels: { tier: "front" },
      status: "critical",
      lastCheckAtMs: 5,
      flapValue: 0.5,
    });
    await on.put(row);
    const labels = { region: "west", tier: "front" };
    assert.deepEqual((await on.status()).rows, [{ ...row, about: { ...row.about, labels } }]);
    assert.deepEqual(await on.refs({ selector: selectorOf("region=west,tier=front,@realm=eu") }), ["eu web1!http"]);
  });

  rule("[RM11] changedSince gives what changed and matches, and names what is gone or matches no more", async (on) => {
    await on.put(...["a", "b", "c", "d"].map((ref) => rowFor("eu", ref, { status: "critical" })));
    const { revision } = await on.status({ problemsOnly: true });
    const idle = await on.status({ problemsOnly: true, changedSince: revision });
    assert.deepEqual([idle.rows, idle.removed, idle.full, idle.summary.unhandled], [[], [], false, 4]);
    await on.put(rowFor("eu", "a", { revision: 2 }), rowFor("eu", "b", { status: "warning", revision: 2 }));
    await on.drop("eu", "c", 2);
    const news = await on.status({ problemsOnly: true, changedSince: revision, pageSize: 1 });
    assert.deepEqual(refsOf(news), ["eu b"]);
    assert.deepEqual(removedOf(news), ["eu a", "eu c"]);
    assert.deepEqual([news.full, news.nextPageToken, news.summary.unhandled], [false, "", 2]);
    const later = await on.status({ problemsOnly: true, changedSince: news.revision });
    assert.deepEqual([later.rows, later.removed], [[], []]);
  });

  rule("[RM12] an object that went and came back is a row and not removed", async (on) => {
    await on.put(rowFor("eu", "a"));
    const { revision } = await on.status();
    await on.drop("eu", "a", 2);
    await on.put(rowFor("eu", "a", { revision: 3 }));
    const news = await on.status({ changedSince: revision });
    assert.deepEqual([refsOf(news), removedOf(news)], [["eu a"], []]);
  });

  rule("[RM13] a replayed version is no change", async (on) => {
    await on.put(rowFor("eu", "a", { revision: 2 }));
    const { revision } = await on.status();
    await on.put(rowFor("eu", "a", { revision: 2 }), rowFor("eu", "a"));
    assert.deepEqual((await on.status({ changedSince: revision })).rows, []);
  });

  rule("[RM14] a revision of another process gives everything again, unpaged", async (on) => {
    await on.put(rowFor("eu", "a"), rowFor("eu", "b"), rowFor("us", "c"));
    const { revision } = await on.status();
    for (const changedSince of ["x", "0.0", "9999999999999.5", `${revision}0`, `${revision}x`, "🙈"]) {
      const answer = await on.status({ changedSince, pageSize: 1, realm: "eu" });
      assert.deepEqual([answer.full, refsOf(answer), answer.removed], [true, ["eu a", "eu b"], []], changedSince);
    }
    assert.equal((await on.status()).full, false, "only with changedSince");
  });
}
