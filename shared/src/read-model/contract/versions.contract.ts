import assert from "node:assert/strict";
import { rowFor } from "../read-model.fixture.ts";
import { type ContractRule, refsOf, removedOf, selectorOf } from "./contract-context.contract.ts";

/** Rules on versions of rows, and on changes since a revision. */
export function versionRules(rule: ContractRule): void {
  rule("[RM1] the greatest (epoch, revision) wins, for any order of arrival", async (on) => {
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

  rule("[RM2] a removed object is absent until a newer version arrives", async (on) => {
    await on.put(rowFor("eu", "web1", { revision: 5 }));
    await on.drop("eu", "web1", 4);
    assert.deepEqual(await on.refs(), ["eu web1"], "an older removal changes nothing");
    await on.drop("eu", "web1", 5);
    await on.put(rowFor("eu", "web1", { revision: 5 }));
    assert.deepEqual(await on.refs(), []);
    await on.put(rowFor("eu", "web1", { revision: 6 }));
    assert.deepEqual(await on.refs(), ["eu web1"]);
    await on.drop("us", "gone", 7);
    await on.put(rowFor("us", "gone", { revision: 6 }));
    assert.deepEqual(await on.refs(), ["eu web1"], "a removal may arrive before its row");
  });

  rule("[RM3] rows of a realm below an epoch are removed, and later ones are ignored", async (on) => {
    await on.put(rowFor("eu", "old"), rowFor("eu", "new", { epoch: 2 }), rowFor("us", "old"));
    await on.under.dropRealmRowsBelow("eu", 2);
    await on.put(rowFor("eu", "late", { revision: 9 }), rowFor("eu", "old", { revision: 9 }));
    assert.deepEqual(await on.refs(), ["eu new", "us old"]);
    await on.put(rowFor("eu", "old", { epoch: 2 }));
    assert.deepEqual(await on.refs(), ["eu new", "eu old", "us old"]);
  });

  rule("[RM4] a row is returned as put, and inherits its realm's labels", async (on) => {
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

  rule(
    "[RM11] changedSince returns changed rows that match, and the keys of objects that are gone or no longer match",
    async (on) => {
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
    },
  );

  rule(
    "[RM27] with changesOnly, a list of problems says nothing of objects without one before and after",
    async (on) => {
      await on.put(...["a", "b", "c", "d"].map((ref) => rowFor("eu", ref, { status: "critical" })));
      await on.put(...["e", "f", "g"].map((ref) => rowFor("eu", ref)));
      const { revision } = await on.status({ unhandledOnly: true });
      await on.put(rowFor("eu", "a", { revision: 2 }), rowFor("eu", "e", { revision: 2 }));
      await on.put(rowFor("eu", "b", { status: "critical", handled: true, revision: 2 }));
      await on.put(rowFor("eu", "f", { status: "critical", revision: 2 }));
      await on.put(rowFor("eu", "f", { revision: 3 }));
      await on.drop("eu", "c", 2);
      await on.drop("eu", "g", 2);
      const query = { unhandledOnly: true, changedSince: revision };
      assert.deepEqual(removedOf(await on.status(query)).sort(), ["eu a", "eu b", "eu c", "eu e", "eu f", "eu g"]);
      const news = await on.status({ ...query, changesOnly: true });
      assert.deepEqual(removedOf(news).sort(), ["eu a", "eu b", "eu c", "eu f"]);
      await on.put(rowFor("eu", "a", { revision: 3 }));
      const later = await on.status({ unhandledOnly: true, changesOnly: true, changedSince: news.revision });
      assert.deepEqual([later.rows, later.removed], [[], []]);
    },
  );

  rule("[RM12] an object that was removed and created again is returned as a row, not as removed", async (on) => {
    await on.put(rowFor("eu", "a"));
    const { revision } = await on.status();
    await on.drop("eu", "a", 2);
    await on.put(rowFor("eu", "a", { revision: 3 }));
    const news = await on.status({ changedSince: revision });
    assert.deepEqual([refsOf(news), removedOf(news)], [["eu a"], []]);
  });

  rule("[RM13] a replayed version is not a change", async (on) => {
    await on.put(rowFor("eu", "a", { revision: 2 }));
    const { revision } = await on.status();
    await on.put(rowFor("eu", "a", { revision: 2 }), rowFor("eu", "a"));
    assert.deepEqual((await on.status({ changedSince: revision })).rows, []);
  });

  rule("[RM14] a revision of another process is answered in full, without paging", async (on) => {
    await on.put(rowFor("eu", "a"), rowFor("eu", "b"), rowFor("us", "c"));
    const { revision } = await on.status();
    for (const changedSince of ["x", "0.0", "9999999999999.5", `${revision}0`, `${revision}x`, "🙈"]) {
      const answer = await on.status({ changedSince, pageSize: 1, realm: "eu" });
      assert.deepEqual([answer.full, refsOf(answer), answer.removed], [true, ["eu a", "eu b"], []], changedSince);
    }
    assert.equal((await on.status()).full, false, "only with changedSince");
  });
}
