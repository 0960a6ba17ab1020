// The jobs that report by themselves: passive check results, posted as a job anywhere would, with JSON over HTTP.
// Usage: node feeder.mjs NAME=URL…, a realm's token in <NAME>_JOB_TOKEN.
import { isSick } from "./rhythm.mjs";

const urls = Object.fromEntries(process.argv.slice(2).map((word) => word.split("=")));
const startedMs = Date.now();

const service = (host, name) => ({ service: { host, name } });

/** What the jobs have to say just now, a list for each realm. A sick backup says nothing at all. */
function resultsNow(elapsedS) {
  const lagS = isSick("replication", elapsedS) ? 45 + Math.round(elapsedS % 10) : 1;
  return {
    fra: [
      {
        object: service("db-1", "replication"),
        status: lagS > 30 ? "STATUS_WARNING" : "STATUS_OK",
        output: `replica is ${lagS} s behind`,
        perfdata: `lag=${lagS}s;30;120;0`,
        checkSource: "replication job",
      },
    ],
    ams: isSick("backup", elapsedS)
      ? []
      : [{ object: service("mail-1", "backup"), status: "STATUS_OK", output: "last night's backup is complete" }],
  };
}

async function report(realm, results) {
  const response = await fetch(`${urls[realm]}/svc.v1.CommandService/ProcessCheckResults`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${process.env[`${realm.toUpperCase()}_JOB_TOKEN`]}`,
    },
    body: JSON.stringify({ results }),
    signal: AbortSignal.timeout(5_000),
  });
  if (!response.ok) throw new Error(`realm ${realm} answers ${response.status}: ${await response.text()}`);
}

async function feed() {
  const said = resultsNow((Date.now() - startedMs) / 1000);
  for (const [realm, results] of Object.entries(said))
    if (results.length > 0) await report(realm, results).catch((error) => console.error(error.message));
}

feed();
setInterval(feed, 4_000);
