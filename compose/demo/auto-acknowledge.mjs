// Acknowledges each unhandled hard problem with the label `oncall=robot`, through the aggregator.
// Usage: node auto-acknowledge.mjs AGGREGATOR-URL
const [url] = process.argv.slice(2);

async function call(rpc, body) {
  const response = await fetch(`${url}/svc.v1.${rpc}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${rpc}: ${answer.code} ${answer.message}`);
  return answer;
}

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
