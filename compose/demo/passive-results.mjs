// Jobs that report passive check results of the demo, as JSON over HTTP like a job anywhere.
// Usage: node passive-results.mjs NAME=URL[,URL]…, with each realm's token in <NAME>_JOB_TOKEN. A pair has two URLs.
import { callApi } from "./call-api.mjs";
import { isFailing } from "./failure-schedule.mjs";

const urls = Object.fromEntries(process.argv.slice(2).map((word) => word.split("=")));
const startedMs = Date.now();

const service = (host, name) => ({ service: { host, name } });

/** Current results of the jobs by realm. A failing backup sends no result, so that its service becomes stale. */
function resultsNow(elapsedS) {
  const lagS = isFailing("replication", elapsedS) ? 45 + Math.round(elapsedS % 10) : 1;
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
    ams: isFailing("backup", elapsedS)
      ? []
      : [{ object: service("mail-1", "backup"), status: "STATUS_OK", output: "last night's backup is complete" }],
  };
}

/** Reports to the first URL of a realm that takes it: either member of a pair does. */
async function report(realm, results) {
  const [first, ...others] = urls[realm].split(",");
  await reportTo(first, realm, results).catch((error) => {
    if (others.length === 0) throw error;
    return reportTo(others[0], realm, results);
  });
}

function reportTo(url, realm, results) {
  const token = process.env[`${realm.toUpperCase()}_JOB_TOKEN`];
  return callApi(url, "CommandService/ProcessCheckResults", { results }, { token });
}

async function reportAll() {
  const current = resultsNow((Date.now() - startedMs) / 1000);
  for (const [realm, results] of Object.entries(current))
    if (results.length > 0) await report(realm, results).catch((error) => console.error(error.message));
}

reportAll();
setInterval(reportAll, 4_000);
