import { parentPort, workerData } from "node:worker_threads";
import { allowAllOutbound, parseOutboundDeny } from "@realmwatch/shared/platform/network/outbound-policy";
import { systemRandom } from "@realmwatch/shared/platform/random";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { historyRecordOf, openJournalHistoryReader } from "../journal/history/history-reader.ts";
import { openJournalForReading } from "../journal/schema/journal-schema.ts";
import { openNameResolver } from "../platform/dns/name-resolver.ts";
import { inheritedEnvironment } from "../platform/programs/program-environment.ts";
import { SinkHost } from "../sinks/thread/sink-host.ts";
import type { SinkThreadData, SinkThreadMessage, SinkThreadReport } from "../sinks/thread/sink-protocol.ts";
import { openSinkHttpClient } from "../sinks/transport/sink-http-client.ts";

// Thread of the sinks: encoding, compression, disk and network stay away from the thread of the engine.
if (parentPort) {
  const port = parentPort;
  const { dataDir, realm, lastHistorySeq, outboundDeny, programMark, longestActionMs, eventPositions } =
    workerData as SinkThreadData;
  const policy = parseOutboundDeny(outboundDeny);
  const clock = systemClock;
  const resolver = openNameResolver({ clock, outbound: policy.ok ? policy.value : allowAllOutbound });
  const history = openJournalHistoryReader(openJournalForReading(dataDir));
  const host = new SinkHost({
    dependencies: {
      ...{ clock, realm },
      random: systemRandom,
      env: process.env,
      programEnv: inheritedEnvironment(process.env).variables,
      programMark,
      http: openSinkHttpClient({ clock, resolver }),
    },
    ...{ dataDir, lastHistorySeq, longestActionMs, eventPositions },
    readAfter: (seq, limit) => history.after(seq, limit).map(historyRecordOf),
    report: (report: SinkThreadReport) => port.postMessage(report),
  });
  port.on("message", (message: SinkThreadMessage) => host.receive(message));
}
