// Acknowledges each unhandled hard problem with the label `oncall=robot`, through the aggregator.
// Usage: node auto-acknowledge.mjs AGGREGATOR-URL
import { callApi } from "./call-api.mjs";

const [url] = process.argv.slice(2);
const call = (method, body) => callApi(url, method, body, { timeoutMs: 10_000 });

async function acknowledgeProblems() {
  const { rows = [] } = await call("QueryService/ListStatus", { selector: "oncall=robot", unhandledOnly: true });
  for (const { realm, object, stateType } of rows)
    if (stateType === "STATE_TYPE_HARD")
      await call("RealmCommandService/AcknowledgeProblem", {
        realm,
        request: { target: { object }, sticky: true, author: "robot", comment: "Known: it recovers within a minute" },
      });
}

setInterval(() => acknowledgeProblems().catch((error) => console.error(error.message)), 2_000);
